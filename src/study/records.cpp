#include "ppgnn/study/records.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <system_error>

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
  json["setting"] = ordered_json(record.setting);
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
    if (json.at("numerics").get<int>() != kNumerics) return record;
    record.key = json.at("key").get<std::string>();
    record.run = json.at("run").get<std::uint64_t>();
    record.setting = json.at("setting").get<std::map<std::string, std::string, std::less<>>>();
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

}  // namespace

std::string short_checksum(const Digest& checksum) {
  return to_hex(checksum).substr(0, 16);
}

std::string key_of(const Setting& canonical, const Digest& data_checksum) {
  return short_checksum(
      sha256("numerics " + std::to_string(kNumerics) + "\ndata " + to_hex(data_checksum) + '\n' + text_of(canonical)));
}

struct RecordStore::State {
  std::filesystem::path path;
  int descriptor = -1;
  int lock = -1;
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
    if (lock >= 0) ::close(lock);
  }

  // Reads what is there. Returns how many bytes are whole lines.
  Result<std::size_t> load() {
    if (!std::filesystem::exists(path)) return std::size_t{0};
    const Result<std::string> text = io::read_file(path);
    if (!text) return text.error();
    std::size_t start = 0;
    for (std::size_t number = 1;; ++number) {
      const std::size_t end = text->find('\n', start);
      if (end == std::string::npos) return start;
      std::optional<Record> record = parse_line(std::string_view(*text).substr(start, end - start));
      if (!record) return io::at_line(path.string(), number, "not a record of a study");
      if (!record->key.empty()) put(std::move(*record));
      start = end + 1;
    }
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
  const std::filesystem::path lock = folder / "lock";
  state->lock = ::open(lock.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
  if (state->lock < 0) return io_error(lock, "cannot be made");
  if (::flock(state->lock, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return io_error(lock, "cannot be locked");
    return Error{ErrorCode::mismatch, folder.string() + ": another process is working on this study"};
  }
  const Result<std::size_t> whole = state->load();
  if (!whole) return whole.error();
  state->descriptor = ::open(state->path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC | O_APPEND, 0644);
  if (state->descriptor < 0) return io_error(state->path, "cannot be written");
  if (::ftruncate(state->descriptor, static_cast<off_t>(*whole)) != 0) return io_error(state->path, "cannot be cut");
  return RecordStore(std::move(state));
}

Result<RecordStore> RecordStore::read(const std::filesystem::path& folder) {
  auto state = std::make_unique<State>();
  state->path = folder / "results.jsonl";
  if (!std::filesystem::exists(state->path)) {
    return Error{ErrorCode::io, state->path.string() + ": there are no results; see ppgnn study run"};
  }
  if (const Result<std::size_t> whole = state->load(); !whole) return whole.error();
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
  const std::string line = line_of(record);
  const std::lock_guard lock(state_->mutex);
  const off_t before = ::lseek(state_->descriptor, 0, SEEK_END);
  const auto fail = [&]() -> Error {
    Error error = io_error(state_->path, "cannot be written");
    // Half a line must not meet the next one.
    if (before < 0 || ::ftruncate(state_->descriptor, before) != 0) state_->broken = true;
    return error;
  };
  if (state_->broken) return Error{ErrorCode::io, state_->path.string() + ": a write failed before"};
  std::size_t written = 0;
  while (written < line.size()) {
    const ssize_t count = ::write(state_->descriptor, line.data() + written, line.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail();
    written += static_cast<std::size_t>(count);
  }
  if (::fdatasync(state_->descriptor) != 0) return fail();
  state_->put(record);
  state_->records[{record.key, record.run}].made_by = made_by(version(), kernels::instruction_set());
  return {};
}

}  // namespace ppgnn::study
