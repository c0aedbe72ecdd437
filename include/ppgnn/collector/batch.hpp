#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/core/result.hpp"

/// Many people's reports in one request. docs/formats/batch.md.
namespace ppgnn::collector {

struct BatchItem {
  std::string token;
  std::vector<std::uint8_t> report;
};

inline constexpr std::size_t kMostItems = 10'000;

/// A CBOR sequence (RFC 8742) of arrays [token, report]: text and bytes, definite lengths, shortest heads.
///
/// Errors  malformed, naming the item, for anything else, for none and for more than kMostItems.
[[nodiscard]] Result<std::vector<BatchItem>> parse_cbor_batch(std::string_view body);

/// Lines of JSON, {"token": "...", "report": "..."}, the report in hexadecimal digits: these two keys once each, and nothing else.
///
/// Errors  As above.
[[nodiscard]] Result<std::vector<BatchItem>> parse_json_batch(std::string_view body);

}  // namespace ppgnn::collector
