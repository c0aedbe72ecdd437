#include "support/kernels_reference.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace ppgnn::kernels::reference {
namespace {

double at(ConstMatrixView matrix, std::size_t row, std::size_t column) {
  return static_cast<double>(matrix.data[row * matrix.cols + column]);
}

double scale_of(std::span<const float> scale, std::size_t index) {
  return scale.empty() ? 1.0 : static_cast<double>(scale[index]);
}

// rows x cols of value(row, column).
template <class Value>
Matrix fill(std::size_t rows, std::size_t cols, const Value& value) {
  Matrix out(rows, cols);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < cols; ++column) {
      out.values()[row * cols + column] = static_cast<float>(value(row, column));
    }
  }
  return out;
}

}  // namespace

Matrix multiply(const SparseMatrix& matrix, ConstMatrixView x) {
  const SparseNumbers& numbers = matrix.numbers();
  const CsrView& pattern = matrix.pattern();
  return fill(matrix.rows(), x.cols, [&](std::size_t row, std::size_t column) {
    double sum = 0;
    for (std::size_t e = pattern.offsets[row]; e < pattern.offsets[row + 1]; ++e) {
      const std::size_t j = pattern.columns[e];
      sum += scale_of(numbers.values, e) * scale_of(numbers.column_scale, j) * at(x, j, column);
    }
    const bool empty = pattern.row(row).empty();
    if (numbers.diagonal == Diagonal::all || (numbers.diagonal == Diagonal::empty_rows && empty)) {
      sum += scale_of(numbers.column_scale, row) * at(x, row, column);
    }
    return scale_of(numbers.row_scale, row) * sum;
  });
}

Matrix multiply(ConstMatrixView a, ConstMatrixView b) {
  return fill(a.rows, b.cols, [&](std::size_t row, std::size_t column) {
    double sum = 0;
    for (std::size_t k = 0; k < a.cols; ++k) sum += at(a, row, k) * at(b, k, column);
    return sum;
  });
}

Matrix multiply_transpose(ConstMatrixView a, ConstMatrixView g) {
  return fill(a.cols, g.cols, [&](std::size_t row, std::size_t column) {
    double sum = 0;
    for (std::size_t r = 0; r < a.rows; ++r) sum += at(a, r, row) * at(g, r, column);
    return sum;
  });
}

Matrix selu_dropout_forward(ConstMatrixView z, const DropoutMask& mask) {
  return fill(z.rows, z.cols, [&](std::size_t row, std::size_t column) {
    if (!mask.keeps(row * z.cols + column)) return 0.0;
    const double in = at(z, row, column);
    return static_cast<double>(mask.scale) * static_cast<double>(kSeluLambda) *
           (in > 0 ? in : static_cast<double>(kSeluAlpha) * std::expm1(in));
  });
}

Matrix selu_dropout_backward(ConstMatrixView z, const DropoutMask& mask, ConstMatrixView gradient) {
  return fill(z.rows, z.cols, [&](std::size_t row, std::size_t column) {
    if (!mask.keeps(row * z.cols + column)) return 0.0;
    const double in = at(z, row, column);
    const double slope =
        static_cast<double>(kSeluLambda) * (in > 0 ? 1.0 : static_cast<double>(kSeluAlpha) * std::exp(in));
    return static_cast<double>(mask.scale) * slope * at(gradient, row, column);
  });
}

Loss softmax_cross_entropy(ConstMatrixView logits, std::size_t classes, std::span<const std::uint32_t> rows,
                           std::span<const std::uint32_t> labels) {
  Loss loss;
  loss.rows = rows.size();
  for (const std::uint32_t row : rows) {
    double sum = 0;
    std::size_t best = 0;
    for (std::size_t c = 0; c < classes; ++c) {
      sum += std::exp(at(logits, row, c));
      if (at(logits, row, c) > at(logits, row, best)) best = c;
    }
    loss.mean += std::log(sum) - at(logits, row, labels[row]);
    loss.correct += static_cast<std::size_t>(best == labels[row]);
  }
  if (loss.rows > 0) loss.mean /= static_cast<double>(loss.rows);
  return loss;
}

Matrix attention_forward(const CsrView& pattern, ConstMatrixView t, std::size_t heads, ConstMatrixView from,
                         ConstMatrixView to) {
  const std::size_t width = t.cols / heads;
  return fill(pattern.rows(), t.cols, [&](std::size_t row, std::size_t column) {
    const std::size_t head = column / width;
    double total = 0;
    double sum = 0;
    for (const std::uint32_t j : pattern.row(row)) {
      const double score = at(to, row, head) + at(from, j, head);
      const double weight = std::exp(score > 0 ? score : static_cast<double>(kLeakySlope) * score);
      total += weight;
      sum += weight * at(t, j, column);
    }
    return sum / total;
  });
}

void adam_step(const AdamOptions& options, std::uint64_t step, std::span<const float> gradient,
               std::span<double> parameters, std::span<double> first_moment, std::span<double> second_moment) {
  const auto exponent = static_cast<double>(step);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const double g = static_cast<double>(gradient[i]) + options.weight_decay * parameters[i];
    first_moment[i] = options.beta_first * first_moment[i] + (1 - options.beta_first) * g;
    second_moment[i] = options.beta_second * second_moment[i] + (1 - options.beta_second) * g * g;
    const double corrected_first = first_moment[i] / (1 - std::pow(options.beta_first, exponent));
    const double corrected_second = second_moment[i] / (1 - std::pow(options.beta_second, exponent));
    parameters[i] -= options.learning_rate * corrected_first / (std::sqrt(corrected_second) + options.epsilon);
  }
}

double largest_difference(ConstMatrixView a, ConstMatrixView b) {
  assert(a.rows == b.rows && a.cols == b.cols);
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(static_cast<double>(a.data[i]) - static_cast<double>(b.data[i])) /
                              (1 + std::abs(static_cast<double>(b.data[i])));
    if (std::isnan(difference)) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, difference);
  }
  return largest;
}

}  // namespace ppgnn::kernels::reference
