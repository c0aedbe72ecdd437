#include "ppgnn/ldp_research/sampled_columns.hpp"

#include <algorithm>
#include <cmath>

#include "ldp_research/column_sampling.hpp"
#include "ppgnn/core/number.hpp"

namespace ppgnn::ldp_research {

double scaled_feature(const Schema& schema, const Row& row, std::uint32_t column) noexcept {
  const ldp::ColumnGroup& group = schema.group_of(column);
  return std::ldexp(static_cast<double>(Schema::quantise(group, row.value(column, group.absent))),
                    -random::kFeatureBits);
}

LevelGuess FeatureMechanism::guess_level(const NoisyRow&, const Row&, std::span<const double>) const {
  return {Level{1}, "one budget for everybody"};
}

namespace {

template <class Noise>
class SampledColumns final : public FeatureMechanism {
 public:
  SampledColumns(std::string name, Schema schema, double epsilon, std::uint32_t sampled)
      : name_(std::move(name)), schema_(std::move(schema)), epsilon_(epsilon), sampled_(sampled) {}

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] StatedBound bound(Level) const override { return {epsilon_, 0, "", Noise::kExact}; }
  void perturb(Level, const Row& row, random::AnyBits bits, NoisyRow& out) const override {
    out.reported_level.reset();
    sample_columns(schema_.dim(), sampled_, bits, out);
    const double factor = static_cast<double>(schema_.dim()) / sampled_;
    for (std::size_t i = 0; i < out.values.size(); ++i) {
      out.values[i] =
          factor * Noise::perturb(scaled_feature(schema_, row, column_at(out, i)), epsilon_ / sampled_, bits);
    }
  }
  void estimate(NoisyRow&) const override {}  // unbiased as sent
  [[nodiscard]] double log_ratio(const NoisyRow& row, std::size_t index) const override {
    const double epsilon = epsilon_ / sampled_;
    return Noise::log_ratio(row.values[index] * sampled_ / schema_.dim(), {&epsilon, 1});
  }
  [[nodiscard]] double mean(Level, double x) const override { return x; }
  [[nodiscard]] double variance(Level, double x) const override {
    return sampled_variance<Noise>(schema_.dim(), sampled_, epsilon_, x);
  }

 private:
  std::string name_;
  Schema schema_;
  double epsilon_;
  std::uint32_t sampled_;
};

template <class Noise>
Result<FeatureMechanismPtr> make(std::string name, Schema schema, double epsilon, std::uint32_t sampled) {
  if (Result<void> valid = check_budget(epsilon, "epsilon"); !valid) return valid.error();
  return FeatureMechanismPtr(
      std::make_unique<SampledColumns<Noise>>(std::move(name), std::move(schema), epsilon, sampled));
}

}  // namespace

std::uint32_t paper_sampled(double epsilon, std::uint32_t dim) noexcept {
  return static_cast<std::uint32_t>(std::max(1.0, std::min<double>(dim, std::floor(epsilon / 2.2))));
}

Result<void> check_budget(double epsilon, const char* field) {
  if (epsilon >= ldp::kMinBudget && epsilon <= ldp::kMaxBudget) return {};
  return Error{ErrorCode::invalid_argument, std::string(field) + ": must be between " + format_number(ldp::kMinBudget) +
                                                " and " + format_number(ldp::kMaxBudget) + ", but is " +
                                                format_number(epsilon)};
}

Result<void> check_sampled(std::optional<std::uint32_t> sampled, std::uint32_t dim) {
  if (!sampled || (*sampled >= 1 && *sampled <= dim)) return {};
  return Error{ErrorCode::invalid_argument, "sampled: must be between 1 and the number of columns (" +
                                                std::to_string(dim) + "), but is " + std::to_string(*sampled)};
}

Result<FeatureMechanismPtr> make_multi_bit(Schema schema, double epsilon, std::optional<std::uint32_t> sampled) {
  if (Result<void> valid = check_sampled(sampled, schema.dim()); !valid) return valid.error();
  const std::uint32_t used = sampled.value_or(paper_sampled(epsilon, schema.dim()));
  return make<LocalRandomizer>("mb", std::move(schema), epsilon, used);
}

Result<FeatureMechanismPtr> make_one_bit(Schema schema, double epsilon) {
  const std::uint32_t dim = schema.dim();
  return make<LocalRandomizer>("1b", std::move(schema), epsilon, dim);
}

Result<FeatureMechanismPtr> make_laplace(Schema schema, double epsilon) {
  const std::uint32_t dim = schema.dim();
  return make<LaplaceNoise>("lp", std::move(schema), epsilon, dim);
}

}  // namespace ppgnn::ldp_research
