// GraphSAGE with mean aggregation (Hamilton et al., 2017): out = M t_left + t_right + b, where W = [W_left | W_right]
// and M averages the neighbours without the node itself; a node without neighbours averages to 0.
#include <algorithm>
#include <vector>

#include "nn/glorot.hpp"
#include "nn/layers.hpp"
#include "ppgnn/kernels/dense.hpp"
#include "ppgnn/kernels/matrix.hpp"
#include "ppgnn/kernels/sparse.hpp"

namespace ppgnn::nn {
namespace {

class Sage final : public GraphLayer {
 public:
  Sage(const CsrView& graph, const LayerShape& shape)
      : shape_(shape), scale_(graph.rows()), scaled_(graph.rows(), shape.columns()) {
    for (std::size_t node = 0; node < scale_.size(); ++node) {
      const std::size_t degree = graph.row(node).size();
      scale_[node] = degree == 0 ? 0.0F : 1.0F / static_cast<float>(degree);
    }
    mean_ = *kernels::SparseMatrix::make(graph, {.row_scale = scale_});
    scratch_.resize(kernels::column_sums_scratch(graph.rows(), shape.columns()));
  }

  std::size_t transformed_columns() const noexcept override { return 2 * shape_.columns(); }
  std::size_t output_columns() const noexcept override { return shape_.columns(); }
  std::size_t own_parameters() const noexcept override { return shape_.columns(); }

  void initialise(MatrixView weights, std::span<float> own, seeded::SeededStream& stream) const noexcept override {
    const std::size_t fan_out = shape_.heads * shape_.width;
    glorot(weights, 0, shape_, weights.rows, fan_out, stream);
    glorot(weights, shape_.columns(), shape_, weights.rows, fan_out, stream);
    std::fill(own.begin(), own.end(), 0.0F);
  }

  // out = M t_left + t_right + b.
  void forward(std::span<const float> own, ConstMatrixView t, MatrixView out,
               const kernels::Threads& threads) override {
    const std::size_t columns = shape_.columns();
    kernels::multiply(mean_, kernels::ConstPanel(t, 0, columns), out, threads);
    kernels::add(kernels::ConstPanel(t, columns, columns), out, threads);
    kernels::add_to_rows(own, out, threads);
  }

  // gradient_t = [M^T gradient | gradient], M^T = A D^-1; gradient_b = column sums.
  void backward(std::span<const float>, ConstMatrixView, ConstMatrixView gradient, MatrixView gradient_t,
                std::span<float> own_gradient, const kernels::Threads& threads) override {
    const std::size_t columns = shape_.columns();
    kernels::scale_rows(scale_, gradient, scaled_.view(), threads);
    kernels::multiply_scaled(mean_, {}, {}, scaled_.view(), kernels::Panel(gradient_t, 0, columns), threads);
    kernels::copy(gradient, kernels::Panel(gradient_t, columns, columns), threads);
    kernels::column_sums(gradient, own_gradient, scratch_, threads);
  }

 private:
  LayerShape shape_;
  std::vector<float> scale_;
  kernels::Matrix scaled_;
  kernels::SparseMatrix mean_;
  std::vector<float> scratch_;
};

}  // namespace

std::unique_ptr<GraphLayer> make_sage(const CsrView& graph, const LayerShape& shape) {
  return std::make_unique<Sage>(graph, shape);
}

}  // namespace ppgnn::nn
