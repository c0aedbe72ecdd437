// Writes plans, features, questions, streams of words and what the client makes of them, for tests/web/same_bytes.mjs to replay
// in WebAssembly, and plans of which many are not sound, with what the client says to them, and the
// cases of features with plans, and decisions: make_vectors REPORTS PLANS GIVEN_CASES CASES DECISIONS.
#include <sys/random.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "client/test_bits.h"
#include "ppgnn/core/sha256.hpp"
#include "ppgnn/ldp/hint.hpp"
#include "ppgnn/ldp/mechanism.hpp"
#include "support/feature_cases.hpp"
#include "support/memory_storage.hpp"
#include "support/models.hpp"
#include "support/plans.hpp"

// The operating system's entropy, played: the script plays the same.
static std::uint8_t next_entropy = 0;
extern "C" ssize_t getrandom(void* buffer, std::size_t size, unsigned) {
  for (std::size_t i = 0; i < size; ++i) static_cast<std::uint8_t*>(buffer)[i] = next_entropy++;
  return static_cast<ssize_t>(size);
}

namespace ppgnn::test {
namespace {

using nlohmann::json;

constexpr int kPlans = 50;
constexpr int kRows = 8;
constexpr int kReportsPerPlan = 200;
constexpr int kVerdicts = 400;

void require(int code, ppgnn_client* client) {
  if (code == PPGNN_OK) return;
  std::fprintf(stderr, "make_vectors: %s\n", ppgnn_error(client));
  std::exit(1);
}

// Every kind with levels protected and public, few and many columns, small and large shapes.
ldp::PlanRequest request(int index) {
  const ldp::ReportKind kind = ldp::kReportKinds[static_cast<std::size_t>(index) % ldp::kReportKinds.size()];
  const auto variant = static_cast<std::size_t>(index) / ldp::kReportKinds.size();
  const std::vector<double> budgets[] = {{1}, {.5, 2}, {1, 2, 4, 8, 16}, {.1, .2, .3}, six_levels(.5)};
  const std::uint32_t dims[] = {3, 40, 300, 1433, 90};
  const std::uint32_t dim = dims[variant % 5];
  ldp::PlanRequest wanted = request_of(kind, budgets[(variant + 1) % 5]);
  wanted.shape = {};
  if (kind == ldp::ReportKind::category) {
    wanted.columns[0].high = dim;
  } else if (variant % 2 == 0) {
    wanted.columns = {{"word", dim, ldp::ColumnKind::binary, 0, 1, 0}};
  } else {  // ranges, and values that are absent, of their own
    wanted.columns = {{"age", 1, ldp::ColumnKind::number, 0, 120, 40.25},
                      {"word", dim - 2, ldp::ColumnKind::binary, 0, 1, 0},
                      {"mood", 1, ldp::ColumnKind::number, -1, 1e-3, -.1}};
  }
  if (variant % 4 >= 2) wanted.secrecy = ldp::LevelSecrecy::public_level;
  const bool averaged = kind == ldp::ReportKind::signs || kind == ldp::ReportKind::category;
  if (averaged && variant % 4 < 2 && variant > 3) wanted.gamma = .25;
  if (kind == ldp::ReportKind::signs && variant == 2) wanted.shape.sampled = 20;
  if (kind == ldp::ReportKind::directions) wanted.shape.outcomes = variant % 2 == 0 ? 256 : 1000;
  if (kind == ldp::ReportKind::answer) {
    wanted.model = small_model(dim, variant % 3 == 0 ? 2 : 7);
    wanted.model->unit = variant % 2 == 0 ? 0 : 60;
    if (variant % 4 >= 1) wanted.model->confident = {3, 40};
    if (variant % 5 == 3) wanted.model->width = 16;
  }
  return wanted;
}

struct Row {
  std::int32_t form;
  std::vector<std::uint32_t> columns;
  std::vector<float> values;

  [[nodiscard]] ppgnn_features features() const {
    return {form, 0, columns.data(), values.data(), form == PPGNN_DENSE ? values.size() : columns.size()};
  }
};

Row draw_row(int index, const ldp::Schema& schema, std::mt19937_64& draw) {
  Row row{index % 3, {}, {}};
  const float odd[] = {0, 1, -2, .3F, 41.5F, 1e30F, NAN, INFINITY};
  const std::uint64_t rarely = 1 + schema.dim() / 50;
  for (std::uint32_t column = 0; column < schema.dim(); ++column) {
    if (row.form != PPGNN_DENSE && draw() % rarely != 0) continue;
    if (row.form != PPGNN_DENSE) row.columns.push_back(column);
    row.values.push_back(index < 3 ? 1.0F : odd[draw() % 8]);
  }
  if (row.form == PPGNN_ONES) row.values.clear();
  if (index == 7) row = {PPGNN_SPARSE, {}, {}};  // somebody without features
  return row;
}

std::string hex_of(const std::vector<std::uint8_t>& bytes) {
  return to_hex(bytes);
}

template <class Number>
std::string hex_words(const std::vector<Number>& words) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(words.data());  // little-endian, as in the module
  return to_hex({bytes, words.size() * sizeof(Number)});
}

json::array_t reports_of(ppgnn_client* client, const std::vector<Row>& rows, std::uint32_t levels,
                         std::mt19937_64& draw) {
  json::array_t cases;
  for (int i = 0; i < kReportsPerPlan; ++i) {
    const auto row = static_cast<std::size_t>(i % kRows);
    const auto level = static_cast<std::uint32_t>(1 + draw() % levels);
    const std::uint64_t round = i % 5 == 0 ? draw() >> (draw() % 64) : 0;
    std::vector<std::uint64_t> words(128);
    for (std::uint64_t& word : words) word = draw();
    if (i % 7 == 0) words[1] = 0;  // which some bounds reject
    std::vector<std::uint8_t> bytes(4096);
    std::size_t used = 0;
    std::size_t size = 0;
    const ppgnn_features features = rows[row].features();
    require(ppgnn_test_report(client, level, &features, round, words.data(), words.size(), &used, bytes.data(),
                              bytes.size(), &size),
            client);
    words.resize(used);
    bytes.resize(size);
    cases.push_back({{"row", row},
                     {"level", level},
                     {"round", std::to_string(round)},
                     {"words", hex_words(words)},
                     {"report", hex_of(bytes)}});
  }
  return cases;
}

std::string text_of(ppgnn_client* client, bool preview, std::uint32_t level) {
  std::string text(4096, '\0');
  std::size_t size = 0;
  require(preview ? ppgnn_preview(client, level, text.data(), text.size(), &size)
                  : ppgnn_text(client, PPGNN_TEXT_NOTE, level, text.data(), text.size(), &size),
          client);
  text.resize(size);
  return text;
}

json vectors_of(int index, std::mt19937_64& draw) {
  const ldp::Plan plan = plan_of(request(index));
  const Person person(plan);
  json result{{"plan", plan.text()}, {"kind", to_text(plan.kind())}, {"secrecy", to_text(plan.tables().secrecy)}};
  if (person.question) result["question"] = hex_of(person.question->bytes());
  std::vector<Row> rows;
  for (int i = 0; i < kRows; ++i) rows.push_back(draw_row(i, plan.schema(), draw));
  for (const Row& row : rows) {
    result["rows"].push_back({{"form", row.form}, {"columns", row.columns}, {"values", hex_words(row.values)}});
  }

  next_entropy = static_cast<std::uint8_t>(index);
  MemoryStorage storage;
  ppgnn_client* client = nullptr;
  if (ppgnn_open(plan.text().data(), plan.text().size(), &client, nullptr, 0) != PPGNN_OK) std::exit(1);
  require(ppgnn_set_person(client, "ana", 3), client);
  if (person.question) {
    const auto& bytes = person.question->bytes();
    require(ppgnn_set_question(client, bytes.data(), bytes.size()), client);
  }
  const auto levels = static_cast<std::uint32_t>(plan.levels().size());
  result["reports"] = reports_of(client, rows, levels, draw);
  for (std::uint32_t level = 1; level <= levels; ++level) result["previews"].push_back(text_of(client, true, level));
  result["note"] = text_of(client, false, 0);

  // The client as it ships, from the operating system's entropy to report and ledger.
  const ppgnn_limits limits{1e3, HUGE_VAL, UINT64_MAX, 1, 0};
  require(ppgnn_agree(client, &limits), client);
  const ppgnn_storage callbacks = storage.callbacks();
  require(ppgnn_use_ledger(client, &callbacks), client);
  std::vector<std::uint8_t> bytes(4096);
  std::size_t size = 0;
  const ppgnn_features features = rows[0].features();
  require(ppgnn_report(client, levels, &features, 5, bytes.data(), bytes.size(), &size, nullptr), client);
  bytes.resize(size);
  result["entropy"] = index;
  result["shipped"] = hex_of(bytes);
  result["ledger"] = hex_of(storage.bytes);
  ppgnn_close(client);
  return result;
}

// A plan with one number changed, under a hash that fits again: out of range, not canonical, or a promise that is not kept.
std::string changed(const std::string& text, std::mt19937_64& draw) {
  std::string body = text.substr(0, text.rfind("sha256 "));
  std::vector<std::size_t> digits;
  const std::size_t from = body.find("\ncolumns");
  for (std::size_t i = from; i < body.size(); ++i) {
    if (body[i] >= '0' && body[i] <= '9') digits.push_back(i);
  }
  const std::size_t at = digits[draw() % digits.size()];
  switch (draw() % 4) {
    case 0:
      body.insert(at, 1, static_cast<char>('0' + draw() % 10));
      break;
    case 1:
      body.erase(at, 1);
      break;
    default:
      body[at] = static_cast<char>('0' + draw() % 10);
  }
  return body + "sha256 " + to_hex(sha256(body)) + "\n";
}

json verdict_on(const std::string& text) {
  char error[512];
  ppgnn_client* client = nullptr;
  const int code = ppgnn_open(text.data(), text.size(), &client, error, sizeof(error));
  ppgnn_close(client);
  return {{"plan", text}, {"code", code}, {"error", error}};
}

json verdicts(std::mt19937_64& draw) {
  json all = json::array();
  std::uniform_real_distribution<double> budget(.01, 6);
  for (int i = 0; i < kVerdicts; ++i) {
    ldp::PlanRequest wanted = request(static_cast<int>(draw() % kPlans));
    wanted.budgets = {budget(draw)};
    for (std::uint64_t more = draw() % 6; more > 0; --more) {
      wanted.budgets.push_back(wanted.budgets.back() + budget(draw));
    }
    if (wanted.gamma > 0) wanted.gamma = budget(draw) / 7;
    const Result<ldp::Plan> plan = ldp::make_plan(wanted);
    if (!plan) continue;  // a budget too small for the shape that was wished for
    all.push_back(verdict_on(plan->text()));
    for (int j = 0; j < 4; ++j) all.push_back(verdict_on(changed(plan->text(), draw)));
  }
  return all;
}

// Models, hints and rows, with what the client decides and writes into its ledger; the last one has 15,000 columns.
json decisions_of(const ldp::DecisionTables& tables, int number, std::mt19937_64& draw) {
  const ldp::Plan plan = pilots_plan(tables);
  const ldp::PublishedModel model = ldp::PublishedModel::make(tables).value();
  const ldp::Hint hint = number % 4 == 3 ? ldp::Hint::usual()
                         : tables.hint == ldp::HintKind::coarse
                             ? ldp::Hint::coarse(model, 1, 0, 2).value()
                             : ldp::Hint::full(model, std::vector<std::int16_t>{-700, 0, -90}).value();
  MemoryStorage storage;
  const ppgnn_storage callbacks = storage.callbacks();
  ppgnn_client* client = nullptr;
  if (ppgnn_open(plan.text().data(), plan.text().size(), &client, nullptr, 0) != PPGNN_OK) std::exit(1);
  require(ppgnn_use_ledger(client, &callbacks), client);
  require(ppgnn_set_model(client, model.text().data(), model.text().size(), hint.bytes().data(), hint.bytes().size()),
          client);
  json result{{"plan", plan.text()}, {"model", model.text()}, {"hint", hex_of(hint.bytes())}};
  for (int i = 0; i < kRows; ++i) {
    const Row row = draw_row(i, plan.schema(), draw);
    ppgnn_decision decision{};
    std::vector<std::uint32_t> probabilities(3);
    std::vector<std::int32_t> groups(3);
    const ppgnn_features features = row.features();
    require(ppgnn_decide(client, &features, &decision, probabilities.data(), groups.data(), 3), client);
    groups.resize(decision.groups);
    result["rows"].push_back({{"form", row.form},
                              {"columns", row.columns},
                              {"values", hex_words(row.values)},
                              {"probabilities", probabilities},
                              {"groups", groups},
                              {"lead", {decision.first, decision.second, decision.graph, decision.features}}});
  }
  result["ledger"] = hex_of(storage.bytes);
  ppgnn_close(client);
  return result;
}

json decisions(std::mt19937_64& draw) {
  json all = json::array();
  const std::uint32_t evidences[] = {1u << 26, 0, 1, 12345678, ~0u, 1u << 20};
  const std::uint64_t lengths[] = {2u << 16, 0, 1, ldp::kMaxLength};
  for (int i = 0; i < 24; ++i) {
    const auto kind = i % 2 == 0 ? ldp::HintKind::coarse : ldp::HintKind::full;
    all.push_back(decisions_of(small_decisions(kind, evidences[i % 6], lengths[i % 4]), i, draw));
  }
  ldp::DecisionTables large = small_decisions();
  large.schema = *ldp::Schema::make(
      {{"word", 14'999, ldp::ColumnKind::binary, 0, 1, 0}, {"age", 1, ldp::ColumnKind::number, 0, 100, 50}});
  large.model.weights.resize(45'000);
  for (std::int16_t& weight : large.model.weights)
    weight = static_cast<std::int16_t>(static_cast<int>(draw() % 255) - 127);
  all.push_back(decisions_of(large, 0, draw));
  return all;
}

int write(const char* path, const json& content) {
  std::ofstream file(path);
  file << content.dump();
  return file.flush() ? 0 : 1;
}

// The cases with a plan of each schema.
json features(const char* cases_file) {
  json cases = feature_cases(cases_file);
  for (const auto& [name, plan] : feature_plans(cases)) cases["plans"][name] = plan.text();
  return cases;
}

int write_all(const char* reports, const char* plans, const char* cases_file, const char* cases, const char* decided) {
  std::mt19937_64 draw(20260104);  // fixed: the same vectors every time
  json all = json::array();
  for (int i = 0; i < kPlans; ++i) all.push_back(vectors_of(i, draw));
  return write(reports, all) + write(plans, verdicts(draw)) + write(cases, features(cases_file)) +
         write(decided, decisions(draw));
}

}  // namespace
}  // namespace ppgnn::test

int main(int argc, char** argv) {
  return argc == 6 ? ppgnn::test::write_all(argv[1], argv[2], argv[3], argv[4], argv[5]) : 2;
}
