#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "support/command_line.hpp"

namespace ppgnn {
namespace {

using nlohmann::json;
using test::CommandResult;

const std::string kData = "--data synthetic:social,nodes=300 ";

// Here `run` is of the methods that average reports, strict where none is named; campaigns are in teach_test.cpp.
CommandResult run_averages(const std::string& arguments, const std::string& directory = ".") {
  const bool averages = arguments.rfind("run ", 0) == 0 && arguments.find("--method") == std::string::npos;
  return test::run_ppgnn(averages ? "run --method strict " + arguments.substr(4) : arguments, directory);
}

json run_json(const std::string& arguments) {
  const CommandResult result = run_averages("run --json " + kData + arguments);
  EXPECT_EQ(result.status, 0) << result.error;
  return json::parse(result.out);
}

TEST(RunCommand, PrintsControlAndNonPrivateBesideEveryAccuracy) {
  const CommandResult result = run_averages("run " + kData + "--runs 3 --epochs 20");
  EXPECT_EQ(result.status, 0) << result.error;
  EXPECT_EQ(result.error, "");
  for (const char* words : {"graph alone (control)", "without privacy", "Privacy spent", "95% interval",
                            "The private features", "relative error"}) {
    EXPECT_NE(result.out.find(words), std::string::npos) << words;
  }
}

TEST(RunCommand, JsonHasEveryKeyAndIsReproducible) {
  json first = run_json("--runs 2 --epochs 20 --seed 0");
  json second = run_json("--runs 2 --epochs 20 --seed 0");
  for (const char* key :
       {"data", "method", "backbone", "hops", "runs", "privacy", "accuracy", "control", "nonprivate", "by_level",
        "fidelity", "seconds", "cpu_seconds_per_epoch", "peak_rss_bytes", "order", "seed", "version"}) {
    EXPECT_TRUE(first.contains(key)) << key;
  }
  for (const char* key : {"budgets", "mean", "max", "level", "holds"})
    EXPECT_TRUE(first["privacy"].contains(key)) << key;
  for (const char* series : {"accuracy", "control", "nonprivate"}) {
    for (const char* key : {"mean", "low", "high", "values", "log_loss"})
      EXPECT_TRUE(first[series].contains(key)) << key;
    EXPECT_LE(first[series]["mean"], 1.0);
  }
  for (const char* key : {"seconds", "cpu_seconds_per_epoch", "peak_rss_bytes"}) {
    first.erase(key);
    second.erase(key);
  }
  EXPECT_EQ(first, second);
}

TEST(RunCommand, NoReferenceLeavesThemOut) {
  const json report = run_json("--runs 1 --epochs 5 --no-reference --method lpgnn");
  EXPECT_TRUE(report["control"].is_null());
  EXPECT_EQ(report["mechanism"], "mb");
}

TEST(RunCommand, BadInputIsRefused) {
  const auto expect_refused = [](const std::string& arguments, int status, const std::string& message) {
    const CommandResult result = run_averages("run " + arguments);
    EXPECT_EQ(result.status, status) << arguments;
    EXPECT_EQ(result.out, "") << arguments;
    EXPECT_NE(result.error.find(message), std::string::npos) << arguments << ": " << result.error;
  };
  expect_refused(kData + "--hops -1", 2, "hops: must be a whole number from 0 to 1000, but is -1");
  expect_refused(kData + "--scale 0", 2, "scale: must be raw, common, or a number above 0 and at most 1e+06, but is 0");
  expect_refused(kData + "--epsilon 0", 2, "epsilon");
  expect_refused(kData + "--runs 0", 2, "runs");
  expect_refused(kData + "--dropout 1", 2, "dropout");
  expect_refused(kData + "--levels /nonexistent/file", 4, "/nonexistent/file");
  expect_refused("--data no-such-data", 2, "no-such-data");
  for (const char* option : {"--runs", "--epochs", "--hidden", "--seed", "--split-seed", "--noise-seed", "--threads"}) {
    expect_refused(kData + option + " -1", 2, std::string(option) + ": must be a whole number from 0, but is -1");
  }
  // These wrapped round, and crashed.
  for (const char* hidden : {"18446744073709551612", "9223372036854775808", "4611686018427387904", "4100"}) {
    expect_refused(kData + "--hidden " + hidden, 2, "--hidden: must be at most 4096, but is " + std::string(hidden));
  }
  expect_refused(kData + "--hidden 0", 2, "hidden: must be a whole number from 4 to 4096, but is 0");
  expect_refused(kData + "--threads 18446744073709551615", 2, "--threads: must be at most 1024");
  expect_refused(kData + "--runs 18446744073709551615", 2, "--runs: must be at most 10000");
  expect_refused(kData + "--lr nan", 2, "learning_rate: must be a number from 0, but is nan");
  expect_refused("--data synthetic:social,nodes=3", 2, "data: too few labelled nodes for a split in three");
  expect_refused("--data synthetic:social,nodes=300,classes=1", 2, "at least two classes");
}

// run and perturb take the same file of levels and refuse the same.
TEST(FileCommands, BadLevelsAreRefusedByFileAndLine) {
  const test::TemporaryFolder folder;
  const std::string plan = (folder / "plan").string();
  const std::string levels = (folder / "levels").string();
  ASSERT_EQ(run_averages("plan " + kData + "--out " + plan).status, 0);
  const auto refused = [&](const std::string& text, const std::string& message) {
    std::ofstream(levels) << text;
    for (const std::string& command :
         {"run " + kData + "--runs 1 --epochs 2 --levels " + levels,
          "perturb " + kData + "--plan " + plan + " --levels " + levels + " --out " + (folder / "reports").string()}) {
      const CommandResult result = run_averages(command);
      EXPECT_EQ(result.status, 3) << message;
      EXPECT_EQ(result.out, "");
      EXPECT_EQ(result.error, "ppgnn: " + levels + message + "\n");
      EXPECT_FALSE(std::filesystem::exists(folder / "reports"));
    }
  };
  std::string good = "node,level\n";
  for (int i = 0; i < 300; ++i) good += std::to_string(i) + ",1\n";
  const auto with_fifth = [&](const std::string& line) {
    std::string text = good;
    return text.replace(text.find("\n5,1\n"), 4, "\n" + line);
  };
  refused(good.substr(0, good.find("299,")), ": no level for node '299'");
  refused(with_fifth("5,0"), ":7: level: must be between 1 and 5");
  refused(with_fifth("5,6"), ":7: level: must be between 1 and 5");
  refused(with_fifth("5,x"), ":7: level: must be between 1 and 5");
  refused(with_fifth("5"), ":7: expected node,level");
  refused(good + "5,1\n", ":302: node '5' occurs twice");
  refused(good + "nobody,1\n", ":302: node 'nobody' is not in the graph");
  refused("", ":1: expected the header node,level");
}

// Nothing appears under a name unless it is whole, and what cannot be written is said before the work where it is long.
TEST(FileCommands, OutputsThatCannotBeWritten) {
  const test::TemporaryFolder folder;
  const auto path = [&](const std::string& name) { return (folder / name).string(); };
  const std::string plan = "plan " + kData + "--out ";
  ASSERT_EQ(run_averages(plan + path("plan")).status, 0);
  const std::string perturb = "perturb " + kData + "--seed 1 --plan " + path("plan") + " --out ";
  ASSERT_EQ(run_averages(perturb + path("reports")).status, 0);
  const std::string inputs = kData + "--allow-seeded --plan " + path("plan") + " --reports " + path("reports") + " ";
  const std::string train = "train --epochs 2 " + inputs + "--model ";
  ASSERT_EQ(run_averages(train + path("model")).status, 0);
  const std::string predict = "predict " + inputs + "--model " + path("model") + " --out ";
  const auto files = [&] {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "")) names.insert(entry.path().filename());
    return names;
  };
  std::filesystem::create_directory(folder / "folder");
  const std::set<std::string> before = files();
  // A disk with 4 KB left.
  const std::string full = ". && trap '' XFSZ && ulimit -f 8";
  for (const std::string& command :
       {plan, perturb, train, predict, train + path("m2") + " --history ", train + path("m2") + " --checkpoint "}) {
    for (const std::string& output : {path("plan") + "/below", path("folder")}) {
      const CommandResult result = run_averages(command + output);
      EXPECT_EQ(result.status, 4) << command;
      EXPECT_NE(result.error.find(output.substr(0, output.find("/below"))), std::string::npos) << result.error;
      EXPECT_EQ(result.out, "") << command;
    }
  }
  for (const std::string& command : {perturb, train, predict}) {
    const CommandResult result = test::run_ppgnn(command + path("long"), full);
    EXPECT_EQ(result.status, 4) << command << result.error;
    EXPECT_NE(result.error.find(path("long")), std::string::npos) << result.error;
  }
  EXPECT_EQ(files(), before);
  // A checkpoint that cannot grow ends the training; what it was before is whole, and serves when there is room again.
  const std::string keep = train + path("m2") + " --resume --checkpoint " + path("state");
  EXPECT_EQ(run_averages(keep, full).status, 4);
  EXPECT_FALSE(std::filesystem::exists(folder / "m2"));
  EXPECT_EQ(run_averages(keep).status, 0);
  const CommandResult lost =
      run_averages("predict " + inputs + "--model " + path("model") + " >/dev/full 2>" + path("error") + " #");
  EXPECT_EQ(lost.status, 4);
  EXPECT_EQ(test::content_of(folder / "error"), "ppgnn: cannot write the output: No space left on device\n");
}

TEST(FileCommands, WhatDoesNotBelongTogetherIsRefused) {
  const test::TemporaryFolder folder;
  const auto path = [&](const std::string& name) { return (folder / name).string(); };
  ASSERT_EQ(run_averages("plan " + kData + "--out " + path("plan")).status, 0);
  ASSERT_EQ(run_averages("plan " + kData + "--epsilon 2 --out " + path("other")).status, 0);
  ASSERT_EQ(run_averages("perturb " + kData + "--seed 1 --plan " + path("plan") + " --out " + path("reports")).status,
            0);
  const std::string inputs =
      "--allow-seeded --plan " + path("plan") + " --reports " + path("reports") + " --model " + path("model");
  ASSERT_EQ(run_averages("train --epochs 2 " + kData + inputs).status, 0);
  std::ofstream(path("cut")) << test::content_of(folder / "model").substr(0, 1000);
  const auto refused = [&](const std::string& arguments, int status, const std::string& message) {
    const CommandResult result = run_averages(arguments + " --out " + path("out"));
    EXPECT_EQ(result.status, status) << arguments;
    EXPECT_EQ(result.error, "ppgnn: " + message + "\n");
    EXPECT_EQ(result.out, "");
    EXPECT_FALSE(std::filesystem::exists(folder / "out"));
  };
  const std::string fewer = "--data synthetic:social,nodes=200 ";
  refused("perturb --data synthetic:social,nodes=300,attributes=20 --plan " + path("plan"), 3,
          path("plan") + ": the plan has 256 columns, the data 20");
  refused("perturb " + kData + "--plan " + path("reports"), 3,
          path("reports") + ": plan: line 1: expected 'ppgnn-plan 1'");
  refused("perturb " + kData + "--plan " + path("none"), 4,
          "cannot open " + path("none") + ": No such file or directory");
  refused("predict " + fewer + inputs, 3, path("reports") + ":202: node '200' is not in the graph");
  refused("predict --data synthetic:social,nodes=300,classes=5 " + inputs, 3,
          path("model") + ": the data has a class '4', the model has none");
  const std::string plan_and_reports = kData + "--plan " + path("plan") + " --reports " + path("reports") + " --model ";
  refused("predict " + plan_and_reports + path("cut"), 3, path("cut") + ": PPGNNMDL file: wrong length");
  refused("predict " + plan_and_reports + path("plan"), 3,
          path("plan") + ": not a PPGNNMDL file: its first bytes are others");
  refused("predict " + plan_and_reports + path("none"), 4,
          "cannot open " + path("none") + ": No such file or directory");
  refused(
      "predict " + kData + "--plan " + path("other") + " --reports " + path("reports") + " --model " + path("model"), 3,
      path("other") + ": the model was trained with reports of another plan");
}

// What went without saying is in the settings too; the paper's scale is its own.
TEST(RunCommand, DefaultsAreSaid) {
  const json paper = run_json("--runs 1 --epochs 2 --no-reference --method paper");
  EXPECT_EQ(paper["settings"]["gamma"], .5);
  EXPECT_EQ(paper["settings"]["scale"], "raw");
  EXPECT_EQ(paper["settings"]["hops"], 4);
  EXPECT_EQ(paper["settings"]["level_budget"], nullptr);
  const json strict = run_json("--runs 1 --epochs 2 --no-reference --epsilon 2");
  EXPECT_EQ(strict["settings"]["gamma"], 0);
  EXPECT_EQ(strict["settings"]["scale"], "common");
  EXPECT_EQ(strict["settings"]["level_budget"], 2);
  EXPECT_EQ(strict["settings"]["budgets"], json({2, 4, 8, 16, 32}));
  EXPECT_EQ(strict["settings"]["response"], nullptr);
}

TEST(RunCommand, FormerNamesAreReadWithANote) {
  const std::string rest = kData + "--runs 1 --epochs 2 --no-reference --json --method ";
  const CommandResult former = test::run_ppgnn("run " + rest + "ppgnn");
  EXPECT_EQ(former.status, 0);
  EXPECT_EQ(former.error, "ppgnn: note: --method ppgnn is called strict now\n");
  EXPECT_EQ(json::parse(former.out)["method"], "strict");
  EXPECT_EQ(test::run_ppgnn("run " + rest + "strict").error, "");
}

TEST(RunCommand, SaysThatLabelsAndGraphAreNotProtected) {
  for (const char* option : {"--label-privacy", "--label-privacy 1", "--graph-privacy", "--graph-privacy=2"}) {
    const CommandResult result = test::run_ppgnn("run " + kData + option);
    EXPECT_EQ(result.status, 2) << option;
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.error.find("this version protects features and levels, neither labels nor the graph"),
              std::string::npos)
        << result.error;
  }
}

TEST(RunCommand, RefusesWhatHasNoMeaning) {
  const std::string run = "run " + kData + "--runs 1 --epochs 2 ";
  for (const auto& [options, message] :
       {std::pair("--method nonpriv --epsilon 2", "--epsilon: has no effect with --method nonpriv; it is for base, "),
        std::pair("--method nonpriv --no-reference", "--no-reference: has no effect with --method nonpriv"),
        std::pair("--method lpgnn --level-public",
                  "--level-public: has no effect with --method lpgnn; it is for strict\n"),
        std::pair("--method base --gamma .5",
                  "--gamma: has no effect with --method base; it is for paper, ppm*, ppm-pm, strict and control\n"),
        std::pair("--method base --hops 7", "--hops: has no effect with --method base; it is for lpgnn, "),
        std::pair("--method magic", "there is no method magic"),
        std::pair("--budgets 1,,2", "budgets: must be numbers with commas between them, but one is ''"),
        std::pair("--budgets ''", "budgets: must be numbers"), std::pair("--budgets 1,2x", "but one is '2x'"),
        std::pair("--lr -1", "learning_rate: must be a number from 0, but is -1")}) {
    const CommandResult result = run_averages(run + options);
    EXPECT_EQ(result.status, 2) << options;
    EXPECT_NE(result.error.find(message), std::string::npos) << result.error;
  }
  const CommandResult unknown = run_averages("foo");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_EQ(unknown.error, "ppgnn: there is no command foo (see ppgnn --help)\n");
}

TEST(RunCommand, SaysWhatWasRun) {
  const std::string run = "run " + kData + "--runs 1 --epochs 2 --no-reference --json ";
  const json clean = run_json("--runs 1 --epochs 2 --method nonpriv --lr .02");
  EXPECT_EQ(clean["hops"], 0);
  EXPECT_EQ(clean["settings"]["learning_rate"], .02);
  EXPECT_EQ(clean["settings"]["epochs"], 2);
  EXPECT_EQ(clean["settings"]["gamma"], nullptr);
  EXPECT_EQ(clean["settings"]["hops"], nullptr);
  EXPECT_EQ(clean["settings"]["budgets"], nullptr);
  EXPECT_EQ(json::parse(run_averages(run + "--hops 7 --gamma .25").out)["settings"]["gamma"], .25);
  const json laplace = json::parse(run_averages(run + "--method lp").out);
  EXPECT_EQ(laplace["privacy"]["holds"], false);
  EXPECT_NE(laplace["privacy"]["why"].get<std::string>().find("floating point"), std::string::npos);
  const json control = json::parse(run_averages(run + "--method control").out);
  EXPECT_EQ(control["privacy"]["max"], 0);
  EXPECT_EQ(control["privacy"]["level"], "nobody's features are in the reports");
}

// plan, perturb, train and predict on files give the bits of run.
TEST(FileCommands, GiveTheSameBitsAsRun) {
  const test::TemporaryFolder folder;
  const std::string plan = (folder / "plan.txt").string();
  const std::string reports = (folder / "reports.csv").string();
  const std::string model = (folder / "model.bin").string();
  const std::string options = "--epochs 20 --hops 3 --seed 5 ";
  ASSERT_EQ(run_averages("plan " + kData + "--epsilon 1 --out " + plan).status, 0);
  for (const std::string run : {"0", "1"}) {
    ASSERT_EQ(
        run_averages("perturb " + kData + "--plan " + plan + " --force --seed 5 --run " + run + " --out " + reports)
            .status,
        0);
    const CommandResult trained =
        run_averages("train --json --allow-seeded " + kData + options + "--run " + run + " --plan " + plan +
                     " --reports " + reports + " --model " + model + " --history " + (folder / "h.csv").string());
    ASSERT_EQ(trained.status, 0) << trained.error;
    const json whole = run_json(options + "--runs 2 --epsilon 1 --no-reference");
    const json stepwise = json::parse(trained.out);
    EXPECT_EQ(stepwise["test"]["accuracy"], whole["accuracy"]["values"][std::stoul(run)]);
    EXPECT_EQ(stepwise["scale"], whole["accuracy"]["scale"][std::stoul(run)]);
  }
  // Predictions: one line a node; as JSON too.
  const std::string inputs = kData + "--allow-seeded --plan " + plan + " --reports " + reports + " --model " + model;
  const CommandResult predicted = run_averages("predict " + inputs);
  ASSERT_EQ(predicted.status, 0) << predicted.error;
  EXPECT_EQ(std::count(predicted.out.begin(), predicted.out.end(), '\n'), 301);
  const json predictions = json::parse(run_averages("predict --json " + inputs).out);
  EXPECT_EQ(predictions["predictions"].size(), 300u);
  for (const json& one : predictions["predictions"]) EXPECT_GT(one["probability"].get<double>(), .24);
}

// OS randomness unless a seed is asked for: two files differ.
TEST(FileCommands, PerturbUsesOsRandomnessByDefault) {
  const test::TemporaryFolder folder;
  const std::string plan = (folder / "plan.txt").string();
  ASSERT_EQ(run_averages("plan " + kData + "--out " + plan).status, 0);
  const std::string perturb = "perturb " + kData + "--plan " + plan + " --levels strict --out ";
  ASSERT_EQ(run_averages(perturb + (folder / "a").string()).status, 0);
  ASSERT_EQ(run_averages(perturb + (folder / "b").string()).status, 0);
  EXPECT_NE(test::content_of(folder / "a"), test::content_of(folder / "b"));
}

// Whoever has the seed takes the noise off, so such reports do not slip into a real training.
TEST(FileCommands, SeededReportsAreRefusedUnlessAllowed) {
  const test::TemporaryFolder folder;
  const auto path = [&](const std::string& name) { return (folder / name).string(); };
  ASSERT_EQ(run_averages("plan " + kData + "--out " + path("plan")).status, 0);
  const std::string perturb = "perturb " + kData + "--plan " + path("plan") + " --out ";
  ASSERT_EQ(run_averages(perturb + path("real")).status, 0);
  ASSERT_EQ(run_averages(perturb + path("seeded") + " --seed 1").status, 0);
  const auto with = [&](const std::string& command, const std::string& reports) {
    return command + kData + "--plan " + path("plan") + " --model " + path("model") + " --reports " + path(reports);
  };
  const std::string message = path("seeded") + ":2: made from a seed, for research: it protects nobody (--allow-seeded";
  const CommandResult train = run_averages(with("train --epochs 2 ", "seeded"));
  EXPECT_EQ(train.status, 3);
  EXPECT_NE(train.error.find(message), std::string::npos) << train.error;
  EXPECT_FALSE(std::filesystem::exists(folder / "model"));
  ASSERT_EQ(run_averages(with("train --epochs 2 ", "real")).status, 0);
  const CommandResult predict = run_averages(with("predict ", "seeded"));
  EXPECT_EQ(predict.status, 3);
  EXPECT_NE(predict.error.find(message), std::string::npos) << predict.error;
  EXPECT_EQ(run_averages(with("predict --allow-seeded ", "seeded")).status, 0);
  EXPECT_EQ(run_averages(with("predict --round 0 ", "real")).status, 0);
  EXPECT_EQ(run_averages(with("predict --round 1 ", "real")).error,
            "ppgnn: " + path("real") + ": there is no report of round 1\n");
}

// Teaching reports come from the same commands; what they teach is not for train.
TEST(FileCommands, TeachingReportsAreMadeAndNotTakenForFeatures) {
  const test::TemporaryFolder folder;
  const auto path = [&](const std::string& name) { return (folder / name).string(); };
  for (const std::string kind : {"buckets", "directions"}) {
    const CommandResult plan =
        run_averages("plan " + kData + "--kind " + kind + " --campaign spring --json --out " + path(kind));
    ASSERT_EQ(plan.status, 0) << plan.error;
    const double kept = json::parse(plan.out)["information"];
    EXPECT_GT(kept, 0);
    EXPECT_LT(kept, 1) << "the secrecy of levels costs something";
    const CommandResult sent =
        run_averages("perturb " + kData + "--plan " + path(kind) + " --out " + path(kind + ".csv"));
    ASSERT_EQ(sent.status, 0) << sent.error;
    const CommandResult train = run_averages("train " + kData + "--epochs 2 --plan " + path(kind) + " --reports " +
                                             path(kind + ".csv") + " --model " + path("model"));
    EXPECT_EQ(train.status, 3);
    EXPECT_EQ(train.error,
              "ppgnn: reports: those of kind " + kind + " are not features and cannot be averaged over a graph\n");
  }
  const CommandResult unnamed = run_averages("plan " + kData + "--kind buckets --out " + path("p"));
  EXPECT_EQ(unnamed.status, 2);
  EXPECT_EQ(unnamed.error, "ppgnn: --kind buckets: needs --campaign\n");
}

TEST(FileCommands, RefuseBadFilesByNameAndLineAndWriteNothing) {
  const test::TemporaryFolder folder;
  const auto path = [&](const std::string& name) { return (folder / name).string(); };
  ASSERT_EQ(run_averages("plan " + kData + "--out " + path("plan")).status, 0);
  ASSERT_EQ(run_averages("plan " + kData + "--epsilon 2 --out " + path("other")).status, 0);
  ASSERT_EQ(run_averages("perturb " + kData + "--plan " + path("plan") + " --seed 1 --out " + path("reports")).status,
            0);
  const auto train = [&](const std::string& plan, const std::string& reports) {
    return run_averages("train " + kData + "--epochs 2 --allow-seeded --plan " + path(plan) + " --reports " +
                        path(reports) + " --model " + path("model"));
  };
  const std::string text = test::content_of(folder / "reports");
  const auto with = [&](const std::string& changed, const std::string& message) {
    std::ofstream(path("bad")) << changed;
    const CommandResult result = train("plan", "bad");
    EXPECT_EQ(result.status, 3) << message;
    EXPECT_NE(result.error.find(message), std::string::npos) << result.error;
    EXPECT_FALSE(std::filesystem::exists(folder / "model"));
  };
  const std::size_t line = text.find('\n', text.find('\n') + 1) + 1;  // third line: node 1
  with(text + text.substr(line, text.find('\n', line) - line + 1), "'1' occurs twice");
  with(text + "nobody,00\n", path("bad") + ":302: node 'nobody' is not in the graph");
  with("node,report\n0,zz\n", path("bad") + ":2: report: not hexadecimal");
  with("node,report\n0,a4\n", path("bad") + ":2: report: ");
  with("person,report\n", path("bad") + ":1: expected the header node,report");
  const CommandResult foreign = train("other", "reports");
  EXPECT_EQ(foreign.status, 3);
  EXPECT_NE(foreign.error.find("another plan's"), std::string::npos) << foreign.error;
  EXPECT_EQ(train("plan", "none").status, 4);
  // People without reports are allowed.
  std::ofstream(path("few")) << text.substr(0, line);
  EXPECT_EQ(train("plan", "few").status, 0);
  EXPECT_TRUE(std::filesystem::exists(folder / "model"));
  // Unwritable.
  EXPECT_EQ(run_averages("plan " + kData + "--out /proc/none/plan").status, 4);
}

TEST(FileCommands, SchemaFile) {
  const test::TemporaryFolder folder;
  const std::string schema = (folder / "schema.csv").string();
  std::ofstream(schema) << "name,count,kind,low,high,absent\nword,20,binary,0,1,0\nage,1,number,0,120,40\n";
  const std::string plan = (folder / "plan.txt").string();
  ASSERT_EQ(run_averages("plan --schema " + schema + " --budgets 1,3 --out " + plan).status, 0);
  EXPECT_NE(test::content_of(folder / "plan.txt").find("columns 1 number from 0 to 120 absent 40 named age"),
            std::string::npos);
  std::ofstream(schema) << "name,count,kind,low,high,absent\nword,x,binary,0,1,0\n";
  const CommandResult bad = run_averages("plan --schema " + schema + " --out " + plan);
  EXPECT_EQ(bad.status, 3);
  EXPECT_NE(bad.error.find(schema + ":2: count"), std::string::npos) << bad.error;
  const auto refused = [&](const std::string& text, const std::string& message) {
    std::ofstream(schema) << text;
    const CommandResult result = run_averages("plan --schema " + schema + " --out " + plan + "2");
    EXPECT_EQ(result.status, 3);
    EXPECT_EQ(result.error, "ppgnn: " + schema + message + "\n");
    EXPECT_FALSE(std::filesystem::exists(plan + "2"));
  };
  const std::string header = "name,count,kind,low,high,absent\n";
  refused("", ":1: expected the header name,count,kind,low,high,absent and at least one group");
  refused(header, ":1: expected the header name,count,kind,low,high,absent and at least one group");
  refused(header + "a,1,text,0,1,0\n", ":2: kind: must be binary or number");
  refused(header + "a,1,number,1,0,0\n", ":2: range: must be finite with low < high, but is 1 to 0");
}

}  // namespace
}  // namespace ppgnn
