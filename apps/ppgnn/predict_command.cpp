// ppgnn predict: class and probability of every node under a trained model.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "campaign_options.hpp"
#include "command.hpp"
#include "output_files.hpp"
#include "ppgnn/core/version.hpp"
#include "ppgnn/io/files.hpp"
#include "ppgnn/plan_files/plan_files.hpp"
#include "ppgnn/server/predictions.hpp"
#include "ppgnn/server/served_model.hpp"
#include "run_options.hpp"

namespace ppgnn::app {

namespace {

using nlohmann::ordered_json;

struct PredictOptions {
  DataChoice data;
  std::string plan_file;
  ReportsChoice reports;
  PlaceChoice place;
  std::string model_file;
  std::string output;
  std::uint64_t threads = 0;
  const CLI::App* command = nullptr;
  bool json = false;
};

// By a model, on its graph and reports or on others. `exact`: the probabilities, not rounded as in the text.
Result<std::string> by_model(const PredictOptions& options, std::vector<double>& exact) {
  const Result<server::ServedModel> model = server::read_served_model(options.model_file);
  if (!model) return model.error();
  const Result<ldp::Plan> plan = plan_files::read_plan(options.plan_file);
  if (!plan) return plan.error();
  if (model->plan_hash != to_hex(plan->hash())) {
    return Error{ErrorCode::mismatch, options.plan_file + ": the model was trained with reports of another plan"};
  }
  Result<graph::Dataset> dataset = options.data.load(graph::MissingFeatures::accept);
  if (!dataset) return dataset.error();
  print_notes(*dataset);
  dataset = server::for_prediction(*model, std::move(dataset).value());
  if (!dataset) return io::in_file(options.model_file, dataset.error());
  const auto reports = options.reports.read(*dataset, *plan);
  if (!reports) return reports.error();
  const Result<server::Problem> problem = server::Problem::make(*dataset);
  if (!problem) return problem.error();
  const Result<train::Predictions> made = server::predict(*model, *problem, *plan, *reports, options.threads);
  if (!made) return made.error();
  server::ClassTable table = server::ClassTable::make(model->classes, *made);
  std::string text = server::predictions_text(dataset->nodes, table);
  exact = std::move(table.probabilities);
  return text;
}

// What a training kept.
Result<std::string> of_campaign(const PredictOptions& options, std::string& name) {
  const std::vector<std::string> useful{"--folder", "--store", "--out", "--json"};
  const std::string why = "ppgnn train made the predictions of this campaign; they are only read";
  if (Result<void> given = check_given(*options.command, useful, why); !given) return given.error();
  const Result<std::unique_ptr<campaign::Place>> place = options.place.open();
  if (!place) return place.error();
  const Result<campaign::State> state = (*place)->load();
  if (!state) return state.error();
  name = state->name;
  Result<std::optional<std::string>> text = (*place)->predictions();
  if (!text) return text.error();
  if (*text) return std::move(**text);
  return Error{ErrorCode::mismatch,
               (*place)->where() + ": there are no predictions yet (ppgnn train " + options.place.words() + ")"};
}

Status run_predict(const PredictOptions& options) {
  const bool campaign = options.place.given();
  if (!campaign && (options.model_file.empty() || options.plan_file.empty() || options.reports.files.empty())) {
    return fail(invalid("--model, --plan and --reports are missing, or --folder or --store of a campaign"));
  }
  const std::vector<NamedFile> outputs{{"--out", options.output}};
  std::vector<NamedFile> inputs{{"--model", options.model_file}, {"--plan", options.plan_file}};
  options.reports.add_inputs(inputs);
  Result<void> apart = check_apart(inputs, outputs);
  if (apart && !campaign) apart = options.data.check_apart(outputs);
  if (!apart) return fail(apart.error());
  std::string name;
  std::vector<double> exact;
  const Result<std::string> text = campaign ? of_campaign(options, name) : by_model(options, exact);
  if (!text) return fail(text.error());
  if (!options.output.empty()) {
    if (Result<void> written = io::write_text(options.output, *text); !written) return fail(written.error());
  }
  if (!options.json) {
    if (options.output.empty()) fmt::print("{}", *text);
    return Status::success;
  }
  const Result<std::vector<server::Prediction>> lines = server::parse_predictions({"predictions", *text});
  if (!lines) return fail(lines.error());
  ordered_json all;
  all[campaign ? "campaign" : "model"] = campaign ? name : options.model_file;
  all["predictions"] = ordered_json::array();
  for (std::size_t i = 0; i < lines->size(); ++i) {
    const server::Prediction& one = (*lines)[i];
    all["predictions"].push_back(
        {{"node", one.node}, {"class", one.name}, {"probability", exact.empty() ? one.probability : exact[i]}});
  }
  all["version"] = version();
  print_json(all);
  return Status::success;
}

}  // namespace

void add_predict(CLI::App& app, Action& action) {
  auto options = std::make_shared<PredictOptions>();
  CLI::App* predict =
      app.add_subcommand("predict", "Class and probability of every node, also of people who came later");
  options->command = predict;
  options->data.add_to(*predict);
  auto* plan = predict->add_option("--plan", options->plan_file, std::string("Plan file") + kOrStandardInput);
  options->reports.add_to(*predict);
  auto* model = predict->add_option("--model", options->model_file, "Model file of ppgnn train");
  options->place.add_to(*predict);
  for (const char* where : {"--folder", "--store"}) predict->get_option(where)->excludes(plan)->excludes(model);
  predict->add_option("--out", options->output, "CSV file to write; default: standard output");
  predict->add_option("--threads", options->threads, "0: one per core")->capture_default_str();
  whole_numbers(*predict, {{"--threads", kernels::kMaxThreads}});
  predict->add_flag("--json", options->json, "Print one JSON object");
  predict->footer(
      "Examples (after ppgnn train):\n"
      "  ppgnn predict --data synthetic:social,nodes=500 --plan plan.txt --reports reports.csv --model "
      "model.bin\n\nAfter ppgnn train --folder or --store: ppgnn predict --folder spring, or --store sqlite:spring.db");
  predict->callback([options, &action] { action = [options] { return run_predict(*options); }; });
}

}  // namespace ppgnn::app
