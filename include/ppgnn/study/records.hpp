#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/core/sha256.hpp"
#include "ppgnn/study/setting.hpp"

namespace ppgnn::study {

/// Counted up by hand when a change of the code changes results; records of another number are not used.
inline constexpr int kNumerics = 5;

/// The first 16 digits of a checksum.
[[nodiscard]] std::string short_checksum(const Digest& checksum);

/// What identifies a setting on a data set: the first 16 digits of a SHA-256 over the canonical setting, the checksum
/// of the data and kNumerics.
[[nodiscard]] std::string key_of(const Setting& canonical, const Digest& data_checksum);

/// The outcome of one run.
struct Record {
  std::string key;
  std::uint64_t run = 0;
  Setting setting;                        ///< canonical
  std::map<std::string, double> metrics;  ///< by name, e.g. accuracy, log_loss, privacy_mean
  double seconds = 0;
  std::string data = {};     ///< the first 16 digits of the data's checksum
  std::string made_by = {};  ///< version and instruction set; of a new record, those of this program
};

/// The lines of a results file.
struct RecordLines {
  struct Place {
    std::size_t start = 0;
    std::size_t size = 0;  ///< without the line's end
  };
  std::vector<Record> records;  ///< of this kNumerics
  std::vector<Place> places;    ///< their lines
  std::vector<Place> damaged;   ///< lines that are not records
  std::size_t other = 0;        ///< records of other numerics
  std::size_t whole = 0;        ///< bytes of whole lines; what follows is part of one
};

/// Reads the text of a results file. Blank lines are passed over.
[[nodiscard]] RecordLines parse_records(std::string_view text);

/// Where damaged lines of a folder's results go.
[[nodiscard]] std::filesystem::path damaged_file(const std::filesystem::path& folder);

/// Records of a study in a folder, one JSON line each (docs/formats/study.md), written as they come.
///
/// Crash safety  A record is one write followed by fdatasync. What a killed process left of a line is dropped when the
///               folder is opened, so every record is there whole or not at all.
/// Damage        A line in the middle that is no record is set aside when the folder is opened for appending, see
///               damaged_file, so that its run is made again; a reader passes it over.
/// Lock          On the results file itself: a second writer is kept out whatever is deleted beside it, and once the
///               file itself is removed or replaced nothing more is appended.
/// Threads       append may be called from several.
class RecordStore {
 public:
  /// For appending: the folder is made if need be, and locked until the store is destroyed.
  ///
  /// Errors  io; mismatch when another process holds the lock.
  [[nodiscard]] static Result<RecordStore> open(const std::filesystem::path& folder);
  /// For reading only.
  [[nodiscard]] static Result<RecordStore> read(const std::filesystem::path& folder);

  RecordStore(RecordStore&&) noexcept;
  RecordStore& operator=(RecordStore&&) noexcept;
  ~RecordStore();

  /// The key of the last record with this setting, whatever the data were; empty for none.
  [[nodiscard]] std::string key_of_setting(const Setting& canonical) const;
  [[nodiscard]] const Record* find(const std::string& key, std::uint64_t run) const;
  [[nodiscard]] std::size_t size() const;
  /// Lines that were no records when the folder was opened.
  [[nodiscard]] std::size_t damaged() const noexcept;
  /// Data sets of which runs saw different contents: somebody changed the files between them.
  [[nodiscard]] std::set<std::string> mixed_data() const;

  [[nodiscard]] Result<void> append(const Record& record);
  /// Appends lines of another results file as they are, with one write; `lines` are what parse_records read of them.
  [[nodiscard]] Result<void> append(std::string_view text, RecordLines lines);

 private:
  struct State;
  explicit RecordStore(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ppgnn::study
