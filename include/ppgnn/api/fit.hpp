#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ppgnn/api/study.hpp"

namespace ppgnn::api {

struct FitOptions {
  double validation = .25;              ///< share of the labelled people by whom the model is chosen
  double test = .25;                    ///< share of them by whom it is judged; the others are learned from
  std::vector<std::uint32_t> levels{};  ///< one per person, from 1; empty: as the setting says
  bool control = true;                  ///< also what graph and labels alone give
  const std::atomic<bool>* stop = nullptr;
  std::function<void(double done, double total)> progress{};  ///< may be empty
};

/// What a run learned, as plain values: enough to say something of people whom it never saw.
struct Learned {
  Setting setting;
  std::vector<std::string> classes;
  std::vector<std::uint32_t> columns;    ///< of the data that it looks at; the others have one value in it
  std::vector<ldp::ColumnGroup> schema;  ///< of these
  std::vector<float> parameters;         ///< of the network; none of a campaign
  double factor = 1;                     ///< what its input is multiplied by
  std::string plan;                      ///< of a campaign: that of the answers, with the public model
};

/// One simulated run of a method, with everybody in it.
struct Fitted {
  Learned learned;
  std::vector<float> probabilities;       ///< of every class, person by person
  std::vector<std::uint32_t> levels;      ///< of each person, from 1
  std::vector<double> spent;              ///< by each person, in nats
  std::vector<std::string> plans;         ///< that devices reported under; none of methods without one
  std::map<std::string, double> metrics;  ///< as records of studies have them; of the test part where there is one
  std::optional<std::map<std::string, double>> control;  ///< the same of devices that hold nothing
};

/// Simulates devices and server on the data: one run of a study with run number 0, and everybody's prediction.
///
/// Determinism  With a quarter of the people for validation and for test, the bits of the first run of `ppgnn run`.
/// Errors       invalid_argument, naming the factor, or for too few labelled people; mismatch for another number of levels
///              than people; those of the run.
[[nodiscard]] Result<Fitted> fit(const Data& data, const Setting& setting, const FitOptions& options = {});

/// Probabilities of every class for people whom the run never saw, person by person, on a graph of their own. Of a method
/// that averages reports: each of them reports, with noise that depends on the seed and their features alone, and the
/// network is applied to what is averaged over their graph. Of a campaign: nobody reports; the public model is applied to
/// the features at home, and the odds are uncalibrated: one usual lead of the model is a factor of e.
///
/// Errors  mismatch for another number of columns.
[[nodiscard]] Result<std::vector<float>> predict(const Learned& learned, const Data& people);

}  // namespace ppgnn::api
