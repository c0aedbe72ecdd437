#include "ppgnn/ldp/plan.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "ppgnn/ldp/mechanism.hpp"
#include "ppgnn/ldp/public_hash.hpp"
#include "support/plans.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::ldp {
namespace {

using test::plan_of;

PlanRequest small_request() {
  PlanRequest request = test::signs_request({1, 2.5}, 30);
  request.columns.push_back({"age, in years", 1, ColumnKind::number, 0, 120, 35.5});
  request.gamma = .5;
  request.level_budget = 2;
  return request;
}

// Puts a valid hash under a changed body, as a forger would.
std::string rehash(std::string text) {
  text.resize(text.rfind("sha256 "));
  return text + "sha256 " + to_hex(sha256(text)) + "\n";
}

std::string replace(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Plan, HasTheDocumentedText) {
  const Plan plan = plan_of(small_request());
  EXPECT_EQ(plan.text().substr(0, plan.text().find("\nlevel budget")),
            "ppgnn-plan 1\n"
            "kind signs\n"
            "columns 30 binary from 0 to 1 absent 0 named word\n"
            "columns 1 number from 0 to 120 absent 35.5 named age, in years\n"
            "levels protected 2\n"
            "gamma 0.5");
  EXPECT_TRUE(plan.text().ends_with("sha256 " + to_hex(plan.hash()) + "\n"));
  EXPECT_EQ(plan.hash(), sha256(plan.text().substr(0, plan.text().rfind("sha256 "))));
}

TEST(Plan, TheDocumentedExampleIsAPlan) {
  std::ifstream file(PPGNN_SOURCE_DIR "/docs/formats/plan.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const std::size_t begin = page.find("```\n") + 4;
  const std::string example = page.substr(begin, page.find("```", begin) - begin);
  EXPECT_EQ(example, plan_of(small_request()).text());
}

TEST(Plan, ReadsBackToTheSamePlan) {
  for (const LevelSecrecy secrecy : {LevelSecrecy::protected_level, LevelSecrecy::public_level}) {
    PlanRequest signs = test::signs_request({.1, 7}, 30);
    PlanRequest category = test::category_request({.1, 7}, 5);
    for (PlanRequest* request : {&signs, &category}) {
      request->secrecy = secrecy;
      const Plan plan = plan_of(*request);
      const auto again = Plan::parse(plan.text());
      ASSERT_TRUE(again) << again.error().message;
      EXPECT_EQ(again->text(), plan.text());
      EXPECT_EQ(again->hash(), plan.hash());
      EXPECT_EQ(again->certificate().pair_max, plan.certificate().pair_max);
    }
  }
}

TEST(Plan, RefusesATextCutOffAnywhere) {
  const std::string text = plan_of(small_request()).text();
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_FALSE(Plan::parse(std::string_view(text).substr(0, length))) << length;
  }
  EXPECT_FALSE(Plan::parse(text + "\n"));
  EXPECT_FALSE(Plan::parse(text + text));
}

TEST(Plan, RefusesATextEditedAtAnyByte) {
  const std::string text = plan_of(small_request()).text();
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const char replacement :
         {'0', '9', ' ', '\n', 'x', '\0', static_cast<char>(text[at] ^ 1), static_cast<char>(text[at] ^ 128)}) {
      if (replacement == text[at]) continue;
      std::string edited = text;
      edited[at] = replacement;
      EXPECT_FALSE(Plan::parse(edited)) << "byte " << at << " as " << static_cast<int>(replacement);
    }
    std::string shorter = text;
    shorter.erase(at, 1);
    EXPECT_FALSE(Plan::parse(shorter)) << at;
  }
}

// With a fresh hash, edits must still be refused by what they mean or by their form.
TEST(Plan, RefusesForgedFieldsByName) {
  const std::string text = plan_of(small_request()).text();
  const auto problem = [&](const std::string& from, const std::string& to) {
    const auto plan = Plan::parse(rehash(replace(text, from, to)));
    return plan ? std::string("accepted") : plan.error().message;
  };
  EXPECT_EQ(problem("ppgnn-plan 1", "ppgnn-plan 2"), "plan: line 3: expected 'campaign'");
  EXPECT_EQ(problem("ppgnn-plan 1", "ppgnn-plan 3"), "plan: line 1: expected a whole number up to 2");
  EXPECT_EQ(problem("kind signs", "kind bits"), "plan: line 2: expected one of the documented words");
  EXPECT_EQ(problem("columns 30", "columns x"), "plan: line 3: expected a whole number");
  EXPECT_EQ(problem("columns 30", "columns 99999999999"), "plan: line 3: expected a whole number up to 1073741824");
  EXPECT_EQ(problem("from 0 to 120", "from 0 to 0"),
            "schema: column group 2: range: must be finite with low < high, but is 0 to 0");
  EXPECT_EQ(problem("gamma 0.5", "gamma 0.5 "), "plan: the text is not in canonical form");
  EXPECT_EQ(problem("gamma 0.5", "gamma 0.50"), "plan: the text is not in canonical form");
  EXPECT_EQ(problem("gamma 0.5", "gamma .5"), "plan: the text is not in canonical form");
  EXPECT_EQ(problem("gamma 0.5", "gamma 1.5"), "gamma: must be at least 0 and below 1, but is 1.5");
  EXPECT_EQ(problem("level budget 1 ", "level budget 3 "), "budgets: level 2: must be above level 1 (3), but is 2.5");
  EXPECT_EQ(problem("levels protected 2", "levels protected"), "plan: line 5: expected a number");
  EXPECT_EQ(problem("level-report ", "level-rapport "), "plan: unexpected text after the last level");
  EXPECT_NE(problem("level budget 2.5", "level budget 1.5").find("certificate: "), std::string::npos);
  EXPECT_NE(problem("levels protected 2", "levels protected 1").find("certificate: "), std::string::npos);
  EXPECT_NE(problem("radius 0", "radius 9").find("level_response"), std::string::npos);
  EXPECT_EQ(problem("from 0 to 120", "from -0 to 120"), "plan: the text is not in canonical form");
  EXPECT_EQ(problem("from 0 to 1 absent 0", "from 0 to 1 absent -0"), "plan: the text is not in canonical form");
}

// A plan that says gamma 0.1 and reports levels as for 0.5 would mislead whoever reads it, though its certificate holds.
TEST(Plan, GammaAgreesWithTheLevelReport) {
  const std::string text = plan_of(small_request()).text();
  const auto problem = [&](const std::string& from, const std::string& to) {
    const auto plan = Plan::parse(rehash(replace(text, from, to)));
    return plan ? std::string("accepted") : plan.error().message;
  };
  for (const std::string gamma : {"0.1", "0.499999", "0.500001", "0.9", "1e-300"}) {
    EXPECT_EQ(problem("gamma 0.5", "gamma " + gamma), "gamma: " + gamma + " of the strictest budget is " + gamma +
                                                          ", but the level report is made for another budget");
  }
  EXPECT_EQ(problem("gamma 0.5", "gamma 0"), "level_response: must be present exactly when gamma is above 0");
  EXPECT_EQ(problem("gamma 0.5", "gamma -0"), "level_response: must be present exactly when gamma is above 0");
  EXPECT_EQ(problem("weight 18", "weight 17").substr(0, 6), "gamma:");
  PlanRequest wide = test::signs_request({1, 2, 3, 4, 5, 6, 7}, 30);
  wide.gamma = .5;
  wide.level_budget = 2;
  const Plan plan = plan_of(wide);
  const std::uint32_t radius = plan.tables().level_response->radius;
  ASSERT_GE(radius, 1u);
  for (const std::uint32_t other : {radius - 1, radius + 1}) {
    PlanTables tables = plan.tables();
    tables.level_response->radius = other;
    EXPECT_FALSE(Plan::make(tables)) << other;
  }
  const std::string without = plan_of(test::signs_request({1, 2}, 30)).text();
  EXPECT_FALSE(Plan::parse(rehash(replace(without, "gamma 0", "gamma -0"))));
}

// Format 2, line by line; the example of docs/formats/plan.md.
TEST(Plan, HasTheDocumentedTextOfACampaign) {
  PlanRequest request = test::answer_request({1, 2.5}, 3, 2);
  request.model->confident = {40};
  request.model->classes = {"chess", "rowing"};
  request.campaign->people = sha256("the list");
  request.shape.outcomes = 4;
  const std::string text = plan_of(request).text();
  const std::string body = text.substr(0, text.find("level budget"));
  EXPECT_EQ(body, "ppgnn-plan 2\nkind answer\ncampaign spring\nrole answer\npeople " + to_hex(sha256("the list")) +
                      "\nrule labelled people, four of five by chance\ncodebook " +
                      std::to_string(public_key("ppgnn codebook 1\nspring")) +
                      "\ncolumns 3 binary from 0 to 1 absent 0 named word\nquestion bits 8 unit 0 confident 40\n"
                      "class bias -1 weights 64ec64 named chess\nclass bias 0 weights ec64ec named rowing\n"
                      "levels protected 1\ngamma 0\n");
  EXPECT_NE(text.find(" sampled 1 outcomes 4 favoured 1 entry "), std::string::npos);
  const std::string page = test::content_of(std::filesystem::path(PPGNN_SOURCE_DIR) / "docs/formats/plan.md");
  EXPECT_NE(page.find(text), std::string::npos) << text;
}

TEST(Plan, RefusesForgedCampaignsAndQuestions) {
  PlanRequest request = test::answer_request({1, 2.5}, 3, 2);
  request.shape.outcomes = 2;
  const std::string text = plan_of(request).text();
  const auto problem = [&](const std::string& from, const std::string& to) {
    const auto plan = Plan::parse(rehash(replace(text, from, to)));
    return plan ? std::string("accepted") : plan.error().message;
  };
  EXPECT_EQ(problem("campaign spring", "campaign a b"),
            "campaign: a name must have 1 to 64 letters, digits, dots, dashes or underscores");
  EXPECT_EQ(problem("role answer", "role guess"), "plan: line 4: expected one of the documented words");
  EXPECT_EQ(problem("people ", "people 00"), "plan: the text is not in canonical form");
  EXPECT_EQ(problem("rule labelled", "rule  labelled"),
            "rule: must have 1 to 200 bytes of UTF-8 without control or bidirectional characters");
  EXPECT_EQ(problem("weights 64ec64", "weights 64ec"), "question: weights: there must be one a column for each class");
  EXPECT_EQ(problem("weights 64ec64", "weights 64ec80"), "question: weights: must be between -127 and 127");
  EXPECT_EQ(problem("weights 64ec64", "weights 64EC64"), "plan: line 10: expected hexadecimal digits");
  EXPECT_EQ(problem("bits 8", "bits 9"), "question: weights: must have 8 or 16 bits");
  EXPECT_EQ(problem("bias -1", "bias -99999999"), "plan: line 10: expected a whole number up to 16777216 in size");
  EXPECT_EQ(problem("bias -1", "bias -0"), "plan: the text is not in canonical form");
  EXPECT_EQ(problem("outcomes 2 favoured 1", "outcomes 2 favoured 0"),
            "favoured: level 1: must be 1 in an answer's plan");
  EXPECT_NE(problem("outcomes 2", "outcomes 3").find("outcomes"), std::string::npos);
  EXPECT_EQ(problem("kind answer", "kind buckets"), "question: only an answer's plan has a model");
  for (std::size_t length = 0; length < text.size(); length += 3) {
    EXPECT_FALSE(Plan::parse(std::string_view(text).substr(0, length)));
  }
}

// One form of reports for all where levels are protected, or the form would tell the level: the plan's check says so, and
// the certificate without it.
TEST(Plan, ReportsOfProtectedLevelsHaveOneForm) {
  const Plan plan = plan_of(test::bucket_request({1, 2, 4}, 30, 20, 3));
  const auto forged = [&](auto&& change) {
    PlanTables tables = plan.tables();
    change(tables.levels[1]);
    const Shape shape = tables.shape(tables.levels[1]);
    tables.levels[1].entry = BucketResponse::quantise(1.2, shape);
    EXPECT_FALSE(Plan::make(tables));
    EXPECT_FALSE(certify(tables).holds());
    return validate(tables).error().message;
  };
  EXPECT_EQ(forged([](PlanLevel& level) { level.sampled = 2; }),
            "sampled: must be the same for every level where levels are protected");
  EXPECT_EQ(forged([](PlanLevel& level) { level.outcomes = 40; }),
            "outcomes: must be the same for every level where levels are protected");
  EXPECT_EQ(forged([](PlanLevel& level) { level.favoured = 2; }),
            "outcomes: must be the same for every level where levels are protected");
}

// Every number of a level at both sides of its bound.
TEST(Plan, ShapesBeyondTheirBoundsAreRefused) {
  const auto make = [](PlanRequest request, std::uint32_t sampled, std::uint32_t outcomes, std::uint32_t favoured) {
    request.shape = {sampled, outcomes, favoured};
    const auto plan = make_plan(request);
    return plan ? std::string("made") : plan.error().message;
  };
  const auto buckets = [&](std::uint32_t r, std::uint32_t m, std::uint32_t k) {
    return make(test::bucket_request({40, 80}, 30, m, k), r, m, k);
  };
  EXPECT_EQ(buckets(64, 65536, 512), "made");
  EXPECT_EQ(buckets(65, 65536, 512), "sampled: must be between 1 and 64, but is 65");
  EXPECT_EQ(buckets(0, 65536, 512), "sampled: must be between 1 and 64, but is 0");
  EXPECT_EQ(buckets(1, 65537, 512), "outcomes: must be between 2 and 65536, but is 65537");
  EXPECT_EQ(buckets(1, 1, 1), "outcomes: must be between 2 and 65536, but is 1");
  EXPECT_EQ(buckets(1, 65536, 513), "favoured: must be between 1 and 512, but is 513");
  EXPECT_EQ(buckets(1, 20, 10), "made");
  EXPECT_EQ(buckets(1, 20, 11), "favoured: must be between 1 and 10, but is 11");
  EXPECT_EQ(buckets(1, 20, 0), "favoured: must be between 1 and 10, but is 0");
  const auto directions = [&](std::uint32_t m) { return make(test::direction_request({1, 2}, 30, m, 3), 1, m, 3); };
  EXPECT_EQ(directions(1024), "made");
  EXPECT_EQ(directions(1025), "outcomes: must be between 2 and 1024, but is 1025");
  PlanRequest asks = test::answer_request({1, 2}, 30, 5);
  asks.model->confident = {3};
  const auto answers = [&](std::uint32_t m) { return make(asks, 1, m, 1); };
  EXPECT_EQ(answers(10), "made");
  const std::string wrong = "outcomes: must be 2 to 5 classes times 2 levels of confidence, but is ";
  for (const std::uint32_t m : {0u, 2u, 3u, 7u, 12u}) EXPECT_EQ(answers(m), wrong + std::to_string(m));
  EXPECT_EQ(make(asks, 2, 10, 1), "sampled: must be 1 in an answer's plan");
  EXPECT_EQ(make(asks, 1, 10, 2), "favoured: must be 1 in an answer's plan");
  EXPECT_EQ(make(test::signs_request({1, 2}, 30), 1, 5, 2), "outcomes: have no meaning for signs");
  PlanRequest reporting = test::bucket_request({1, 2}, 30, 20, 3);
  reporting.gamma = .5;
  EXPECT_EQ(make(reporting, 1, 20, 3), "gamma: must be 0 for this kind of report");
  PlanRequest pilots = test::bucket_request({1, 2}, 30, 20, 3);
  pilots.campaign->role = Role::pilot;
  EXPECT_EQ(make(pilots, 1, 20, 3), "role: these reports teach");
  PlanRequest teachers = test::answer_request({1, 2}, 30, 5);
  teachers.campaign->role = Role::teach;
  EXPECT_EQ(make(teachers, 1, 2, 1), "role: people who answer do not teach");
}

TEST(Plan, KnowsItsLevels) {
  const Plan plan = plan_of(test::signs_request({1, 2}, 5));
  EXPECT_FALSE(plan.has(Level{0}));
  EXPECT_TRUE(plan.has(Level{1}));
  EXPECT_TRUE(plan.has(Level{2}));
  EXPECT_FALSE(plan.has(Level{3}));
  EXPECT_FALSE(plan.has(Level{~0u}));
}

RC_GTEST_PROP(PlanProperty, AnyPlanReadsBackByteForByte, ()) {
  const auto levels = *rc::gen::inRange<std::size_t>(1, 12);
  std::vector<double> budgets;
  double budget = 1e-6 * *rc::gen::inRange(1, 1000000);
  for (std::size_t i = 0; i < levels; ++i, budget *= 1 + *rc::gen::inRange(1, 900) / 1000.0) budgets.push_back(budget);
  PlanRequest request = test::signs_request(budgets, *rc::gen::inRange<std::uint32_t>(1, 5000));
  request.secrecy = *rc::gen::element(LevelSecrecy::protected_level, LevelSecrecy::public_level);
  const auto plan = make_plan(request);
  RC_ASSERT(plan.ok());
  const auto again = Plan::parse(plan->text());
  RC_ASSERT(again.ok());
  RC_ASSERT(again->text() == plan->text());
}

}  // namespace
}  // namespace ppgnn::ldp
