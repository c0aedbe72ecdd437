// What somebody who watches a device from outside sees is the same for every level that a plan protects: how much
// randomness a report takes, how long it is, and how long the ledger is. How long it takes depends on how many features
// are listed: docs/client.md.
#include <gtest/gtest.h>

#include <set>
#include <tuple>
#include <vector>

#include "ppgnn/client/client.hpp"
#include "ppgnn/ldp/mechanism.hpp"
#include "ppgnn/ldp/perturb.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"
#include "ppgnn/wire/report_format.hpp"
#include "support/memory_storage.hpp"
#include "support/plans.hpp"

namespace ppgnn::client {
namespace {

struct Counted {
  seeded::SeededStream stream;
  std::uint64_t drawn = 0;

  std::uint64_t next() noexcept {
    ++drawn;
    return stream.next();
  }
};

// Small ones, and those of a size that is used; with a report of the level where there may be one.
std::vector<ldp::Plan> plans() {
  const std::vector<double> budgets{0.5, 1, 2, 4, 8};
  std::vector<ldp::Plan> found;
  for (const ldp::ReportKind kind : ldp::kReportKinds) {
    found.push_back(test::plan_of(test::request_of(kind, budgets)));
    if (ldp::needs_campaign(kind)) continue;
    ldp::PlanRequest request = test::request_of(kind, budgets);
    request.gamma = 0.5;
    found.push_back(test::plan_of(request));
  }
  ldp::PlanRequest many = test::number_request(budgets, 1433);
  many.shape.sampled = 40;
  many.gamma = 0.25;
  found.push_back(test::plan_of(many));
  found.push_back(test::plan_of(test::bucket_request(budgets, 1433, 126, 15)));
  found.push_back(test::plan_of(test::direction_request(budgets, 500, 256, 60)));
  found.push_back(test::plan_of(test::answer_request(budgets, 1433, 7)));
  return found;
}

TEST(ConstantWork, WordsDrawnAndSizesDoNotTellTheLevel) {
  const std::vector<float> some{0.25F, 1, -1, 0};
  const std::vector<std::uint32_t> first{0};
  for (const ldp::Plan& plan : plans()) {
    const test::Person person(plan);
    const ldp::Row rows[] = {ldp::Row::ones({}), ldp::Row::ones(first),
                             ldp::Row::dense(std::span(some).first(plan.schema().dim() < 4 ? 1 : 4))};
    for (const std::uint64_t round : {std::uint64_t{0}, ~std::uint64_t{0}}) {
      for (std::uint64_t stream = 0; stream < 200; ++stream) {
        // One stream for all of them: where a word is drawn again by chance, it is for all.
        std::set<std::tuple<std::uint64_t, std::size_t>> seen;
        for (const ldp::Row& row : rows) {
          for (std::uint32_t level = 1; level <= plan.levels().size(); ++level) {
            Counted bits{{7, seeded::Purpose::test, stream}};
            ldp::Report report;
            report.round = round;
            ldp::perturb(plan, ldp::Level{level}, row, person.asked(), bits, report);
            seen.emplace(bits.drawn, wire::encode(plan, report).size());
          }
        }
        ASSERT_EQ(seen.size(), 1u) << plan.text();
      }
    }
  }
}

TEST(ConstantWork, WhatTheClientSendsAndKeepsIsAsLongForEveryLevel) {
  for (const ldp::Plan& plan : plans()) {
    std::set<std::tuple<std::size_t, std::size_t, std::size_t>> seen;
    for (std::uint32_t level = 1; level <= plan.levels().size(); ++level) {
      Client client = Client::make(plan.text()).value();
      client.set_person("ana");
      const test::Person person(plan);
      if (person.question) {
        ASSERT_TRUE(client.set_question(person.question->bytes()).ok());
      }
      ASSERT_TRUE(client.agree({.report = 100}).ok());
      test::MemoryStorage storage;
      Ledger ledger = Ledger::open(storage.callbacks(), client.largest_report()).value();
      std::vector<std::uint8_t> out(client.largest_report());
      const auto sent = client.report(ldp::Level{level}, ldp::Row::ones({}), 3, ledger, out);
      ASSERT_TRUE(sent) << sent.error().message;
      seen.emplace(sent->size, storage.bytes.size(), client.size_of(ldp::Level{level}, 3));
      EXPECT_EQ(client.size_of(ldp::Level{level}, 3), sent->size);
    }
    EXPECT_EQ(seen.size(), 1u) << plan.text();
  }
}

}  // namespace
}  // namespace ppgnn::client
