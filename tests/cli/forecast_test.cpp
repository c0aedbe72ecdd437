#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/command_line.hpp"

namespace ppgnn {
namespace {

using nlohmann::json;
using test::CommandResult;
using test::run_ppgnn;

json forecast(const std::string& arguments) {
  const CommandResult result = run_ppgnn("forecast --json " + arguments);
  EXPECT_EQ(result.status, 0) << result.error;
  return json::parse(result.out);
}

bool says(const CommandResult& result, const std::string& text) {
  return result.out.find(text) != std::string::npos;
}

TEST(Forecast, SaysHowManyPeopleAreNeededOrNotToBother) {
  const CommandResult needed =
      run_ppgnn("forecast --people 1000 --columns 100 --epsilon 1 --level-public --feature-accuracy .8");
  ASSERT_EQ(needed.status, 0) << needed.error;
  for (const std::string text :
       {"1000 people, 75% labelled, 4 classes; levels public, budgets 1 to 16", "graph alone", "80.0%, supposed",
        "points by people", "at 4 to 64", "Decided at home: you need about ", "People answer: you need about "}) {
    EXPECT_TRUE(says(needed, text)) << text << '\n' << needed.out;
  }
  const CommandResult hopeless = run_ppgnn("forecast --budgets .1 --graph-accuracy .95");
  ASSERT_EQ(hopeless.status, 0) << hopeless.error;
  EXPECT_TRUE(says(hopeless, "do not bother, the graph alone gives as much.")) << hopeless.out;
}

TEST(Forecast, JsonHasEveryFigure) {
  const json report = forecast(
      "--people 5000 --labelled .6 --columns 500 --classes 3 --budgets 1,3 --response .7 "
      "--feature-accuracy .8");
  const json& settings = report["settings"];
  EXPECT_EQ(settings["people"], 5000);
  EXPECT_EQ(settings["labelled"], .6);
  EXPECT_EQ(settings["columns"], 500);
  EXPECT_EQ(settings["classes"], 3);
  EXPECT_EQ(settings["budgets"], json({1, 3}));
  EXPECT_EQ(settings["levels"], "protected");
  EXPECT_EQ(settings["response"], .7);
  EXPECT_TRUE(settings["data"].is_null());
  EXPECT_NEAR(report["teacher"]["teachers"].get<double>(), 5000 * .6 * 2 / 3 * .7, 1e-6);
  EXPECT_LT(report["teacher"]["accuracy"], report["teacher"]["accuracy_taught_clean"]);
  EXPECT_NEAR(report["control"]["accuracy"].get<double>(), .8, 1e-4);
  for (const std::string unit : {"points", "nats"}) {
    EXPECT_LT(report["lift"][unit]["low"], report["lift"][unit]["value"]);
    EXPECT_LT(report["lift"][unit]["value"], report["lift"][unit]["high"]);
  }
  EXPECT_EQ(report["curve"].size(), 24);
  EXPECT_EQ(report["people_needed"]["lift"], 1);
  EXPECT_GT(forecast("--lift .1 --level-public --feature-accuracy .8")["people_needed"]["people"], 10);
  EXPECT_TRUE(forecast("--budgets .1")["people_needed"]["people"].is_null());
  EXPECT_GT(forecast("--feature-accuracy .95")["lift"]["points"]["value"],
            forecast("--feature-accuracy .5")["lift"]["points"]["value"]);
}

TEST(Forecast, WithoutKnowledgeOfFeaturesThereIsARangeAndNoNumber) {
  const json report = forecast("--people 5000");
  EXPECT_FALSE(report["settings"]["features_known"]);
  for (const json& way : {report, report["home"]}) {
    EXPECT_TRUE(way["lift"]["points"]["value"].is_null());
    EXPECT_LE(way["lift"]["points"]["low"], 0);
    EXPECT_GT(way["lift"]["points"]["high"], 1);
    EXPECT_TRUE(way["people_needed"]["people"].is_null());
    EXPECT_NE(way["sentence"].get<std::string>().find("nobody can say"), std::string::npos);
  }
  const json said = forecast("--people 5000 --pilots .1,.02,.2");
  EXPECT_GT(said["home"]["lift"]["points"]["value"], 0);
  EXPECT_GT(said["home"]["lift"]["points"]["value"], said["lift"]["points"]["value"]);
}

TEST(Forecast, MeasuresAGraphAndItsLabels) {
  const test::TemporaryFolder folder;
  const std::string figure = (folder / "lift.svg").string();
  const json report =
      forecast("--data synthetic:social,nodes=150,attributes=50,classes=3,labelled=0.8 --figure " + figure);
  EXPECT_EQ(report["settings"]["people"], 150);
  EXPECT_EQ(report["settings"]["columns"], 50);
  EXPECT_EQ(report["settings"]["classes"], 3);
  EXPECT_NEAR(report["settings"]["labelled"].get<double>(), .6, .1);
  EXPECT_GT(report["control"]["accuracy"], .4);
  const std::string drawn = test::content_of(figure);
  EXPECT_NE(drawn.find("<svg"), std::string::npos);
  EXPECT_NE(drawn.find("budgets 2 to 32"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(figure + ".gnuplot"));

  const std::string bare = "--data synthetic:social,nodes=150,attributes=0 ";
  EXPECT_EQ(forecast(bare + "--columns 70 --people 100000")["settings"]["columns"], 70);
  EXPECT_NE(run_ppgnn("forecast " + bare).error.find("--columns: is needed"), std::string::npos);
}

TEST(Forecast, RefusesWhatHasNoMeaning) {
  const std::string data = "--data synthetic:social,nodes=300 ";
  for (const auto& [arguments, message] :
       {std::pair(std::string("--gamma .5"), "--gamma: has no meaning"),
        std::pair(data + "--labelled .5", "--labelled: has no meaning with --data"),
        std::pair(data + "--classes 5", "--classes: has no meaning with --data"),
        std::pair(data + "--graph-accuracy .9", "--graph-accuracy: has no meaning with --data"),
        std::pair(std::string("--graph-accuracy .1"), "graph accuracy: must be above 0.25"),
        std::pair(std::string("--feature-accuracy 1"), "feature accuracy: must be above"),
        std::pair(std::string("--labelled 1"), "labelled: must be above 0 and below 1"),
        std::pair(std::string("--response 2"), "response: must be between 0 and 1"),
        std::pair(std::string("--columns 0"), "--columns: must be at least 1"),
        std::pair(std::string("--people -1"), "--people"), std::pair(std::string("--classes 1"), "--classes"),
        std::pair(std::string("--lift 0"), "--lift"), std::pair(std::string("--figure -"), "--figure"),
        std::pair(std::string("--figure lift.svg"), "--figure: needs to know what features are worth"),
        std::pair(std::string("--pilots .1,.2,.3"), "--pilots: must be LIFT,LOW,HIGH"),
        std::pair(std::string("--pilots .1,.0"), "--pilots: must be LIFT,LOW,HIGH")}) {
    const CommandResult result = run_ppgnn("forecast " + arguments);
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_NE(result.error.find(message), std::string::npos) << arguments << '\n' << result.error;
  }
}

}  // namespace
}  // namespace ppgnn
