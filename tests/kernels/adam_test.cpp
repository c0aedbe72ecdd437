#include "ppgnn/kernels/adam.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "ppgnn/kernels/instruction_set.hpp"
#include "support/graphs.hpp"
#include "support/kernels_reference.hpp"

namespace ppgnn::kernels {
namespace {

TEST(Adam, FollowsTheReferenceForManyStepsOnEveryInstructionSet) {
  constexpr std::size_t kCount = 37;
  for (const std::string& name : instruction_sets()) {
    const OnlyInstructionSet only(name);
    Matrix parameters = test::random_matrix(1, kCount, 1);
    std::vector<float> first(kCount, 0.0F);
    std::vector<float> second(kCount, 0.0F);
    std::vector<double> expected(parameters.values().begin(), parameters.values().end());
    std::vector<double> expected_first(kCount, 0.0);
    std::vector<double> expected_second(kCount, 0.0);
    const AdamOptions options{.learning_rate = 0.02, .weight_decay = 0.1};
    for (std::uint64_t step = 1; step <= 50; ++step) {
      const Matrix gradient = test::random_matrix(1, kCount, 100 + step);
      adam_step(options, step, gradient.values(), parameters.values(), first, second, Threads(1));
      reference::adam_step(options, step, gradient.values(), expected, expected_first, expected_second);
    }
    for (std::size_t i = 0; i < kCount; ++i) {
      EXPECT_NEAR(static_cast<double>(parameters.values()[i]), expected[i], 1e-5) << name;
    }
  }
}

TEST(Adam, AZeroGradientWithoutDecayChangesNothing) {
  Matrix parameters = test::random_matrix(1, 20, 2);
  std::vector<float> zero(20, 0.0F);
  std::vector<float> first(20, 0.0F);
  std::vector<float> second(20, 0.0F);
  adam_step({.weight_decay = 0}, 1, zero, parameters.values(), first, second, Threads(1));
  EXPECT_TRUE(test::same_bits(parameters, test::random_matrix(1, 20, 2)));
}

}  // namespace
}  // namespace ppgnn::kernels
