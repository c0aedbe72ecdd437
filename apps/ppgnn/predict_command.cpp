// ppgnn predict: class and probability of every node under a trained model.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "campaign_files.hpp"
#include "command.hpp"
#include "output_files.hpp"
#include "ppgnn/core/version.hpp"
#include "ppgnn/io/files.hpp"
#include "ppgnn/plan_files/plan_files.hpp"
#include "ppgnn/server/served_model.hpp"
#include "predictions.hpp"
#include "run_options.hpp"

namespace ppgnn::app {

namespace {

using nlohmann::ordered_json;

struct PredictOptions {
  DataChoice data;
  std::string plan_file;
  ReportsChoice reports;
  StructureChoice structure;
  std::string model_file;
  std::string campaign;
  std::string pilots_file;
  std::string store;
  std::string output;
  std::vector<CLI::Option*> campaign_only;
  bool json = false;
};

Result<Predicted> by_model(const PredictOptions& options) {
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
  Result<train::Predictions> predictions =
      server::predict(*model, *problem, *plan, *reports, options.structure.threads);
  if (!predictions) return predictions.error();
  Predicted made{std::move(dataset).value(), model->classes, std::move(predictions->classes), {}, {}};
  for (std::size_t node = 0; node < made.likeliest.size(); ++node) {
    made.probabilities.push_back(
        static_cast<double>(predictions->probabilities[node * made.classes.size() + made.likeliest[node]]));
  }
  made.more = {{"model", options.model_file}};
  return made;
}

Result<Predicted> by_campaign(const PredictOptions& options) {
  const teach::CampaignFolder files{options.campaign};
  // The others were not asked where the pilots' answers did not help: then there are the pilots' alone.
  const bool both =
      std::filesystem::exists(files.plan(ldp::Role::pilot)) && std::filesystem::exists(files.plan(ldp::Role::answer));
  if (both != !options.pilots_file.empty()) {
    return Error{ErrorCode::invalid_argument,
                 both ? "--pilots is missing: the pilots of this campaign answered in a round of their own"
                      : "--pilots: goes with a campaign whose pilots answered before the others"};
  }
  const ldp::Role last = last_role(files);
  if (last == ldp::Role::teach) {
    return Error{ErrorCode::mismatch, options.campaign + ": nobody was asked yet (ppgnn campaign ask)"};
  }
  Result<RoundInputs> inputs = read_round(files, last, options.data, options.reports);
  if (!inputs) return inputs.error();
  if (both) {
    if (Result<void> added = add_pilots(files, options.reports, options.pilots_file, *inputs); !added)
      return added.error();
  }
  return conclude(std::move(inputs).value(), options.structure);
}

// What a training on the store concluded.
Status by_store(const PredictOptions& options) {
  const Result<OpenCampaign> opened = open_campaign(options.store);
  if (!opened) return fail(opened.error());
  const Result<std::optional<std::string>> text = opened->store->predictions();
  if (!text) return fail(text.error());
  if (!*text) {
    return fail({ErrorCode::mismatch, options.store + ": there are no predictions yet (ppgnn train --store)"});
  }
  if (!options.output.empty()) {
    if (Result<void> written = io::write_text(options.output, **text); !written) return fail(written.error());
  }
  if (options.json) {
    Result<ordered_json> lines = prediction_lines(**text);
    if (!lines) return fail(lines.error());
    print_json(
        {{"campaign", opened->campaign.name}, {"predictions", std::move(lines).value()}, {"version", version()}});
  } else if (options.output.empty()) {
    fmt::print("{}", **text);
  }
  return Status::success;
}

Status run_predict(const PredictOptions& options) {
  if (!options.store.empty()) return by_store(options);
  if (options.reports.file.empty()) return fail({ErrorCode::invalid_argument, "--reports is missing, or --store"});
  const std::vector<NamedFile> outputs{{"--out", options.output}};
  Result<void> apart = check_apart({{"--model", options.model_file},
                                    {"--plan", options.plan_file},
                                    {"--reports", options.reports.file},
                                    {"--pilots", options.pilots_file}},
                                   outputs);
  if (apart) apart = options.data.check_apart(outputs);
  if (!apart) return fail(apart.error());
  const bool campaign = !options.campaign.empty();
  if (!campaign && (options.model_file.empty() || options.plan_file.empty())) {
    return fail({ErrorCode::invalid_argument, "--model and --plan are missing, or --campaign"});
  }
  for (const CLI::Option* option : options.campaign_only) {
    if (campaign || option->count() == 0) continue;
    return fail({ErrorCode::invalid_argument, option->get_name() + ": goes with --campaign"});
  }
  const Result<Predicted> made = campaign ? by_campaign(options) : by_model(options);
  if (!made) return fail(made.error());

  if (options.json) {
    ordered_json lines = ordered_json::array();
    for (std::uint32_t node = 0; node < made->dataset.num_nodes(); ++node) {
      lines.push_back({{"node", made->dataset.nodes.name(node)},
                       {"class", made->classes[made->likeliest[node]]},
                       {"probability", made->probabilities[node]}});
    }
    ordered_json all = made->more;
    all["predictions"] = std::move(lines);
    all["version"] = version();
    print_json(all);
    return Status::success;
  }
  const std::string text = predictions_csv(*made);
  if (options.output.empty()) {
    fmt::print("{}", text);
  } else if (Result<void> written = io::write_text(options.output, text); !written) {
    return fail(written.error());
  }
  return Status::success;
}

}  // namespace

void add_predict(CLI::App& app, Action& action) {
  auto options = std::make_shared<PredictOptions>();
  CLI::App* predict =
      app.add_subcommand("predict", "Class and probability of every node, also of people who came later");
  options->data.add_to(*predict);
  auto* plan = predict->add_option("--plan", options->plan_file, std::string("Plan file") + kOrStandardInput);
  auto* reports = options->reports.add_to(*predict)->required(false);
  auto* model = predict->add_option("--model", options->model_file, "Model file of ppgnn train");
  predict
      ->add_option("--campaign", options->campaign,
                   "Folder of a campaign (ppgnn campaign), instead of --plan and --model; the reports are its answers")
      ->excludes(plan)
      ->excludes(model);
  options->campaign_only.push_back(predict->add_option(
      "--pilots", options->pilots_file,
      "Reports file of the pilots, where they answered in a round of their own (ppgnn campaign ask --pilots)"));
  predict
      ->add_option("--store", options->store,
                   "What ppgnn train --store concluded, instead of all the others: sqlite:PATH")
      ->excludes(plan)
      ->excludes(model)
      ->excludes(reports);
  predict->add_option("--out", options->output, "CSV file to write; default: standard output");
  options->structure.add_to(*predict);
  for (const char* option : {"--labels", "--seed", "--run"}) {
    options->campaign_only.push_back(predict->get_option(option));
  }
  predict->add_flag("--json", options->json, "Print one JSON object");
  predict->footer(
      "Examples (after ppgnn train):\n"
      "  ppgnn predict --data synthetic:social,nodes=500 --plan plan.txt --reports reports.csv --model "
      "model.bin\n\nAfter a campaign: ppgnn campaign --help; after ppgnn train --store: ppgnn predict --store "
      "sqlite:spring.db");
  predict->callback([options, &action] { action = [options] { return run_predict(*options); }; });
}

}  // namespace ppgnn::app
