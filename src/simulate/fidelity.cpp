#include "ppgnn/simulate/fidelity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "ppgnn/kernels/matrix.hpp"
#include "ppgnn/random/samplers.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"
#include "ppgnn/server/training.hpp"

namespace ppgnn::simulate {

namespace {

// Columns of one product.
constexpr std::size_t kPanel = 64;

// Of one row z of the calibrated and c of the clean features.
struct Sums {
  double noisy = 0;  // |z|^2
  double clean = 0;  // |c|^2
  double both = 0;   // z . c

  void add(float noisy_value, float clean_value) noexcept {
    const auto z = static_cast<double>(noisy_value);
    const auto c = static_cast<double>(clean_value);
    noisy += z * z;
    clean += c * c;
    both += z * c;
  }
};

bool same_shape(const kernels::LinearOperator& calibrated, const kernels::LinearOperator& clean) noexcept {
  return calibrated.rows() == clean.rows() && calibrated.columns() == clean.columns();
}

Fidelity fidelity_of(const std::vector<Sums>& of_row) {
  Fidelity fidelity;
  Sums all;
  for (const Sums& sums : of_row) {
    const double length = std::sqrt(sums.noisy * sums.clean);
    if (length > 0) fidelity.cosine += sums.both / length;
    all.noisy += sums.noisy;
    all.clean += sums.clean;
    all.both += sums.both;
  }
  if (!of_row.empty()) fidelity.cosine /= static_cast<double>(of_row.size());
  // |s Z - C|^2 is least at s = Z.C / |Z|^2, and then |C|^2 - (Z.C)^2 / |Z|^2.
  const double explained = all.noisy > 0 ? all.both * all.both / all.noisy : 0;
  fidelity.relative_error = all.clean > 0 ? std::sqrt(std::max(0.0, all.clean - explained) / all.clean) : 0;
  return fidelity;
}

}  // namespace

Result<Fidelity> feature_fidelity(const kernels::LinearOperator& calibrated, const kernels::LinearOperator& clean,
                                  const kernels::Threads& threads) {
  if (!same_shape(calibrated, clean)) {
    return Error{ErrorCode::mismatch, "calibrated and clean features differ in shape"};
  }
  const std::size_t rows = clean.rows();
  const std::size_t columns = clean.columns();
  std::vector<Sums> of_row(rows);
  for (std::size_t first = 0; first < columns; first += kPanel) {
    const std::size_t count = std::min(kPanel, columns - first);
    kernels::Matrix selection(columns, count);
    for (std::size_t i = 0; i < count; ++i) selection.view().row(first + i)[i] = 1;
    const auto panel_of = [&](const kernels::LinearOperator& matrix) {
      kernels::Matrix panel(rows, count);
      kernels::Matrix scratch(1, matrix.scratch(count));
      matrix.apply(selection.view(), panel.view(), scratch.values(), threads);
      return panel;
    };
    const kernels::Matrix noisy = panel_of(calibrated);
    const kernels::Matrix exact = panel_of(clean);
    for (std::size_t i = 0; i < noisy.size(); ++i) of_row[i / count].add(noisy.values()[i], exact.values()[i]);
  }
  return fidelity_of(of_row);
}

Result<Fidelity> feature_fidelity(const kernels::LinearOperator& calibrated, const kernels::LinearOperator& clean,
                                  std::span<const std::uint32_t> nodes, const kernels::Threads& threads) {
  if (!same_shape(calibrated, clean)) {
    return Error{ErrorCode::mismatch, "calibrated and clean features differ in shape"};
  }
  if (std::any_of(nodes.begin(), nodes.end(), [&](std::uint32_t node) { return node >= clean.rows(); })) {
    return Error{ErrorCode::mismatch, "a node is outside the features"};
  }
  std::vector<Sums> of_node(nodes.size());
  for (std::size_t first = 0; first < nodes.size(); first += kPanel) {
    const std::size_t count = std::min(kPanel, nodes.size() - first);
    kernels::Matrix selection(clean.rows(), count);
    for (std::size_t i = 0; i < count; ++i) selection.view().row(nodes[first + i])[i] = 1;
    // The rows of these nodes, as columns.
    const auto panel_of = [&](const kernels::LinearOperator& matrix) {
      kernels::Matrix panel(matrix.columns(), count);
      kernels::Matrix scratch(1, matrix.scratch(count));
      matrix.apply_transpose(selection.view(), panel.view(), scratch.values(), threads);
      return panel;
    };
    const kernels::Matrix noisy = panel_of(calibrated);
    const kernels::Matrix exact = panel_of(clean);
    for (std::size_t i = 0; i < noisy.size(); ++i) {
      of_node[first + i % count].add(noisy.values()[i], exact.values()[i]);
    }
  }
  return fidelity_of(of_node);
}

Result<Fidelity> fidelity(const server::Problem& problem, const calibrate::Collected& collected,
                          const graph::Features& features, std::size_t hops, std::uint64_t seed) {
  constexpr std::size_t kSample = 256;
  const kernels::Threads one(1);
  const Result<calibrate::FeatureMatrix> exact =
      calibrate::FeatureMatrix::of_features(features, graph::FeatureScale::unit);
  if (!exact) return exact.error();
  calibrate::NodeOrder::Rows rows =
      problem.order().renumber_rows(exact->sparse().pattern(), exact->sparse().numbers().values);
  Result<calibrate::FeatureMatrix> placed =
      calibrate::FeatureMatrix::make({rows.offsets, rows.columns, features.cols()}, std::move(rows.values),
                                     {exact->offset().begin(), exact->offset().end()});
  if (!placed) return placed.error();
  const calibrate::Collected clean{std::make_shared<const calibrate::FeatureMatrix>(std::move(placed).value()),
                                   collected.kind, collected.weights};
  // Neither is ever formed.
  const calibrate::CalibrationOptions never_formed{.order = calibrate::Order::right_to_left};
  const auto noisy_input = server::calibrated(problem, collected, hops, never_formed, one);
  if (!noisy_input) return noisy_input.error();
  const auto clean_input = server::calibrated(problem, clean, hops, never_formed, one);
  if (!clean_input) return clean_input.error();
  if (features.cols() <= kSample) return feature_fidelity(*noisy_input, *clean_input, one);

  // The first of a shuffle.
  std::vector<std::uint32_t> nodes(problem.order().size());
  std::iota(nodes.begin(), nodes.end(), 0U);
  const std::size_t count = std::min(kSample, nodes.size());
  seeded::SeededStream bits(seed, seeded::Purpose::probe, std::numeric_limits<std::uint64_t>::max());
  for (std::size_t i = 0; i < count; ++i) std::swap(nodes[i], nodes[i + random::below(nodes.size() - i, bits)]);
  nodes.resize(count);
  return feature_fidelity(*noisy_input, *clean_input, nodes, one);
}

}  // namespace ppgnn::simulate
