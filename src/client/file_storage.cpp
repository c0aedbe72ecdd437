// The only part of a device that touches files: a build for the browser leaves it out.
#include "ppgnn/client/file_storage.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "client/handle.hpp"

namespace ppgnn::client {

namespace {

constexpr mode_t kPrivate = 0600;  // the person's own

struct File {
  std::string path;
  std::string part;
  std::string lock;
  std::string folder;
  int locked = -1;
  const char* reason = "";

  // Keeps the system's sentence for errno.
  std::int32_t failed() noexcept {
    reason = std::strerror(errno);
    return -1;
  }
};

File& file_of(void* host) noexcept {
  return *static_cast<File*>(host);
}

int open_again(const char* path, int flags, mode_t mode = 0) noexcept {
  for (;;) {
    const int file = open(path, flags | O_CLOEXEC, mode);
    if (file >= 0 || errno != EINTR) return file;
  }
}

// Closes a file that matters no more, keeping errno of what failed before.
std::int32_t give_up(File& file, int descriptor) noexcept {
  file.failed();
  close(descriptor);
  return -1;
}

std::int32_t lock_file(void* host) noexcept {
  File& file = file_of(host);
  file.locked = open_again(file.lock.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW, kPrivate);
  if (file.locked < 0) return file.failed();
  while (flock(file.locked, LOCK_EX) != 0) {
    if (errno == EINTR) continue;
    const std::int32_t failed = give_up(file, file.locked);
    file.locked = -1;
    return failed;
  }
  return 0;
}

void unlock_file(void* host) noexcept {
  File& file = file_of(host);
  if (file.locked >= 0) close(file.locked);
  file.locked = -1;
}

// The file's name must survive a crash too.
std::int32_t sync_folder(File& file) noexcept {
  const int folder = open_again(file.folder.c_str(), O_RDONLY | O_DIRECTORY);
  if (folder < 0) return file.failed();
  if (fsync(folder) != 0) return give_up(file, folder);
  close(folder);
  return 0;
}

std::int64_t load_file(void* host, std::uint8_t* bytes, std::size_t capacity) noexcept {
  File& file = file_of(host);
  const int descriptor = open_again(file.path.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  if (descriptor < 0) return errno == ENOENT ? 0 : file.failed();
  struct stat status {};
  if (fstat(descriptor, &status) != 0) return give_up(file, descriptor);
  if (!S_ISREG(status.st_mode) || status.st_size == 0) {
    // An empty file is no ledger, and not the absence of one either.
    close(descriptor);
    file.reason = S_ISREG(status.st_mode) ? "the file is empty" : "not a regular file";
    return -1;
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  std::size_t done = 0;
  while (size <= capacity && done < size) {
    const ssize_t got = read(descriptor, bytes + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return give_up(file, descriptor);
    if (got == 0) {
      close(descriptor);
      file.reason = "the file was cut short";
      return -1;
    }
    done += static_cast<std::size_t>(got);
  }
  close(descriptor);
  // Whoever put it there may have been interrupted before its name was flushed: what is read here is acted on.
  return sync_folder(file) == 0 ? static_cast<std::int64_t>(size) : -1;
}

std::int32_t write_part(File& file, const std::uint8_t* bytes, std::size_t size) noexcept {
  unlink(file.part.c_str());  // of somebody who was killed; nobody else is here
  const int descriptor = open_again(file.part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, kPrivate);
  if (descriptor < 0) return file.failed();
  for (std::size_t done = 0; done < size;) {
    const ssize_t put = write(descriptor, bytes + done, size - done);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return give_up(file, descriptor);
    done += static_cast<std::size_t>(put);
  }
  if (fsync(descriptor) != 0) return give_up(file, descriptor);
  return close(descriptor) == 0 ? 0 : file.failed();
}

std::int32_t store_file(void* host, const std::uint8_t* bytes, std::size_t size) noexcept {
  File& file = file_of(host);
  if (write_part(file, bytes, size) != 0 || (rename(file.part.c_str(), file.path.c_str()) != 0 && file.failed() != 0)) {
    unlink(file.part.c_str());
    return -1;
  }
  return sync_folder(file);
}

const char* reason_of(void* host) noexcept {
  return file_of(host).reason;
}

void release_file(void* host) noexcept {
  unlock_file(host);
  delete &file_of(host);
}

}  // namespace

Result<Storage> file_storage(std::string_view path) {
  if (path.empty() || path.back() == '/' || path.find('\0') != std::string_view::npos) {
    return Error{ErrorCode::invalid_argument, "ledger: its path names no file"};
  }
  auto* file = new File;
  file->path = path;
  file->part = file->path + ".part";
  file->lock = file->path + ".lock";
  const std::size_t slash = path.rfind('/');
  file->folder = slash == std::string_view::npos ? "." : slash == 0 ? "/" : std::string(path.substr(0, slash));
  return Storage{.host = file,
                 .load = load_file,
                 .store = store_file,
                 .lock = lock_file,
                 .unlock = unlock_file,
                 .counter = nullptr,
                 .raise = nullptr,
                 .reason = reason_of,
                 .release = release_file};
}

}  // namespace ppgnn::client

int ppgnn_use_ledger_file(ppgnn_client* client, const char* path) {
  const auto storage = ppgnn::client::file_storage(path == nullptr ? std::string_view() : std::string_view(path));
  return storage ? ppgnn_use_ledger(client, &*storage) : client->fail(storage.error());
}
