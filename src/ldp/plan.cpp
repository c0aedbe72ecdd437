#include "ppgnn/ldp/plan.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "ppgnn/core/number.hpp"
#include "ppgnn/ldp/mechanism.hpp"
#include "ppgnn/random/samplers.hpp"

namespace ppgnn::ldp {

namespace {

constexpr std::string_view kHeading = "ppgnn-plan 1";
constexpr std::string_view kHashKey = "sha256 ";

// A bound check that also refuses NaN.
bool within(double value, double low, double high) noexcept {
  return value >= low && value <= high;
}

std::string must_be(const std::string& field, double low, double high, double value) {
  return field + ": must be between " + format_number(low) + " and " + format_number(high) + ", but is " +
         format_number(value);
}

std::string problem_with_level(const PlanTables& tables, std::size_t index) {
  const PlanLevel& level = tables.levels[index];
  const std::string name = "budgets: level " + std::to_string(index + 1);
  if (!within(level.budget, kMinBudget, kMaxBudget)) return must_be(name, kMinBudget, kMaxBudget, level.budget);
  if (index > 0 && !(level.budget > tables.levels[index - 1].budget)) {
    return name + ": must be above level " + std::to_string(index) + " (" +
           format_number(tables.levels[index - 1].budget) + "), but is " + format_number(level.budget);
  }
  if (!within(level.prior, 0, 1)) return must_be("prior: level " + std::to_string(index + 1), 0, 1, level.prior);
  const std::uint32_t most =
      with_mechanism(tables.kind, [&](auto mechanism) { return decltype(mechanism)::most_sampled(tables.schema); });
  if (level.sampled < 1 || level.sampled > most) {
    return must_be("sampled: level " + std::to_string(index + 1), 1, most, level.sampled);
  }
  const bool one_size = tables.secrecy == LevelSecrecy::public_level || level.sampled == tables.levels[0].sampled;
  if (!one_size) return "sampled: must be the same for every level where levels are protected";
  const auto [low, high] =
      with_mechanism(tables.kind, [&](auto mechanism) { return decltype(mechanism)::entries(tables.shape(level)); });
  if (level.entry < low || level.entry > high) {
    return "entry: level " + std::to_string(index + 1) + ": must be between " + std::to_string(low) + " and " +
           std::to_string(high);
  }
  return {};
}

std::string problem_with(const PlanTables& tables) {
  if (tables.levels.empty() || tables.levels.size() > kMaxLevels) {
    return "budgets: there must be 1 to " + std::to_string(kMaxLevels) + " levels, but there are " +
           std::to_string(tables.levels.size());
  }
  if (tables.schema.dim() == 0) return "schema: must have at least one column (dim is 0)";
  const std::string misfit =
      with_mechanism(tables.kind, [&](auto mechanism) { return decltype(mechanism)::problem_with(tables.schema); });
  if (!misfit.empty()) return "schema: " + misfit;

  double prior_sum = 0;
  for (std::size_t i = 0; i < tables.levels.size(); ++i) {
    if (std::string problem = problem_with_level(tables, i); !problem.empty()) return problem;
    prior_sum += tables.levels[i].prior;
  }
  if (std::abs(prior_sum - 1) > 1e-9) return "prior: must sum to 1, but sums to " + format_number(prior_sum);

  if (!(tables.gamma >= 0 && tables.gamma < 1)) {
    return "gamma: must be at least 0 and below 1, but is " + format_number(tables.gamma);
  }
  if (tables.secrecy == LevelSecrecy::public_level) {
    if (tables.gamma != 0) return "gamma: must be 0 where levels are public, but is " + format_number(tables.gamma);
    if (tables.level_budget != 0) return "level_budget: has no meaning where levels are public";
  } else if (!within(tables.level_budget, kMinBudget, kMaxBudget)) {
    return must_be("level_budget", kMinBudget, kMaxBudget, tables.level_budget);
  }
  if ((tables.gamma > 0) != tables.level_response.has_value()) {
    return "level_response: must be present exactly when gamma is above 0";
  }
  if (const auto& response = tables.level_response) {
    const double lambda = tables.gamma * tables.levels[0].budget;
    if (!(tables.level_budget > lambda)) {
      return "level_budget: must be above gamma times the strictest budget (" + format_number(lambda) + "), but is " +
             format_number(tables.level_budget);
    }
    if (response->levels != tables.levels.size() || response->radius > (tables.levels.size() - 1) / 2 ||
        response->weight < random::kWeightOut || response->weight > random::kMaxWeightIn) {
      return "level_response: radius or weight out of range";
    }
    if (!response->agrees_with(lambda)) {
      return "gamma: " + format_number(tables.gamma) + " of the strictest budget is " + format_number(lambda) +
             ", but the level report is made for another budget";
    }
  }
  return {};
}

// A number as plans write it; zero has one spelling.
std::string number(double value) {
  return format_number(value + 0.0);
}

std::string body_of(const PlanTables& tables) {
  std::string text(kHeading);
  text += "\nkind ";
  text += to_text(tables.kind);
  for (const ColumnGroup& group : tables.schema.groups()) {
    text += "\ncolumns " + std::to_string(group.count) + " ";
    text += to_text(group.kind);
    text += " from " + number(group.low) + " to " + number(group.high) + " absent " + number(group.absent) + " named " +
            group.name;
  }
  text += "\nlevels ";
  text += to_text(tables.secrecy);
  if (tables.secrecy == LevelSecrecy::protected_level) text += " " + number(tables.level_budget);
  text += "\ngamma " + number(tables.gamma);
  for (const PlanLevel& level : tables.levels) {
    text += "\nlevel budget " + number(level.budget) + " prior " + number(level.prior) + " sampled " +
            std::to_string(level.sampled) + " entry " + std::to_string(level.entry);
  }
  if (const auto& response = tables.level_response) {
    text += "\nlevel-report radius " + std::to_string(response->radius) + " weight " + std::to_string(response->weight);
  }
  return text + "\n";
}

// Takes a text apart word by word and line by line. The first thing that does not fit is remembered; later calls return
// zeros. Exactness (spaces, number forms, order) is checked by writing the plan again and comparing bytes.
class TextReader {
 public:
  explicit TextReader(std::string_view text) noexcept : rest_(text) { next_line(); }

  [[nodiscard]] bool at_end() const noexcept { return done_; }
  [[nodiscard]] bool at(std::string_view key) const noexcept { return line_.starts_with(key); }
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

  void next_line() noexcept {
    ++number_;
    done_ = rest_.empty();
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
  }

  void expect(std::string_view word) {
    if (take() != word) fail("'" + std::string(word) + "'");
  }
  double number() { return checked(parse_number(take()), "a number"); }
  std::uint64_t integer(std::uint64_t most) {
    const std::uint64_t value = checked(parse_unsigned(take()), "a whole number");
    if (value > most) fail("a whole number up to " + std::to_string(most));
    return value;
  }
  template <class Choice>
  Choice choice(std::span<const Choice> choices) {
    const std::string_view word = take();
    for (const Choice one : choices) {
      if (to_text(one) == word) return one;
    }
    fail("one of the documented words");
    return choices.front();
  }
  template <class Choice>
  Choice choice(std::initializer_list<Choice> choices) {
    return choice(std::span<const Choice>(choices.begin(), choices.size()));
  }
  std::string_view rest_of_line() noexcept { return std::exchange(line_, {}); }

 private:
  std::string_view take() noexcept {
    const std::size_t end = std::min(line_.find(' '), line_.size());
    const std::string_view word = line_.substr(0, end);
    line_.remove_prefix(std::min(end + 1, line_.size()));
    return word;
  }
  template <class Value>
  Value checked(const std::optional<Value>& value, const std::string& wanted) {
    if (!value) fail(wanted);
    return value.value_or(Value{});
  }
  void fail(const std::string& wanted) {
    if (problem_.empty()) problem_ = "plan: line " + std::to_string(number_) + ": expected " + wanted;
  }

  std::string_view rest_;
  std::string_view line_;
  std::string problem_;
  std::size_t number_ = 0;
  bool done_ = false;
};

ColumnGroup read_columns(TextReader& reader) {
  ColumnGroup group;
  reader.expect("columns");
  group.count = static_cast<std::uint32_t>(reader.integer(kMaxColumns));
  group.kind = reader.choice({ColumnKind::binary, ColumnKind::number, ColumnKind::category});
  reader.expect("from");
  group.low = reader.number();
  reader.expect("to");
  group.high = reader.number();
  reader.expect("absent");
  group.absent = reader.number();
  reader.expect("named");
  group.name = reader.rest_of_line();
  reader.next_line();
  return group;
}

PlanLevel read_level(TextReader& reader) {
  PlanLevel level;
  reader.expect("level");
  reader.expect("budget");
  level.budget = reader.number();
  reader.expect("prior");
  level.prior = reader.number();
  reader.expect("sampled");
  level.sampled = static_cast<std::uint32_t>(reader.integer(random::kMaxSubset));
  reader.expect("entry");
  level.entry = reader.integer(~std::uint64_t{0});
  reader.next_line();
  return level;
}

Result<PlanTables> read_body(std::string_view body) {
  TextReader reader(body);
  PlanTables tables;
  std::vector<ColumnGroup> groups;
  reader.expect("ppgnn-plan");
  reader.expect("1");
  reader.next_line();
  reader.expect("kind");
  tables.kind = reader.choice(std::span<const ReportKind>(kReportKinds));
  reader.next_line();
  while (reader.at("columns ") && reader.problem().empty()) groups.push_back(read_columns(reader));
  reader.expect("levels");
  tables.secrecy = reader.choice({LevelSecrecy::protected_level, LevelSecrecy::public_level});
  if (tables.secrecy == LevelSecrecy::protected_level) tables.level_budget = reader.number();
  reader.next_line();
  reader.expect("gamma");
  tables.gamma = reader.number();
  reader.next_line();
  while (reader.at("level ") && reader.problem().empty()) tables.levels.push_back(read_level(reader));
  if (reader.at("level-report ")) {
    LevelResponse response{.levels = static_cast<std::uint32_t>(tables.levels.size())};
    reader.expect("level-report");
    reader.expect("radius");
    response.radius = static_cast<std::uint32_t>(reader.integer(kMaxLevels));
    reader.expect("weight");
    response.weight = reader.integer(~std::uint64_t{0});
    tables.level_response = response;
    reader.next_line();
  }
  if (!reader.problem().empty()) return Error{ErrorCode::malformed, reader.problem()};
  if (!reader.at_end()) return Error{ErrorCode::malformed, "plan: unexpected text after the last level"};
  Result<Schema> schema = Schema::make(std::move(groups));
  if (!schema) return schema.error();
  tables.schema = std::move(schema).value();
  return tables;
}

}  // namespace

Shape PlanTables::shape(const PlanLevel& level) const noexcept {
  return with_mechanism(kind, [&](auto mechanism) { return decltype(mechanism)::shape(schema, level.sampled); });
}

Result<void> validate(const PlanTables& tables) {
  std::string problem = problem_with(tables);
  if (problem.empty()) return {};
  return Error{ErrorCode::invalid_argument, std::move(problem)};
}

Result<Plan> Plan::make(PlanTables tables) {
  if (Result<void> valid = validate(tables); !valid) return valid.error();
  Plan plan;
  plan.certificate_ = certify(tables);
  if (!plan.certificate_.holds()) {
    return Error{ErrorCode::certificate, "certificate: " + plan.certificate_.violations.front()};
  }
  plan.text_ = body_of(tables);
  plan.hash_ = sha256(plan.text_);
  plan.text_.append(kHashKey).append(to_hex(plan.hash_)).append("\n");
  plan.tables_ = std::move(tables);
  return plan;
}

Result<Plan> Plan::parse(std::string_view text) {
  const std::size_t hash_line = text.rfind(kHashKey);
  if (!text.starts_with(kHeading))
    return Error{ErrorCode::malformed, "plan: line 1: expected '" + std::string(kHeading) + "'"};
  if (hash_line == std::string_view::npos || text[hash_line - 1] != '\n') {
    return Error{ErrorCode::malformed, "plan: the hash line is missing (cut off?)"};
  }
  const std::string_view body = text.substr(0, hash_line);
  if (text.substr(hash_line + kHashKey.size()) != to_hex(sha256(body)) + "\n") {
    return Error{ErrorCode::malformed, "plan: the hash does not fit the text (edited or cut off)"};
  }
  Result<PlanTables> tables = read_body(body);
  if (!tables) return tables.error();
  Result<Plan> plan = make(std::move(tables).value());
  if (plan && plan->text() != text) return Error{ErrorCode::malformed, "plan: the text is not in canonical form"};
  return plan;
}

std::string_view to_text(LevelSecrecy secrecy) noexcept {
  return secrecy == LevelSecrecy::protected_level ? "protected" : "public";
}

}  // namespace ppgnn::ldp
