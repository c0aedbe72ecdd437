#pragma once

#include <cstdint>

#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/ldp/report.hpp"
#include "ppgnn/ldp/row.hpp"
#include "ppgnn/ldp_research/feature_mechanism.hpp"
#include "ppgnn/ldp_research/paper_ppm.hpp"

/// How well a server that knows a person's features can guess the level from the report.
namespace ppgnn::study {

/// The most probable level behind a strict report, for somebody who knows the features and the plan's prior: no guess
/// is better on average.
[[nodiscard]] ldp::Level guess_level(const ldp::Plan& plan, const ldp::Report& report, const ldp::Row& features);

/// No attacker guesses the level of a person drawn from a uniform prior more often than this, by the plan's
/// certificate: e^l / (e^l + levels - 1) for a level loss l.
[[nodiscard]] double guess_level_bound(const ldp::Plan& plan) noexcept;

/// The level behind a report of the paper's protocol scaled by its own level: read off the size of the values.
[[nodiscard]] ldp::Level read_paper_level(std::uint32_t dim, const ldp_research::PaperOptions& options,
                                          const ldp_research::NoisyRow& sent);

}  // namespace ppgnn::study
