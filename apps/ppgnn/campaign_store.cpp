// ppgnn campaign close | status | erase | backup: a campaign that a collector keeps.
#include "campaign_store.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "budget_options.hpp"
#include "campaign_files.hpp"
#include "output_files.hpp"
#include "ppgnn/core/version.hpp"
#include "ppgnn/ldp/mechanism.hpp"

namespace ppgnn::app {

namespace {

using nlohmann::ordered_json;

struct StoreOptions {
  std::string store;
  std::string person;
  std::string output;
  std::uint32_t round = 0;
  bool json = false;
};

std::string next_step(const store::Campaign& campaign, const std::string& where) {
  const std::uint32_t last = static_cast<std::uint32_t>(campaign.rounds.size()) - 1;
  if (campaign.rounds[last].open) {
    return fmt::format("their reports (ppgnn serve), then ppgnn campaign close --store {} --round {}", where, last);
  }
  const Result<ldp::Plan> plan = ldp::Plan::parse(campaign.rounds[last].plan);
  const bool teaches = plan && plan->tables().campaign && !plan->tables().model;
  return teaches ? fmt::format("ppgnn campaign ask --store {} --data ...", where)
                 : fmt::format("ppgnn train --store {} --data ...", where);
}

Result<ordered_json> round_json(store::Store& store, const store::Campaign& campaign, std::uint32_t number) {
  const Result<store::Counts> counts = store.counts();
  if (!counts) return counts.error();
  const Result<ldp::Plan> plan = ldp::Plan::parse(campaign.rounds[number].plan);
  if (!plan) return plan.error();
  // The list has four lines before the names.
  const std::string& people = campaign.rounds[number].people;
  const auto lines = std::count(people.begin(), people.end(), '\n');
  return ordered_json{{"round", number},
                      {"kind", ldp::to_text(plan->kind())},
                      {"plan_hash", to_hex(plan->hash())},
                      {"state", campaign.rounds[number].open ? "open" : "closed"},
                      {"people", people.empty() ? counts->enrolled : static_cast<std::uint64_t>(lines - 4)},
                      {"reports", counts->reports[number]}};
}

Status show_status(const StoreOptions& options) {
  const Result<OpenCampaign> opened = open_campaign(options.store);
  if (!opened) return fail(opened.error());
  const Result<store::Counts> counts = opened->store->counts();
  if (!counts) return fail(counts.error());
  ordered_json rounds = ordered_json::array();
  for (std::uint32_t i = 0; i < opened->campaign.rounds.size(); ++i) {
    const Result<ordered_json> round = round_json(*opened->store, opened->campaign, i);
    if (!round) return fail(round.error());
    rounds.push_back(*round);
  }
  if (options.json) {
    print_json({{"campaign", opened->campaign.name},
                {"enrolled", counts->enrolled},
                {"erased", counts->erased},
                {"rounds", rounds},
                {"concluded", opened->campaign.concluded},
                {"version", version()}});
    return Status::success;
  }
  fmt::print("{}: {} people enrolled, {} erased\n", opened->campaign.name, counts->enrolled, counts->erased);
  for (const ordered_json& round : rounds) {
    fmt::print("round {}: {}, {}: {} reports of {} people\n", round["round"].get<int>(),
               round["kind"].get<std::string>(), round["state"].get<std::string>(),
               round["reports"].get<std::uint64_t>(), round["people"].get<std::uint64_t>());
  }
  if (opened->campaign.concluded) {
    fmt::print("concluded: ppgnn predict --store {}\n", options.store);
  } else {
    fmt::print("Next: {}\n", next_step(opened->campaign, options.store));
  }
  return Status::success;
}

Status close_round(const StoreOptions& options) {
  const Result<OpenCampaign> opened = open_campaign(options.store);
  if (!opened) return fail(opened.error());
  if (Result<void> closed = opened->store->close(options.round); !closed) return fail(closed.error());
  return print_round(*opened->store, options.round, options.json);
}

Status erase_person(const StoreOptions& options) {
  const Result<OpenCampaign> opened = open_campaign(options.store);
  if (!opened) return fail(opened.error());
  const Result<std::optional<std::string>> receipt = opened->store->erase(options.person);
  if (!receipt) return fail(receipt.error());
  if (!*receipt) return fail({ErrorCode::mismatch, "nobody of this name is enrolled"});
  if (options.json) {
    print_json({{"erased", true}, {"receipt", **receipt}, {"version", version()}});
  } else {
    fmt::print(
        "erased; receipt {}\nWhat a model learned before stays until it is trained again (ppgnn train --store).\n",
        **receipt);
  }
  return Status::success;
}

Status make_backup(const StoreOptions& options) {
  constexpr std::string_view kPrefix = "sqlite:";
  const std::string file = options.store.starts_with(kPrefix) ? options.store.substr(kPrefix.size()) : "";
  if (Result<void> apart = check_apart({{"--store", file}}, {{"--out", options.output}}); !apart)
    return fail(apart.error());
  const Result<OpenCampaign> opened = open_campaign(options.store);
  if (!opened) return fail(opened.error());
  if (Result<void> copied = opened->store->backup(options.output); !copied) return fail(copied.error());
  if (options.json) {
    print_json({{"backup", options.output}, {"version", version()}});
  } else {
    fmt::print("{}: a copy that opens like the store\n", options.output);
  }
  return Status::success;
}

}  // namespace

Status print_round(store::Store& store, std::uint32_t number, bool json) {
  const Result<std::optional<store::Campaign>> campaign = store.campaign();
  if (!campaign) return fail(campaign.error());
  Result<ordered_json> round = round_json(store, **campaign, number);
  if (!round) return fail(round.error());
  if (json) {
    ordered_json all{{"campaign", (*campaign)->name}, {"store", store.where()}};
    all.update(*round);
    all["version"] = version();
    print_json(all);
  } else {
    fmt::print("{}: round {} of {} is {}: {} reports of {} people; plan {}\n", store.where(), number, (*campaign)->name,
               (*round)["state"].get<std::string>(), (*round)["reports"].get<std::uint64_t>(),
               (*round)["people"].get<std::uint64_t>(), (*round)["plan_hash"].get<std::string>());
    fmt::print("Next: {}\n", next_step(**campaign, store.where()));
  }
  return Status::success;
}

void add_campaign_store(CLI::App& campaign, Action& action) {
  const auto options = std::make_shared<StoreOptions>();
  const auto add = [&](const char* name, const char* what, const char* example, Status (*run)(const StoreOptions&)) {
    CLI::App* command = campaign.add_subcommand(name, what);
    command->add_option("--store", options->store, "Where the campaign is: sqlite:PATH")->required();
    command->add_flag("--json", options->json, "Print one JSON object");
    command->footer(std::string("Example:\n  ppgnn campaign ") + example);
    command->callback([options, &action, run] { action = [options, run] { return run(*options); }; });
    return command;
  };
  add("status", "How a campaign in a store stands", "status --store sqlite:spring.db", show_status);
  CLI::App* close = add("close", "Take no more reports of a round; once closed, closing changes nothing",
                        "close --store sqlite:spring.db --round 0", close_round);
  close->add_option("--round", options->round, "Number of the round, from 0")->required();
  whole_numbers(*close, {{"--round", 1'000'000}});
  CLI::App* erase = add("erase", "Erase somebody's report for good; they cannot report in this campaign any more",
                        "erase --store sqlite:spring.db --person ana", erase_person);
  erase->add_option("--person", options->person, "Name in the data")->required();
  CLI::App* backup = add("backup", "Copy a store while it is in use",
                         "backup --store sqlite:spring.db --out spring-copy.db", make_backup);
  backup->add_option("--out", options->output, "File to write")->required();
}

}  // namespace ppgnn::app
