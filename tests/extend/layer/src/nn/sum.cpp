// The plainest layer there is: out = A t / 8 + b, a node not among its own neighbours.
#include <algorithm>
#include <vector>

#include "nn/glorot.hpp"
#include "nn/layers.hpp"
#include "ppgnn/kernels/dense.hpp"
#include "ppgnn/kernels/sparse.hpp"

namespace ppgnn::nn {
namespace {

class Sum final : public GraphLayer {
 public:
  Sum(const CsrView& graph, const LayerShape& shape)
      : shape_(shape), scale_(graph.rows(), 0.125F), sum_(*kernels::SparseMatrix::make(graph, {.row_scale = scale_})) {
    scratch_.resize(kernels::column_sums_scratch(graph.rows(), shape.columns()));
  }

  std::size_t transformed_columns() const noexcept override { return shape_.columns(); }
  std::size_t output_columns() const noexcept override { return shape_.columns(); }
  std::size_t own_parameters() const noexcept override { return shape_.columns(); }

  void initialise(MatrixView weights, std::span<float> own, seeded::SeededStream& stream) const noexcept override {
    glorot(weights, 0, shape_, weights.rows, shape_.heads * shape_.width, stream);
    std::fill(own.begin(), own.end(), 0.0F);
  }

  void forward(std::span<const float> own, ConstMatrixView t, MatrixView out,
               const kernels::Threads& threads) override {
    kernels::multiply(sum_, t, out, threads);
    kernels::add_to_rows(own, out, threads);
  }

  // A is symmetric.
  void backward(std::span<const float>, ConstMatrixView, ConstMatrixView gradient, MatrixView gradient_t,
                std::span<float> own_gradient, const kernels::Threads& threads) override {
    kernels::multiply(sum_, gradient, gradient_t, threads);
    kernels::column_sums(gradient, own_gradient, scratch_, threads);
  }

 private:
  LayerShape shape_;
  std::vector<float> scale_;
  kernels::SparseMatrix sum_;  // A / 8
  std::vector<float> scratch_;
};

}  // namespace

std::unique_ptr<GraphLayer> make_sum(const CsrView& graph, const LayerShape& shape) {
  return std::make_unique<Sum>(graph, shape);
}

}  // namespace ppgnn::nn
