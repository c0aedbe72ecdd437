#include "ppgnn/kernels/activation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "ppgnn/kernels/instruction_set.hpp"
#include "support/graphs.hpp"
#include "support/kernels_reference.hpp"

namespace ppgnn::kernels {
namespace {

using test::random_matrix;

// e^z - 1 in float loses what is below the last bit of 1.
constexpr double kTolerance = 1e-6;

TEST(Activation, AgreesWithTheReferenceOnEveryInstructionSet) {
  const Threads one(1);
  for (const std::string& name : instruction_sets()) {
    const OnlyInstructionSet only(name);
    for (const double rate : {0.0, 0.5, 0.75}) {
      const DropoutMask mask = DropoutMask::make(rate, 3, 4);
      const Matrix z = random_matrix(61, 17, 1, -6, 6);
      const Matrix g = random_matrix(61, 17, 2);
      Matrix out(61, 17);
      selu_dropout_forward(z.view(), mask, out.view(), one);
      EXPECT_LT(reference::largest_difference(out.view(), reference::selu_dropout_forward(z.view(), mask).view()),
                kTolerance)
          << name;
      Matrix gradient = random_matrix(61, 17, 2);
      selu_dropout_backward(out.view(), mask, gradient.view(), one);
      EXPECT_LT(reference::largest_difference(gradient.view(),
                                              reference::selu_dropout_backward(z.view(), mask, g.view()).view()),
                kTolerance)
          << name;
    }
  }
}

TEST(Activation, ExtremeInputsStayFiniteAndNanIsVisible) {
  Matrix z(1, 6);
  const std::vector<float> inputs{-1e30F, -200, -0.0F, 0, 200, 1e30F};
  std::copy(inputs.begin(), inputs.end(), z.values().begin());
  Matrix out(1, 6);
  selu_dropout_forward(z.view(), DropoutMask::nothing(), out.view(), Threads(1));
  EXPECT_FLOAT_EQ(out.values()[0], -kSeluLambda * kSeluAlpha);
  EXPECT_EQ(out.values()[2], 0.0F);
  EXPECT_EQ(out.values()[3], 0.0F);
  EXPECT_FLOAT_EQ(out.values()[4], 200 * kSeluLambda);
  EXPECT_TRUE(std::isfinite(out.values()[5]));
  z.values()[1] = std::nanf("");
  selu_dropout_forward(z.view(), DropoutMask::nothing(), out.view(), Threads(1));
  EXPECT_TRUE(std::isnan(out.values()[1]));
}

// Results of earlier versions stay reproducible: these bits may only change with the numerics version.
TEST(Dropout, KeepsItsBits) {
  const DropoutMask mask = DropoutMask::make(0.5, 1, 2);
  std::uint32_t bits = 0;
  for (std::uint32_t element = 0; element < 32; ++element) bits |= std::uint32_t{mask.keeps(element)} << element;
  EXPECT_EQ(bits, 2780752309u);
}

// Alarm level 6 standard deviations: 2e-9 per figure.
TEST(Dropout, FrequenciesAndPairsLookIndependent) {
  constexpr std::size_t kRows = 4000;
  constexpr std::size_t kCols = 16;
  constexpr double kCount = kRows * kCols;
  for (const double rate : {0.1, 0.5, 0.75}) {
    const double keep = 1 - rate;
    const DropoutMask mask = DropoutMask::make(rate, 11, 0);
    const DropoutMask next = DropoutMask::make(rate, 11, 1);
    const DropoutMask other = DropoutMask::make(rate, 12, 0);
    std::vector<double> joint(
        4, 0);  // kept here and: in the next column, the next row, the next epoch, with the next seed
    double kept = 0;
    for (std::size_t e = 0; e < kRows * kCols; ++e) {
      if (!mask.keeps(e)) continue;
      kept += 1;
      joint[0] += mask.keeps(e + 1) ? 1 : 0;
      joint[1] += mask.keeps(e + kCols) ? 1 : 0;
      joint[2] += next.keeps(e) ? 1 : 0;
      joint[3] += other.keeps(e) ? 1 : 0;
    }
    EXPECT_LT(std::abs(kept - kCount * keep), 6 * std::sqrt(kCount * keep * rate)) << rate;
    const double expected = keep * keep;
    for (const double both : joint) {
      EXPECT_LT(std::abs(both - kCount * expected), 6 * std::sqrt(kCount * expected * (1 - expected)) * 1.5) << rate;
    }
    EXPECT_NEAR(static_cast<double>(mask.scale) * static_cast<double>(mask.keep) / 0x1p32, 1, 1e-6);
  }
}

TEST(Dropout, RateZeroKeepsAllAndFarElementsDiffer) {
  const DropoutMask all = DropoutMask::make(0, 1, 1);
  const DropoutMask half = DropoutMask::make(0.5, 1, 1);
  std::size_t differ = 0;
  for (std::uint64_t e = 0; e < 1000; ++e) {
    EXPECT_TRUE(all.keeps(e));
    EXPECT_TRUE(DropoutMask::nothing().keeps(e));
    differ += half.keeps(e) != half.keeps(e + (std::uint64_t{1} << 32)) ? 1u : 0u;
  }
  EXPECT_GT(differ, 400u);
}

}  // namespace
}  // namespace ppgnn::kernels
