// ppgnn data: lists, describes, fetches, checks and converts data sets.
#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "command.hpp"
#include "ppgnn/core/names.hpp"
#include "ppgnn/core/number.hpp"
#include "ppgnn/core/version.hpp"
#include "ppgnn/graph/download.hpp"
#include "ppgnn/graph/generator.hpp"
#include "ppgnn/graph/load.hpp"
#include "ppgnn/graph/statistics.hpp"
#include "ppgnn/graph/stored_graph.hpp"
#include "run_options.hpp"

namespace ppgnn::app {

namespace {

using graph::Dataset;
using graph::FileCheck;
using graph::FileState;
using graph::PublishedDataset;
using graph::Statistics;
using nlohmann::ordered_json;

struct DataOptions {
  std::string data_folder;
  std::string name;
  std::string output;
  std::string missing = "unknown";
  std::string mirror{graph::kPublisher};
  bool json = false;
};

const char* text_of(FileState state) {
  switch (state) {
    case FileState::published:
      return "ok";
    case FileState::known_copy:
      return "known copy";
    case FileState::missing:
      return "missing";
    case FileState::different:
      break;
  }
  return "different";
}

bool is_good(const FileCheck& check) {
  return check.state == FileState::published || check.state == FileState::known_copy;
}

Result<const PublishedDataset*> published(const DataOptions& options) {
  const std::vector<std::string> names = names_of(graph::published_datasets());
  const PublishedDataset* dataset = graph::find_published(meant(names, options.name));
  if (dataset == nullptr) {
    return Error{
        ErrorCode::invalid_argument,
        "'" + options.name + "' is not a published data set; see ppgnn data list" + did_you_mean(names, options.name)};
  }
  if (options.data_folder.empty()) {
    return Error{ErrorCode::invalid_argument, "no data folder: set PPGNN_DATA or pass --data-dir"};
  }
  return dataset;
}

graph::LoadOptions load_options(const DataOptions& options) {
  return {options.data_folder, graph::MissingFeatures::accept, missing_labels(options.missing)};
}

// ---- list

Status run_list(const DataOptions& options) {
  ordered_json all = ordered_json::array();
  for (const PublishedDataset& dataset : graph::published_datasets()) {
    ordered_json files = ordered_json::array();
    std::size_t missing = 0;
    const auto checks = options.data_folder.empty() ? Result<std::vector<FileCheck>>(std::vector<FileCheck>())
                                                    : graph::verify(dataset, options.data_folder);
    if (!checks) return fail(checks.error());
    for (std::size_t i = 0; i < dataset.files.size(); ++i) {
      const graph::PublishedFile& file = dataset.files[i];
      ordered_json entry{{"path", file.path}};
      entry["address"] = file.repository.empty() ? ordered_json() : ordered_json(file.address());
      entry[file.kind == graph::DigestKind::sha256 ? "sha256" : "git_blob"] = file.digest;
      if (!checks->empty()) entry["state"] = text_of((*checks)[i].state);
      if (!checks->empty() && !is_good((*checks)[i])) ++missing;
      files.push_back(std::move(entry));
    }
    const std::string state = checks->empty() ? "unknown"
                              : missing == 0  ? "here"
                                              : fmt::format("{} of {} files to get", missing, files.size());
    if (!options.json) fmt::print("  {:<17} {:<22} {}\n", dataset.name, state, dataset.title);
    all.push_back({{"name", dataset.name}, {"title", dataset.title}, {"state", state}, {"files", std::move(files)}});
  }
  if (options.json) {
    print_json({{"data_folder", options.data_folder}, {"datasets", std::move(all)}, {"version", version()}});
    return Status::success;
  }
  fmt::print("  {:<17} {:<22} {}\n", "synthetic:social", "generated", "a social network made from a seed");
  fmt::print("\nKnobs of synthetic:social: {}\n", graph::social_knobs());
  fmt::print("\nData folder: {}\n",
             options.data_folder.empty() ? "none; set PPGNN_DATA or pass --data-dir" : options.data_folder);
  return Status::success;
}

// ---- info

ordered_json to_json(const Dataset& dataset, const Statistics& statistics) {
  ordered_json json;
  json["name"] = dataset.name;
  json["nodes"] = statistics.nodes;
  json["edges"] = statistics.edges;
  json["edges_paper"] = statistics.edges_paper;
  json["self_loops"] = statistics.self_loops;
  json["features"] = statistics.features;
  json["nonzeros"] = statistics.nonzeros;
  json["classes"] = statistics.classes;
  json["homophily"] = statistics.homophily ? ordered_json(*statistics.homophily) : ordered_json();
  json["isolated"] = statistics.isolated;
  json["unlabelled"] = statistics.unlabelled;
  json["components"] = statistics.components;
  json["largest_component"] = statistics.largest_component;
  json["degree"] = {
      {"mean", statistics.mean_degree}, {"median", statistics.median_degree}, {"max", statistics.max_degree}};
  json["schema"] = statistics.features == 0                                            ? "none"
                   : dataset.features.schema().origin == graph::SchemaOrigin::declared ? "declared"
                                                                                       : "derived";
  json["binary"] = statistics.features > 0 && dataset.features.values().empty();
  json["class_names"] = ordered_json::array();
  for (std::size_t i = 0; i < dataset.num_classes(); ++i) json["class_names"].push_back(dataset.class_names[i]);
  std::vector<std::uint64_t> counts(dataset.num_classes());
  for (const std::int32_t label : dataset.labels.span()) {
    if (label != graph::kUnknown) ++counts[static_cast<std::size_t>(label)];
  }
  json["class_counts"] = counts;
  json["checksum"] = to_hex(checksum(dataset));
  json["notes"] = dataset.notes;
  json["version"] = version();
  return json;
}

void print_info(const ordered_json& json) {
  const auto line = [](const char* what, const std::string& value) { fmt::print("  {:<22} {}\n", what, value); };
  const auto number = [&](const char* key) { return std::to_string(json[key].get<std::size_t>()); };
  fmt::print("{}\n\n", json["name"].get<std::string>());
  fmt::print("  {:>9} {:>9} {:>9} {:>9}   (as in the paper's Table 1)\n", "nodes", "edges", "features", "classes");
  fmt::print("  {:>9} {:>9} {:>9} {:>9}\n\n", number("nodes"), number("edges_paper"), number("features"),
             number("classes"));
  line("edges", number("edges") + " without self-loops");
  line("self-loops", number("self_loops"));
  line("nonzeros", number("nonzeros") + (json["binary"].get<bool>() ? ", binary" : ""));
  line("schema", json["schema"].get<std::string>());
  line("homophily", json["homophily"].is_null() ? "unknown" : fmt::format("{:.4f}", json["homophily"].get<double>()));
  line("degree", fmt::format("mean {:.3f}, median {}, max {}", json["degree"]["mean"].get<double>(),
                             json["degree"]["median"].get<std::size_t>(), json["degree"]["max"].get<std::size_t>()));
  line("components", number("components") + ", the largest with " + number("largest_component") + " nodes");
  line("isolated nodes", number("isolated"));
  std::string classes;
  for (std::size_t i = 0; i < json["class_names"].size(); ++i) {
    classes += fmt::format("{}{} {}", i > 0 ? ", " : "", json["class_names"][i].get<std::string>(),
                           json["class_counts"][i].get<std::size_t>());
  }
  classes = classes.empty() ? "none\n" : wrapped(classes, std::string(25, ' '), 80).substr(25);
  classes.pop_back();
  line("nodes by class", classes);
  line("unlabelled nodes", number("unlabelled"));
  line("checksum", json["checksum"].get<std::string>());
  for (const auto& note : json["notes"]) fmt::print("\nNote: {}\n", note.get<std::string>());
}

Status run_info(const DataOptions& options) {
  const Result<Dataset> dataset = graph::load(options.name, load_options(options));
  if (!dataset) return fail(dataset.error());
  const ordered_json json = to_json(*dataset, statistics(*dataset));
  if (options.json) {
    print_json(json);
  } else {
    print_info(json);
  }
  return Status::success;
}

// ---- get and verify

// Rewrites one line of a terminal; a log gets only the line that report_done prints.
void show_progress(const graph::DownloadProgress& progress) {
  if (isatty(STDERR_FILENO) == 0) return;
  const double megabytes = static_cast<double>(progress.received) / 1e6;
  if (progress.total == 0) {
    fmt::print(stderr, "\r  {:<44} {:>8.1f} MB", progress.path, megabytes);
  } else {
    fmt::print(stderr, "\r  {:<44} {:>8.1f} MB of {:.1f}", progress.path, megabytes,
               static_cast<double>(progress.total) / 1e6);
  }
}

Status run_get(const DataOptions& options) {
  const auto dataset = published(options);
  if (!dataset) return fail(dataset.error());
  const auto checks = graph::verify(**dataset, options.data_folder);
  if (!checks) return fail(checks.error());
  Status status = Status::success;
  for (const FileCheck& check : *checks) {
    const std::string path(check.file->path);
    if (check.state == FileState::published || (check.state == FileState::known_copy)) {
      fmt::print("  {:<44} already there\n", path);
      continue;
    }
    const auto done = graph::download(*check.file, options.data_folder, {options.mirror, show_progress});
    if (isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r{:<78}\r", "");
    if (done) {
      fmt::print("  {:<44} fetched, digest right\n", path);
    } else {
      // The other files are still worth having.
      status = fail(done.error());
    }
  }
  return status;
}

Status run_verify(const DataOptions& options) {
  const auto dataset = published(options);
  if (!dataset) return fail(dataset.error());
  const auto checks = graph::verify(**dataset, options.data_folder);
  if (!checks) return fail(checks.error());
  bool all_good = true;
  ordered_json files = ordered_json::array();
  for (const FileCheck& check : *checks) {
    all_good = all_good && is_good(check);
    const std::string note = check.state == FileState::known_copy ? std::string(check.file->copy_note) : "";
    files.push_back({{"path", check.file->path}, {"state", text_of(check.state)}, {"note", note}});
    if (!options.json)
      fmt::print("  {:<44} {}{}\n", check.file->path, text_of(check.state), note.empty() ? "" : ": " + note);
  }
  if (options.json) {
    print_json({{"name", options.name}, {"holds", all_good}, {"files", std::move(files)}, {"version", version()}});
  }
  return all_good ? Status::success : Status::refuted;
}

// ---- convert

Status run_convert(const DataOptions& options) {
  const std::vector<NamedFile> outputs{{"output", options.output}};
  Result<void> apart = check_apart({}, outputs);
  if (apart) apart = DataChoice{options.name, options.data_folder, options.missing}.check_apart(outputs);
  if (!apart) return fail(apart.error());
  const Result<Dataset> dataset = graph::load(options.name, load_options(options));
  if (!dataset) return fail(dataset.error());
  if (const auto written = graph::write_stored_graph(*dataset, options.output); !written) return fail(written.error());
  for (const std::string& note : dataset->notes) say("note: " + note);
  if (options.json) {
    print_json({{"name", dataset->name},
                {"output", options.output},
                {"checksum", to_hex(checksum(*dataset))},
                {"version", version()}});
  } else {
    fmt::print("{}\n", options.output);
  }
  return Status::success;
}

}  // namespace

void add_data(CLI::App& app, Action& action) {
  auto options = std::make_shared<DataOptions>();
  if (const char* folder = std::getenv("PPGNN_DATA"); folder != nullptr) options->data_folder = folder;
  CLI::App* data = app.add_subcommand("data", "List, describe, fetch, check and convert data sets");
  data->require_subcommand(1);

  const auto add = [&](const char* name, const char* help, Status (*run)(const DataOptions&), const char* example) {
    CLI::App* command = data->add_subcommand(name, help);
    command->footer(std::string("Example:\n  ppgnn data ") + example);
    command->add_option("--data-dir", options->data_folder, "Folder of the data sets (default: PPGNN_DATA)");
    command->callback([options, run, &action] { action = [options, run] { return run(*options); }; });
    return command;
  };
  const auto add_json = [&](CLI::App* command) { command->add_flag("--json", options->json, "Print one JSON object"); };
  const auto add_name = [&](CLI::App* command, const char* help) {
    command->add_option("name", options->name, help)->required();
  };
  constexpr const char* kAnyName =
      "Published name, synthetic:social[,knob=value...], or a path: stored graph, .npz, folder";

  add_json(add("list", "Data sets known by name, and which files are here", run_list, "list --json"));
  CLI::App* info = add("info", "Table 1 row, nonzeros, homophily, degrees, components, checksum", run_info,
                       "info synthetic:social,nodes=1000");
  add_name(info, kAnyName);
  add_missing(*info, options->missing);
  add_json(info);
  CLI::App* get = add("get", "Fetch the files of a published data set that are missing or wrong", run_get,
                      "get cora --data-dir data   (needs a network)");
  add_name(get, "Published name");
  get->add_option("--mirror", options->mirror, "Address to fetch from instead, with the same paths")
      ->capture_default_str();
  CLI::App* verify = add("verify", "Compare the files of a published data set with their digests", run_verify,
                         "verify cora --data-dir data   (needs the files)");
  add_name(verify, "Published name");
  add_json(verify);
  CLI::App* convert = add("convert", "Write a data set as one file that opens fast", run_convert,
                          "convert synthetic:social,nodes=1000 social.ppgraph");
  add_name(convert, kAnyName);
  add_missing(*convert, options->missing);
  convert->add_option("output", options->output, "File to write, usually NAME.ppgraph")->required();
  add_json(convert);
  data->footer(
      "Examples:\n"
      "  ppgnn data list\n"
      "  ppgnn data info synthetic:social,nodes=10000 --json\n"
      "  ppgnn data convert synthetic:social,nodes=10000 social.ppgraph\n\n"
      "With a folder of published data sets (PPGNN_DATA or --data-dir): ppgnn data get cora --data-dir DIR, then\n"
      "ppgnn data info cora --data-dir DIR.");
}

}  // namespace ppgnn::app
