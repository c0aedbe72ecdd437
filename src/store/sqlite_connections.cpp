#include "store/sqlite_connections.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <thread>
#include <tuple>

#include "ppgnn/io/files.hpp"
#include "store/sqlite_form.hpp"

namespace ppgnn::store {

namespace {

constexpr int kBusyMilliseconds = 10'000;
constexpr int kWipeMilliseconds = 1'000;
constexpr std::uint32_t kLongLog = 1'000;  // pages

// Whether the file of this name is the one that is known; the first that is seen is.
template <class Which>
bool is_same(const std::string& path, std::optional<Which>& known) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return !known.has_value();
  if (!known) known = Which{status.st_dev, status.st_ino};
  return known->device == status.st_dev && known->number == status.st_ino;
}

}  // namespace

// The store's own file only through SQLite: whoever opens and closes it beside SQLite loses SQLite's locks.
Result<void> SqliteConnections::in_place(sqlite3* database, Files& known) const {
  int moved = 0;
  int code = sqlite3_file_control(database, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  if (code != SQLITE_OK) return error(code);
  const std::string path = sqlite3_db_filename(database, "main");  // where links lead to
  if (moved != 0 || !is_same(path + "-wal", known.log) || !is_same(path + "-shm", known.index)) {
    return Error{ErrorCode::io, where_ + ": was moved, replaced or removed while it was open: put it back, or restart"};
  }
  sqlite3_file* file = nullptr;
  code = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (code != SQLITE_OK) return error(code);
  constexpr std::string_view kBegins("SQLite format 3\0", 16);
  std::array<char, kBegins.size()> start{};
  sqlite3_int64 length = 0;
  code = file->pMethods->xFileSize(file, &length);
  if (code == SQLITE_OK && length > 0) code = file->pMethods->xRead(file, start.data(), start.size(), 0);
  if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ) return error(code);
  if (length < known.length || (length > 0 && std::string_view(start.data(), start.size()) != kBegins)) {
    return Error{ErrorCode::malformed, where_ + ": was cut or overwritten while it was open: restore it"};
  }
  known.length = length;
  return {};
}

Result<void> SqliteConnections::look_at_log(SqliteLog::Look look) {
  {
    Transaction transaction(database_.get());
    if (const int code = transaction.begin(); code != SQLITE_OK) return error(code);
    if (Result<void> there = in_place(database_.get(), written_); !there) return there;
    if (Result<void> sound = log_.look(where_, database_.get(), look); !sound) return sound;
    if (log_.frames() < copied_) copied_ = 0;
    // A reader may keep pages in the log; then it grows by a part before they are tried again.
    if (look == SqliteLog::Look::whole || log_.frames() < std::max(kLongLog, copied_ + copied_ / 4)) return {};
    if (Result<void> sound = log_.look(where_, database_.get(), SqliteLog::Look::whole); !sound) return sound;
  }
  copied_ = log_.frames();
  // Where it fails, all is in the log as before.
  static_cast<void>(sqlite3_wal_checkpoint_v2(database_.get(), "main", SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr));
  return {};
}

Result<void> SqliteConnections::look_if_touched() {
  const std::unique_lock lock(mutex_, std::try_to_lock);  // whoever writes looks
  // Nor within `alone`, whose transaction this one would end.
  if (!lock.owns_lock() || alone_ || !log_.was_touched(database_.get())) return {};
  sqlite3_busy_timeout(database_.get(), 0);
  Transaction transaction(database_.get());
  const int code = transaction.begin();
  sqlite3_busy_timeout(database_.get(), kBusyMilliseconds);
  return code == SQLITE_OK ? log_.look(where_, database_.get(), SqliteLog::Look::before) : Result<void>();
}

SqliteConnections::~SqliteConnections() {
  if (!database_) return;
  bool lost = false;
  try {
    static_cast<void>(look_if_touched());
    lost = log_.is_lost();
  } catch (const std::bad_alloc&) {
    lost = true;  // perhaps
  }
  if (!lost) return;
  // The last connection would copy what there is of the log into the store and remove it: the next start reads it better.
  for (const Database* one : {&database_, &reader_, &scanner_}) {
    if (*one) sqlite3_db_config(one->get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  }
}

Result<void> SqliteConnections::wipe() {
  {
    const std::lock_guard lock(mutex_);
    if (Result<void> sound = look_at_log(SqliteLog::Look::whole); !sound) return sound;
  }
  const std::lock_guard lock(scan_mutex_);
  // SQLite waits for readers, but not for a checkpoint of another handle.
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kWipeMilliseconds);
  while (true) {
    Statement checkpoint;
    int code = checkpoint.prepare(scanner_.get(), "PRAGMA wal_checkpoint(TRUNCATE)");
    if (code == SQLITE_OK) code = checkpoint.step();
    if (code != SQLITE_ROW) return error(code);
    if (checkpoint.number(0) == 0) return {};
    if (std::chrono::steady_clock::now() > end) return error(SQLITE_BUSY);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

Result<Database> SqliteConnections::connection(int flags, int patience) const {
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(path_.c_str(), &opened, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database(opened);
  if (code != SQLITE_OK) return error(code);
  sqlite3_extended_result_codes(database.get(), 1);
  sqlite3_busy_timeout(database.get(), patience);
  return database;
}

Result<void> SqliteConnections::connect(Opening opening) {
  // Names and reports are nobody else's: the file is made so that only its owner reads it, and the log beside it likewise.
  if (opening == Opening::create) ::close(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  Result<Database> opened =
      connection(SQLITE_OPEN_READWRITE | (opening == Opening::create ? SQLITE_OPEN_CREATE : 0), kBusyMilliseconds);
  if (!opened) return opened.error();
  database_ = std::move(opened).value();
  if (Result<void> ours = check_ours(opening); !ours) return ours;
  // Flushed at every commit; deleted content is overwritten; nothing goes from the log into the store before it was looked at.
  for (const char* sql :
       {"PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "PRAGMA secure_delete = ON",
        "PRAGMA trusted_schema = OFF", "PRAGMA cell_size_check = ON", "PRAGMA wal_autocheckpoint = 0"}) {
    if (const int code = execute(sql); code != SQLITE_OK) return error(code);
  }
  if (Result<void> migrated = migrate(database_.get(), kMigrations, where_); !migrated) return migrated;
  Result<Database> reader = connection(SQLITE_OPEN_READWRITE, kBusyMilliseconds);
  if (!reader) return reader.error();
  reader_ = std::move(reader).value();
  Result<Database> scanner = connection(SQLITE_OPEN_READWRITE, kWipeMilliseconds);
  if (!scanner) return scanner.error();
  scanner_ = std::move(scanner).value();
  const std::string of_one = std::string(kStanding) + " WHERE p.name = ?";
  for (const auto& [statement, database, sql] :
       {std::tuple{&open_round_, database_.get(), "SELECT round FROM progress WHERE open = 1"},
        {&insert_, database_.get(),
         "INSERT INTO reports(name, round, bytes) VALUES(?, ?, ?) ON CONFLICT(name) DO NOTHING"},
        {&present_, database_.get(), "SELECT bytes FROM reports WHERE name = ?"},
        {&count_, database_.get(), "UPDATE progress SET reports = reports + ?2 WHERE round = ?1"},
        {&generation_, reader_.get(), "SELECT generation FROM campaign"},
        {&reported_, reader_.get(), "SELECT 1 FROM reports WHERE name = ? AND bytes IS NOT NULL"},
        {&standing_, reader_.get(), of_one.c_str()},
        {&counts_, reader_.get(), "SELECT people, (SELECT erasures FROM campaign) FROM enrolled"},
        {&counts_by_round_, reader_.get(), "SELECT reports FROM progress ORDER BY round"}}) {
    if (const int code = statement->prepare(database, sql); code != SQLITE_OK) return error(code);
  }
  static_cast<void>(wipe());  // what somebody who was killed did not get to; who is asked again does it
  return {};
}

Result<void> SqliteConnections::copy_to(const std::filesystem::path& path) {
  Result<io::AtomicFile> file = io::AtomicFile::create(path);
  if (!file) return file.error();
  std::error_code wrong;  // names and reports are nobody else's
  std::filesystem::permissions(file->temporary(),
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_write, wrong);
  if (wrong) return Error{ErrorCode::io, path.string() + ": " + wrong.message()};
  {
    const std::lock_guard lock(read_mutex_);  // writing goes on
    Statement copy;
    int code = copy.prepare(reader_.get(), "VACUUM INTO ?");
    const std::string target = file->temporary().string();
    if (code == SQLITE_OK) code = copy.bind_text(1, target).run();
    if (code != SQLITE_OK) return sqlite_error(path.string(), code);
  }
  return file->commit();
}

Result<void> SqliteConnections::check_ours(Opening opening) {
  Statement read;
  int code =
      read.prepare(database_.get(),
                   "SELECT (SELECT application_id FROM pragma_application_id), (SELECT count(*) FROM sqlite_schema)");
  if (code == SQLITE_OK) code = read.step();
  if (code != SQLITE_ROW) return error(code);
  const bool empty = read.number(0) == 0 && read.number(1) == 0;
  if (read.number(0) == kApplication || (empty && opening == Opening::create)) return {};
  return Error{ErrorCode::malformed, where_ + ": not a store"};
}

}  // namespace ppgnn::store
