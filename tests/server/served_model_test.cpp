#include "ppgnn/server/served_model.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "ppgnn/graph/generator.hpp"
#include "ppgnn/ldp/estimate.hpp"
#include "ppgnn/population/devices.hpp"
#include "ppgnn/population/rows.hpp"
#include "ppgnn/server/training.hpp"
#include "support/plans.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::server {
namespace {

graph::Dataset social() {
  graph::SocialOptions options;
  options.nodes = 150;
  return graph::generate_social(options).value();
}

// Everybody's report under a plan of any kind, and what a model learnt from them.
struct Served {
  graph::Dataset data = social();
  ldp::Plan plan;
  std::vector<ldp::NodeReport> reports;
  Trained trained;
  ServedModel model;

  explicit Served(const ldp::Plan& of) : plan(of) {
    const std::vector<ldp::Level> levels(data.num_nodes(), ldp::Level{1});
    if (plan.schema().dim() == data.features.cols()) {
      const auto made = population::simulate_reports(
          plan, {&data.features, levels, 1, 0, population::Content::features}, kernels::Threads(1));
      for (std::uint32_t node = 0; node < made.size(); ++node) reports.push_back({node, made[node]});
    } else {
      for (std::uint32_t node = 0; node < data.num_nodes(); ++node) {
        reports.push_back({node, {}});
        reports.back().report.outcomes = {node % plan.outcomes()};
      }
    }
    const Problem problem = Problem::make(data).value();
    PipelineOptions options;
    options.hops = 2;
    options.training.epochs = 15;
    trained = calibrate_and_train(problem, calibrate::collect(problem.order(), plan, reports).value(),
                                  graph::make_split(data, 1, 0).value(), options, {})
                  .value();
    model.network = {
        options.training.network, ldp::Estimator(plan.tables()).columns(), data.num_classes(), trained.parameters, {}};
    model.plan_hash = to_hex(plan.hash());
    model.hops = options.hops;
    model.factor = trained.factor;
    for (std::size_t i = 0; i < data.num_classes(); ++i) model.classes.emplace_back(data.class_names[i]);
  }
};

ldp::Plan features_plan() {
  ldp::PlanRequest request;
  request.columns = population::columns_of(social().features.schema()).value();
  request.budgets = {1, 2};
  return test::plan_of(request);
}

void expect_the_same_after_a_file(const Served& fixture) {
  const test::TemporaryFolder folder;
  ASSERT_TRUE(write_served_model(fixture.model, folder / "m").ok());
  const auto read = read_served_model(folder / "m");
  ASSERT_TRUE(read) << read.error().message;
  const graph::Dataset data = for_prediction(*read, fixture.data).value();
  const auto predictions = predict(*read, Problem::make(data).value(), fixture.plan, fixture.reports, 1);
  ASSERT_TRUE(predictions) << predictions.error().message;
  EXPECT_EQ(predictions->classes, fixture.trained.predictions.classes);
}

TEST(ServedModel, PredictsAfterAFileWhatItPredictedAfterTraining) {
  expect_the_same_after_a_file(Served(features_plan()));
}

TEST(ServedModel, LearnsFromReportsOfOneClassToo) {
  expect_the_same_after_a_file(Served(test::plan_of(test::category_request({1, 2}, 5))));
}

TEST(ServedModel, RefusesAnotherPlanAndClassesItNeverHeardOf) {
  const Served fixture(features_plan());
  const graph::Dataset data = for_prediction(fixture.model, fixture.data).value();
  const ldp::Plan other = test::plan_of(test::category_request({1, 2}, 5));
  EXPECT_EQ(predict(fixture.model, Problem::make(data).value(), other, {}, 1).error().code, ErrorCode::mismatch);
  ServedModel stranger = fixture.model;
  stranger.classes[0] = "unheard of";
  EXPECT_EQ(for_prediction(stranger, fixture.data).error().code, ErrorCode::mismatch);
}

TEST(ServedModel, HostileNotesAreRefused) {
  const Served fixture(features_plan());
  const test::TemporaryFolder folder;
  const std::string fine =
      R"({"plan_hash":"x","hops":2,"factor":1,"scale":0,"classes":["0","1","2","3"],"data":"d","seed":0,"run":0,)"
      R"("instruction_set":"i","version":"v"})";
  const auto read = [&](std::string_view from, std::string_view to) {
    train::Model file = fixture.model.network;
    file.notes = fine;
    if (const auto at = file.notes.find(from); at != std::string::npos) file.notes.replace(at, from.size(), to);
    EXPECT_TRUE(train::write_model(file, folder / "m").ok());
    return read_served_model(folder / "m");
  };
  ASSERT_EQ(fixture.model.classes.size(), 4u);
  EXPECT_TRUE(read("nothing", "").ok());
  for (const char* hops : {"-1", "1001", "1e15", "1e300", "2.5", "null", "\"2\"", "18446744073709551616"}) {
    EXPECT_FALSE(read("\"hops\":2", "\"hops\":" + std::string(hops)).ok()) << hops;
  }
  EXPECT_FALSE(read("\"factor\":1", "\"factor\":1e999").ok());
  EXPECT_FALSE(read("\"factor\":1", "\"factor\":\"1\"").ok());
  for (const char* seed : {"-1", "1e300", "0.5", "null", "\"0\"", "18446744073709551616"}) {
    EXPECT_FALSE(read("\"seed\":0", "\"seed\":" + std::string(seed)).ok()) << seed;
    EXPECT_FALSE(read("\"run\":0", "\"run\":" + std::string(seed)).ok()) << seed;
  }
  for (const char* scale : {"-1", "1e7", "1e999", "null", "[]", "NaN"}) {
    EXPECT_FALSE(read("\"scale\":0", "\"scale\":" + std::string(scale)).ok()) << scale;
  }
  EXPECT_FALSE(read("\"run\":0", "\"run\":0,\"run\":0").ok()) << "a key twice";
  EXPECT_FALSE(read("\"run\":0", "\"run\":0,\"more\":{\"deep\":1}").ok());
  EXPECT_FALSE(read("\"0\",", "[\"0\"],").ok());
  EXPECT_FALSE(read("\"0\",", "0,").ok());
  EXPECT_FALSE(read("\"0\",", "\"\\ud800\",").ok()) << "half a surrogate pair is no UTF-8";
  EXPECT_FALSE(read("\"0\",", "\"\xc0\x80\",").ok()) << "over-long";
  EXPECT_FALSE(read("\"3\"]", "]").ok());
  EXPECT_FALSE(read("{", "[").ok());
  EXPECT_FALSE(read("\"d\"", "\"\xff\"").ok()) << "not UTF-8";
  EXPECT_FALSE(read(fine, "").ok());
}

TEST(ServedModel, AShapeThatDoesNotFitIsRefusedBeforeANetworkIsMade) {
  const Served fixture(features_plan());
  const graph::Dataset data = for_prediction(fixture.model, fixture.data).value();
  const Problem problem = Problem::make(data).value();
  const auto code_of = [&](const std::function<void(train::Model&)>& change) {
    ServedModel model = fixture.model;
    change(model.network);
    const auto predicted = predict(model, problem, fixture.plan, fixture.reports, 1);
    return predicted.ok() ? ErrorCode::io : predicted.error().code;
  };
  EXPECT_EQ(code_of([](train::Model& model) { model.network.hidden = ~std::size_t{3}; }), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of([](train::Model& model) { model.network.hidden = 4096; }), ErrorCode::mismatch);
  EXPECT_EQ(code_of([](train::Model& model) { model.inputs = std::size_t{1} << 62; }), ErrorCode::mismatch);
  EXPECT_EQ(code_of([](train::Model& model) { model.parameters.pop_back(); }), ErrorCode::mismatch);
}

}  // namespace
}  // namespace ppgnn::server
