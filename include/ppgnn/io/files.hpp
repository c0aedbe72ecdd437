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

/// Files as the readers and the store need them: whole, mapped, or written so that nobody sees half of one.
namespace ppgnn::io {

/// malformed, as "name:line: what".
[[nodiscard]] Error at_line(std::string_view name, std::size_t line, std::string_view what);
/// malformed, as "name: byte offset: what".
[[nodiscard]] Error at_byte(std::string_view name, std::size_t offset, std::string_view what);
/// The same error with `name: ` before its message.
[[nodiscard]] Error in_file(std::string_view name, const Error& error);
/// io, with the system's reason for the current errno.
[[nodiscard]] Error system_error(std::string_view what, const std::filesystem::path& path);

/// All bytes of a regular file. Its memory is bounded by the file's length.
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& path);

/// A file that was read, with its path for messages.
struct LoadedFile {
  std::string name;
  std::string bytes;
  [[nodiscard]] NamedBytes view() const { return {name, bytes}; }
};

/// read_file of each path, in order; the first error ends it.
[[nodiscard]] Result<std::vector<LoadedFile>> read_files(std::span<const std::filesystem::path> paths);

/// A regular file mapped read-only until the last owner is gone.
///
/// Errors  A file that another process cuts short while it is mapped ends the process when the lost part is read
///         (SIGBUS): stored graphs are replaced by rename, never rewritten in place.
class MappedFile {
 public:
  [[nodiscard]] static Result<std::shared_ptr<const MappedFile>> open(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] std::span<const std::uint8_t> bytes() const noexcept { return bytes_; }

 private:
  explicit MappedFile(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  std::span<const std::uint8_t> bytes_;
};

/// A file that appears under its name only when it is complete. Until commit it has a temporary name in the same
/// folder, which goes away with this object.
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
