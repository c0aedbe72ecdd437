// Reports a second on one core, against a dense reference in the same run: 4,714 columns, 7 sampled, 14 listed or as many
// as the case says. What looking at a row's form costs is client_report against unchecked_report.
#include <benchmark/benchmark.h>

#include <vector>

#include "ppgnn/client/client.hpp"
#include "ppgnn/ldp/perturb.hpp"
#include "ppgnn/ldp/planner.hpp"
#include "ppgnn/random/secure_source.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"
#include "ppgnn/wire/report_format.hpp"

namespace {

using namespace ppgnn;

constexpr std::uint32_t kColumns = 4714;
constexpr std::uint32_t kListed = 14;
constexpr std::uint32_t kManyListed = 50;
constexpr std::uint32_t kSampled = 7;
constexpr std::size_t kRows = 1024;

ldp::Plan make_plan() {
  ldp::PlanRequest request;
  request.columns = {{"word", kColumns, ldp::ColumnKind::binary, 0, 1, 0}};
  request.budgets = {1, 2, 4, 8, 16};
  request.shape.sampled = kSampled;
  return ldp::make_plan(request).value();
}

std::vector<std::vector<std::uint32_t>> make_rows(std::size_t listed = kListed) {
  seeded::SeededStream bits(1, seeded::Purpose::test, 0);
  std::vector<std::vector<std::uint32_t>> rows(kRows, std::vector<std::uint32_t>(listed));
  for (auto& row : rows) random::subset(kColumns, row, bits);
  return rows;
}

void strict_report(benchmark::State& state) {
  const ldp::Plan plan = make_plan();
  const auto rows = make_rows(static_cast<std::size_t>(state.range(0)));
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
BENCHMARK(strict_report)->Arg(kListed)->Arg(kManyListed);

ldp::Plan subset_plan(ldp::ReportKind kind, std::uint32_t outcomes, std::uint32_t favoured) {
  ldp::PlanRequest request;
  request.kind = kind;
  request.columns = {{"word", kColumns, ldp::ColumnKind::binary, 0, 1, 0}};
  request.budgets = {1, 2, 4, 8, 16};
  request.campaign = ldp::Campaign{"bench", ldp::Role::teach, "everybody", {}};
  request.shape = {.sampled = 1, .outcomes = outcomes, .favoured = favoured};
  return ldp::make_plan(request).value();
}

void subset_reports(benchmark::State& state, const ldp::Plan& plan, const ldp::Question* question = nullptr) {
  const auto rows = make_rows(kManyListed);
  random::SecureSource bits;
  ldp::Report report;
  std::uint32_t i = 0;
  for (auto _ : state) {
    ldp::perturb(plan, ldp::Level{i % 5 + 1}, ldp::Row::ones(rows[i % kRows]), {i, question}, bits, report);
    benchmark::DoNotOptimize(report.outcomes.data());
    ++i;
  }
  state.SetItemsProcessed(state.iterations());
}

void bucket_report(benchmark::State& state) {
  subset_reports(state, subset_plan(ldp::ReportKind::buckets, 126, 15));
}
BENCHMARK(bucket_report);

void direction_report(benchmark::State& state) {
  subset_reports(state, subset_plan(ldp::ReportKind::directions, static_cast<std::uint32_t>(state.range(0)), 32));
}
BENCHMARK(direction_report)->Arg(256)->Arg(1024);

// A model of 66 kB: 14 classes of 4,714 columns.
ldp::Plan answer_plan() {
  ldp::PlanRequest request;
  request.kind = ldp::ReportKind::answer;
  request.columns = {{"word", kColumns, ldp::ColumnKind::binary, 0, 1, 0}};
  request.budgets = {1, 2, 4, 8, 16};
  request.campaign = ldp::Campaign{"bench", ldp::Role::answer, "everybody", {}};
  ldp::QuestionModel model;
  for (std::uint32_t one = 0; one < 14; ++one) {
    model.classes.push_back("class " + std::to_string(one));
    model.biases.push_back(0);
    for (std::uint32_t column = 0; column < kColumns; ++column) {
      model.weights.push_back(static_cast<std::int16_t>(static_cast<int>((column * 31 + one * 17) % 255) - 127));
    }
  }
  request.model = std::move(model);
  request.shape.outcomes = 2;
  return ldp::make_plan(request).value();
}

void answer_report(benchmark::State& state) {
  const ldp::Plan plan = answer_plan();
  const ldp::Question question = ldp::Question::make(*plan.tables().model, {3, 7}).value();
  subset_reports(state, plan, &question);
}
BENCHMARK(answer_report);

// What a device does with a plan before it trusts it: read, validate, certify.
void certify_answer_plan(benchmark::State& state) {
  const std::string text = answer_plan().text();
  for (auto _ : state) benchmark::DoNotOptimize(ldp::Plan::parse(text).value().certificate().pair_max);
}
BENCHMARK(certify_answer_plan)->Unit(benchmark::kMillisecond);

// What the application calls, down to the bytes.
void client_report(benchmark::State& state) {
  auto client = client::Client::make(make_plan().text()).value();
  const auto rows = make_rows(static_cast<std::size_t>(state.range(0)));
  std::uint32_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(client.report(ldp::Level{i % 5 + 1}, ldp::Row::ones(rows[i % kRows]), i).value().data());
    ++i;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(client_report)->Arg(kListed)->Arg(kManyListed);

// The same without a look at the row's form.
void unchecked_report(benchmark::State& state) {
  const ldp::Plan plan = make_plan();
  const auto rows = make_rows(static_cast<std::size_t>(state.range(0)));
  random::SecureSource bits;
  std::uint32_t i = 0;
  for (auto _ : state) {
    ldp::Report report;
    report.round = i;
    ldp::perturb(plan, ldp::Level{i % 5 + 1}, ldp::Row::ones(rows[i % kRows]), bits, report);
    benchmark::DoNotOptimize(wire::encode(plan, report).data());
    ++i;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(unchecked_report)->Arg(kListed)->Arg(kManyListed);

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
