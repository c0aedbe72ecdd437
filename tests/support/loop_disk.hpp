#pragma once

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "support/temporary_folder.hpp"

namespace ppgnn::test {

/// A disk of its own: ext4 in a file, mounted by a loop device. Its power can be cut: whatever no flush carried to it is gone, as the
/// file system's own emergency stop leaves it (EXT4_IOC_SHUTDOWN without a flush of the journal), and the next mount recovers from
/// its journal. What was flushed reaches the file below in order; a disk that loses what it said to have flushed is not played.
/// Needs root and the right to mount; without it there is only an ordinary folder.
class LoopDisk {
 public:
  explicit LoopDisk(std::uint64_t megabytes) {
    std::filesystem::create_directory(folder());
    const std::string image = (outer_ / "image").string();
    there_ = ::geteuid() == 0 &&
             shell("truncate -s " + std::to_string(megabytes) + "M " + image + " && mkfs.ext4 -q -m 0 " + image) &&
             mount();
  }
  ~LoopDisk() {
    if (there_) static_cast<void>(shell("umount -l " + folder().string()));
  }
  LoopDisk(const LoopDisk&) = delete;
  LoopDisk& operator=(const LoopDisk&) = delete;

  /// Whether it is a disk of its own.
  [[nodiscard]] bool there() const { return there_; }
  [[nodiscard]] std::filesystem::path folder() const { return outer_ / "disk"; }
  /// From now on nothing reaches it.
  [[nodiscard]] bool cut() const {
    const int file = ::open(folder().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    std::uint32_t without_flush = 2;
    const bool done = ::ioctl(file, _IOR('X', 125, std::uint32_t), &without_flush) == 0;
    ::close(file);
    return done;
  }
  /// Power again. Nobody may have a file of it open.
  [[nodiscard]] bool restore() const { return shell("umount " + folder().string()) && mount(); }

 private:
  [[nodiscard]] static bool shell(const std::string& command) {
    return std::system(("(" + command + ") 2>/dev/null").c_str()) == 0;
  }
  [[nodiscard]] bool mount() const {
    return shell("mount -o loop " + (outer_ / "image").string() + ' ' + folder().string());
  }

  TemporaryFolder outer_;
  bool there_ = false;
};

}  // namespace ppgnn::test
