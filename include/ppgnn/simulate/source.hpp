#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/calibrate/collect.hpp"
#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/ldp/planner.hpp"
#include "ppgnn/ldp_research/feature_mechanism.hpp"
#include "ppgnn/ldp_research/paper_ppm.hpp"
#include "ppgnn/population/devices.hpp"
#include "ppgnn/server/problem.hpp"

namespace ppgnn::simulate {

struct SourceConfig;

/// A way to perturb. To add one: its class in ldp_research and its row in kMechanisms.
struct MechanismRow {
  std::string_view name;                                       ///< as ldp_research::FeatureMechanism::name
  calibrate::Operator averaging = calibrate::Operator::kprop;  ///< what goes with it
  double gamma = 0;  ///< share of the budget for a level report, where none is named
  /// nullptr: the strict protocol, which a plan makes.
  Result<ldp_research::FeatureMechanismPtr> (*make)(const ldp::Schema& schema, const SourceConfig& config) = nullptr;
};
[[nodiscard]] std::span<const MechanismRow> mechanisms() noexcept;

/// What the server gets to see of people's features.
struct SourceConfig {
  std::string mechanism = "strict";  ///< a name of mechanisms(); empty: clean features
  bool averages = true;              ///< whether reports are averaged over the graph
  population::Content content = population::Content::features;
  std::vector<double> budgets{1, 2, 4, 8, 16};  ///< one per level; mechanisms with one budget use the first
  ldp::LevelSecrecy secrecy = ldp::LevelSecrecy::protected_level;
  std::optional<double> level_budget;
  std::optional<double> gamma;           ///< default: the mechanism's
  std::optional<std::uint32_t> sampled;  ///< columns a report; default: the mechanism's own choice
  bool best_sampled = false;             ///< the best whole number of columns instead of that of the paper's Theorem 2
  std::optional<calibrate::Operator> averaging;                           ///< default: the mechanism's own operator
  ldp_research::PaperReading reading = ldp_research::PaperReading::ours;  ///< of what the paper leaves open
  std::optional<double> delta;                                            ///< of the Gaussian mechanism
};

/// What is spent, and what is said about it.
struct Privacy {
  std::vector<double> budgets;
  double mean = 0;  ///< spent, over people
  double max = 0;
  double delta = 0;
  std::string level;   ///< what is said about the level
  bool holds = false;  ///< whether every claim holds for the code as it runs
  std::string why;     ///< where not: which does not
};

/// Where the server's knowledge of features comes from: clean ones, strict reports, or any other mechanism.
///
/// Threads  Immutable; runs share one.
class Source {
 public:
  /// Errors  Those of plan and mechanism, naming the field.
  [[nodiscard]] static Result<Source> make(const graph::Dataset& dataset, const SourceConfig& config);

  /// What the server has after everybody reported.
  [[nodiscard]] Result<calibrate::Collected> collect(const server::Problem& problem,
                                                     const population::Devices& devices) const;

  /// "none" for clean features.
  [[nodiscard]] const std::string& mechanism() const noexcept { return name_; }
  /// The mechanism behind the common interface; nullptr for clean features.
  [[nodiscard]] const ldp_research::FeatureMechanism* perturbation() const noexcept { return mechanism_.get(); }
  /// One per level, as asked for.
  [[nodiscard]] const std::vector<double>& budgets() const noexcept { return budgets_; }
  /// The plan of the strict protocol; none for anything else.
  [[nodiscard]] const std::optional<ldp::Plan>& plan() const noexcept { return plan_; }
  /// How many of the asked hops the method averages over.
  [[nodiscard]] std::size_t hops(std::size_t asked) const noexcept { return averages_ ? asked : 0; }
  /// What the devices hold under this method.
  [[nodiscard]] population::Content content() const noexcept { return content_; }

  /// What a person at this level, counted from 0, spends in all; 0 under the control, whose reports hold nobody's
  /// features, and for clean features, which have no budget.
  [[nodiscard]] double spent(std::size_t level) const;
  /// What everybody spends, over all runs given.
  [[nodiscard]] Privacy privacy(std::span<const std::vector<ldp::Level>> levels) const;

 private:
  /// What the operator weighs somebody by.
  [[nodiscard]] double weight_of(std::optional<std::int32_t> reported_level) const;

  std::string name_;
  std::vector<double> budgets_;
  std::optional<ldp::Plan> plan_;
  std::shared_ptr<const ldp_research::FeatureMechanism> mechanism_;
  calibrate::Operator averaging_ = calibrate::Operator::kprop;
  std::vector<double> level_weights_;  // one over the variance, by level counted from 0; of inverse_variance
  bool averages_ = false;
  population::Content content_ = population::Content::features;
};

/// What the server makes of everybody's values under any mechanism.
[[nodiscard]] std::vector<ldp_research::NoisyRow> simulate_rows(const ldp_research::FeatureMechanism& mechanism,
                                                                const population::Devices& devices,
                                                                const kernels::Threads& threads);

/// Clean features as in the file: what training without privacy sees.
[[nodiscard]] Result<calibrate::Collected> clean(const server::Problem& problem, const graph::Features& features);

/// The plan of a strict run.
[[nodiscard]] Result<ldp::Plan> plan_of(const graph::Dataset& dataset, const SourceConfig& config);

/// The data set as research takes it: ranges read off the data where the file states none, and constant columns
/// dropped, with a note that says so.
[[nodiscard]] graph::Dataset for_research(graph::Dataset dataset);

}  // namespace ppgnn::simulate
