#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/command_line.hpp"
#include "support/plans.hpp"

namespace ppgnn {
namespace {

using nlohmann::json;
using test::CommandResult;
using test::run_ppgnn;

json audit_json(const std::string& arguments) {
  const CommandResult result = run_ppgnn("audit --json " + arguments);
  EXPECT_EQ(result.status, 0) << result.error;
  EXPECT_EQ(result.error, "");
  return json::parse(result.out);
}

TEST(AuditCommand, StatesTheReviewsExample) {
  const json report = audit_json("--kind signs --budgets 1,2,4,8,16,32 --level-budget 4 --gamma 0 --dim 1433");
  EXPECT_EQ(report["protocol"], "strict");
  EXPECT_EQ(report["holds"], true);
  EXPECT_EQ(report["sampled"], 3);
  EXPECT_NEAR(report["information"].get<double>(), .319, 6e-4);
  ASSERT_EQ(report["levels"].size(), 6u);
  EXPECT_NEAR(report["levels"][5]["features"].get<double>(), 6.27120302958, 1e-10);
  EXPECT_EQ(report["levels"][5]["level"], 6);
  EXPECT_EQ(report["levels"][5]["epsilon"], 32);
  EXPECT_EQ(report["levels"][5]["sampled"], 3);
  EXPECT_NEAR(report["level_given_features"].get<double>(), 4, 1e-10);
  EXPECT_NEAR(report["pair_strictest"].get<double>(), 5, 1e-10);
  EXPECT_NEAR(report["pair_max"].get<double>(), 6.27120302958, 1e-10);
  EXPECT_EQ(report["plan_hash"].get<std::string>().size(), 64u);
  EXPECT_TRUE(report["notes"].is_array());
}

// Without options: the first plan that a campaign makes, which the participants' page and docs/participants.md describe.
TEST(AuditCommand, AuditsWhatACampaignMakesByDefault) {
  const json report = audit_json("");
  EXPECT_EQ(report["kind"], "buckets");
  EXPECT_EQ(report["campaign"]["role"], "teach");
  EXPECT_EQ(report["dim"], 1433);
  EXPECT_EQ(report["levels"][0]["outcomes"], 126);
  EXPECT_EQ(report["levels"][0]["favoured"], 15);
  EXPECT_NEAR(report["pair_max"].get<double>(), 2.9975, 1e-4);

  const test::TemporaryFolder folder;
  const std::string started =
      run_ppgnn("campaign start --data synthetic:social,nodes=300 --campaign spring --folder f", (folder / "").string())
          .error;
  const json plan = audit_json("--plan " + (folder / "f/teach.plan").string());
  const json same = audit_json("--data synthetic:social,nodes=300 --campaign spring");
  for (const char* field : {"kind", "dim", "columns", "levels", "level_given_features", "pair_max"}) {
    EXPECT_EQ(plan[field], same[field]) << field << started;
  }
}

TEST(AuditCommand, AuditsEveryRoundOfACampaign) {
  const test::TemporaryFolder folder;
  const std::string data = "--data synthetic:social,nodes=300 ";
  const auto run = [&](const std::string& arguments) {
    const CommandResult result = run_ppgnn(arguments, (folder / "").string());
    ASSERT_EQ(result.status, 0) << arguments << result.error;
  };
  run("campaign start " + data + "--campaign spring --folder f");
  run("perturb " + data + "--plan f/teach.plan --people f/teach.people --out lessons.csv");
  run("campaign ask " + data + "--folder f --reports lessons.csv");
  run("campaign start " + data + "--campaign spring --store sqlite:s.db");

  const std::string where = (folder / "f").string();
  const json both = audit_json("--folder " + where);
  EXPECT_EQ(both["holds"], true);
  ASSERT_EQ(both["plans"].size(), 2u);
  for (const std::size_t i : {0U, 1U}) {
    EXPECT_EQ(both["plans"][i], audit_json("--plan " + where + (i == 0 ? "/teach.plan" : "/answer.plan"))) << i;
  }
  const json stored = audit_json("--store sqlite:" + (folder / "s.db").string());
  ASSERT_EQ(stored["plans"].size(), 1u);
  EXPECT_EQ(stored["plans"][0]["levels"], both["plans"][0]["levels"]);
  const std::string text = run_ppgnn("audit --folder " + where).out;
  EXPECT_NE(text.find("Round 0 of 2"), std::string::npos);
  EXPECT_NE(text.find("Round 1 of 2"), std::string::npos);

  EXPECT_EQ(run_ppgnn("audit --folder " + where + " --epsilon 2").status, 2);
  EXPECT_EQ(run_ppgnn("audit --folder " + (folder / "none").string()).status, 3);
}

// A plan of classes that is written is the one that was audited.
TEST(AuditCommand, PlanMakesWhatAuditCertifies) {
  const test::TemporaryFolder folder;
  const std::string path = (folder / "class.txt").string();
  ASSERT_EQ(run_ppgnn("plan --kind class --classes 5 --budgets 1,2 --out " + path).status, 0);
  EXPECT_EQ(audit_json("--plan " + path), audit_json("--kind class --classes 5 --budgets 1,2"));
  const CommandResult both = run_ppgnn("plan --kind class --classes 5 --data synthetic:social,nodes=50 --out " + path);
  EXPECT_EQ(both.status, 2);
  EXPECT_NE(both.error.find("leave --schema and --data out"), std::string::npos) << both.error;
  EXPECT_EQ(run_ppgnn("plan --kind class --out " + path).status, 2);
  EXPECT_EQ(run_ppgnn("plan --classes 5 --out " + path).status, 2);
}

TEST(AuditCommand, EpsilonMeansFiveDoublingLevels) {
  const json report = audit_json("--epsilon 0.5");
  std::vector<double> budgets;
  for (const json& level : report["levels"]) budgets.push_back(level["epsilon"]);
  EXPECT_EQ(budgets, (std::vector<double>{.5, 1, 2, 4, 8}));
}

TEST(AuditCommand, PublicLevelsAreCalledDisclosed) {
  const json report = audit_json("--kind signs --epsilon 1 --level-public");
  EXPECT_EQ(report["level_given_features"], "disclosed");
  EXPECT_EQ(report["pair_max"], "disclosed");
  EXPECT_EQ(report["sampled"], (std::vector<int>{1, 1, 2, 4, 7}));
  EXPECT_EQ(report["information"], 1.0);
}

TEST(AuditCommand, WordsFitThePlan) {
  // What it says on one line.
  const auto words = [](const std::string& options) {
    std::istringstream out(run_ppgnn("audit " + options).out);
    std::string line;
    for (std::string word; out >> word;) line += word + ' ';
    return line;
  };
  const std::string open = words("--epsilon 1 --level-public");
  EXPECT_EQ(open.find("do not depend on the level"), std::string::npos);
  EXPECT_NE(open.find("time and size of a report depend on the level, which it states"), std::string::npos);
  const std::string reported = words("--kind signs --gamma 0.5 --budgets 1,4");
  EXPECT_NE(reported.find("and your level, also with noise"), std::string::npos) << reported;
  EXPECT_NE(reported.find("Of your budget of 4, 1.715 is used."), std::string::npos) << reported;
  EXPECT_EQ(words("--epsilon 1").find("your level, also"), std::string::npos);
  EXPECT_NE(words("--kind class --classes 3 --budgets 1").find("on the level or on the class"), std::string::npos);
}

TEST(AuditCommand, ALevelReportHasAGainPerReportedLevel) {
  const json report = audit_json("--kind signs --epsilon 1 --gamma 0.5");
  EXPECT_EQ(report["gain"].size(), 7u);  // five levels, radius 1
  EXPECT_NEAR(report["level_report"].get<double>(), .5, 1e-10);
}

TEST(AuditCommand, ClassReports) {
  const json report = audit_json("--kind class --classes 3 --budgets 1,4");
  EXPECT_EQ(report["kind"], "class");
  EXPECT_NEAR(report["levels"][1]["features"].get<double>(), 2.38191552452211, 1e-10);
}

TEST(AuditCommand, SaysThatThePapersProtocolDoesNotHold) {
  const CommandResult result = run_ppgnn("audit --protocol paper --gamma 0.5 --budgets 1,2,4,8,16,32 --json");
  EXPECT_EQ(result.status, 1);
  const json report = json::parse(result.out);
  EXPECT_EQ(report["protocol"], "paper");
  EXPECT_EQ(report["holds"], false);
  EXPECT_EQ(report["level_given_features"], "unbounded");
  EXPECT_EQ(report["levels"][5]["features"], 16.0);
  EXPECT_EQ(report["level_report"]["as_printed"], "unbounded");
  EXPECT_NEAR(report["level_report"]["common_window"].get<double>(), 15.9997, 1e-4);
  EXPECT_NEAR(report["level_report"]["impossible_for_most_relaxed"].get<double>(), .40, 5e-3);
  EXPECT_NE(report["notes"].dump().find("magnitude"), std::string::npos);
  EXPECT_NE(report["notes"].dump().find("supports"), std::string::npos);
  EXPECT_NE(run_ppgnn("audit --protocol paper").out.find("does NOT hold"), std::string::npos);
}

TEST(AuditCommand, TriesToFalsifyTheClient) {
  const json report = audit_json("--kind signs --empirical --trials 3000 --epsilon 1 --gamma 0.5");
  EXPECT_EQ(report["holds"], true);
  EXPECT_EQ(report["empirical"]["falsified"], false);
  EXPECT_EQ(report["empirical"]["reports"], 3000 * 15 * 5);
  EXPECT_EQ(report["empirical"]["false_alarm"], 1e-6);
  std::size_t losses = 0;
  for (const json& check : report["empirical"]["checks"]) {
    if (check["kind"] != "loss") continue;
    ++losses;
    EXPECT_LE(check["found"].get<double>(), check["claim"].get<double>()) << check["name"];
  }
  EXPECT_GE(losses, 20u);
  EXPECT_NE(run_ppgnn("audit --empirical --trials 3000").out.find("No claim could be falsified."), std::string::npos);
}

TEST(AuditCommand, SpeaksToAPersonAtEachLevel) {
  const CommandResult result = run_ppgnn("audit");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.error, "");
  for (const char* words : {"Level 1.", "Level 5.", "from 50:50 to at most 73.2:26.8", "Every claim holds."}) {
    EXPECT_NE(result.out.find(words), std::string::npos) << words;
  }
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
}

// What is asked about, in which range, and bounds that are never shown smaller than they are.
TEST(AuditCommand, ShowsColumnsRangesAndGamma) {
  const test::TemporaryFolder folder;
  ldp::PlanRequest request = test::signs_request({4e-6, 1}, 12);
  request.columns[0].name = "hobby";
  request.columns.push_back({"age, in years", 1, ldp::ColumnKind::number, 18, 99.5, 40});
  request.gamma = .25;
  request.level_budget = 2;
  const std::string path = (folder / "plan.txt").string();
  std::ofstream(path) << test::plan_of(request).text();
  const std::string text = run_ppgnn("audit --plan " + path).out;
  for (const char* words : {"hobby", "age, in years", "18 to 99.5", "gamma 0.25", "4e-06"}) {
    EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
  }
  EXPECT_EQ(text.find("0.0000 "), std::string::npos) << text;
  const json columns = audit_json("--plan " + path)["columns"];
  ASSERT_EQ(columns.size(), 2u);
  EXPECT_EQ(
      columns[1],
      (json{{"name", "age, in years"}, {"count", 1}, {"kind", "number"}, {"low", 18}, {"high", 99.5}, {"absent", 40}}));
}

TEST(AuditCommand, AuditsAPlanFile) {
  const test::TemporaryFolder folder;
  const ldp::Plan plan = test::plan_of(test::signs_request({1, 3}, 77));
  const std::string path = (folder / "plan.txt").string();
  std::ofstream(path) << plan.text();
  EXPECT_EQ(audit_json("--plan " + path)["plan_hash"], to_hex(plan.hash()));

  std::ofstream(path) << plan.text().substr(0, 100);
  const CommandResult cut = run_ppgnn("audit --plan " + path);
  EXPECT_EQ(cut.status, 3);
  EXPECT_EQ(cut.error, "ppgnn: " + path + ": plan: the hash line is missing (cut off?)\n");
  EXPECT_EQ(run_ppgnn("audit --plan " + (folder / "none").string()).status, 4);
}

TEST(AuditCommand, BadInputNamesFieldAndValue) {
  const auto expect_refused = [](const std::string& arguments, const std::string& message) {
    const CommandResult result = run_ppgnn("audit " + arguments);
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_EQ(result.out, "") << arguments;
    EXPECT_NE(result.error.find(message), std::string::npos) << arguments << ": " << result.error;
  };
  expect_refused("--epsilon 0", "epsilon: must be between 1e-06 and 512, but is 0");
  expect_refused("--epsilon -1", "epsilon: must be between 1e-06 and 512, but is -1");
  expect_refused("--epsilon nan", "but is nan");
  expect_refused("--epsilon inf", "but is inf");
  expect_refused("--epsilon 1e-7", "but is 1e-07");
  expect_refused("--epsilon 600", "but is 600");
  expect_refused("--epsilon x", "--epsilon");
  expect_refused("--budgets 2,1", "budgets: level 2: must be above level 1 (2), but is 1");
  expect_refused("--budgets 2,2", "budgets: level 2: must be above level 1 (2), but is 2");
  expect_refused("--kind signs --gamma 1", "gamma: must be at least 0 and below 1, but is 1");
  expect_refused("--kind signs --gamma 0.5 --level-budget 0.5", "level_budget: must be above");
  expect_refused("--dim 0", "dim is 0");
  expect_refused("--level-public --level-budget 2", "excludes");
  expect_refused("--kind signs --level-public --gamma 0.5", "gamma: must be 0 where levels are public, but is 0.5");
  expect_refused("--epsilon 1 --budgets 1,2", "excludes");
  expect_refused("--kind class", "--classes");
  expect_refused("--kind class --classes 1", "--classes");
  expect_refused("--classes 3", "--classes: only with --kind class");
  expect_refused("--kind bits", "--kind");
  expect_refused("--empirical --trials 1", "trials: must be between 100 and 1000000000, but is 1");
  expect_refused("--empirical --alpha 2", "alpha: must be between 1e-12 and 0.1, but is 2");
  expect_refused("--trials 1000", "--empirical");
  expect_refused("--protocol paper --gamma 0", "gamma: must be above 0");
  expect_refused("--protocol paper --level-public", "excludes");
  expect_refused("--protocol paper --dim 0", "dim: must be at least 1, but is 0");
  expect_refused("--no-such-option", "--no-such-option");
}

// Every example in a command's help works as printed, in the order of the commands: plan, perturb, train, predict share
// files.
TEST(Help, ExamplesWorkAsPrinted) {
  const test::TemporaryFolder folder;
  test::write_content(folder / "me.csv", "column,value\n3,1\n");
  for (const std::string command : {"",
                                    "attack ",
                                    "audit ",
                                    "data ",
                                    "data list ",
                                    "data info ",
                                    "data get ",
                                    "data verify ",
                                    "data convert ",
                                    "study ",
                                    "study list ",
                                    "study run ",
                                    "study all ",
                                    "study merge ",
                                    "study report ",
                                    "study compare ",
                                    "run ",
                                    "forecast ",
                                    "plan ",
                                    "perturb ",
                                    "submit ",
                                    "train ",
                                    "predict ",
                                    "campaign ",
                                    "campaign start "}) {
    const CommandResult help = run_ppgnn(command + "--help");
    EXPECT_EQ(help.status, 0);
    std::istringstream lines(help.out.substr(help.out.find("Example")));
    int examples = 0;
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("  ppgnn ")) continue;
      // Long ones go on after a backslash.
      for (std::string more; line.ends_with('\\') && std::getline(lines, more); line += more) line.pop_back();
      ++examples;
      if (line.find("(needs ") != std::string::npos) continue;  // files of others: download_test has them
      // "(exit status 1: why)" after an example says what to expect; nothing means success.
      const std::size_t remark = line.find("(exit status ");
      const int expected = remark == std::string::npos ? 0 : line[remark + 13] - '0';
      const CommandResult result =
          run_ppgnn(line.substr(8, remark == std::string::npos ? remark : remark - 8), (folder / "").string());
      EXPECT_EQ(result.status, expected) << line << "\n" << result.error;
    }
    EXPECT_GE(examples, 1) << command;
  }
}

TEST(Help, VersionAndMissingCommand) {
  EXPECT_EQ(run_ppgnn("--version").status, 0);
  EXPECT_EQ(run_ppgnn("").status, 0);  // lists the commands
  EXPECT_EQ(run_ppgnn("no-such-command").status, 2);
}

}  // namespace
}  // namespace ppgnn
