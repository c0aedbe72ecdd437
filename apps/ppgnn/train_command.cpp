// ppgnn train: a model from a graph, labels and reports.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "campaign_files.hpp"
#include "command.hpp"
#include "output_files.hpp"
#include "ppgnn/collector/steps.hpp"
#include "ppgnn/core/names.hpp"
#include "ppgnn/core/version.hpp"
#include "ppgnn/graph/node_lines.hpp"
#include "ppgnn/io/files.hpp"
#include "ppgnn/kernels/instruction_set.hpp"
#include "ppgnn/ldp/estimate.hpp"
#include "ppgnn/plan_files/plan_files.hpp"
#include "ppgnn/server/served_model.hpp"
#include "ppgnn/server/training.hpp"
#include "predictions.hpp"
#include "run_options.hpp"

namespace ppgnn::app {

namespace {

struct TrainCommandOptions {
  DataChoice data;
  TrainingChoice training;
  std::string plan_file;
  std::string store;
  std::string spread = "train";
  ReportsChoice reports;
  std::string labels_file;
  std::string split_file;
  std::string model_file;
  std::string history_file;
  server::CheckpointOptions checkpoint;
  std::uint64_t seed = 0;
  std::uint64_t run = 0;
  std::uint64_t threads = 0;
  bool json = false;
};

// What would only be found out after the training.
Result<void> check_outputs(const TrainCommandOptions& options) {
  const std::vector<NamedFile> outputs{{"--model", options.model_file},
                                       {"--history", options.history_file},
                                       {"--checkpoint", options.checkpoint.file.string()}};
  Result<void> apart = check_apart({{"--plan", options.plan_file},
                                    {"--reports", options.reports.file},
                                    {"--labels", options.labels_file},
                                    {"--split", options.split_file}},
                                   outputs);
  if (apart) apart = options.data.check_apart(outputs);
  if (!apart) return apart;
  if (!options.model_file.empty()) {
    if (Result<void> writable = io::check_writable(options.model_file); !writable) return writable;
  }
  if (!options.history_file.empty()) {
    if (Result<void> writable = io::check_writable(options.history_file); !writable) return writable;
  }
  const std::filesystem::path& checkpoint = options.checkpoint.file;
  if (checkpoint.empty()) return {};
  if (Result<void> writable = io::check_writable(checkpoint); !writable) return writable;
  if (!options.checkpoint.resume && std::filesystem::exists(checkpoint)) {
    return Error{ErrorCode::invalid_argument,
                 "checkpoint: " + checkpoint.string() + " exists: go on from it with --resume, or remove it"};
  }
  return {};
}

// Everything a training reads.
struct Inputs {
  ldp::Plan plan;
  graph::Dataset dataset;
  std::vector<ldp::NodeReport> reports;
  graph::Split split;
  server::PipelineOptions pipeline;
  std::uint64_t erasures = 0;  // of a store, before it was read
};

// Plan and reports, from their files or from a store.
struct Material {
  ldp::Plan plan;
  std::vector<ldp::NodeReport> reports;
  std::uint64_t erasures = 0;
};
Result<Material> read_material(const TrainCommandOptions& options, const graph::Dataset& dataset, store::Store* store) {
  if (store != nullptr) {
    Result<collector::CollectedRound> round =
        collector::read_round(*store, dataset, std::nullopt, options.reports.allow_seeded);
    if (!round) return round.error();
    return Material{std::move(round->plan), std::move(round->reports), round->erasures};
  }
  Result<ldp::Plan> plan = plan_files::read_plan(options.plan_file);
  if (!plan) return plan.error();
  auto reports = options.reports.read(dataset, *plan);
  if (!reports) return reports.error();
  return Material{std::move(plan).value(), std::move(reports).value(), 0};
}

Result<Inputs> read_inputs(const TrainCommandOptions& options, store::Store* store) {
  Result<graph::Dataset> dataset = options.data.load(graph::MissingFeatures::accept);
  if (dataset && !options.labels_file.empty()) {
    dataset = graph::with_labels(std::move(dataset).value(), options.labels_file);
  }
  if (!dataset) return dataset.error();
  print_notes(*dataset);
  Result<Material> material = read_material(options, *dataset, store);
  if (!material) return material.error();
  if (material->reports.empty()) {
    return Error{ErrorCode::malformed,
                 (store != nullptr ? options.store : options.reports.file) + ": there is no report in it"};
  }
  Result<graph::Split> split = options.split_file.empty() ? graph::make_split(*dataset, options.seed, options.run)
                                                          : graph::read_split(options.split_file, *dataset);
  if (!split) return split.error();
  Result<server::PipelineOptions> pipeline = options.training.options();
  if (!pipeline) return pipeline.error();
  pipeline->training.seed = server::training_seed(options.seed, options.run);
  pipeline->training.threads = options.threads;
  return Inputs{std::move(material->plan), std::move(dataset).value(),  std::move(material->reports),
                std::move(split).value(),  std::move(pipeline).value(), material->erasures};
}

Result<server::Trained> train_on(const Inputs& inputs, const server::CheckpointOptions& checkpoint) {
  const Result<server::Problem> problem = server::Problem::make(inputs.dataset);
  if (!problem) return problem.error();
  const Result<calibrate::Collected> collected = calibrate::collect(problem->order(), inputs.plan, inputs.reports);
  if (!collected) return collected.error();
  Progress progress("training");
  const std::size_t scales = std::max<std::size_t>(1, inputs.pipeline.scales.size());
  const auto total = static_cast<double>(scales * inputs.pipeline.training.epochs);
  double done = 0;
  train::Hooks hooks;
  hooks.stop = &stop_on_signals();
  hooks.progress = [&](const train::EpochRecord&) { progress.update(++done, total); };
  return server::calibrate_and_train(*problem, *collected, inputs.split, inputs.pipeline, hooks, checkpoint);
}

Result<void> write_outputs(const TrainCommandOptions& options, const Inputs& inputs, const server::Trained& trained) {
  const std::size_t columns = ldp::Estimator(inputs.plan.tables()).columns();
  server::ServedModel model;
  model.network = {inputs.pipeline.training.network, columns, inputs.dataset.num_classes(), trained.parameters, {}};
  model.plan_hash = to_hex(inputs.plan.hash());
  model.hops = inputs.pipeline.hops;
  model.factor = trained.factor;
  model.scale = trained.scale.value_or(0);
  for (std::size_t i = 0; i < inputs.dataset.num_classes(); ++i) {
    model.classes.emplace_back(inputs.dataset.class_names[i]);
  }
  model.data = inputs.dataset.name;
  model.seed = options.seed;
  model.run = options.run;
  model.instruction_set = kernels::instruction_set();
  model.version = version();
  if (Result<void> written = server::write_served_model(model, options.model_file); !written) return written;
  if (options.history_file.empty()) return {};
  const bool csv = !options.history_file.ends_with(".json");
  return io::write_text(options.history_file,
                        csv ? train::history_csv(trained.history) : train::history_json(trained.history));
}

void print_outcome(const TrainCommandOptions& options, const Inputs& inputs, const server::Trained& trained) {
  const train::Outcome& outcome = trained.outcome;
  if (options.json) {
    print_json({{"model", options.model_file},
                {"plan_hash", to_hex(inputs.plan.hash())},
                {"reports", inputs.reports.size()},
                {"people", inputs.dataset.num_nodes()},
                {"epochs", outcome.epochs},
                {"best_epoch", *outcome.best_epoch},
                {"stopped", trained.stopped},
                {"diverged", outcome.cause},
                {"scale", trained.scale.value_or(0)},
                {"validation", {{"accuracy", outcome.validation.accuracy()}, {"log_loss", outcome.validation.mean}}},
                {"test", {{"accuracy", outcome.test.accuracy()}, {"log_loss", outcome.test.mean}}},
                {"order", trained.order},
                {"version", version()}});
    return;
  }
  fmt::print("{}: {} of {} people reported; best epoch {} of {}{}\n", options.model_file, inputs.reports.size(),
             inputs.dataset.num_nodes(), *outcome.best_epoch, outcome.epochs,
             trained.stopped ? " (stopped early; the best model so far is kept)" : "");
  if (outcome.test.rows > 0) {
    fmt::print("Held-out labels: accuracy {:.1f}%, log-loss {:.3f}, {} people\n", 100 * outcome.test.accuracy(),
               outcome.test.mean, outcome.test.rows);
  }
}

// A campaign whose last round asked questions: what the answers say is what there is to train.
Status conclude_campaign(const TrainCommandOptions& options, const OpenCampaign& opened) {
  if (!options.model_file.empty()) {
    return fail({ErrorCode::invalid_argument, "--model: a campaign of questions makes predictions and no model"});
  }
  Result<RoundInputs> inputs = read_round(*opened.store, options.data, options.reports.allow_seeded);
  if (!inputs) return fail(inputs.error());
  const StructureChoice structure{options.spread, options.seed, options.run, options.threads};
  const std::uint64_t erasures = inputs->erasures;
  const Result<Predicted> predicted = conclude(std::move(inputs).value(), structure);
  if (!predicted) return fail(predicted.error());
  if (Result<void> kept = opened.store->conclude(predictions_csv(*predicted), erasures); !kept)
    return fail(kept.error());
  if (options.json) {
    nlohmann::ordered_json all = predicted->more;
    all["store"] = options.store;
    all["version"] = version();
    print_json(all);
  } else {
    fmt::print("{}: {} answers; predictions of {} people are kept: ppgnn predict --store {}\n", options.store,
               predicted->more["answers"].get<std::uint64_t>(), predicted->dataset.num_nodes(), options.store);
    if (predicted->more.contains("test")) {
      fmt::print("Held-out labels: accuracy {:.1f}%, graph alone {:.1f}%\n",
                 100 * predicted->more["test"]["accuracy"].get<double>(),
                 100 * predicted->more["test_graph_alone"]["accuracy"].get<double>());
    }
  }
  return Status::success;
}

Result<void> keep_predictions(store::Store& store, const Inputs& inputs, const server::Trained& trained) {
  Predicted made{inputs.dataset, {}, trained.predictions.classes, {}, {}};
  for (std::size_t i = 0; i < inputs.dataset.num_classes(); ++i) {
    made.classes.emplace_back(inputs.dataset.class_names[i]);
  }
  for (std::size_t node = 0; node < made.likeliest.size(); ++node) {
    made.probabilities.push_back(
        static_cast<double>(trained.predictions.probabilities[node * made.classes.size() + made.likeliest[node]]));
  }
  return store.conclude(predictions_csv(made), inputs.erasures);
}

Status run_train(const TrainCommandOptions& options) {
  std::unique_ptr<store::Store> store;
  if (options.store.empty()) {
    if (options.plan_file.empty()) return fail({ErrorCode::invalid_argument, "--plan is missing, or --store"});
    if (options.reports.file.empty()) return fail({ErrorCode::invalid_argument, "--reports is missing, or --store"});
  } else {
    Result<OpenCampaign> opened = open_campaign(options.store);
    if (!opened) return fail(opened.error());
    const Result<std::optional<ldp::Role>> role = last_role(*opened);
    if (!role) return fail(role.error());
    if (*role == ldp::Role::teach) {
      return fail(
          {ErrorCode::mismatch, options.store + ": people taught, and nobody was asked yet (ppgnn campaign ask)"});
    }
    if (*role) return conclude_campaign(options, *opened);
    store = std::move(opened->store);
  }
  if (options.model_file.empty()) return fail({ErrorCode::invalid_argument, "--model is missing"});
  if (Result<void> writable = check_outputs(options); !writable) return fail(writable.error());
  const Result<Inputs> inputs = read_inputs(options, store.get());
  if (!inputs) return fail(inputs.error());
  const Result<server::Trained> trained = train_on(*inputs, options.checkpoint);
  if (!trained) return fail(trained.error());
  if (Result<void> written = write_outputs(options, *inputs, *trained); !written) return fail(written.error());
  if (store && !trained->stopped) {
    if (Result<void> kept = keep_predictions(*store, *inputs, *trained); !kept) return fail(kept.error());
  }
  print_outcome(options, *inputs, *trained);
  if (!trained->outcome.cause.empty()) {
    say("training diverged: " + trained->outcome.cause + "; the model is the best before that");
  }
  if (!trained->stopped) return Status::success;
  say(options.checkpoint.file.empty()
          ? std::string("stopped; without --checkpoint it cannot be taken up again")
          : "stopped; " + options.checkpoint.file.string() + " has the state: the same command with --resume goes on");
  return Status::stopped;
}

}  // namespace

void add_train(CLI::App& app, Action& action) {
  auto options = std::make_shared<TrainCommandOptions>();
  CLI::App* train = app.add_subcommand("train", "Train a model from a graph, labels and reports");
  options->data.add_to(*train);
  auto* plan = train->add_option("--plan", options->plan_file, std::string("Plan file") + kOrStandardInput);
  auto* reports = options->reports.add_to(*train)->required(false);
  train
      ->add_option(
          "--store", options->store,
          "Plan and reports of a collector's campaign, whose last round is closed, instead of their files: sqlite:PATH")
      ->excludes(plan)
      ->excludes(reports);
  train
      ->add_option("--spread", options->spread,
                   "With --store, after questions: labels that the graph spreads, as in ppgnn campaign ask --labels")
      ->check(CLI::IsMember(names_of(teach::kLabelChoices)))
      ->capture_default_str();
  train->add_option("--model", options->model_file, "Model file to write; none after questions");
  train->add_option(
      "--labels", options->labels_file,
      std::string("CSV with the header node,class, instead of the data's labels; nodes left out are unknown") +
          kOrStandardInput);
  train->add_option(
      "--split", options->split_file,
      std::string("CSV with the header node,part; default: a random split of the labelled") + kOrStandardInput);
  train->add_option("--history", options->history_file,
                    "Write every epoch's losses here, as CSV or (name ends in .json) JSON");
  auto* checkpoint =
      train->add_option("--checkpoint", options->checkpoint.file, "Keep the state of the training in this file");
  train
      ->add_option("--checkpoint-every", options->checkpoint.every,
                   "Epochs; 0: only at the end of a scale or on Ctrl-C")
      ->needs(checkpoint)
      ->capture_default_str();
  train->add_flag("--resume", options->checkpoint.resume, "Go on from the checkpoint, if there is one")
      ->needs(checkpoint);
  options->training.add_to(*train);
  train->add_option("--seed", options->seed, "Seed of split and training")->capture_default_str();
  train->add_option("--run", options->run, "Which run of ppgnn run to reproduce")->capture_default_str();
  train->add_option("--threads", options->threads, "0: one per core")->capture_default_str();
  whole_numbers(
      *train,
      {{"--checkpoint-every", train::kMaxEpochs}, "--seed", {"--run", kMaxRun}, {"--threads", kernels::kMaxThreads}});
  train->add_flag("--json", options->json, "Print one JSON object");
  train->footer(
      "Ctrl-C keeps the best model so far and, with --checkpoint, the state: a resumed training gives the same bits as "
      "one\nthat was never interrupted.\n\nExamples (after ppgnn plan and ppgnn perturb):\n"
      "  ppgnn train --data synthetic:social,nodes=500 --plan plan.txt --reports reports.csv --model model.bin "
      "--epochs 50\n"
      "  ppgnn train --data synthetic:social,nodes=500 --plan plan.txt --reports reports.csv --model model.bin "
      "--epochs 50 --checkpoint state.bin --checkpoint-every 20 --resume");
  train->callback([options, &action] { action = [options] { return run_train(*options); }; });
}

}  // namespace ppgnn::app
