#pragma once

#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "ppgnn/collector/api.hpp"

namespace ppgnn::collector {

inline constexpr const char* kJson = "application/json";

inline Response json_response(unsigned status, const nlohmann::ordered_json& body) {
  return {status, kJson, body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace), {}, false};
}

inline Response problem_response(Problem problem, std::string_view detail) {
  Response response{row_of(problem).status, "application/problem+json", problem_json(problem, detail), {}, false};
  if (response.status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  if (response.status == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
}

// The number of a round in a path.
inline std::optional<std::uint32_t> round_number(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (wrong != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

inline constexpr const char* kNoSuchRound = "there is no such round";

}  // namespace ppgnn::collector
