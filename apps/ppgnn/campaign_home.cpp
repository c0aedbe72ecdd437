// ppgnn campaign calibrate | publish | withdraw: a campaign whose devices decide.
#include "campaign_home.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "campaign_options.hpp"
#include "campaign_store.hpp"
#include "ppgnn/campaign/home.hpp"
#include "ppgnn/core/names.hpp"
#include "ppgnn/core/version.hpp"

namespace ppgnn::app {

namespace {

struct HintChoiceRow {
  std::string_view name;
  ldp::HintKind kind;
};
constexpr std::array kHintChoices{HintChoiceRow{"coarse", ldp::HintKind::coarse},
                                  HintChoiceRow{"full", ldp::HintKind::full}};

struct HomeOptions {
  LabelledData labelled;
  ReportsChoice reports;
  StructureChoice structure;
  PlaceChoice place;
  double columns = 0;
  std::string hint = "coarse";
  std::uint64_t hint_friends = 0;
  bool json = false;
};

Status calibrate(const HomeOptions& options) {
  const Result<graph::Dataset> dataset = options.labelled.load();
  if (!dataset) return fail(dataset.error());
  const Result<std::unique_ptr<campaign::Place>> place = options.place.open(options.reports, *dataset);
  if (!place) return fail(place.error());
  const Result<campaign::Asked> asked =
      campaign::calibrate(**place, *dataset, options.structure.of(*dataset), {options.columns, options.structure.seed});
  if (!asked) return fail(asked.error());
  const Result<campaign::State> state = (*place)->load();
  if (!state) return fail(state.error());
  print_round(*state, state->rounds.size() - 1, options.place.words(), options.json);
  return Status::success;
}

Status publish(const HomeOptions& options) {
  const Result<graph::Dataset> dataset = options.labelled.load();
  if (!dataset) return fail(dataset.error());
  const Result<std::unique_ptr<campaign::Place>> place = options.place.open(options.reports, *dataset);
  if (!place) return fail(place.error());
  const Result<campaign::Decisions> made = campaign::publish(
      **place, *dataset, options.structure.of(*dataset),
      {find_named(kHintChoices, options.hint)->kind, options.hint_friends, options.structure.all_labels()});
  if (!made) return fail(made.error());
  if (options.json) {
    nlohmann::ordered_json all = published_json(*made);
    all["version"] = version();
    print_json(all);
  } else {
    fmt::print("{}\nNext: ppgnn decide, on each device\n", published_words(*made));
  }
  return Status::success;
}

Status withdraw(const HomeOptions& options) {
  const Result<std::unique_ptr<campaign::Place>> place = options.place.open();
  if (!place) return fail(place.error());
  if (Result<void> done = campaign::withdraw(**place); !done) return fail(done.error());
  if (options.json) {
    print_json({{"withdrawn", true}, {"version", version()}});
  } else {
    fmt::print("The model is withdrawn: devices that hear of it decide by their hints, which hold no feature.\n");
  }
  return Status::success;
}

}  // namespace

nlohmann::ordered_json published_json(const campaign::Decisions& decisions) {
  const Result<ldp::PublishedModel> model = ldp::PublishedModel::parse(decisions.model);
  return {{"model", model ? nlohmann::ordered_json(to_hex(model->hash())) : nlohmann::ordered_json(nullptr)},
          {"withdrawn", decisions.withdrawn},
          {"pilots", decisions.pilots},
          {"weight", decisions.weight},
          {"lift_nats", decisions.lift},
          {"lift_interval", {decisions.low, decisions.high}}};
}

std::string published_words(const campaign::Decisions& decisions) {
  const Result<ldp::PublishedModel> model = ldp::PublishedModel::parse(decisions.model);
  return fmt::format(
      "model {}{}: by the reports of {} pilots, features add {:.3f} nats per pilot [{:.3f}, {:.3f}], at weight {:.2f}",
      model ? to_hex(model->hash()) : "damaged",
      decisions.withdrawn ? " (withdrawn: devices decide by their hints)" : "", decisions.pilots, decisions.lift,
      decisions.low, decisions.high, decisions.weight);
}

void add_campaign_home(CLI::App& campaign, Action& action) {
  const auto options = std::make_shared<HomeOptions>();
  const auto add = [&](const char* name, const char* what, Status (*run)(const HomeOptions&)) {
    CLI::App* command = campaign.add_subcommand(name, what);
    options->place.add_to(*command);
    if (run != withdraw) {
      options->labelled.add_to(*command);
      options->reports.add_to(*command);
      options->place.add_levels(*command);
      options->structure.add_to(*command);
    }
    command->add_flag("--json", options->json, "Print one JSON object");
    command->callback([options, &action, run] { action = [options, run] { return run(*options); }; });
    return command;
  };
  CLI::App* second =
      add("calibrate", "Where devices decide: learn from what everybody taught, and ask the pilots", calibrate);
  second
      ->add_option(
          "--columns", options->columns,
          "Columns in which a usual person has something, as somebody says who knows people a little; 0: as many "
          "as a report speaks of")
      ->check(CLI::Range(0.0, 500000.0))
      ->capture_default_str();
  second->footer("Example:\n  ppgnn campaign calibrate --store sqlite:spring.db --data server");
  CLI::App* third = add("publish", "Where devices decide: publish the model and everybody's hint, once", publish);
  third
      ->add_option(
          "--hint", options->hint,
          "What a person is told of the graph: coarse: two classes and one of eight steps of odds; full: how likely "
          "each class is, which gives friends' labels away")
      ->transform(one_of(names_of(kHintChoices)))
      ->capture_default_str();
  third
      ->add_option("--hint-friends", options->hint_friends,
                   "People with fewer labelled friends are told nothing of themselves")
      ->capture_default_str();
  whole_numbers(*third, {"--hint-friends"});
  third->footer("Example:\n  ppgnn campaign publish --store sqlite:spring.db --data server");
  CLI::App* last = add("withdraw", "Where devices decide: take the model back, for good", withdraw);
  last->footer("Example:\n  ppgnn campaign withdraw --store sqlite:spring.db");
}

}  // namespace ppgnn::app
