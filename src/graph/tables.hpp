#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "graph/sparse_rows.hpp"
#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/labels.hpp"
#include "ppgnn/graph/node_names.hpp"
#include "ppgnn/io/csv.hpp"

/// Tables about nodes: text that separates fields by comma, tab or blanks (the first line decides), or NumPy arrays.
namespace ppgnn::graph {

/// Calls record(reader) for each record that is no comment (# at its start), until one fails.
[[nodiscard]] Result<void> for_each_record(const io::NamedBytes& file,
                                           const std::function<Result<void>(const io::CsvReader&)>& record);

/// Names of their own, unless they are just the numbers of the rows.
[[nodiscard]] Result<NodeNames> name_nodes(const std::vector<std::string>& names);

/// Who has which class.
struct LabelTable {
  NodeNames nodes;
  NamedLabels named;
  std::vector<std::string> unread;  ///< columns after the class
};

/// Text with a header (node, class), or a NumPy array of class numbers.
///
/// Errors  malformed, naming the line or byte.
[[nodiscard]] Result<LabelTable> parse_label_table(const io::NamedBytes& file);

/// Everybody's features.
struct FeatureTable {
  NodeNames nodes;
  std::vector<SparseRow> rows;
  std::vector<std::string> columns;  ///< names; empty for a NumPy matrix
  std::size_t cols = 0;
};

/// Text with a header (node, one number a column), or a NumPy matrix.
///
/// Errors  malformed, naming the line or byte.
[[nodiscard]] Result<FeatureTable> parse_feature_table(const io::NamedBytes& file);

}  // namespace ppgnn::graph
