// ppgnn campaign: the server's steps between rounds of reports.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "budget_options.hpp"
#include "campaign_home.hpp"
#include "campaign_options.hpp"
#include "campaign_store.hpp"
#include "command.hpp"
#include "output_files.hpp"
#include "ppgnn/campaign/folder.hpp"
#include "ppgnn/campaign/home.hpp"
#include "ppgnn/campaign/in_store.hpp"
#include "ppgnn/campaign/steps.hpp"
#include "ppgnn/core/version.hpp"
#include "ppgnn/plan_files/plan_files.hpp"
#include "ppgnn/population/rows.hpp"

namespace ppgnn::app {

namespace {

using ldp::Role;

struct CampaignOptions {
  LabelledData labelled;
  BudgetChoice budgets;
  ReportsChoice reports;
  StructureChoice structure;
  PlaceChoice place;
  std::string name;
  std::string plan_file;
  std::string schema_file;
  std::string split_file;
  std::string decide = "server";
  bool pilots = false;
  bool json = false;
};

Result<std::vector<ldp::ColumnGroup>> columns_for(const CampaignOptions& options, const graph::Dataset& dataset,
                                                  std::string& note) {
  if (!options.schema_file.empty()) return plan_files::read_schema(options.schema_file);
  if (dataset.features.cols() == 0) {
    return invalid("the data has no features to take columns from: --schema is missing");
  }
  if (dataset.features.schema().origin == graph::SchemaOrigin::derived) {
    note = "column ranges were read off the data: for research only";
  }
  return population::columns_of(dataset.features.schema());
}

// Prints the last round as it stands.
Status print_last(const CampaignOptions& options, campaign::Place& place) {
  const Result<campaign::State> state = place.load();
  if (!state) return fail(state.error());
  print_round(*state, state->rounds.size() - 1, options.place.words(), options.json);
  return Status::success;
}

// Whether the first round of this campaign is there already, of a store.
Result<bool> begun(campaign::InStore& place, const std::string& name) {
  const Result<std::optional<store::Campaign>> there = place.store().campaign();
  if (!there) return there.error();
  return *there && (*there)->name == name && !(*there)->rounds.empty();
}

Status print_started(const CampaignOptions& options, campaign::Place& place, const std::string& note) {
  if (!options.place.store.empty()) {
    if (!note.empty()) say("note: " + note);
    return print_last(options, place);
  }
  const Result<campaign::State> state = place.load();
  if (!state) return fail(state.error());
  const campaign::RoundState& round = state->rounds.front();
  const std::string plan = campaign::FolderFiles{options.place.folder}.plan(Role::teach).string();
  if (options.json) {
    print_json({{"campaign", options.name},
                {"folder", options.place.folder},
                {"plan", plan},
                {"plan_hash", to_hex(round.plan.hash())},
                {"teachers", round.people},
                {"note", note},
                {"version", version()}});
  } else {
    fmt::print("{}: {} people teach; plan {}\n", plan, round.people, to_hex(round.plan.hash()));
    if (!note.empty()) fmt::print("Note: {}.\n", note);
    fmt::print("Next: their reports, then ppgnn campaign {} --folder {} --reports ...\n",
               options.decide == "home" ? "calibrate" : "ask", options.place.folder);
  }
  return Status::success;
}

Status start(const CampaignOptions& options) {
  if (!options.place.given()) return fail(invalid("where the campaign is: --folder or --store"));
  std::unique_ptr<campaign::Place> place = std::make_unique<campaign::Folder>(options.place.folder);
  if (!options.place.store.empty()) {
    if (const std::string chosen = store::name_in(options.place.store); !chosen.empty() && chosen != options.name) {
      return fail(invalid("--campaign: --store names another one, " + chosen));
    }
    Result<campaign::InStore> store = open_store(options.place.store, store::Opening::create);
    if (!store) return fail(store.error());
    if (!options.plan_file.empty()) {
      const Result<ldp::Plan> plan = plan_files::read_plan(options.plan_file);
      if (!plan) return fail(plan.error());
      if (Result<void> started = store->start_one_round(options.name, *plan); !started) return fail(started.error());
      return print_last(options, *store);
    }
    const Result<bool> there = begun(*store, options.name);
    if (!there) return fail(there.error());
    if (*there) return print_last(options, *store);
    place = std::make_unique<campaign::InStore>(std::move(store).value());
  } else if (!options.plan_file.empty()) {
    return fail(invalid("--plan: goes with --store"));
  }
  const std::vector<NamedFile> outputs{{"--folder", campaign::FolderFiles{options.place.folder}.split().string()}};
  Result<void> apart = check_apart({{"--schema", options.schema_file}, {"--split", options.split_file}}, outputs);
  if (apart) apart = options.labelled.data.check_apart(outputs);
  if (!apart) return fail(apart.error());
  const Result<graph::Dataset> dataset = options.labelled.load();
  if (!dataset) return fail(dataset.error());
  const Result<graph::Split> split = options.split_file.empty()
                                         ? graph::make_split(*dataset, options.structure.seed, options.structure.run)
                                         : graph::read_split(options.split_file, *dataset);
  if (!split) return fail(split.error());
  if (options.budgets.gamma_option->count() > 0) return fail(invalid("--gamma: has no meaning in a campaign"));
  ldp::PlanRequest request;
  std::string note;
  Result<std::vector<ldp::ColumnGroup>> columns = columns_for(options, *dataset, note);
  if (!columns) return fail(columns.error());
  request.columns = std::move(columns).value();
  if (Result<void> applied = options.budgets.apply_to(request); !applied) return fail(applied.error());
  const Result<void> started = options.decide == "home"
                                   ? campaign::start_home(*place, *dataset, *split, options.name, std::move(request),
                                                          options.structure.of(*dataset))
                                   : campaign::start(*place, *dataset, *split, options.name, std::move(request));
  return started ? print_started(options, *place, note) : fail(started.error());
}

Status print_asked(const CampaignOptions& options, const campaign::State& state, const campaign::Asked& asked) {
  const Role role = *state.rounds.back().role;
  if (!asked.helps) {
    if (options.json) {
      print_json({{"campaign", state.name},
                  {"answers", asked.reports},
                  {"answers_help", false},
                  {"asked", 0},
                  {"version", version()}});
    } else {
      fmt::print(
          "{} pilots answered, and that made their classes no likelier: nobody else is asked.\nNext: ppgnn train {} "
          "--data ...\n",
          asked.reports, options.place.words());
    }
    return Status::success;
  }
  if (!options.place.store.empty()) {
    print_round(state, state.rounds.size() - 1, options.place.words(), options.json);
    return Status::success;
  }
  const std::string plan = campaign::FolderFiles{options.place.folder}.plan(role).string();
  const std::string hash = to_hex(state.rounds.back().plan.hash());
  if (options.json) {
    print_json({{"campaign", state.name},
                {"folder", options.place.folder},
                {"plan", plan},
                {"plan_hash", hash},
                {asked.before == Role::teach ? "lessons" : "answers", asked.reports},
                {"asked", asked.asked},
                {"not_asked", asked.not_asked},
                {"version", version()}});
    return Status::success;
  }
  fmt::print("{}: learned from {} reports; {} {} are asked, of {} others the graph says enough; plan {}\n", plan,
             asked.reports, asked.asked, role == Role::pilot ? "pilots" : "people", asked.not_asked, hash);
  fmt::print("Next: their answers, then ppgnn {} --folder {} --reports ...{}\n",
             role == Role::pilot ? "campaign ask" : "train", options.place.folder,
             asked.before == Role::pilot ? ", and the pilots' with another --reports" : "");
  return Status::success;
}

Status ask(const CampaignOptions& options) {
  const Result<graph::Dataset> dataset = options.labelled.load();
  if (!dataset) return fail(dataset.error());
  const Result<std::unique_ptr<campaign::Place>> place = options.place.open(options.reports, *dataset);
  if (!place) return fail(place.error());
  const Result<campaign::Asked> asked = campaign::ask(
      **place, *dataset, options.structure.of(*dataset),
      {.pilots = options.pilots, .all_labels = options.structure.all_labels(), .seed = options.structure.seed});
  if (!asked) return fail(asked.error());
  const Result<campaign::State> state = (*place)->load();
  return state ? print_asked(options, *state, *asked) : fail(state.error());
}

}  // namespace

void add_campaign(CLI::App& app, Action& action) {
  CLI::App* campaign = app.add_subcommand("campaign", "Teach and ask: the server's steps between reports");
  campaign->require_subcommand(1);
  campaign->footer(
      "Labelled people teach, the others answer one question each; nobody reports twice (docs/formats/campaign.md).\n\n"
      "With --store a collector (ppgnn serve) takes the reports: start, close, ask, close, ppgnn train; with pilots "
      "first: "
      "start, close,\nask --pilots, close, ask, close, ppgnn train (docs/operations.md).\n\n"
      "Where devices decide, everybody but the pilots teaches: start --decide home, calibrate, publish, and ppgnn "
      "decide on "
      "each device.\n\n"
      "Examples by files, in this order:\n"
      "  ppgnn campaign start --data synthetic:social,nodes=500 --campaign spring --folder spring\n"
      "  ppgnn perturb --data synthetic:social,nodes=500 --plan spring/teach.plan --people spring/teach.people --out "
      "lessons.csv\n"
      "  ppgnn campaign ask --data synthetic:social,nodes=500 --folder spring --reports lessons.csv\n"
      "  ppgnn perturb --data synthetic:social,nodes=500 --plan spring/answer.plan --people spring/answer.people "
      "--questions spring/questions.csv --earlier lessons.csv --out answers.csv\n"
      "  ppgnn train --data synthetic:social,nodes=500 --folder spring --reports answers.csv\n"
      "  ppgnn predict --folder spring");
  const auto options = std::make_shared<CampaignOptions>();
  const auto add_common = [options](CLI::App& command) {
    options->labelled.add_to(command);
    options->place.add_to(command);
    command.add_flag("--json", options->json, "Print one JSON object");
    reserved_options(command);
  };

  CLI::App* first = campaign->add_subcommand("start", "Choose who teaches, and make the plan of the first round");
  add_common(*first);
  first->add_option("--campaign", options->name, "Name of the campaign, of which a device sends one report")
      ->required();
  first->add_option(
      "--plan", options->plan_file,
      std::string("Plan of a campaign of one round, in which everybody who is enrolled reports; with --store") +
          kOrStandardInput);
  first->add_option("--schema", options->schema_file,
                    "CSV with the header name,count,kind,low,high,absent, where the data has no features");
  first->add_option("--split", options->split_file,
                    std::string("CSV with the header node,part: train teaches, validation judges; default: a random "
                                "split of the labelled") +
                        kOrStandardInput);
  options->budgets.add_to(*first);
  first
      ->add_option(
          "--decide", options->decide,
          "Where a person's class is decided: server: people answer one question each; home: everybody but a few "
          "pilots teaches, and each device decides by a published model")
      ->transform(one_of({"server", "home"}))
      ->capture_default_str();
  options->structure.add_to(*first);
  first->footer("Example:\n  ppgnn campaign start --data synthetic:social,nodes=500 --campaign summer --folder summer");
  first->callback([options, &action] { action = [options] { return start(*options); }; });

  CLI::App* second = campaign->add_subcommand("ask", "Learn from the reports so far, and decide whom to ask what");
  add_common(*second);
  options->reports.add_to(*second);
  options->place.add_levels(*second);
  second->add_flag("--pilots", options->pilots,
                   "First ask only people with a label who did not teach. Once they answered, the same command without "
                   "--pilots asks the others, if answers help; if not, nobody else is asked and nothing more is spent");
  options->structure.add_to(*second);
  second->footer("Examples: ppgnn campaign --help");
  second->callback([options, &action] { action = [options] { return ask(*options); }; });
  add_campaign_home(*campaign, action);
  add_campaign_store(*campaign, action);
  add_campaign_trail(*campaign, action);
  add_campaign_work(*campaign, action);
}

}  // namespace ppgnn::app
