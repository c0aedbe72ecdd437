#include "ppgnn/kernels/attention.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ppgnn/kernels/instruction_set.hpp"
#include "support/graphs.hpp"
#include "support/kernels_reference.hpp"

namespace ppgnn::kernels {
namespace {

using test::random_matrix;

// The gradients are checked by finite differences of the whole layer, in tests/nn.
TEST(Attention, ForwardAgreesWithTheReferenceOnEveryInstructionSet) {
  const auto graph = test::random_graph(80, 300, 1, test::Loops::with);
  const auto matrix = SparseMatrix::make(graph.view(), {});
  ASSERT_TRUE(matrix.ok());
  const AttentionPattern pattern{.forward = &*matrix, .transposed = nullptr, .source = {}};
  for (const std::string& name : instruction_sets()) {
    const OnlyInstructionSet only(name);
    for (const auto& [heads, width] : {std::pair<std::size_t, std::size_t>{1, 4}, {1, 7}, {4, 16}, {3, 5}}) {
      const Matrix t = random_matrix(80, heads * width, 2);
      const Matrix vector = random_matrix(1, heads * width, 3, -3, 3);
      Matrix from(80, heads);
      Matrix to(80, heads);
      attention_scores(t.view(), vector.values(), heads, from.view(), Threads(1));
      attention_scores(t.view(), random_matrix(1, heads * width, 4).values(), heads, to.view(), Threads(1));
      for (std::size_t node = 0; node < 80; ++node) {
        for (std::size_t h = 0; h < heads; ++h) {
          double sum = 0;
          for (std::size_t c = 0; c < width; ++c) {
            sum += static_cast<double>(t.view().row(node)[h * width + c]) *
                   static_cast<double>(vector.values()[h * width + c]);
          }
          ASSERT_NEAR(static_cast<double>(from.view().row(node)[h]), sum, 1e-5);
        }
      }
      Matrix weights(graph.columns.size(), heads);
      Matrix out = random_matrix(80, heads * width, 5);
      attention_forward(pattern, t.view(), heads, from.view(), to.view(), weights.view(), out.view(), Threads(1));
      const Matrix expected = reference::attention_forward(graph.view(), t.view(), heads, from.view(), to.view());
      EXPECT_LT(reference::largest_difference(out.view(), expected.view()), 1e-5)
          << name << ' ' << heads << ' ' << width;
    }
  }
}

// A score that is no number among finite ones, as when a product overflows: every row that attends to it shows it.
TEST(Attention, NanIsVisible) {
  const auto graph = test::random_graph(40, 150, 1, test::Loops::with);
  const auto matrix = SparseMatrix::make(graph.view(), {});
  ASSERT_TRUE(matrix.ok());
  const AttentionPattern pattern{.forward = &*matrix, .transposed = nullptr, .source = {}};
  for (const std::string& name : instruction_sets()) {
    const OnlyInstructionSet only(name);
    for (const std::size_t heads : {std::size_t{1}, std::size_t{4}}) {
      const Matrix t = random_matrix(40, heads * 4, 2);
      Matrix from = random_matrix(40, heads, 3);
      const Matrix to = random_matrix(40, heads, 4);
      from.view().row(7)[0] = std::nanf("");
      Matrix weights(graph.columns.size(), heads);
      Matrix out(40, heads * 4);
      attention_forward(pattern, t.view(), heads, from.view(), to.view(), weights.view(), out.view(), Threads(1));
      for (std::size_t node = 0; node < 40; ++node) {
        const auto row = graph.view().row(node);
        const bool attends = std::find(row.begin(), row.end(), 7U) != row.end();
        EXPECT_EQ(std::isnan(out.view().row(node)[0]), attends) << name << ' ' << heads << ' ' << node;
        EXPECT_EQ(std::isnan(out.view().row(node)[heads * 4 - 1]), attends && heads == 1) << name << ' ' << node;
      }
    }
  }
}

}  // namespace
}  // namespace ppgnn::kernels
