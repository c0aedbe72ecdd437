// Graph convolution (Kipf and Welling, 2017): out = S t + b, S = D^-1/2 (A + I) D^-1/2, D the degrees of A + I.
#include <algorithm>
#include <cmath>
#include <vector>

#include "nn/glorot.hpp"
#include "nn/layers.hpp"
#include "ppgnn/kernels/dense.hpp"
#include "ppgnn/kernels/matrix.hpp"
#include "ppgnn/kernels/sparse.hpp"

namespace ppgnn::nn {
namespace {

class Gcn final : public GraphLayer {
 public:
  Gcn(const CsrView& graph, const LayerShape& shape)
      : shape_(shape), scale_(graph.rows()), scaled_(graph.rows(), shape.columns()) {
    for (std::size_t node = 0; node < scale_.size(); ++node) {
      scale_[node] = static_cast<float>(1 / std::sqrt(static_cast<double>(graph.row(node).size() + 1)));
    }
    sum_ = *kernels::SparseMatrix::make(graph, {.row_scale = scale_, .diagonal = kernels::Diagonal::all});
    scratch_.resize(kernels::column_sums_scratch(graph.rows(), shape.columns()));
  }

  std::size_t transformed_columns() const noexcept override { return shape_.columns(); }
  std::size_t output_columns() const noexcept override { return shape_.columns(); }
  std::size_t own_parameters() const noexcept override { return shape_.columns(); }

  void need(std::span<const std::uint32_t> rows) noexcept override { needed_ = rows; }

  void initialise(MatrixView weights, std::span<float> own, seeded::SeededStream& stream) const noexcept override {
    glorot(weights, 0, shape_, weights.rows, shape_.heads * shape_.width, stream);
    std::fill(own.begin(), own.end(), 0.0F);
  }

  // out = S t + b. Scaling t first costs one pass over the nodes; scaling in the sum would cost a look-up per edge.
  void forward(std::span<const float> own, ConstMatrixView t, MatrixView out,
               const kernels::Threads& threads) override {
    if (edgeless()) return kernels::add_to_rows(own, t, out, threads);
    kernels::scale_rows(scale_, t, scaled_.view(), threads);
    kernels::multiply_plus(sum_, scaled_.view(), own, needed_, out, threads);
  }

  // gradient_t = S^T gradient = S gradient; gradient_b = column sums.
  void backward(std::span<const float>, ConstMatrixView, ConstMatrixView gradient, MatrixView gradient_t,
                std::span<float> own_gradient, const kernels::Threads& threads) override {
    if (edgeless()) {
      kernels::copy(gradient, gradient_t, threads);
    } else {
      kernels::scale_rows(scale_, gradient, scaled_.view(), threads);
      kernels::multiply(sum_, scaled_.view(), gradient_t, threads);
    }
    kernels::column_sums(gradient, own_gradient, scratch_, threads);
  }

 private:
  // S is the identity where nobody has a neighbour.
  [[nodiscard]] bool edgeless() const noexcept { return sum_.pattern().nonzeros() == 0; }

  LayerShape shape_;
  std::vector<float> scale_;
  kernels::Matrix scaled_;
  kernels::SparseMatrix sum_;  // D^-1/2 (A + I)
  std::vector<float> scratch_;
  std::span<const std::uint32_t> needed_;
};

}  // namespace

std::unique_ptr<GraphLayer> make_gcn(const CsrView& graph, const LayerShape& shape) {
  return std::make_unique<Gcn>(graph, shape);
}

}  // namespace ppgnn::nn
