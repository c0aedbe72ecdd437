#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/core/views.hpp"
#include "ppgnn/graph/csr.hpp"
#include "ppgnn/kernels/sparse.hpp"
#include "ppgnn/kernels/threads.hpp"

namespace ppgnn::calibrate {

/// How noise is averaged over neighbours. To add one: a file beside kprop.cpp, its line in operators.hpp, its name here
/// and in kOperators.
enum class Operator {
  kprop,             ///< LPGNN: D^-1/2 A D^-1/2 at every hop
  flexprop,          ///< the paper: rows weighted by the reported level at every hop
  convolution,       ///< strict reports: (P^K n) / (P^K c), weights enter once
  mean,              ///< plain mean of neighbours at every hop
  inverse_variance,  ///< the weights that the paper derives and does not use: 1 / variance, at every hop
};

struct OperatorName {
  Operator kind;
  std::string_view name;
};
inline constexpr std::array kOperators{
    OperatorName{Operator::kprop, "kprop"}, OperatorName{Operator::flexprop, "flexprop"},
    OperatorName{Operator::convolution, "convolution"}, OperatorName{Operator::mean, "mean"},
    OperatorName{Operator::inverse_variance, "inverse-variance"}};

/// Whether an operator weighs people.
[[nodiscard]] bool takes_weights(Operator kind) noexcept;

/// Whether a node is its own neighbour.
enum class Self { include, exclude };

struct PropagationOptions {
  Operator kind = Operator::convolution;
  std::size_t hops = 4;        ///< K; 0 keeps every row
  std::optional<Self> self{};  ///< default: exclude for kprop, include for the others
};

/// The linear map P^K on rows of node features.
///
/// Degenerate   An isolated node keeps its own row under every operator. A node none of whose neighbours within reach
///              has weight gets a zero row. Never NaN.
/// Determinism  Same bits for any thread count on one instruction set.
/// Threads      Products do not change it; shared freely.
/// Cost         O(hops * edges * width) time; one extra n x width buffer.
class Propagation {
 public:
  Propagation() = default;

  /// `graph` is undirected, without stored self-loops (see simple_graph). `weights`, one per node, >= 0 and finite: the
  /// reported level for flexprop, one over the variance for inverse_variance, the mass of the report for convolution, 0 for people who never reported; the other
  /// operators take none.
  ///
  /// Errors  invalid_argument or mismatch, naming what does not fit.
  [[nodiscard]] static Result<Propagation> make(graph::Csr graph, const PropagationOptions& options,
                                                std::span<const float> weights = {});

  [[nodiscard]] std::size_t nodes() const noexcept { return graph_.rows(); }
  [[nodiscard]] std::size_t hops() const noexcept { return hops_; }
  /// Multiply-adds of one hop per column.
  [[nodiscard]] std::size_t entries() const noexcept;

  /// From here on every product is `factor` times what it was.
  void scale_by(double factor) noexcept;

  /// From here on every product is that with the rows of x times these factors, one per node.
  void weigh_rows(std::span<const float> factors) noexcept;

  /// out = P^K x; `scratch` has the shape of x. All three apart.
  void apply(ConstMatrixView x, MatrixView scratch, MatrixView out, const kernels::Threads& threads) const;
  /// out = (P^K)^T x; `scratch` has the shape of x. All three apart.
  void apply_transpose(ConstMatrixView x, MatrixView scratch, MatrixView out, const kernels::Threads& threads) const;

  /// For callers that produce x and save a pass by scaling it themselves: P^K = rest * first, `first` diagonal. They
  /// write first x into start(scratch, out), then finish() turns it into out = P^K x.
  /// Empty where it is all ones.
  [[nodiscard]] std::span<const float> first() const noexcept {
    return identity() ? std::span<const float>() : std::span<const float>(first_);
  }
  /// Whether every product is x itself.
  [[nodiscard]] bool identity() const noexcept { return hops_ == 0 && ones_; }
  /// Without hops `scratch` is not used and may be empty.
  [[nodiscard]] MatrixView start(MatrixView scratch, MatrixView out) const noexcept {
    return hops_ % 2 == 0 ? out : scratch;
  }
  void finish(MatrixView scratch, MatrixView out, const kernels::Threads& threads) const {
    if (hops_ > 0) run(last_, scratch, out, threads);
  }

 private:
  void run(std::span<const float> last, MatrixView scratch, MatrixView out, const kernels::Threads& threads) const;

  // P^K = last A' (middle A')^(hops - 1) first, all three diagonal, A' the pattern with its diagonal; without hops first
  // alone. A' is symmetric, so the transpose swaps first and last.
  graph::Csr graph_;
  std::size_t hops_ = 0;
  std::vector<float> first_;
  std::vector<float> middle_;
  std::vector<float> last_;
  bool ones_ = false;  // first is
  kernels::SparseMatrix adjacency_;
};

/// The graph without stored self-loops, as every operator and layer of the engine takes it.
///
/// Errors  invalid_argument when it is not symmetric.
[[nodiscard]] Result<graph::Csr> simple_graph(const graph::Csr& graph);

}  // namespace ppgnn::calibrate
