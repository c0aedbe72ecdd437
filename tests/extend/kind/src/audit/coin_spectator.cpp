#include "audit/spectator.hpp"
#include "ppgnn/ldp/coin.hpp"

namespace ppgnn::audit {

namespace {

class CoinSpectator final : public Spectator {
 public:
  using Spectator::Spectator;

  [[nodiscard]] std::vector<Input> inputs() const override {
    return {dense("high", [](const auto& g) { return g.high; }), dense("low", [](const auto& g) { return g.low; })};
  }
  [[nodiscard]] std::vector<InputPair> pairs() const override { return {{0, 1}}; }
  [[nodiscard]] std::vector<std::size_t> level_inputs() const override { return {0, 1}; }
  [[nodiscard]] std::vector<std::size_t> looks() const override { return {2}; }
  [[nodiscard]] std::string look(const ldp::Report& report, std::size_t, const Input&, std::span<std::size_t> outcomes,
                                 std::span<std::uint64_t>) const override {
    outcomes[0] = report.outcomes.at(0);
    return {};
  }
  void add_fits(std::size_t level, std::span<const Input> inputs, std::span<const Tally> tallies,
                const AddFit& add) const override {
    const double gain = ldp::Coin::gain(plan().levels()[level].entry, plan().shape(level));
    for (std::size_t input = 0; input < inputs.size(); ++input) {
      std::uint64_t heads = 0;
      for (std::size_t index = 0; index < estimator().cases(); ++index) heads += tallies[input].key(0, 2 * index + 1);
      add("heads, " + inputs[input].name, heads, tallies[input].trials, (1 + (input == 0 ? gain : -gain)) / 2);
    }
  }
  [[nodiscard]] double agreement() const noexcept override { return .5; }
};

}  // namespace

std::unique_ptr<Spectator> make_coin_spectator(const ldp::Plan& plan) {
  return std::make_unique<CoinSpectator>(plan);
}

}  // namespace ppgnn::audit
