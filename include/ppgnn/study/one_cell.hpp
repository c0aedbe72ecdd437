#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ppgnn/simulate/statistics.hpp"
#include "ppgnn/study/experiment.hpp"

/// Studies of one cell, as `run` and `attack` ask for them: a method beside its control and training without privacy;
/// methods that are attacked.
namespace ppgnn::study {

/// How much better than the control, on the same splits. Of too few runs there is no p.
struct Lift {
  double difference = 0;  ///< of accuracy, a fraction of 1
  std::optional<double> p_value;
  double nats = 0;  ///< of log-loss a person; above 0 is better
  std::optional<double> p_nats;

  [[nodiscard]] double points() const noexcept { return 100 * difference; }
};

/// What people at one level spend and get, over all runs.
struct LevelResult {
  double spent = 0;     ///< of those who report, in nats
  double reported = 0;  ///< share of people who report
  double accuracy = 0;  ///< of the judged
};

/// Whether validation found answers to help, and to help neighbours: shares of runs.
struct AnswerShares {
  double used = 0, spread = 0;
};

/// Of devices that decide, means over runs: what pilots' reports say, and how people fared by whether they reported.
struct HomeFigures {
  double weight = 0;                       ///< of what features say
  double lift = 0, low = 0, high = 0;      ///< of pilots, in nats
  double withdrawn = 0;                    ///< share of runs
  std::optional<double> reported, silent;  ///< accuracy of people who sent a report, and who sent nothing
};

/// One way to do it, over all runs.
struct Series {
  std::vector<double> accuracy, log_loss;
  std::vector<double> scale;    ///< chosen common scale, 0: raw; of campaigns empty
  simulate::Interval interval;  ///< of the accuracy
  double mean_log_loss = 0;
  simulate::Privacy privacy;
  std::optional<Lift> lift;             ///< where there is a control
  std::optional<AnswerShares> answers;  ///< of campaigns
  std::optional<HomeFigures> home;      ///< of devices that decide
  std::vector<LevelResult> levels;      ///< by the levels that people choose from; empty for clean features
};

struct CellResult {
  MeasuredCell cell;  ///< of the method
  Series method;
  std::optional<Series> in_public, control, nonprivate;  ///< in_public: of campaigns, with levels public
  std::optional<Series> decided, decided_in_public;      ///< of campaigns that ask: if devices decide instead
  std::vector<std::uint64_t> judged;                     ///< by level, over all runs
  std::string mechanism;
  std::optional<simulate::Fidelity> fidelity;  ///< mean over runs; none for clean features and campaigns
  std::optional<std::size_t> hops;             ///< averaged over; none for campaigns
  std::vector<std::string> notes;
};

/// Runs a setting, and where wanted its control and what is possible without privacy, on the same splits. A campaign
/// with protected levels is also played with public ones, and always beside its control; one that asks also with devices
/// that decide.
///
/// Errors  Those of measure.
[[nodiscard]] Result<CellResult> run_cell(const StudyData& data, Setting setting, std::size_t runs, bool references,
                                          const ExecuteOptions& options);

/// One way to do it, among several on the same splits.
struct TableRow {
  MeasuredCell cell;
  Series series;
};

/// Runs several settings side by side; the first is the control of all others.
///
/// Errors  Those of measure.
[[nodiscard]] Result<std::vector<TableRow>> run_table(const StudyData& data, const std::vector<Setting>& settings,
                                                      std::size_t runs, const ExecuteOptions& options);

/// Both attacks on one method over some runs.
struct AttackedCell {
  std::string mechanism;
  simulate::Privacy privacy;
  std::vector<double> spent;                          ///< per level
  std::map<std::string, simulate::Interval> metrics;  ///< those of the runs
  std::size_t levels = 0;                             ///< that attribute inference tells apart
  attack::LevelInference level;                       ///< all runs together
  std::uint64_t ones = 0, zeros = 0;                  ///< targets of attribute inference, over all runs

  /// Mean over the runs; 0 for a name that does not occur.
  [[nodiscard]] double mean(const std::string& metric) const;
};

/// Attacks every setting.
///
/// Errors  Those of measure.
[[nodiscard]] Result<std::vector<AttackedCell>> attack_cells(const StudyData& data,
                                                             const std::vector<Setting>& settings, std::size_t runs,
                                                             const ExecuteOptions& options);

}  // namespace ppgnn::study
