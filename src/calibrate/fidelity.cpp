#include "ppgnn/calibrate/fidelity.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "ppgnn/kernels/matrix.hpp"

namespace ppgnn::calibrate {

Result<Fidelity> feature_fidelity(const kernels::LinearOperator& calibrated, const kernels::LinearOperator& clean,
                                  const kernels::Threads& threads) {
  if (calibrated.rows() != clean.rows() || calibrated.columns() != clean.columns()) {
    return Error{ErrorCode::mismatch, "calibrated and clean features differ in shape"};
  }
  constexpr std::size_t kPanel = 64;
  const std::size_t rows = clean.rows();
  const std::size_t columns = clean.columns();
  struct Sums {
    double noisy = 0;  // |z|^2
    double clean = 0;  // |c|^2
    double both = 0;   // z . c
  };
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
    for (std::size_t i = 0; i < noisy.size(); ++i) {
      const auto z = static_cast<double>(noisy.values()[i]);
      const auto c = static_cast<double>(exact.values()[i]);
      Sums& sums = of_row[i / count];
      sums.noisy += z * z;
      sums.clean += c * c;
      sums.both += z * c;
    }
  }
  Fidelity fidelity;
  Sums all;
  for (const Sums& sums : of_row) {
    const double length = std::sqrt(sums.noisy * sums.clean);
    if (length > 0) fidelity.cosine += sums.both / length;
    all.noisy += sums.noisy;
    all.clean += sums.clean;
    all.both += sums.both;
  }
  if (rows > 0) fidelity.cosine /= static_cast<double>(rows);
  // |s Z - C|^2 is least at s = Z.C / |Z|^2, and then |C|^2 - (Z.C)^2 / |Z|^2.
  const double explained = all.noisy > 0 ? all.both * all.both / all.noisy : 0;
  fidelity.relative_error = all.clean > 0 ? std::sqrt(std::max(0.0, all.clean - explained) / all.clean) : 0;
  return fidelity;
}

}  // namespace ppgnn::calibrate
