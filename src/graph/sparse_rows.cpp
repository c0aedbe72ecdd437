#include "graph/sparse_rows.hpp"

#include <limits>
#include <string>

#include "ppgnn/io/files.hpp"

namespace ppgnn::graph {

std::optional<std::uint32_t> as_index(double value, std::size_t limit) noexcept {
  if (!(value >= 0) || value > static_cast<double>(limit) ||
      value > double{std::numeric_limits<std::uint32_t>::max()}) {
    return std::nullopt;
  }
  const auto index = static_cast<std::uint32_t>(value);
  return static_cast<double>(index) == value ? std::optional(index) : std::nullopt;
}

Result<std::vector<SparseRow>> make_rows(const std::vector<double>& indptr, const std::vector<double>& indices,
                                         const std::vector<double>& data, std::size_t cols) {
  const auto malformed = [](std::string what) { return Error{ErrorCode::malformed, std::move(what)}; };
  if (indptr.empty() || indices.size() != data.size()) return malformed("indptr, indices and data do not fit together");
  std::vector<SparseRow> rows(indptr.size() - 1);
  std::size_t at = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto begin = as_index(indptr[row], indices.size());
    const auto end = as_index(indptr[row + 1], indices.size());
    // Each row starts where the last one ended, so that no entry is used twice.
    if (!begin || *begin != at || !end || *end < *begin)
      return malformed("row " + std::to_string(row) + " of indptr is wrong");
    rows[row].reserve(*end - *begin);
    for (; at < *end; ++at) {
      const auto column = as_index(indices[at], cols);
      if (!column || *column == cols) {
        return malformed("row " + std::to_string(row) + " has a column outside the " + std::to_string(cols) +
                         " columns");
      }
      rows[row].push_back({*column, static_cast<float>(data[at])});
    }
  }
  if (at != indices.size()) return malformed("indptr ends before the data");
  return rows;
}

Result<Features> make_features(std::vector<SparseRow> rows, std::size_t cols, StringList names) {
  FeaturesBuilder builder;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (const auto added = builder.add_row(rows[row]); !added)
      return io::in_file("row " + std::to_string(row), added.error());
  }
  return std::move(builder).finish(cols, SchemaOrigin::derived, std::move(names));
}

}  // namespace ppgnn::graph
