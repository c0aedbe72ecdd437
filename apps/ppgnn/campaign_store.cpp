// ppgnn campaign close | status | erase | erased | backup | copy: a campaign that a collector keeps.
#include "campaign_store.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "budget_options.hpp"
#include "campaign_home.hpp"
#include "campaign_options.hpp"
#include "output_files.hpp"
#include "ppgnn/campaign/home.hpp"
#include "ppgnn/campaign/in_store.hpp"
#include "ppgnn/campaign/steps.hpp"
#include "ppgnn/core/text.hpp"
#include "ppgnn/core/version.hpp"
#include "ppgnn/io/csv.hpp"
#include "ppgnn/io/files.hpp"
#include "ppgnn/ldp/mechanism.hpp"
#include "ppgnn/store/copy.hpp"

namespace ppgnn::app {

namespace {

using nlohmann::ordered_json;

struct StoreOptions {
  PlaceChoice place;
  std::vector<std::string> people;
  std::string file;
  std::string output;
  std::string to;
  std::uint32_t round = 0;
  bool json = false;
};

// A store that must be there, with a campaign in it.
Result<campaign::InStore> open_campaign(const StoreOptions& options) {
  Result<campaign::InStore> opened = open_store(options.place.store);
  if (!opened) return opened.error();
  if (const Result<campaign::State> state = opened->load(); !state) return state.error();
  return opened;
}

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

std::string next_words(const campaign::State& state, std::string where) {
  // As a shell reads it: keywords of a database have spaces between them.
  const std::size_t place = where.find(' ') + 1;
  if (where.find(' ', place) != std::string::npos) where.insert(place, 1, '\'') += '\'';
  switch (campaign::next_step(state)) {
    case campaign::Next::reports:
      if (where.starts_with("--folder")) break;
      return fmt::format("their reports (ppgnn serve), then ppgnn campaign close {} --round {}", where,
                         state.rounds.size() - 1);
    case campaign::Next::ask:
      return fmt::format("ppgnn campaign ask {} --data ...", where);
    case campaign::Next::calibrate:
    case campaign::Next::publish: {
      const bool calibrates = campaign::next_step(state) == campaign::Next::calibrate;
      return fmt::format("ppgnn campaign {} {} --data ...", calibrates ? "calibrate" : "publish", where);
    }
    case campaign::Next::published:
      return fmt::format("ppgnn decide{}, on each device", state.published->withdrawn ? " --withdrawn" : "");
    case campaign::Next::train:
      return fmt::format("ppgnn train {} --data ...", where);
    case campaign::Next::predict:
      return fmt::format("ppgnn predict {}", where);
  }
  const bool answers = state.rounds.back().role == ldp::Role::answer;
  const bool home = campaign::decides_at_home(state);
  const char* ask = !home ? "campaign ask" : state.rounds.size() > 1 ? "campaign publish" : "campaign calibrate";
  return fmt::format("their reports, then ppgnn {} {} --reports ... --data ...", answers ? "train" : ask, where);
}

ordered_json round_json(const campaign::State& state, std::size_t number) {
  const campaign::RoundState& round = state.rounds[number];
  return {{"round", number},
          {"kind", ldp::to_text(round.plan.kind())},
          {"role", round.role ? ldp::to_text(*round.role) : "everybody"},
          {"plan_hash", to_hex(round.plan.hash())},
          {"state", round.open ? "open" : "closed"},
          {"people", round.people},
          {"reports", round.reports ? ordered_json(*round.reports) : ordered_json(nullptr)}};
}

std::string reports_words(const campaign::RoundState& round) {
  const std::string people = fmt::format("{} people", round.people);
  return round.reports ? fmt::format("{} reports of {}", *round.reports, people) : people;
}

Status show_status(const StoreOptions& options) {
  const Result<std::unique_ptr<campaign::Place>> place = options.place.open();
  if (!place) return fail(place.error());
  const Result<campaign::State> state = (*place)->load();
  if (!state) return fail(state.error());
  if (options.json) {
    ordered_json rounds = ordered_json::array();
    for (std::size_t i = 0; i < state->rounds.size(); ++i) rounds.push_back(round_json(*state, i));
    const auto count = [](const std::optional<std::uint64_t>& one) {
      return one ? ordered_json(*one) : ordered_json(nullptr);
    };
    print_json({{"campaign", state->name},
                {"enrolled", count(state->enrolled)},
                {"erased", count(state->erased)},
                {"rounds", rounds},
                {"concluded", state->concluded},
                {"published", state->published ? published_json(*state->published) : ordered_json(nullptr)},
                {"version", version()}});
    return Status::success;
  }
  fmt::print("{}", state->name);
  if (state->enrolled) fmt::print(": {} people enrolled, {} erased", *state->enrolled, *state->erased);
  fmt::print("\n");
  for (std::size_t i = 0; i < state->rounds.size(); ++i) {
    const campaign::RoundState& round = state->rounds[i];
    fmt::print("round {}: {} ({}), {}: {}\n", i, round.role ? ldp::to_text(*round.role) : "everybody",
               ldp::to_text(round.plan.kind()), round.open ? "open" : "closed", reports_words(round));
  }
  if (state->published) fmt::print("published: {}\n", published_words(*state->published));
  fmt::print("Next: {}\n", next_words(*state, options.place.words()));
  return Status::success;
}

Status close_round(const StoreOptions& options) {
  Result<campaign::InStore> opened = open_campaign(options);
  if (!opened) return fail(opened.error());
  if (Result<void> closed = opened->store().close(options.round); !closed) return fail(closed.error());
  const Result<campaign::State> state = opened->load();
  if (!state) return fail(state.error());
  print_round(*state, options.round, options.place.words(), options.json);
  return Status::success;
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
  Result<campaign::InStore> opened = open_campaign(options);
  if (!opened) return fail(opened.error());
  ordered_json receipts = ordered_json::array();
  ordered_json whose = ordered_json::array();
  std::size_t unknown = 0;
  std::size_t reports = 0;  // that were there
  for (const std::string& name : names) {
    const Result<bool> reported = opened->store().reported(name);
    if (!reported) return fail(reported.error());
    const Result<std::optional<std::string>> receipt = opened->store().erase(name);
    if (!receipt) return fail(receipt.error());
    if (*receipt) {
      receipts.push_back(**receipt);
      whose.push_back({{"node", name}, {"receipt", **receipt}, {"report", *reported}});
      reports += *reported ? 1U : 0U;
      // At once: whoever stops it halfway has the receipts of those who are erased.
      if (!options.json) fmt::print("{}: erased; receipt {}\n", escape_hidden(name), **receipt);
    }
    unknown += *receipt ? 0U : 1U;
  }
  if (options.json) {
    print_json({{"erased", receipts.size()},
                {"receipts", receipts},
                {"people", whose},
                {"reports", reports},
                {"unknown", unknown},
                {"version", version()}});
  } else if (reports > 0) {
    if (!opened->store().promises().overwrites) {
      fmt::print("PostgreSQL keeps old versions of rows and its log for a while (docs/postgres.md).\n");
    }
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
  Result<campaign::InStore> opened = open_campaign(options);
  if (!opened) return fail(opened.error());
  const Result<std::vector<std::string>> names = opened->store().erased();
  if (!names) return fail(names.error());
  if (options.json) {
    print_json({{"erased", *names}, {"version", version()}});
    return Status::success;
  }
  fmt::print("node\n");
  for (const std::string& name : *names) fmt::print("{}\n", io::csv_field(name));
  return Status::success;
}

Status make_backup(const StoreOptions& options) {
  if (Result<void> apart = check_apart({{"--store", store::file_of(options.place.store)}}, {{"--out", options.output}});
      !apart)
    return fail(apart.error());
  Result<campaign::InStore> opened = open_campaign(options);
  if (!opened) return fail(opened.error());
  if (Result<void> copied = opened->store().backup(options.output); !copied) return fail(copied.error());
  if (options.json) {
    print_json({{"backup", options.output}, {"version", version()}});
  } else {
    fmt::print("{}: a copy that opens like the store\n", options.output);
  }
  return Status::success;
}

Status copy_store(const StoreOptions& options) {
  Result<campaign::InStore> from = open_campaign(options);
  if (!from) return fail(from.error());
  if (options.to == options.place.store)
    return fail({ErrorCode::invalid_argument, "--from and --to are the same store"});
  const Result<std::unique_ptr<store::Store>> to = open_as_user(options.to, store::Opening::create);
  if (!to) return fail(to.error());
  const Result<store::Copied> copied = store::copy(from->store(), **to);
  if (!copied) return fail(copied.error());
  if (options.json) {
    print_json({{"from", options.place.store},
                {"to", options.to},
                {"people", copied->people},
                {"reports", copied->reports},
                {"version", version()}});
  } else {
    fmt::print("{}: {} people and {} reports, the same as in {}\n", options.to, copied->people, copied->reports,
               options.place.store);
  }
  return Status::success;
}

}  // namespace

void print_round(const campaign::State& state, std::size_t number, const std::string& where, bool json) {
  const std::string place = where.substr(where.find(' ') + 1);
  if (json) {
    ordered_json all{{"campaign", state.name}, {where.starts_with("--folder") ? "folder" : "store", place}};
    all.update(round_json(state, number));
    all["version"] = version();
    print_json(all);
    return;
  }
  const campaign::RoundState& round = state.rounds[number];
  fmt::print("{}: round {} of {} is {}: {}; plan {}\n", place, number, state.name, round.open ? "open" : "closed",
             reports_words(round), to_hex(round.plan.hash()));
  fmt::print("Next: {}\n", next_words(state, where));
}

void add_campaign_store(CLI::App& campaign, Action& action) {
  const auto options = std::make_shared<StoreOptions>();
  const auto add = [&](const char* name, const char* what, const char* example, Status (*run)(const StoreOptions&)) {
    CLI::App* command = campaign.add_subcommand(name, what);
    if (run == copy_store) {
      command->add_option("--from", options->place.store, "The store that has it: sqlite:PATH or postgres:service=NAME")
          ->required();
      command
          ->add_option("--to", options->to, "The store to make, or to go on with: sqlite:PATH or postgres:service=NAME")
          ->required();
    } else if (run != show_status) {
      command
          ->add_option("--store", options->place.store, "Where the campaign is: sqlite:PATH or postgres:service=NAME")
          ->required();
    } else {
      options->place.add_to(*command);
    }
    command->add_flag("--json", options->json, "Print one JSON object");
    command->footer(std::string("Example:\n  ppgnn campaign ") + example);
    command->callback([options, &action, run] { action = [options, run] { return run(*options); }; });
    return command;
  };
  add("status", "How a campaign stands", "status --store sqlite:spring.db", show_status);
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
  add("copy", "Copy a campaign into another store and compare both; nobody writes to the first meanwhile",
      "copy --from sqlite:spring.db --to postgres:service=spring", copy_store);
}

}  // namespace ppgnn::app
