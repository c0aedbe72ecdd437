#include "ppgnn/graph/generator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ppgnn/graph/statistics.hpp"
#include "support/threads.hpp"

namespace ppgnn::graph {
namespace {

Dataset generate(const SocialOptions& options) {
  auto dataset = generate_social(options);
  EXPECT_TRUE(dataset) << (dataset ? "" : dataset.error().message);
  EXPECT_TRUE(check(*dataset));
  return *dataset;
}

TEST(Social, SameBytesForAnyThreadCount) {
  SocialOptions options;
  options.nodes = 5000;
  const auto bytes = [&](std::size_t threads) {
    return to_hex(checksum(test::with_threads(threads, [&] { return generate(options); })));
  };
  const std::string one = bytes(1);
  EXPECT_EQ(bytes(2), one);
  EXPECT_EQ(bytes(7), one);
  options.seed = 2;
  EXPECT_NE(bytes(1), one);
}

TEST(Social, AttributeKnobsDoNotChangeTheGraph) {
  SocialOptions options;
  const Dataset first = generate(options);
  options.interests = 3;
  options.attributes = 40;
  const Dataset second = generate(options);
  EXPECT_EQ(std::vector(first.graph.columns().begin(), first.graph.columns().end()),
            std::vector(second.graph.columns().begin(), second.graph.columns().end()));
  EXPECT_NE(checksum(first), checksum(second));
}

// An edge joins equal classes when it stays in the class and both or neither ... are noisy, or leaves it and noise
// makes up for it; with k classes, homophily h and noise q, of two ends in communities of one class: s = (1-q)^2 +
// q^2/(k-1), and of two in different ones d = (1 - s) / (k - 1). Then the share is h s + (1-h) d.
TEST(Social, HomophilyIsWhatTheKnobsSay) {
  for (const double homophily : {0.6, 0.9}) {
    for (const double noise : {0.0, 0.2}) {
      SocialOptions options;
      options.nodes = 20000;
      options.homophily = homophily;
      options.noise = noise;
      options.attributes = 0;
      const double k = static_cast<double>(options.classes);
      const double same = (1 - noise) * (1 - noise) + noise * noise / (k - 1);
      const double expected = homophily * same + (1 - homophily) * (1 - same) / (k - 1);
      EXPECT_NEAR(statistics(generate(options)).homophily.value(), expected, .02) << homophily << ' ' << noise;
    }
  }
}

TEST(Social, DegreesFollowAPowerLaw) {
  SocialOptions options;
  options.nodes = 50000;
  options.attributes = 0;
  const Dataset dataset = generate(options);
  const Statistics s = statistics(dataset);
  EXPECT_NEAR(s.mean_degree, options.degree, 1.5);
  EXPECT_GT(s.max_degree, 40 * s.median_degree);
  // The share of nodes above x falls as x^-(exponent - 1): Hill's estimate from the nodes of degree 30 and more.
  double logs = 0;
  double count = 0;
  for (std::size_t node = 0; node < s.nodes; ++node) {
    const auto degree = static_cast<double>(dataset.graph.row(node).size());
    if (degree < 30) continue;
    logs += std::log(degree / 29.5);
    ++count;
  }
  EXPECT_NEAR(1 + count / logs, options.exponent, .25);
}

// Attributes must tell more about the class than the community does: naive Bayes on the attributes of the other half,
// alone and together with the class most neighbours have.
TEST(Social, AttributesTellMoreThanTheStructure) {
  SocialOptions options;
  options.nodes = 10000;
  options.noise = 0.3;
  const Dataset dataset = generate(options);
  const std::size_t classes = options.classes;
  std::vector<double> counts(options.attributes * classes, 1);
  for (std::size_t node = 0; node < options.nodes; node += 2) {
    for (const std::uint32_t column : dataset.features.pattern().row(node)) {
      ++counts[column * classes + static_cast<std::size_t>(dataset.labels[node])];
    }
  }
  double by_structure = 0;
  double by_both = 0;
  for (std::size_t node = 1; node < options.nodes; node += 2) {
    std::vector<double> votes(classes, 0);
    for (const NodeId neighbour : dataset.graph.row(node)) ++votes[static_cast<std::size_t>(dataset.labels[neighbour])];
    std::vector<double> both = votes;
    for (std::size_t c = 0; c < classes; ++c) {
      for (const std::uint32_t column : dataset.features.pattern().row(node)) {
        double total = 0;
        for (std::size_t other = 0; other < classes; ++other) total += counts[column * classes + other];
        both[c] += std::log(counts[column * classes + c] / total);
      }
    }
    const auto best = [](const std::vector<double>& score) {
      return static_cast<std::int32_t>(std::max_element(score.begin(), score.end()) - score.begin());
    };
    by_structure += best(votes) == dataset.labels[node] ? 1 : 0;
    by_both += best(both) == dataset.labels[node] ? 1 : 0;
  }
  EXPECT_GT(by_both, by_structure * 1.1);
}

TEST(Social, SomeLabelsAreNotKnown) {
  SocialOptions options;
  options.nodes = 10000;
  const Dataset all = generate(options);
  options.labelled = .3;
  const Dataset some = generate(options);
  double known = 0;
  for (std::size_t node = 0; node < options.nodes; ++node) {
    if (some.labels[node] == kUnknown) continue;
    ++known;
    EXPECT_EQ(some.labels[node], all.labels[node]);
  }
  EXPECT_NEAR(known / 10000, .3, .02);
  const auto friends = [](const Dataset& dataset) { return dataset.graph.columns().span(); };
  EXPECT_TRUE(std::ranges::equal(friends(some), friends(all)));
  EXPECT_EQ(some.features.pattern().nonzeros(), all.features.pattern().nonzeros());
}

TEST(Social, NamesCarryKnobs) {
  const auto options = parse_social("synthetic:social,nodes=500,classes=3,homophily=0.95,seed=9");
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->nodes, 500u);
  EXPECT_EQ(options->classes, 3u);
  EXPECT_EQ(options->homophily, 0.95);
  EXPECT_EQ(options->seed, 9u);
  const auto message = [](const char* name) {
    const auto parsed = parse_social(name);
    return parsed ? std::string("accepted") : parsed.error().message;
  };
  EXPECT_EQ(message("synthetic:social"), "accepted");
  EXPECT_EQ(message("synthetic:social,color=1"),
            "synthetic:social: color is not a knob; there are seed, nodes, classes, communities, degree, exponent, "
            "local, homophily, "
            "noise, attributes, interests, signal, labelled");
  EXPECT_EQ(message("synthetic:social,nodes=x"), "synthetic:social: nodes needs a whole number from 1 to 4294967295");
  EXPECT_EQ(message("synthetic:social,nodes"), "synthetic:social: nodes needs a whole number from 1 to 4294967295");
  EXPECT_EQ(message("synthetic:social,nodes=0"), "synthetic:social: nodes is 0, outside 1 to 4294967295");
  EXPECT_EQ(message("synthetic:social,noise=2"), "synthetic:social: noise is 2, outside 0 to 1");
  EXPECT_EQ(message("synthetic:social,local=0.9,homophily=0.5"), "synthetic:social: homophily is below local");
  EXPECT_EQ(message("synthetic:socialx"), "synthetic:social: x does not follow a comma");
}

TEST(Social, SmallestGraphs) {
  SocialOptions options;
  options.nodes = 1;
  options.classes = 1;
  options.communities = 1;
  const Dataset one = generate(options);
  EXPECT_EQ(one.graph.nonzeros(), 0u);
  options.nodes = 30;
  options.degree = 0;
  options.interests = 0;
  EXPECT_EQ(generate(options).graph.nonzeros(), 0u);
}

}  // namespace
}  // namespace ppgnn::graph
