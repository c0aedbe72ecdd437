// What devices fetch that decide at home.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "collector/support.hpp"
#include "support/models.hpp"

namespace ppgnn::collector {
namespace {

using nlohmann::json;

class Home : public testing::Test {
 protected:
  Home() : model_(ldp::PublishedModel::make(ppgnn::test::small_decisions()).value()) { campaign_.serve(); }

  void publish() {
    ASSERT_TRUE(campaign_.store->hint(std::vector<store::Asked>{{"p0", {1, 1, 1, 0, 2}}, {"p3", {1, 0}}}));
    ASSERT_TRUE(campaign_.store->keep("lift", "pilots 3\nweight .5\nlift .25\nlow -.5\nhigh 1\n"));
    ASSERT_TRUE(campaign_.store->keep("model", model_.text()));
    ASSERT_TRUE(campaign_.api->refresh());
  }
  json hint(int person) { return json::parse(campaign_.get("/v1/hint", campaign_.token(person)).body); }

  ldp::PublishedModel model_;
  test::SmallCampaign campaign_;
};

TEST_F(Home, TheModelIsForAnybodyAndTheSameForAll) {
  EXPECT_EQ(campaign_.get("/v1/model").status, 404U);
  publish();
  const Response answer = campaign_.get("/v1/model");
  EXPECT_EQ(answer.status, 200U);
  EXPECT_EQ(answer.body, model_.text());
  EXPECT_EQ(answer.headers.front().second, '"' + to_hex(model_.hash()) + '"');
  EXPECT_EQ(campaign_.get("/v1/model", campaign_.token(0)).body, answer.body);
}

TEST_F(Home, AHintIsForTheOwnToken) {
  EXPECT_EQ(campaign_.get("/v1/hint", campaign_.token(0)).status, 404U);
  publish();
  EXPECT_EQ(campaign_.get("/v1/hint").status, 401U);
  const json own = hint(0);
  EXPECT_EQ(own["hint"], "0101010002");
  EXPECT_EQ(own["model"], to_hex(model_.hash()));
  EXPECT_EQ(own["person"], "p0");
  EXPECT_EQ(own["round"], 0);
  EXPECT_EQ(own["withdrawn"], false);
  EXPECT_EQ(hint(3)["hint"], "0100");
  EXPECT_EQ(hint(5)["hint"], "0100") << "who came later is told nothing of themselves";
}

TEST_F(Home, ErasureTakesTheHint) {
  publish();
  ASSERT_TRUE(campaign_.store->erase("p0").value());
  EXPECT_EQ(campaign_.get("/v1/hint", campaign_.token(0)).status, 410U);
  EXPECT_TRUE(campaign_.store->hint_of("p0")->empty());
  EXPECT_EQ(campaign_.get("/v1/model").status, 200U);
}

TEST_F(Home, AWithdrawnModelSaysSo) {
  publish();
  ASSERT_TRUE(campaign_.store->keep("withdrawn", "withdrawn\n"));
  ASSERT_TRUE(campaign_.api->refresh());
  EXPECT_EQ(hint(0)["withdrawn"], true);
  EXPECT_EQ(campaign_.get("/v1/model").body, model_.text()) << "the same one: devices know no other";
  const json status = json::parse(campaign_.get("/v1/status", test::kAdministrator).body);
  EXPECT_EQ(status["published"]["withdrawn"], true);
  EXPECT_EQ(status["published"]["lift"], .25);
  EXPECT_EQ(status["published"]["low"], -.5);
}

}  // namespace
}  // namespace ppgnn::collector
