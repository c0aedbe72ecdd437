// Graph attention (Velickovic et al., 2018), heads concatenated:
//     a_ij = softmax over j in N(i) and i of LeakyReLU(to_i + from_j), from = t v_from, to = t v_to;
//     out_i = sum_j a_ij t_j + b.
#include <algorithm>
#include <vector>

#include "nn/glorot.hpp"
#include "nn/layers.hpp"
#include "ppgnn/kernels/attention.hpp"
#include "ppgnn/kernels/dense.hpp"
#include "ppgnn/kernels/matrix.hpp"
#include "ppgnn/kernels/sparse.hpp"

namespace ppgnn::nn {
namespace {

// The pattern with every self-loop stored: attention has one number per entry, the node itself included.
struct LoopedPattern {
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint32_t> columns;

  explicit LoopedPattern(const CsrView& graph) {
    offsets.reserve(graph.rows() + 1);
    columns.reserve(graph.nonzeros() + graph.rows());
    for (std::uint32_t node = 0; node < graph.rows(); ++node) {
      const std::span<const std::uint32_t> row = graph.row(node);
      const auto larger = std::upper_bound(row.begin(), row.end(), node);
      columns.insert(columns.end(), row.begin(), larger);
      columns.push_back(node);
      columns.insert(columns.end(), larger, row.end());
      offsets.push_back(columns.size());
    }
  }
  CsrView view() const noexcept { return {offsets, columns, offsets.size() - 1}; }
};

class Gat final : public GraphLayer {
 public:
  Gat(const CsrView& graph, const LayerShape& shape)
      : shape_(shape),
        looped_(graph),
        matrix_(*kernels::SparseMatrix::make(looped_.view(), {}, kernels::kOneBand)),
        from_(graph.rows(), shape.heads),
        to_(graph.rows(), shape.heads),
        gradient_from_(graph.rows(), shape.heads),
        gradient_to_(graph.rows(), shape.heads),
        weights_(looped_.columns.size(), shape.heads),
        score_gradient_(looped_.columns.size(), shape.heads) {
    // The graph is symmetric: its transpose is itself, only the place of each entry differs.
    source_ = kernels::transpose(looped_.view()).source;
    pattern_ = {.forward = &matrix_, .transposed = &matrix_, .source = source_};
    scratch_.resize(std::max(kernels::column_sums_scratch(graph.rows(), shape.columns()),
                             kernels::attention_vector_scratch(graph.rows(), shape.columns())));
  }

  std::size_t transformed_columns() const noexcept override { return shape_.columns(); }
  std::size_t output_columns() const noexcept override { return shape_.columns(); }
  // b, v_from, v_to.
  bool reads_transformed() const noexcept override { return true; }
  std::size_t own_parameters() const noexcept override { return 3 * shape_.columns(); }

  void initialise(MatrixView weights, std::span<float> own, seeded::SeededStream& stream) const noexcept override {
    glorot(weights, 0, shape_, weights.rows, shape_.heads * shape_.width, stream);
    const std::size_t columns = shape_.columns();
    std::fill_n(own.begin(), columns, 0.0F);
    for (std::size_t part = 1; part < 3; ++part) {
      const MatrixView vector{own.data() + part * columns, 1, columns};
      glorot(vector, 0, shape_, shape_.heads, shape_.width, stream);
    }
  }

  void forward(std::span<const float> own, ConstMatrixView t, MatrixView out,
               const kernels::Threads& threads) override {
    const std::size_t columns = shape_.columns();
    kernels::attention_scores(t, own.subspan(columns, columns), shape_.heads, from_.view(), threads);
    kernels::attention_scores(t, own.subspan(2 * columns, columns), shape_.heads, to_.view(), threads);
    kernels::attention_forward(pattern_, t, shape_.heads, from_.view(), to_.view(), weights_.view(), out, threads);
    kernels::add_to_rows(own.first(columns), out, threads);
  }

  void backward(std::span<const float> own, ConstMatrixView t, ConstMatrixView gradient, MatrixView gradient_t,
                std::span<float> own_gradient, const kernels::Threads& threads) override {
    const std::size_t columns = shape_.columns();
    kernels::column_sums(gradient, own_gradient.first(columns), scratch_, threads);
    kernels::attention_backward_scores(pattern_, t, shape_.heads, from_.view(), to_.view(), weights_.view(), gradient,
                                       score_gradient_.view(), gradient_to_.view(), threads);
    kernels::attention_backward_nodes(pattern_, shape_.heads, weights_.view(), score_gradient_.view(), gradient,
                                      gradient_to_.view(), own.subspan(columns, columns),
                                      own.subspan(2 * columns, columns), gradient_from_.view(), gradient_t, threads);
    kernels::attention_vector_gradient(t, gradient_from_.view(), own_gradient.subspan(columns, columns), scratch_,
                                       threads);
    kernels::attention_vector_gradient(t, gradient_to_.view(), own_gradient.subspan(2 * columns, columns), scratch_,
                                       threads);
  }

 private:
  LayerShape shape_;
  LoopedPattern looped_;
  kernels::SparseMatrix matrix_;
  std::vector<std::uint64_t> source_;
  kernels::AttentionPattern pattern_;
  kernels::Matrix from_;
  kernels::Matrix to_;
  kernels::Matrix gradient_from_;
  kernels::Matrix gradient_to_;
  kernels::Matrix weights_;
  kernels::Matrix score_gradient_;
  std::vector<float> scratch_;
};

}  // namespace

std::unique_ptr<GraphLayer> make_gat(const CsrView& graph, const LayerShape& shape) {
  return std::make_unique<Gat>(graph, shape);
}

}  // namespace ppgnn::nn
