// ppgnn submit: one person's report, as a device makes it.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "budget_options.hpp"
#include "command.hpp"
#include "output_files.hpp"
#include "ppgnn/client/client.hpp"
#include "ppgnn/client/features.hpp"
#include "ppgnn/client/file_storage.hpp"
#include "ppgnn/client/words.hpp"
#include "ppgnn/core/version.hpp"
#include "ppgnn/io/files.hpp"
#include "ppgnn/ldp/words.hpp"
#include "submit_link.hpp"

namespace ppgnn::app {

namespace {

struct SubmitOptions {
  std::string plan_file;
  std::string features_file;
  std::string question_file;
  std::string ledger_file;
  std::string output;
  std::string person;
  std::uint32_t level = 0;
  std::uint64_t round = 0;
  client::Limits limits{.report = 1};  // stricter than a library's: one report of the strictest usual level
  std::string recipient;
  bool other_recipient = false;
  bool unnamed_again = false;
  bool preview = false;
  bool not_asked = false;
  bool reported = false;  // the collector has a report of the person's
  bool json = false;
  std::optional<CollectorLink> link;

  [[nodiscard]] bool remote() const { return link && link->chosen(); }
};

std::span<const std::uint8_t> as_bytes(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// Whom the report is for, and what the person gave their word for.
Result<void> set_recipient(const SubmitOptions& options, const std::string& address, client::Client& device) {
  std::uint32_t permitted = 0;
  if (options.other_recipient) permitted |= PPGNN_PERMIT_OTHER_RECIPIENT;
  if (options.unnamed_again) permitted |= PPGNN_PERMIT_UNNAMED_AGAIN;
  device.permit(permitted);
  const std::string& name = options.recipient.empty() ? address : options.recipient;
  return name.empty() ? Result<void>() : device.set_recipient(name);
}

// What a collector says goes where files and options say it otherwise.
Result<client::Client> open_client(SubmitOptions& options) {
  if (options.remote()) {
    const Result<CollectorLink::Fetched> fetched = options.link->fetch();
    if (!fetched) return fetched.error();
    Result<client::Client> device = client::Client::make(fetched->plan);
    if (!device) return io::in_file("the collector's plan", device.error());
    device->set_person(fetched->person);
    if (Result<void> set = set_recipient(options, fetched->address, *device); !set) return set.error();
    options.round = fetched->round;
    if (options.level != 0 && fetched->level != 0 && options.level != fetched->level) {
      return Error{ErrorCode::mismatch,
                   "--level: not the one that was declared at enrolment, which the collector insists on"};
    }
    options.not_asked = options.not_asked || !fetched->asked;
    options.reported = fetched->reported;
    if (fetched->question.empty()) return device;
    if (Result<void> set = device->set_question(fetched->question); !set) {
      return io::in_file("the collector's question", set.error());
    }
    return device;
  }
  const Result<std::string> text = io::read_input(options.plan_file);
  if (!text) return text.error();
  Result<client::Client> device = client::Client::make(*text);
  if (!device) return io::in_file(io::input_name(options.plan_file), device.error());
  if (!options.person.empty()) device->set_person(options.person);
  if (Result<void> set = set_recipient(options, "", *device); !set) return set.error();
  if (options.question_file.empty()) return device;
  const Result<std::string> question = io::read_file(options.question_file);
  if (!question) return question.error();
  if (Result<void> set = device->set_question(as_bytes(*question)); !set) {
    return io::in_file(options.question_file, set.error());
  }
  return device;
}

Result<client::Ledger> open_ledger(const SubmitOptions& options, const client::Client& device) {
  const Result<client::Storage> storage = client::file_storage(options.ledger_file);
  if (!storage) return storage.error();
  return client::Ledger::open(*storage, device.largest_report());
}

// What would leave, for every level: nobody learns from it which one is the person's.
Status show_preview(const SubmitOptions& options, client::Client& device) {
  static_cast<void>(device.agree(options.limits));  // the ledger's words say limits that the plan keeps
  std::optional<client::Ledger> ledger;
  if (!options.ledger_file.empty()) {
    Result<client::Ledger> opened = open_ledger(options, device);
    if (!opened) return fail(opened.error());
    ledger.emplace(std::move(opened).value());
  }
  const ldp::Plan& plan = device.plan();
  nlohmann::ordered_json levels = nlohmann::ordered_json::array();
  for (std::uint32_t level = 1; level <= plan.levels().size(); ++level) {
    const Result<std::string> words = device.preview(ldp::Level{level});
    if (!words) return fail(words.error());
    const auto example = device.example(ldp::Level{level}, options.round);
    if (!example) return fail(example.error());
    const Result<std::string> spent =
        ledger ? device.ledger_words(ldp::Level{level}, *ledger) : Result<std::string>(std::string());
    if (!spent) return fail(spent.error());
    if (options.json) {
      levels.push_back({{"level", level},
                        {"words", *words},
                        {"ledger", *spent},
                        {"nats", ldp::spent(plan, level - 1)},
                        {"bytes", example->size()},
                        {"example", to_hex(*example)}});
      continue;
    }
    fmt::print("{}\n", wrapped(*words, ""));
    if (!spent->empty()) fmt::print("{}\n", wrapped(*spent, "  "));
    fmt::print("  {} bytes, such as those of somebody without any feature: {}\n\n", example->size(), to_hex(*example));
  }
  if (options.json) {
    print_json({{"plan_hash", to_hex(plan.hash())},
                {"largest_nats", client::largest_spend(plan)},
                {"levels", levels},
                {"version", version()}});
    return Status::success;
  }
  for (const std::string& note : ldp::notes_on(plan)) fmt::print("Note: {}.\n", note);
  return Status::success;
}

Result<client::Sent> make_report(const SubmitOptions& options, client::Client& device, client::Ledger& ledger,
                                 std::vector<std::uint8_t>& out) {
  const Result<std::string> file = io::read_input(options.features_file);
  if (!file) return file.error();
  const Result<client::Features> features = client::read_features(*file, device.plan().schema());
  if (!features) return io::in_file(io::input_name(options.features_file), features.error());
  out.resize(device.largest_report());
  return device.report(ldp::Level{options.level}, features->row(), options.round, ledger, out);
}

Status show_not_asked(const SubmitOptions& options, const client::Client& device, client::Ledger& ledger) {
  if (Result<void> noted = device.note_not_asked(ledger); !noted) return fail(noted.error());
  const auto standing = device.standing(ledger);
  if (!standing) return fail(standing.error());
  const bool reported = (*standing)->state == client::EntryState::reported;
  if (options.json) {
    print_json({{"ledger", options.ledger_file}, {"reported", reported}, {"version", version()}});
  } else {
    fmt::print("{}: {}\n", options.ledger_file,
               reported ? "this campaign has a report, which stays" : "not asked in this campaign, and nothing spent");
  }
  return Status::success;
}

// The report that the ledger keeps, handed to the collector; it may be tried again as often as it takes.
Status hand_in(const SubmitOptions& options, const client::Client& device, std::span<const std::uint8_t> report,
               bool fresh) {
  const Result<bool> stored = options.link->send(report);
  if (!stored) return fail(stored.error());
  if (options.json) {
    print_json({{"bytes", report.size()},
                {"fresh", fresh},
                {"stored", *stored},
                {"round", options.round},
                {"plan_hash", to_hex(device.plan().hash())},
                {"largest_nats", client::largest_spend(device.plan())},
                {"ledger", options.ledger_file},
                {"version", version()}});
  } else {
    fmt::print("{} bytes: {}\n", report.size(),
               *stored ? "the collector has your report" : "the collector had your report already");
  }
  return Status::success;
}

Status run_submit(SubmitOptions options) {
  if (options.remote() && options.link->simulates()) return options.link->simulate(options.json);
  if (!options.remote() && options.plan_file.empty()) {
    return fail({ErrorCode::invalid_argument, options.link ? "--plan is missing, or --server" : "--plan is missing"});
  }
  if (options.remote() && (!options.plan_file.empty() || !options.question_file.empty() || !options.output.empty())) {
    return fail({ErrorCode::invalid_argument, "--plan, --question and --out: the collector has them"});
  }
  const std::vector<NamedFile> inputs{
      {"--plan", options.plan_file}, {"--features", options.features_file}, {"--question", options.question_file}};
  if (Result<void> apart = check_apart(inputs, {{"--out", options.output}, {"--ledger", options.ledger_file}});
      !apart) {
    return fail(apart.error());
  }
  Result<client::Client> device = open_client(options);
  if (!device) return fail(device.error());
  if (options.preview) return show_preview(options, *device);
  const auto missing = [&](const char* option) {
    return fail({ErrorCode::invalid_argument, std::string(option) + " is missing"});
  };
  if (options.ledger_file.empty()) return missing("--ledger");
  if (!options.not_asked) {
    if (options.features_file.empty()) return missing("--features");
    if (options.output.empty() && !options.remote()) return missing("--out");
    if (options.level == 0) return missing("--level");
    if (Result<void> agreed = device->agree(options.limits); !agreed) return fail(agreed.error());
  }
  Result<client::Ledger> ledger = open_ledger(options, *device);
  if (!ledger) return fail(ledger.error());
  if (options.not_asked) return show_not_asked(options, *device, *ledger);

  if (options.reported) {
    const auto standing = device->standing(*ledger);
    if (!standing) return fail(standing.error());
    if (!*standing || (*standing)->state != client::EntryState::reported) {
      return fail(
          {ErrorCode::reported,
           "the collector has a report of this person's, and this ledger has none: another would be a second one"});
    }
  }
  std::vector<std::uint8_t> bytes;
  const Result<client::Sent> sent = make_report(options, *device, *ledger, bytes);
  if (!sent) return fail(sent.error());
  if (options.remote()) return hand_in(options, *device, std::span(bytes).first(sent->size), sent->fresh);
  const std::string_view report(reinterpret_cast<const char*>(bytes.data()), sent->size);
  if (Result<void> written = io::write_text(options.output, report); !written) return fail(written.error());
  if (options.json) {
    print_json({{"report", options.output},
                {"bytes", sent->size},
                {"fresh", sent->fresh},
                {"plan_hash", to_hex(device->plan().hash())},
                {"largest_nats", client::largest_spend(device->plan())},
                {"ledger", options.ledger_file},
                {"version", version()}});
  } else {
    fmt::print("{}: {} bytes, {}\n", options.output, sent->size,
               sent->fresh ? "a new report, which the ledger keeps" : "the report that this campaign has already");
  }
  return Status::success;
}

}  // namespace

void add_submit(CLI::App& app, Action& action, std::optional<CollectorLink> link) {
  auto options = std::make_shared<SubmitOptions>();
  options->link = std::move(link);
  CLI::App* submit = app.add_subcommand("submit", "Make one person's report, once per campaign, as a device does");
  submit->add_option("--plan", options->plan_file, std::string("Plan file") + kOrStandardInput);
  submit->add_option(
      "--features", options->features_file,
      std::string("CSV or JSON of what is not absent, by number from 0 or name (docs/formats/features.md)") +
          kOrStandardInput);
  submit->add_option("--level", options->level,
                     "The person's privacy level, 1 the strictest; others on this machine may see a command's options");
  submit->add_option("--person", options->person, "Name under which the server knows the person; a campaign needs it");
  submit->add_option("--question", options->question_file, "File with the bytes of the person's question");
  submit->add_option("--ledger", options->ledger_file,
                     "The person's ledger, made if it is missing; private: it says what was spent");
  submit->add_option("--out", options->output, "File for the report's bytes");
  submit->add_option("--round", options->round, "Round of the report")->capture_default_str();
  submit
      ->add_option("--limit", options->limits.report,
                   "Most nats that a report may cost at the plan's most relaxed level; else the plan is refused")
      ->capture_default_str();
  submit->add_option("--lifetime", options->limits.lifetime, "Most nats in all, counted likewise; inf: no limit")
      ->capture_default_str();
  submit->add_option("--reports", options->limits.reports, "Most reports in all")->capture_default_str();
  submit->add_option("--recipient", options->recipient,
                     "Whom the report is for; the ledger hands it to nobody else; default: the collector's address");
  submit->add_flag("--other-recipient", options->other_recipient,
                   "Hand out a report that was made for somebody else, who then is not the only one to learn from it");
  submit->add_flag("--again", options->unnamed_again,
                   "Make a second report although a plan without campaign has one, of which this may be a copy");
  submit->add_flag("--level-public", options->limits.level_disclosed,
                   "Agree to plans that send the level in the clear");
  whole_numbers(*submit, {{"--level", ldp::kMaxLevels, true}, "--round", "--reports"});
  auto* preview = submit->add_flag("--preview", options->preview,
                                   "Say what would leave at each level, with an example; make and spend nothing");
  submit
      ->add_flag("--not-asked", options->not_asked, "Note in the ledger that this campaign did not ask; spends nothing")
      ->excludes(preview);
  submit->add_flag("--json", options->json, "Print one JSON object");
  if (options->link) options->link->add_to(*submit);
  submit->footer(
      "Examples (after ppgnn plan; me.csv has the line column,value and then one's own features, a line each):\n"
      "  ppgnn submit --plan plan.txt --preview\n"
      "  ppgnn submit --plan plan.txt --features me.csv --level 1 --limit 2.3 --ledger ledger --out report\n"
      "  ppgnn submit --plan teach.txt --person ana --ledger ledger --not-asked\n"
      "A second report of a campaign is never made: the first is written again, byte for byte.");
  submit->callback([options, &action] { action = [options] { return run_submit(*options); }; });
}

}  // namespace ppgnn::app
