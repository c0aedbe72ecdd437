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
  std::vector<EncodedReport> sent;
  for (const graph::NodeId node : {2u, 0u}) {
    ldp::Report report;
    report.category = node;
    sent.push_back({node, wire::encode(plan, report)});
  }
  ASSERT_TRUE(write_reports(folder / "reports.csv", dataset, sent).ok());
  const auto read = read_reports(folder / "reports.csv", dataset, plan);
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ((*read)[0].node, 2u);
  EXPECT_EQ((*read)[0].report.category, 2u);
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
  const std::string good = to_hex(wire::encode(plan, ldp::Report{}));
  EXPECT_EQ(message(good), "accepted");
  for (const std::string& bad : {good + "0", good + "00", good.substr(2), std::string("zz")}) {
    EXPECT_NE(message(bad).find("r.csv:2: report: "), std::string::npos) << message(bad);
    EXPECT_EQ(message(bad).find(bad), std::string::npos);
  }
}

}  // namespace
}  // namespace ppgnn::server
