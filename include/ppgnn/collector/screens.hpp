#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "ppgnn/ldp/estimate.hpp"
#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/ldp/report.hpp"

namespace ppgnn::collector {

/// One thing that honest devices keep to, whatever their features and levels are: how surely the reports of a round do not.
struct Screen {
  std::string_view name;
  double surprise =
      0;  ///< minus the logarithm of a bound on the chance of this among honest devices, all cells together
  bool alert = false;  ///< above kSurprise
};
inline constexpr double kSurprise = 20.7;  ///< chances below 1e-9

/// Counts over the reports of one round. The plan bounds how often any outcome may occur: a crowd of devices that do not follow it,
/// or a collector's own fault, shows as an outcome that is too frequent or too rare. It finds no single liar, and no crowd that
/// stays within the bounds: what one report can do is bounded by the scale, which the server sets.
///
/// Cost     A few counters a report; memory by the number of outcomes of the levels that occur.
/// Threads  Any.
class Screens {
 public:
  explicit Screens(const ldp::Plan& plan);

  /// `person`: whom the report is from, by whose public salt words are found.
  void add(const ldp::Report& report, std::string_view person);

  /// "outcomes": how often each is sent. "words": how often a bucket is sent that holds a word, each person's salt undone. "columns": which are sampled, "signs": their balance. "levels": what is reported of them.
  /// Those that the plan's reports have.
  [[nodiscard]] std::vector<Screen> screens() const;
  /// Share of people at each level, as likely as can be; nothing where reports do not say, or there is none.
  [[nodiscard]] std::optional<std::vector<double>> levels() const;

 private:
  // Reports whose level field is the same.
  struct Case {
    std::uint64_t reports = 0;
    std::uint64_t draws = 0;
    std::vector<std::uint64_t> outcomes;
    std::vector<std::uint64_t> words;
    double loss = 0;  // of one draw, at most
  };

  [[nodiscard]] double outcomes_surprise() const;
  [[nodiscard]] double words_surprise() const;
  [[nodiscard]] double columns_surprise() const;
  [[nodiscard]] double signs_surprise() const;
  [[nodiscard]] double levels_surprise() const;

  std::optional<ldp::PlanTables> buckets_;  // of words; nothing where the plan has none
  ldp::Estimator estimator_;
  std::optional<ldp::LevelResponse> level_response_;
  std::uint64_t columns_ = 0;
  std::size_t levels_ = 0;
  bool samples_columns_ = false;
  mutable std::mutex mutex_;
  std::vector<Case> cases_;
  std::uint64_t reports_ = 0;
  std::vector<std::uint64_t> columns_in_;  // by range of columns
  std::uint64_t plus_ = 0;
  std::uint64_t signs_ = 0;
  double sign_loss_ = 0;
};

}  // namespace ppgnn::collector
