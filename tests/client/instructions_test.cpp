// Where levels are protected, making and writing a report takes the same instructions, in the same order, at every level, for
// the same features and the same random words. Templates are compiled as they ship (-O3), the rooms as the other tests have them.
// What an instruction takes by its operands, and what caches do, is not seen.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "ppgnn/ldp/mechanism.hpp"
#include "ppgnn/ldp/perturb.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"
#include "ppgnn/wire/report_format.hpp"
#include "support/plans.hpp"
#include "support/single_steps.hpp"

namespace ppgnn::client {
namespace {

using test::Path;

constexpr std::size_t kWords = 256;
constexpr std::array<double, 3> kBudgets{0.5, 1, 4};

struct GivenWords {
  const std::uint64_t* at;

  std::uint64_t next() noexcept { return *at++; }
};

std::vector<std::uint64_t> words_of(std::uint64_t stream) {
  seeded::SeededStream source(11, seeded::Purpose::test, stream);
  std::vector<std::uint64_t> words(kWords);
  for (std::uint64_t& word : words) word = source.next();
  return words;
}

std::vector<ldp::Plan> small_plans() {
  const std::vector<double> budgets(kBudgets.begin(), kBudgets.end());
  std::vector<ldp::Plan> found;
  for (const ldp::ReportKind kind : ldp::kReportKinds) {
    found.push_back(test::plan_of(test::request_of(kind, budgets)));
    if (ldp::needs_campaign(kind)) continue;
    ldp::PlanRequest request = test::request_of(kind, budgets);
    request.gamma = 0.5;  // with a report of the level
    found.push_back(test::plan_of(request));
  }
  ldp::PlanRequest several = test::number_request(budgets, 40);
  several.shape.sampled = 6;
  found.push_back(test::plan_of(several));
  return found;
}

TEST(Instructions, ABranchShows) {
  const auto path_with = [](std::uint32_t level) {
    return test::path_of([level] {
      volatile std::uint32_t sum = 0;
      for (std::uint32_t i = 0; i < level; ++i) sum = sum + i;
    });
  };
  const auto one = path_with(1);
  if (!one) GTEST_SKIP() << "skipped: the system does not let a process trace its child";
  EXPECT_GT(one->instructions, 10u);
  EXPECT_EQ(path_with(1), one);
  EXPECT_NE(path_with(2), one);

  const auto side = [](std::uint32_t level) {
    return test::path_of([level] {
      volatile std::uint32_t at = level;
      if (at > 1) {
        at = at + 7;
      } else {
        at = at ^ 7;
      }
    });
  };
  EXPECT_NE(side(1)->places, side(2)->places) << "even where there are as many";
}

TEST(Instructions, AreTheSameAtEveryLevel) {
  if (!test::path_of([] {})) GTEST_SKIP() << "skipped: the system does not let a process trace its child";
  const std::vector<float> some{0.25F, 1, -1, 0};
  const std::vector<std::uint32_t> first{0};
  for (const ldp::Plan& plan : small_plans()) {
    const test::Person person(plan);
    const auto levels = static_cast<std::uint32_t>(plan.levels().size());
    ldp::Report report;
    std::vector<std::uint8_t> bytes;
    for (const ldp::Row& row :
         {ldp::Row::ones(first), ldp::Row::dense(std::span(some).first(plan.schema().dim() < 4 ? 1 : 4))}) {
      const auto make = [&](std::uint32_t level, const std::vector<std::uint64_t>& words) {
        GivenWords bits{words.data()};
        ldp::perturb(plan, ldp::Level{level}, row, person.asked(), bits, report);
        bytes = wire::encode(plan, report);
      };
      // Words with which the level matters: the first and the last level send different reports.
      const auto matters = [&](const std::vector<std::uint64_t>& words) {
        make(1, words);
        const std::vector<std::uint8_t> strictest = bytes;
        make(levels, words);
        return bytes != strictest;
      };
      std::uint64_t stream = 0;
      while (stream < 1000 && !matters(words_of(stream))) ++stream;
      ASSERT_LT(stream, 1000u) << plan.text();
      const std::vector<std::uint64_t> words = words_of(stream);

      // While they are followed this process allocates nothing: every child finds the same memory.
      std::array<std::optional<Path>, kBudgets.size()> paths;
      ASSERT_EQ(levels, paths.size());
      for (std::uint32_t level = 1; level <= levels; ++level) {
        paths[level - 1] = test::path_of([&] { make(level, words); });
      }
      for (std::uint32_t level = 1; level <= levels; ++level) {
        ASSERT_TRUE(paths[level - 1]);
        EXPECT_EQ(paths[level - 1]->instructions, paths[0]->instructions) << "level " << level << " of\n"
                                                                          << plan.text();
        EXPECT_EQ(paths[level - 1]->places, paths[0]->places) << "level " << level << " of\n" << plan.text();
      }
    }
  }
}

}  // namespace
}  // namespace ppgnn::client
