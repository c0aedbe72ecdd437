#include "ppgnn/kernels/loss.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "ppgnn/kernels/instruction_set.hpp"
#include "support/graphs.hpp"
#include "support/kernels_reference.hpp"

namespace ppgnn::kernels {
namespace {

using test::random_matrix;

std::vector<std::uint32_t> some_rows(std::size_t nodes, std::size_t step) {
  std::vector<std::uint32_t> rows;
  for (std::size_t row = 0; row < nodes; row += step) rows.push_back(static_cast<std::uint32_t>(row));
  return rows;
}

std::vector<std::uint32_t> some_labels(std::size_t nodes, std::size_t classes) {
  std::vector<std::uint32_t> labels(nodes);
  for (std::size_t i = 0; i < nodes; ++i) labels[i] = static_cast<std::uint32_t>(i * 7 % classes);
  return labels;
}

TEST(Loss, AgreesWithTheReferenceAndItsGradientWithDifferences) {
  for (const std::string& name : instruction_sets()) {
    const OnlyInstructionSet only(name);
    for (const std::size_t classes : {1u, 2u, 3u, 4u, 7u, 18u}) {
      const std::size_t columns = (classes + 3) / 4 * 4;
      Matrix logits = random_matrix(40, columns, classes, -3, 3);
      const auto rows = some_rows(40, 3);
      const auto labels = some_labels(40, classes);
      std::vector<LossPart> parts(loss_tasks(rows.size()));
      Matrix gradient = random_matrix(40, columns, 5);
      const Loss loss =
          softmax_cross_entropy_gradient(logits.view(), classes, rows, labels, parts, gradient.view(), Threads(1));
      const Loss expected = reference::softmax_cross_entropy(logits.view(), classes, rows, labels);
      EXPECT_NEAR(loss.mean, expected.mean, 1e-6) << name << ' ' << classes;
      EXPECT_EQ(loss.correct, expected.correct);
      EXPECT_EQ(loss.rows, rows.size());
      const Loss plain = softmax_cross_entropy(logits.view(), classes, rows, labels, parts, Threads(1));
      EXPECT_EQ(plain.mean, loss.mean);

      for (std::size_t row = 0; row < 40; ++row) {
        for (std::size_t c = 0; c < columns; ++c) {
          const float found = gradient.view().row(row)[c];
          if (row % 3 != 0 || c >= classes) {
            ASSERT_EQ(found, 0.0F) << row << ' ' << c;
            continue;
          }
          float& logit = logits.view().row(row)[c];
          const float before = logit;
          constexpr float kStep = 1.0F / 64;
          logit = before + kStep;
          const double up = reference::softmax_cross_entropy(logits.view(), classes, rows, labels).mean;
          logit = before - kStep;
          const double down = reference::softmax_cross_entropy(logits.view(), classes, rows, labels).mean;
          logit = before;
          ASSERT_NEAR(static_cast<double>(found), (up - down) * 32, 1e-5);
        }
      }
    }
  }
}

TEST(Loss, LargeLogitsDoNotOverflowAndNanIsVisible) {
  Matrix logits(2, 4);
  const std::vector<float> numbers{1000, 0, -1000, 0, 1, 2, 3, 0};
  std::copy(numbers.begin(), numbers.end(), logits.values().begin());
  const std::vector<std::uint32_t> rows{0};
  std::vector<LossPart> parts(1);
  EXPECT_NEAR(softmax_cross_entropy(logits.view(), 3, rows, std::vector<std::uint32_t>{0, 0}, parts, Threads(1)).mean,
              0, 1e-6);
  EXPECT_NEAR(softmax_cross_entropy(logits.view(), 3, rows, std::vector<std::uint32_t>{2, 0}, parts, Threads(1)).mean,
              2000, 1e-3);
  logits.values()[1] = std::nanf("");
  EXPECT_TRUE(std::isnan(
      softmax_cross_entropy(logits.view(), 3, rows, std::vector<std::uint32_t>{0, 0}, parts, Threads(1)).mean));
}

TEST(Loss, NoRowsIsZero) {
  const Matrix logits = random_matrix(3, 4, 1);
  const Loss loss = softmax_cross_entropy(logits.view(), 4, {}, some_labels(3, 4), {}, Threads(1));
  EXPECT_EQ(loss.mean, 0);
  EXPECT_EQ(loss.accuracy(), 0);
}

}  // namespace
}  // namespace ppgnn::kernels
