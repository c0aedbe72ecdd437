#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>

#include "support/command_line.hpp"

namespace ppgnn {
namespace {

using nlohmann::json;
using test::CommandResult;
using test::run_ppgnn;

constexpr const char* kStudy = R"(
id = "tiny"
runs = 4
[factors]
data = ["synthetic:social,nodes=400"]
epsilon = [0.1, 1]
method = ["strict", "lpgnn", "control", "nonpriv"]
epochs = [60]
[select]
epsilon = [1]
[select.grid]
scale = [0.1, 1]
[quick]
runs = 1
[[table]]
rows = ["method"]
columns = ["epsilon"]
[[figure]]
x = "epsilon"
lines = "method"
)";

std::string quoted(const std::filesystem::path& path) {
  return "'" + path.string() + "'";
}

// Records by key and run, without times; no record may occur twice.
std::map<std::string, json> records_in(const std::filesystem::path& file) {
  std::map<std::string, json> all;
  const std::string text = test::content_of(file);
  std::istringstream lines(text.substr(0, text.rfind('\n') + 1));  // a killed process may leave half a line
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(' ') == std::string::npos) continue;  // was set aside
    json record = json::parse(line);
    record.erase("seconds");
    const std::string name = record["key"].get<std::string>() + ' ' + std::to_string(record["run"].get<int>());
    EXPECT_FALSE(all.contains(name)) << name << " twice";
    all[name] = record;
  }
  return all;
}

// Starts the study as a process of its own and sends it a signal once so many records are there. Returns its status, or minus
// the signal that ended it.
int interrupt(const std::filesystem::path& folder, const std::string& out, int signal, std::ptrdiff_t records) {
  const pid_t child = test::start_ppgnn("study run " + quoted(folder / "tiny.toml") + " --json --out " +
                                        quoted(folder / out) + " >" + quoted(folder / "said") + " 2>/dev/null");
  for (int i = 0; i < 60000; ++i) {
    const std::filesystem::path file = folder / out / "results.jsonl";
    const std::string text = std::filesystem::exists(file) ? test::content_of(file) : std::string();
    if (std::count(text.begin(), text.end(), '\n') >= records) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return test::finish_ppgnn(child, signal);
}

TEST(StudyCommand, KilledAtAnyMomentItContinuesWithoutRepeatingOrLosingARun) {
  const test::TemporaryFolder folder;
  test::write_content(folder / "tiny.toml", kStudy);
  const CommandResult whole =
      run_ppgnn("study run " + quoted(folder / "tiny.toml") + " --json --out " + quoted(folder / "whole"));
  ASSERT_EQ(whole.status, 0) << whole.error;
  const auto expected = records_in(folder / "whole" / "results.jsonl");
  const json first = json::parse(whole.out);
  EXPECT_EQ(first["runs_made"], expected.size());
  EXPECT_FALSE(first["stopped"]);

  std::size_t seen = 0;
  for (const std::ptrdiff_t records : {0, 1, 5, 6, 12}) {
    EXPECT_EQ(interrupt(folder.path(), "killed", SIGKILL, records), -SIGKILL);
    const auto now = records_in(folder / "killed" / "results.jsonl");
    EXPECT_GE(now.size(), seen);
    seen = now.size();
  }
  EXPECT_GE(seen, 12u);
  EXPECT_LT(seen, expected.size());
  const CommandResult rest =
      run_ppgnn("study run " + quoted(folder / "tiny.toml") + " --json --out " + quoted(folder / "killed"));
  ASSERT_EQ(rest.status, 0) << rest.error;
  EXPECT_EQ(json::parse(rest.out)["runs_made"].get<std::size_t>() + seen, expected.size());
  EXPECT_EQ(records_in(folder / "killed" / "results.jsonl"), expected);
}

TEST(StudyCommand, ControlCStopsWithoutATrace) {
  const test::TemporaryFolder folder;
  std::string longer = kStudy;
  longer.replace(longer.find("[60]"), 4, "[3000]");
  test::write_content(folder / "tiny.toml", longer);
  EXPECT_EQ(interrupt(folder.path(), "out", SIGINT, 1), 6);
  const json said = json::parse(test::content_of(folder / "said"));
  EXPECT_TRUE(said["stopped"]);
  const auto records = records_in(folder / "out" / "results.jsonl");  // whole lines only
  EXPECT_EQ(said["runs_made"], records.size());
  EXPECT_LT(records.size(), 20u);
}

TEST(StudyCommand, ReportsAndComparesWhatWasRun) {
  const test::TemporaryFolder folder;
  test::write_content(folder / "tiny.toml", kStudy);
  const std::string out = " --out " + quoted(folder / "out");
  const CommandResult run = run_ppgnn("study run " + quoted(folder / "tiny.toml") + " --quick" + out);
  ASSERT_EQ(run.status, 0) << run.error;
  // A run that is done has written its report, and a table with a column per factor.
  EXPECT_NE(run.out.find("report.html"), std::string::npos) << run.out;
  const std::string runs = test::content_of(folder / "out" / "tables" / "runs.csv");
  EXPECT_TRUE(runs.starts_with("study,task,data,method,epsilon,")) << runs.substr(0, 200);
  EXPECT_TRUE(std::filesystem::remove(folder / "out" / "report.html"));
  const CommandResult report = run_ppgnn("study report --against mean --json" + out);
  ASSERT_EQ(report.status, 0) << report.error;
  EXPECT_EQ(json::parse(report.out)["runs"], json::parse(report.out)["runs_wanted"]);
  const std::string html = test::content_of(folder / "out" / "report.html");
  EXPECT_NE(html.find("This is a <b>quick</b> report"), std::string::npos);
  EXPECT_NE(html.find("--quick"), std::string::npos);
  // Quick is said everywhere.
  EXPECT_TRUE(json::parse(report.out)["quick"]);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "out")) {
    if (entry.path().extension() == ".csv" || entry.path().extension() == ".tex" ||
        entry.path().extension() == ".svg") {
      const std::string text = test::content_of(entry.path());
      EXPECT_TRUE(text.find("quick") != std::string::npos || text.find("Quick") != std::string::npos) << entry.path();
    }
  }
  const CommandResult compare = run_ppgnn("study compare --json" + out);
  EXPECT_EQ(compare.status, 0) << compare.error;
  EXPECT_TRUE(json::parse(compare.out).contains("claims"));
}

TEST(StudyCommand, DamagedLinesAreSetAsideAndRunAgain) {
  const test::TemporaryFolder folder;
  test::write_content(folder / "tiny.toml", kStudy);
  const std::string out = " --json --out " + quoted(folder / "out");
  const std::string study = "study run " + quoted(folder / "tiny.toml") + " --quick" + out;
  ASSERT_EQ(run_ppgnn(study).status, 0);
  const std::filesystem::path results = folder / "out" / "results.jsonl";
  const auto expected = records_in(results);
  std::string text = test::content_of(results);
  const std::size_t second = text.find('\n') + 1;
  text[second] = '#';
  test::write_content(results, text);
  const std::string line = text.substr(second, text.find('\n', second) + 1 - second);

  for (const char* command : {"study report", "study compare"}) {
    const CommandResult read = run_ppgnn(command + out);
    EXPECT_EQ(read.status, 0) << read.error;
    EXPECT_NE(read.error.find("1 lines of the results are damaged and left out"), std::string::npos) << read.error;
    EXPECT_EQ(test::content_of(results), text) << "a reader changes nothing";
  }
  const CommandResult again = run_ppgnn(study);
  ASSERT_EQ(again.status, 0) << again.error;
  EXPECT_NE(again.error.find("1 damaged line was set aside"), std::string::npos) << again.error;
  EXPECT_EQ(json::parse(again.out)["runs_made"], 1);
  EXPECT_EQ(test::content_of(folder / "out" / "results.damaged"), line);
  EXPECT_EQ(records_in(results), expected);
  EXPECT_EQ(run_ppgnn(study).error, "");
}

TEST(StudyCommand, ReportsOnRecordsThatLackMetrics) {
  const test::TemporaryFolder folder;
  test::write_content(folder / "tiny.toml", kStudy);
  const std::string out = " --json --out " + quoted(folder / "out");
  ASSERT_EQ(run_ppgnn("study run " + quoted(folder / "tiny.toml") + " --quick" + out).status, 0);
  const std::filesystem::path results = folder / "out" / "results.jsonl";
  std::vector<json> records;
  std::set<std::string> metrics{"all"};
  std::istringstream lines(test::content_of(results));
  for (std::string line; std::getline(lines, line);) {
    records.push_back(json::parse(line));
    for (const auto& metric : records.back()["metrics"].items()) metrics.insert(metric.key());
  }
  for (const std::string& metric : metrics) {
    std::string text;
    for (json record : records) {
      record["metrics"].erase(metric);
      if (metric == "all") record["metrics"] = json::object();
      text += record.dump() + '\n';
    }
    test::write_content(results, text);
    for (const char* command : {"study report --against mean", "study compare"}) {
      const CommandResult read = run_ppgnn(command + out);
      EXPECT_EQ(read.status, 0) << metric << '\n' << read.error;
    }
  }
}

TEST(StudyCommand, CompareSaysWhatIsMissingAndWhatChanged) {
  const test::TemporaryFolder folder;
  const std::string data = quoted(folder / "mine.ppgraph");
  const std::string out = " --out " + quoted(folder / "out");
  test::write_content(
      folder / "mine.toml",
      "id = \"mine\"\nruns = 3\n[factors]\nmethod = [\"strict\", \"nonpriv\"]\nepochs = 5\nhops = 1\n"
      "[[table]]\nrows = [\"method\"]\n"
      "[[claim]]\ntext = \"privacy costs\"\nbetter = { method = \"nonpriv\" }\nworse = { method = \"strict\" }\n");
  for (const char* seed : {"1", "2"}) {
    ASSERT_EQ(run_ppgnn(std::string("data convert synthetic:social,nodes=200,seed=") + seed + " " + data).status, 0);
    ASSERT_EQ(run_ppgnn("study run " + quoted(folder / "mine.toml") + " --data " + data + out).status, 0);
    const json said = json::parse(run_ppgnn("study compare --json" + out).out);
    EXPECT_EQ(said["runs"], 6);
    EXPECT_EQ(said["runs_wanted"], 6);
    ASSERT_EQ(said["claims"].size(), 1u);
    EXPECT_EQ(said["claims"][0]["comparisons"], 1);
    EXPECT_TRUE(said["claims"][0]["mean_p"].is_number());
    EXPECT_EQ(said["without_control"], 2);
    EXPECT_EQ(said["notes"].size(), seed[0] == '1' ? 0u : 1u) << said["notes"];
  }
  const std::string text = run_ppgnn("study compare" + out).out;
  EXPECT_NE(text.find("Note: 2 settings have no control beside them."), std::string::npos) << text;
  EXPECT_NE(text.find("saw different contents of it"), std::string::npos) << text;
}

TEST(StudyCommand, SharesAreMergedIntoTheWhole) {
  const test::TemporaryFolder folder;
  test::write_content(folder / "tiny.toml", kStudy);
  const std::string run = "study run " + quoted(folder / "tiny.toml") + " --quick --json --out ";
  ASSERT_EQ(run_ppgnn(run + quoted(folder / "whole")).status, 0);
  std::string parts;
  for (const char* share : {"1", "2", "3"}) {
    parts += ' ' + quoted(folder / share);
    const CommandResult made = run_ppgnn(run + quoted(folder / share) + " --share " + share + "/3");
    ASSERT_EQ(made.status, 0) << made.error;
  }
  const CommandResult merged = run_ppgnn("study merge" + parts + " --json --out " + quoted(folder / "all"));
  ASSERT_EQ(merged.status, 0) << merged.error;
  EXPECT_EQ(records_in(folder / "all" / "results.jsonl"), records_in(folder / "whole" / "results.jsonl"));
  EXPECT_EQ(json::parse(merged.out)["added"], records_in(folder / "all" / "results.jsonl").size());
  const CommandResult report = run_ppgnn("study report --json --out " + quoted(folder / "all"));
  ASSERT_EQ(report.status, 0) << report.error;
  EXPECT_EQ(json::parse(report.out)["runs"], json::parse(report.out)["runs_wanted"]);
}

TEST(StudyCommand, ListsTheStudiesOfThePaper) {
  const CommandResult list = run_ppgnn("study list --json");
  ASSERT_EQ(list.status, 0);
  EXPECT_EQ(json::parse(list.out)["studies"].size(), 16u);
  EXPECT_TRUE(json::parse(list.out)["methods"].contains("strict-public"));
  EXPECT_NE(run_ppgnn("study list").out.find("table2"), std::string::npos);
}

TEST(StudyCommand, BadInputIsRefused) {
  const test::TemporaryFolder folder;
  const auto expect_refused = [&](const std::string& arguments, int status, const std::string& message) {
    const CommandResult result = run_ppgnn("study " + arguments);
    EXPECT_EQ(result.status, status) << arguments << ": " << result.error;
    EXPECT_EQ(result.out, "") << arguments;
    EXPECT_NE(result.error.find(message), std::string::npos) << arguments << ": " << result.error;
  };
  const std::string out = " --out " + quoted(folder / "out");
  expect_refused("run nothing" + out, 2, "study: must be one of table2");
  expect_refused("run " + quoted(folder / "none.toml") + out, 4, "none.toml");
  expect_refused("run h --epsilon 0" + out, 2, "epsilon: must be a number between");
  expect_refused("run h --backbone mlp" + out, 2, "backbone: must be gcn, sage or gat, but is mlp");
  expect_refused("run h --data nowhere" + out, 2, "nowhere");
  expect_refused("run h --scale huge" + out, 2, "scale");
  expect_refused("run h --jobs -1" + out, 2, "--jobs");
  expect_refused("run h --share 4/3" + out, 2, "share: must be K/N");
  expect_refused("merge " + quoted(folder / "none") + out, 4, "none");
  expect_refused("report" + out + "-none", 4, "there are no results");
  EXPECT_EQ(run_ppgnn("study run h --quick --data synthetic:social,nodes=200 --epsilon 1 --runs 1" + out).status, 0);
  expect_refused("report table2" + out, 2, "table2 was not run here");
  test::write_content(folder / "bad.toml", "id = \"x\"\n[factors]\ncolour = 1\n");
  expect_refused("run " + quoted(folder / "bad.toml") + out, 3, "bad.toml:3: unknown factor 'colour'");
  test::write_content(folder / "file", "");
  expect_refused("run h --quick --data synthetic:social,nodes=200 --out " + quoted(folder / "file" / "x"), 4, "file");
}

}  // namespace
}  // namespace ppgnn
