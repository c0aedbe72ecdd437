#include "ppgnn/calibrate/feature_matrix.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace ppgnn::calibrate {

Result<FeatureMatrix> FeatureMatrix::make(const CsrView& pattern, std::vector<float> values,
                                          std::vector<float> offset) {
  if (!offset.empty() && offset.size() != pattern.num_columns) {
    return Error{ErrorCode::mismatch, "offset has " + std::to_string(offset.size()) + " entries, expected " +
                                          std::to_string(pattern.num_columns)};
  }
  if (!values.empty() && values.size() != pattern.nonzeros()) {
    return Error{ErrorCode::mismatch, "sparse features have " + std::to_string(values.size()) + " values for " +
                                          std::to_string(pattern.nonzeros()) + " entries"};
  }
  FeatureMatrix made;
  made.rows_ = pattern.rows();
  made.columns_ = pattern.num_columns;
  made.offsets_.assign(pattern.offsets.begin(), pattern.offsets.end());
  made.indices_.assign(pattern.columns.begin(), pattern.columns.end());
  made.values_ = std::move(values);
  made.offset_ = std::move(offset);
  auto sparse = kernels::SparseMatrix::make({made.offsets_, made.indices_, made.columns_}, {.values = made.values_});
  if (!sparse) return sparse.error();
  made.sparse_ = *std::move(sparse);
  made.turned_ = kernels::transpose(made.sparse_.pattern());
  made.turned_values_.reserve(made.values_.size());
  if (!made.values_.empty()) {
    for (const std::uint64_t entry : made.turned_.source) made.turned_values_.push_back(made.values_[entry]);
  }
  made.turned_.source = {};
  auto transposed = kernels::SparseMatrix::make(made.turned_.view(), {.values = made.turned_values_});
  if (!transposed) return transposed.error();
  made.transposed_ = *std::move(transposed);
  return made;
}

Result<FeatureMatrix> FeatureMatrix::of_friends(graph::Csr graph) {
  if (const auto checked = kernels::check_undirected(graph.view()); !checked) return checked.error();
  FeatureMatrix made;
  made.rows_ = graph.rows();
  made.columns_ = graph.num_columns();
  made.friends_ = std::move(graph);
  auto sparse = kernels::SparseMatrix::make(made.friends_.view(), {});
  if (!sparse) return sparse.error();
  made.sparse_ = *std::move(sparse);
  made.transposed_ = made.sparse_;
  return made;
}

FeatureMatrix FeatureMatrix::make(kernels::Matrix dense) {
  FeatureMatrix made;
  made.rows_ = dense.rows();
  made.columns_ = dense.cols();
  made.dense_ = std::move(dense);
  return made;
}

Result<FeatureMatrix> FeatureMatrix::of_features(const graph::Features& features, graph::FeatureScale scale) {
  const auto scaled = [&](std::size_t column, float value) {
    return scale == graph::FeatureScale::unit ? features.to_unit(column, value) : value;
  };
  const std::size_t columns = features.cols();
  std::vector<float> offset(columns);
  for (std::size_t column = 0; column < columns; ++column) {
    offset[column] = scaled(column, features.schema().absent[column]);
  }
  std::vector<float> values(features.nonzeros());
  for (std::size_t entry = 0; entry < values.size(); ++entry) {
    const std::size_t column = features.pattern().columns()[entry];
    values[entry] = scaled(column, features.value(entry)) - offset[column];
  }
  const bool zero = std::all_of(offset.begin(), offset.end(), [](float value) { return value == 0; });
  return make(features.pattern().view(), std::move(values), zero ? std::vector<float>{} : std::move(offset));
}

}  // namespace ppgnn::calibrate
