// ppgnn train: a model from a graph, labels and reports.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "campaign_options.hpp"
#include "command.hpp"
#include "output_files.hpp"
#include "ppgnn/campaign/steps.hpp"
#include "ppgnn/core/version.hpp"
#include "ppgnn/io/files.hpp"
#include "ppgnn/plan_files/plan_files.hpp"
#include "ppgnn/server/served_model.hpp"
#include "ppgnn/server/training.hpp"
#include "run_options.hpp"

namespace ppgnn::app {

namespace {

struct TrainCommandOptions {
  LabelledData labelled;
  TrainingChoice training;
  PlaceChoice place;
  StructureChoice structure;
  std::string plan_file;
  ReportsChoice reports;
  std::string split_file;
  std::string model_file;
  std::string history_file;
  server::CheckpointOptions checkpoint;
  const CLI::App* command = nullptr;
  bool json = false;
};

// What would only be found out after the training.
Result<void> check_outputs(const TrainCommandOptions& options) {
  const std::vector<NamedFile> outputs{{"--model", options.model_file},
                                       {"--history", options.history_file},
                                       {"--checkpoint", options.checkpoint.file.string()}};
  std::vector<NamedFile> inputs{
      {"--plan", options.plan_file}, {"--labels", options.labelled.labels_file}, {"--split", options.split_file}};
  options.reports.add_inputs(inputs);
  Result<void> apart = check_apart(inputs, outputs);
  if (apart) apart = options.labelled.data.check_apart(outputs);
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
  std::vector<ldp::NodeReport> reports;
  graph::Split split;
  server::PipelineOptions pipeline;
};

// Plan and reports from their files, or from the campaign of one round at `place`.
Result<Inputs> read_inputs(const TrainCommandOptions& options, const graph::Dataset& dataset, campaign::Place* place) {
  std::optional<ldp::Plan> plan;
  std::vector<ldp::NodeReport> reports;
  if (place != nullptr) {
    Result<campaign::Admitted> admitted = place->admit(dataset);
    if (!admitted) return admitted.error();
    if (admitted->reports.empty()) return Error{ErrorCode::malformed, place->where() + ": there is no report in it"};
    plan = std::move(admitted->plan);
    reports = std::move(admitted->reports);
  } else {
    Result<ldp::Plan> read = plan_files::read_plan(options.plan_file);
    if (!read) return read.error();
    plan = std::move(read).value();
    auto taken = options.reports.read(dataset, *plan);
    if (!taken) return taken.error();
    reports = std::move(taken).value();
  }
  const StructureChoice& draws = options.structure;
  Result<graph::Split> split = options.split_file.empty() ? graph::make_split(dataset, draws.seed, draws.run)
                                                          : graph::read_split(options.split_file, dataset);
  if (!split) return split.error();
  Result<server::PipelineOptions> pipeline = options.training.options();
  if (!pipeline) return pipeline.error();
  pipeline->training.seed = server::training_seed(draws.seed, draws.run);
  pipeline->training.threads = draws.threads;
  return Inputs{std::move(*plan), std::move(reports), std::move(split).value(), std::move(pipeline).value()};
}

Result<server::Trained> train_on(const graph::Dataset& dataset, const Inputs& inputs,
                                 const server::CheckpointOptions& checkpoint) {
  const Result<server::Problem> problem = server::Problem::make(dataset);
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

Result<void> write_outputs(const TrainCommandOptions& options, const graph::Dataset& dataset, const Inputs& inputs,
                           const server::Trained& trained) {
  const server::ServedModel model = server::served_model(dataset, inputs.plan, inputs.pipeline, trained,
                                                         options.structure.seed, options.structure.run);
  if (Result<void> written = server::write_served_model(model, options.model_file); !written) return written;
  if (options.history_file.empty()) return {};
  const bool csv = !options.history_file.ends_with(".json");
  return io::write_text(options.history_file,
                        csv ? train::history_csv(trained.history) : train::history_json(trained.history));
}

void print_outcome(const TrainCommandOptions& options, const graph::Dataset& dataset, const Inputs& inputs,
                   const server::Trained& trained) {
  const train::Outcome& outcome = trained.outcome;
  if (options.json) {
    print_json({{"model", options.model_file},
                {"plan_hash", to_hex(inputs.plan.hash())},
                {"reports", inputs.reports.size()},
                {"people", dataset.num_nodes()},
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
             dataset.num_nodes(), *outcome.best_epoch, outcome.epochs,
             trained.stopped ? " (stopped early; the best model so far is kept)" : "");
  if (outcome.test.rows > 0) {
    fmt::print("Held-out labels: accuracy {:.1f}%, log-loss {:.3f}, {} people\n", 100 * outcome.test.accuracy(),
               outcome.test.mean, outcome.test.rows);
  }
}

// A campaign whose last round asked questions: what the answers say is what there is to train.
Status conclude_campaign(const TrainCommandOptions& options, const graph::Dataset& dataset, campaign::Place& place,
                         const std::string& name) {
  const std::vector<std::string> useful{"--data",         "--data-dir", "--labels", "--folder", "--store",
                                        "--reports",      "--round",    "--levels", "--spread", "--seed",
                                        "--allow-seeded", "--run",      "--json",   "--threads"};
  if (Result<void> given =
          check_given(*options.command, useful, "a campaign of questions makes predictions and no model");
      !given) {
    return fail(given.error());
  }
  const Result<campaign::Concluded> concluded =
      campaign::conclude(place, dataset, options.structure.of(dataset), options.structure.all_labels());
  if (!concluded) return fail(concluded.error());
  if (!concluded->conclusion.used) {
    say("the answers made nothing likelier for the validation people: predictions are the graph's");
  }
  if (options.json) {
    const auto judged = [](const teach::Quality& quality) -> nlohmann::ordered_json {
      return {{"accuracy", quality.accuracy}, {"log_loss", quality.log_loss}};
    };
    nlohmann::ordered_json all{{"campaign", name},
                               {"spread", options.structure.spread},
                               {"answers", concluded->answers},
                               {"answers_used", concluded->conclusion.used},
                               {"answers_spread", concluded->conclusion.spread}};
    if (concluded->test) {
      all["test"] = judged(*concluded->test);
      all["test_graph_alone"] = judged(*concluded->graph_alone);
    }
    all[options.place.store.empty() ? "folder" : "store"] = place.where();
    all["version"] = version();
    print_json(all);
    return Status::success;
  }
  fmt::print("{}: {} answers; predictions of {} people are kept: ppgnn predict {}\n", place.where(), concluded->answers,
             dataset.num_nodes(), options.place.words());
  if (concluded->test) {
    fmt::print("Held-out labels: accuracy {:.1f}%, graph alone {:.1f}%\n", 100 * concluded->test->accuracy,
               100 * concluded->graph_alone->accuracy);
  }
  return Status::success;
}

Status train_model(const TrainCommandOptions& options, const graph::Dataset& dataset, campaign::Place* place) {
  std::optional<Inputs> inputs;
  std::optional<server::Trained> trained;
  server::CheckpointOptions checkpoint = options.checkpoint;
  // Whether it was kept: else somebody was erased meanwhile, and nothing of the training with them stays.
  const auto train = [&]() -> Result<bool> {
    Result<Inputs> read = read_inputs(options, dataset, place);
    if (!read) return read.error();
    inputs = std::move(read).value();
    Result<server::Trained> made = train_on(dataset, *inputs, checkpoint);
    if (!made) return made.error();
    trained = std::move(made).value();
    if (place != nullptr && !trained->stopped) {
      const auto table = server::ClassTable::make(dataset.class_names.list(), trained->predictions);
      const Result<bool> kept = place->conclude(dataset, table);
      if (!kept) return kept.error();
      if (!*kept) {
        say("somebody was erased meanwhile: training again without them");
        std::error_code ignored;
        std::filesystem::remove(checkpoint.file, ignored);
        checkpoint.resume = false;
        return false;
      }
    }
    if (Result<void> written = write_outputs(options, dataset, *inputs, *trained); !written) return written.error();
    return true;
  };
  if (place != nullptr) {
    if (Result<void> done = campaign::despite_erasures(*place, train); !done) return fail(done.error());
  } else if (Result<bool> done = train(); !done) {
    return fail(done.error());
  }
  print_outcome(options, dataset, *inputs, *trained);
  if (!trained->outcome.cause.empty()) {
    say("training diverged: " + trained->outcome.cause + "; the model is the best before that");
  }
  if (!trained->stopped) return Status::success;
  say(options.checkpoint.file.empty()
          ? std::string("stopped; without --checkpoint it cannot be taken up again")
          : "stopped; " + options.checkpoint.file.string() + " has the state: the same command with --resume goes on");
  return Status::stopped;
}

Status run_train(const TrainCommandOptions& options) {
  const bool campaign = options.place.given();
  if (!campaign) {
    if (options.plan_file.empty()) return fail(invalid("--plan is missing, or --folder or --store"));
    if (options.reports.files.empty()) return fail(invalid("--reports is missing, or --store"));
    for (const char* option : {"--spread", "--levels"}) {
      if (options.command->count(option) > 0) return fail(invalid(std::string(option) + ": goes with a campaign"));
    }
  }
  if (!campaign && options.model_file.empty()) return fail(invalid("--model is missing"));
  if (Result<void> writable = check_outputs(options); !writable) return fail(writable.error());
  const Result<graph::Dataset> dataset = options.labelled.load();
  if (!dataset) return fail(dataset.error());
  if (!campaign) return train_model(options, *dataset, nullptr);
  const Result<std::unique_ptr<campaign::Place>> place = options.place.open(options.reports, *dataset);
  if (!place) return fail(place.error());
  const Result<campaign::State> state = (*place)->load();
  if (!state) return fail(state.error());
  if (state->rounds.back().role) return conclude_campaign(options, *dataset, **place, state->name);
  if (options.model_file.empty()) return fail(invalid("--model is missing"));
  return train_model(options, *dataset, place->get());
}

}  // namespace

void add_train(CLI::App& app, Action& action) {
  auto options = std::make_shared<TrainCommandOptions>();
  CLI::App* train =
      app.add_subcommand("train", "A model from a graph, labels and reports; of a campaign, everybody's class");
  options->command = train;
  options->labelled.add_to(*train);
  auto* plan = train->add_option("--plan", options->plan_file, std::string("Plan file") + kOrStandardInput);
  options->reports.add_to(*train);
  options->place.add_to(*train);
  for (const char* where : {"--folder", "--store"}) train->get_option(where)->excludes(plan);
  options->place.add_levels(*train);
  train->add_option("--model", options->model_file, "Model file to write; none after questions");
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
  options->structure.add_to(*train);
  whole_numbers(*train, {{"--checkpoint-every", train::kMaxEpochs}});
  reserved_options(*train);
  train->add_flag("--json", options->json, "Print one JSON object");
  train->footer(
      "Ctrl-C keeps the best model so far and, with --checkpoint, the state: a resumed training gives the same bits as "
      "one\nthat was never interrupted.\n\nExamples (after ppgnn plan and ppgnn perturb):\n"
      "  ppgnn train --data synthetic:social,nodes=500 --plan plan.txt --reports reports.csv --model model.bin "
      "--epochs 50\n"
      "  ppgnn train --data synthetic:social,nodes=500 --plan plan.txt --reports reports.csv --model model.bin "
      "--epochs 50 --checkpoint state.bin --checkpoint-every 20 --resume\n\n"
      "After the questions of a campaign (ppgnn campaign --help) it keeps what the answers say, in the folder or "
      "store.");
  train->callback([options, &action] { action = [options] { return run_train(*options); }; });
}

}  // namespace ppgnn::app
