#include "ppgnn/simulate/oracle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "ppgnn/graph/generator.hpp"
#include "ppgnn/ldp/bucket_response.hpp"
#include "ppgnn/simulate/campaign.hpp"
#include "ppgnn/teach/rounds.hpp"

namespace ppgnn::simulate {
namespace {

struct Taught1200 {
  graph::Dataset dataset;
  ldp::Plan plan;
  std::vector<ldp::Level> levels;
  graph::Split split;
  std::vector<ldp::NodeReport> lessons;

  explicit Taught1200(const std::vector<double>& budgets)
      : dataset(graph::generate_social({.nodes = 1200, .attributes = 64, .signal = .6}).value()),
        plan(plan_for(dataset, budgets)),
        levels(population::choose_levels(population::LevelChoice::uniform, dataset.num_nodes(), budgets.size(), 1, 0)),
        split(graph::make_split(dataset, 1, 0).value()) {
    const population::Asking asking(plan, dataset.nodes);
    const population::Devices devices{.features = &dataset.features, .levels = levels, .seed = 1, .asking = &asking};
    std::vector<ldp::Report> made = population::simulate_reports(plan, devices, kernels::Threads(1));
    for (const std::uint32_t person : split.train) lessons.push_back({person, std::move(made[person])});
  }

  static ldp::Plan plan_for(const graph::Dataset& dataset, const std::vector<double>& budgets) {
    ldp::PlanRequest request;
    request.columns = population::columns_of(dataset.features.schema()).value();
    request.budgets = budgets;
    request.secrecy = ldp::LevelSecrecy::public_level;
    return teach::teaching_plan(request, kSimulatedCampaign, {}).value();
  }
  [[nodiscard]] std::vector<MarkedReport> marked() const {
    return marked_reports(dataset, plan, levels, lessons).value();
  }
  [[nodiscard]] ldp::Asked asked(std::uint32_t person) const {
    return {ldp::salt_of(kSimulatedCampaign, dataset.nodes.name(person)), nullptr};
  }
  // Of people of a list, how many have the class for which the model says their features speak.
  [[nodiscard]] double right(const teach::TaughtModel& model, std::span<const std::uint32_t> people) const {
    double found = 0;
    for (const std::uint32_t person : people) {
      const auto columns = dataset.features.pattern().row(person);
      std::vector<double> scores = model.biases;
      for (const std::uint32_t column : columns) {
        for (std::size_t c = 0; c < model.classes; ++c) {
          scores[c] += model.effects[column * model.classes + c] / static_cast<double>(columns.size());
        }
      }
      const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
      found += best == dataset.labels[person] ? 1 : 0;
    }
    return found / static_cast<double>(people.size());
  }
};

// Exactly the reports are marked that are likelier for the person's own features than for none, and each names a word of
// the person that lies in the bucket that was sent.
TEST(Oracle, MarksTrueReportsAndTheirWords) {
  const Taught1200 taught({1, 4});
  const std::vector<MarkedReport> marked = taught.marked();
  auto next = marked.begin();
  std::size_t lies = 0;
  for (const auto& [person, report] : taught.lessons) {
    const std::size_t level = static_cast<std::uint32_t>(taught.levels[person]) - 1;
    const ldp::Shape shape = taught.plan.shape(level);
    const std::uint64_t entry = taught.plan.levels()[level].entry;
    const ldp::WordBuckets words(taught.plan.tables(), shape, taught.asked(person));
    for (const std::uint32_t outcome : report.outcomes) {
      ldp::Report one = report;
      one.outcomes = {outcome};
      const double likelihood =
          ldp::BucketResponse::log_likelihood(one, population::row_of(taught.dataset.features, person),
                                              taught.plan.tables(), taught.asked(person), entry, shape);
      if (likelihood < -std::log(shape.outcomes)) {  // less likely than by pure chance: not favoured
        ++lies;
        continue;
      }
      ASSERT_NE(next, marked.end());
      EXPECT_EQ(next->person, person);
      if (next->column) {
        EXPECT_EQ(words.bucket(*next->column, true), outcome);
        const auto own = taught.dataset.features.pattern().row(person);
        EXPECT_TRUE(std::binary_search(own.begin(), own.end(), *next->column));
      }
      ++next;
    }
  }
  EXPECT_EQ(next, marked.end());
  EXPECT_GT(lies, 100u);
  EXPECT_GT(marked.size(), 100u);
}

// With budgets that leave little noise most reports are true, and counted over people the words are those of true_rates.
TEST(Oracle, RatesAreThoseOfTrueReports) {
  const Taught1200 taught({30});
  const std::vector<MarkedReport> marked = taught.marked();
  std::size_t sent = 0;
  for (const auto& [person, report] : taught.lessons) sent += report.outcomes.size();
  EXPECT_GT(marked.size(), sent * 9 / 10);
  const std::vector<double> rates = true_rates(taught.dataset, taught.plan, taught.levels);
  const std::size_t classes = taught.dataset.num_classes();
  std::vector<double> counted(rates.size());
  std::vector<double> reports(classes);
  for (const MarkedReport& report : marked) {
    const auto label = static_cast<std::size_t>(taught.dataset.labels[report.person]);
    ++reports[label];
    if (report.column) ++counted[*report.column * classes + label];
  }
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const double expected = rates[i] * reports[i % classes];
    EXPECT_NEAR(counted[i], expected, 6 * std::sqrt(expected + 1)) << i;  // 256 counts: below 1e-5 in all
  }
}

// Every favoured bucket of every teacher, each once: as often as a report without noise would be sent for each word.
TEST(Oracle, AllReportsAreOneOfEachFavouredBucket) {
  const Taught1200 taught({1, 4});
  const auto all = all_reports(taught.dataset, taught.plan, taught.levels, taught.split.train);
  ASSERT_TRUE(all) << all.error().message;
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (const MarkedReport& report : *all) {
    if (!report.column) continue;
    EXPECT_TRUE(seen.emplace(report.person, *report.column).second);
  }
  EXPECT_EQ(all->size(), taught.split.train.size() * taught.plan.shape(0).favoured);
  for (const MarkedReport& report : taught.marked()) {
    if (!report.column) continue;
    EXPECT_TRUE(seen.contains({report.person, *report.column}));
  }
}

TEST(Oracle, OnlyWordsCanBeMarked) {
  Taught1200 taught({1});
  ldp::PlanRequest request;
  request.columns = {{"feature", 64, ldp::ColumnKind::number, -1, 1, 0}};
  request.budgets = {1};
  request.secrecy = ldp::LevelSecrecy::public_level;
  const ldp::Plan directions = teach::teaching_plan(request, kSimulatedCampaign, {}).value();
  EXPECT_FALSE(marked_reports(taught.dataset, directions, taught.levels, {}));
  EXPECT_FALSE(all_reports(taught.dataset, directions, taught.levels, {}));
}

// Attribute j belongs to class j mod 4 there: who looks at clean features finds the class of people not seen.
TEST(Oracle, CleanModelKnowsTheClass) {
  const Taught1200 taught({1});
  const auto model = clean_model(taught.dataset, taught.split, taught.plan);
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_GT(taught.right(*model, taught.split.test), .9);
  EXPECT_EQ(model->effects, clean_model(taught.dataset, taught.split, taught.plan)->effects);
  // What no device would take is no ceiling.
  EXPECT_TRUE(teach::ask_about(*model, taught.dataset, taught.split,
                               {4, std::vector<float>(taught.dataset.num_nodes() * 4, .25F)}, taught.plan, {},
                               taught.levels, 1));
}

TEST(Oracle, EveryEstimatorLearnsFromManyMarkedWords) {
  const Taught1200 taught({16});
  const auto clean = clean_model(taught.dataset, taught.split, taught.plan);
  ASSERT_TRUE(clean) << clean.error().message;
  const std::vector<NamedModel> models =
      marked_models(taught.dataset, taught.plan, taught.levels, taught.marked(), *clean);
  std::set<std::string> names;
  for (const auto& [name, model] : models) {
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_GT(taught.right(model, taught.split.test), .8) << name;
  }
  EXPECT_TRUE(names.contains("compound-weights"));
}

// Nothing marked, nothing learned: not even what the true words of others say tells a word's class.
TEST(Oracle, NoEstimatorKnowsAWordThatWasNeverMarked) {
  const Taught1200 taught({1});
  const auto clean = clean_model(taught.dataset, taught.split, taught.plan);
  ASSERT_TRUE(clean) << clean.error().message;
  for (const auto& [name, model] : marked_models(taught.dataset, taught.plan, taught.levels, {}, *clean)) {
    EXPECT_LT(taught.right(model, taught.split.test), .4) << name;
  }
}

}  // namespace
}  // namespace ppgnn::simulate
