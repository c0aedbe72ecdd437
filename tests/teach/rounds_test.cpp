#include "ppgnn/teach/rounds.hpp"

#include <gtest/gtest.h>

#include "ppgnn/graph/generator.hpp"
#include "ppgnn/ldp/question.hpp"

namespace ppgnn::teach {
namespace {

struct Taught {
  graph::Dataset dataset;
  graph::Split split;
  Beliefs structure;
  ldp::Plan teaching;
};

Taught taught() {
  graph::SocialOptions social;
  social.nodes = 200;
  social.attributes = 30;
  graph::Dataset dataset = graph::generate_social(social).value();
  graph::Split split = graph::make_split(dataset, 0, 0).value();
  Beliefs structure{dataset.num_classes(), {}};
  for (std::size_t person = 0; person < dataset.num_nodes(); ++person) {
    for (std::size_t c = 0; c < structure.classes; ++c) structure.values.push_back(c == person % 2 ? .4F : .2F);
  }
  ldp::PlanRequest request;
  request.columns = {{"interest", 30, ldp::ColumnKind::binary, 0, 1, 0}};
  request.budgets = {2, 4};
  ldp::Plan teaching = teaching_plan(request, "spring", {}).value();
  return {std::move(dataset), std::move(split), std::move(structure), std::move(teaching)};
}

// Nobody is asked in two rounds, and together they ask what one round asks.
TEST(Rounds, PilotsAndTheOthersAreEverybody) {
  const Taught known = taught();
  const Result<TaughtModel> model =
      learn(known.teaching, {}, known.dataset.nodes, known.dataset.labels.span(), known.dataset.num_classes());
  ASSERT_TRUE(model) << model.error().message;
  const Result<Asking> everybody =
      ask_about(*model, known.dataset, known.split, known.structure, known.teaching, {}, {}, 0);
  ASSERT_TRUE(everybody) << everybody.error().message;
  const Result<Asking> pilots = ask_pilots(*everybody, known.split);
  ASSERT_TRUE(pilots);
  const Result<Asking> others = ask_others(known.dataset, known.split, known.structure, pilots->plan, {});
  ASSERT_TRUE(others);
  EXPECT_EQ(pilots->plan.tables().campaign->role, ldp::Role::pilot);
  EXPECT_EQ(others->plan.tables().campaign->role, ldp::Role::answer);
  EXPECT_NE(pilots->plan.hash(), others->plan.hash());
  EXPECT_EQ(others->plan.text(), everybody->plan.text()) << "the same model, budgets and words";
  std::size_t asked = 0;
  for (std::size_t person = 0; person < known.dataset.num_nodes(); ++person) {
    const auto& first = pilots->questions[person];
    const auto& second = others->questions[person];
    const auto& both = everybody->questions[person];
    ASSERT_FALSE(first && second);
    ASSERT_EQ(both.has_value(), first.has_value() || second.has_value());
    if (!both) continue;
    ++asked;
    EXPECT_EQ((first ? first : second)->bytes(), both->bytes());
  }
  EXPECT_GT(asked, 0U);
  for (const graph::NodeId person : known.split.train) EXPECT_FALSE(everybody->questions[person]);
  for (const graph::NodeId person : known.split.test) EXPECT_FALSE(pilots->questions[person]);
}

}  // namespace
}  // namespace ppgnn::teach
