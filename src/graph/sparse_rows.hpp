#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/features.hpp"

/// What the readers of numpy's and scipy's forms share: numbers of several types, and matrices given by three arrays.
namespace ppgnn::graph {

/// The little-endian numbers in `bytes` as doubles. Bytes may lie at any address.
template <class Stored>
std::vector<double> widen(std::string_view bytes) {
  std::vector<double> numbers(bytes.size() / sizeof(Stored));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    Stored value;
    std::memcpy(&value, bytes.data() + i * sizeof(Stored), sizeof(Stored));
    numbers[i] = static_cast<double>(value);
  }
  return numbers;
}

/// `value` as a whole number from 0 to `limit`, or nothing.
[[nodiscard]] std::optional<std::uint32_t> as_index(double value, std::size_t limit) noexcept;

using SparseRow = std::vector<FeaturesBuilder::Entry>;

/// Rows of a matrix in scipy's compressed form: row r has the columns indices[indptr[r]] .. indices[indptr[r + 1] - 1].
///
/// Errors  malformed, naming the row.
[[nodiscard]] Result<std::vector<SparseRow>> make_rows(const std::vector<double>& indptr,
                                                       const std::vector<double>& indices,
                                                       const std::vector<double>& data, std::size_t cols);

/// The rows as features; errors name the row. All ones count as binary by observation, so the schema is derived.
[[nodiscard]] Result<Features> make_features(std::vector<SparseRow> rows, std::size_t cols, StringList names = {});

}  // namespace ppgnn::graph
