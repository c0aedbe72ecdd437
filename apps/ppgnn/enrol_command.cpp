// ppgnn enrol: who may report, and with which token.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "campaign_options.hpp"
#include "command.hpp"
#include "output_files.hpp"
#include "ppgnn/core/version.hpp"
#include "ppgnn/io/csv.hpp"
#include "ppgnn/io/files.hpp"
#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/population/levels.hpp"
#include "ppgnn/store/store.hpp"
#include "ppgnn/tokens/tokens.hpp"
#include "run_options.hpp"

namespace ppgnn::app {

namespace {

struct EnrolOptions {
  DataChoice data;
  CLI::Option* data_option = nullptr;
  std::string store;
  std::string keys;
  std::string levels;
  std::string output;
  std::vector<std::string> people;
  std::uint32_t level = 0;
  bool renew = false;
  bool json = false;
};

// The keys there are; new ones where there are none, and another first one if that is asked for. Nothing is written yet.
Result<tokens::Keys> keys_for(const EnrolOptions& options) {
  if (!std::filesystem::exists(options.keys)) return tokens::Keys::make();
  Result<tokens::Keys> read = tokens::Keys::read(options.keys);
  if (!read || !options.renew) return read;
  if (read->size() > 1) {
    return Error{
        ErrorCode::invalid_argument,
        options.keys +
            ": has two keys, so a change is under way: another would void the tokens that people still have. Remove "
            "its second line when everybody has a new token; without --renew, tokens are made with the first"};
  }
  return read->renewed();
}

Result<void> keep_keys(const EnrolOptions& options, const tokens::Keys& keys) {
  if (!std::filesystem::exists(options.keys)) return tokens::write_private(options.keys, keys.text());
  return options.renew ? io::write_text(options.keys, keys.text()) : Result<void>();
}

Result<std::vector<store::Person>> people_for(const EnrolOptions& options, const ldp::Plan* plan) {
  const bool is_public = plan != nullptr && plan->tables().secrecy == ldp::LevelSecrecy::public_level;
  if (!is_public && (!options.levels.empty() || options.level != 0)) {
    return Error{ErrorCode::invalid_argument, "levels are private in this campaign: nobody declares one"};
  }
  std::vector<store::Person> people;
  if (!options.people.empty()) {
    if (is_public && options.level == 0)
      return Error{ErrorCode::invalid_argument, "levels are public: --level is missing"};
    for (const std::string& name : options.people) {
      people.push_back({name, is_public ? std::optional(options.level) : std::nullopt});
    }
    return people;
  }
  const Result<graph::Dataset> dataset = options.data.load(graph::MissingFeatures::accept);
  if (!dataset) return dataset.error();
  std::vector<ldp::Level> levels;
  if (is_public) {
    if (options.levels.empty()) return Error{ErrorCode::invalid_argument, "levels are public: --levels is missing"};
    Result<std::vector<ldp::Level>> read = population::read_levels(options.levels, *dataset, plan->levels().size());
    if (!read) return read.error();
    levels = std::move(read).value();
  }
  for (std::uint32_t node = 0; node < dataset->num_nodes(); ++node) {
    people.push_back({dataset->nodes.name(node),
                      is_public ? std::optional(static_cast<std::uint32_t>(levels[node])) : std::nullopt});
  }
  return people;
}

Status run_enrol(const EnrolOptions& options) {
  const std::vector<NamedFile> outputs{{"--out", options.output}, {"--keys", options.keys}};
  Result<void> apart = check_apart({{"--levels", options.levels}}, outputs);
  if (apart && options.people.empty()) apart = options.data.check_apart(outputs);
  if (!apart) return fail(apart.error());
  if (options.people.empty() == (options.data_option->count() == 0)) {
    return fail({ErrorCode::invalid_argument, "who is to be enrolled: --data or --person"});
  }
  if (std::filesystem::exists(options.output)) {
    return fail({ErrorCode::invalid_argument, options.output + " exists: tokens are not overwritten"});
  }
  const Result<std::unique_ptr<store::Store>> store = open_as_user(options.store, store::Opening::existing);
  if (!store) return fail(store.error());
  const Result<std::optional<store::Campaign>> campaign = (*store)->campaign();
  if (!campaign) return fail(campaign.error());
  if (!*campaign || (*campaign)->rounds.empty()) {
    return fail({ErrorCode::mismatch, options.store + ": there is no campaign in it (ppgnn campaign start)"});
  }
  const Result<ldp::Plan> plan = ldp::Plan::parse((*campaign)->rounds.back().plan);
  if (!plan) return fail(plan.error());
  if (options.level > plan->levels().size())
    return fail({ErrorCode::invalid_argument, "--level: the plan has no such level"});
  const Result<std::vector<store::Person>> people = people_for(options, &*plan);
  if (!people) return fail(people.error());
  const Result<tokens::Keys> keys = keys_for(options);
  if (!keys) return fail(keys.error());
  if (Result<void> enrolled = (*store)->enrol(*people); !enrolled) return fail(enrolled.error());
  if (Result<void> kept = keep_keys(options, *keys); !kept) return fail(kept.error());
  std::string text = "node,token\n";
  for (const store::Person& person : *people) {
    text += io::csv_field(person.name) + ',' + keys->token((*campaign)->name, person.name) + '\n';
  }
  if (Result<void> written = tokens::write_private(options.output, text); !written) return fail(written.error());
  if (options.json) {
    print_json(
        {{"tokens", options.output}, {"people", people->size()}, {"keys", options.keys}, {"version", version()}});
  } else {
    fmt::print("{}: {} people may report; hand each their own token, and nobody the file\n", options.output,
               people->size());
  }
  return Status::success;
}

}  // namespace

void add_enrol(CLI::App& app, Action& action) {
  auto options = std::make_shared<EnrolOptions>();
  CLI::App* enrol = app.add_subcommand("enrol", "Say who may report to a collector, and make their tokens");
  enrol->add_option("--store", options->store, "Where the campaign is: sqlite:PATH or postgres:service=NAME")
      ->required();
  enrol
      ->add_option("--keys", options->keys,
                   "Keys of the tokens; made if the file is missing, readable by its owner only")
      ->required();
  options->data_option = options->data.add_to(*enrol);
  enrol->add_option("--person", options->people, "Somebody by name, instead of everybody in --data");
  enrol->add_option("--levels", options->levels,
                    "CSV with the header node,level: what people declared, where levels are public");
  enrol->add_option("--level", options->level, "What the people of --person declared, where levels are public");
  enrol->add_option("--out", options->output, "File of node,token lines to write, readable by its owner only")
      ->required();
  enrol->add_flag("--renew", options->renew,
                  "A new key for these tokens; those of the key before stay good until the next renewal, or until its "
                  "line is removed");
  whole_numbers(*enrol, {{"--level", ldp::kMaxLevels}});
  enrol->add_flag("--json", options->json, "Print one JSON object");
  enrol->footer(
      "Somebody who is enrolled already gets the same token again.\n\n"
      "Example (after ppgnn campaign start --store):\n"
      "  ppgnn enrol --store sqlite:spring.db --keys spring.keys --data synthetic:social,nodes=500 --out tokens.csv");
  enrol->callback([options, &action] { action = [options] { return run_enrol(*options); }; });
}

}  // namespace ppgnn::app
