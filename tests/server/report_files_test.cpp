#include "ppgnn/server/report_files.hpp"

#include <gtest/gtest.h>

#include "ppgnn/wire/report_format.hpp"
#include "support/datasets.hpp"
#include "support/plans.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::server {
namespace {

TEST(ReportFiles, WhatWasWrittenIsReadBackByNodeName) {
  const test::TemporaryFolder folder;
  const graph::Dataset dataset = test::small_dataset();
  const ldp::Plan plan = test::plan_of(test::category_request({1, 2}, 3));
  std::vector<wire::EncodedReport> sent;
  for (const graph::NodeId node : {2u, 0u}) {
    ldp::Report report;
    report.outcomes = {node};
    sent.push_back({node, wire::encode(plan, report)});
  }
  ASSERT_TRUE(write_reports(folder / "reports.csv", dataset, sent).ok());
  const auto read = read_reports(folder / "reports.csv", dataset, plan);
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ((*read)[0].node, 2u);
  EXPECT_EQ((*read)[0].report.outcomes.at(0), 2u);
  EXPECT_EQ((*read)[1].node, 0u);
}

TEST(ReportFiles, DamagedLinesAreNamedAndNothingOfThemIsShown) {
  const test::TemporaryFolder folder;
  const graph::Dataset dataset = test::small_dataset();
  const ldp::Plan plan = test::plan_of(test::category_request({1, 2}, 3));
  const auto message = [&](const std::string& report) {
    test::write_content(folder / "r.csv", "node,report\nbob," + report + "\n");
    const auto read = read_reports(folder / "r.csv", dataset, plan);
    return read ? std::string("accepted") : read.error().message;
  };
  ldp::Report right;
  right.outcomes = {1};
  const std::string good = to_hex(wire::encode(plan, right));
  EXPECT_EQ(message(good), "accepted");
  for (const std::string& bad : {good + "0", good + "00", good.substr(2), std::string("zz")}) {
    EXPECT_NE(message(bad).find("r.csv:2: report: "), std::string::npos) << message(bad);
    EXPECT_EQ(message(bad).find(bad), std::string::npos);
  }
}

// Reports of `small_dataset`'s people as lines of a file.
class ReportLines : public ::testing::Test {
 protected:
  test::TemporaryFolder folder_;
  graph::Dataset dataset_ = test::small_dataset();
  ldp::Plan plan_ = test::plan_of(test::category_request({1, 2}, 3));
  std::vector<wire::EncodedReport> sent_;

  void send(graph::NodeId node, std::uint64_t round, bool seeded = false) {
    ldp::Report report;
    report.round = round;
    report.seeded = seeded;
    report.outcomes = {0};
    sent_.push_back({node, wire::encode(plan_, report)});
  }
  [[nodiscard]] std::string outcome(const ReportChoice& choice = {}) const {
    EXPECT_TRUE(write_reports(folder_ / "r.csv", dataset_, sent_).ok());
    const auto read = read_reports(folder_ / "r.csv", dataset_, plan_, choice);
    if (!read) return read.error().message.substr(read.error().message.find("r.csv"));
    std::string nodes;
    for (const ldp::NodeReport& one : *read) nodes += std::to_string(one.node);
    return nodes;
  }
};

TEST_F(ReportLines, SeededOnesAreRefusedUnlessAllowed) {
  send(0, 0);
  send(1, 0, true);
  EXPECT_EQ(outcome(),
            "r.csv:3: made from a seed, for research: it protects nobody (--allow-seeded takes it all the "
            "same)");
  EXPECT_EQ(outcome({.round = {}, .allow_seeded = true}), "01");
}

TEST_F(ReportLines, SeveralRoundsAreRefusedUnlessOneIsChosen) {
  send(0, 4);
  send(1, 4);
  EXPECT_EQ(outcome(), "01");
  send(0, 5);
  send(2, 5);
  EXPECT_EQ(outcome(), "r.csv:4: round: must be 4, as in the reports before it: choose one with --round");
  EXPECT_EQ(outcome({.round = 4}), "01");
  EXPECT_EQ(outcome({.round = 5}), "02");
  EXPECT_EQ(outcome({.round = 6}), "r.csv: there is no report of round 6");
  send(2, 5);
  EXPECT_EQ(outcome({.round = 4}), "01");
  EXPECT_NE(outcome({.round = 5}).find("r.csv:6: node '"), std::string::npos);
  EXPECT_NE(outcome({.round = 5}).find("occurs twice"), std::string::npos);
}

}  // namespace
}  // namespace ppgnn::server
