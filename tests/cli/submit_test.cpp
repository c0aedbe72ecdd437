#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/wire/report_format.hpp"
#include "support/command_line.hpp"
#include "support/plans.hpp"

namespace ppgnn {
namespace {

using nlohmann::json;
using test::CommandResult;
using test::content_of;
using test::run_ppgnn;

class Submit : public testing::Test {
 protected:
  void SetUp() override {
    test::write_content(folder_ / "me.csv", "column,value\n3,1\nword.7,1\n");
    test::write_content(folder_ / "other.json", R"({"ones": ["word.1"]})");
    test::write_content(folder_ / "signs.txt", test::plan_of(test::signs_request({1, 2}, 20)).text());
    const ldp::Plan answers = test::plan_of(test::answer_request({1, 2}, 20, 3));
    test::write_content(folder_ / "answers.txt", answers.text());
    const auto question = ldp::Question::make(*answers.tables().model, {2, 0, 1}).value();
    test::write_content(folder_ / "question",
                        {reinterpret_cast<const char*>(question.bytes().data()), question.bytes().size()});
  }
  [[nodiscard]] CommandResult run(const std::string& arguments) const {
    return run_ppgnn("submit " + arguments, folder_.path().string());
  }
  [[nodiscard]] Result<ldp::Report> report(const std::string& plan, const std::string& file) const {
    const std::string bytes = content_of(folder_ / file);
    return wire::decode(ldp::Plan::parse(content_of(folder_ / plan)).value(),
                        {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  }
  const test::TemporaryFolder folder_;
};

TEST_F(Submit, MakesOneReportACampaignAndTheSameBytesAgain) {
  const std::string given = "--plan signs.txt --ledger ledger --limit 2 ";
  const CommandResult made = run(given + "--features me.csv --level 1 --round 4 --out first --json");
  ASSERT_EQ(made.status, 0) << made.error;
  EXPECT_EQ(json::parse(made.out)["fresh"], true);
  const auto first = report("signs.txt", "first");
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->round, 4u);
  EXPECT_FALSE(first->seeded);
  const CommandResult again = run(given + "--features other.json --level 2 --round 5 --out second");
  ASSERT_EQ(again.status, 0) << again.error;
  EXPECT_EQ(again.out.substr(0, 7), "second:");
  EXPECT_NE(again.out.find("has already"), std::string::npos);
  EXPECT_EQ(content_of(folder_ / "second"), content_of(folder_ / "first"));
}

TEST_F(Submit, AnswersAQuestionOfACampaign) {
  const std::string given = "--plan answers.txt --features me.csv --level 2 --limit 2 --ledger ledger --out answer ";
  EXPECT_EQ(run(given).error, "ppgnn: person: a campaign's plan needs the name the server knows\n");
  EXPECT_EQ(run(given + "--person ana").error, "ppgnn: question: the plan asks one, and there is none\n");
  const CommandResult not_asked = run("--plan answers.txt --person ana --ledger ledger --not-asked");
  EXPECT_EQ(not_asked.out, "ledger: not asked in this campaign, and nothing spent\n") << not_asked.error;
  const CommandResult made = run(given + "--person ana --question question");
  ASSERT_EQ(made.status, 0) << made.error;
  EXPECT_TRUE(report("answers.txt", "answer"));
  EXPECT_EQ(json::parse(run("--plan answers.txt --person ana --ledger ledger --not-asked --json").out)["reported"],
            true);
}

TEST_F(Submit, PreviewsEveryLevelAndSpendsNothing) {
  const CommandResult shown =
      run("--plan answers.txt --person ana --question question --ledger ledger --preview --json");
  ASSERT_EQ(shown.status, 0) << shown.error;
  const json levels = json::parse(shown.out)["levels"];
  ASSERT_EQ(levels.size(), 2u);
  EXPECT_NE(levels[1]["words"].get<std::string>().find("speak more for class 2, class 0 or for class 1?"),
            std::string::npos);
  EXPECT_NE(levels[0]["ledger"].get<std::string>().find("Reports so far: 0, for 0 nats."), std::string::npos);
  EXPECT_EQ(levels[0]["example"].get<std::string>().size(), 2 * levels[0]["bytes"].get<std::size_t>());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "ledger"));
  EXPECT_NE(run("--plan signs.txt --preview").out.find("Level 2. Your device sends 1 of 20 features"),
            std::string::npos);
}

// A campaign that has its report costs nothing more, and the preview does not add it up again.
TEST_F(Submit, PreviewsNothingMoreOnceReported) {
  const std::string given = "--plan signs.txt --ledger ledger --limit 2 ";
  ASSERT_EQ(run(given + "--features me.csv --level 2 --out first").status, 0);
  const json levels = json::parse(run(given + "--preview --json").out)["levels"];
  for (const json& level : levels) {
    const std::string words = level["ledger"];
    EXPECT_NE(words.find("nothing is added"), std::string::npos) << words;
    EXPECT_NE(words.find("nats: 2 of 10; reports: 1 of 10"), std::string::npos) << words;
  }
}

// The report is for whom it was made for; a plan without campaign gets one report; the rest takes the person's word.
TEST_F(Submit, OneRecipientAndOneReportOfPlansWithoutCampaign) {
  const std::string given = "--features me.csv --level 1 --limit 3 --ledger ledger --out ";
  ASSERT_EQ(run("--plan signs.txt --recipient https://a.example " + given + "first").status, 0);
  for (const std::string other : {"--recipient https://b.example ", ""}) {
    const CommandResult refused = run("--plan signs.txt " + other + given + "second");
    EXPECT_EQ(refused.status, 1);
    EXPECT_NE(refused.error.find("only with the person's word"), std::string::npos) << refused.error;
    EXPECT_EQ(run("--plan signs.txt --again " + other + given + "second").status, 1);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "second"));
    EXPECT_EQ(run("--plan signs.txt --other-recipient " + other + given + "second").status, 0);
    EXPECT_EQ(content_of(folder_ / "second"), content_of(folder_ / "first"));
    std::filesystem::remove(folder_ / "second");
  }
  test::write_content(folder_ / "changed.txt", test::plan_of(test::signs_request({1, 2.5}, 20)).text());
  const CommandResult refused = run("--plan changed.txt --other-recipient " + given + "second");
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.error.find("it has no campaign"), std::string::npos) << refused.error;
  EXPECT_EQ(run("--plan changed.txt --again " + given + "second").status, 0);
  EXPECT_EQ(run("--plan signs.txt --recipient '' " + given + "third").status, 1);
}

// Limits that nobody gave: 10 nats and 10 reports in all.
TEST_F(Submit, LimitsHaveDefaults) {
  const std::string help = run("--help").out;
  for (const char* option : {"  --lifetime FLOAT ", "  --reports UINT "}) {
    const std::size_t at = help.find(option);
    ASSERT_NE(at, std::string::npos) << option << help;
    EXPECT_LT(help.find("[default: 10]", at), help.find("\n  --", at + 1)) << option << help;
  }
  const auto report_of = [&](int plan, const std::string& more) {
    test::write_content(folder_ / "one.txt", test::plan_of(test::signs_request({1, 2 + .01 * plan}, 20)).text());
    return run("--plan one.txt --features me.csv --level 1 --limit 3 --ledger ledger --again --out report " + more);
  };
  for (int plan = 0; plan < 4; ++plan) EXPECT_EQ(report_of(plan, "").status, 0);
  EXPECT_NE(report_of(4, "").error.find("exceed what the person agreed to spend in all"), std::string::npos);
  EXPECT_EQ(report_of(4, "--lifetime inf").status, 0);
  for (int plan = 5; plan < 10; ++plan) EXPECT_EQ(report_of(plan, "--lifetime inf").status, 0);
  EXPECT_NE(report_of(10, "--lifetime inf").error.find("as many reports"), std::string::npos);
  EXPECT_EQ(report_of(10, "--lifetime inf --reports 11").status, 0);
}

TEST_F(Submit, RefusesWithAStatusAndASentence) {
  const std::string good = "--plan signs.txt --features me.csv --ledger ledger --out report ";
  const auto refused = [&](const std::string& arguments, int status, const std::string& message) {
    const CommandResult result = run(arguments);
    EXPECT_EQ(result.status, status) << arguments << "\n" << result.error;
    EXPECT_NE(result.error.find(message), std::string::npos) << arguments << "\n" << result.error;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "report"));
  };
  refused(good + "--level 1", 1, "a report may cost 2 nats, more than the 1 that the person agreed to");
  refused(good + "--level 3 --limit 2", 2, "level: must be between 1 and 2");
  refused(good + "--level -1 --limit 2", 2, "--level");
  for (const std::string level : {"x2", "4321"}) {  // a level is the person's
    EXPECT_EQ(run(good + "--limit 2 --level " + level).error.find(level), std::string::npos);
  }
  refused(good + "--limit 2", 2, "--level is missing");
  refused("--plan signs.txt --features me.csv --level 1 --limit 2 --out report", 2, "--ledger is missing");
  refused("--plan me.csv --features me.csv --level 1 --ledger ledger --out report", 3, "me.csv: ");
  refused("--plan signs.txt --features signs.txt --level 1 --limit 2 --ledger ledger --out report", 3, "signs.txt: ");
  test::write_content(folder_ / "two.csv", "3,1\n4,1\n");
  refused("--plan signs.txt --features two.csv --level 1 --limit 2 --ledger ledger --out report", 3,
          "two.csv: found 2 lines of 2 fields separated by commas; they could be numbers of columns");
  refused(good + "--level 1 --limit 2 --lifetime 1.5", 1, "exceed what the person agreed to spend in all");
  refused("--plan signs.txt --features me.csv --ledger me.csv --out report --level 1 --limit 2", 2, "same file");
  test::write_content(folder_ / "ledger", "something else");
  refused(good + "--level 1 --limit 2", 3, "ledger: it is damaged");
}

}  // namespace
}  // namespace ppgnn
