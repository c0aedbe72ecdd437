// ppgnn campaign: the server's steps between rounds of reports.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "budget_options.hpp"
#include "campaign_files.hpp"
#include "campaign_store.hpp"
#include "command.hpp"
#include "output_files.hpp"
#include "ppgnn/collector/steps.hpp"
#include "ppgnn/core/version.hpp"
#include "ppgnn/io/files.hpp"
#include "ppgnn/plan_files/plan_files.hpp"
#include "ppgnn/population/levels.hpp"
#include "ppgnn/population/rows.hpp"
#include "ppgnn/server/people_list.hpp"
#include "ppgnn/server/question_files.hpp"
#include "ppgnn/teach/conclusion.hpp"
#include "ppgnn/teach/rounds.hpp"
#include "run_options.hpp"

namespace ppgnn::app {

namespace {

using ldp::Role;
using nlohmann::ordered_json;

struct CampaignOptions {
  DataChoice data;
  BudgetChoice budgets;
  ReportsChoice reports;
  StructureChoice structure;
  std::string folder;
  std::string store;
  std::string name;
  std::string plan_file;
  std::string schema_file;
  std::string split_file;
  std::string levels_file;
  bool pilots = false;
  bool json = false;
};

// The files of a round, its plan last: where there is a plan, the rest is there.
Result<void> write_round(const teach::CampaignFolder& files, Role role, const server::PeopleList& list,
                         const ldp::Plan& plan, const std::function<Result<void>()>& write_rest) {
  if (Result<void> written = io::write_text(files.people(role), list.text()); !written) return written;
  if (Result<void> written = write_rest(); !written) return written;
  return io::write_text(files.plan(role), plan.text());
}

// A campaign that people may have reported for is not started again, nor asked anew.
Result<void> check_new(const std::filesystem::path& plan) {
  if (!std::filesystem::exists(plan)) return {};
  return Error{ErrorCode::invalid_argument,
               plan.string() + " exists: people may have reported for it, and report once a campaign"};
}

Result<std::vector<ldp::ColumnGroup>> columns_for(const CampaignOptions& options, const graph::Dataset& dataset,
                                                  std::string& note) {
  if (!options.schema_file.empty()) return plan_files::read_schema(options.schema_file);
  if (dataset.features.cols() == 0) {
    return Error{ErrorCode::invalid_argument, "the data has no features to take columns from: --schema is missing"};
  }
  if (dataset.features.schema().origin == graph::SchemaOrigin::derived) {
    note = "column ranges were read off the data: for research only";
  }
  return population::columns_of(dataset.features.schema());
}

Result<void> check_place(const CampaignOptions& options) {
  if (options.folder.empty() != options.store.empty()) return {};
  return Error{ErrorCode::invalid_argument, "where the campaign is: --folder or --store"};
}

// A campaign of one round: everybody who is enrolled reports.
Status start_one_round(const CampaignOptions& options, store::Store& store) {
  const Result<ldp::Plan> plan = plan_files::read_plan(options.plan_file);
  if (!plan) return fail(plan.error());
  if (Result<void> started = collector::start(store, options.name, *plan); !started) return fail(started.error());
  return print_round(store, 0, options.json);
}

Status start(const CampaignOptions& options) {
  if (Result<void> place = check_place(options); !place) return fail(place.error());
  const teach::CampaignFolder files{options.folder};
  std::unique_ptr<store::Store> store;
  if (options.store.empty()) {
    if (Result<void> fresh = check_new(files.plan(Role::teach)); !fresh) return fail(fresh.error());
    if (!options.plan_file.empty()) return fail({ErrorCode::invalid_argument, "--plan: goes with --store"});
  } else {
    Result<std::unique_ptr<store::Store>> opened = store::open(options.store, store::Opening::create);
    if (!opened) return fail(opened.error());
    store = std::move(opened).value();
    if (!options.plan_file.empty()) return start_one_round(options, *store);
    const Result<std::optional<store::Campaign>> there = store->campaign();
    if (!there) return fail(there.error());
    if (*there && (*there)->name == options.name && !(*there)->rounds.empty())
      return print_round(*store, 0, options.json);
  }
  const std::vector<NamedFile> outputs{{"--folder", files.split().string()}};
  Result<void> apart = check_apart({{"--schema", options.schema_file}, {"--split", options.split_file}}, outputs);
  if (apart) apart = options.data.check_apart(outputs);
  if (!apart) return fail(apart.error());
  const Result<graph::Dataset> dataset = options.data.load(graph::MissingFeatures::accept);
  if (!dataset) return fail(dataset.error());
  print_notes(*dataset);
  const Result<graph::Split> split = options.split_file.empty()
                                         ? graph::make_split(*dataset, options.structure.seed, options.structure.run)
                                         : graph::read_split(options.split_file, *dataset);
  if (!split) return fail(split.error());
  if (options.budgets.gamma_option->count() > 0) {
    return fail({ErrorCode::invalid_argument, "--gamma: has no meaning in a campaign"});
  }
  ldp::PlanRequest request;
  std::string note;
  Result<std::vector<ldp::ColumnGroup>> columns = columns_for(options, *dataset, note);
  if (!columns) return fail(columns.error());
  request.columns = std::move(columns).value();
  if (Result<void> applied = options.budgets.apply_to(request); !applied) return fail(applied.error());
  std::vector<std::string> teachers;
  for (const graph::NodeId node : split->train) teachers.push_back(dataset->nodes.name(node));
  const Result<server::PeopleList> list = server::PeopleList::make(options.name, Role::teach, std::move(teachers));
  if (!list) return fail(list.error());
  const Result<ldp::Plan> plan = teach::teaching_plan(std::move(request), options.name, list->digest());
  if (!plan) return fail(plan.error());
  const Result<void> written = store ? collector::start(*store, *dataset, *split, *list, *plan)
                                     : write_round(files, Role::teach, *list, *plan,
                                                   [&] { return graph::write_split(files.split(), *dataset, *split); });
  if (!written) return fail(written.error());
  if (store) {
    if (!note.empty()) say("note: " + note);
    return print_round(*store, 0, options.json);
  }
  if (options.json) {
    print_json({{"campaign", options.name},
                {"folder", options.folder},
                {"plan", files.plan(Role::teach).string()},
                {"plan_hash", to_hex(plan->hash())},
                {"teachers", list->names().size()},
                {"note", note},
                {"version", version()}});
  } else {
    fmt::print("{}: {} people teach; plan {}\n", files.plan(Role::teach).string(), list->names().size(),
               to_hex(plan->hash()));
    if (!note.empty()) fmt::print("Note: {}.\n", note);
    fmt::print("Next: their reports, then ppgnn campaign ask --folder {} --reports ...\n", options.folder);
  }
  return Status::success;
}

Result<std::optional<teach::Asking>> optional_of(Result<teach::Asking> asking) {
  if (!asking) return asking.error();
  return std::optional(std::move(asking).value());
}

// Where a step of asking stands: the store, or nothing for a folder, and what people did in the round before.
struct Before {
  std::unique_ptr<store::Store> store;
  Role role = Role::teach;
  std::uint32_t next = 1;                ///< the round that is made, of a store
  std::optional<std::uint32_t> already;  ///< it was made before, of a store
};

Result<Before> before_asking(const CampaignOptions& options, const teach::CampaignFolder& files) {
  const Role made = options.pilots ? Role::pilot : Role::answer;
  if (options.store.empty()) {
    if (options.reports.file.empty()) return Error{ErrorCode::invalid_argument, "--reports is missing"};
    const Role last = last_role(files);
    // Whom a round asked is asked by no other.
    if (last >= made) {
      if (Result<void> fresh = check_new(files.plan(last)); !fresh) return fresh.error();
    }
    return Before{nullptr, last, 1, {}};
  }
  if (!options.reports.file.empty() || !options.levels_file.empty()) {
    return Error{ErrorCode::invalid_argument, "--reports and --levels: a store has them"};
  }
  Result<OpenCampaign> opened = open_campaign(options.store);
  if (!opened) return opened.error();
  const Result<std::optional<Role>> last = last_role(*opened);
  if (!last) return last.error();
  if (!*last) return Error{ErrorCode::mismatch, options.store + ": this campaign has one round and no questions"};
  const auto rounds = static_cast<std::uint32_t>(opened->campaign.rounds.size());
  Before before{std::move(opened->store), **last, rounds, {}};
  if (**last == made) before.already = rounds - 1;
  if (**last > made) {
    return Error{ErrorCode::mismatch, options.store + ": everybody was asked already, without pilots before them"};
  }
  return before;
}

// Levels as people declared them: of a store, or of a file.
Result<std::vector<ldp::Level>> declared_levels(const CampaignOptions& options, const RoundInputs& inputs) {
  if (options.levels_file.empty()) return inputs.levels;
  if (inputs.plan.tables().secrecy != ldp::LevelSecrecy::public_level) {
    return Error{ErrorCode::invalid_argument, "--levels: levels are private in this campaign"};
  }
  return population::read_levels(options.levels_file, inputs.dataset, inputs.plan.levels().size());
}

// The next round; nothing where the pilots' answers do not help, so that nobody else is to answer.
Result<std::optional<teach::Asking>> next_asking(const CampaignOptions& options, const RoundInputs& inputs, Role before,
                                                 std::span<const ldp::Level> levels) {
  const Result<teach::Beliefs> structure = options.structure.beliefs(inputs.dataset, inputs.split);
  if (!structure) return structure.error();
  if (before == Role::pilot) {
    const teach::Conclusion shown =
        teach::conclude(inputs.dataset, inputs.split, *structure, options.structure.all_labels(), inputs.plan,
                        inputs.questions, inputs.reports);
    if (!shown.used) return std::optional<teach::Asking>();
    return optional_of(teach::ask_others(inputs.dataset, inputs.split, *structure, inputs.plan, levels));
  }
  Result<teach::Asking> everybody =
      teach::ask(inputs.dataset, inputs.split, *structure, inputs.plan, inputs.reports, levels, options.structure.seed);
  if (!everybody || !options.pilots) return optional_of(std::move(everybody));
  return optional_of(teach::ask_pilots(*everybody, inputs.split));
}

Status nobody_else(const CampaignOptions& options, const RoundInputs& inputs) {
  const std::string next = options.store.empty()
                               ? "ppgnn predict --campaign " + options.folder + " --reports " + options.reports.file
                               : "ppgnn train --store " + options.store + " --data ...";
  if (options.json) {
    print_json({{"campaign", inputs.plan.tables().campaign->name},
                {"answers", inputs.reports.size()},
                {"answers_help", false},
                {"asked", 0},
                {"version", version()}});
  } else {
    fmt::print("{} pilots answered, and that made their classes no likelier: nobody else is asked.\nNext: {}\n",
               inputs.reports.size(), next);
  }
  return Status::success;
}

Status print_asked(const CampaignOptions& options, const RoundInputs& inputs, const teach::CampaignFolder& files,
                   Role before, const ldp::Plan& plan, std::size_t asked) {
  const Role role = plan.tables().campaign->role;
  const graph::Split& split = inputs.split;
  const std::size_t could = role == Role::pilot ? split.validation.size()
                                                : inputs.dataset.num_nodes() - split.train.size() -
                                                      (before == Role::pilot ? split.validation.size() : 0);
  if (options.json) {
    print_json({{"campaign", plan.tables().campaign->name},
                {"folder", options.folder},
                {"plan", files.plan(role).string()},
                {"plan_hash", to_hex(plan.hash())},
                {before == Role::teach ? "lessons" : "answers", inputs.reports.size()},
                {"asked", asked},
                {"not_asked", could - asked},
                {"version", version()}});
    return Status::success;
  }
  fmt::print("{}: learned from {} reports; {} {} are asked, of {} others the graph says enough; plan {}\n",
             files.plan(role).string(), inputs.reports.size(), asked, role == Role::pilot ? "pilots" : "people",
             could - asked, to_hex(plan.hash()));
  if (role == Role::pilot) {
    fmt::print("Next: their answers, then ppgnn campaign ask --folder {} --reports ...\n", options.folder);
  } else {
    fmt::print("Next: their answers, then ppgnn predict --campaign {} --reports ...{}\n", options.folder,
               before == Role::pilot ? " --pilots ..." : "");
  }
  return Status::success;
}

Status ask(const CampaignOptions& options) {
  if (Result<void> place = check_place(options); !place) return fail(place.error());
  const teach::CampaignFolder files{options.folder};
  const Result<Before> before = before_asking(options, files);
  if (!before) return fail(before.error());
  store::Store* store = before->store.get();
  if (before->already) return print_round(*store, *before->already, options.json);
  const Result<RoundInputs> inputs = store != nullptr ? read_round(*store, options.data, options.reports.allow_seeded)
                                                      : read_round(files, before->role, options.data, options.reports);
  if (!inputs) return fail(inputs.error());
  const graph::Dataset& dataset = inputs->dataset;
  if (inputs->reports.empty()) {
    return fail({ErrorCode::malformed,
                 (store != nullptr ? options.store : options.reports.file) + ": there is no report in it"});
  }
  const Result<std::vector<ldp::Level>> levels = declared_levels(options, *inputs);
  if (!levels) return fail(levels.error());
  const Result<std::optional<teach::Asking>> next = next_asking(options, *inputs, before->role, *levels);
  if (!next) return fail(next.error());
  if (!*next) return nobody_else(options, *inputs);
  const teach::Asking& asking = **next;
  const Role role = asking.plan.tables().campaign->role;
  std::vector<std::string> asked;
  for (std::uint32_t person = 0; person < dataset.num_nodes(); ++person) {
    const bool erased = !inputs->erased.empty() && inputs->erased[person] != 0;
    if (asking.questions[person] && !erased) asked.push_back(dataset.nodes.name(person));
  }
  const Result<server::PeopleList> list =
      server::PeopleList::make(inputs->plan.tables().campaign->name, role, std::move(asked));
  if (!list) return fail(list.error());
  const Result<ldp::Plan> plan = teach::with_people(asking.plan, list->digest());
  if (!plan) return fail(plan.error());
  const Result<void> written =
      store != nullptr ? collector::ask(*store, before->next, dataset, *list, *plan, asking.questions, inputs->erasures)
                       : write_round(files, role, *list, *plan, [&] {
                           return server::write_questions(files.questions(role), dataset, asking.questions);
                         });
  if (!written) return fail(written.error());
  if (store != nullptr) return print_round(*store, before->next, options.json);
  return print_asked(options, *inputs, files, before->role, *plan, list->names().size());
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
      "Examples by files, in this order:\n"
      "  ppgnn campaign start --data synthetic:social,nodes=500 --campaign spring --folder spring\n"
      "  ppgnn perturb --data synthetic:social,nodes=500 --plan spring/teach.plan --people spring/teach.people --out "
      "lessons.csv\n"
      "  ppgnn campaign ask --data synthetic:social,nodes=500 --folder spring --reports lessons.csv\n"
      "  ppgnn perturb --data synthetic:social,nodes=500 --plan spring/answer.plan --people spring/answer.people "
      "--questions spring/questions.csv --earlier lessons.csv --out answers.csv\n"
      "  ppgnn predict --data synthetic:social,nodes=500 --campaign spring --reports answers.csv");
  const auto options = std::make_shared<CampaignOptions>();
  const auto add_common = [options](CLI::App& command) {
    options->data.add_to(command);
    command.add_option("--folder", options->folder, "Folder of the campaign's files");
    command.add_option("--store", options->store, "Store of a collector, instead of a folder: sqlite:PATH");
    command.add_flag("--json", options->json, "Print one JSON object");
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
  options->structure.add_seed(*first);
  first->footer("Example:\n  ppgnn campaign start --data synthetic:social,nodes=500 --campaign summer --folder summer");
  first->callback([options, &action] { action = [options] { return start(*options); }; });

  CLI::App* second = campaign->add_subcommand("ask", "Learn from the reports so far, and decide whom to ask what");
  add_common(*second);
  options->reports.add_to(*second)->required(false);
  second->add_option("--levels", options->levels_file,
                     std::string("CSV with the header node,level, as declared, where levels are public: who cannot be "
                                 "moved by their own budget is not asked") +
                         kOrStandardInput);
  second->add_flag("--pilots", options->pilots,
                   "First ask only people with a label who did not teach. Once they answered, the same command without "
                   "--pilots asks the others, if answers help; if not, nobody else is asked and nothing more is spent");
  options->structure.add_to(*second);
  second->footer("Examples: ppgnn campaign --help");
  second->callback([options, &action] { action = [options] { return ask(*options); }; });
  add_campaign_store(*campaign, action);
}

}  // namespace ppgnn::app
