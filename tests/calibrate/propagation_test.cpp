#include "ppgnn/calibrate/propagation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "ppgnn/kernels/matrix.hpp"
#include "support/graphs.hpp"

namespace ppgnn::calibrate {
namespace {

graph::Csr csr_of(const test::Pattern& pattern) {
  return *graph::Csr::make(pattern.offsets, pattern.columns, pattern.num_columns);
}

// 0 - 1 - 2, 3 isolated.
const test::Pattern kPath = test::pattern_of({{1}, {0, 2}, {1}, {}}, 4);

std::vector<float> propagated(const Propagation& propagation, const std::vector<float>& x) {
  kernels::Matrix in(x.size(), 1);
  std::copy(x.begin(), x.end(), in.values().begin());
  kernels::Matrix out(x.size(), 1);
  kernels::Matrix scratch(x.size(), 1);
  propagation.apply(in.view(), scratch.view(), out.view(), kernels::Threads(1));
  return {out.values().begin(), out.values().end()};
}

void expect_near(const std::vector<float>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(found[i]), expected[i], 1e-5 * (1 + std::abs(expected[i]))) << "node " << i;
  }
}

Propagation made(Operator kind, std::size_t hops, std::optional<Self> self, std::vector<float> weights = {}) {
  auto result = Propagation::make(csr_of(kPath), {.kind = kind, .hops = hops, .self = self}, weights);
  EXPECT_TRUE(result.ok()) << result.error().message;
  return *std::move(result);
}

const std::vector<float> kX{1, 10, 100, 1000};

TEST(Propagation, KPropByHand) {
  const double root = std::sqrt(2.0);
  expect_near(propagated(made(Operator::kprop, 1, {}), kX), {10 / root, 101 / root, 10 / root, 1000});
  expect_near(propagated(made(Operator::kprop, 2, {}), kX), {50.5, 10, 50.5, 1000});
  // With self-loops: degrees 2, 3, 2, 1.
  expect_near(propagated(made(Operator::kprop, 1, Self::include), kX),
              {1.0 / 2 + 10 / std::sqrt(6.0), 10.0 / 3 + 101 / std::sqrt(6.0), 100.0 / 2 + 10 / std::sqrt(6.0), 1000});
}

TEST(Propagation, MeanByHand) {
  expect_near(propagated(made(Operator::mean, 1, {}), kX), {5.5, 37, 55, 1000});
  expect_near(propagated(made(Operator::mean, 1, Self::exclude), kX), {10, 50.5, 10, 1000});
  expect_near(propagated(made(Operator::mean, 3, Self::exclude), kX), {10, 50.5, 10, 1000});
}

TEST(Propagation, FlexPropByHand) {
  // Levels 1, 2, 5, 3.
  const std::vector<float> levels{1, 2, 5, 3};
  expect_near(propagated(made(Operator::flexprop, 1, {}, levels), kX),
              {(1 + 20) / 3.0, (1 + 20 + 500) / 8.0, (20 + 500) / 7.0, 1000});
  expect_near(propagated(made(Operator::flexprop, 1, Self::exclude, levels), kX), {10, (1 + 500) / 6.0, 10, 1000});
  // Weights enter at every hop.
  const double a = 21 / 3.0;
  const double b = 521 / 8.0;
  const double c = 520 / 7.0;
  expect_near(propagated(made(Operator::flexprop, 2, {}, levels), kX),
              {(a + 2 * b) / 3, (a + 2 * b + 5 * c) / 8, (2 * b + 5 * c) / 7, 1000});
}

TEST(Propagation, ConvolutionByHandWeightsEnterOnce) {
  const std::vector<float> masses{1, 2, 5, 3};
  // Numerators P(c x), denominators P c, P the mean with self.
  expect_near(propagated(made(Operator::convolution, 1, {}, masses), kX),
              {(1 + 20) / 3.0, (1 + 20 + 500) / 8.0, (20 + 500) / 7.0, 1000});
  const std::array<double, 3> n1{21 / 2.0, 521 / 3.0, 520 / 2.0};
  const std::array<double, 3> c1{3 / 2.0, 8 / 3.0, 7 / 2.0};
  expect_near(propagated(made(Operator::convolution, 2, {}, masses), kX),
              {(n1[0] + n1[1]) / (c1[0] + c1[1]), (n1[0] + n1[1] + n1[2]) / (c1[0] + c1[1] + c1[2]),
               (n1[1] + n1[2]) / (c1[1] + c1[2]), 1000});
}

TEST(Propagation, NoHopsKeepEveryRow) {
  const std::vector<float> weights{1, 2, 5, 3};
  for (const auto& [kind, name] : kOperators) {
    const bool weighted = takes_weights(kind);
    expect_near(propagated(made(kind, 0, {}, weighted ? weights : std::vector<float>{}), kX), {1, 10, 100, 1000});
  }
}

TEST(Propagation, WeighedRowsAreRowsOfXTimesTheirFactors) {
  const std::vector<float> factors{2, .5F, 0, 3};
  const std::vector<float> weighed{2, 5, 0, 3000};
  for (const std::size_t hops : {0u, 1u, 3u}) {
    Propagation plain = made(Operator::mean, hops, {});
    EXPECT_EQ(plain.identity(), hops == 0);
    EXPECT_EQ(plain.first().empty(), hops == 0);
    const std::vector<float> expected = propagated(plain, weighed);
    plain.weigh_rows(factors);
    EXPECT_FALSE(plain.identity());
    const std::vector<float> found = propagated(plain, kX);
    expect_near(found, {expected.begin(), expected.end()});
    plain.scale_by(2);
    const std::vector<float> twice = propagated(plain, kX);
    for (std::size_t i = 0; i < twice.size(); ++i) EXPECT_EQ(twice[i], 2 * found[i]);
  }
}

TEST(Propagation, PeopleWhoNeverReportedHaveMassZero) {
  // Node 1 never reported: what stands in its row must not matter.
  const std::vector<float> weights{1, 0, 1, 1};
  const std::vector<float> poisoned{1, 7777, 100, 1000};
  for (const std::size_t hops : {1u, 2u, 3u}) {
    const auto with = propagated(made(Operator::convolution, hops, {}, weights), poisoned);
    EXPECT_EQ(with, propagated(made(Operator::convolution, hops, {}, weights), {1, 0, 100, 1000})) << hops;
    EXPECT_GT(with[1], 0.0F);
  }
  EXPECT_EQ(propagated(made(Operator::flexprop, 1, {}, weights), poisoned),
            propagated(made(Operator::flexprop, 1, {}, weights), {1, 0, 100, 1000}));
}

TEST(Propagation, NobodyWithinReachGivesZeroNeverNan) {
  const std::vector<float> nobody{0, 0, 0, 0};
  for (const std::size_t hops : {0u, 1u, 2u, 5u}) {
    for (const Self self : {Self::include, Self::exclude}) {
      EXPECT_EQ(propagated(made(Operator::convolution, hops, self, nobody), kX), std::vector<float>(4, 0.0F));
    }
  }
  EXPECT_EQ(propagated(made(Operator::flexprop, 1, {}, nobody), kX), (std::vector<float>{0, 0, 0, 1000}));
  // Node 0's only neighbour has no weight.
  EXPECT_EQ(propagated(made(Operator::flexprop, 1, Self::exclude, {1, 0, 1, 1}), kX)[0], 0.0F);
}

// <P x, y> = <x, P^T y>, and P by definition: hop by hop in double precision.
TEST(Propagation, AgreesWithTheDefinitionAndItsTransposeOnARandomGraph) {
  const auto graph = test::random_graph(60, 200, 1);
  const auto weights = test::random_matrix(60, 1, 2, 0, 4);
  const kernels::Threads one(1);
  for (const auto& [kind, name] : kOperators) {
    for (const Self self : {Self::include, Self::exclude}) {
      for (const std::size_t hops : {0u, 1u, 2u, 3u, 8u}) {
        const bool weighted = takes_weights(kind);
        const auto propagation = Propagation::make(csr_of(graph), {.kind = kind, .hops = hops, .self = self},
                                                   weighted ? weights.values() : std::span<const float>{});
        ASSERT_TRUE(propagation.ok());
        const kernels::Matrix x = test::random_matrix(60, 5, 3);
        const kernels::Matrix y = test::random_matrix(60, 5, 4);
        kernels::Matrix px(60, 5);
        kernels::Matrix py(60, 5);
        kernels::Matrix scratch(60, 5);
        propagation->apply(x.view(), scratch.view(), px.view(), one);
        propagation->apply_transpose(y.view(), scratch.view(), py.view(), one);
        double left = 0;
        double right = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
          left += static_cast<double>(px.values()[i]) * static_cast<double>(y.values()[i]);
          right += static_cast<double>(x.values()[i]) * static_cast<double>(py.values()[i]);
        }
        EXPECT_NEAR(left, right, 1e-4) << name << ' ' << hops;

        // One column by definition.
        std::vector<double> value(60);
        std::vector<double> mass(60, 1.0);
        for (std::size_t i = 0; i < 60; ++i) {
          const auto weight = static_cast<double>(weights.values()[i]);
          if (kind == Operator::convolution) mass[i] = weight;
          value[i] = static_cast<double>(x.values()[i * 5]) * mass[i];
        }
        const auto hop = [&, kind = kind](const std::vector<double>& from) {
          std::vector<double> to(60, 0.0);
          for (std::size_t i = 0; i < 60; ++i) {
            std::vector<std::uint32_t> near(graph.view().row(i).begin(), graph.view().row(i).end());
            if (near.empty()) {
              to[i] = from[i];
              continue;
            }
            if (self == Self::include) near.push_back(static_cast<std::uint32_t>(i));
            const double extra = self == Self::include ? 1 : 0;
            double total = 0;
            for (const std::uint32_t j : near) total += static_cast<double>(weights.values()[j]);
            for (const std::uint32_t j : near) {
              const double degree_i = static_cast<double>(graph.view().row(i).size()) + extra;
              const double degree_j = static_cast<double>(graph.view().row(j).size()) + extra;
              double entry = 1 / degree_i;
              if (kind == Operator::kprop) entry = 1 / std::sqrt(degree_i * degree_j);
              if (kind == Operator::flexprop || kind == Operator::inverse_variance) {
                entry = static_cast<double>(weights.values()[j]) / total;
              }
              to[i] += entry * from[j];
            }
          }
          return to;
        };
        for (std::size_t k = 0; k < hops; ++k) {
          value = hop(value);
          mass = kind == Operator::convolution ? hop(mass) : mass;
        }
        for (std::size_t i = 0; i < 60; ++i) {
          const double expected = kind == Operator::convolution ? value[i] / mass[i] : value[i];
          ASSERT_NEAR(static_cast<double>(px.values()[i * 5]), expected, 1e-4)
              << name << " hops " << hops << " node " << i;
        }
      }
    }
  }
}

TEST(Propagation, RefusesWhatDoesNotFit) {
  const std::vector<float> three{1, 2, 3};
  const std::vector<float> negative{1, 2, -3, 1};
  const std::vector<float> undefined{1, 2, std::nanf(""), 1};
  EXPECT_FALSE(Propagation::make(csr_of(kPath), {.kind = Operator::convolution}, three).ok());
  EXPECT_FALSE(Propagation::make(csr_of(kPath), {.kind = Operator::kprop}, three).ok());
  EXPECT_FALSE(Propagation::make(csr_of(kPath), {.kind = Operator::flexprop}, negative).ok());
  EXPECT_FALSE(Propagation::make(csr_of(kPath), {.kind = Operator::flexprop}, undefined).ok());
  EXPECT_FALSE(Propagation::make(csr_of(test::pattern_of({{0}}, 1)), {.kind = Operator::kprop}).ok());
  EXPECT_FALSE(Propagation::make(csr_of(test::pattern_of({{1}, {}}, 2)), {.kind = Operator::kprop}).ok());
}

TEST(SimpleGraph, DropsLoopsAndRefusesDirectedGraphs) {
  const auto simple = simple_graph(csr_of(test::pattern_of({{0, 1}, {0, 1}, {2}}, 3)));
  ASSERT_TRUE(simple.ok());
  EXPECT_EQ(simple->nonzeros(), 2u);
  EXPECT_EQ(simple->row(0)[0], 1u);
  EXPECT_TRUE(simple->row(2).empty());
  EXPECT_FALSE(simple_graph(csr_of(test::pattern_of({{1}, {}}, 2))).ok());
}

}  // namespace
}  // namespace ppgnn::calibrate
