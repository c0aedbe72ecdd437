#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/load.hpp"
#include "ppgnn/study/declaration.hpp"
#include "ppgnn/study/measured.hpp"
#include "ppgnn/study/records.hpp"
#include "ppgnn/study/share.hpp"

/// Runs settings: of studies what is missing among the records and nothing else, or those of one cell.
namespace ppgnn::study {

/// The data sets of a study by name, each read once.
using Shelf = std::map<std::string, std::shared_ptr<const StudyData>, std::less<>>;

/// One run of one setting.
struct StudyTask {
  Setting setting;  ///< canonical
  std::string key;
  std::uint64_t run = 0;
};

/// Where the choice of a cell's open values stands.
struct Choice {
  std::optional<Setting> setting;    ///< what is run, all values chosen; none yet: `tasks` decide
  std::vector<StudyTask> tasks;      ///< runs missing for the next round of the choice
  std::size_t later = 0;             ///< runs in full of the rounds after that
  std::size_t candidates = 0;        ///< 0: nothing was open
  std::vector<std::string> open;     ///< factors whose values are chosen
  std::vector<std::string> carried;  ///< those of them that are chosen on another data set
};

/// Successive halving by mean validation loss: every candidate for a tenth of the epochs, the best 24th in full, the
/// best of those on several runs. A function of the records alone, so a killed study takes it up where it was.
[[nodiscard]] Result<Choice> choose(const Cell& cell, const Selection& selection, const Grid& varied,
                                    const std::function<std::string(const Setting&)>& key, const RecordStore& records);

/// The setting whose runs decide the open values of a cell, as text: cells with the same one are chosen together. Empty where
/// nothing is open.
[[nodiscard]] std::string chosen_with(const Cell& cell, const Selection& selection, const Grid& varied);

struct StudyProgress {
  double done = 0;   ///< of `total`, by estimated cost
  double total = 0;  ///< of everything, also what is not planned in detail yet
  std::size_t runs = 0;
};

struct ExecuteOptions {
  std::size_t jobs = 0;                                ///< runs at a time; 0: one per core
  const std::atomic<bool>* stop = nullptr;             ///< looked at after every epoch; unfinished runs leave no trace
  std::function<void(const StudyProgress&)> progress;  ///< may be empty
  Share share;                                         ///< of execute: the runs that are made here
};

/// The data sets that the studies need, by name.
[[nodiscard]] std::set<std::string> data_of(const std::vector<PlannedStudy>& studies);

/// Reads every data set that the studies need.
///
/// Errors  Those of the readers.
[[nodiscard]] Result<Shelf> load_shelf(const std::vector<PlannedStudy>& studies, const graph::LoadOptions& options);

struct ExecuteResult {
  std::size_t runs = 0;  ///< made now
  bool stopped = false;
};

/// Makes every run that the studies need and the records do not have, and appends it as soon as it is done.
///
/// Sharing      Perturbed data of settings that differ only in training are made once. One run per core.
/// Determinism  A record depends on its setting, the data and its run number only, for any number of jobs.
/// Memory       Methods that report every column hold about 12 bytes a node and column for each job.
[[nodiscard]] Result<ExecuteResult> execute(const std::vector<PlannedStudy>& studies, const Shelf& shelf,
                                            RecordStore& records, const ExecuteOptions& options);

/// The most runs of one cell.
inline constexpr std::size_t kMaxRuns = 10000;

/// One cell that somebody asks for by itself: a setting, not necessarily canonical; its levels may be a file.
struct OneCell {
  Setting setting;
  bool fidelity = false;  ///< also how near calibrated features are to clean ones
};

/// What was measured of it, run by run.
struct MeasuredCell {
  Setting setting;
  Experiment experiment;
  std::vector<Measured> runs;
};

/// Makes all runs of some cells on one data set; nothing is recorded.
///
/// Determinism  As execute.
/// Errors       Those of the settings and the runs, naming the field; a training whose loss was never finite.
[[nodiscard]] Result<std::vector<MeasuredCell>> measure(const StudyData& data, const std::vector<OneCell>& cells,
                                                        std::size_t runs, const ExecuteOptions& options);

}  // namespace ppgnn::study
