#include "ldp/plan_text.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ppgnn/core/number.hpp"
#include "ppgnn/core/text.hpp"
#include "ppgnn/ldp/mechanism.hpp"
#include "ppgnn/ldp/payload.hpp"

namespace ppgnn::ldp {

namespace {

// A number as plans write it; zero has one spelling.
Part number(double value) noexcept {
  return value + 0.0;
}

// One line about the question and one for each class, weights as hexadecimal digits.
std::string model_text(const QuestionModel& model) {
  std::string text = filled("\nquestion bits {} unit {}", {model.width, model.unit});
  for (const std::uint32_t lead : model.confident) text += filled(" confident {}", {lead});
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < model.classes.size(); ++i) {
    bytes.clear();
    for (const std::int16_t weight : model.weights_of(i)) {
      append_big_endian(static_cast<std::uint16_t>(weight), static_cast<std::size_t>(model.width) / 8, bytes);
    }
    text += filled("\nclass bias {} weights {} named {}", {model.biases[i], to_hex(bytes), model.classes[i]});
  }
  return text;
}

}  // namespace

std::string plan_text(const PlanTables& tables) {
  std::string text = filled("{}\nkind {}", {tables.campaign ? "ppgnn-plan 2" : "ppgnn-plan 1", to_text(tables.kind)});
  if (const auto& campaign = tables.campaign) {
    text +=
        filled("\ncampaign {}\nrole {}\npeople {}\nrule {}\ncodebook {}",
               {campaign->name, to_text(campaign->role), to_hex(campaign->people), campaign->rule, tables.codebook});
  }
  for (const ColumnGroup& group : tables.schema.groups()) {
    text += filled(
        "\ncolumns {} {} from {} to {} absent {} named {}",
        {group.count, to_text(group.kind), number(group.low), number(group.high), number(group.absent), group.name});
  }
  if (tables.model) text += model_text(*tables.model);
  text += filled("\nlevels {}", {to_text(tables.secrecy)});
  if (tables.secrecy == LevelSecrecy::protected_level) text += filled(" {}", {number(tables.level_budget)});
  text += filled("\ngamma {}", {number(tables.gamma)});
  for (const PlanLevel& level : tables.levels) {
    text += filled("\nlevel budget {} prior {} sampled {}", {number(level.budget), number(level.prior), level.sampled});
    if (level.outcomes > 0) text += filled(" outcomes {} favoured {}", {level.outcomes, level.favoured});
    text += filled(" entry {}", {level.entry});
  }
  if (const auto& response = tables.level_response) {
    text += filled("\nlevel-report radius {} weight {}", {response->radius, response->weight});
  }
  return text + "\n";
}

namespace {

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
    if (take() != word) fail(filled("'{}'", {word}));
  }
  double number() { return checked(parse_number(take()), "a number"); }
  std::uint64_t integer(std::uint64_t most) {
    const std::uint64_t value = checked(parse_unsigned(take()), "a whole number");
    if (value > most) fail(filled("a whole number up to {}", {most}));
    return value;
  }
  std::int64_t whole(std::int64_t most) {
    std::string_view word = take();
    const bool negative = word.starts_with('-');
    if (negative) word.remove_prefix(1);
    const std::uint64_t size = checked(parse_unsigned(word), "a whole number");
    if (size > static_cast<std::uint64_t>(most)) fail(filled("a whole number up to {} in size", {most}));
    const auto value = static_cast<std::int64_t>(std::min(size, static_cast<std::uint64_t>(most)));
    return negative ? -value : value;
  }
  std::vector<std::uint8_t> bytes() { return checked(from_hex(take()), "hexadecimal digits"); }
  [[nodiscard]] bool in_line() const noexcept { return !line_.empty(); }
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
  Value checked(const std::optional<Value>& value, const char* wanted) {
    if (!value) fail(wanted);
    return value ? *value : Value{};
  }
  void fail(const std::string& wanted) {
    if (problem_.empty()) problem_ = filled("plan: line {}: expected {}", {number_, wanted});
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
  if (reader.at("outcomes ")) {
    reader.expect("outcomes");
    level.outcomes = static_cast<std::uint32_t>(reader.integer(kMaxOutcomes));
    reader.expect("favoured");
    level.favoured = static_cast<std::uint32_t>(reader.integer(kMaxFavoured));
  }
  reader.expect("entry");
  level.entry = reader.integer(~std::uint64_t{0});
  reader.next_line();
  return level;
}

Campaign read_campaign(TextReader& reader) {
  Campaign campaign;
  reader.expect("campaign");
  campaign.name = reader.rest_of_line();
  reader.next_line();
  reader.expect("role");
  campaign.role = reader.choice(std::span<const Role>(kRoles));
  reader.next_line();
  reader.expect("people");
  const std::vector<std::uint8_t> digest = reader.bytes();
  if (digest.size() == campaign.people.size()) std::copy(digest.begin(), digest.end(), campaign.people.begin());
  reader.next_line();
  reader.expect("rule");
  campaign.rule = reader.rest_of_line();
  reader.next_line();
  return campaign;
}

// Sizes are held against the schema and the limits when the plan is validated; no memory follows a number read here.
QuestionModel read_model(TextReader& reader) {
  QuestionModel model;
  reader.expect("question");
  reader.expect("bits");
  model.width = static_cast<int>(reader.integer(16));
  reader.expect("unit");
  model.unit = static_cast<std::uint32_t>(reader.integer(kMaxUnit));
  while (reader.in_line() && reader.problem().empty() && model.confident.size() <= kMaxConfidence) {
    reader.expect("confident");
    model.confident.push_back(static_cast<std::uint32_t>(reader.integer(~std::uint32_t{0})));
  }
  reader.next_line();
  while (reader.at("class ") && reader.problem().empty()) {
    reader.expect("class");
    reader.expect("bias");
    model.biases.push_back(static_cast<std::int32_t>(reader.whole(kMaxBias)));
    reader.expect("weights");
    std::span<const std::uint8_t> rest;
    const std::vector<std::uint8_t> bytes = reader.bytes();
    const std::size_t width = model.width == 8 ? 1 : 2;
    for (rest = bytes; rest.size() >= width; rest = rest.subspan(width)) {
      const std::uint64_t value = read_big_endian(rest.first(width));
      model.weights.push_back(width == 1 ? std::int16_t{static_cast<std::int8_t>(value)}
                                         : static_cast<std::int16_t>(value));
    }
    reader.expect("named");
    model.classes.emplace_back(reader.rest_of_line());
    reader.next_line();
  }
  return model;
}

}  // namespace

Result<PlanTables> parse_plan_text(std::string_view body) {
  TextReader reader(body);
  PlanTables tables;
  std::vector<ColumnGroup> groups;
  reader.expect("ppgnn-plan");
  const std::uint64_t version = reader.integer(2);
  reader.next_line();
  reader.expect("kind");
  tables.kind = reader.choice(std::span<const ReportKind>(kReportKinds));
  reader.next_line();
  if (version == 2) {
    tables.campaign = read_campaign(reader);
    reader.expect("codebook");
    tables.codebook = reader.integer(~std::uint64_t{0});
    reader.next_line();
  }
  while (reader.at("columns ") && reader.problem().empty()) groups.push_back(read_columns(reader));
  if (reader.at("question ")) tables.model = read_model(reader);
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

}  // namespace ppgnn::ldp
