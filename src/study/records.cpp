#include "ppgnn/study/records.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <system_error>

#include "ppgnn/core/text.hpp"
#include "ppgnn/core/version.hpp"
#include "ppgnn/io/files.hpp"
#include "ppgnn/kernels/instruction_set.hpp"

namespace ppgnn::study {

namespace {

using nlohmann::ordered_json;

Error io_error(const std::filesystem::path& path, const char* what) {
  return {ErrorCode::io, path.string() + ": " + what + ": " + std::strerror(errno)};
}

std::string made_by(const std::string& version, const std::string& instruction_set) {
  return version + ", instruction set " + instruction_set;
}

std::string line_of(const Record& record) {
  ordered_json json{{"key", record.key}, {"run", record.run}, {"numerics", kNumerics}};
  json["setting"] = ordered_json::object();
  for (const auto& [factor, value] : record.setting) json["setting"][factor] = to_utf8(value);
  json["metrics"] = ordered_json(record.metrics);
  json["seconds"] = record.seconds;
  json["data_checksum"] = record.data;
  json["instruction_set"] = kernels::instruction_set();
  json["version"] = version();
  return json.dump() + '\n';
}

// Nothing when the line is not a record; a record of other numerics has an empty key.
std::optional<Record> parse_line(std::string_view line) {
  const ordered_json json = ordered_json::parse(line, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  Record record;
  try {
    if (!json.at("numerics").is_number_integer()) return std::nullopt;
    if (json.at("numerics").get<std::int64_t>() != kNumerics) return record;
    if (!json.at("run").is_number_unsigned()) return std::nullopt;
    record.key = json.at("key").get<std::string>();
    record.run = json.at("run").get<std::uint64_t>();
    record.setting = json.at("setting").get<std::map<std::string, std::string, std::less<>>>();
    for (auto& [factor, value] : record.setting) value = factor == "method" ? current_name(value) : from_utf8(value);
    record.metrics = json.at("metrics").get<std::map<std::string, double>>();
    record.seconds = json.at("seconds").get<double>();
    record.data = json.value("data_checksum", "");
    record.made_by = made_by(json.at("version").get<std::string>(), json.at("instruction_set").get<std::string>());
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
  if (record.key.empty()) return std::nullopt;
  return record;
}

// The whole of `bytes`, to the disk.
bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(file, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return ::fdatasync(file) == 0;
}

}  // namespace

std::filesystem::path damaged_file(const std::filesystem::path& folder) {
  return folder / "results.damaged";
}

std::string short_checksum(const Digest& checksum) {
  return to_hex(checksum).substr(0, 16);
}

std::string key_of(const Setting& canonical, const Digest& data_checksum) {
  // Keys are made of the first name that a method had, so that records stay those of their settings.
  Setting first = canonical;
  for (const FormerName& former : kFormerNames) {
    if (value_of(canonical, "method") == former.now) first["method"] = former.name;
  }
  return short_checksum(
      sha256("numerics " + std::to_string(kNumerics) + "\ndata " + to_hex(data_checksum) + '\n' + text_of(first)));
}

RecordLines parse_records(std::string_view text) {
  RecordLines lines;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n', lines.whole)) {
    const std::string_view line = text.substr(lines.whole, end - lines.whole);
    if (line.find_first_not_of(" \r\t") != std::string_view::npos) {
      std::optional<Record> record = parse_line(line);
      if (!record) {
        lines.damaged.push_back({lines.whole, line.size()});
      } else if (!record->key.empty()) {
        lines.records.push_back(std::move(*record));
        lines.places.push_back({lines.whole, line.size()});
      } else {
        ++lines.other;
      }
    }
    lines.whole = end + 1;
  }
  return lines;
}

struct RecordStore::State {
  std::filesystem::path path;
  int descriptor = -1;  // locked
  std::size_t damaged = 0;
  bool broken = false;  // half a line may be there
  std::mutex mutex;
  std::map<std::pair<std::string, std::uint64_t>, Record> records;
  std::map<std::string, std::string> keys;  // of settings

  void put(Record record) {
    keys[text_of(record.setting)] = record.key;
    auto place = std::pair(record.key, record.run);
    records.insert_or_assign(std::move(place), std::move(record));
  }

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (descriptor >= 0) ::close(descriptor);
  }

  // Opens the results file and locks it, whatever else is in the folder.
  Result<void> lock() {
    for (int attempt = 0; attempt < 100; ++attempt) {
      descriptor = ::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC | O_APPEND | O_NONBLOCK, 0644);
      if (descriptor < 0) return io_error(path, "cannot be written");
      if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) return io_error(path, "cannot be locked");
        return Error{ErrorCode::mismatch, path.parent_path().string() + ": another process is working on this study"};
      }
      if (io::is_named(descriptor, path)) return {};
      ::close(std::exchange(descriptor, -1));  // somebody removed or replaced it meanwhile: what is there now counts
    }
    return Error{ErrorCode::io, path.string() + ": cannot be locked: it is replaced again and again"};
  }

  // Reads what is there into the store.
  Result<RecordLines> load(std::string& text) {
    if (!std::filesystem::exists(path)) return RecordLines{};
    Result<std::string> read = io::read_file(path);
    if (!read) return read.error();
    text = std::move(read).value();
    RecordLines lines = parse_records(text);
    for (Record& record : lines.records) put(std::move(record));
    damaged = lines.damaged.size();
    return lines;
  }

  // Copies damaged lines to a file of their own, then blanks them where they were: the locked file stays the same one,
  // and whatever moment this ends at, each line is in one of the two files.
  Result<void> set_aside(const RecordLines& lines, std::string_view text) const {
    if (lines.damaged.empty()) return {};
    const std::filesystem::path aside = damaged_file(path.parent_path());
    std::string all;
    for (const RecordLines::Place& place : lines.damaged) all.append(text.substr(place.start, place.size)) += '\n';
    const int copies = ::open(aside.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC | O_APPEND | O_NONBLOCK, 0644);
    const bool kept = copies >= 0 && write_all(copies, all);
    const Error not_kept = io_error(aside, "cannot be written");
    if (copies >= 0) ::close(copies);
    if (!kept) return not_kept;
    const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);  // O_APPEND would write at the end
    bool blank = file >= 0;
    for (const RecordLines::Place& place : lines.damaged) {
      blank = blank && ::lseek(file, static_cast<off_t>(place.start), SEEK_SET) >= 0 &&
              write_all(file, std::string(place.size, ' '));
    }
    const Error not_blank = io_error(path, "cannot be written");
    if (file >= 0) ::close(file);
    if (!blank) return not_blank;
    return {};
  }
};

RecordStore::RecordStore(std::unique_ptr<State> state) : state_(std::move(state)) {}
RecordStore::RecordStore(RecordStore&&) noexcept = default;
RecordStore& RecordStore::operator=(RecordStore&&) noexcept = default;
RecordStore::~RecordStore() = default;

Result<RecordStore> RecordStore::open(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) return Error{ErrorCode::io, folder.string() + ": cannot be made: " + failed.message()};
  auto state = std::make_unique<State>();
  state->path = folder / "results.jsonl";
  if (Result<void> locked = state->lock(); !locked) return locked.error();
  std::string text;
  const Result<RecordLines> lines = state->load(text);
  if (!lines) return lines.error();
  if (Result<void> aside = state->set_aside(*lines, text); !aside) return aside.error();
  if (::ftruncate(state->descriptor, static_cast<off_t>(lines->whole)) != 0)
    return io_error(state->path, "cannot be cut");
  return RecordStore(std::move(state));
}

Result<RecordStore> RecordStore::read(const std::filesystem::path& folder) {
  auto state = std::make_unique<State>();
  state->path = folder / "results.jsonl";
  if (!std::filesystem::exists(state->path)) {
    return Error{ErrorCode::io, state->path.string() + ": there are no results; see ppgnn study run"};
  }
  std::string text;
  if (const Result<RecordLines> lines = state->load(text); !lines) return lines.error();
  return RecordStore(std::move(state));
}

const Record* RecordStore::find(const std::string& key, std::uint64_t run) const {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->records.find({key, run});
  return found == state_->records.end() ? nullptr : &found->second;
}

std::string RecordStore::key_of_setting(const Setting& canonical) const {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->keys.find(text_of(canonical));
  return found == state_->keys.end() ? std::string() : found->second;
}

std::size_t RecordStore::size() const {
  const std::lock_guard lock(state_->mutex);
  return state_->records.size();
}

std::size_t RecordStore::damaged() const noexcept {
  return state_->damaged;
}

std::set<std::string> RecordStore::mixed_data() const {
  const std::lock_guard lock(state_->mutex);
  std::map<std::string, std::string> contents;
  std::set<std::string> mixed;
  for (const auto& [place, record] : state_->records) {
    if (record.data.empty()) continue;  // of a version that did not record it
    const std::string name = value_of(record.setting, "data");
    const auto [found, added] = contents.emplace(name, record.data);
    if (!added && found->second != record.data) mixed.insert(name);
  }
  return mixed;
}

Result<void> RecordStore::append(const Record& record) {
  Record made = record;
  made.made_by = made_by(version(), kernels::instruction_set());
  RecordLines lines;
  lines.records.push_back(std::move(made));
  return append(line_of(record), std::move(lines));
}

Result<void> RecordStore::append(std::string_view text, RecordLines lines) {
  const std::lock_guard lock(state_->mutex);
  const off_t before = ::lseek(state_->descriptor, 0, SEEK_END);
  const auto fail = [&]() -> Error {
    Error error = io_error(state_->path, "cannot be written");
    // Half a line must not meet the next one.
    if (before < 0 || ::ftruncate(state_->descriptor, before) != 0) state_->broken = true;
    return error;
  };
  if (state_->broken) return Error{ErrorCode::io, state_->path.string() + ": a write failed before"};
  if (!io::is_named(state_->descriptor, state_->path)) {
    return Error{ErrorCode::io, state_->path.string() + ": was removed or replaced while this study was running"};
  }
  if (!write_all(state_->descriptor, text)) return fail();
  for (Record& record : lines.records) state_->put(std::move(record));
  return {};
}

}  // namespace ppgnn::study
