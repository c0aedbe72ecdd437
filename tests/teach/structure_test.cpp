#include "ppgnn/teach/structure.hpp"

#include <gtest/gtest.h>

#include "ppgnn/graph/generator.hpp"

namespace ppgnn::teach {
namespace {

graph::Dataset network(std::size_t nodes) {
  graph::SocialOptions options;
  options.nodes = nodes;
  return graph::generate_social(options).value();
}

Result<Beliefs> beliefs_of(const graph::Dataset& dataset, const graph::Split& split, StructureOptions options = {}) {
  options.training.epochs = 100;
  return structure_beliefs(server::Problem::make(dataset).value(), split, options);
}

TEST(Structure, KnowsMoreThanTheShareOfTheLargestClass) {
  const graph::Dataset dataset = network(1500);
  const graph::Split split = graph::make_split(dataset, 0, 0).value();
  const auto beliefs = beliefs_of(dataset, split);
  ASSERT_TRUE(beliefs) << beliefs.error().message;
  EXPECT_GT(quality_of(*beliefs, dataset.labels.span(), split.test).accuracy, .6);
}

// Labels of people that are not known change nothing; nor does the label of a person change what is said of that person
// alone: here everybody is alone, so that what is said of known people must be the same for every label.
TEST(Structure, NobodysOwnLabelIsAmongTheSources) {
  graph::Dataset dataset = network(400);
  dataset.graph =
      graph::Csr::make(std::vector<std::uint64_t>(dataset.num_nodes() + 1, 0), {}, dataset.num_nodes()).value();
  const graph::Split split = graph::make_split(dataset, 0, 0).value();
  const auto beliefs = beliefs_of(dataset, split);
  ASSERT_TRUE(beliefs) << beliefs.error().message;
  const auto first = beliefs->of(split.train.front());
  for (const std::uint32_t person : split.train) {
    for (std::size_t c = 0; c < beliefs->classes; ++c) ASSERT_EQ(beliefs->of(person)[c], first[c]);
  }
}

TEST(Structure, TestLabelsPlayNoPart) {
  graph::Dataset dataset = network(600);
  const graph::Split split = graph::make_split(dataset, 0, 0).value();
  const auto before = beliefs_of(dataset, split);
  std::vector<std::int32_t> labels(dataset.labels.begin(), dataset.labels.end());
  for (const std::uint32_t person : split.test) labels[person] = (labels[person] + 1) % 4;
  dataset.labels = graph::SharedArray<std::int32_t>(labels);
  const auto after = beliefs_of(dataset, split);
  ASSERT_TRUE(before && after);
  EXPECT_EQ(before->values, after->values);
}

// Validation labels count only where they are asked for.
TEST(Structure, ValidationLabelsAreAnOption) {
  const graph::Dataset dataset = network(1500);
  const graph::Split split = graph::make_split(dataset, 0, 0).value();
  const auto some = beliefs_of(dataset, split);
  const auto all = beliefs_of(dataset, split, {.all_labels = true});
  ASSERT_TRUE(some && all);
  const auto loss = [&](const Beliefs& one) { return quality_of(one, dataset.labels.span(), split.test).log_loss; };
  EXPECT_LT(loss(*all), loss(*some));
}

TEST(Structure, RefusesWhatItCannotUse) {
  const graph::Dataset dataset = network(100);
  graph::Split split = graph::make_split(dataset, 0, 0).value();
  EXPECT_FALSE(beliefs_of(dataset, split, {.hops = 0}));
  EXPECT_FALSE(beliefs_of(dataset, split, {.folds = 1}));
  split.validation.clear();
  EXPECT_FALSE(beliefs_of(dataset, split));
}

}  // namespace
}  // namespace ppgnn::teach
