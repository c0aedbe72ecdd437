// ppgnn predict: class and probability of every node under a trained model.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "command.hpp"
#include "output_files.hpp"
#include "ppgnn/core/version.hpp"
#include "ppgnn/io/csv.hpp"
#include "ppgnn/io/files.hpp"
#include "ppgnn/plan_files/plan_files.hpp"
#include "ppgnn/server/served_model.hpp"
#include "run_options.hpp"

namespace ppgnn::app {

namespace {

using nlohmann::ordered_json;

struct PredictOptions {
  DataChoice data;
  std::string plan_file;
  ReportsChoice reports;
  std::string model_file;
  std::string output;
  std::uint64_t threads = 0;
  bool json = false;
};

// The prediction of one node.
struct Line {
  std::string node;
  std::string name;
  double probability = 0;
};

Line line_of(const graph::Dataset& dataset, const server::ServedModel& model, const train::Predictions& predictions,
             std::uint32_t node) {
  const std::uint32_t best = predictions.classes[node];
  return {dataset.nodes.name(node), model.classes[best],
          static_cast<double>(predictions.probabilities[node * model.classes.size() + best])};
}

Status run_predict(const PredictOptions& options) {
  const std::vector<NamedFile> outputs{{"--out", options.output}};
  Result<void> apart = check_apart(
      {{"--model", options.model_file}, {"--plan", options.plan_file}, {"--reports", options.reports.file}}, outputs);
  if (apart) apart = options.data.check_apart(outputs);
  if (!apart) return fail(apart.error());
  const Result<server::ServedModel> model = server::read_served_model(options.model_file);
  if (!model) return fail(model.error());
  const Result<ldp::Plan> plan = plan_files::read_plan(options.plan_file);
  if (!plan) return fail(plan.error());
  if (model->plan_hash != to_hex(plan->hash())) {
    return fail({ErrorCode::mismatch, options.plan_file + ": the model was trained with reports of another plan"});
  }
  Result<graph::Dataset> dataset = options.data.load(graph::MissingFeatures::accept);
  if (!dataset) return fail(dataset.error());
  print_notes(*dataset);
  dataset = server::for_prediction(*model, std::move(dataset).value());
  if (!dataset) return fail(io::in_file(options.model_file, dataset.error()));
  const auto reports = options.reports.read(*dataset, *plan);
  if (!reports) return fail(reports.error());
  const Result<server::Problem> problem = server::Problem::make(*dataset);
  if (!problem) return fail(problem.error());
  const Result<train::Predictions> predictions = server::predict(*model, *problem, *plan, *reports, options.threads);
  if (!predictions) return fail(predictions.error());

  if (options.json) {
    ordered_json lines = ordered_json::array();
    for (std::uint32_t node = 0; node < dataset->num_nodes(); ++node) {
      const Line line = line_of(*dataset, *model, *predictions, node);
      lines.push_back({{"node", line.node}, {"class", line.name}, {"probability", line.probability}});
    }
    print_json({{"model", options.model_file}, {"predictions", lines}, {"version", version()}});
    return Status::success;
  }
  std::string text = "node,class,probability\n";
  for (std::uint32_t node = 0; node < dataset->num_nodes(); ++node) {
    const Line line = line_of(*dataset, *model, *predictions, node);
    text += fmt::format("{},{},{:.6f}\n", io::csv_field(line.node), io::csv_field(line.name), line.probability);
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
  predict->add_option("--plan", options->plan_file, std::string("Plan file") + kOrStandardInput)->required();
  options->reports.add_to(*predict);
  predict->add_option("--model", options->model_file, "Model file of ppgnn train")->required();
  predict->add_option("--out", options->output, "CSV file to write; default: standard output");
  predict->add_option("--threads", options->threads, "0: one per core")->capture_default_str();
  whole_numbers(*predict, {{"--threads", kernels::kMaxThreads}});
  predict->add_flag("--json", options->json, "Print one JSON object");
  predict->footer(
      "Examples (after ppgnn train):\n"
      "  ppgnn predict --data synthetic:social,nodes=500 --plan plan.txt --reports reports.csv --model model.bin");
  predict->callback([options, &action] { action = [options] { return run_predict(*options); }; });
}

}  // namespace ppgnn::app
