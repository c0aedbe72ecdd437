#include "ppgnn/study/request.hpp"

#include <gtest/gtest.h>

#include <set>

#include "support/datasets.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::study {
namespace {

TEST(Request, IsKeptAsItWasAsked) {
  const test::TemporaryFolder folder;
  EXPECT_TRUE(read_requests(folder.path())->empty());
  StudyRequest one{"h", true, true, {{{"epsilon", {"0.1", "2"}}, {"backbone", {"sage"}}}, 3}};
  StudyRequest other{"mine.toml", false, false, {}};
  ASSERT_TRUE(write_requests(folder.path(), {one, other}));
  const std::vector<StudyRequest> read = read_requests(folder.path()).value();
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(command_of(read[0]), "ppgnn study run h --quick --epsilon 0.1,2 --backbone sage --runs 3");
  EXPECT_EQ(command_of(read[1]), "ppgnn study run mine.toml");
  EXPECT_TRUE(read[0].whole_lastfm);
  EXPECT_FALSE(read[1].whole_lastfm);
  for (const char* text : {"", "[]", R"({"studies":[{}]})", R"({"studies":[{"study":1}]})"}) {
    test::write_content(folder / "studies.json", text);
    const auto refused = read_requests(folder.path());
    ASSERT_FALSE(refused) << text;
    EXPECT_NE(refused.error().message.find("studies.json: not a list of studies"), std::string::npos);
  }
}

TEST(Request, PlansWhatWasAskedFor) {
  const PlannedStudy planned = plan_study({"h", true, true, {{{"data", {"cora"}}, {"epsilon", {"2"}}}, 7}}).value();
  ASSERT_FALSE(planned.cells.empty());
  for (const Cell& cell : planned.cells) {
    EXPECT_EQ(cell.canonical.at("data"), "cora");
    EXPECT_EQ(cell.runs, 7u);
  }
  EXPECT_FALSE(plan_study({"nothing", false, true, {}}));
}

TEST(Request, AFileIsKeptAsItWasWhenItRan) {
  const test::TemporaryFolder folder;
  test::write_content(folder / "mine.toml", "id = \"mine\"\n[factors]\nh = [1, 2]\n");
  std::vector<StudyRequest> requests{{(folder / "mine.toml").string(), false, true, {}}};
  ASSERT_EQ(plan_studies(requests, {})->front().cells.size(), 2u);
  ASSERT_TRUE(write_requests(folder.path(), requests));
  std::filesystem::remove(folder / "mine.toml");
  const std::vector<StudyRequest> read = read_requests(folder.path()).value();
  EXPECT_EQ(plan_study(read[0])->cells.size(), 2u);
  std::vector<StudyRequest> gone{{(folder / "mine.toml").string(), false, true, {}}};
  EXPECT_EQ(plan_studies(gone, {}).error().code, ErrorCode::io);
}

TEST(Request, OneIdIsOneStudy) {
  const test::TemporaryFolder folder;
  for (const char* name : {"a.toml", "b.toml"}) {
    test::write_content(folder / name, "id = \"mine\"\n[factors]\nh = [1, 2]\n");
  }
  const StudyRequest a{(folder / "a.toml").string(), false, true, {}};
  const StudyRequest b{(folder / "b.toml").string(), false, true, {}};
  std::vector<StudyRequest> both{a, b};
  const auto refused = plan_studies(both, {});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("b.toml have the same id, mine"), std::string::npos);
  std::vector<StudyRequest> kept{a, {"h", true, true, {}}};
  replace_requests(kept, {b});
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0].study, "h");
  EXPECT_EQ(kept[1].study, b.study);
}

TEST(Request, LastfmIsOnlyLookedForWhereAStudyNamesIt) {
  std::vector<StudyRequest> without{{"h", true, true, {{{"data", {"synthetic:social,nodes=200"}}}, {}}}};
  EXPECT_TRUE(plan_studies(without, {.data_folder = "/nonexistent"}));
  std::vector<StudyRequest> with{{"h", true, true, {{{"data", {"lastfm"}}}, {}}}};
  const auto missing = plan_studies(with, {.data_folder = "/nonexistent"});
  ASSERT_FALSE(missing);  // its graph is not there either: no reason to take the subset
  EXPECT_TRUE(with[0].whole_lastfm);
}

TEST(Request, RulesAboutLastfmAreAboutItsSubsetWhereThatStandsIn) {
  StudyRequest request{"mine.toml", false, false, {}};
  request.text =
      "id = \"mine\"\n[factors]\ndata = [\"cora\", \"lastfm\"]\nh = [1, 2]\n"
      "[[rule]]\nwhen = { data = \"lastfm\", h = 2 }\nskip = true\n"
      "[select]\ndense_on = \"lastfm\"\n[select.grid]\nhops = [2, 4]\n"
      "[[select.rule]]\nwhen = { data = \"lastfm\" }\ngrid = { hops = [8] }\n"
      "[[printed]]\ndata = [\"lastfm\"]\npercent = [50]\n";
  const PlannedStudy study = plan_study(request).value();
  EXPECT_EQ(study.cells.size(), 3u);
  EXPECT_EQ(study.declaration.select.dense_on, "lastfm-subset");
  EXPECT_TRUE(study.declaration.select.rules[0].when({{"data", "lastfm-subset"}}));
  EXPECT_FALSE(study.declaration.printed[0].where({{"data", "lastfm-subset"}}));
}

TEST(Request, LastfmWithoutItsFeaturesIsItsSubset) {
  PPGNN_NEEDS_DATA();
  const std::filesystem::path folder = *test::data_folder();
  const Result<graph::Dataset> graph =
      graph::load("lastfm", {.data_folder = folder, .missing_features = graph::MissingFeatures::accept});
  ASSERT_TRUE(graph) << graph.error().message;
  const bool whole = graph->features.cols() > 0;
  std::vector<StudyRequest> requests{{"h", true, true, {{{"data", {"cora", "lastfm"}}}, {}}}};
  const std::vector<PlannedStudy> planned = plan_studies(requests, {.data_folder = folder}).value();
  EXPECT_EQ(requests[0].whole_lastfm, whole);
  std::set<std::string> names;
  for (const Cell& cell : planned[0].cells) names.insert(cell.canonical.at("data"));
  EXPECT_EQ(names, (std::set<std::string>{"cora", whole ? "lastfm" : "lastfm-subset"}));
}

}  // namespace
}  // namespace ppgnn::study
