#include "ppgnn/io/files.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace ppgnn::io {

namespace fs = std::filesystem;

namespace {

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const noexcept { return value_; }

 private:
  int value_;
};

// Length of an open regular file; anything else (a folder, a device that never ends) is refused.
Result<std::size_t> regular_size(const Descriptor& file, const fs::path& path) {
  if (file.get() < 0) return system_error("cannot open", path);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return system_error("cannot open", path);
  if (!S_ISREG(status.st_mode)) return Error{ErrorCode::io, "cannot read " + path.string() + ": not a regular file"};
  return static_cast<std::size_t>(status.st_size);
}

}  // namespace

Error at_line(std::string_view name, std::size_t line, std::string_view what) {
  return {ErrorCode::malformed, std::string(name) + ':' + std::to_string(line) + ": " + std::string(what)};
}

Error at_byte(std::string_view name, std::size_t offset, std::string_view what) {
  return {ErrorCode::malformed, std::string(name) + ": byte " + std::to_string(offset) + ": " + std::string(what)};
}

Error in_file(std::string_view name, const Error& error) {
  return {error.code, std::string(name) + ": " + error.message};
}

Error system_error(std::string_view what, const fs::path& path) {
  const std::string reason = std::generic_category().message(errno);
  return {ErrorCode::io, std::string(what) + ' ' + path.string() + ": " + reason};
}

Result<std::string> read_file(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const auto size = regular_size(file, path);
  if (!size) return size.error();
  std::string bytes(*size, '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::read(file.get(), bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("cannot read", path);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

Result<std::vector<LoadedFile>> read_files(std::span<const fs::path> paths) {
  std::vector<LoadedFile> files;
  for (const fs::path& path : paths) {
    auto bytes = read_file(path);
    if (!bytes) return bytes.error();
    files.push_back({path.string(), std::move(*bytes)});
  }
  return files;
}

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const auto size = regular_size(file, path);
  if (!size) return size.error();
  if (*size == 0) return std::shared_ptr<const MappedFile>(new MappedFile({}));  // an empty range cannot be mapped
  void* start = ::mmap(nullptr, *size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file.get(), 0);
  if (start == MAP_FAILED) return system_error("cannot map", path);
  return std::shared_ptr<const MappedFile>(new MappedFile({static_cast<const std::uint8_t*>(start), *size}));
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::uint8_t*>(bytes_.data()), bytes_.size());
}

Result<AtomicFile> AtomicFile::create(const fs::path& asked) {
  std::error_code failed;
  // The rename at the end would replace a link, a device or a pipe by a file: a link is followed, the rest refused.
  fs::path path = asked;
  if (fs::is_symlink(fs::symlink_status(asked, failed))) {
    path = fs::canonical(asked, failed);
    if (failed) return Error{ErrorCode::io, "cannot write " + asked.string() + ": it is a link to nothing"};
  }
  if (const fs::file_status there = fs::status(path, failed); fs::exists(there) && !fs::is_regular_file(there)) {
    return Error{ErrorCode::io, "cannot write " + asked.string() + ": it is " +
                                    (fs::is_directory(there) ? "a folder" : "no regular file")};
  }
  failed.clear();
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), failed);
  if (failed) return Error{ErrorCode::io, "cannot create " + path.parent_path().string() + ": " + failed.message()};
  std::string temporary = path.string() + ".part-XXXXXX";
  const int descriptor = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (descriptor < 0) return system_error("cannot create", temporary);
  return AtomicFile(path, std::move(temporary), descriptor);
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)),
      descriptor_(std::exchange(other.descriptor_, -1)) {
  other.temporary_.clear();
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Result<void> AtomicFile::write(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(descriptor_, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return system_error("cannot write", temporary_);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
  return {};
}

Result<void> AtomicFile::commit() {
  // A temporary file is private to its maker; the finished one is as readable as any other new file.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  if (::fchmod(descriptor_, 0666 & ~mask) != 0 || ::fsync(descriptor_) != 0) {
    return system_error("cannot write", temporary_);
  }
  ::close(std::exchange(descriptor_, -1));
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return system_error("cannot create", path_);
  temporary_.clear();
  // The rename itself must reach the disk; some file systems cannot sync a folder, which is no reason to fail.
  const fs::path folder = path_.has_parent_path() ? path_.parent_path() : fs::path(".");
  const Descriptor parent(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (parent.get() >= 0) ::fsync(parent.get());
  return {};
}

Result<void> write_text(const fs::path& path, std::string_view text) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return file.error();
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  if (Result<void> written = file->write(bytes); !written) return written;
  return file->commit();
}

Result<void> check_writable(const fs::path& path) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return file.error();
  return {};
}

}  // namespace ppgnn::io
