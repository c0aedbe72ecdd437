// ppgnn predict: class and probability of every node under a trained model.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "campaign_files.hpp"
#include "command.hpp"
#include "output_files.hpp"
#include "ppgnn/core/version.hpp"
#include "ppgnn/io/csv.hpp"
#include "ppgnn/io/files.hpp"
#include "ppgnn/plan_files/plan_files.hpp"
#include "ppgnn/server/question_files.hpp"
#include "ppgnn/server/served_model.hpp"
#include "ppgnn/teach/conclusion.hpp"
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
  std::string output;
  std::vector<CLI::Option*> campaign_only;
  bool json = false;
};

// Everybody's likeliest class, with what else there is to say.
struct Predicted {
  graph::Dataset dataset;
  std::vector<std::string> classes;
  std::vector<std::uint32_t> likeliest;
  std::vector<double> probabilities;
  ordered_json more;
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
  Result<RoundInputs> inputs = read_round(files, ldp::Role::answer, options.data, options.reports);
  if (!inputs) return inputs.error();
  const Result<server::Questions> questions = server::read_questions(files.questions(), inputs->dataset, inputs->plan);
  if (!questions) return questions.error();
  const Result<teach::Beliefs> structure = options.structure.beliefs(inputs->dataset, inputs->split);
  if (!structure) return structure.error();
  const teach::Conclusion conclusion =
      teach::conclude(inputs->dataset, inputs->split, *structure, options.structure.all_labels(), inputs->plan,
                      *questions, inputs->reports);
  Predicted made{
      std::move(inputs->dataset), inputs->plan.tables().model->classes, teach::classes_of(conclusion.beliefs), {}, {}};
  for (std::size_t node = 0; node < made.likeliest.size(); ++node) {
    made.probabilities.push_back(static_cast<double>(conclusion.beliefs.of(node)[made.likeliest[node]]));
  }
  made.more = {{"campaign", inputs->plan.tables().campaign->name},
               {"labels", options.structure.labels},
               {"answers", inputs->reports.size()},
               {"answers_used", conclusion.used},
               {"answers_spread", conclusion.spread}};
  if (!inputs->split.test.empty()) {
    const auto judge = [&](const teach::Beliefs& beliefs) {
      const teach::Quality quality = teach::quality_of(beliefs, made.dataset.labels.span(), inputs->split.test);
      return ordered_json{{"accuracy", quality.accuracy}, {"log_loss", quality.log_loss}};
    };
    made.more["test"] = judge(conclusion.beliefs);
    made.more["test_graph_alone"] = judge(teach::calibrated(*structure, made.dataset.labels.span(), inputs->split));
  }
  if (!conclusion.used) say("the answers made nothing likelier for the validation people: predictions are the graph's");
  return made;
}

Status run_predict(const PredictOptions& options) {
  const std::vector<NamedFile> outputs{{"--out", options.output}};
  Result<void> apart = check_apart(
      {{"--model", options.model_file}, {"--plan", options.plan_file}, {"--reports", options.reports.file}}, outputs);
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

  const auto name_of = [&](std::uint32_t node) -> const std::string& { return made->classes[made->likeliest[node]]; };
  if (options.json) {
    ordered_json lines = ordered_json::array();
    for (std::uint32_t node = 0; node < made->dataset.num_nodes(); ++node) {
      lines.push_back({{"node", made->dataset.nodes.name(node)},
                       {"class", name_of(node)},
                       {"probability", made->probabilities[node]}});
    }
    ordered_json all = made->more;
    all["predictions"] = std::move(lines);
    all["version"] = version();
    print_json(all);
    return Status::success;
  }
  std::string text = "node,class,probability\n";
  for (std::uint32_t node = 0; node < made->dataset.num_nodes(); ++node) {
    text += fmt::format("{},{},{:.6f}\n", io::csv_field(made->dataset.nodes.name(node)), io::csv_field(name_of(node)),
                        made->probabilities[node]);
  }
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
  options->reports.add_to(*predict);
  auto* model = predict->add_option("--model", options->model_file, "Model file of ppgnn train");
  predict
      ->add_option("--campaign", options->campaign,
                   "Folder of a campaign (ppgnn campaign), instead of --plan and --model; the reports are its answers")
      ->excludes(plan)
      ->excludes(model);
  predict->add_option("--out", options->output, "CSV file to write; default: standard output");
  options->structure.add_to(*predict);
  for (const char* option : {"--labels", "--seed", "--run"}) {
    options->campaign_only.push_back(predict->get_option(option));
  }
  predict->add_flag("--json", options->json, "Print one JSON object");
  predict->footer(
      "Examples (after ppgnn train):\n"
      "  ppgnn predict --data synthetic:social,nodes=500 --plan plan.txt --reports reports.csv --model "
      "model.bin\n\nAfter a campaign: ppgnn campaign --help");
  predict->callback([options, &action] { action = [options] { return run_predict(*options); }; });
}

}  // namespace ppgnn::app
