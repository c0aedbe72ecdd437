#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/ldp/row.hpp"
#include "ppgnn/ldp/schema.hpp"

namespace ppgnn::client {

/// One person's features: the columns that are listed, ascending, and their values. Every other column is absent.
///
/// Privacy  Wiped at the end; moved and never copied.
struct Features {
  Features() = default;
  Features(Features&&) = default;
  ~Features() { wipe_all(); }

  std::vector<std::uint32_t> columns;
  std::vector<float> values;

  void wipe_all() noexcept;
  [[nodiscard]] ldp::Row row() const noexcept { return ldp::Row::sparse(columns, values); }
};

/// Reads a person's own file, CSV or JSON, in the forms that docs/formats/features.md describes. A file that could mean
/// two things is refused, and so is a value that is no number; what lies beyond a float is clamped to its range.
///
/// Privacy  No copy stays behind in memory that was freed.
/// Cost     O(n log n) in the fields, and a look at every column group per name; memory in proportion to the bytes; no
///          recursion.
/// Errors   malformed, naming line and form and nothing that stands in the file: it is the person's.
[[nodiscard]] Result<Features> read_features(std::string_view bytes, const ldp::Schema& schema);

}  // namespace ppgnn::client
