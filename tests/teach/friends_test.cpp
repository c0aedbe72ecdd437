#include "teach/friends.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "ppgnn/graph/generator.hpp"
#include "ppgnn/teach/structure.hpp"
#include "teach/diffused_labels.hpp"

namespace ppgnn::teach {
namespace {

constexpr std::uint32_t kHubs = 20;

// 600 people with two classes, each a friend of three hubs, two of whom draw people of the own class; hubs are without
// a label, and nobody has another friend.
graph::Dataset around_hubs() {
  graph::SocialOptions options;
  options.nodes = 600 + kHubs;
  options.classes = 2;
  graph::Dataset dataset = graph::generate_social(options).value();
  std::vector<std::int32_t> labels(dataset.num_nodes(), graph::kUnknown);
  std::vector<graph::Edge> edges;
  for (std::uint32_t person = kHubs; person < labels.size(); ++person) {
    labels[person] = static_cast<std::int32_t>(person % 2);
    const std::uint32_t number = (person - kHubs) / 2;
    const auto hub = [&](std::uint32_t draws, std::uint32_t which) { return draws + 2 * (which % (kHubs / 2)); };
    edges.push_back({person, hub(person % 2, number)});
    edges.push_back({person, hub(person % 2, number / 7 + 3)});
    edges.push_back({person, hub(1 - person % 2, number / 3)});
  }
  dataset.labels = graph::SharedArray<std::int32_t>(labels);
  dataset.graph = graph::build_graph(labels.size(), std::move(edges)).value();
  return dataset;
}

TEST(Friends, WhatItMeansToHaveThisFriendIsLearned) {
  const graph::Dataset dataset = around_hubs();
  const auto problem = server::Problem::make(dataset).value();
  const graph::Split split = graph::make_split(dataset, 0, 0).value();
  const auto beliefs = friends_beliefs(problem, split, {"sage", 0}, 0, 1, {});
  ASSERT_TRUE(beliefs) << beliefs.error().message;
  EXPECT_GT(quality_of(*beliefs, dataset.labels.span(), split.test).accuracy, .9);
}

TEST(Friends, ThreadsChangeNothing) {
  const graph::Dataset dataset = around_hubs();
  const auto problem = server::Problem::make(dataset).value();
  const graph::Split split = graph::make_split(dataset, 0, 0).value();
  for (const FriendsNetwork& network : {FriendsNetwork{"sage", 0}, FriendsNetwork{"gcn", 2}}) {
    const auto one = friends_beliefs(problem, split, network, 3, 1, {});
    const auto two = friends_beliefs(problem, split, network, 3, 2, {});
    ASSERT_TRUE(one && two);
    EXPECT_EQ(one->values, two->values);
  }
}

// The networks have seen the labels of those they learned from: of these the spread labels alone speak.
TEST(Friends, HaveNoSayAboutPeopleTheyLearnedFrom) {
  const graph::Dataset dataset = around_hubs();
  const auto problem = server::Problem::make(dataset).value();
  const graph::Split split = graph::make_split(dataset, 0, 0).value();
  const auto structure = structure_beliefs(problem, split, {});
  const auto spread = diffused_labels(problem, split, {}, {});
  ASSERT_TRUE(structure && spread);
  for (const std::uint32_t person : split.train) {
    for (std::size_t c = 0; c < spread->classes; ++c) ASSERT_EQ(structure->of(person)[c], spread->of(person)[c]);
  }
  const auto loss = [&](const Beliefs& one) { return quality_of(one, dataset.labels.span(), split.test).log_loss; };
  EXPECT_LT(loss(*structure), loss(*spread) + .02);
}

}  // namespace
}  // namespace ppgnn::teach
