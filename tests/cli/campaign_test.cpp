#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "support/command_line.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn {
namespace {

using nlohmann::json;
using test::CommandResult;
using test::run_ppgnn;

// A campaign by files, step by step.
class Steps {
 public:
  explicit Steps(std::string data) : data_("--data " + std::move(data) + ' ') {}

  [[nodiscard]] std::string file(const std::string& name) const { return (folder_.path() / name).string(); }
  [[nodiscard]] CommandResult start(const std::string& more = "") const {
    return run_ppgnn("campaign start " + data_ + "--campaign simulated --folder " + file("c") + ' ' + more);
  }
  [[nodiscard]] CommandResult teach(const std::string& more = "--seed 0") const {
    return run_ppgnn("perturb " + data_ + "--plan " + file("c/teach.plan") + " --people " + file("c/teach.people") +
                     " --out " + file("lessons.csv") + ' ' + more);
  }
  [[nodiscard]] CommandResult ask(const std::string& more = "--allow-seeded") const {
    return ask_after("lessons.csv", more);
  }
  [[nodiscard]] CommandResult ask_after(const std::string& reports, const std::string& more = "--allow-seeded") const {
    return run_ppgnn("campaign ask " + data_ + "--folder " + file("c") + " --reports " + file(reports) + ' ' + more);
  }
  [[nodiscard]] CommandResult answer(const std::string& more = "--seed 0") const {
    return answer("answer", "questions.csv", "answers.csv", more);
  }
  [[nodiscard]] CommandResult answer(const std::string& role, const std::string& questions, const std::string& out,
                                     const std::string& more = "--seed 0") const {
    return run_ppgnn("perturb " + data_ + "--plan " + file("c/" + role + ".plan") + " --people " +
                     file("c/" + role + ".people") + " --questions " + file("c/" + questions) + " --earlier " +
                     file("lessons.csv") + " --out " + file(out) + ' ' + more);
  }
  [[nodiscard]] CommandResult train(const std::string& more = "--allow-seeded") const {
    return run_ppgnn("train " + data_ + "--folder " + file("c") + " --reports " + file("answers.csv") + ' ' + more);
  }
  [[nodiscard]] CommandResult predict(const std::string& more = "") const {
    return run_ppgnn("predict --folder " + file("c") + ' ' + more);
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(file(name)) << text; }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::stringstream text;
    text << std::ifstream(file(name)).rdbuf();
    return text.str();
  }

 private:
  test::TemporaryFolder folder_;
  std::string data_;
};

const std::string kNetwork = "synthetic:social,nodes=600,attributes=40,signal=.6";

// The same bits as the laboratory's campaign, whose rounds are never files.
TEST(CampaignCommand, ByFilesItIsTheCampaignOfRun) {
  std::string levels = "node,level\n";
  for (int person = 0; person < 600; ++person) {
    levels += std::to_string(person) + ',' + std::to_string(1 + person * 7 % 5) + '\n';
  }
  for (const bool is_public : {true, false}) {
    const Steps steps(kNetwork);
    steps.write("levels.csv", levels);
    const std::string with_levels = " --levels " + steps.file("levels.csv");
    ASSERT_EQ(steps.start(is_public ? "--level-public" : "").status, 0);
    ASSERT_EQ(steps.teach("--seed 0" + with_levels).status, 0);
    const CommandResult asked = steps.ask("--allow-seeded --json" + (is_public ? with_levels : ""));
    ASSERT_EQ(asked.status, 0) << asked.error;
    EXPECT_EQ(json::parse(asked.out)["lessons"], 300);
    ASSERT_EQ(steps.answer("--seed 0" + with_levels).status, 0);
    const CommandResult predicted = steps.train("--allow-seeded --json");
    ASSERT_EQ(predicted.status, 0) << predicted.error;
    const CommandResult run =
        run_ppgnn("run --method teach --runs 1 --no-reference --json --data " + kNetwork + with_levels);
    ASSERT_EQ(run.status, 0) << run.error;
    const json by_files = json::parse(predicted.out);
    const json by_run = json::parse(run.out);
    EXPECT_EQ(by_files["test"]["log_loss"], by_run[is_public ? "public" : "accuracy"]["log_loss"]);
    EXPECT_EQ(by_files["test"]["accuracy"], by_run[is_public ? "public" : "accuracy"]["values"][0]);
    EXPECT_EQ(by_files["test_graph_alone"]["log_loss"], by_run["control"]["log_loss"]);
    EXPECT_EQ(json::parse(steps.predict("--json").out)["predictions"].size(), 600);
  }
}

// Pilots in a round of their own: the same bits where their answers help, and nobody else is asked where they do not.
TEST(CampaignCommand, PilotsMayAnswerBeforeTheOthers) {
  for (const bool help : {true, false}) {
    const Steps steps(kNetwork);
    const std::string budgets = help ? "--budgets 4,8" : "--budgets .01,.02";
    ASSERT_EQ(steps.start(budgets).status, 0);
    ASSERT_EQ(steps.teach().status, 0);
    const CommandResult asked = steps.ask("--allow-seeded --pilots --json");
    ASSERT_EQ(asked.status, 0) << asked.error;
    const json first = json::parse(asked.out);
    EXPECT_EQ(first["asked"].get<int>() + first["not_asked"].get<int>(), 150);
    EXPECT_EQ(steps.ask("--allow-seeded --pilots").status, 2) << "the pilots may have answered";
    ASSERT_EQ(steps.answer("pilot", "pilot-questions.csv", "pilots.csv").status, 0);
    EXPECT_EQ(steps.ask().status, 3) << "lessons are not the pilots' answers";
    const CommandResult next = steps.ask_after("pilots.csv", "--allow-seeded --json");
    ASSERT_EQ(next.status, 0) << next.error;
    EXPECT_EQ(json::parse(next.out)["answers"], first["asked"]);
    const CommandResult run =
        run_ppgnn("run --method teach --runs 1 --no-reference --json --pilots --data " + kNetwork + ' ' + budgets);
    ASSERT_EQ(run.status, 0) << run.error;
    const json expected = json::parse(run.out)["accuracy"];
    CommandResult predicted;
    if (help) {
      EXPECT_GT(json::parse(next.out)["asked"].get<int>(), 0);
      EXPECT_EQ(steps.ask_after("pilots.csv").status, 2) << "who was asked may have answered";
      ASSERT_EQ(steps.answer("answer", "questions.csv", "answers.csv", "--seed 0 --earlier " + steps.file("pilots.csv"))
                    .status,
                0);
      EXPECT_EQ(steps.train().status, 2) << "the pilots' answers are missing";
      predicted = steps.train("--allow-seeded --json --reports " + steps.file("pilots.csv"));
    } else {
      EXPECT_EQ(json::parse(next.out)["asked"], 0);
      EXPECT_EQ(json::parse(next.out)["answers_help"], false);
      EXPECT_FALSE(std::filesystem::exists(steps.file("c/answer.plan")));
      std::filesystem::rename(steps.file("pilots.csv"), steps.file("answers.csv"));
      predicted = steps.train("--allow-seeded --json");
    }
    ASSERT_EQ(predicted.status, 0) << predicted.error;
    const json by_files = json::parse(predicted.out);
    EXPECT_EQ(by_files["answers_used"], help);
    EXPECT_EQ(by_files["test"]["log_loss"], expected["log_loss"]);
    EXPECT_EQ(by_files["test"]["accuracy"], expected["values"][0]);
  }
}

TEST(CampaignCommand, NobodyReportsTwice) {
  const Steps steps(kNetwork);
  ASSERT_EQ(steps.start().status, 0);
  ASSERT_EQ(steps.teach("").status, 0);
  std::filesystem::copy_file(steps.file("lessons.csv"), steps.file("kept.csv"));
  const CommandResult again = steps.teach("--force --earlier " + steps.file("kept.csv"));
  EXPECT_EQ(again.status, 3);
  EXPECT_NE(again.error.find("kept.csv:2: already reported in this campaign"), std::string::npos) << again.error;
  EXPECT_EQ(steps.start().status, 2);
  ASSERT_EQ(steps.ask("").status, 0);
  EXPECT_EQ(steps.ask("").status, 2) << "who was asked may have answered";
  ASSERT_EQ(steps.answer("").status, 0);

  // The two lists have nobody in common, and only the people of a list count.
  const std::string own = steps.read("c/answer.people");
  steps.write("c/answer.people", steps.read("c/teach.people"));
  EXPECT_EQ(steps.predict().status, 3) << "nothing is kept yet";
  EXPECT_EQ(steps.train("").status, 3);
  steps.write("c/answer.people", own);
  EXPECT_EQ(steps.train("").status, 0);
  EXPECT_EQ(steps.predict().status, 0);
  const std::string everybody =
      "perturb --data " + kNetwork + " --plan " + steps.file("c/teach.plan") + " --out " + steps.file("all.csv");
  ASSERT_EQ(run_ppgnn(everybody).status, 0);
  std::filesystem::rename(steps.file("all.csv"), steps.file("lessons.csv"));
  std::filesystem::remove(steps.file("c/answer.plan"));
  const CommandResult strangers = steps.ask("");
  EXPECT_EQ(strangers.status, 3);
  EXPECT_NE(strangers.error.find("not asked in this round"), std::string::npos) << strangers.error;
}

TEST(CampaignCommand, SeededReportsAndDeclaredLevelsNeedTheirReason) {
  const Steps steps(kNetwork);
  ASSERT_EQ(steps.start().status, 0);
  EXPECT_NE(steps.start("--gamma .5").status, 0);
  ASSERT_EQ(steps.teach().status, 0);
  EXPECT_NE(steps.ask("").error.find("made from a seed"), std::string::npos);
  EXPECT_NE(steps.ask("--allow-seeded --levels x").error.find("levels are private"), std::string::npos);
  EXPECT_EQ(run_ppgnn("predict --folder y --model z").status, 2);
  EXPECT_NE(run_ppgnn("predict --folder y --reports x").error.find("only read"), std::string::npos);
  EXPECT_NE(run_ppgnn("train --reports x --plan y --model z --spread all").error.find("goes with a campaign"),
            std::string::npos);
}

// Somebody who came after the questions, with friends and no report, is predicted too; so is who did not answer.
TEST(CampaignCommand, PeopleWhoCameLaterAndWhoDidNotAnswer) {
  const test::TemporaryFolder club;
  const auto at = [&](const char* name) { return club.path() / name; };
  {
    std::ofstream edges(at("edges.csv"));
    std::ofstream labels(at("labels.csv"));
    std::ofstream features(at("features.csv"));
    labels << "person,sport\n";
    features << "person,reads,cooks,hikes,sings\n";
    for (int i = 0; i < 60; ++i) {
      labels << 'p' << i << ',' << (i % 2 == 0 ? "chess" : "rowing") << '\n';
      features << 'p' << i << ',' << i % 2 << ',' << 1 - i % 2 << ',' << i % 3 % 2 << ',' << i % 5 % 2 << '\n';
      edges << 'p' << i << ",p" << (i + 2) % 60 << '\n' << 'p' << i << ",p" << (i + 7) % 60 << '\n';
    }
  }
  const Steps steps(club.path().string());
  ASSERT_EQ(steps.start().status, 0);
  ASSERT_EQ(steps.teach().status, 0);
  const CommandResult asked = steps.ask();
  ASSERT_EQ(asked.status, 0) << asked.error;
  ASSERT_EQ(steps.answer().status, 0);
  const std::string answers = steps.read("answers.csv");
  steps.write("answers.csv", answers.substr(0, answers.find('\n', answers.size() / 2) + 1));
  std::filesystem::remove(at("features.csv"));  // the server never had them
  std::ofstream(at("edges.csv"), std::ios::app) << "ida,p2\nida,p4\n";
  std::ofstream(at("labels.csv"), std::ios::app) << "ida,\n";
  const CommandResult trained = steps.train();
  ASSERT_EQ(trained.status, 0) << trained.error;
  const CommandResult predicted = steps.predict();
  EXPECT_NE(predicted.out.find("\nida,"), std::string::npos);
  EXPECT_EQ(std::count(predicted.out.begin(), predicted.out.end(), '\n'), 62);
}

// Answers that others gave are refused by files as by a collector, in the same words.
TEST(CampaignCommand, RotatedAnswersAreRefused) {
  const Steps steps(kNetwork);
  ASSERT_EQ(steps.start().status, 0);
  ASSERT_EQ(steps.teach().status, 0);
  ASSERT_EQ(steps.ask().status, 0);
  ASSERT_EQ(steps.answer().status, 0);
  std::istringstream lines(steps.read("answers.csv"));
  std::vector<std::string> people;
  std::vector<std::string> reports;
  std::string line;
  for (std::getline(lines, line); std::getline(lines, line);) {
    people.push_back(line.substr(0, line.find(',')));
    reports.push_back(line.substr(line.find(',')));
  }
  std::string rotated = "node,report\n";
  for (std::size_t i = 0; i < people.size(); ++i) rotated += people[i] + reports[(i + 1) % reports.size()] + '\n';
  steps.write("answers.csv", rotated);
  const CommandResult refused = steps.train();
  EXPECT_EQ(refused.status, 3);
  EXPECT_NE(refused.error.find("question: an answer to another one"), std::string::npos) << refused.error;
}

TEST(CampaignCommand, StatusSaysWhatIsNext) {
  const Steps steps(kNetwork);
  EXPECT_EQ(run_ppgnn("campaign status --folder " + steps.file("c")).status, 3);
  ASSERT_EQ(steps.start().status, 0);
  const CommandResult status = run_ppgnn("campaign status --json --folder " + steps.file("c"));
  ASSERT_EQ(status.status, 0) << status.error;
  const json said = json::parse(status.out);
  EXPECT_EQ(said["rounds"][0]["role"], "teach");
  EXPECT_EQ(said["rounds"][0]["people"], 300);
  EXPECT_EQ(said["rounds"][0]["reports"], nullptr);
  EXPECT_NE(run_ppgnn("campaign status --folder " + steps.file("c")).out.find("ppgnn campaign ask --folder"),
            std::string::npos);
}

}  // namespace
}  // namespace ppgnn
