// ppgnn perturb: makes everybody's report, through the client that devices use.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "output_files.hpp"
#include "ppgnn/core/version.hpp"
#include "ppgnn/plan_files/plan_files.hpp"
#include "ppgnn/population/devices.hpp"
#include "ppgnn/population/levels.hpp"
#include "ppgnn/population/rows.hpp"
#include "ppgnn/random/secure_source.hpp"
#include "ppgnn/server/people_list.hpp"
#include "ppgnn/server/question_files.hpp"
#include "ppgnn/server/report_files.hpp"
#include "run_options.hpp"

namespace ppgnn::app {

namespace {

struct PerturbOptions {
  DataChoice data;
  std::string plan_file;
  std::string levels = "uniform";
  std::string questions_file;
  std::string people_file;
  std::vector<std::filesystem::path> earlier;
  std::string output;
  std::uint64_t seed = 0;
  std::uint64_t run = 0;
  CLI::Option* seed_option = nullptr;
  bool force = false;
  bool json = false;
};

Result<std::vector<std::uint8_t>> who_reports(const PerturbOptions& options, const ldp::Plan& plan,
                                              const graph::NodeNames& nodes) {
  std::optional<server::PeopleList> list;
  if (!options.people_file.empty()) {
    Result<server::PeopleList> read = server::PeopleList::read(options.people_file, plan);
    if (!read) return read.error();
    list = std::move(read).value();
  }
  return server::reporting(list ? &*list : nullptr, nodes, options.earlier);
}

Status run_perturb(const PerturbOptions& options) {
  const std::vector<NamedFile> outputs{{"--out", options.output}};
  std::vector<NamedFile> inputs{{"--plan", options.plan_file},
                                {"--questions", options.questions_file},
                                {"--people", options.people_file},
                                levels_input(options.levels)};
  for (const std::filesystem::path& file : options.earlier) inputs.push_back({"--earlier", file.string()});
  Result<void> apart = check_apart(inputs, outputs);
  if (apart) apart = options.data.check_apart(outputs);
  if (!apart) return fail(apart.error());
  if (!options.force && std::filesystem::is_regular_file(options.output)) {
    return fail({ErrorCode::invalid_argument,
                 options.output + " exists: reports made anew cost people their privacy a second time; remove it, or "
                                  "pass --force"});
  }
  const Result<ldp::Plan> plan = plan_files::read_plan(options.plan_file);
  if (!plan) return fail(plan.error());
  const Result<graph::Dataset> dataset = options.data.load(graph::MissingFeatures::refuse);
  if (!dataset) return fail(dataset.error());
  print_notes(*dataset);
  if (dataset->features.cols() != plan->schema().dim()) {
    return fail({ErrorCode::mismatch, fmt::format("{}: the plan has {} columns, the data {}", options.plan_file,
                                                  plan->schema().dim(), dataset->features.cols())});
  }
  ldp::Questions questions;
  if (!options.questions_file.empty()) {
    Result<ldp::Questions> read = server::read_questions(options.questions_file, *dataset, *plan);
    if (!read) return fail(read.error());
    questions = std::move(read).value();
  } else if (plan->tables().model) {
    return fail({ErrorCode::invalid_argument, "the plan asks a question: --questions is missing"});
  }
  const Result<std::vector<std::uint8_t>> reporting = who_reports(options, *plan, dataset->nodes);
  if (!reporting) return fail(reporting.error());
  const bool seeded = options.seed_option->count() > 0;
  const Result<std::vector<ldp::Level>> levels =
      population::levels_for(options.levels, *dataset, plan->levels().size(),
                             seeded ? options.seed : random::SecureSource().next(), options.run);
  if (!levels) return fail(levels.error());

  const population::PlanRows rows(dataset->features, *plan);
  if (const std::vector<std::uint32_t> clamped = rows.clamped_columns(); !clamped.empty()) {
    say(fmt::format("note: {} of {} columns have values outside the plan's range, which are clamped; the first is {}",
                    clamped.size(), plan->schema().dim(), plan->schema().column_name(clamped.front())));
  }
  const population::Asking asking(*plan, dataset->nodes, questions);
  const population::Devices devices{
      &dataset->features, *levels, options.seed, options.run, population::Content::features, &asking, *reporting};
  const auto reports = seeded ? Result(population::seeded_reports(*plan, devices, kernels::Threads(0)))
                              : population::device_reports(*plan, rows, dataset->nodes, *levels, questions, *reporting);
  if (!reports) return fail(reports.error());
  if (Result<void> written = server::write_reports(options.output, *dataset, *reports); !written)
    return fail(written.error());
  const std::string entropy = seeded ? "seeded: for research only" : "operating system";
  if (options.json) {
    print_json({{"reports", options.output},
                {"people", reports->size()},
                {"plan_hash", to_hex(plan->hash())},
                {"randomness", entropy},
                {"version", version()}});
  } else {
    fmt::print("{}: {} reports; randomness: {}\n", options.output, reports->size(), entropy);
  }
  return Status::success;
}

}  // namespace

void add_perturb(CLI::App& app, Action& action) {
  auto options = std::make_shared<PerturbOptions>();
  CLI::App* perturb = app.add_subcommand("perturb", "Make everybody's report from features, levels and a plan");
  options->data.add_to(*perturb);
  perturb->add_option("--plan", options->plan_file, std::string("Plan file") + kOrStandardInput)->required();
  add_levels(*perturb, options->levels);
  perturb->add_option(
      "--questions", options->questions_file,
      std::string("CSV with the header node,question, for a plan that asks one; who has none does not report") +
          kOrStandardInput);
  perturb->add_option(
      "--people", options->people_file,
      std::string("List of the plan's people, who alone report; default: everybody") + kOrStandardInput);
  perturb->add_option("--earlier", options->earlier,
                      "Reports files of the same campaign: nobody who occurs in one may report again");
  perturb->add_option("--out", options->output, "Reports file to write")->required();
  options->seed_option = perturb->add_option(
      "--seed", options->seed, "Reproducible reports, for research only, marked as such; without it, OS randomness");
  perturb->add_option("--run", options->run, "Which run of ppgnn run to reproduce")->needs(options->seed_option);
  whole_numbers(*perturb, {"--seed", {"--run", kMaxRun}});
  perturb->add_flag("--force", options->force, "Replace the reports file if it exists");
  perturb->add_flag("--json", options->json, "Print one JSON object");
  perturb->footer(
      "Examples (after ppgnn plan):\n"
      "  ppgnn perturb --data synthetic:social,nodes=500 --plan plan.txt --out reports.csv\n\nIn a campaign: ppgnn "
      "campaign --help");
  perturb->callback([options, &action] { action = [options] { return run_perturb(*options); }; });
}

}  // namespace ppgnn::app
