#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/core/views.hpp"
#include "ppgnn/graph/csr.hpp"
#include "ppgnn/graph/features.hpp"
#include "ppgnn/kernels/matrix.hpp"
#include "ppgnn/kernels/sparse.hpp"

namespace ppgnn::calibrate {

/// What is known of every node's features before calibration, X (nodes x columns), as
///     X = S + 1 offset^T      or a dense matrix,
/// with S sparse and kept with its transpose. The offset is what an entry that a sparse row leaves out stands for.
///
/// Threads  Immutable; shared freely. Moving keeps every view valid.
class FeatureMatrix {
 public:
  FeatureMatrix() = default;

  /// Sparse rows; `values` one per entry of the pattern, or none where all are one: a product with ones is a sum, with
  /// the same bits. `offset` is empty or one per column.
  [[nodiscard]] static Result<FeatureMatrix> make(const CsrView& pattern, std::vector<float> values,
                                                  std::vector<float> offset = {});
  /// Who is whose friend: ones at the entries of an undirected graph, which is its own transpose and kept once.
  ///
  /// Errors  Those of kernels::check_undirected.
  [[nodiscard]] static Result<FeatureMatrix> of_friends(graph::Csr graph);
  /// A dense matrix, for mechanisms that report every column.
  [[nodiscard]] static FeatureMatrix make(kernels::Matrix dense);

  /// Clean features: as in the file (what non-private training sees), or on the scale [-1, 1] that devices perturb
  /// (what estimates aim at).
  [[nodiscard]] static Result<FeatureMatrix> of_features(const graph::Features& features, graph::FeatureScale scale);

  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t columns() const noexcept { return columns_; }
  [[nodiscard]] bool is_dense() const noexcept { return dense_.size() > 0; }
  /// Multiply-adds of X times one dense column.
  [[nodiscard]] std::size_t entries() const noexcept {
    return is_dense() ? dense_.size() : sparse_.pattern().nonzeros();
  }

  [[nodiscard]] ConstMatrixView dense() const noexcept { return dense_.view(); }
  [[nodiscard]] const kernels::SparseMatrix& sparse() const noexcept { return sparse_; }
  [[nodiscard]] const kernels::SparseMatrix& transposed() const noexcept { return transposed_; }
  [[nodiscard]] std::span<const float> offset() const noexcept { return offset_; }

 private:
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  kernels::Matrix dense_;
  graph::Csr friends_;
  // Vectors keep their memory when moved, so the views of the two matrices into them stay valid. Never copied: the
  // dense matrix forbids it.
  std::vector<std::uint64_t> offsets_;
  std::vector<std::uint32_t> indices_;
  std::vector<float> values_;  // empty where all are one
  kernels::TransposedPattern turned_;
  std::vector<float> turned_values_;
  std::vector<float> offset_;
  kernels::SparseMatrix sparse_;
  kernels::SparseMatrix transposed_;
};

}  // namespace ppgnn::calibrate
