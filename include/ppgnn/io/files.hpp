#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/io/named_bytes.hpp"

/// Files as the readers and the store need them: whole, or written so that nobody sees half of one.
namespace ppgnn::io {

/// malformed, as "name:line: what".
[[nodiscard]] Error at_line(std::string_view name, std::size_t line, std::string_view what);
/// malformed, as "name: byte offset: what".
[[nodiscard]] Error at_byte(std::string_view name, std::size_t offset, std::string_view what);
/// The same error with `name: ` before its message.
[[nodiscard]] Error in_file(std::string_view name, const Error& error);
/// io, with the system's reason for the current errno.
[[nodiscard]] Error system_error(std::string_view what, const std::filesystem::path& path);

/// Whether an open file is still what `path` names: nobody removed or replaced it.
[[nodiscard]] bool is_named(int file, const std::filesystem::path& path) noexcept;

/// All bytes of a regular file. Its memory is bounded by the file's length.
///
/// Errors  io; anything but a regular file (a pipe, a device) is refused before the first read and never waited for.
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& path);

/// What `-` stands for where one text is read.
[[nodiscard]] bool is_standard_input(const std::filesystem::path& path);
/// The path, or "standard input": what messages call it.
[[nodiscard]] std::string input_name(const std::filesystem::path& path);
/// read_file, or for `-` all of standard input, which may be a pipe.
///
/// Errors  Those of read_file; io for more than kMaxStandardInput bytes.
[[nodiscard]] Result<std::string> read_input(const std::filesystem::path& path);
inline constexpr std::size_t kMaxStandardInput = std::size_t{1} << 32;

/// A file that was read, with its path for messages.
struct LoadedFile {
  std::string name;
  std::string bytes;
  [[nodiscard]] NamedBytes view() const { return {name, bytes}; }
};

/// read_file of each path, in order; the first error ends it.
[[nodiscard]] Result<std::vector<LoadedFile>> read_files(std::span<const std::filesystem::path> paths);

/// The bytes of a regular file in memory of their own, from the start of a page, until the last owner is gone.
///
/// They are read, not mapped from the file: a file that somebody cuts short or rewrites in place meanwhile changes
/// nothing here and cannot end the process; what was gone before it was read makes the bytes fewer.
class WholeFile {
 public:
  [[nodiscard]] static Result<std::shared_ptr<const WholeFile>> read(const std::filesystem::path& path);
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  [[nodiscard]] std::span<const std::uint8_t> bytes() const noexcept { return bytes_; }

 private:
  WholeFile(std::span<const std::uint8_t> bytes, std::size_t room) : bytes_(bytes), room_(room) {}
  std::span<const std::uint8_t> bytes_;
  std::size_t room_;
};

/// A file that appears under its name only when it is complete. Until commit it has a temporary name in the same
/// folder, .NAME.ppgnn.part-<16 hexadecimal digits>, which goes away with this object. It is locked (flock) meanwhile:
/// create removes temporaries in that folder whose lock can be had, which processes that were killed left behind.
///
/// Mode  That of the file that is replaced; of a new file 0666 without the bits of the umask.
class AtomicFile {
 public:
  /// Makes the missing folders of `path` too.
  [[nodiscard]] static Result<AtomicFile> create(const std::filesystem::path& path);
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  [[nodiscard]] Result<void> write(std::span<const std::uint8_t> bytes);
  /// Where the bytes are until commit.
  [[nodiscard]] std::filesystem::path temporary() const { return temporary_; }
  /// Flushes to the disk and renames. Call once, last.
  [[nodiscard]] Result<void> commit();

 private:
  AtomicFile(std::filesystem::path path, std::string temporary, int descriptor)
      : path_(std::move(path)), temporary_(std::move(temporary)), descriptor_(descriptor) {}

  std::filesystem::path path_;
  std::string temporary_;
  int descriptor_ = -1;
};

/// The file appears complete or not at all.
[[nodiscard]] Result<void> write_text(const std::filesystem::path& path, std::string_view text);

/// Whether write_text could write there now; leaves nothing behind but missing folders. For before long work.
[[nodiscard]] Result<void> check_writable(const std::filesystem::path& path);

}  // namespace ppgnn::io
