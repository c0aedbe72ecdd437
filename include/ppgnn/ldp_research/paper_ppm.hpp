#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/ldp/level_response.hpp"
#include "ppgnn/ldp_research/feature_mechanism.hpp"

namespace ppgnn::ldp_research {

/// How what the paper leaves open, or says in two ways, is read. docs/paper.md has all of it, with its effect.
enum class PaperReading {
  ours,   ///< the sample size follows the budget that features really have; budgets up to 2^(h-1) epsilon
  print,  ///< as the letters say: the sample size follows the whole budget; budgets up to 2^h epsilon
  /// As the authors' public code does it: half of the level's budget for the level and half for a sample size of its
  /// own, no window around either, values scaled by the budget of the reported level, which makes them biased.
  authors,
};

struct PaperReadingName {
  PaperReading reading;
  std::string_view name;
};
inline constexpr std::array kPaperReadings{PaperReadingName{PaperReading::ours, "ours"},
                                           PaperReadingName{PaperReading::print, "print"},
                                           PaperReadingName{PaperReading::authors, "authors"}};

/// What goes into each sampled column.
enum class PaperNoise {
  local_randomizer,  ///< "ppm"
  laplace,           ///< "ppm*"
  piecewise,         ///< "ppm-pm"
};

struct PaperOptions {
  std::vector<double> budgets;  ///< one per level, ascending; epsilon^tau in the paper
  double gamma = 0.5;           ///< share of a person's budget for the level report, in (0, 1)
  PaperReading reading = PaperReading::ours;
  PaperNoise noise = PaperNoise::local_randomizer;
  std::optional<std::uint32_t> sampled{};  ///< for everybody, instead of the number that follows the reported level
  bool best_sampled = false;               ///< the best whole number for a budget instead of that of Theorem 2
};

/// The paper's protocol (PPM, Algorithms 1 to 3), for reproduction only: the level is NOT protected.
///
/// Privacy   (1 - gamma) epsilon^tau for the features given the level. Nothing finite for the level: PaperCertificate.
/// Estimate  As sent. Whatever the reading: the level window is centred on the true level, and a reported level outside
///           1..levels counts as the nearest.
[[nodiscard]] Result<FeatureMechanismPtr> make_paper_ppm(Schema schema, PaperOptions options);

/// Whether the options can be used; the first that cannot is named.
[[nodiscard]] Result<void> check_paper_options(const PaperOptions& options);

/// The sample size that goes with a person's whole budget.
[[nodiscard]] std::uint32_t sampled_for(const PaperOptions& options, double budget, std::uint32_t dim) noexcept;

/// The level report of somebody with this whole budget.
[[nodiscard]] ldp::LevelResponse level_response(const PaperOptions& options, double budget) noexcept;

/// What the paper's protocol really guarantees, as `ldp::Certificate` does for the strict one.
struct PaperCertificate {
  std::vector<double> features;            ///< per level: to somebody who knows the level
  double level_from_report = 0;            ///< worst loss of the level report alone; infinite where supports differ
  double level_from_report_unified = 0;    ///< if everybody used the strictest level's window
  double level_from_report_clamped = 0;    ///< if reported levels were clamped to 1..levels before sending
  double impossible_for_most_relaxed = 0;  ///< probability that the strictest sends what the most relaxed never can
  std::vector<double> magnitudes;  ///< per level: the size of every value sent, at the strictest level's sample size
  /// Worst loss of all that is sent about the level, to somebody who knows the features: infinite where the size of a
  /// value gives the level away, or where supports differ.
  double level = 0;
};

[[nodiscard]] Result<PaperCertificate> certify_paper(std::uint32_t dim, const PaperOptions& options);

}  // namespace ppgnn::ldp_research
