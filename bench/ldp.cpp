// Reports a second on one core, against a dense reference in the same run: 4,714 columns, 14 of them listed, 7 sampled.
#include <benchmark/benchmark.h>

#include <vector>

#include "ppgnn/ldp/perturb.hpp"
#include "ppgnn/ldp/planner.hpp"
#include "ppgnn/random/secure_source.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"

namespace {

using namespace ppgnn;

constexpr std::uint32_t kColumns = 4714;
constexpr std::uint32_t kListed = 14;
constexpr std::uint32_t kSampled = 7;
constexpr std::size_t kRows = 1024;

ldp::Plan make_plan() {
  ldp::PlanRequest request;
  request.columns = {{"word", kColumns, ldp::ColumnKind::binary, 0, 1, 0}};
  request.budgets = {1, 2, 4, 8, 16};
  request.sampled = kSampled;
  return ldp::make_plan(request).value();
}

std::vector<std::vector<std::uint32_t>> make_rows() {
  seeded::SeededStream bits(1, seeded::Purpose::test, 0);
  std::vector<std::vector<std::uint32_t>> rows(kRows, std::vector<std::uint32_t>(kListed));
  for (auto& row : rows) random::subset(kColumns, row, bits);
  return rows;
}

void strict_report(benchmark::State& state) {
  const ldp::Plan plan = make_plan();
  const auto rows = make_rows();
  random::SecureSource bits;
  ldp::Report report;
  std::uint32_t i = 0;
  for (auto _ : state) {
    ldp::perturb(plan, ldp::Level{i % 5 + 1}, ldp::Row::ones(rows[i % kRows]), bits, report);
    benchmark::DoNotOptimize(report.signs.data());
    ++i;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(strict_report);

// What a straightforward device does: one 93-bit draw per column, then keep the sampled ones.
void dense_reference(benchmark::State& state) {
  const ldp::Plan plan = make_plan();
  const auto rows = make_rows();
  random::SecureSource bits;
  std::vector<std::int8_t> signs(kColumns);
  std::vector<std::int64_t> features(kColumns);
  std::uint32_t i = 0;
  for (auto _ : state) {
    features.assign(kColumns, -(std::int64_t{1} << 30));
    for (const std::uint32_t column : rows[i % kRows]) features[column] = std::int64_t{1} << 30;
    const std::uint64_t entry = plan.levels()[i % 5].entry;
    for (std::uint32_t column = 0; column < kColumns; ++column) {
      signs[column] = random::sign(features[column], entry, bits) ? 1 : -1;
    }
    benchmark::DoNotOptimize(signs.data());
    ++i;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(dense_reference);

void secure_bytes(benchmark::State& state) {
  random::SecureSource bits;
  for (auto _ : state) benchmark::DoNotOptimize(bits.next());
  state.SetBytesProcessed(state.iterations() * 8);
}
BENCHMARK(secure_bytes);

}  // namespace
