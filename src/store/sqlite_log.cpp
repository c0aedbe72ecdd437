#include "store/sqlite_log.hpp"

#include <algorithm>
#include <cstring>

#include "store/sqlite.hpp"

namespace ppgnn::store {

namespace {

constexpr std::size_t kHeader = 32;
constexpr std::size_t kFrameHeader = 24;
constexpr std::size_t kPiece = std::size_t{1} << 16;  // SQLite's own reading and writing takes less than twice as much
constexpr auto kOften = std::chrono::milliseconds(20);
constexpr int kIndexBytes = 32'768;  // SQLite maps the index in pieces of this size

std::uint32_t big_endian_number(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
}
std::uint32_t little_endian_number(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[3]} << 24 | std::uint32_t{bytes[2]} << 16 | std::uint32_t{bytes[1]} << 8 | bytes[0];
}

sqlite3_file* file_of(sqlite3* database, int which) {
  sqlite3_file* file = nullptr;
  if (sqlite3_file_control(database, "main", which, &file) != SQLITE_OK) return nullptr;
  return file == nullptr || file->pMethods == nullptr ? nullptr : file;
}

struct stat status_of(sqlite3* database) {
  struct stat status {};
  if (::stat((std::string(sqlite3_db_filename(database, "main")) + "-wal").c_str(), &status) != 0) status = {};
  return status;
}

bool is_same(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}
bool is_same(const struct stat& a, const struct stat& b) {
  return a.st_ino == b.st_ino && a.st_dev == b.st_dev && a.st_size == b.st_size && is_same(a.st_mtim, b.st_mtim) &&
         is_same(a.st_ctim, b.st_ctim);
}

// What is not there any more is no error, but zeros.
int read(sqlite3_file* file, std::uint8_t* to, std::size_t size, std::size_t at) {
  const int code = file->pMethods->xRead(file, to, static_cast<int>(size), static_cast<sqlite3_int64>(at));
  return code == SQLITE_IOERR_SHORT_READ ? SQLITE_OK : code;
}

}  // namespace

void SqliteLog::Sum::add(const std::uint8_t* bytes, std::size_t size, bool big_endian) noexcept {
  const auto run = [&](auto number) {
    std::uint32_t a = first;
    std::uint32_t b = second;
    for (std::size_t i = 0; i < size; i += 8) {
      a += number(bytes + i) + b;
      b += number(bytes + i + 4) + a;
    }
    first = a;
    second = b;
  };
  return big_endian ? run(big_endian_number) : run(little_endian_number);
}

int SqliteLog::Index::read(sqlite3_file* store) {
  // Through SQLite: whoever opens and closes the index beside it loses its locks.
  void volatile* mapped = nullptr;
  const int code = store->pMethods->xShmMap(store, 0, kIndexBytes, 0, &mapped);
  if (code != SQLITE_OK || mapped == nullptr) return code;
  const auto* bytes = static_cast<const std::uint8_t*>(const_cast<const void*>(mapped));
  std::uint16_t size = 0;
  std::memcpy(&size, bytes + 14, sizeof size);
  page = size == 1 ? 65'536 : size;
  big_endian = bytes[13] != 0;
  std::memcpy(&frames, bytes + 16, sizeof frames);
  std::memcpy(&sum.first, bytes + 24, sizeof sum.first);
  std::memcpy(&sum.second, bytes + 28, sizeof sum.second);
  std::memcpy(salts.data(), bytes + 32, salts.size());
  return SQLITE_OK;
}

void SqliteLog::begin_anew(const Index& index) {
  if (bytes_.capacity() > kMostKept / 4) bytes_ = {};
  bytes_.clear();
  salts_ = index.salts;
  frames_ = 0;
  sum_ = {};
}

int SqliteLog::compare(sqlite3_file* log, std::size_t from, std::size_t to, bool& same) {
  for (std::size_t at = from; at < to && same; at += kPiece) {
    piece_.resize(std::min(kPiece, to - at));
    if (const int code = read(log, piece_.data(), piece_.size(), at); code != SQLITE_OK) return code;
    same = std::memcmp(piece_.data(), bytes_.data() + at, piece_.size()) == 0;
  }
  return SQLITE_OK;
}

int SqliteLog::put_back(sqlite3_file* log) const {
  int code = SQLITE_OK;
  for (std::size_t at = 0; at < bytes_.size() && code == SQLITE_OK; at += kPiece) {
    const auto size = static_cast<int>(std::min(kPiece, bytes_.size() - at));
    code = log->pMethods->xWrite(log, bytes_.data() + at, size, static_cast<sqlite3_int64>(at));
  }
  return code == SQLITE_OK ? log->pMethods->xSync(log, SQLITE_SYNC_NORMAL) : code;
}

int SqliteLog::take_in(sqlite3_file* log, const Index& index, bool& sound) {
  const std::size_t frame = kFrameHeader + index.page;
  const bool keep = kHeader + frame * index.frames <= kMostKept && (frames_ == 0 || !bytes_.empty());
  if (!keep) bytes_ = {};
  if (frames_ == 0) {
    piece_.resize(kHeader);
    if (const int code = read(log, piece_.data(), kHeader, 0); code != SQLITE_OK) return code;
    constexpr std::uint32_t kMagic = 0x377f'0682;
    Sum sum;
    sum.add(piece_.data(), 24, index.big_endian);
    sound = (big_endian_number(piece_.data()) ^ kMagic) == (index.big_endian ? 1U : 0U) &&
            big_endian_number(&piece_[8]) == index.page &&
            std::equal(index.salts.begin(), index.salts.end(), piece_.begin() + 16) &&
            Sum{big_endian_number(&piece_[24]), big_endian_number(&piece_[28])} == sum;
    if (!sound) return SQLITE_OK;
    sum_ = sum;
    if (keep) bytes_ = piece_;
  }
  // What was found to be right is known from then on, whatever follows.
  while (frames_ < index.frames) {
    const std::size_t count = std::min<std::size_t>(std::max<std::size_t>(1, kPiece / frame), index.frames - frames_);
    piece_.resize(count * frame);
    if (const int code = read(log, piece_.data(), piece_.size(), kHeader + frame * frames_); code != SQLITE_OK) {
      return code;
    }
    Sum sum = sum_;
    for (std::size_t at = 0; sound && at < piece_.size(); at += frame) {
      const std::uint8_t* one = &piece_[at];
      sum.add(one, 8, index.big_endian);
      sum.add(one + kFrameHeader, index.page, index.big_endian);
      sound = std::equal(index.salts.begin(), index.salts.end(), one + 8) &&
              Sum{big_endian_number(one + 16), big_endian_number(one + 20)} == sum;
    }
    if (!sound) return SQLITE_OK;
    if (keep) bytes_.insert(bytes_.end(), piece_.begin(), piece_.end());
    sum_ = sum;
    frames_ += static_cast<std::uint32_t>(count);
  }
  sound = sum_ == index.sum;
  return SQLITE_OK;
}

Result<void> SqliteLog::look(const std::string& where, sqlite3* database, Look look) {
  sqlite3_file* store = file_of(database, SQLITE_FCNTL_FILE_POINTER);
  sqlite3_file* log = file_of(database, SQLITE_FCNTL_JOURNAL_POINTER);
  if (store == nullptr || log == nullptr) return {};  // nothing was written yet
  Index index;
  int code = index.read(store);
  if (code != SQLITE_OK) return sqlite_error(where, code);
  const auto now = std::chrono::steady_clock::now();
  const struct stat status = status_of(database);
  bool all = look == Look::whole || (look == Look::before && !is_same(status, seen_));
  if (index.salts != salts_ || (all && bytes_.empty())) begin_anew(index);  // a log that is used again has other salts
  all = all || now - compared_ > kOften;
  bool same = true;
  if (!bytes_.empty() && all) {
    code = compare(log, 0, bytes_.size(), same);
    compared_ = now;
  } else if (!bytes_.empty() && look == Look::after) {
    code = compare(log, 0, kHeader, same);
    const std::size_t last = bytes_.size() - std::min(bytes_.size(), kFrameHeader + index.page);
    if (code == SQLITE_OK && same) code = compare(log, last, bytes_.size(), same);
  }
  if (code == SQLITE_OK && !same) code = put_back(log);
  bool sound = index.frames >= frames_;
  if (code == SQLITE_OK && sound && index.frames > 0) code = take_in(log, index, sound);
  lost_ = !sound;
  constexpr struct stat nothing {};
  seen_ = lost_ || code != SQLITE_OK ? nothing : same ? status : status_of(database);
  if (code != SQLITE_OK) return sqlite_error(where, code);
  if (lost_) {
    return Error{ErrorCode::io, where + ": its log, -wal, was cut or overwritten while it was open: restart, which " +
                                    "keeps what can still be read, and see that nothing else writes there"};
  }
  if (same) return {};
  return Error{ErrorCode::io, where + ": its log, -wal, was cut or overwritten while it was open, and was put back " +
                                  "as it was: see that nothing else writes there"};
}

bool SqliteLog::was_touched(sqlite3* database) const {
  return !is_same(status_of(database), seen_);
}

}  // namespace ppgnn::store
