#include "ppgnn/io/files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <system_error>

#include "ppgnn/core/sha256.hpp"

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

// To be read. A pipe without a writer must not keep us waiting; of a regular file O_NONBLOCK changes nothing.
int open_to_read(const fs::path& path) {
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

// Length of an open regular file; anything else (a folder, a pipe, a device that never ends) is refused before a read.
Result<std::size_t> regular_size(const Descriptor& file, const fs::path& path) {
  if (file.get() < 0) return system_error("cannot open", path);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return system_error("cannot open", path);
  if (!S_ISREG(status.st_mode)) return Error{ErrorCode::io, "cannot read " + path.string() + ": not a regular file"};
  return static_cast<std::size_t>(status.st_size);
}

// Reads until `bytes` is full or the file ends; how many there were.
Result<std::size_t> fill(int file, std::span<std::uint8_t> bytes, const fs::path& path) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::read(file, bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("cannot read", path);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

std::span<std::uint8_t> bytes_of(std::string& text) {
  return {reinterpret_cast<std::uint8_t*>(text.data()), text.size()};
}

// Temporary files are called .NAME.ppgnn.part-0123456789abcdef, and locked as long as their process lives.
constexpr std::string_view kPart = ".ppgnn.part-";
constexpr std::size_t kPartDigits = 16;

Result<std::string> temporary_name(const std::string& name) {
  std::array<std::uint8_t, kPartDigits / 2> random{};
  if (::getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size())) {
    return Error{ErrorCode::io, "no random number for a temporary name"};
  }
  // The longest name that a file can have leaves no room for the rest.
  return '.' + name.substr(0, 200) + std::string(kPart) + to_hex(random);
}

bool is_temporary_name(std::string_view name) {
  if (!name.starts_with('.') || name.size() < kPart.size() + kPartDigits) return false;
  const std::string_view digits = name.substr(name.size() - kPartDigits);
  return digits.find_first_not_of("0123456789abcdef") == std::string_view::npos &&
         name.substr(0, name.size() - kPartDigits).ends_with(kPart);
}

// What killed processes left in a folder: a temporary whose lock can be had belongs to nobody any more.
void remove_stale(const fs::path& folder) {
  // Not by std::filesystem::directory_iterator: that of libstdc++ ends the process where memory does.
  const std::unique_ptr<DIR, int (*)(DIR*)> names(::opendir(folder.c_str()), ::closedir);
  while (const dirent* entry = names == nullptr ? nullptr : ::readdir(names.get())) {
    if (!is_temporary_name(entry->d_name)) continue;
    const fs::path path = folder / entry->d_name;
    const Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
    struct stat status {};
    if (file.get() < 0 || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0 && is_named(file.get(), path)) ::unlink(path.c_str());
  }
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

bool is_named(int file, const fs::path& path) noexcept {
  struct stat here {};
  struct stat there {};
  return ::fstat(file, &here) == 0 && ::stat(path.c_str(), &there) == 0 && here.st_dev == there.st_dev &&
         here.st_ino == there.st_ino;
}

bool is_standard_input(const fs::path& path) {
  return path == "-";
}

std::string input_name(const fs::path& path) {
  return is_standard_input(path) ? "standard input" : path.string();
}

Result<std::string> read_file(const fs::path& path) {
  const Descriptor file(open_to_read(path));
  const auto size = regular_size(file, path);
  if (!size) return size.error();
  std::string bytes(*size, '\0');
  const Result<std::size_t> done = fill(file.get(), bytes_of(bytes), path);
  if (!done) return done.error();
  bytes.resize(*done);
  return bytes;
}

Result<std::string> read_input(const fs::path& path) {
  if (!is_standard_input(path)) return read_file(path);
  std::string bytes;
  for (std::size_t size = std::size_t{1} << 16; bytes.size() < kMaxStandardInput; size = 2 * bytes.size()) {
    const std::size_t before = bytes.size();
    bytes.resize(std::min(size, kMaxStandardInput));
    const Result<std::size_t> done = fill(STDIN_FILENO, bytes_of(bytes).subspan(before), input_name(path));
    if (!done) return done.error();
    if (before + *done == bytes.size()) continue;
    bytes.resize(before + *done);
    return bytes;
  }
  return Error{ErrorCode::io,
               input_name(path) + ": more than " + std::to_string(kMaxStandardInput) + " bytes; use a file instead"};
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

Result<std::shared_ptr<const WholeFile>> WholeFile::read(const fs::path& path) {
  const Descriptor file(open_to_read(path));
  const auto size = regular_size(file, path);
  if (!size) return size.error();
  if (*size == 0) return std::shared_ptr<const WholeFile>(new WholeFile({}, 0));  // an empty range cannot be mapped
  void* start = ::mmap(nullptr, *size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return system_error("no memory for", path);
  const std::span<std::uint8_t> room(static_cast<std::uint8_t*>(start), *size);
  const std::shared_ptr<WholeFile> whole(new WholeFile(room, room.size()));
  const Result<std::size_t> done = fill(file.get(), room, path);
  if (!done) return done.error();
  ::mprotect(start, *size, PROT_READ);
  whole->bytes_ = room.first(*done);
  return std::shared_ptr<const WholeFile>(whole);
}

WholeFile::~WholeFile() {
  if (room_ > 0) ::munmap(const_cast<std::uint8_t*>(bytes_.data()), room_);
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
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  remove_stale(folder);
  struct stat before {};
  const bool replaces = ::stat(path.c_str(), &before) == 0;
  for (int attempt = 0; attempt < 100; ++attempt) {
    const Result<std::string> name = temporary_name(path.filename().string());
    if (!name) return name.error();
    fs::path temporary = path.has_parent_path() ? path.parent_path() / *name : fs::path(*name);
    // The kernel takes the umask off. What replaces a file that few may read is never readable for more.
    const mode_t mode = replaces ? before.st_mode & 0666 : 0666;
    const int descriptor = ::open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor < 0 && errno == EEXIST) continue;
    if (descriptor < 0) return system_error("cannot create", path);
    AtomicFile file(path, temporary.string(), descriptor);
    // Between the two calls another process may have taken the file for a stale one: then there is another name.
    ::flock(descriptor, LOCK_EX | LOCK_NB);
    if (is_named(descriptor, temporary)) return file;
    file.temporary_.clear();
  }
  return Error{ErrorCode::io, "cannot create a temporary file for " + asked.string()};
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)),
      descriptor_(std::exchange(other.descriptor_, -1)) {
  other.temporary_.clear();
}

AtomicFile::~AtomicFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<void> AtomicFile::write(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(descriptor_, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return system_error("cannot write", path_);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
  return {};
}

Result<void> AtomicFile::commit() {
  struct stat before {};
  const bool keeps = ::stat(path_.c_str(), &before) == 0 && S_ISREG(before.st_mode);
  if ((keeps && ::fchmod(descriptor_, before.st_mode & 07777) != 0) || ::fsync(descriptor_) != 0) {
    return system_error("cannot write", path_);
  }
  // Closed, and so unlocked, only when it has its name.
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return system_error("cannot create", path_);
  temporary_.clear();
  ::close(std::exchange(descriptor_, -1));
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
