#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/ldp_research/feature_mechanism.hpp"

namespace ppgnn::ldp_research {

/// How a person's values are scaled before they are sent.
enum class PaperScale {
  own_level,  ///< by the budget of the true level, as printed: unbiased, and the size of a value gives the level away
  reported_level,  ///< by the budget of the reported level, as in the authors' code: biased
};

/// What goes into each sampled column.
enum class PaperNoise {
  local_randomizer,  ///< "ppm"
  laplace,           ///< "ppm*"
};

struct PaperOptions {
  std::vector<double> budgets;  ///< one per level, ascending; epsilon^tau in the paper
  double gamma = 0.5;           ///< share of a person's budget for the level report, in (0, 1)
  PaperScale scale = PaperScale::own_level;
  PaperNoise noise = PaperNoise::local_randomizer;
  std::optional<std::uint32_t> sampled{};  ///< for everybody, instead of the number that follows the reported level
};

/// The paper's protocol (PPM, Algorithms 1 to 3), for reproduction only: the level is NOT protected.
///
/// Privacy   (1 - gamma) epsilon^tau for the features given the level. Nothing finite for the level: PaperCertificate.
/// Estimate  As sent. Readings of what the paper leaves open: the level window is centred on the true level; a reported
///           level outside 1..levels counts as the nearest; the sample size follows the reported level, with the budget
///           really spent.
[[nodiscard]] Result<FeatureMechanismPtr> make_paper_ppm(Schema schema, PaperOptions options);

/// Whether the options can be used; the first that cannot is named.
[[nodiscard]] Result<void> check_paper_options(const PaperOptions& options);

/// What the paper's protocol really guarantees, as `ldp::Certificate` does for the strict one.
struct PaperCertificate {
  std::vector<double> features;            ///< per level: to somebody who knows the level
  double level_from_report = 0;            ///< worst loss of the level report alone; infinite where supports differ
  double level_from_report_unified = 0;    ///< if everybody used the strictest level's window
  double level_from_report_clamped = 0;    ///< if reported levels were clamped to 1..levels before sending
  double impossible_for_most_relaxed = 0;  ///< probability that the strictest sends what the most relaxed never can
  std::vector<double> magnitudes;  ///< per level: the size of every value sent, at the strictest level's sample size
};

[[nodiscard]] Result<PaperCertificate> certify_paper(std::uint32_t dim, const PaperOptions& options);

}  // namespace ppgnn::ldp_research
