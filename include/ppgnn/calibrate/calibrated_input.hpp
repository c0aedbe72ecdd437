#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "ppgnn/calibrate/feature_matrix.hpp"
#include "ppgnn/calibrate/propagation.hpp"
#include "ppgnn/kernels/linear_operator.hpp"
#include "ppgnn/kernels/matrix.hpp"

namespace ppgnn::calibrate {

/// In which order Z W = scale P^K X W is evaluated.
enum class Order {
  right_to_left,  ///< P (... P (X W)): at the width of W; Z is never formed
  dense,          ///< Z is formed once, then Z W
};

/// What one product with Z and one with its transpose cost in an order, by count.
struct OrderCost {
  double flops = 0;   ///< additions and multiplications
  double bytes = 0;   ///< read and written, nothing cached
  double once = 0;    ///< flops before the first product
  double memory = 0;  ///< bytes kept
  double time =
      0;  ///< what the model compares: flops weighted by how fast each kind runs, `once` spread over the epochs
};

/// The two orders side by side, and the cheaper one.
struct CostModel {
  OrderCost right_to_left;
  OrderCost dense;
  Order chosen = Order::right_to_left;

  /// One line for people: the order chosen, and flops and bytes of each.
  [[nodiscard]] std::string explain() const;
};

struct CalibrationOptions {
  std::optional<Order> order{};                        ///< default: the cheaper one by the cost model
  std::optional<double> root_mean_square{};            ///< r > 0: the common scale; none: raw scale
  std::uint64_t seed = 0;                              ///< of the probes behind the common scale
  std::size_t width = 16;                              ///< columns of W the cost model plans for
  std::size_t max_dense_bytes = std::size_t{1} << 30;  ///< the dense order is not chosen beyond
};

/// Predicts both orders for products of `width` columns.
[[nodiscard]] CostModel predict_cost(const FeatureMatrix& features, const Propagation& propagation,
                                     const CalibrationOptions& options);

/// Z = scale P^K X: the calibrated features, ready for a first layer.
///
/// Scale        Raw, or one factor for the whole matrix such that the root mean square of its entries is r. Z need not
///              be formed for that: E |Z g|^2 = |Z|^2 for Gaussian g; 16 probes are pushed through the product.
/// Degenerate   A zero matrix keeps the factor 1.
/// Determinism  Same bits for any thread count on one instruction set, for one order.
/// Threads      Immutable; runs of a sweep share one.
class CalibratedInput final : public kernels::LinearOperator {
 public:
  /// Errors  mismatch when features and graph have different numbers of nodes; invalid_argument for r <= 0 or when the
  ///         common scale meets numbers that are not finite.
  [[nodiscard]] static Result<CalibratedInput> make(std::shared_ptr<const FeatureMatrix> features,
                                                    Propagation propagation, const CalibrationOptions& options,
                                                    const kernels::Threads& threads);

  [[nodiscard]] std::size_t rows() const noexcept override { return features_->rows(); }
  [[nodiscard]] std::size_t columns() const noexcept override { return features_->columns(); }
  [[nodiscard]] std::size_t scratch(std::size_t width) const noexcept override;
  void apply(ConstMatrixView weights, MatrixView out, std::span<float> scratch,
             const kernels::Threads& threads) const override;
  void apply_transpose(ConstMatrixView gradient, MatrixView out, std::span<float> scratch,
                       const kernels::Threads& threads) const override;

  [[nodiscard]] Order order() const noexcept { return order_; }
  [[nodiscard]] double scale() const noexcept { return scale_; }
  [[nodiscard]] const CostModel& cost() const noexcept { return cost_; }

 private:
  // Rows of the buffer that hops alternate with.
  [[nodiscard]] std::size_t between_hops() const noexcept { return propagation_.hops() == 0 ? 0 : rows(); }
  CalibratedInput() = default;

  std::shared_ptr<const FeatureMatrix> features_;
  Propagation propagation_;
  Order order_ = Order::right_to_left;
  CostModel cost_;
  double scale_ = 1;
  kernels::Matrix formed_;  // Z, in the dense order
};

/// Root mean square of the entries of Z, estimated with 16 Gaussian probes seeded by `seed`.
[[nodiscard]] double estimate_root_mean_square(const kernels::LinearOperator& matrix, std::uint64_t seed,
                                               const kernels::Threads& threads);

}  // namespace ppgnn::calibrate
