#pragma once

#include <array>
#include <string>
#include <string_view>

#include "ppgnn/core/result.hpp"

namespace ppgnn::collector {

/// Everything that can be wrong with a request; docs/operations.md and the API's description list them.
enum class Problem {
  malformed,
  unauthorised,
  not_asked,
  not_found,
  wrong_method,
  round_closed,
  different_report,
  erased,
  too_large,
  wrong_type,
  bad_report,
  too_often,
  headers_too_large,
  busy,
  storage,
  stopping,
  internal,
};

struct ProblemRow {
  Problem problem;
  std::string_view name;  ///< in `type`, which is urn:ppgnn:problem: and this
  unsigned status;        ///< of HTTP
  std::string_view title;
};

inline constexpr std::array kProblems{
    ProblemRow{Problem::malformed, "malformed", 400, "the request does not have the documented form"},
    ProblemRow{Problem::unauthorised, "unauthorised", 401, "there is no valid token for this"},
    ProblemRow{Problem::not_asked, "not-asked", 403, "this person is not asked in this round"},
    ProblemRow{Problem::not_found, "not-found", 404, "there is nothing here"},
    ProblemRow{Problem::wrong_method, "wrong-method", 405, "this cannot be done here"},
    ProblemRow{Problem::round_closed, "round-closed", 409, "this round takes no more reports"},
    ProblemRow{Problem::different_report, "different-report", 409,
               "there is another report of this person, which stays"},
    ProblemRow{Problem::erased, "erased", 410, "this person's report was erased; none is taken in this campaign"},
    ProblemRow{Problem::too_large, "too-large", 413, "the request is larger than this takes"},
    ProblemRow{Problem::wrong_type, "wrong-type", 415, "content of this type is not taken here"},
    ProblemRow{Problem::bad_report, "bad-report", 422, "not a report of this round"},
    ProblemRow{Problem::too_often, "too-often", 429, "too many requests"},
    ProblemRow{Problem::headers_too_large, "headers-too-large", 431, "the request's header is larger than this takes"},
    ProblemRow{Problem::internal, "internal", 500, "a bug of the collector's"},
    ProblemRow{Problem::busy, "busy", 503, "too much at a time: nothing was stored, try again"},
    ProblemRow{Problem::storage, "storage", 503, "the store cannot be written: nothing was stored, try again"},
    ProblemRow{Problem::stopping, "stopping", 503, "the collector is stopping: nothing was stored, try again"}};

[[nodiscard]] constexpr const ProblemRow& row_of(Problem problem) noexcept {
  for (const ProblemRow& row : kProblems) {
    if (row.problem == problem) return row;
  }
  return kProblems.front();  // a test holds that none is missing
}

/// RFC 9457, as JSON; `detail` may be empty.
[[nodiscard]] std::string problem_json(Problem problem, std::string_view detail);

}  // namespace ppgnn::collector
