#include "ppgnn/study/one_cell.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "ppgnn/graph/generator.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::study {
namespace {

graph::Dataset small(std::size_t nodes = 300) {
  graph::SocialOptions options;
  options.nodes = nodes;
  return graph::generate_social(options).value();
}

Setting quick(Setting more = {}) {
  more.insert({{"epochs", "20"}, {"scale", "0.1"}});
  return more;
}

Result<CellResult> run_one(const graph::Dataset& dataset, const Setting& setting, std::size_t runs = 2,
                           bool references = true, std::size_t jobs = 2) {
  const Result<StudyData> data = study_data(dataset);
  if (!data) return data.error();
  ExecuteOptions options;
  options.jobs = jobs;
  return run_cell(*data, setting, runs, references, options);
}

TEST(OneCell, SameSeedSameBitsForAnyNumberOfThreads) {
  const graph::Dataset data = small();
  Setting setting = quick({{"scale", "common"}});
  const CellResult one = run_one(data, setting, 2, true, 1).value();
  const CellResult seven = run_one(data, setting, 2, true, 7).value();
  EXPECT_EQ(one.method.log_loss, seven.method.log_loss);
  EXPECT_EQ(one.control->log_loss, seven.control->log_loss);
  EXPECT_EQ(one.nonprivate->log_loss, seven.nonprivate->log_loss);
  EXPECT_EQ(one.method.scale, seven.method.scale);
  setting["noise_seed"] = "1";
  EXPECT_NE(run_one(data, setting)->method.log_loss, one.method.log_loss);
  setting["noise_seed"] = "own";
  setting["split_seed"] = "1";
  EXPECT_NE(run_one(data, setting)->method.log_loss, one.method.log_loss);
}

// Of few columns, relaxed people of the paper's method report all and strict ones some.
TEST(OneCell, PeopleMayReportSomeColumnsAndOthersAll) {
  graph::SocialOptions options;
  options.nodes = 200;
  options.attributes = 4;
  const auto result = run_one(graph::generate_social(options).value(), quick({{"method", "paper"}}), 1, false);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(std::isfinite(result->method.log_loss[0]));
}

// What is kept of a run beside its metrics belongs to it, and changes nothing of it.
TEST(OneCell, EverybodyOfARun) {
  const StudyData data = study_data(small()).value();
  for (const char* method : {"strict", "teach"}) {
    const Experiment experiment = experiment_of(quick({{"method", method}})).value();
    const Shared shared = share(experiment, data, 0).value();
    const Measured alone = measure_run(experiment, shared, 0, {}, {}).value();
    const Measured kept = measure_run(experiment, shared, 0, {.everybody = true}, {}).value();
    EXPECT_FALSE(alone.everybody);
    EXPECT_EQ(alone.metrics.at("log_loss"), kept.metrics.at("log_loss"));
    ASSERT_TRUE(kept.everybody);
    EXPECT_EQ(kept.everybody->predictions.classes.size(), 300u);
    EXPECT_EQ(kept.everybody->spent.size(), 300u);
    EXPECT_FALSE(kept.everybody->plans.empty());
    const double most = *std::max_element(kept.everybody->spent.begin(), kept.everybody->spent.end());
    EXPECT_DOUBLE_EQ(most, kept.metrics.at("privacy_max"));
  }
}

TEST(OneCell, EveryMethodWorksBesideItsReferences) {
  graph::SocialOptions options;
  options.nodes = 300;
  options.attributes = 32;
  const graph::Dataset data = graph::generate_social(options).value();
  for (const MethodEntry& method : methods()) {
    const auto result = run_one(data, quick({{"method", std::string(method.name)}}), 1);
    ASSERT_TRUE(result) << method.name << ": " << result.error().message;
    EXPECT_GT(result->method.accuracy[0], .2) << method.name;
    EXPECT_TRUE(std::isfinite(result->method.log_loss[0])) << method.name;
    const bool clean = method.mechanism.empty();
    EXPECT_EQ(result->control.has_value(), !clean && !method.is_control()) << method.name;
    EXPECT_EQ(result->nonprivate.has_value(), !clean) << method.name;
    EXPECT_EQ(result->in_public.has_value(), method.name == "teach" || method.name == "home") << method.name;
    EXPECT_EQ(result->decided.has_value(), method.name == "teach" || method.name == "teach-public") << method.name;
    EXPECT_EQ(result->decided_in_public.has_value(), method.name == "teach") << method.name;
    EXPECT_EQ(result->method.home.has_value(), method.at_home) << method.name;
    EXPECT_TRUE(!result->decided || (result->decided->home && result->decided->lift)) << method.name;
    EXPECT_EQ(result->method.answers.has_value(), method.campaign && !method.pools) << method.name;
    EXPECT_EQ(result->method.levels.empty(), clean) << method.name;
    const bool exact = method.mechanism == "strict" || method.mechanism == "mb" || method.mechanism == "1b";
    EXPECT_EQ(result->method.privacy.holds, exact && method.taught == simulate::Taught::reports) << method.name;
    const bool oracle = method.taught != simulate::Taught::reports;
    EXPECT_EQ(result->method.privacy.max == 0, clean || method.is_control() || oracle) << method.name;
    EXPECT_EQ(result->method.privacy.mean == 0, result->method.privacy.max == 0) << method.name;
    EXPECT_EQ(result->method.privacy.why.empty(), result->method.privacy.holds || clean) << method.name;
  }
}

TEST(OneCell, SaysWhatIsSpentAndHowEachLevelFares) {
  const graph::Dataset data = small();
  const CellResult result = run_one(data, quick({{"levels", "bimodal"}})).value();
  ASSERT_EQ(result.judged.size(), 5u);
  EXPECT_EQ(result.judged[1], 0u);
  EXPECT_GT(result.judged[0], 0u);
  EXPECT_NEAR(result.method.levels[0].spent, 1, 1e-9);
  EXPECT_NEAR(result.method.privacy.max, result.method.levels[4].spent, 1e-12);
  EXPECT_GT(result.method.privacy.mean, 1);
  EXPECT_LT(result.method.privacy.mean, result.method.privacy.max);
  // The paper's people spend their whole budget: on features and on the level report.
  EXPECT_NEAR(run_one(data, quick({{"method", "paper"}}), 2, false)->method.privacy.max, 16, 1e-9);
  std::uint64_t people = 0;
  double right = 0;
  for (std::size_t level = 0; level < result.judged.size(); ++level) {
    people += result.judged[level];
    right += result.method.levels[level].accuracy * static_cast<double>(result.judged[level]);
  }
  const double mean = (result.method.accuracy[0] + result.method.accuracy[1]) / 2;
  EXPECT_NEAR(right / static_cast<double>(people), mean, 1e-9);
}

// Of one budget for everybody, levels tell people apart and change nothing else.
TEST(OneCell, LevelsOfOneBudgetOnlyTellPeopleApart) {
  const graph::Dataset data = small();
  const std::string budgets = "1,2,4";
  const CellResult uniform = run_one(data, quick({{"method", "lpgnn"}, {"budgets", budgets}}), 1).value();
  const CellResult strict =
      run_one(data, quick({{"method", "lpgnn"}, {"budgets", budgets}, {"levels", "strict"}}), 1).value();
  EXPECT_EQ(uniform.method.log_loss, strict.method.log_loss);
  ASSERT_EQ(uniform.judged.size(), 3u);
  EXPECT_GT(uniform.judged[2], 0u);
  EXPECT_EQ(strict.judged[2], 0u);
  EXPECT_EQ(uniform.method.levels[2].spent, 1);
}

// The control's reports must not depend on the features at all.
TEST(OneCell, TheControlCarriesNoInformation) {
  graph::Dataset data = small();
  const Setting setting = quick({{"method", "control"}});
  const auto before = run_one(data, setting, 2, false)->method.log_loss;
  data.features = graph::Features::make(graph::Csr::make(std::vector<std::uint64_t>(301, 0),
                                                         std::vector<std::uint32_t>{}, data.features.cols())
                                            .value(),
                                        {}, data.features.schema())
                      .value();
  EXPECT_EQ(run_one(data, setting, 2, false)->method.log_loss, before);
}

// One control for all methods and budgets: what graph and labels say, calibrated.
TEST(OneCell, TheControlBesideAMethodIsTheGraphAlone) {
  const graph::Dataset data = small();
  const auto control = run_one(data, quick({{"method", "teach-control"}}))->method.log_loss;
  for (const char* method : {"strict", "paper", "lpgnn", "teach"}) {
    for (const char* budget : {"0.01,1", "2,4"}) {
      EXPECT_EQ(run_one(data, quick({{"method", method}, {"budgets", budget}}))->control->log_loss, control) << method;
    }
  }
}

// Pooling can only gain on the validation people; on the others it is at least about as good as its parts.
TEST(OneCell, WithoutPrivacyIsGraphAndFeaturesPooled) {
  const graph::Dataset data = small(600);
  const Setting setting{{"epochs", "100"}};
  const auto loss = [&](const char* method) {
    Setting one = setting;
    one["method"] = method;
    return run_one(data, one, 3, false)->method.mean_log_loss;
  };
  const double pooled = loss("clean");
  EXPECT_LT(pooled, loss("nonpriv") + .01);
  EXPECT_LT(pooled, loss("teach-control") + .01);
}

// The aggregates come nearer to the clean ones with the budget, and a report of nothing tells nothing.
TEST(OneCell, SaysHowNearCalibratedFeaturesAreToCleanOnes) {
  const graph::Dataset data = small();
  const auto at = [&](const char* method, const char* budget) {
    return run_one(data, quick({{"method", method}, {"budgets", budget}, {"level_budget", budget}}), 2, false)
        ->fidelity;
  };
  const simulate::Fidelity little = *at("strict", "1");
  const simulate::Fidelity much = *at("strict", "40");
  EXPECT_GT(much.cosine, little.cosine);
  EXPECT_LT(much.relative_error, little.relative_error);
  EXPECT_LE(little.relative_error, 1);
  EXPECT_NEAR(at("control", "1")->cosine, 0, .1);
  EXPECT_FALSE(at("nonpriv", "1").has_value());
}

TEST(OneCell, CampaignsHaveTheSameBitsForAnyNumberOfThreads) {
  const graph::Dataset data = small(500);
  const CellResult one = run_one(data, quick({{"method", "teach"}}), 3, true, 1).value();
  const CellResult three = run_one(data, quick({{"method", "teach"}}), 3, true, 3).value();
  EXPECT_EQ(one.method.log_loss, three.method.log_loss);
  for (const auto part : {&CellResult::control, &CellResult::in_public, &CellResult::nonprivate}) {
    EXPECT_EQ((one.*part)->log_loss, (three.*part)->log_loss);
  }
  EXPECT_EQ(one.control->privacy.mean, 0);
  EXPECT_GT(one.in_public->privacy.mean, one.method.privacy.mean);
  EXPECT_TRUE(one.method.lift->p_value && one.in_public->lift->p_nats);
  EXPECT_FALSE(one.control->lift);
}

// Fewer runs than a test needs have no p, whatever the method.
TEST(OneCell, TooFewRunsHaveNoP) {
  const graph::Dataset data = small();
  for (const char* method : {"strict", "teach"}) {
    const CellResult two = run_one(data, quick({{"method", method}}), 2).value();
    ASSERT_TRUE(two.method.lift) << method;
    EXPECT_FALSE(two.method.lift->p_value || two.method.lift->p_nats) << method;
    const CellResult three = run_one(data, quick({{"method", method}}), 3).value();
    EXPECT_TRUE(three.method.lift->p_value && three.method.lift->p_nats) << method;
  }
}

TEST(OneCell, RefusesWhatCannotWork) {
  const graph::Dataset data = small();
  const auto problem = [](const graph::Dataset& dataset, const Setting& setting, std::size_t runs = 2) {
    const auto result = run_one(dataset, quick(setting), runs);
    return result ? std::string("accepted") : result.error().message;
  };
  EXPECT_EQ(problem(data, {}, 0), "runs: must be between 1 and 10000, but is 0");
  EXPECT_EQ(problem(data, {}, 10001), "runs: must be between 1 and 10000, but is 10001");
  EXPECT_EQ(problem(data, {{"budgets", "2,1"}}), "budgets: level 2: must be above level 1 (2), but is 1");
  EXPECT_EQ(problem(data, {{"budgets", "1,,2"}}), "budgets: must be numbers with commas between them, but is 1,,2");
  EXPECT_NE(problem(data, {{"method", "xx"}}).find("method: must be one of"), std::string::npos);
  EXPECT_NE(problem(data, {{"levels", "/nonexistent"}}).find("/nonexistent"), std::string::npos);
  const test::TemporaryFolder folder;
  std::ofstream(folder / "levels") << "node,level\n0,9\n";
  EXPECT_NE(problem(data, {{"levels", (folder / "levels").string()}}).find("level: must be between 1 and 5"),
            std::string::npos);
  graph::SocialOptions options;
  options.nodes = 300;
  options.classes = 1;
  EXPECT_EQ(problem(graph::generate_social(options).value(), {}),
            "data: there must be at least two classes, but there are 1");
  options.classes = 4;
  options.attributes = 0;
  EXPECT_EQ(problem(graph::generate_social(options).value(), {}), "data: synthetic:social has no features");
}

TEST(AttackedCell, SummarisesRunsTheSameForAnyNumberOfThreads) {
  graph::SocialOptions social;
  social.nodes = 300;
  social.attributes = 40;
  social.classes = 1;  // nothing is trained
  const StudyData data = study_data(graph::generate_social(social).value(), false).value();
  const Setting setting{{"task", "infer"}, {"targets", "1000"}};
  ExecuteOptions options;
  options.jobs = 1;
  std::size_t calls = 0;
  options.progress = [&](const StudyProgress& at) { calls = std::max(calls, at.runs); };
  const AttackedCell one = attack_cells(data, {setting}, 3, options)->front();
  EXPECT_EQ(calls, 3u);
  options.jobs = 7;
  options.progress = {};
  const AttackedCell seven = attack_cells(data, {setting}, 3, options)->front();
  EXPECT_EQ(one.level.guesses, 900u);
  EXPECT_EQ(one.level.right, seven.level.right);
  EXPECT_EQ(one.ones, 1500u);
  EXPECT_EQ(one.levels, 5u);
  for (const auto& [name, interval] : one.metrics) EXPECT_EQ(interval.mean, seven.metrics.at(name).mean) << name;
  const auto runs = measure(data, {{setting}}, 3, options)->front().runs;
  const double mean = (runs[0].attributes.majority.accuracy + runs[1].attributes.majority.accuracy +
                       runs[2].attributes.majority.accuracy) /
                      3;
  EXPECT_NEAR(one.mean("majority.accuracy"), mean, 1e-12);
  EXPECT_EQ(one.mean("no.such.metric"), 0);
  EXPECT_NEAR(one.level.bound, one.mean("level.bound"), 1e-12);
  EXPECT_NEAR(one.level.prior, one.mean("level.prior"), 1e-12);
  EXPECT_EQ(attack_cells(data, {setting}, 0, options).error().message, "runs: must be between 1 and 10000, but is 0");
}

}  // namespace
}  // namespace ppgnn::study
