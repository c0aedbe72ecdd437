#include "ppgnn/ldp/published_model.hpp"

#include <algorithm>
#include <utility>

#include "ldp/plan_text.hpp"
#include "ldp/sealed_text.hpp"
#include "ppgnn/core/text.hpp"

namespace ppgnn::ldp {

namespace {

constexpr std::string_view kWhat = "model";
constexpr int kMostOdds = 32767;

bool is_odds(std::int16_t one) noexcept {
  return one <= 0 && one >= -kMostOdds;
}

std::string problem_with_tables(const DecisionTables& tables) {
  if (!is_campaign_name(tables.campaign)) return std::string(kCampaignName);
  for (const ColumnGroup& group : tables.schema.groups()) {
    if (group.kind == ColumnKind::category) return "schema: decisions take no category columns";
  }
  if (std::string wrong = problem_with(tables.model, tables.schema); !wrong.empty()) {
    return filled("question: {}", {wrong});
  }
  if (tables.model.fused() || !tables.model.confident.empty()) return "question: a published model asks nothing";
  if (tables.usual.size() != tables.model.classes.size()) return "usual: there must be one for each class";
  const bool largest = std::find(tables.usual.begin(), tables.usual.end(), 0) != tables.usual.end();
  if (!largest || !std::all_of(tables.usual.begin(), tables.usual.end(), is_odds))
    return "usual: the largest must be 0";
  for (const HintStep& step : tables.steps) {
    if (!is_odds(step.second) || !is_odds(step.others)) return "step: no class is likelier than the first";
    if (tables.hint == HintKind::full && step != HintStep{}) return "step: full hints have none";
  }
  return {};
}

std::string text_of(const DecisionTables& tables) {
  std::string text = filled("ppgnn-model 1\ncampaign {}", {tables.campaign});
  text += columns_text(tables.schema);
  text += model_text(tables.model);
  text += filled("\nevidence {}\nhint {}\nusual", {tables.evidence, to_text(tables.hint)});
  for (const std::int16_t one : tables.usual) text += filled(" {}", {one});
  if (tables.hint == HintKind::coarse) {
    for (const HintStep& step : tables.steps) text += filled("\nstep second {} others {}", {step.second, step.others});
  }
  return text + "\n";
}

std::int16_t read_odds(TextReader& reader) {
  return static_cast<std::int16_t>(reader.whole(kMostOdds));
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
  reader.expect("evidence");
  tables.evidence = static_cast<std::uint32_t>(reader.integer(~std::uint32_t{0}));
  reader.next_line();
  reader.expect("hint");
  tables.hint = reader.choice({HintKind::coarse, HintKind::full});
  reader.next_line();
  reader.expect("usual");
  while (reader.in_line() && reader.problem().empty()) tables.usual.push_back(read_odds(reader));
  reader.next_line();
  for (HintStep& step : tables.steps) {
    if (tables.hint == HintKind::full) break;
    reader.expect("step");
    reader.expect("second");
    step.second = read_odds(reader);
    reader.expect("others");
    step.others = read_odds(reader);
    reader.next_line();
  }
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

std::string_view to_text(HintKind kind) noexcept {
  return kind == HintKind::coarse ? "coarse" : "full";
}

}  // namespace ppgnn::ldp
