#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "support/command_line.hpp"

namespace ppgnn {
namespace {

using nlohmann::json;
using test::CommandResult;
using test::run_ppgnn;

// A plan and everybody's reports in a folder of their own, and paths in it.
class TrainCommand : public testing::Test {
 protected:
  const test::TemporaryFolder folder_;
  const std::string data_ = "--data synthetic:social,nodes=300 ";

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::string inputs() const {
    return data_ + "--allow-seeded --plan " + path("plan") + " --reports " + path("reports") + " ";
  }
  [[nodiscard]] std::string train(const std::string& model) const {
    return "train " + inputs() + "--model " + path(model) + " ";
  }
  [[nodiscard]] bool exists(const std::string& name) const { return std::filesystem::exists(folder_ / name); }
  [[nodiscard]] bool same(const std::string& one, const std::string& other) const {
    return test::content_of(folder_ / one) == test::content_of(folder_ / other);
  }
  // Waits until the file is there and longer than `bytes`. The command under test must not end before.
  void wait_for(const std::string& name, std::uintmax_t bytes) const {
    std::error_code missing;
    for (int i = 0; i < 60000; ++i) {
      const std::uintmax_t size = std::filesystem::file_size(folder_ / name, missing);
      if (!missing && size > bytes) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    FAIL() << name << " never grew beyond " << bytes;
  }
  // The state is written as soon as training can be stopped: new, or anew.
  [[nodiscard]] std::filesystem::file_time_type written(const std::string& name) const {
    std::error_code missing;
    return std::filesystem::last_write_time(folder_ / name, missing);
  }
  void wait_for_rewrite(const std::string& name, std::filesystem::file_time_type before) const {
    for (int i = 0; i < 60000; ++i) {
      if (exists(name) && written(name) != before) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    FAIL() << name << " was never written";
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }
  void expect_refused(const std::string& arguments, int status, const std::string& message) const {
    const CommandResult result = run_ppgnn(arguments);
    EXPECT_EQ(result.status, status) << arguments << ": " << result.error;
    EXPECT_EQ(result.out, "") << arguments;
    EXPECT_NE(result.error.find(message), std::string::npos) << message << "\n" << result.error;
  }

  void SetUp() override {
    ASSERT_EQ(run_ppgnn("plan " + data_ + "--out " + path("plan")).status, 0);
    ASSERT_EQ(run_ppgnn("perturb " + data_ + "--seed 1 --plan " + path("plan") + " --out " + path("reports")).status,
              0);
  }
};

TEST_F(TrainCommand, ControlCLeavesACheckpointAndSaysHowToGoOn) {
  const std::string options = "--epochs 3000 --scale .3 --history ";
  ASSERT_EQ(run_ppgnn(train("whole") + options + path("whole.csv")).status, 0);
  const std::string kept = train("model") + options + path("history") + " --checkpoint " + path("state") + " ";
  for (const int signal : {SIGINT, SIGTERM}) {
    const std::string resume = signal == SIGINT ? "" : "--resume ";
    const auto before = written("state");
    const pid_t child = test::start_ppgnn(kept + resume + "--json >" + path("out") + " 2>" + path("error"));
    wait_for_rewrite("state", before);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(test::finish_ppgnn(child, signal), 6);
    EXPECT_TRUE(json::parse(test::content_of(folder_ / "out"))["stopped"]);
    EXPECT_EQ(test::content_of(folder_ / "error"),
              "ppgnn: stopped; " + path("state") + " has the state: the same command with --resume goes on\n");
    EXPECT_FALSE(same("history", "whole.csv"));
  }
  ASSERT_EQ(run_ppgnn(kept + "--resume").status, 0);
  EXPECT_TRUE(same("model", "whole"));
  EXPECT_TRUE(same("history", "whole.csv"));
}

TEST_F(TrainCommand, OutputsDoNotDestroyInputsOrEachOther) {
  const std::string reports = test::content_of(folder_ / "reports");
  const std::string inputs = "train " + data_ + "--plan " + path("plan") + " --reports " + path("reports") + " ";
  expect_refused(inputs + "--model " + path("./reports"), 2, "--reports and --model name the same file");
  expect_refused(inputs + "--model " + path("m") + " --history " + path("m"), 2, "--model and --history name the same");
  expect_refused(inputs + "--model " + path("m") + " --checkpoint " + path("m"), 2, "--model and --checkpoint name");
  const std::string perturb = "perturb " + data_ + "--seed 1 --plan " + path("plan") + " --out ";
  expect_refused(perturb + path("plan"), 2, "--plan and --out name the same file");
  expect_refused(perturb + path("reports"), 2, "reports exists: reports made anew cost people their privacy");
  EXPECT_EQ(test::content_of(folder_ / "reports"), reports);
  EXPECT_EQ(run_ppgnn(perturb + path("reports") + " --force").status, 0);
}

TEST_F(TrainCommand, NoReportsAndNoClassesAreRefused) {
  write("none", "node,report\n");
  write("labels", "node,class\n");
  const std::string rest = data_ + "--allow-seeded --plan " + path("plan") + " --model " + path("m") + " --reports ";
  expect_refused("train " + rest + path("none"), 3, "none: there is no report in it");
  expect_refused("train " + rest + path("reports") + " --labels " + path("labels"), 3, "labels: no node has a class");
  EXPECT_FALSE(exists("m"));
}

TEST_F(TrainCommand, SaysThatATrainingDiverged) {
  const CommandResult result = run_ppgnn(train("model") + "--scale raw --lr 1e17 --epochs 60 --json");
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_NE(result.error.find("ppgnn: training diverged: "), std::string::npos) << result.error;
  EXPECT_NE(json::parse(result.out)["diverged"].get<std::string>().find("not finite in epoch"), std::string::npos);
}

// Killed in the first scale and in the second: what is resumed gives the bits of what was never interrupted.
TEST_F(TrainCommand, KilledBetweenCheckpointsAndResumedGivesTheSameBits) {
  const std::string options = "--epochs 900 ";
  ASSERT_EQ(run_ppgnn(train("whole") + options + "--history " + path("whole.csv")).status, 0);
  const std::string kept = train("model") + options + "--history " + path("model.csv") + " --checkpoint " +
                           path("state") + " --checkpoint-every 25 --resume >" + path("out") + " 2>&1";
  // One scale's state takes 67 to 96 KB here.
  for (const std::uintmax_t bytes : {10000U, 130000U}) {
    const pid_t child = test::start_ppgnn(kept);
    wait_for("state", bytes);
    EXPECT_EQ(test::finish_ppgnn(child, SIGKILL), -SIGKILL);
    EXPECT_FALSE(exists("model"));
  }
  ASSERT_EQ(test::finish_ppgnn(test::start_ppgnn(kept), 0), 0);
  EXPECT_TRUE(same("model", "whole"));
  EXPECT_TRUE(same("model.csv", "whole.csv"));
  // Resuming what is done changes nothing; asking for more epochs goes on as if they had been asked for at once.
  ASSERT_EQ(test::finish_ppgnn(test::start_ppgnn(kept), 0), 0);
  EXPECT_TRUE(same("model", "whole"));
  ASSERT_EQ(run_ppgnn(train("longer") + "--epochs 950").status, 0);
  ASSERT_EQ(run_ppgnn(train("model") + "--epochs 950 --checkpoint " + path("state") + " --resume").status, 0);
  EXPECT_TRUE(same("model", "longer"));
}

TEST_F(TrainCommand, CheckpointsOfSomethingElseAreRefused) {
  const std::string state = "--checkpoint " + path("state") + " ";
  const std::string kept = train("model") + state;
  ASSERT_EQ(run_ppgnn(kept + "--epochs 20").status, 0);
  std::filesystem::remove(folder_ / "model");
  const std::string before = test::content_of(folder_ / "state");
  expect_refused(kept + "--epochs 20", 2, path("state") + " exists: go on from it with --resume, or remove it");
  expect_refused(kept + "--resume --epochs 10", 3, "state: checkpoint has 20 epochs, more than the 10 asked for");
  expect_refused(kept + "--resume --epochs 20 --hops 2", 3,
                 "state: checkpoint is of hops 4, scale 0.03 0.1 0.3 1, not of hops 2, scale 0.03 0.1 0.3 1");
  expect_refused(kept + "--resume --epochs 20 --scale raw", 3, "not of hops 4, scale raw");
  for (const char* other : {"--lr .1", "--seed 2", "--hidden 8", "--dropout 0"}) {
    expect_refused(kept + "--resume --epochs 20 " + other, 3,
                   "state: checkpoint is of other labels, another split, other training options");
  }
  expect_refused(kept + "--resume --epochs 20 --backbone sage", 3, "state: checkpoint is of backbone gcn, not of sage");
  const std::string reports = test::content_of(folder_ / "reports");
  write("reports", reports.substr(0, reports.rfind("299,")));
  expect_refused(kept + "--resume --epochs 20", 3, "state: checkpoint is of other reports");
  expect_refused("train --allow-seeded --data synthetic:social,nodes=300,seed=9 --plan " + path("plan") +
                     " --reports " + path("reports") + " --model " + path("model") + " --resume " + state,
                 3, "state: checkpoint is of another graph");
  write("reports", reports);
  EXPECT_EQ(test::content_of(folder_ / "state"), before);
  write("state", before.substr(0, before.size() / 2));
  expect_refused(kept + "--resume --epochs 20", 3, path("state") + ": PPGNNSCL file: wrong length");
  write("state", "something else");
  expect_refused(kept + "--resume --epochs 20", 3, path("state") + ": not a PPGNNSCL file: its first bytes are others");
  EXPECT_FALSE(exists("model"));
  expect_refused(train("model") + "--resume", 2, "--checkpoint");
  expect_refused(train("model") + "--checkpoint " + path("plan") + "/state", 4, path("plan"));
  EXPECT_FALSE(exists("model"));
}

// A folder of named people in two circles of friends, one class each, without labels of its own.
class OwnFiles : public testing::Test {
 protected:
  const test::TemporaryFolder folder_;

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(path(name)) << text;
  }
  static std::string person(int i) { return "p" + std::to_string(i); }
  void make_data(const std::string& name, int people) const {
    std::string edges = "a,b\n";
    std::string features = "node,x,y,z\n";
    for (int i = 0; i < people; ++i) {
      for (const int step : {2, 4, 10}) edges += person(i) + ',' + person((i + step) % people) + '\n';
      features += person(i) + (i % 2 == 0 ? ",1,0," : ",0,1,") + (i % 3 == 0 ? "1\n" : "0\n");
    }
    write(name + "/edges.csv", edges);
    write(name + "/features.csv", features);
  }
  // Everybody of the first 60 but every fourth; of those, half are said not to be known.
  static std::string labels() {
    std::string text = "node,class\n";
    for (int i = 0; i < 60; ++i) {
      if (i % 4 != 0) text += person(i) + (i % 2 == 0 ? ",red\n" : ",\"blue, or so\"\n");
      if (i % 8 == 0) text += person(i) + ",-1\n";
    }
    return text;
  }
  [[nodiscard]] std::string inputs(const std::string& data, const std::string& reports = "reports") const {
    return "--allow-seeded --data " + path(data) + " --plan " + path("plan") + " --reports " + path(reports) +
           " --model " + path("model") + " ";
  }
  void SetUp() override {
    make_data("circle", 60);
    write("schema", "name,count,kind,low,high,absent\nx,3,binary,0,1,0\n");
    ASSERT_EQ(run_ppgnn("plan --schema " + path("schema") + " --epsilon 4 --out " + path("plan")).status, 0);
    const CommandResult made = run_ppgnn("perturb --seed 1 --data " + path("circle") + " --plan " + path("plan") +
                                         " --out " + path("reports"));
    ASSERT_EQ(made.status, 0) << made.error;
    write("labels", labels());
  }
};

TEST_F(OwnFiles, LabelsOfTheirOwnAndPeopleWhoCameLater) {
  const CommandResult trained =
      run_ppgnn("train --json --epochs 60 --hops 1 " + inputs("circle") + "--labels " + path("labels"));
  ASSERT_EQ(trained.status, 0) << trained.error;
  EXPECT_EQ(json::parse(trained.out)["people"], 60);
  // 45 labelled: 22 to learn from, 11 to choose by, 12 held out.
  const CommandResult predicted = run_ppgnn("predict " + inputs("circle"));
  ASSERT_EQ(predicted.status, 0) << predicted.error;
  EXPECT_EQ(std::count(predicted.out.begin(), predicted.out.end(), '\n'), 61);
  EXPECT_NE(predicted.out.find(",red,"), std::string::npos);
  EXPECT_NE(predicted.out.find(",\"blue, or so\","), std::string::npos);

  // Ten more people and their friendships, two of them without a report, under the same plan.
  make_data("larger", 70);
  ASSERT_EQ(
      run_ppgnn("perturb --seed 2 --data " + path("larger") + " --plan " + path("plan") + " --out " + path("later"))
          .status,
      0);
  const std::string later = test::content_of(folder_ / "later");
  write("later", later.substr(0, later.find("p68,")));
  const json all = json::parse(run_ppgnn("predict --json " + inputs("larger", "later")).out);
  ASSERT_EQ(all["predictions"].size(), 70u);
  int right = 0;
  for (int i = 0; i < 70; ++i) {
    const json& one = all["predictions"][static_cast<std::size_t>(i)];
    EXPECT_EQ(one["node"], person(i));
    right += one["class"] == (i % 2 == 0 ? "red" : "blue, or so") ? 1 : 0;
  }
  EXPECT_GT(right, 45);  // by chance 35

  // Data that names its classes: fewer than the model's will do, others will not.
  write("circle/labels.csv", [] {
    std::string everybody = "node,class\n";
    for (int i = 0; i < 60; ++i) everybody += person(i) + ",red\n";
    return everybody;
  }());
  EXPECT_EQ(run_ppgnn("predict " + inputs("circle")).out, predicted.out);
  std::string text = test::content_of(folder_ / "circle/labels.csv");
  write("circle/labels.csv", text.replace(text.find("red"), 3, "green"));
  const CommandResult other = run_ppgnn("predict " + inputs("circle"));
  EXPECT_EQ(other.status, 3);
  EXPECT_EQ(other.out, "");
  EXPECT_EQ(other.error, "ppgnn: " + path("model") + ": the data has a class 'green', the model has none\n");
}

TEST_F(OwnFiles, BadLabelsAreRefusedByFileAndLine) {
  const auto refused = [&](const std::string& text, int status, const std::string& message) {
    write("bad", text);
    const CommandResult result = run_ppgnn("train --epochs 5 " + inputs("circle") + "--labels " + path("bad"));
    EXPECT_EQ(result.status, status) << text;
    EXPECT_EQ(result.error, "ppgnn: " + message + "\n");
    EXPECT_FALSE(std::filesystem::exists(folder_ / "model"));
  };
  refused("node,class\np1,red\nnobody,red\n", 3, path("bad") + ":3: node 'nobody' is not in the graph");
  refused("node,class\np1,red\np1,red\n", 3, path("bad") + ":3: node 'p1' occurs twice");
  refused("p1,red\n", 3, path("bad") + ":1: expected the header node,class");
  refused("node,class\np1\n", 3, path("bad") + ":2: expected node,class");
  refused("", 3, path("bad") + ":1: expected the header node,class");
  refused("node,class\np1,-1\n", 3, path("bad") + ": no node has a class");
  refused("node,class\np1,red\np2,red\n", 2, "data: there must be at least two classes, but there are 1");
  refused("node,class\np1,red\np2,blue\n", 2, "split: the validation part is empty");
  std::string everybody = "node,class\n";
  for (int i = 0; i < 60; ++i) everybody += person(i) + (i % 2 == 0 ? ",red\n" : ",blue\n");
  write("circle/labels.csv", everybody);
  refused("node,class\np1,red\np2,green\n", 3, path("bad") + ":3: class 'green' is not one of the data's");
  refused("node,class\np1,\np2,-1\n", 3, path("bad") + ": no node has a class");
  refused("node,class\np1,red\np2,red\np3,red\np4,red\np5,red\np6,red\n", 2,
          "split: the training part has one class only");
  // The data's own labels, and no model after a split that leaves nothing to learn from.
  const auto split = [&](const std::string& text, int status, const std::string& message) {
    write("split", text);
    const CommandResult result = run_ppgnn("train --epochs 5 " + inputs("circle") + "--split " + path("split"));
    EXPECT_EQ(result.status, status) << text;
    EXPECT_EQ(result.error, "ppgnn: " + message + "\n");
    EXPECT_FALSE(std::filesystem::exists(folder_ / "model"));
  };
  split("node,part\np1,validation\np2,test\n", 2, "split: the training part is empty");
  split("node,part\np1,train\n", 2, "split: the validation part is empty");
  split("node,part\np1,train\nnobody,test\n", 3, path("split") + ":3: 'nobody' is no node");
  split("node,part\np1,train\np1,test\n", 3, path("split") + ":3: the node occurs twice");
  split("node,part\np1,learn\n", 3, path("split") + ":2: the part is not train, validation or test");
  // Held-out people are not needed.
  write("split", "node,part\np1,train\np2,train\np3,validation\n");
  const CommandResult enough = run_ppgnn("train --epochs 5 " + inputs("circle") + "--split " + path("split"));
  EXPECT_EQ(enough.status, 0) << enough.error;
}

}  // namespace
}  // namespace ppgnn
