#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/generator.hpp"
#include "ppgnn/graph/split.hpp"
#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/teach/beliefs.hpp"

namespace ppgnn::teach {

/// What a forecast supposes of features, which nobody has seen. The defaults are fitted to published networks other than
/// those that forecasts are compared with; docs/research/forecast.md.
struct FeatureAssumptions {
  /// Of a model taught by clean features: how far apart two classes' scores are, in standard deviations of a score.
  double separability = 2.6;
  /// How much of it is left once graph and labels are known: this times the square root of how often these are wrong, at
  /// most all. Who has unusual friends has unusual features; infinite: they have nothing in common but the class.
  double surprise = 1.3;
  double popularity = 1.1;  ///< the i-th most usual word is as usual as i to the power of minus this
  double words = 0;         ///< that somebody has; 0: as many as a teaching report may speak of
  double doubt = .2;        ///< standard deviation of the logarithm of separability, over networks
  /// Whether somebody who knows said so. If not, a forecast lies between features that say nothing beyond the graph and
  /// those that say more than any of the networks studied.
  bool known = false;
  /// Separabilities between which it lies, where pilots said so; instead of what doubt leaves.
  std::optional<std::array<double, 2>> between;

  /// What the generator's knobs say of its networks.
  [[nodiscard]] static FeatureAssumptions generated(const graph::SocialOptions& options);
  /// The same, where a model taught by clean features is known to be right so often without the graph.
  ///
  /// Errors  invalid_argument for an accuracy that is not between guessing and 1.
  [[nodiscard]] Result<FeatureAssumptions> right_about(double accuracy, std::size_t classes) const;
};

/// A campaign that may be held.
struct ForecastRequest {
  double labelled = .75;  ///< share of people whose class is known: two of three teach, the third is the pilot
  double response = 1;    ///< share of those asked who report, 0 .. 1
  bool at_home = false;   ///< everybody but the pilots teaches, and devices decide; otherwise the others answer
  std::vector<ldp::ColumnGroup> columns;
  std::vector<double> budgets;  ///< one per level, as many people at each
  ldp::LevelSecrecy secrecy = ldp::LevelSecrecy::protected_level;
  std::optional<double> level_budget;  ///< of protected levels
  FeatureAssumptions features;
};

/// An expected value, and what it lies between in nineteen networks of twenty. Where nobody knows what features are
/// worth: what networks studied would give, and the least and the most that is plausible.
struct Expected {
  double value = 0;
  double low = 0;
  double high = 0;
};

/// What a campaign is expected to give.
struct Forecast {
  double teachers = 0;      ///< people who teach
  double information = 0;   ///< of a teaching report, of unit noise a direction; rho squared in the review
  double taught = 0;        ///< share of people whose features alone the taught model tells right
  double taught_clean = 0;  ///< the same, of a model taught by clean features
  double asked = 0;         ///< share of the others whom an answer could move
  Quality control;          ///< graph and labels alone
  Expected points;          ///< of accuracy, over the control
  Expected nats;            ///< of log-loss a person, over the control; above 0 is better
};

/// Says what a campaign would give, from numbers that are known before anybody reports: plans, people and what graph and
/// labels say. Three steps: what teaching reports tell of each word by Fisher's information, with words as usual and as
/// telling as is supposed; how often such a model is right about somebody, and surer than usual; what an answer changes,
/// by Bayes' rule over the beliefs of people; of devices that decide, what they make of their scores by the same rule.
///
/// Determinism  Depends on its arguments only; one thread.
/// Source       docs/forecast.md
class Forecaster {
 public:
  /// `believed`: what graph and labels say of people who are not labelled, calibrated; at least one.
  ///
  /// Errors  Those of the plans, naming the field; invalid_argument for shares that are none.
  [[nodiscard]] static Result<Forecaster> make(const ForecastRequest& request, Beliefs believed);

  /// With so many people.
  [[nodiscard]] Forecast at(double people) const;
  /// The points to expect with as many people as there are, or more; of the most plausible features if nobody knows.
  [[nodiscard]] double most_points() const;
  /// How many people it takes to expect a lift of so many points; nothing where no number does.
  [[nodiscard]] std::optional<double> people_for(double points) const;
  /// What features are worth if, with so many people, devices that decide gain so much for pilots (nats, as
  /// Calibration has it): people of whom the graph is least sure, whose class is one of two.
  [[nodiscard]] FeatureAssumptions as_pilots_say(double people, const Expected& nats) const;

 private:
  // Reports that look alike to the server.
  struct Channel {
    double share = 0;  // of people
    double odds = 0;   // e^a - 1
    double told = 0;   // at most, in nats
    double information = 0;
    double sampled = 1;  // outcomes in a report
    double outcomes = 0;
    double favoured = 0;
  };
  // What answers change, on average over people.
  struct Change {
    double right = 0;    // more of them
    double nats = 0;     // of log-loss
    double changed = 0;  // of another class now
    double asked = 0;
  };

  Forecaster(const ForecastRequest& request, Beliefs believed);
  [[nodiscard]] static std::vector<Channel> channels_of(const ldp::Plan& plan);
  [[nodiscard]] double teachers(double people) const;
  // How far apart classes' scores are by a model that so many people taught.
  [[nodiscard]] double taught(double teachers, double separability) const;
  // What answers by such a model change, or decisions.
  [[nodiscard]] Change change(double separability) const;
  [[nodiscard]] Change change_by_answers(double separability) const;
  [[nodiscard]] static Change change_at_home(const Beliefs& believed, double separability);
  [[nodiscard]] double points_at(double people) const;

  ForecastRequest request_;
  Beliefs believed_;
  std::vector<Channel> teaching_;
  std::vector<Channel> asking_;
  std::vector<double> shares_;  // of people with a word among their favoured
  Quality control_;
  double own_ = 1;     // what graph and labels leave of separability
  double labels_ = 1;  // how much of what a label tells is known of people who teach, on average
};

/// What graph and labels say of people who are not labelled (`structure`, of everybody), made as sure as it is right about
/// the validation people; of at most some thousands of them, evenly.
[[nodiscard]] Beliefs beliefs_to_ask(const Beliefs& structure, std::span<const std::int32_t> labels,
                                     const graph::Split& split);

/// How much of what labels tell is known, on average over people of whom a share is `labelled`, the others as believed.
[[nodiscard]] double known_by(const Beliefs& believed, double labelled);

/// Beliefs of imagined people, where there is no graph: right so often, and as sure as that.
///
/// Determinism  Depends on its arguments only.
/// Errors       invalid_argument for an accuracy that is not between guessing and 1.
[[nodiscard]] Result<Beliefs> imagined_beliefs(std::size_t classes, double accuracy);

}  // namespace ppgnn::teach
