#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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

/// Takes the items one by one, as they are read; false: the rest is not read.
using TakeItem = std::function<bool(BatchItem item)>;

/// A CBOR sequence (RFC 8742) of arrays [token, report]: text and bytes, definite lengths, shortest heads.
///
/// Errors  malformed, naming the item, for anything else, for none and for more than kMostItems.
[[nodiscard]] Result<void> parse_cbor_batch(std::string_view body, const TakeItem& take);

/// Lines of JSON, {"token": "...", "report": "..."}, the report in hexadecimal digits: these two keys once each, and nothing else.
///
/// Errors  As above.
[[nodiscard]] Result<void> parse_json_batch(std::string_view body, const TakeItem& take);

}  // namespace ppgnn::collector
