#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ppgnn/api/data.hpp"

namespace ppgnn::api {

/// Values of factors by name, as a study states them: {"method", "strict"}, {"epsilon", "1"}; the rest has its default.
/// docs/formats/study.md lists them.
using Setting = std::map<std::string, std::string, std::less<>>;

struct StudyOptions {
  std::size_t runs = 5;     ///< each with its own split and noise
  bool references = true;   ///< also the control and training without privacy
  std::size_t threads = 0;  ///< runs at a time; 0: one per core
  const std::atomic<bool>* stop = nullptr;
  std::function<void(double done, double total)> progress{};  ///< may be empty
};

/// One way to do it, over all runs.
struct StudyRow {
  std::string name;                    ///< of the method; "control", "nonprivate" for the references
  std::vector<double> accuracy;        ///< of the test people, by run
  double mean = 0, low = 0, high = 0;  ///< of the accuracy; 95% t interval, of fewer than 3 runs the mean
  double log_loss = 0;
  double spent_mean = 0, spent_most = 0;   ///< nats
  std::optional<double> points, p_points;  ///< of accuracy over the control
  std::optional<double> nats, p_nats;      ///< of log-loss over the control
};

/// Simulates devices and server and judges: the table of `ppgnn run`.
///
/// Determinism  Same setting, same bits, for any number of threads on one instruction set.
/// Errors       invalid_argument, naming the factor; those of the runs.
[[nodiscard]] Result<std::vector<StudyRow>> run(const Data& data, const Setting& setting,
                                                const StudyOptions& options = {});

/// A study that comes with ppgnn, or one of your own, and what of it is wanted.
struct StudyChoice {
  std::string study;  ///< its id, or the path of a .toml file (docs/formats/study.md)
  bool quick = false;
  std::string folder;       ///< where records are kept: what is there already is not run again
  std::string data_folder;  ///< where published data sets are
  std::map<std::string, std::vector<std::string>, std::less<>> only{};  ///< values in the place of those of a factor
  std::optional<std::size_t> runs{};                                    ///< instead of the study's
};

/// One run of one cell of a study.
struct StudyRecord {
  Setting factors;  ///< as the study declares them
  Setting chosen;   ///< what was run, with what validation chose
  std::uint64_t run = 0;
  std::map<std::string, double> metrics;
};

/// Makes the runs of a study that its folder lacks, as `ppgnn study run` does, and returns all.
///
/// Determinism  A record depends on its setting, the data and its run number only.
/// Errors       Those of studies, data and records. Where it was stopped, what is there is returned.
[[nodiscard]] Result<std::vector<StudyRecord>> run_study(const StudyChoice& choice, const StudyOptions& options = {});

/// The ids of the studies that come with ppgnn.
[[nodiscard]] std::vector<std::string> studies();

/// A method, in words.
struct Method {
  std::string name, title, about;
  std::string colour;       ///< in figures, as #rrggbb
  bool campaign = false;    ///< teaches and asks; the others average reports over the graph
  bool personal = true;     ///< people have budgets of their own
  bool has_control = true;  ///< devices report something that a control can leave out
};

/// All methods.
[[nodiscard]] std::vector<Method> method_table();
/// Their names.
[[nodiscard]] std::vector<std::string> methods();
/// Names of the factors that a setting may have.
[[nodiscard]] std::vector<std::string> factors();

}  // namespace ppgnn::api
