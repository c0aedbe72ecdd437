#pragma once

#include <sqlite3.h>
#include <sys/stat.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ppgnn/core/result.hpp"

namespace ppgnn::store {

/// The write-ahead log of an open store, as it must be. What was committed last stands there and nowhere else, and SQLite itself looks
/// at it only when it opens it: it writes on into a log that somebody cut or overwrote, and copies into the store what it finds there.
/// So each byte that was committed is kept in memory until the log begins anew, and what is missing is written back.
///
/// Errors   io for a log that is not as it was, whether or not it could be put back; those of the disk.
/// Threads  One at a time, inside a transaction that writes: nobody else changes the log then.
/// Source   https://www.sqlite.org/walformat.html
class SqliteLog {
 public:
  /// When it is looked at.
  enum class Look {
    before,  ///< we write: all of it, if the file's times are not those of the last look
    after,   ///< we wrote: what is new, how it begins and where the new begins; from time to time all of it
    whole,   ///< its pages are about to be copied into the store: every byte
  };
  [[nodiscard]] Result<void> look(const std::string& where, sqlite3* database, Look look);

  /// Whether the file's times or length are not those of the last look. Outside of a transaction: somebody else may just write.
  [[nodiscard]] bool was_touched(sqlite3* database) const;
  /// Whether the last look found less than there must be, and it could not be put back.
  [[nodiscard]] bool is_lost() const noexcept { return lost_; }
  /// Pages in it.
  [[nodiscard]] std::uint32_t frames() const noexcept { return frames_; }

  static constexpr std::size_t kMostKept = std::size_t{64}
                                           << 20;  ///< bytes; a longer log is looked at, and not put back

 private:
  /// SQLite's sum over all of the log up to a frame.
  struct Sum {
    std::uint32_t first = 0, second = 0;
    void add(const std::uint8_t* bytes, std::size_t size, bool big_endian) noexcept;
    friend bool operator==(const Sum&, const Sum&) = default;
  };
  /// What SQLite knows of the log: the beginning of its index, which all who have the store open share.
  struct Index {
    std::uint32_t page = 0, frames = 0;
    bool big_endian = false;
    Sum sum;
    std::array<std::uint8_t, 8> salts{};
    [[nodiscard]] int read(sqlite3_file* store);
  };

  /// Whether the bytes from here to there are those that are kept.
  [[nodiscard]] int compare(sqlite3_file* log, std::size_t from, std::size_t to, bool& same);
  [[nodiscard]] int put_back(sqlite3_file* log) const;
  /// Takes in what follows the frames that are known; `sound` says whether it is what the index says.
  [[nodiscard]] int take_in(sqlite3_file* log, const Index& index, bool& sound);
  void begin_anew(const Index& index);

  std::vector<std::uint8_t> bytes_;  // of the file, up to the last frame; empty where they are too many
  std::vector<std::uint8_t> piece_;
  std::array<std::uint8_t, 8> salts_{};
  std::uint32_t frames_ = 0;
  Sum sum_;
  struct stat seen_ {};
  std::chrono::steady_clock::time_point compared_;  // when all of it was
  bool lost_ = false;
};

}  // namespace ppgnn::store
