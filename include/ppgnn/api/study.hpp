#pragma once

#include <atomic>
#include <cstddef>
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
  double mean = 0, low = 0, high = 0;  ///< of the accuracy; 95% interval
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

/// Names of the methods.
[[nodiscard]] std::vector<std::string> methods();

}  // namespace ppgnn::api
