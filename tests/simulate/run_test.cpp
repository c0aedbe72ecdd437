#include "ppgnn/simulate/run.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ppgnn/graph/generator.hpp"

namespace ppgnn::simulate {
namespace {

graph::Dataset small() {
  graph::SocialOptions options;
  options.nodes = 300;
  return graph::generate_social(options).value();
}

RunConfig quick() {
  RunConfig config;
  config.runs = 2;
  config.pipeline.training.epochs = 20;
  config.pipeline.scales = {.1, 1};
  config.threads = 2;
  return config;
}

TEST(Run, SameSeedSameBitsForAnyNumberOfThreads) {
  const graph::Dataset data = small();
  RunConfig config = quick();
  config.threads = 1;
  const RunResult one = run(data, config, {}).value();
  config.threads = 7;
  const RunResult seven = run(data, config, {}).value();
  EXPECT_EQ(one.accuracy.log_loss, seven.accuracy.log_loss);
  EXPECT_EQ(one.control->log_loss, seven.control->log_loss);
  EXPECT_EQ(one.nonprivate->log_loss, seven.nonprivate->log_loss);
  EXPECT_EQ(one.accuracy.scale, seven.accuracy.scale);
  config.noise_seed = 1;
  EXPECT_NE(run(data, config, {}).value().accuracy.log_loss, one.accuracy.log_loss);
  config.noise_seed = 0;
  config.split_seed = 1;
  EXPECT_NE(run(data, config, {}).value().accuracy.log_loss, one.accuracy.log_loss);
}

TEST(Run, EveryMethodAndMechanismWorks) {
  const graph::Dataset data = small();
  RunConfig config = quick();
  config.runs = 1;
  for (const Method method : {Method::nonpriv, Method::base, Method::lpgnn, Method::ppgnn, Method::control}) {
    config.method = method;
    const auto result = run(data, config, {});
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_GT(result->accuracy.accuracy[0], .2);
    EXPECT_EQ(result->control.has_value(), method != Method::nonpriv && method != Method::control);
    EXPECT_EQ(result->nonprivate.has_value(), method != Method::nonpriv);
  }
  config.method = Method::ppgnn;
  config.reference = false;
  for (const char* mechanism : {"strict", "ppm", "ppm*", "mb", "1b", "lp", "gm"}) {
    config.mechanism = mechanism;
    const auto result = run(data, config, {});
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_TRUE(std::isfinite(result->accuracy.log_loss[0])) << mechanism;
    EXPECT_EQ(result->privacy.holds,
              config.mechanism == "strict" || config.mechanism == "mb" || config.mechanism == "1b");
  }
}

TEST(Run, SaysWhatIsSpentAndHowEachLevelFares) {
  const graph::Dataset data = small();
  RunConfig config = quick();
  config.levels = population::LevelChoice::bimodal;
  const RunResult result = run(data, config, {}).value();
  ASSERT_EQ(result.by_level.size(), 5u);
  EXPECT_EQ(result.by_level[1].people, 0u);
  EXPECT_GT(result.by_level[0].people, 0u);
  EXPECT_NEAR(result.by_level[0].spent, 1, 1e-9);
  EXPECT_NEAR(result.privacy.max, result.by_level[4].spent, 1e-12);
  // The paper's people spend their whole budget: on features and on the level report.
  RunConfig paper = quick();
  paper.protocol = Protocol::paper;
  paper.reference = false;
  EXPECT_NEAR(run(small(), paper, {}).value().privacy.max, 16, 1e-9);
  EXPECT_GT(result.privacy.mean, 1);
  EXPECT_LT(result.privacy.mean, result.privacy.max);
  std::uint64_t people = 0;
  double right = 0;
  for (const LevelOutcome& level : result.by_level) {
    people += level.people;
    right += level.accuracy * static_cast<double>(level.people);
  }
  const double mean = (result.accuracy.accuracy[0] + result.accuracy.accuracy[1]) / 2;
  EXPECT_NEAR(right / static_cast<double>(people), mean, 1e-9);
}

// The control's reports must not depend on the features at all.
TEST(Run, TheControlCarriesNoInformation) {
  graph::Dataset data = small();
  RunConfig config = quick();
  config.method = Method::control;
  config.reference = false;
  const auto before = run(data, config, {}).value().accuracy.log_loss;
  const graph::Features empty =
      graph::Features::make(
          graph::Csr::make(std::vector<std::uint64_t>(301, 0), std::vector<std::uint32_t>{}, data.features.cols())
              .value(),
          {}, data.features.schema())
          .value();
  data.features = empty;
  EXPECT_EQ(run(data, config, {}).value().accuracy.log_loss, before);
}

// The aggregates come nearer to the clean ones with the budget, and a report of nothing tells nothing.
TEST(Run, SaysHowNearCalibratedFeaturesAreToCleanOnes) {
  const graph::Dataset data = small();
  RunConfig config = quick();
  config.reference = false;
  const auto at = [&](std::vector<double> budgets) {
    config.budgets = std::move(budgets);
    config.level_budget = config.budgets.back();
    return *run(data, config, {}).value().fidelity;
  };
  const simulate::Fidelity little = at({1});
  const simulate::Fidelity much = at({40});
  EXPECT_GT(much.cosine, little.cosine);
  EXPECT_LT(much.relative_error, little.relative_error);
  EXPECT_LE(little.relative_error, 1);
  config.method = Method::control;
  EXPECT_NEAR(at({1}).cosine, 0, .1);
  config.method = Method::nonpriv;
  EXPECT_FALSE(run(data, config, {}).value().fidelity.has_value());
}

TEST(Run, RefusesWhatCannotWork) {
  const graph::Dataset data = small();
  const auto problem = [&](const graph::Dataset& dataset, auto&& change) {
    RunConfig config = quick();
    change(config);
    const auto result = run(dataset, config, {});
    return result ? std::string("accepted") : result.error().message;
  };
  const auto nothing = [](RunConfig&) {};
  EXPECT_EQ(problem(data, [](RunConfig& c) { c.runs = 0; }), "runs: must be between 1 and 10000, but is 0");
  EXPECT_EQ(problem(data, [](RunConfig& c) { c.level_list.assign(3, ldp::Level{1}); }),
            "levels: there are 3 for 300 nodes");
  EXPECT_EQ(problem(data, [](RunConfig& c) { c.level_list.assign(300, ldp::Level{9}); }),
            "levels: must be between 1 and 5");
  EXPECT_EQ(problem(data,
                    [](RunConfig& c) {
                      c.budgets = {2, 1};
                    }),
            "budgets: level 2: must be above level 1 (2), but is 1");
  EXPECT_NE(problem(data, [](RunConfig& c) { c.mechanism = "xx"; }).find("mechanism"), std::string::npos);
  graph::SocialOptions options;
  options.nodes = 300;
  options.classes = 1;
  EXPECT_EQ(problem(graph::generate_social(options).value(), nothing),
            "data: there must be at least two classes, but there are 1");
  options.classes = 4;
  options.attributes = 0;
  EXPECT_EQ(problem(graph::generate_social(options).value(), nothing), "data: synthetic:social has no features");
}

}  // namespace
}  // namespace ppgnn::simulate
