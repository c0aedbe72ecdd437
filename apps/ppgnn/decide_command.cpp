// ppgnn decide: one person's class, decided on the person's own device.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "budget_options.hpp"
#include "command.hpp"
#include "ppgnn/client/client.hpp"
#include "ppgnn/client/features.hpp"
#include "ppgnn/client/file_storage.hpp"
#include "ppgnn/core/version.hpp"
#include "ppgnn/io/csv.hpp"
#include "ppgnn/io/files.hpp"

namespace ppgnn::app {

namespace {

struct DecideOptions {
  std::string plan_file;
  std::string model_file;
  std::string hint_file;
  std::string features_file;
  std::string ledger_file;
  std::string person;
  bool withdrawn = false;
  bool json = false;
};

// The hint's bytes, or of hints.csv the line of the person.
Result<std::vector<std::uint8_t>> read_hint(const DecideOptions& options) {
  const Result<std::string> text = io::read_file(options.hint_file);
  if (!text) return text.error();
  if (!text->starts_with("node,hint\n")) return std::vector<std::uint8_t>(text->begin(), text->end());
  Result<io::CsvReader> reader = io::CsvReader::make({options.hint_file, *text}, io::Separator::comma);
  if (!reader) return reader.error();
  while (true) {
    const Result<bool> more = reader->next();
    if (!more) return more.error();
    if (!*more) return invalid(options.hint_file + ": has no line of this --person");
    const auto fields = reader->fields();
    if (fields.size() != 2 || fields[0] != options.person) continue;
    std::optional<std::vector<std::uint8_t>> bytes = from_hex(fields[1]);
    return bytes ? Result<std::vector<std::uint8_t>>(std::move(*bytes)) : reader->error("hint: not hexadecimal");
  }
}

// What a device has from elsewhere; nothing of the person's.
Result<client::Client> open_device(const DecideOptions& options) {
  const Result<std::string> plan = io::read_file(options.plan_file);
  if (!plan) return plan.error();
  Result<client::Client> device = client::Client::make(*plan);
  if (!device) return io::in_file(options.plan_file, device.error());
  const Result<std::string> model = io::read_file(options.model_file);
  if (!model) return model.error();
  const Result<std::vector<std::uint8_t>> hint = read_hint(options);
  if (!hint) return hint.error();
  if (Result<void> set = device->set_model(*model, *hint); !set) {
    return io::in_file(options.model_file + ", " + options.hint_file, set.error());
  }
  return device;
}

// The person's; none where the model was withdrawn.
Result<client::Features> read_features(const DecideOptions& options, const ldp::Schema& schema) {
  if (options.withdrawn) return client::Features();
  if (options.features_file.empty()) return invalid("--features is missing, or --withdrawn");
  const Result<std::string> text = io::read_input(options.features_file);
  if (!text) return text.error();
  Result<client::Features> read = client::read_features(*text, schema);
  if (!read) return io::in_file(io::input_name(options.features_file), read.error());
  return read;
}

void print_decision(const DecideOptions& options, const client::Client& device, const ldp::Decision& decision,
                    const std::vector<std::uint32_t>& probabilities, const std::vector<std::int32_t>& reasons) {
  const std::vector<std::string>& classes = device.plan().tables().model->classes;
  const auto& groups = device.plan().schema().groups();
  constexpr double kUnit = 256;  // of a nat
  if (options.json) {
    nlohmann::ordered_json likely;
    for (std::size_t c = 0; c < classes.size(); ++c) likely[classes[c]] = probabilities[c] / double{ldp::kCertain};
    nlohmann::ordered_json told;
    for (std::size_t g = 0; g < groups.size(); ++g) told[groups[g].name] = reasons[g] / kUnit;
    print_json({{"class", classes[decision.first]},
                {"next", classes[decision.second]},
                {"probabilities", likely},
                {"graph_nats", decision.graph / kUnit},
                {"features_nats", decision.features / kUnit},
                {"groups_nats", told},
                {"model", to_hex(device.model())},
                {"withdrawn", options.withdrawn},
                {"version", version()}});
    return;
  }
  fmt::print("{}\nDecided on this device; nothing was sent.\n", classes[decision.first]);
  for (std::size_t c = 0; c < classes.size(); ++c) {
    fmt::print("{:6.1f}%  {}\n", 100 * probabilities[c] / double{ldp::kCertain}, classes[c]);
  }
  fmt::print("For {} rather than {}: {:+.2f} nats from the graph, {:+.2f} from your features", classes[decision.first],
             classes[decision.second], decision.graph / kUnit, decision.features / kUnit);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    fmt::print("{}{} {:+.2f}", g == 0 ? " (" : ", ", groups[g].name, reasons[g] / kUnit);
  }
  fmt::print("{}\nWhat you do that others can see may tell them of your features: no bound covers that.\n",
             groups.empty() ? "" : ")");
}

Status run_decide(const DecideOptions& options) {
  Result<client::Client> device = open_device(options);
  if (!device) return fail(device.error());
  const Result<client::Features> features = read_features(options, device->plan().schema());
  if (!features) return fail(features.error());
  const Result<client::Storage> storage = client::file_storage(options.ledger_file);
  if (!storage) return fail(storage.error());
  Result<client::Ledger> ledger = client::Ledger::open(*storage, 0);
  if (!ledger) return fail(ledger.error());
  std::vector<std::uint32_t> probabilities(device->plan().tables().model->classes.size());
  std::vector<std::int32_t> reasons(device->plan().schema().groups().size());
  const Result<ldp::Decision> decision = device->decide(features->row(), *ledger, probabilities, reasons);
  if (!decision) return fail(decision.error());
  print_decision(options, *device, *decision, probabilities, reasons);
  return Status::success;
}

}  // namespace

void add_decide(CLI::App& app, Action& action) {
  const auto options = std::make_shared<DecideOptions>();
  CLI::App* decide =
      app.add_subcommand("decide", "Decide one person's class on the person's own device; sends nothing");
  decide->add_option("--plan", options->plan_file, "The pilots' plan, which holds the model's weights")->required();
  decide->add_option("--model", options->model_file, "The campaign's published model")->required();
  decide->add_option("--hint", options->hint_file, "The person's hint; or the campaign's hints.csv, with --person")
      ->required();
  decide->add_option("--person", options->person, "Name in hints.csv");
  decide->add_option("--features", options->features_file,
                     std::string("CSV or JSON of what is not absent (docs/formats/features.md)") + kOrStandardInput);
  decide
      ->add_option(
          "--ledger", options->ledger_file,
          "The person's ledger, made if it is missing; it holds the device to one model and one hint per campaign")
      ->required();
  decide->add_flag("--withdrawn", options->withdrawn,
                   "The model was withdrawn: decide by the hint alone, without features");
  decide->add_flag("--json", options->json, "Print one JSON object");
  decide->footer(
      "An action that others can see is a report without a bound: what is done visibly because of a decision tells of "
      "the features.\n\nExample (after ppgnn campaign publish):\n"
      "  ppgnn decide --plan pilot.plan --model model.txt --hint hint --features me.csv --ledger ledger");
  decide->callback([options, &action] { action = [options] { return run_decide(*options); }; });
}

}  // namespace ppgnn::app
