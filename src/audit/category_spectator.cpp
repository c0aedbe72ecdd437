#include <cmath>
#include <limits>

#include "audit/spectator.hpp"
#include "ppgnn/random/samplers.hpp"

namespace ppgnn::audit {

namespace {

using Group = const ldp::ColumnGroup&;

// Tells the first class, the last one and all others apart.
class CategorySpectator final : public Spectator {
 public:
  using Spectator::Spectator;

  [[nodiscard]] std::vector<Input> inputs() const override {
    const double last = plan().classes() - 1.0;
    return {input_of("first class", 0, [](Group g) { return g.low; }),
            input_of("last class", last, [](Group g) { return g.high; }),
            input_of("NaN", plan().schema().groups()[0].absent,
                     [](Group) { return std::numeric_limits<double>::quiet_NaN(); }),
            input_of("far above", last, [](Group g) { return g.high + 1e6 * (g.high - g.low); })};
  }

  [[nodiscard]] std::size_t outcomes() const noexcept override { return 3; }

  [[nodiscard]] std::string look(const ldp::Report& report, std::size_t, std::size_t& outcome,
                                 std::span<std::uint64_t>) const override {
    if (report.category >= plan().classes()) return "class out of range";
    outcome = report.category == 0 ? 0 : report.category == plan().classes() - 1 ? 1 : 2;
    return {};
  }

  void add_fits(std::size_t level, std::span<const Input> inputs, std::span<const Tally> tallies,
                const AddFit& add) const override {
    const std::string at = " at level " + std::to_string(level + 1);
    const double classes = plan().classes();
    const double kept = std::ldexp(static_cast<double>(plan().levels()[level].entry), -random::kThresholdBits);
    const auto weight = [&](bool same) { return same ? kept : (1 - kept) / (classes - 1); };
    for (std::size_t input = 0; input < inputs.size(); ++input) {
      const double chances[] = {weight(inputs[input].x == 0), weight(inputs[input].x == classes - 1)};
      for (std::size_t index = 0; index < estimator().cases(); ++index) {
        std::uint64_t reports = 0;
        for (std::size_t outcome = 0; outcome < outcomes(); ++outcome) {
          reports += tallies[input].key(key_of(index, outcome));
        }
        for (const std::size_t outcome : {0u, 1u}) {
          add((outcome == 0 ? "first class, " : "last class, ") + inputs[input].name + ", case " +
                  std::to_string(index + 1) + at,
              tallies[input].key(key_of(index, outcome)), reports, chances[outcome]);
        }
      }
    }
  }

  // Both kept, or both replaced by the same class.
  [[nodiscard]] double agreement() const noexcept override {
    const double kept = std::ldexp(static_cast<double>(plan().levels()[0].entry), -random::kThresholdBits);
    return kept * kept + (1 - kept) * (1 - kept) / (plan().classes() - 1.0);
  }
};

}  // namespace

std::unique_ptr<Spectator> make_category_spectator(const ldp::Plan& plan) {
  return std::make_unique<CategorySpectator>(plan);
}

}  // namespace ppgnn::audit
