#pragma once

#include <utility>

#include "ppgnn/ldp/category_response.hpp"
#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/ldp/sign_bits.hpp"

namespace ppgnn::ldp {

/// Calls `action` with the mechanism of a report kind: the one place where kinds are told apart.
template <class Action>
decltype(auto) with_mechanism(ReportKind kind, Action&& action) {
  if (kind == ReportKind::category) return std::forward<Action>(action)(CategoryResponse{});
  return std::forward<Action>(action)(SignBits{});
}

}  // namespace ppgnn::ldp
