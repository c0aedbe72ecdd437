#pragma once

#include <array>
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
#include "ppgnn/ldp_research/protocol.hpp"
#include "ppgnn/population/devices.hpp"
#include "ppgnn/server/problem.hpp"

namespace ppgnn::simulate {

enum class Method {
  nonpriv,  ///< clean features, no averaging
  base,     ///< multi-bit, no calibration
  lpgnn,    ///< multi-bit and KProp, one budget for everybody
  ppgnn,    ///< personal budgets: the strict protocol, or the paper's with FlexProp
  control,  ///< ppgnn with reports that carry no information: what the graph alone gives
};

struct MethodRow {
  std::string_view name;
  Method method;
  std::string_view mechanism = {};  ///< what it implies in the strict protocol; empty: it perturbs nothing
  bool protocols = false;           ///< whether it has a choice of protocol, levels of its own and a level report
};
inline constexpr std::array kMethods{
    MethodRow{"nonpriv", Method::nonpriv},
    MethodRow{"base", Method::base, "mb"},
    MethodRow{"lpgnn", Method::lpgnn, "mb"},
    MethodRow{"ppgnn", Method::ppgnn, "strict", true},
    MethodRow{"control", Method::control, "strict", true},
};

using ldp_research::Protocol;

struct SourceConfig;

/// A way to perturb. To add one: its class in ldp_research and its row in kMechanisms.
struct MechanismRow {
  std::string_view name;                                       ///< as ldp_research::FeatureMechanism::name
  calibrate::Operator averaging = calibrate::Operator::kprop;  ///< what goes with it
  /// nullptr: the strict protocol, which a plan makes.
  Result<ldp_research::FeatureMechanismPtr> (*make)(const ldp::Schema& schema, const SourceConfig& config) = nullptr;
};
[[nodiscard]] std::span<const MechanismRow> mechanisms() noexcept;

/// What the server gets to see of people's features.
struct SourceConfig {
  Method method = Method::ppgnn;
  Protocol protocol = Protocol::strict;
  std::string mechanism;                        ///< a name of mechanisms(); empty: what method and protocol imply
  std::vector<double> budgets{1, 2, 4, 8, 16};  ///< one per level; methods with one budget use the first
  ldp::LevelSecrecy secrecy = ldp::LevelSecrecy::protected_level;
  std::optional<double> level_budget;
  std::optional<double> gamma;                   ///< default 0 in the strict protocol, .5 in the paper's
  std::optional<std::uint32_t> sampled;          ///< columns a report; default: the mechanism's own choice
  std::optional<calibrate::Operator> averaging;  ///< default: the mechanism's own operator
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
  /// The same with devices that hold nothing: reports of the same form that carry no information.
  [[nodiscard]] Source emptied() const;

  /// What a person at this level, counted from 0, spends in all; 0 under the control, whose reports hold nobody's
  /// features, and for clean features, which have no budget.
  [[nodiscard]] double spent(std::size_t level) const;
  /// What everybody spends, over all runs given.
  [[nodiscard]] Privacy privacy(std::span<const std::vector<ldp::Level>> levels) const;

 private:
  std::string name_;
  std::vector<double> budgets_;
  std::optional<ldp::Plan> plan_;
  std::shared_ptr<const ldp_research::FeatureMechanism> mechanism_;
  calibrate::Operator averaging_ = calibrate::Operator::kprop;
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
