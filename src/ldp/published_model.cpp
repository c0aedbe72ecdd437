#include "ppgnn/ldp/published_model.hpp"

#include <algorithm>
#include <utility>

#include "ldp/plan_text.hpp"
#include "ldp/sealed_text.hpp"
#include "ppgnn/core/text.hpp"
#include "ppgnn/ldp/plan.hpp"

namespace ppgnn::ldp {

namespace {

constexpr std::string_view kWhat = "model";
constexpr int kMostOdds = 32767;
// The lines of odds, of which only coarse hints have the last two.
constexpr std::array<std::string_view, 3> kLines{"usual", "second", "others"};

std::size_t lines_of(HintKind hint) noexcept {
  return hint == HintKind::coarse ? kLines.size() : 1;
}

std::span<std::int16_t> odds_of(DecisionScale& scale, std::size_t line) noexcept {
  if (line == 0) return scale.usual;
  return line == 1 ? scale.second : scale.others;
}

// nullptr: nothing.
const char* problem_with_scale(DecisionScale& scale, std::size_t classes) noexcept {
  if (scale.usual.size() != classes) return "usual: there must be one for each class";
  if (*std::max_element(scale.usual.begin(), scale.usual.end()) != 0) return "usual: the largest must be 0";
  for (std::size_t i = 0; i < kLines.size(); ++i) {
    const auto odds = odds_of(scale, i);
    const auto [least, most] = std::minmax_element(odds.begin(), odds.end());
    if (*most > 0 || *least < -kMostOdds) return "second, others: no class is likelier than the first, or impossible";
  }
  const bool steps = scale.second != decltype(scale.second){} || scale.others != decltype(scale.others){};
  if (steps && scale.hint == HintKind::full) return "second, others: full hints have none";
  return nullptr;
}

std::string problem_with_tables(DecisionTables& tables) {
  if (!is_campaign_name(tables.campaign)) return std::string(kCampaignName);
  for (const ColumnGroup& group : tables.schema.groups()) {
    if (group.kind == ColumnKind::category) return "schema: decisions take no category columns";
  }
  if (std::string wrong = problem_with(tables.model, tables.schema); !wrong.empty()) {
    return filled("question: {}", {wrong});
  }
  if (tables.model.fused() || !tables.model.confident.empty()) return "question: a published model asks nothing";
  const char* wrong = problem_with_scale(tables, tables.model.classes.size());
  return wrong != nullptr ? wrong : "";
}

std::string scale_text(DecisionScale& scale) {
  std::string text = filled("evidence {}\nhint {}", {scale.evidence, to_text(scale.hint)});
  for (std::size_t i = 0; i < lines_of(scale.hint); ++i) {
    text += filled("\n{}", {kLines[i]});
    for (const std::int16_t one : odds_of(scale, i)) text += filled(" {}", {one});
  }
  return text += '\n';
}

std::string text_of(DecisionTables& tables) {
  return filled("ppgnn-model 1\ncampaign {}{}{}\n{}",
                {tables.campaign, columns_text(tables.schema), model_text(tables.model), scale_text(tables)});
}

void read_scale(TextReader& reader, std::size_t classes, DecisionScale& scale) {
  reader.expect("evidence");
  scale.evidence = static_cast<std::uint32_t>(reader.integer(~std::uint32_t{0}));
  reader.next_line();
  reader.expect("hint");
  scale.hint = reader.at("full") ? HintKind::full : HintKind::coarse;
  reader.expect(to_text(scale.hint));
  scale.usual = std::vector<std::int16_t>(classes);
  for (std::size_t i = 0; i < lines_of(scale.hint); ++i) {
    reader.next_line();
    reader.expect(kLines[i]);
    for (std::int16_t& one : odds_of(scale, i)) one = static_cast<std::int16_t>(reader.whole(kMostOdds));
  }
  reader.next_line();
}

Result<DecisionTables> tables_of(std::string_view body) {
  TextReader reader(kWhat, body);
  DecisionTables tables;
  reader.expect("ppgnn-model");
  static_cast<void>(reader.integer(1));
  reader.next_line();
  reader.expect("campaign");
  tables.campaign = reader.rest_of_line();
  reader.next_line();
  std::vector<ColumnGroup> groups = read_columns(reader);
  tables.model = read_model(reader);
  read_scale(reader, tables.model.classes.size(), tables);
  if (!reader.problem().empty()) return Error{ErrorCode::malformed, reader.problem()};
  if (!reader.at_end()) return Error{ErrorCode::malformed, "model: unexpected text after the last line"};
  Result<Schema> schema = Schema::make(std::move(groups));
  if (!schema) return schema.error();
  tables.schema = std::move(schema).value();
  return tables;
}

}  // namespace

Result<PublishedModel> PublishedModel::make(DecisionTables tables) {
  if (const std::string wrong = problem_with_tables(tables); !wrong.empty()) {
    return Error{ErrorCode::invalid_argument, filled("{}: {}", {kWhat, wrong})};
  }
  PublishedModel model;
  model.text_ = text_of(tables);
  model.hash_ = seal(model.text_);
  model.tables_ = std::move(tables);
  return model;
}

Result<PublishedModel> PublishedModel::parse(std::string_view text) {
  const Result<std::string_view> body = unsealed(kWhat, text);
  if (!body) return body.error();
  Result<DecisionTables> tables = tables_of(*body);
  if (!tables) return tables.error();
  Result<PublishedModel> model = make(std::move(tables).value());
  if (model && model->text() != text) return not_canonical(kWhat);
  return model;
}

Result<void> PlannedModel::read(std::string_view text, const Plan& plan) {
  const Result<std::string_view> body = unsealed(kWhat, text);
  if (!body) return body.error();
  // Nothing that the plan says is read again: its own lines, without what only a question needs, are the model's.
  const std::string_view lines(plan.text());
  const PlanTables& asked = plan.tables();
  if (asked.model && !asked.model->fused()) {
    const std::size_t question = lines.find("\nquestion ");
    const std::size_t classes = lines.find('\n', question + 1);
    const std::size_t shared = lines.find("\ncolumns ");
    std::string_view rest = *body;
    bool same = true;
    const auto take = [&](std::string_view part) {
      same = same && rest.starts_with(part);
      rest.remove_prefix(same ? part.size() : 0);
    };
    take("ppgnn-model 1\ncampaign ");
    take(asked.campaign->name);
    take(lines.substr(shared, std::min(classes, lines.find(" confident ", question)) - shared));
    take(lines.substr(classes, lines.rfind("\nlevels ") + 1 - classes));
    TextReader reader(kWhat, rest);
    read_scale(reader, asked.model->classes.size(), *this);
    hash = sha256(*body);
    if (same && reader.problem().empty() && reader.at_end()) return {};
  }
  return Error{ErrorCode::mismatch, "model: not of this plan"};
}

std::string_view to_text(HintKind kind) noexcept {
  return kind == HintKind::coarse ? "coarse" : "full";
}

}  // namespace ppgnn::ldp
