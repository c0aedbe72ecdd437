#include "predictions.hpp"

#include <fmt/core.h>

#include <utility>

#include "command.hpp"
#include "ppgnn/core/number.hpp"
#include "ppgnn/io/csv.hpp"
#include "ppgnn/teach/conclusion.hpp"

namespace ppgnn::app {

using nlohmann::ordered_json;

Result<Predicted> conclude(RoundInputs inputs, const StructureChoice& choice) {
  const Result<teach::Beliefs> structure = choice.beliefs(inputs.dataset, inputs.split);
  if (!structure) return structure.error();
  const teach::Conclusion conclusion = teach::conclude(inputs.dataset, inputs.split, *structure, choice.all_labels(),
                                                       inputs.plan, inputs.questions, inputs.reports);
  Predicted made{
      std::move(inputs.dataset), inputs.plan.tables().model->classes, teach::classes_of(conclusion.beliefs), {}, {}};
  for (std::size_t node = 0; node < made.likeliest.size(); ++node) {
    made.probabilities.push_back(static_cast<double>(conclusion.beliefs.of(node)[made.likeliest[node]]));
  }
  made.more = {{"campaign", inputs.plan.tables().campaign->name},
               {"labels", choice.labels},
               {"answers", inputs.reports.size()},
               {"answers_used", conclusion.used},
               {"answers_spread", conclusion.spread}};
  if (!inputs.split.test.empty()) {
    const auto judge = [&](const teach::Beliefs& beliefs) {
      const teach::Quality quality = teach::quality_of(beliefs, made.dataset.labels.span(), inputs.split.test);
      return ordered_json{{"accuracy", quality.accuracy}, {"log_loss", quality.log_loss}};
    };
    made.more["test"] = judge(conclusion.beliefs);
    made.more["test_graph_alone"] = judge(teach::calibrated(*structure, made.dataset.labels.span(), inputs.split));
  }
  if (!conclusion.used) say("the answers made nothing likelier for the validation people: predictions are the graph's");
  return made;
}

std::string predictions_csv(const Predicted& predicted) {
  std::string text = "node,class,probability\n";
  for (std::uint32_t node = 0; node < predicted.dataset.num_nodes(); ++node) {
    text += fmt::format("{},{},{:.6f}\n", io::csv_field(predicted.dataset.nodes.name(node)),
                        io::csv_field(predicted.classes[predicted.likeliest[node]]), predicted.probabilities[node]);
  }
  return text;
}

Result<ordered_json> prediction_lines(const std::string& csv) {
  Result<io::CsvReader> reader = io::CsvReader::make({"predictions", csv}, io::Separator::comma);
  if (!reader) return reader.error();
  ordered_json lines = ordered_json::array();
  bool header = true;
  while (true) {
    const Result<bool> more = reader->next();
    if (!more) return more.error();
    if (!*more) return lines;
    const auto fields = reader->fields();
    if (std::exchange(header, false)) continue;
    if (fields.size() != 3) return reader->error("expected node,class,probability");
    lines.push_back({{"node", fields[0]}, {"class", fields[1]}, {"probability", parse_number(fields[2]).value_or(0)}});
  }
}

}  // namespace ppgnn::app
