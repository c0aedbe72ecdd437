// ppgnn plan, perturb, train, predict: the path of `ppgnn run` in steps, on files.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "ppgnn/core/version.hpp"
#include "ppgnn/kernels/instruction_set.hpp"
#include "ppgnn/ldp/perturb.hpp"
#include "ppgnn/random/secure_source.hpp"
#include "ppgnn/study/files.hpp"
#include "ppgnn/study/run.hpp"
#include "run_options.hpp"

namespace ppgnn::app {

namespace {

using nlohmann::ordered_json;

// An option and the file it names; empty: not given.
struct NamedFile {
  const char* option;
  std::string path;
};

// Refuses an output that is also an input or another output: it would destroy it.
Result<void> check_apart(std::vector<NamedFile> inputs, const std::vector<NamedFile>& outputs) {
  const auto place = [](const std::string& path) {
    std::error_code ignored;
    return std::filesystem::weakly_canonical(path, ignored);
  };
  for (const NamedFile& output : outputs) {
    if (output.path.empty()) continue;
    for (const NamedFile& other : inputs) {
      if (!other.path.empty() && place(other.path) == place(output.path)) {
        return Error{ErrorCode::invalid_argument,
                     fmt::format("{} and {} name the same file, {}", other.option, output.option, output.path)};
      }
    }
    inputs.push_back(output);
  }
  return {};
}

// ---- plan

struct PlanOptions {
  DataChoice data;
  BudgetChoice budgets;
  std::string schema_file;
  std::string output;
  bool json = false;
};

Status run_plan(const PlanOptions& options) {
  if (Result<void> apart = check_apart({{"--schema", options.schema_file}}, {{"--out", options.output}}); !apart) {
    return fail(apart.error());
  }
  ldp::PlanRequest request;
  std::string note;
  if (options.schema_file.empty()) {
    const Result<graph::Dataset> dataset = options.data.load(graph::MissingFeatures::refuse);
    if (!dataset) return fail(dataset.error());
    Result<std::vector<ldp::ColumnGroup>> columns = study::columns_of(dataset->features.schema());
    if (!columns) return fail(columns.error());
    request.columns = std::move(columns).value();
    if (dataset->features.schema().origin == graph::SchemaOrigin::derived) {
      note = "column ranges were read off the data: for research only";
    }
  } else {
    Result<std::vector<ldp::ColumnGroup>> columns = study::read_schema(options.schema_file);
    if (!columns) return fail(columns.error());
    request.columns = std::move(columns).value();
  }
  if (Result<void> applied = options.budgets.apply_to(request); !applied) return fail(applied.error());
  const Result<ldp::Plan> plan = ldp::make_plan(request);
  if (!plan) return fail(plan.error());
  if (Result<void> written = study::write_text(options.output, plan->text()); !written) return fail(written.error());
  if (options.json) {
    print_json({{"plan", options.output},
                {"plan_hash", to_hex(plan->hash())},
                {"columns", plan->schema().dim()},
                {"levels", plan->levels().size()},
                {"sampled", plan->levels().front().sampled},
                {"note", note},
                {"version", version()}});
  } else {
    fmt::print("{}: {} columns, {} levels, plan {}\nRead what it guarantees: ppgnn audit --plan {}\n", options.output,
               plan->schema().dim(), plan->levels().size(), to_hex(plan->hash()), options.output);
    if (!note.empty()) fmt::print("Note: {}.\n", note);
  }
  return Status::success;
}

// ---- perturb

struct PerturbOptions {
  DataChoice data;
  std::string plan_file;
  std::string levels = "uniform";
  std::string output;
  std::uint64_t seed = 0;
  std::uint64_t run = 0;
  CLI::Option* seed_option = nullptr;
  bool force = false;
  bool json = false;
};

Status run_perturb(const PerturbOptions& options) {
  if (Result<void> apart = check_apart({{"--plan", options.plan_file}}, {{"--out", options.output}}); !apart) {
    return fail(apart.error());
  }
  if (!options.force && std::filesystem::is_regular_file(options.output)) {
    return fail({ErrorCode::invalid_argument,
                 options.output + " exists: reports made anew cost people their privacy a second time; remove it, or "
                                  "pass --force"});
  }
  const Result<ldp::Plan> plan = read_plan(options.plan_file);
  if (!plan) return fail(plan.error());
  const Result<graph::Dataset> dataset = options.data.load(graph::MissingFeatures::refuse);
  if (!dataset) return fail(dataset.error());
  if (dataset->features.cols() != plan->schema().dim()) {
    return fail({ErrorCode::mismatch, fmt::format("{}: the plan has {} columns, the data {}", options.plan_file,
                                                  plan->schema().dim(), dataset->features.cols())});
  }
  const bool seeded = options.seed_option->count() > 0;
  random::SecureSource bits;
  study::RunConfig config;
  config.budgets.assign(plan->levels().size(), 0);
  if (Result<void> levels = read_levels(options.levels, *dataset, config); !levels) return fail(levels.error());
  const std::vector<ldp::Level> levels =
      config.level_list.empty() ? study::choose_levels(config.levels, dataset->num_nodes(), plan->levels().size(),
                                                       seeded ? options.seed : bits.next(), options.run)
                                : config.level_list;

  const study::PlanRows rows(dataset->features, *plan);
  if (const std::vector<std::uint32_t> clamped = rows.clamped_columns(); !clamped.empty()) {
    fmt::print(
        stderr,
        "ppgnn: note: {} of {} columns have values outside the plan's range, which are clamped; the first is {}\n",
        clamped.size(), plan->schema().dim(), plan->schema().column_name(clamped.front()));
  }
  std::vector<float> buffer;
  std::vector<calibrate::NodeReport> reports(dataset->num_nodes());
  if (seeded) {
    const study::Devices devices{&dataset->features, levels, options.seed, options.run, study::Content::features};
    std::vector<ldp::Report> made = study::simulate_reports(*plan, devices, kernels::Threads(0));
    for (std::uint32_t node = 0; node < reports.size(); ++node) reports[node] = {node, std::move(made[node])};
  } else {
    for (std::uint32_t node = 0; node < reports.size(); ++node) {
      reports[node].node = node;
      ldp::perturb(*plan, levels[node], rows.row(node, buffer), bits, reports[node].report);
    }
  }
  if (Result<void> written = study::write_reports(options.output, *dataset, *plan, reports); !written)
    return fail(written.error());
  const std::string entropy = seeded ? "seeded: for research only" : "operating system";
  if (options.json) {
    print_json({{"reports", options.output},
                {"people", reports.size()},
                {"plan_hash", to_hex(plan->hash())},
                {"randomness", entropy},
                {"version", version()}});
  } else {
    fmt::print("{}: {} reports; randomness: {}\n", options.output, reports.size(), entropy);
  }
  return Status::success;
}

// ---- train

struct TrainCommandOptions {
  DataChoice data;
  TrainingChoice training;
  std::string plan_file;
  std::string reports_file;
  std::string labels_file;
  std::string split_file;
  std::string model_file;
  std::string history_file;
  study::CheckpointOptions checkpoint;
  std::uint64_t seed = 0;
  std::uint64_t run = 0;
  std::uint64_t threads = 0;
  bool json = false;
};

// What would only be found out after the training.
Result<void> check_outputs(const TrainCommandOptions& options) {
  if (Result<void> apart = check_apart({{"--plan", options.plan_file},
                                        {"--reports", options.reports_file},
                                        {"--labels", options.labels_file},
                                        {"--split", options.split_file}},
                                       {{"--model", options.model_file},
                                        {"--history", options.history_file},
                                        {"--checkpoint", options.checkpoint.file.string()}});
      !apart) {
    return apart;
  }
  if (Result<void> writable = study::check_writable(options.model_file); !writable) return writable;
  if (!options.history_file.empty()) {
    if (Result<void> writable = study::check_writable(options.history_file); !writable) return writable;
  }
  const std::filesystem::path& checkpoint = options.checkpoint.file;
  if (checkpoint.empty()) return {};
  if (Result<void> writable = study::check_writable(checkpoint); !writable) return writable;
  if (!options.checkpoint.resume && std::filesystem::exists(checkpoint)) {
    return Error{ErrorCode::invalid_argument,
                 "checkpoint: " + checkpoint.string() + " exists: go on from it with --resume, or remove it"};
  }
  return {};
}

std::vector<std::string> names_of(const graph::StringList& list) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < list.size(); ++i) names.emplace_back(list[i]);
  return names;
}

Status run_train(const TrainCommandOptions& options) {
  if (Result<void> writable = check_outputs(options); !writable) return fail(writable.error());
  const Result<ldp::Plan> plan = read_plan(options.plan_file);
  if (!plan) return fail(plan.error());
  if (plan->kind() != ldp::ReportKind::signs) {
    return fail({ErrorCode::mismatch, options.plan_file + ": reports of one class cannot be trained on; features can"});
  }
  Result<graph::Dataset> dataset = options.data.load(graph::MissingFeatures::accept);
  if (dataset && !options.labels_file.empty()) {
    dataset = study::with_labels(std::move(dataset).value(), options.labels_file);
  }
  if (!dataset) return fail(dataset.error());
  const auto reports = study::read_reports(options.reports_file, *dataset, *plan);
  if (!reports) return fail(reports.error());
  if (reports->empty()) return fail({ErrorCode::malformed, options.reports_file + ": there is no report in it"});
  const Result<graph::Split> split = options.split_file.empty() ? graph::make_split(*dataset, options.seed, options.run)
                                                                : graph::read_split(options.split_file, *dataset);
  if (!split) return fail(split.error());
  Result<study::PipelineOptions> pipeline = options.training.options();
  if (!pipeline) return fail(pipeline.error());
  pipeline->training.seed = study::training_seed(options.seed, options.run);
  pipeline->training.threads = options.threads;
  const Result<study::Problem> problem = study::Problem::make(*dataset);
  if (!problem) return fail(problem.error());
  const Result<study::Collected> collected = study::collect(*problem, *plan, *reports);
  if (!collected) return fail(collected.error());

  const std::atomic<bool>& stop = stop_on_signals();
  const Result<study::Trained> trained = [&] {
    Progress progress("training");
    const double total =
        static_cast<double>(std::max<std::size_t>(1, pipeline->scales.size()) * pipeline->training.epochs);
    double done = 0;
    train::Hooks hooks;
    hooks.stop = &stop;
    hooks.progress = [&](const train::EpochRecord&) { progress.update(++done, total); };
    return study::calibrate_and_train(*problem, *collected, *split, *pipeline, hooks, options.checkpoint);
  }();
  if (!trained) return fail(trained.error());

  const ordered_json about{{"plan_hash", to_hex(plan->hash())},
                           {"hops", pipeline->hops},
                           {"factor", trained->factor},
                           {"scale", trained->scale.value_or(0)},
                           {"classes", names_of(dataset->class_names)},
                           {"data", dataset->name},
                           {"seed", options.seed},
                           {"run", options.run},
                           {"instruction_set", kernels::instruction_set()},
                           {"version", version()}};
  train::Model model{pipeline->training.network, plan->schema().dim(), dataset->num_classes(), trained->parameters,
                     about.dump()};
  if (Result<void> written = train::write_model(model, options.model_file); !written) return fail(written.error());
  if (!options.history_file.empty()) {
    const bool csv = !options.history_file.ends_with(".json");
    const std::string text = csv ? train::history_csv(trained->history) : train::history_json(trained->history);
    if (Result<void> written = study::write_text(options.history_file, text); !written) return fail(written.error());
  }
  const train::Outcome& outcome = trained->outcome;
  if (options.json) {
    print_json({{"model", options.model_file},
                {"plan_hash", to_hex(plan->hash())},
                {"reports", reports->size()},
                {"people", dataset->num_nodes()},
                {"epochs", outcome.epochs},
                {"best_epoch", *outcome.best_epoch},
                {"stopped", trained->stopped},
                {"diverged", outcome.cause},
                {"scale", trained->scale.value_or(0)},
                {"validation", {{"accuracy", outcome.validation.accuracy()}, {"log_loss", outcome.validation.mean}}},
                {"test", {{"accuracy", outcome.test.accuracy()}, {"log_loss", outcome.test.mean}}},
                {"order", trained->order},
                {"version", version()}});
  } else {
    fmt::print("{}: {} of {} people reported; best epoch {} of {}{}\n", options.model_file, reports->size(),
               dataset->num_nodes(), *outcome.best_epoch, outcome.epochs,
               trained->stopped ? " (stopped early; the best model so far is kept)" : "");
    if (outcome.test.rows > 0) {
      fmt::print("Held-out labels: accuracy {:.1f}%, log-loss {:.3f}, {} people\n", 100 * outcome.test.accuracy(),
                 outcome.test.mean, outcome.test.rows);
    }
  }
  if (!outcome.cause.empty()) {
    fmt::print(stderr, "ppgnn: training diverged: {}; the model is the best before that\n", outcome.cause);
  }
  if (!trained->stopped) return Status::success;
  fmt::print(stderr, "ppgnn: stopped{}\n",
             options.checkpoint.file.empty() ? std::string("; without --checkpoint it cannot be taken up again")
                                             : fmt::format("; {} has the state: the same command with --resume goes on",
                                                           options.checkpoint.file.string()));
  return Status::stopped;
}

// ---- predict

struct PredictOptions {
  DataChoice data;
  std::string plan_file;
  std::string reports_file;
  std::string model_file;
  std::string output;
  std::uint64_t threads = 0;
  bool json = false;
};

// What ppgnn train writes into a model's notes and prediction needs again.
struct Notes {
  std::string plan_hash;
  std::size_t hops = 0;
  double factor = 1;
  std::vector<std::string> classes;
};

std::optional<Notes> read_notes(const std::string& text, std::size_t classes) {
  const ordered_json about = ordered_json::parse(text, nullptr, false);
  try {
    Notes notes{about.at("plan_hash"), about.at("hops"), about.at("factor"), about.at("classes")};
    if (notes.classes.size() != classes) return std::nullopt;
    return notes;
  } catch (const ordered_json::exception&) {
    return std::nullopt;
  }
}

Status run_predict(const PredictOptions& options) {
  if (Result<void> apart = check_apart(
          {{"--model", options.model_file}, {"--plan", options.plan_file}, {"--reports", options.reports_file}},
          {{"--out", options.output}});
      !apart) {
    return fail(apart.error());
  }
  const Result<train::Model> model = train::read_model(options.model_file);
  if (!model) return fail(model.error());
  const std::optional<Notes> notes = read_notes(model->notes, model->classes);
  if (!notes) return fail({ErrorCode::malformed, options.model_file + ": not a model of ppgnn train"});
  const Result<ldp::Plan> plan = read_plan(options.plan_file);
  if (!plan) return fail(plan.error());
  if (notes->plan_hash != to_hex(plan->hash())) {
    return fail({ErrorCode::mismatch, options.plan_file + ": the model was trained with reports of another plan"});
  }
  Result<graph::Dataset> dataset = options.data.load(graph::MissingFeatures::accept);
  if (!dataset) return fail(dataset.error());
  // Labels play no part here, but a class the model never heard of says that it belongs to something else.
  for (const std::string& name : names_of(dataset->class_names)) {
    if (std::find(notes->classes.begin(), notes->classes.end(), name) == notes->classes.end()) {
      return fail({ErrorCode::mismatch,
                   fmt::format("{}: the data has a class '{}', the model has none", options.model_file, name)});
    }
  }
  dataset->class_names = graph::StringList(notes->classes);
  dataset->labels = graph::SharedArray<std::int32_t>(std::vector<std::int32_t>(dataset->num_nodes(), graph::kUnknown));
  const auto reports = study::read_reports(options.reports_file, *dataset, *plan);
  if (!reports) return fail(reports.error());
  const Result<study::Problem> problem = study::Problem::make(*dataset);
  if (!problem) return fail(problem.error());
  const Result<study::Collected> collected = study::collect(*problem, *plan, *reports);
  if (!collected) return fail(collected.error());
  const Result<study::Trained> applied =
      study::apply_model(*problem, *collected, *model, notes->hops, notes->factor, options.threads);
  if (!applied) return fail(applied.error());

  const std::size_t classes = notes->classes.size();
  const auto probability = [&](std::uint32_t node) {
    return static_cast<double>(applied->probabilities[node * classes + applied->predictions[node]]);
  };
  if (options.json) {
    ordered_json predictions = ordered_json::array();
    for (std::uint32_t node = 0; node < dataset->num_nodes(); ++node) {
      predictions.push_back({{"node", dataset->nodes.name(node)},
                             {"class", notes->classes[applied->predictions[node]]},
                             {"probability", probability(node)}});
    }
    print_json({{"model", options.model_file}, {"predictions", predictions}, {"version", version()}});
    return Status::success;
  }
  std::string text = "node,class,probability\n";
  for (std::uint32_t node = 0; node < dataset->num_nodes(); ++node) {
    text += fmt::format("{},{},{:.6f}\n", study::csv_field(dataset->nodes.name(node)),
                        study::csv_field(notes->classes[applied->predictions[node]]), probability(node));
  }
  if (options.output.empty()) {
    fmt::print("{}", text);
  } else if (Result<void> written = study::write_text(options.output, text); !written) {
    return fail(written.error());
  }
  return Status::success;
}

}  // namespace

void add_plan(CLI::App& app, Action& action) {
  auto options = std::make_shared<PlanOptions>();
  CLI::App* plan = app.add_subcommand("plan", "Make a plan file from a schema and budgets");
  options->data.add_to(*plan);
  plan->add_option("--schema", options->schema_file,
                   "CSV with the header name,count,kind,low,high,absent, instead of --data");
  options->budgets.add_to(*plan);
  plan->add_option("--out", options->output, "Plan file to write")->required();
  plan->add_flag("--json", options->json, "Print one JSON object");
  plan->footer("Examples:\n  ppgnn plan --data synthetic:social,nodes=500 --epsilon 1 --out plan.txt");
  plan->callback([options, &action] { action = [options] { return run_plan(*options); }; });
}

void add_perturb(CLI::App& app, Action& action) {
  auto options = std::make_shared<PerturbOptions>();
  CLI::App* perturb = app.add_subcommand("perturb", "Make everybody's report from features, levels and a plan");
  options->data.add_to(*perturb);
  perturb->add_option("--plan", options->plan_file, "Plan file")->required();
  perturb->add_option("--levels", options->levels, "uniform, strict, relaxed, bimodal, or a file of node,level lines")
      ->capture_default_str();
  perturb->add_option("--out", options->output, "Reports file to write")->required();
  options->seed_option = perturb->add_option("--seed", options->seed,
                                             "Reproducible reports, for research only; without it, OS randomness");
  perturb->add_option("--run", options->run, "Which run of ppgnn run to reproduce")->needs(options->seed_option);
  whole_numbers(*perturb, {"--seed", "--run"});
  perturb->add_flag("--force", options->force, "Replace the reports file if it exists");
  perturb->add_flag("--json", options->json, "Print one JSON object");
  perturb->footer(
      "Examples (after ppgnn plan):\n"
      "  ppgnn perturb --data synthetic:social,nodes=500 --plan plan.txt --out reports.csv");
  perturb->callback([options, &action] { action = [options] { return run_perturb(*options); }; });
}

void add_train(CLI::App& app, Action& action) {
  auto options = std::make_shared<TrainCommandOptions>();
  CLI::App* train = app.add_subcommand("train", "Train a model from a graph, labels and reports");
  options->data.add_to(*train);
  train->add_option("--plan", options->plan_file, "Plan file")->required();
  train->add_option("--reports", options->reports_file, "Reports file")->required();
  train->add_option("--model", options->model_file, "Model file to write")->required();
  train->add_option("--labels", options->labels_file,
                    "CSV with the header node,class, instead of the data's labels; nodes left out are unknown");
  train->add_option("--split", options->split_file,
                    "CSV with the header node,part; default: a random split of the labelled");
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
  whole_numbers(*train, {"--checkpoint-every", "--seed", "--run", "--threads"});
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

void add_predict(CLI::App& app, Action& action) {
  auto options = std::make_shared<PredictOptions>();
  CLI::App* predict =
      app.add_subcommand("predict", "Class and probability of every node, also of people who came later");
  options->data.add_to(*predict);
  predict->add_option("--plan", options->plan_file, "Plan file")->required();
  predict->add_option("--reports", options->reports_file, "Reports file")->required();
  predict->add_option("--model", options->model_file, "Model file of ppgnn train")->required();
  predict->add_option("--out", options->output, "CSV file to write; default: standard output");
  predict->add_option("--threads", options->threads, "0: one per core")->capture_default_str();
  whole_numbers(*predict, {"--threads"});
  predict->add_flag("--json", options->json, "Print one JSON object");
  predict->footer(
      "Examples (after ppgnn train):\n"
      "  ppgnn predict --data synthetic:social,nodes=500 --plan plan.txt --reports reports.csv --model model.bin");
  predict->callback([options, &action] { action = [options] { return run_predict(*options); }; });
}

}  // namespace ppgnn::app
