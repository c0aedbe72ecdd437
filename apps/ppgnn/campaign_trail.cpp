// ppgnn campaign list | archive | remove | trail: several campaigns, how they end, and what was done to them.
#include <fmt/core.h>
#include <pwd.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "campaign_options.hpp"
#include "campaign_store.hpp"
#include "ppgnn/core/version.hpp"
#include "ppgnn/io/files.hpp"
#include "ppgnn/store/store.hpp"

namespace ppgnn::app {

namespace {

using nlohmann::ordered_json;

struct TrailOptions {
  std::string store;
  std::string file;
  std::string last;
  bool json = false;
};

Status list_campaigns(const TrailOptions& options) {
  const Result<std::vector<std::string>> all = store::campaigns(options.store);
  if (!all) return fail(all.error());
  ordered_json rows = ordered_json::array();
  for (const std::string& where : *all) {
    const Result<std::unique_ptr<store::Store>> store = open_as_user(where, store::Opening::existing);
    if (!store) return fail(store.error());
    const Result<std::optional<store::Campaign>> campaign = (*store)->campaign();
    if (!campaign) return fail(campaign.error());
    if (!*campaign) continue;
    const Result<std::optional<std::string>> model = (*store)->kept(campaign::kModelText);
    if (!model) return fail(model.error());
    const store::Campaign& one = **campaign;
    const char* state = !one.removed.empty() ? "removed"
                        : one.archived       ? "archived"
                        : one.concluded      ? "concluded"
                        : *model             ? "published"
                                             : "running";
    rows.push_back({{"campaign", one.name}, {"store", where}, {"state", state}, {"rounds", one.rounds.size()}});
    if (!options.json) fmt::print("{}: {}, {} rounds; {}\n", one.name, state, one.rounds.size(), where);
  }
  if (options.json) print_json({{"campaigns", rows}, {"version", version()}});
  return Status::success;
}

Status archive_campaign(const TrailOptions& options) {
  Result<campaign::InStore> opened = open_store(options.store);
  if (!opened) return fail(opened.error());
  if (Result<void> archived = opened->store().archive(); !archived) return fail(archived.error());
  if (options.json) {
    print_json({{"archived", options.store}, {"version", version()}});
  } else {
    fmt::print(
        "{}: archived. People can still have their reports erased; nothing else is taken.\nNext: ppgnn campaign "
        "remove --store {}, when nobody needs it\n",
        options.store, options.store);
  }
  return Status::success;
}

Status remove_campaign(const TrailOptions& options) {
  Result<campaign::InStore> opened = open_store(options.store);
  if (!opened) return fail(opened.error());
  const Result<std::string> receipt = opened->store().remove();
  if (!receipt) return fail(receipt.error());
  if (options.json) {
    print_json({{"removed", options.store},
                {"receipt", *receipt},
                {"overwritten", opened->store().promises().overwrites},
                {"version", version()}});
    return Status::success;
  }
  fmt::print("{}: removed; receipt {}\nIts name and its trail stay.{}\n", options.store, *receipt,
             opened->store().promises().overwrites
                 ? ""
                 : " PostgreSQL keeps old versions of rows and its log for a while (docs/postgres.md).");
  return Status::success;
}

Result<std::vector<store::Entry>> read_trail(const TrailOptions& options) {
  if (!options.file.empty()) {
    const Result<std::string> text = io::read_file(options.file);
    if (!text) return text.error();
    return store::parse_trail({options.file, *text});
  }
  Result<campaign::InStore> opened = open_store(options.store);
  if (!opened) return opened.error();
  return opened->store().trail();
}

Status show_trail(const TrailOptions& options) {
  if (options.store.empty() == options.file.empty()) {
    return fail({ErrorCode::invalid_argument, "which trail: --store or --file"});
  }
  const std::string& from = options.store.empty() ? options.file : options.store;
  const Result<std::vector<store::Entry>> trail = read_trail(options);
  if (!trail) return fail(trail.error());
  const Result<Digest> last = store::check_trail(*trail, from);
  if (!last) return fail(last.error());
  const auto is_last = [&](const store::Entry& entry) { return to_hex(entry.hash) == options.last; };
  if (!options.last.empty() && std::none_of(trail->begin(), trail->end(), is_last)) {
    return fail({ErrorCode::malformed, from + ": no entry has the hash of --last: the trail was cut or made anew"});
  }
  if (!options.json) {
    fmt::print("{}", store::trail_text(*trail));
    return Status::success;
  }
  ordered_json entries = ordered_json::array();
  for (const store::Entry& entry : *trail) {
    entries.push_back({{"number", entry.number},
                       {"time", entry.time},
                       {"who", entry.who},
                       {"what", entry.what},
                       {"hash", to_hex(entry.hash)}});
  }
  print_json({{"entries", entries}, {"last", to_hex(*last)}, {"version", version()}});
  return Status::success;
}

// In the trail: who gave a command.
std::string user() {
  const passwd* found = ::getpwuid(::geteuid());
  return found == nullptr ? "user " + std::to_string(::geteuid()) : std::string("user ") + found->pw_name;
}

}  // namespace

Result<std::unique_ptr<store::Store>> open_as_user(const std::string& where, store::Opening opening) {
  Result<std::unique_ptr<store::Store>> store = store::open(where, opening);
  if (store) (*store)->act_as(user());
  return store;
}

Result<campaign::InStore> open_store(const std::string& where, store::Opening opening, bool allow_seeded) {
  Result<campaign::InStore> opened = campaign::InStore::open(where, opening, allow_seeded);
  if (opened) opened->store().act_as(user());
  return opened;
}

void add_campaign_trail(CLI::App& campaign, Action& action) {
  const auto options = std::make_shared<TrailOptions>();
  const auto add = [&](const char* name, const char* what, const char* footer, Status (*run)(const TrailOptions&)) {
    CLI::App* command = campaign.add_subcommand(name, what);
    CLI::Option* store =
        command->add_option("--store", options->store,
                            "sqlite:PATH or postgres:service=NAME, with #CAMPAIGN after it where there are several");
    if (run != show_trail) store->required();
    command->add_flag("--json", options->json, "Print one JSON object");
    command->footer(footer);
    command->callback([options, &action, run] { action = [options, run] { return run(*options); }; });
    return command;
  };
  add("list", "The campaigns of a store", "Example:\n  ppgnn campaign list --store sqlite:campaigns", list_campaigns);
  add("archive", "End a campaign: nothing but erasures is taken any more",
      "Refused while a round is open.\n\nExample:\n  ppgnn campaign archive --store sqlite:spring.db",
      archive_campaign);
  add("remove", "Remove everything of an archived campaign but its name, its trail and a receipt",
      "Example:\n  ppgnn campaign remove --store sqlite:spring.db", remove_campaign);
  CLI::App* trail = add("trail", "What was done to a campaign, by whom and when; checked, one line per step or erasure",
                        "Number, seconds since 1970, who, what, hash, with tabs between them (docs/formats/trail.md). "
                        "Keep the last hash\n"
                        "elsewhere: with --last, a trail that was cut or made anew since is refused.\n\n"
                        "Examples:\n  ppgnn campaign trail --store sqlite:spring.db > spring.trail\n  ppgnn campaign "
                        "trail --file spring.trail",
                        show_trail);
  trail->add_option("--file", options->file, "A trail that was printed before");
  trail->add_option("--last", options->last, "Hash that has to be in it");
}

}  // namespace ppgnn::app
