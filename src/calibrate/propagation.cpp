#include "ppgnn/calibrate/propagation.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <string>
#include <utility>

#include "calibrate/operators.hpp"
#include "ppgnn/kernels/dense.hpp"

namespace ppgnn::calibrate {
namespace {

Diagonals diagonals_of(Operator kind, const Neighbourhood& neighbourhood, std::span<const float> weights) {
  switch (kind) {
    case Operator::kprop:
      return kprop(neighbourhood);
    case Operator::flexprop:
    case Operator::inverse_variance:  // the same with other weights
      return flexprop(neighbourhood, weights);
    case Operator::convolution:
      return convolution(neighbourhood, weights);
    case Operator::mean:
      return mean(neighbourhood);
  }
  return {};
}

std::vector<float> product(std::span<const float> a, std::span<const float> b) {
  std::vector<float> out(a.size());
  std::transform(a.begin(), a.end(), b.begin(), out.begin(), [](float x, float y) { return x * y; });
  return out;
}

bool all_ones(std::span<const float> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](float number) { return number == 1; });
}

}  // namespace

Result<Propagation> Propagation::make(graph::Csr graph, const PropagationOptions& options,
                                      std::span<const float> weights) {
  if (const auto checked = kernels::check_undirected(graph.view()); !checked) return checked.error();
  const std::size_t expected = takes_weights(options.kind) ? graph.rows() : 0;
  if (weights.size() != expected) {
    return Error{ErrorCode::mismatch,
                 "operator takes " + std::to_string(expected) + " weights, but has " + std::to_string(weights.size())};
  }
  for (std::size_t node = 0; node < weights.size(); ++node) {
    if (!(weights[node] >= 0) || !std::isfinite(weights[node])) {
      return Error{ErrorCode::invalid_argument, "weight of node " + std::to_string(node) + " is not a number >= 0"};
    }
  }
  const Self self = options.self.value_or(options.kind == Operator::kprop ? Self::exclude : Self::include);

  Propagation made;
  made.graph_ = std::move(graph);
  made.hops_ = options.hops;
  const Neighbourhood neighbourhood{
      .graph = made.graph_.view(),
      .diagonal = self == Self::include ? kernels::Diagonal::all : kernels::Diagonal::empty_rows,
      .hops = options.hops};
  const Diagonals diagonals = diagonals_of(options.kind, neighbourhood, weights);
  if (options.hops == 0) {
    made.first_ = product(diagonals.input, diagonals.output);
  } else {
    made.middle_ = product(diagonals.column, diagonals.row);
    made.first_ = product(diagonals.column, diagonals.input);
    made.last_ = product(diagonals.output, diagonals.row);
  }
  made.ones_ = all_ones(made.first_);
  auto adjacency = kernels::SparseMatrix::make(made.graph_.view(), {.diagonal = neighbourhood.diagonal});
  if (!adjacency) return adjacency.error();
  made.adjacency_ = *std::move(adjacency);
  return made;
}

bool takes_weights(Operator kind) noexcept {
  return kind != Operator::kprop && kind != Operator::mean;
}

std::size_t Propagation::entries() const noexcept {
  return graph_.nonzeros() + graph_.rows();
}

void Propagation::scale_by(double factor) noexcept {
  for (float& value : hops_ == 0 ? first_ : last_) value = static_cast<float>(static_cast<double>(value) * factor);
  ones_ = all_ones(first_);
}

void Propagation::weigh_rows(std::span<const float> factors) noexcept {
  assert(factors.size() == first_.size());
  std::transform(first_.begin(), first_.end(), factors.begin(), first_.begin(), [](float x, float y) { return x * y; });
  ones_ = all_ones(first_);
}

// y_0 = start;  y_k = scale_k A' y_(k-1), scale_k = middle for k < hops, else last. Buffers alternate; y_hops is out.
void Propagation::run(std::span<const float> last, MatrixView scratch, MatrixView out,
                      const kernels::Threads& threads) const {
  assert(scratch.rows == nodes() && out.rows == nodes() && scratch.cols == out.cols && scratch.data != out.data);
  for (std::size_t hop = 1; hop <= hops_; ++hop) {
    const bool to_out = (hops_ - hop) % 2 == 0;
    kernels::multiply_scaled(adjacency_, hop == hops_ ? last : middle_, {}, to_out ? scratch : out,
                             to_out ? out : scratch, threads);
  }
}

void Propagation::apply(ConstMatrixView x, MatrixView scratch, MatrixView out, const kernels::Threads& threads) const {
  kernels::scale_rows(first_, x, start(scratch, out), threads);
  finish(scratch, out, threads);
}

void Propagation::apply_transpose(ConstMatrixView x, MatrixView scratch, MatrixView out,
                                  const kernels::Threads& threads) const {
  kernels::scale_rows(hops_ == 0 ? first_ : last_, x, start(scratch, out), threads);
  if (hops_ > 0) run(first_, scratch, out, threads);
}

Result<graph::Csr> simple_graph(const graph::Csr& graph) {
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint32_t> columns;
  offsets.reserve(graph.rows() + 1);
  columns.reserve(graph.nonzeros());
  for (std::size_t row = 0; row < graph.rows(); ++row) {
    for (const std::uint32_t column : graph.row(row)) {
      if (column != row) columns.push_back(column);
    }
    offsets.push_back(columns.size());
  }
  const bool unchanged = columns.size() == graph.nonzeros();
  auto made = unchanged ? Result<graph::Csr>(graph)
                        : graph::Csr::make(std::move(offsets), std::move(columns), graph.num_columns());
  if (!made) return made;
  if (const auto checked = kernels::check_undirected(made->view()); !checked) return checked.error();
  return made;
}

}  // namespace ppgnn::calibrate
