// ppgnn study: the paper's experiments, and anybody's own, declared in TOML: run, resume, report, compare.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "command.hpp"
#include "output_files.hpp"
#include "ppgnn/core/names.hpp"
#include "ppgnn/core/number.hpp"
#include "ppgnn/core/version.hpp"
#include "ppgnn/nn/backbones.hpp"
#include "ppgnn/report/report.hpp"
#include "ppgnn/study/request.hpp"
#include "run_options.hpp"
#include "study_merge.hpp"
#include "study_results.hpp"

namespace ppgnn::app {

namespace {

using nlohmann::ordered_json;
using study::Declaration;
using study::PlannedStudy;
using study::StudyRequest;

struct StudyOptions : ResultsOptions {
  std::string data_folder;
  std::vector<std::string> data, epsilon, backbone, seed;
  std::string scale;
  std::uint64_t runs = 0;
  std::uint64_t jobs = 0;
  std::string share;
  bool quick = false;
};

std::string normal(const std::string& value) {
  const auto number = parse_number(value);
  return number ? format_number(*number) : value;
}

study::Overrides overrides_of(const StudyOptions& options) {
  study::Overrides overrides;
  const auto add = [&](const char* factor, std::vector<std::string> values) {
    if (values.empty()) return;
    if (const std::string_view name = factor; name != "data" && name != "seed") {
      for (std::string& value : values) value = normal(value);
    }
    overrides.values.emplace_back(factor, std::move(values));
  };
  // A knob of generated data belongs to the name before it: synthetic:social,nodes=300.
  std::vector<std::string> data;
  for (const std::string& part : options.data) {
    if (!data.empty() && part.find('=') != std::string::npos) {
      data.back() += ',' + part;
    } else {
      data.push_back(part);
    }
  }
  add("data", data);
  add("epsilon", options.epsilon);
  add("backbone", options.backbone);
  add("seed", options.seed);
  if (!options.scale.empty()) add("scale", {options.scale});
  if (options.runs > 0) overrides.runs = options.runs;
  return overrides;
}

Status list_studies(const StudyOptions& options) {
  ordered_json json = ordered_json::array();
  for (const study::BuiltInStudy& built_in : study::built_in_studies()) {
    const Result<Declaration> declaration = study::load_study(std::string(built_in.id), false);
    if (!declaration) return fail(declaration.error());
    if (options.json) {
      json.push_back({{"id", declaration->id},
                      {"title", declaration->title},
                      {"about", declaration->about},
                      {"runs", declaration->runs}});
    } else {
      fmt::print("  {:<10} {}\n", declaration->id, declaration->title);
    }
  }
  ordered_json methods = ordered_json::object();
  if (!options.json) fmt::print("\nMethods that a study can name (with one budget also as NAME@mean):\n");
  for (const study::MethodEntry& method : study::methods()) {
    methods[std::string(method.name)] = method.about;
    if (!options.json) fmt::print("  {:<12} {}\n", method.name, method.about);
  }
  if (options.json) print_json({{"studies", json}, {"methods", methods}, {"version", version()}});
  return Status::success;
}

// No file of the results may be one that a study reads, and none may turn up among the data.
Result<void> check_outputs(const StudyOptions& options, const std::vector<PlannedStudy>& studies) {
  const std::filesystem::path folder = options.output;
  std::vector<NamedFile> inputs;
  for (const std::string& id : options.ids) {
    if (id.ends_with(".toml")) inputs.push_back({id, id});
  }
  std::vector<NamedFile> outputs;
  for (const char* name : {"results.jsonl", "results.damaged", "studies.json", "report.html"}) {
    outputs.push_back({"--out", (folder / name).string()});
  }
  if (Result<void> apart = check_apart(inputs, outputs); !apart) return apart;
  for (const std::string& name : study::data_of(studies)) {
    const DataChoice data{name, options.data_folder};
    if (Result<void> apart = data.check_apart(outputs); !apart) return apart;
    for (const std::filesystem::path& file : graph::files_of(name, {.data_folder = options.data_folder})) {
      for (const char* inner : {"tables", "figures"}) {
        if (!same_file(file.parent_path().string(), (folder / inner).string())) continue;
        return Error{ErrorCode::invalid_argument,
                     "--out: the report is written to " + (folder / inner).string() + ", which holds data: " + name};
      }
    }
  }
  return {};
}

Status run_studies(const StudyOptions& options) {
  const graph::LoadOptions load{.data_folder = options.data_folder};
  const Result<study::Share> share = options.share.empty() ? study::Share{} : study::parse_share(options.share);
  if (!share) return fail(share.error());
  std::vector<StudyRequest> now;
  for (const std::string& id : options.ids) now.push_back({id, options.quick, true, overrides_of(options)});
  const Result<std::vector<PlannedStudy>> studies = study::plan_studies(now, load);
  if (!studies) return fail(studies.error());
  if (Result<void> apart = check_outputs(options, *studies); !apart) return fail(apart.error());
  Result<study::RecordStore> records = study::RecordStore::open(options.output);
  if (!records) return fail(records.error());
  if (records->damaged() > 0) {
    say(fmt::format("{}: {} damaged {} set aside in {}; what is missing is run again", options.output,
                    records->damaged(), records->damaged() == 1 ? "line was" : "lines were",
                    study::damaged_file(options.output).string()));
  }
  Result<std::vector<StudyRequest>> all = study::read_requests(options.output);
  if (!all) return fail(all.error());
  study::replace_requests(*all, now);
  const Result<study::Shelf> shelf = study::load_shelf(*studies, load);
  if (!shelf) return fail(shelf.error());
  for (const auto& [name, data] : *shelf) print_notes(data->dataset);
  if (Result<void> written = study::write_requests(options.output, *all); !written) return fail(written.error());
  if (std::any_of(now.begin(), now.end(), [](const StudyRequest& request) { return !request.whole_lastfm; })) {
    say(report::kSubsetNote);
  }
  const std::atomic<bool>& stop = stop_on_signals();
  const auto start = std::chrono::steady_clock::now();
  const Result<study::ExecuteResult> result = [&] {
    Progress progress("study");
    study::ExecuteOptions execute;
    execute.jobs = options.jobs;
    execute.share = *share;
    execute.stop = &stop;
    execute.progress = [&](const study::StudyProgress& now_at) { progress.update(now_at.done, now_at.total); };
    return study::execute(*studies, *shelf, *records, execute);
  }();
  if (!result) return fail(result.error());
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  // The runs are kept whatever becomes of their report.
  ResultsOptions everything = options;
  everything.ids.clear();
  const bool whole = !result->stopped && share->count == 1;
  bool reported = false;
  if (whole) {
    const Result<Evaluated> written = write_report(everything);
    reported = static_cast<bool>(written);
    if (!written)
      say(fmt::format("no report: {}; then: ppgnn study report --out {}", written.error().message, options.output));
  }
  if (options.json) {
    print_json({{"output", options.output},
                {"studies", options.ids},
                {"quick", options.quick},
                {"runs_made", result->runs},
                {"records", records->size()},
                {"stopped", result->stopped},
                {"report", reported ? ordered_json(report_path(options)) : ordered_json(nullptr)},
                {"seconds", seconds},
                {"version", version()}});
  } else {
    fmt::print("{}{}: {} runs made in {}, {} records{}\n", options.quick ? "Quick study, " : "", options.output,
               result->runs, show_duration(seconds), records->size(),
               result->stopped ? "; stopped: the same command continues" : "");
    if (reported) fmt::print("{}; {}\n", report_path(options), kBesideReport);
    if (!result->stopped && !whole) fmt::print("When all shares are there: ppgnn study merge {}\n", options.output);
  }
  return result->stopped ? Status::stopped : Status::success;
}

void add_output(CLI::App& command, StudyOptions& options) {
  command.add_option("--out", options.output, "Folder of results and report")->capture_default_str();
  command.add_flag("--json", options.json, "Print one JSON object");
}

void add_run_options(CLI::App& command, StudyOptions& options) {
  command.add_option("--data", options.data, "Data sets instead of the declared ones: a,b")->delimiter(',');
  command.add_option("--data-dir", options.data_folder, "Folder of the published data sets")->envname("PPGNN_DATA");
  command.add_option("--epsilon", options.epsilon, "Budgets of the strictest person instead of the declared: a,b")
      ->delimiter(',');
  command
      .add_option("--backbone", options.backbone,
                  "Backbones instead of the declared, of " + listed(nn::backbones(), ", "))
      ->delimiter(',');
  command.add_option("--seed", options.seed, "Seeds of splits, levels, noise and training instead of 0: a,b")
      ->delimiter(',');
  command.add_option("--scale", options.scale, "Only this scale")->transform(one_of({"raw", "common"}));
  command.add_option("--runs", options.runs, "Runs of every setting")->check(CLI::Range(1, 1000));
  command.add_flag("--quick", options.quick, "Fewer runs and points; marked as such in every output");
  command.add_option("--jobs", options.jobs, "Runs at a time; 0: one per core")->capture_default_str();
  command.add_option("--share", options.share, "Only share K of N: 3/16; then ppgnn study merge (default: all)");
  whole_numbers(command, {"--runs", {"--jobs", kernels::kMaxThreads}});
  add_output(command, options);
}

}  // namespace

void add_study(CLI::App& app, Action& action) {
  CLI::App* study = app.add_subcommand("study", "The paper's experiments and your own: run, resume, report, compare");
  study->require_subcommand(1);
  study->footer(
      "A study is a TOML file (docs/formats/study.md). A study that was stopped or killed continues with the same "
      "command.\n\n"
      "Examples:\n"
      "  ppgnn study list\n"
      "  ppgnn study run h --quick --data synthetic:social,nodes=300 --epsilon 1 --runs 1\n"
      "  ppgnn study report\n"
      "  ppgnn study compare");
  const auto options = std::make_shared<StudyOptions>();

  CLI::App* list = study->add_subcommand("list", "The studies that come with ppgnn");
  list->add_flag("--json", options->json, "Print one JSON object");
  list->footer("Example:\n  ppgnn study list --json");
  list->callback([options, &action] { action = [options] { return list_studies(*options); }; });

  CLI::App* run = study->add_subcommand("run", "Make the runs that are missing, and the report");
  run->add_option("id", options->ids, "Studies by id, or .toml files")->required();
  add_run_options(*run, *options);
  run->footer(
      "Examples:\n"
      "  ppgnn study run gamma --quick --data synthetic:social,nodes=300 --epsilon 1 --runs 1\n"
      "  ppgnn study run h --quick --data synthetic:social,nodes=300 --epsilon 1 --runs 1 --share 1/2 --out part-1\n\n"
      "With the published data sets (PPGNN_DATA or --data-dir): ppgnn study run table2 --out results");
  run->callback([options, &action] { action = [options] { return run_studies(*options); }; });

  CLI::App* all = study->add_subcommand("all", "All studies of the paper");
  add_run_options(*all, *options);
  all->footer(
      "Example:\n  ppgnn study all --quick --out quick   (needs the published data sets: PPGNN_DATA or --data-dir)");
  all->callback([options, &action] {
    for (const study::BuiltInStudy& built_in : study::built_in_studies()) options->ids.emplace_back(built_in.id);
    action = [options] { return run_studies(*options); };
  });

  add_study_merge(*study, action);

  CLI::App* report = study->add_subcommand("report", "Write report.html, figures and tables anew");
  report->add_option("id", options->ids, "Studies (default: all that were run)");
  report
      ->add_option(
          "--against", options->against,
          "What figures are drawn against where budgets differ along x: epsilon, the mean or the max budget spent")
      ->transform(one_of({"epsilon", "mean", "max"}))
      ->capture_default_str();
  add_output(*report, *options);
  report->footer("Example (after ppgnn study run):\n  ppgnn study report --against mean");
  report->callback([options, &action] { action = [options] { return report_studies(*options); }; });

  CLI::App* compare = study->add_subcommand("compare", "The paper's figures and claims beside ours");
  compare->add_option("id", options->ids, "Studies (default: all that were run)");
  add_output(*compare, *options);
  compare->footer("Example (after ppgnn study run):\n  ppgnn study compare --json");
  compare->callback([options, &action] { action = [options] { return compare_studies(*options); }; });
}

}  // namespace ppgnn::app
