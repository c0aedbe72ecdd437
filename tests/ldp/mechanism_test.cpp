// What holds for every report kind, and what a new one must bring.
#include "ppgnn/ldp/mechanism.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "ppgnn/ldp/estimate.hpp"
#include "ppgnn/ldp/perturb.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"
#include "support/plans.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::ldp {
namespace {

const std::filesystem::path kSource = PPGNN_SOURCE_DIR;

template <class Value>
Value of(ReportKind kind, const auto& value) {
  return with_mechanism(kind, [&](auto mechanism) { return Value(value(mechanism)); });
}

TEST(EveryKind, HasNamesAndAWireKeyOfItsOwn) {
  std::set<std::string> names;
  std::set<std::string> options;
  std::set<std::uint64_t> keys;
  for (const ReportKind kind : kReportKinds) {
    EXPECT_EQ(of<ReportKind>(kind, [](auto m) { return decltype(m)::kKind; }), kind);
    names.emplace(to_text(kind));
    options.emplace(option_of(kind));
    keys.insert(of<std::uint64_t>(kind, [](auto m) { return decltype(m)::kWireKey; }));
    EXPECT_EQ(kind_of_option(option_of(kind)), kind);
  }
  EXPECT_EQ(names.size(), kReportKinds.size());
  EXPECT_EQ(options.size(), kReportKinds.size());
  EXPECT_EQ(keys.size(), kReportKinds.size());
  EXPECT_GT(*keys.begin(), 3u) << "keys up to 3 are the envelope's";
  EXPECT_EQ(kind_of_option("smoke"), std::nullopt);
}

// HACKING.md lists these; where one is missing, this names it.
TEST(EveryKind, HasAProofAFormatAndItsTests) {
  const std::string report_format = test::content_of(kSource / "docs/formats/report.md");
  const std::string plan_format = test::content_of(kSource / "docs/formats/plan.md");
  for (const ReportKind kind : kReportKinds) {
    const std::string name(to_text(kind));
    const auto key = of<std::uint64_t>(kind, [](auto m) { return decltype(m)::kWireKey; });
    EXPECT_NE(report_format.find("`" + std::to_string(key) + "` (kind `" + name + "`)"), std::string::npos)
        << "docs/formats/report.md does not describe " << name;
    EXPECT_NE(plan_format.find("`" + name + "`"), std::string::npos) << "docs/formats/plan.md: " << name;
    const auto file = of<std::string>(kind, [](auto m) { return decltype(m)::kFile; });
    for (const std::string& path : {"docs/proofs/" + file + ".md", "include/ppgnn/ldp/" + file + ".hpp",
                                    "src/ldp/" + file + ".cpp", "tests/ldp/" + file + "_test.cpp"}) {
      EXPECT_TRUE(std::filesystem::exists(kSource / path)) << path;
    }
  }
}

TEST(EveryKind, DecodesWhatItEncodesAndEstimatesAsManyColumnsAsItSays) {
  for (const ReportKind kind : kReportKinds) {
    const Plan plan = test::plan_of(test::request_of(kind, {1, 2}));
    const test::Person person(plan);
    const Estimator estimator(plan.tables());
    const std::vector<float> features(plan.schema().dim(), 1.0F);
    for (std::uint64_t entity = 0; entity < 200; ++entity) {
      seeded::SeededStream bits(1, seeded::Purpose::perturb, entity);
      Report report;
      perturb(plan, Level{1}, Row::dense(features), person.asked(), bits, report);
      std::vector<std::uint8_t> payload;
      Report read;
      read.seeded = report.seeded;  // not the payload's
      with_mechanism(kind, [&](auto m) { decltype(m)::encode(report, plan.shape(0), payload); });
      EXPECT_EQ(of<std::string>(kind, [&](auto m) { return decltype(m)::decode(payload, plan.shape(0), read); }), "");
      EXPECT_EQ(read, report) << to_text(kind);
      std::vector<EstimateEntry> entries;
      estimator.estimate(report, entries);
      for (std::size_t i = 0; i < entries.size(); ++i) {
        EXPECT_LT(entries[i].column, estimator.columns());
        EXPECT_TRUE(i == 0 || entries[i - 1].column < entries[i].column);
      }
      payload.push_back(0);
      EXPECT_NE(of<std::string>(kind, [&](auto m) { return decltype(m)::decode(payload, plan.shape(0), read); }), "");
    }
  }
}

// Where levels are protected, neither the words drawn nor the size tell the level, the features or what is sent.
TEST(EveryKind, DrawsAndSendsAsMuchForEveryLevel) {
  struct Counting {
    std::uint64_t word;
    int drawn = 0;
    std::uint64_t next() noexcept {
      ++drawn;
      return word += 0x9e3779b97f4a7c15;
    }
  };
  for (const ReportKind kind : kReportKinds) {
    const Plan plan = test::plan_of(test::request_of(kind, {1, 2, 4}));
    const test::Person person(plan);
    const std::vector<float> high(plan.schema().dim(), 1.0F);
    std::set<std::pair<int, std::size_t>> seen;
    for (std::uint32_t level = 1; level <= 3; ++level) {
      for (const Row& row : {Row::ones({}), Row::dense(high)}) {
        for (std::uint64_t word = 1; word < 2000; word += 13) {
          Counting bits{word << 50};
          Report report;
          perturb(plan, Level{level}, row, person.asked(), bits, report);
          std::vector<std::uint8_t> payload;
          with_mechanism(kind, [&](auto m) { decltype(m)::encode(report, plan.shape(level - 1), payload); });
          seen.emplace(bits.drawn, payload.size());
        }
      }
    }
    EXPECT_EQ(seen.size(), 1u) << to_text(kind);
  }
}

// The likelihood that attacks use, against frequencies: 40,000 reports a level, alpha 1e-6 by six standard errors.
TEST(EveryKind, SaysHowLikelyAReportIsUpToAFactor) {
  for (const ReportKind kind : kReportKinds) {
    const Plan plan = test::plan_of(test::request_of(kind, {1, 3}));
    const test::Person person(plan);
    const std::vector<float> features(plan.schema().dim(), 1.0F);
    const Row row = Row::dense(features);
    constexpr int kReports = 40000;
    std::map<std::vector<std::uint8_t>, std::array<double, 2>> counts;
    std::map<std::vector<std::uint8_t>, Report> seen;
    for (const std::uint32_t level : {1u, 2u}) {
      for (int i = 0; i < kReports; ++i) {
        seeded::SeededStream bits(7 + level, seeded::Purpose::perturb, static_cast<std::uint64_t>(i));
        Report report;
        perturb(plan, Level{level}, row, person.asked(), bits, report);
        std::vector<std::uint8_t> payload;
        with_mechanism(kind, [&](auto m) { decltype(m)::encode(report, plan.shape(0), payload); });
        ++counts[payload][level - 1];
        seen[payload] = report;
      }
    }
    const auto likelihood = [&](const Report& report, std::size_t level) {
      return of<double>(kind, [&](auto m) {
        return decltype(m)::log_likelihood(report, row, plan.tables(), person.asked(), plan.levels()[level].entry,
                                           plan.shape(level));
      });
    };
    int compared = 0;
    for (const auto& [payload, count] : counts) {
      if (count[0] < 100 || count[1] < 100) continue;
      ++compared;
      const double found = std::log(count[0] / count[1]);
      const double expected = likelihood(seen[payload], 0) - likelihood(seen[payload], 1);
      EXPECT_NEAR(found, expected, 6 * std::sqrt(1 / count[0] + 1 / count[1])) << to_text(kind);
    }
    EXPECT_GE(compared, 2) << to_text(kind);
  }
}

}  // namespace
}  // namespace ppgnn::ldp
