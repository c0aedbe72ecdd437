// ppgnn campaign close | status | erase | erased | backup: a campaign that a collector keeps.
#include "campaign_store.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "budget_options.hpp"
#include "campaign_files.hpp"
#include "output_files.hpp"
#include "ppgnn/core/version.hpp"
#include "ppgnn/io/csv.hpp"
#include "ppgnn/io/files.hpp"
#include "ppgnn/ldp/mechanism.hpp"

namespace ppgnn::app {

namespace {

using nlohmann::ordered_json;

struct StoreOptions {
  std::string store;
  std::vector<std::string> people;
  std::string file;
  std::string output;
  std::uint32_t round = 0;
  bool json = false;
};

Result<std::vector<std::string>> read_names(const std::string& file) {
  const Result<std::string> text = io::read_file(file);
  if (!text) return text.error();
  Result<io::CsvReader> reader = io::CsvReader::make({file, *text}, io::Separator::comma);
  if (!reader) return reader.error();
  std::vector<std::string> names;
  for (bool header = true;; header = false) {
    const Result<bool> more = reader->next();
    if (!more) return more.error();
    if (!*more) return names;
    const auto fields = reader->fields();
    if (fields.size() != 1 || (header && fields[0] != "node"))
      return reader->error("expected the header node and one name a line");
    if (!header) names.emplace_back(fields[0]);
  }
}

std::string next_step(const store::Campaign& campaign, const std::string& where) {
  const std::uint32_t last = static_cast<std::uint32_t>(campaign.rounds.size()) - 1;
  if (campaign.rounds[last].open) {
    return fmt::format("their reports (ppgnn serve), then ppgnn campaign close --store {} --round {}", where, last);
  }
  const Result<ldp::Plan> plan = ldp::Plan::parse(campaign.rounds[last].plan);
  const bool asks = plan && plan->tables().campaign && plan->tables().campaign->role != ldp::Role::answer;
  return fmt::format("ppgnn {} --store {} --data ...", asks ? "campaign ask" : "train", where);
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
                      {"role", plan->tables().campaign ? ldp::to_text(plan->tables().campaign->role) : "everybody"},
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
    fmt::print("round {}: {} ({}), {}: {} reports of {} people\n", round["round"].get<int>(),
               round["role"].get<std::string>(), round["kind"].get<std::string>(), round["state"].get<std::string>(),
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

Status erase_people(const StoreOptions& options) {
  if (options.people.empty() == options.file.empty()) {
    return fail({ErrorCode::invalid_argument, "who is to be erased: --person or --file"});
  }
  std::vector<std::string> names = options.people;
  if (!options.file.empty()) {
    const Result<std::vector<std::string>> read = read_names(options.file);
    if (!read) return fail(read.error());
    names = *read;
  }
  const Result<OpenCampaign> opened = open_campaign(options.store);
  if (!opened) return fail(opened.error());
  ordered_json receipts = ordered_json::array();
  std::size_t unknown = 0;
  for (const std::string& name : names) {
    const Result<std::optional<std::string>> receipt = opened->store->erase(name);
    if (!receipt) return fail(receipt.error());
    if (*receipt) receipts.push_back(**receipt);
    unknown += *receipt ? 0U : 1U;
  }
  if (options.json) {
    print_json({{"erased", receipts.size()}, {"receipts", receipts}, {"unknown", unknown}, {"version", version()}});
  } else {
    for (const ordered_json& receipt : receipts) fmt::print("erased; receipt {}\n", receipt.get<std::string>());
    fmt::print(
        "What was computed from their reports before is not undone: ppgnn train --store makes predictions without "
        "them, and a model\n"
        "that people taught stays as it was once questions about it were published.\n");
  }
  if (unknown == 0) return Status::success;
  return fail({ErrorCode::mismatch, fmt::format("{} of these names are not enrolled", unknown)});
}

// Before an older copy takes a store's place, somebody must know whom to erase again.
Status show_erased(const StoreOptions& options) {
  const Result<OpenCampaign> opened = open_campaign(options.store);
  if (!opened) return fail(opened.error());
  std::vector<std::string> names;
  const Result<void> read = opened->store->each_person([&](std::string_view name, const store::Standing& standing) {
    if (standing.erased) names.emplace_back(name);
  });
  if (!read) return fail(read.error());
  if (options.json) {
    print_json({{"erased", names}, {"version", version()}});
    return Status::success;
  }
  fmt::print("node\n");
  for (const std::string& name : names) fmt::print("{}\n", io::csv_field(name));
  return Status::success;
}

Status make_backup(const StoreOptions& options) {
  if (Result<void> apart = check_apart({{"--store", store::file_of(options.store)}}, {{"--out", options.output}});
      !apart)
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
  CLI::App* erase = add("erase", "Erase people's reports for good; they cannot report in this campaign any more",
                        "erase --store sqlite:spring.db --person ana", erase_people);
  erase->add_option("--person", options->people, "Name in the data");
  erase->add_option("--file", options->file, "CSV with the header node, as campaign erased prints it");
  add("erased", "Who was erased: to erase them again in an older copy", "erased --store sqlite:spring.db", show_erased);
  CLI::App* backup = add("backup", "Copy a store while it is in use",
                         "backup --store sqlite:spring.db --out spring-copy.db", make_backup);
  backup->add_option("--out", options->output, "File to write")->required();
}

}  // namespace ppgnn::app
