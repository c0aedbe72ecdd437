#include "ppgnn/study/share.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "ppgnn/study/experiment.hpp"
#include "ppgnn/study/merge.hpp"
#include "ppgnn/study/request.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::study {
namespace {

// Values that are chosen, values that are not, and campaigns.
constexpr const char* kShared = R"(
id = "shared"
runs = 3
[factors]
data = ["synthetic:social,nodes=200", "synthetic:social,nodes=150"]
epsilon = [0.1, 1]
method = ["lpgnn", "1b", "strict", "nonpriv", "teach-control"]
epochs = [4]
[[rule]]
when = { method = "nonpriv" }
set = { scale = 1 }
[select]
epsilon = [1]
dense_on = "synthetic:social,nodes=200"
runs = 2
[select.grid]
scale = [0.1, 1]
)";

PlannedStudy planned_share(const std::string& text = kShared) {
  Declaration declaration = parse_declaration(text, "shared.toml", false).value();
  std::vector<Cell> cells = expand(declaration).value();
  return {std::move(declaration), std::move(cells)};
}

std::map<std::pair<std::string, std::uint64_t>, std::string> records_of(const std::filesystem::path& folder) {
  std::map<std::pair<std::string, std::uint64_t>, std::string> all;
  for (const Record& record : parse_records(test::content_of(folder / "results.jsonl")).records) {
    std::string text = text_of(record.setting);
    for (const auto& [metric, value] : record.metrics) {
      if (metric != "campaign_seconds") text += ' ' + metric + ' ' + std::to_string(value);
    }
    const auto place = std::pair(record.key, record.run);
    EXPECT_FALSE(all.contains(place));
    all[place] = text;
  }
  return all;
}

TEST(Share, IsWrittenAsNumberOfCount) {
  EXPECT_EQ(parse_share("3/16")->number, 3u);
  EXPECT_EQ(parse_share("3/16")->count, 16u);
  EXPECT_EQ(parse_share("1/1")->count, 1u);
  for (const char* wrong : {"", "3", "3/", "/16", "0/16", "17/16", "3/16x", "x3/16", "-1/16", "3 /16", "1/100001"}) {
    const auto refused = parse_share(wrong);
    ASSERT_FALSE(refused) << wrong;
    EXPECT_NE(refused.error().message.find("share: must be K/N"), std::string::npos);
  }
}

TEST(Share, EveryUnitIsInOneAndSharesAreEven) {
  const std::vector<PlannedStudy> studies{planned_share()};
  const std::set<std::string> all = units_of(studies, {});
  for (const std::size_t count : {2U, 3U, 7U, 50U}) {
    std::set<std::string> seen;
    for (std::size_t number = 1; number <= count; ++number) {
      const std::set<std::string> mine = units_of(studies, {number, count});
      EXPECT_GE(mine.size(), all.size() / count);
      EXPECT_LE(mine.size(), all.size() / count + 1);
      for (const std::string& unit : mine) EXPECT_TRUE(seen.insert(unit).second) << unit;
    }
    EXPECT_EQ(seen, all);
  }
  // Both budgets of lpgnn are chosen together, and 1b for both data sets too; of nonpriv nothing is chosen: its runs are
  // divided.
  std::set<std::string> chosen;
  std::set<std::string> dense;
  std::set<std::string> fixed;
  for (const Cell& cell : studies[0].cells) {
    const std::string method = value_of(cell.canonical, "method");
    for (std::uint64_t run = 0; run < 3; ++run) {
      if (method == "lpgnn") chosen.insert(unit_of(cell, run, studies[0].declaration));
      if (method == "1b") dense.insert(unit_of(cell, run, studies[0].declaration));
      if (method == "nonpriv") fixed.insert(unit_of(cell, run, studies[0].declaration));
    }
  }
  EXPECT_EQ(chosen.size(), 2u);
  EXPECT_EQ(dense.size(), 1u);
  EXPECT_EQ(fixed.size(), 6u);
}

TEST(Share, MergedSharesAreTheWholeStudy) {
  const test::TemporaryFolder folder;
  const PlannedStudy study = planned_share();
  const Shelf shelf = load_shelf({study}, {}).value();
  const StudyRequest request{"shared.toml", false, true, {}, kShared};
  std::size_t whole_runs = 0;
  {
    RecordStore whole = RecordStore::open(folder / "whole").value();
    whole_runs = execute({study}, shelf, whole, {})->runs;
  }
  std::vector<std::filesystem::path> parts;
  std::size_t runs = 0;
  for (std::size_t number = 1; number <= 3; ++number) {
    parts.push_back(folder / ("part-" + std::to_string(number)));
    RecordStore records = RecordStore::open(parts.back()).value();
    ASSERT_TRUE(write_requests(parts.back(), {request}));
    ExecuteOptions options;
    options.share = {number, 3};
    const ExecuteResult made = execute({study}, shelf, records, options).value();
    EXPECT_GT(made.runs, 0u);
    EXPECT_LT(made.runs, whole_runs);
    runs += made.runs;
    EXPECT_EQ(execute({study}, shelf, records, options)->runs, 0u);
  }
  EXPECT_EQ(runs, whole_runs) << "nothing is made twice";
  const std::vector<MergedFolder> merged = merge(parts, folder / "all").value();
  EXPECT_EQ(merged[0].added + merged[1].added + merged[2].added, whole_runs);
  EXPECT_EQ(records_of(folder / "all"), records_of(folder / "whole"));
  EXPECT_EQ(read_requests(folder / "all")->size(), 1u);
  // Again: nothing is new, and the whole study has nothing left to make.
  const std::string before = test::content_of(folder / "all" / "results.jsonl");
  for (const MergedFolder& one : merge(parts, folder / "all").value()) EXPECT_EQ(one.added, 0u);
  EXPECT_EQ(test::content_of(folder / "all" / "results.jsonl"), before);
  RecordStore all = RecordStore::open(folder / "all").value();
  EXPECT_EQ(execute({study}, shelf, all, {})->runs, 0u);
}

// A folder with one record of this accuracy, and what it was asked for.
std::filesystem::path part(const std::filesystem::path& folder, std::uint64_t run, double accuracy,
                           const std::string& text = kShared) {
  const Setting setting = canonical({{"method", "control"}}).value();
  RecordStore store = RecordStore::open(folder).value();
  EXPECT_TRUE(
      store.append({key_of(setting, {}), run, setting, {{"accuracy", accuracy}, {"campaign_seconds", .1}}, .5}));
  EXPECT_TRUE(write_requests(folder, {{"shared.toml", false, true, {}, text}}));
  return folder;
}

TEST(Merge, CopiesLinesAsTheyAreAndLeavesOutWhatIsNone) {
  const test::TemporaryFolder folder;
  const std::vector<std::filesystem::path> parts{part(folder / "a", 0, .25), part(folder / "b", 1, .5)};
  const std::string first = test::content_of(folder / "a" / "results.jsonl");
  std::string second = test::content_of(folder / "b" / "results.jsonl");
  second.replace(second.find("\"seconds\":0.5"), 13, "\"seconds\":7.5");
  std::string old = first;
  old.replace(old.find("\"numerics\":"), 12, "\"numerics\":0");
  test::write_content(folder / "b" / "results.jsonl", "#\n" + old + second + "{\"key\":\"half");
  const std::vector<MergedFolder> merged = merge(parts, folder / "all").value();
  EXPECT_EQ(test::content_of(folder / "all" / "results.jsonl"), first + second);
  EXPECT_EQ(merged[1].added, 1u);
  EXPECT_EQ(merged[1].damaged, 1u);
  EXPECT_EQ(merged[1].other, 1u);
}

TEST(Merge, RefusesWhatContradictsAndWritesNothing) {
  const test::TemporaryFolder folder;
  const auto expect_refused = [&](const std::vector<std::filesystem::path>& parts, const std::string& message) {
    const auto refused = merge(parts, folder / "all");
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find(message), std::string::npos) << refused.error().message;
    EXPECT_FALSE(std::filesystem::exists(folder / "all" / "results.jsonl") &&
                 std::filesystem::file_size(folder / "all" / "results.jsonl") > 0);
    EXPECT_FALSE(std::filesystem::exists(folder / "all" / "studies.json"));
  };
  const auto a = part(folder / "a", 0, .25);
  expect_refused({a, part(folder / "b", 0, .5)}, "different figures of run 0");
  std::string other = kShared;
  other.replace(other.find("runs = 3"), 8, "runs = 4");
  expect_refused({a, part(folder / "c", 1, .5, other)}, "study shared was run in two ways");
  expect_refused({a, folder / "none"}, "none");
  std::filesystem::create_directories(folder / "all");
  expect_refused({a, folder / "all"}, "is the folder that the others are merged into");
  // What is the same but for the time is no contradiction.
  EXPECT_EQ(merge(std::vector{a, part(folder / "d", 0, .25)}, folder / "all").value()[1].known, 1u);
}

}  // namespace
}  // namespace ppgnn::study
