#include "ppgnn/calibrate/calibrated_input.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "ppgnn/core/number.hpp"
#include "ppgnn/core/sizes.hpp"
#include "ppgnn/kernels/dense.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"

namespace ppgnn::calibrate {
namespace {

// How much longer a multiply-add takes in a sparse product, which gathers rows, than in a dense one; bench/kernels.
constexpr double kSparseSlowdown = 4;
// Products that the one-time cost of forming Z is spread over: a training run.
constexpr double kProducts = 500;
constexpr std::size_t kProbes = 16;
// Columns of Z formed at a time.
constexpr std::size_t kPanel = 64;

std::string millions(double count) {
  return format_number(std::round(count / 1e4) / 100);
}

// Splits the caller's scratch into parts, first come first served.
class Scratch {
 public:
  explicit Scratch(std::span<float> memory) noexcept : memory_(memory) {}
  MatrixView matrix(std::size_t rows, std::size_t cols) noexcept {
    const std::span<float> part = memory_.first(rows * cols);
    memory_ = memory_.subspan(rows * cols);
    return {part.data(), rows, cols};
  }
  [[nodiscard]] std::span<float> rest() const noexcept { return memory_; }

 private:
  std::span<float> memory_;
};

}  // namespace

CostModel predict_cost(const FeatureMatrix& features, const Propagation& propagation,
                       const CalibrationOptions& options) {
  const auto width = static_cast<double>(options.width);
  const auto hops = static_cast<double>(propagation.hops());
  const auto rows = static_cast<double>(features.rows());
  const auto columns = static_cast<double>(features.columns());
  const double hop_entries = hops * static_cast<double>(propagation.entries());
  const auto feature_entries = static_cast<double>(features.entries());

  // A product and its transpose: 2 flops per entry and column each; an entry reads an index and a row
  // of `width` floats.
  CostModel model;
  OrderCost& lazy = model.right_to_left;
  lazy.flops = 4 * width * (feature_entries + hop_entries);
  lazy.bytes = 2 * (feature_entries + hop_entries) * (4 * width + 4) + 2 * (hops + 1) * rows * 4 * width;
  lazy.memory = 4 * feature_entries + 2 * 4 * rows * width;
  lazy.time =
      4 * width * (kSparseSlowdown * hop_entries + (features.is_dense() ? 1 : kSparseSlowdown) * feature_entries);

  OrderCost& dense = model.dense;
  dense.flops = 4 * width * rows * columns;
  dense.bytes = 2 * 4 * rows * columns;
  dense.once =
      2 * columns * (hop_entries + (features.is_dense() ? rows * columns : 0));  // Z is formed as X E in panels
  dense.memory = 4 * rows * columns;
  dense.time = dense.flops + kSparseSlowdown * dense.once / kProducts;

  const bool fits = dense.memory <= static_cast<double>(options.max_dense_bytes);
  model.chosen = options.order.value_or(fits && dense.time < lazy.time ? Order::dense : Order::right_to_left);
  return model;
}

std::string CostModel::explain() const {
  const auto part = [](const char* name, const OrderCost& cost) {
    return std::string(name) + ": " + millions(cost.flops) + " Mflop and " + millions(cost.bytes) +
           " MB an epoch, once " + millions(cost.once) + " Mflop, keeps " + millions(cost.memory) + " MB";
  };
  return std::string("first layer ") + (chosen == Order::dense ? "dense" : "right to left") + " (" +
         part("right to left", right_to_left) + "; " + part("dense", dense) + ")";
}

double estimate_root_mean_square(const kernels::LinearOperator& matrix, std::uint64_t seed,
                                 const kernels::Threads& threads) {
  // Box and Muller: two uniform numbers make two Gaussian ones.
  kernels::Matrix probes(matrix.columns(), kProbes);
  for (std::size_t column = 0; column < matrix.columns(); ++column) {
    seeded::SeededStream stream(seed, seeded::Purpose::probe, column);
    const std::span<float> row = probes.view().row(column);
    for (std::size_t probe = 0; probe < kProbes; probe += 2) {
      const double radius = std::sqrt(-2 * std::log(1 - static_cast<double>(stream.next() >> 11) * 0x1p-53));
      const double angle = 2 * std::numbers::pi * static_cast<double>(stream.next() >> 11) * 0x1p-53;
      row[probe] = static_cast<float>(radius * std::cos(angle));
      row[probe + 1] = static_cast<float>(radius * std::sin(angle));
    }
  }
  kernels::Matrix out(matrix.rows(), kProbes);
  kernels::Matrix scratch(1, matrix.scratch(kProbes));
  matrix.apply(probes.view(), out.view(), scratch.values(), threads);
  double squares = 0;
  for (const float value : out.values()) squares += static_cast<double>(value) * static_cast<double>(value);
  const double count = static_cast<double>(matrix.rows()) * static_cast<double>(matrix.columns());
  return count == 0 ? 0 : std::sqrt(squares / (kProbes * count));
}

Result<CalibratedInput> CalibratedInput::make(std::shared_ptr<const FeatureMatrix> features, Propagation propagation,
                                              const CalibrationOptions& options, const kernels::Threads& threads) {
  if (features->rows() != propagation.nodes()) {
    return Error{ErrorCode::mismatch, "features have " + std::to_string(features->rows()) + " rows, the graph " +
                                          std::to_string(propagation.nodes()) + " nodes"};
  }
  if (options.root_mean_square && !(*options.root_mean_square > 0)) {
    return Error{ErrorCode::invalid_argument,
                 "root_mean_square must be above 0, but is " + format_number(*options.root_mean_square)};
  }
  CalibratedInput made;
  made.features_ = std::move(features);
  made.propagation_ = std::move(propagation);
  made.cost_ = predict_cost(*made.features_, made.propagation_, options);

  if (options.root_mean_square) {
    const double found = estimate_root_mean_square(made, options.seed, threads);
    if (!std::isfinite(found)) {
      return Error{ErrorCode::invalid_argument, "features are not finite: no common scale"};
    }
    if (found > 0) made.scale_ = *options.root_mean_square / found;
    made.propagation_.scale_by(made.scale_);
  }

  if (made.cost_.chosen == Order::dense) {
    kernels::Matrix formed(made.rows(), made.columns());
    for (std::size_t first = 0; first < made.columns(); first += kPanel) {
      const std::size_t count = std::min(kPanel, made.columns() - first);
      kernels::Matrix selection(made.columns(), count);
      for (std::size_t i = 0; i < count; ++i) selection.view().row(first + i)[i] = 1;
      kernels::Matrix panel(made.rows(), count);
      kernels::Matrix scratch(1, made.scratch(count));
      made.apply(selection.view(), panel.view(), scratch.values(), threads);
      kernels::copy(panel.view(), kernels::Panel(formed.view(), first, count), threads);
    }
    made.formed_ = std::move(formed);
    made.order_ = Order::dense;
  }
  return made;
}

std::size_t CalibratedInput::scratch(std::size_t width) const noexcept {
  const std::size_t transposed = kernels::multiply_transpose_scratch(rows(), columns(), width);
  if (order_ == Order::dense) return transposed;
  const std::size_t after =
      std::max(features_->is_dense() ? transposed : 0, kernels::column_sums_scratch(rows(), width));
  const std::size_t buffers = propagation_.identity() ? 0 : propagation_.hops() == 0 ? 1 : 2;
  return capped_sum({capped_product({buffers, rows(), width}), width, after});
}

// out = rest (first (S W + 1 offset^T W)), or Z W.
void CalibratedInput::apply(ConstMatrixView weights, MatrixView out, std::span<float> scratch,
                            const kernels::Threads& threads) const {
  assert(weights.rows == columns() && out.rows == rows() && scratch.size() >= this->scratch(weights.cols));
  if (order_ == Order::dense) {
    kernels::multiply(formed_.view(), weights, out, threads);
    return;
  }
  Scratch memory(scratch);
  const MatrixView buffer = memory.matrix(between_hops(), weights.cols);
  const MatrixView start = propagation_.start(buffer, out);
  if (features_->is_dense()) {
    kernels::multiply(features_->dense(), weights, start, threads);
    if (!propagation_.identity()) kernels::scale_rows(propagation_.first(), start, start, threads);
  } else if (features_->offset().empty()) {
    kernels::multiply_scaled(features_->sparse(), propagation_.first(), {}, weights, start, threads);
  } else {
    const MatrixView row = memory.matrix(1, weights.cols);
    kernels::multiply(ConstMatrixView{features_->offset().data(), 1, columns()}, weights, row, threads);
    kernels::multiply(features_->sparse(), weights, start, threads);
    kernels::add_to_rows(row.row(0), start, threads);
    kernels::scale_rows(propagation_.first(), start, start, threads);
  }
  propagation_.finish(buffer, out, threads);
}

// out = S^T (P^K)^T G + offset (1^T (P^K)^T G), or Z^T G.
void CalibratedInput::apply_transpose(ConstMatrixView gradient, MatrixView out, std::span<float> scratch,
                                      const kernels::Threads& threads) const {
  assert(gradient.rows == rows() && out.rows == columns() && scratch.size() >= this->scratch(gradient.cols));
  if (order_ == Order::dense) {
    kernels::multiply_transpose(formed_.view(), gradient, out, scratch, threads);
    return;
  }
  Scratch memory(scratch);
  const MatrixView buffer = memory.matrix(between_hops(), gradient.cols);
  ConstMatrixView spread = gradient;
  if (!propagation_.identity()) {
    const MatrixView out_of_hops = memory.matrix(rows(), gradient.cols);
    propagation_.apply_transpose(gradient, buffer, out_of_hops, threads);
    spread = out_of_hops;
  }
  if (features_->is_dense()) {
    kernels::multiply_transpose(features_->dense(), spread, out, memory.rest(), threads);
    return;
  }
  kernels::multiply(features_->transposed(), spread, out, threads);
  if (features_->offset().empty()) return;
  const MatrixView sums = memory.matrix(1, gradient.cols);
  kernels::column_sums(spread, sums.row(0), memory.rest(), threads);
  for (std::size_t row = 0; row < out.rows; ++row) {
    const float offset = features_->offset()[row];
    for (std::size_t c = 0; c < out.cols; ++c) out.data[row * out.cols + c] += offset * sums.data[c];
  }
}

}  // namespace ppgnn::calibrate
