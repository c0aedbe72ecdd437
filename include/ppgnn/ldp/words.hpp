#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ppgnn/ldp/plan.hpp"

/// What a plan means, in words: for an application to show to a participant, and for the audit.
namespace ppgnn::ldp {

/// What a person at this level, counted from 0, spends in all: features and level report.
[[nodiscard]] double spent(const Plan& plan, std::size_t level) noexcept;

/// Whether the level travels with the report.
[[nodiscard]] bool is_public(const Plan& plan) noexcept;

/// What the plan's reports are: "signs of features, 1433 columns".
[[nodiscard]] std::string title_of(const Plan& plan);

/// What must be said before any level is described; may be empty.
[[nodiscard]] std::string introduction_to(const Plan& plan);

/// What a person at this level, counted from 0, sends, and what somebody who sees it can learn at most.
[[nodiscard]] std::string words_for(const Plan& plan, std::size_t level);

/// What else somebody must know, one sentence each, without a full stop.
[[nodiscard]] std::vector<std::string> notes_on(const Plan& plan);

/// How much surer a loss makes somebody: "from 50:50 to at most 73.1:26.9".
[[nodiscard]] std::string surer(double loss);

}  // namespace ppgnn::ldp
