#include "ldp/plan_text.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ppgnn/core/text.hpp"
#include "ppgnn/ldp/mechanism.hpp"
#include "ppgnn/ldp/payload.hpp"

namespace ppgnn::ldp {

namespace {

// A number as plans write it; zero has one spelling.
Part number(double value) noexcept {
  return value + 0.0;
}

}  // namespace

std::string columns_text(const Schema& schema) {
  std::string text;
  for (const ColumnGroup& group : schema.groups()) {
    text += filled(
        "\ncolumns {} {} from {} to {} absent {} named {}",
        {group.count, to_text(group.kind), number(group.low), number(group.high), number(group.absent), group.name});
  }
  return text;
}

std::string model_text(const QuestionModel& model) {
  std::string text = filled("\nquestion bits {} unit {}", {model.width, model.unit});
  if (model.length > 0) text += filled(" length {}", {model.length});
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

std::string plan_text(const PlanTables& tables) {
  std::string text = filled("{}\nkind {}", {tables.campaign ? "ppgnn-plan 2" : "ppgnn-plan 1", to_text(tables.kind)});
  if (const auto& campaign = tables.campaign) {
    text +=
        filled("\ncampaign {}\nrole {}\npeople {}\nrule {}\ncodebook {}",
               {campaign->name, to_text(campaign->role), to_hex(campaign->people), campaign->rule, tables.codebook});
  }
  text += columns_text(tables.schema);
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
  text += '\n';
  return text;
}

namespace {

ColumnGroup read_group(TextReader& reader) {
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

}  // namespace

std::vector<ColumnGroup> read_columns(TextReader& reader) {
  std::vector<ColumnGroup> groups;
  while (reader.at("columns ") && reader.problem().empty()) groups.push_back(read_group(reader));
  return groups;
}

// Sizes are held against the schema and the limits when the plan is validated; no memory follows a number read here.
QuestionModel read_model(TextReader& reader) {
  QuestionModel model;
  reader.expect("question");
  reader.expect("bits");
  model.width = static_cast<int>(reader.integer(16));
  reader.expect("unit");
  model.unit = static_cast<std::uint32_t>(reader.integer(kMaxUnit));
  if (reader.at("length ")) {
    reader.expect("length");
    model.length = reader.integer(kMaxLength);
  }
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

Result<PlanTables> parse_plan_text(std::string_view body) {
  TextReader reader("plan", body);
  PlanTables tables;
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
  std::vector<ColumnGroup> groups = read_columns(reader);
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
