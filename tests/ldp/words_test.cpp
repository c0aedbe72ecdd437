#include "ppgnn/ldp/words.hpp"

#include <gtest/gtest.h>

#include "ppgnn/ldp/mechanism.hpp"
#include "support/plans.hpp"

namespace ppgnn::ldp {
namespace {

TEST(Words, SayWhatIsSentAndWhatItTells) {
  const Plan plan = test::plan_of(test::signs_request({1, 2, 4, 8, 16}, 1433));
  EXPECT_EQ(title_of(plan), "signs of features, 1433 columns");
  EXPECT_EQ(words_for(plan, 0),
            "Level 1. Your device sends 1 of 1433 features, picked by chance, as noisy yes or no. Somebody who sees "
            "it, even knowing your level, becomes surer about your features by a factor of 2.72 on the odds at most: "
            "from 50:50 to at most 73.2:26.8. About your level, somebody who already knows your features goes from "
            "50:50 to at most 73.2:26.8.");
  EXPECT_NE(words_for(plan, 4).find("Of your budget of 16, 2.21 is used."), std::string::npos);
}

TEST(Words, APublicLevelIsSaidToBeSent) {
  PlanRequest request = test::signs_request({1, 2}, 10);
  request.secrecy = LevelSecrecy::public_level;
  const Plan plan = test::plan_of(request);
  EXPECT_TRUE(is_public(plan));
  EXPECT_NE(words_for(plan, 0).find("Your level is sent along"), std::string::npos);
  const auto notes = notes_on(plan);
  EXPECT_NE(std::find(notes.begin(), notes.end(), "the level travels with the report in the clear"), notes.end());
}

TEST(Words, EveryKindHasThemForEveryLevel) {
  for (const ReportKind kind : kReportKinds) {
    const Plan plan = test::plan_of(test::request_of(kind, {1, 20}));
    EXPECT_FALSE(title_of(plan).empty());
    for (std::size_t level = 0; level < 2; ++level) {
      EXPECT_NE(words_for(plan, level).find("Level " + std::to_string(level + 1)), std::string::npos);
    }
    EXPECT_GE(notes_on(plan).size(), 3u);
  }
}

TEST(Words, OddsAreNeverShownBelowTheLoss) {
  EXPECT_EQ(surer(0), "from 50:50 to at most 50.0:50.0");
  EXPECT_EQ(surer(1), "from 50:50 to at most 73.2:26.8");
  EXPECT_EQ(surer(20), "from 50:50 to near certainty");
}

}  // namespace
}  // namespace ppgnn::ldp
