#include "run_options.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <system_error>

#include "command.hpp"
#include "ppgnn/core/names.hpp"
#include "ppgnn/core/number.hpp"
#include "ppgnn/graph/load.hpp"
#include "ppgnn/nn/backbones.hpp"
#include "ppgnn/population/levels.hpp"
#include "ppgnn/server/report_files.hpp"

namespace ppgnn::app {

void add_missing(CLI::App& command, std::string& missing) {
  command
      .add_option("--missing", missing,
                  "What labels NaN, NA, null, None, ? and unknown in the data's files are: unknown, or a class")
      ->transform(one_of({"unknown", "class"}))
      ->capture_default_str();
}

graph::MissingLabels missing_labels(const std::string& missing) {
  return missing == "class" ? graph::MissingLabels::as_class : graph::MissingLabels::unknown;
}

CLI::Option* DataChoice::add_to(CLI::App& command) {
  CLI::Option* data =
      command
          .add_option("--data", name,
                      "A published data set, a path, or synthetic:social[,knob=value...]; see ppgnn data list")
          ->capture_default_str();
  command.add_option("--data-dir", folder, "Folder of the published data sets")->envname("PPGNN_DATA");
  add_missing(command, missing);
  option = data;
  return data;
}

Result<graph::Dataset> DataChoice::load(graph::MissingFeatures features) const {
  return graph::load(name,
                     {.data_folder = folder, .missing_features = features, .missing_labels = missing_labels(missing)});
}

Result<void> DataChoice::check_apart(const std::vector<NamedFile>& outputs) const {
  const graph::LoadOptions options{.data_folder = folder, .missing_features = graph::MissingFeatures::accept};
  std::vector<std::filesystem::path> files = graph::files_of(name, options);
  const std::vector<std::filesystem::path> taken = files;
  if (!folder.empty()) {
    for (const graph::PublishedDataset& published : graph::published_datasets()) {
      const auto more = graph::files_of(std::string(published.name), options);
      files.insert(files.end(), more.begin(), more.end());
    }
  }
  for (const NamedFile& output : outputs) {
    if (output.path.empty()) continue;
    for (const std::filesystem::path& file : files) {
      if (same_file(file.string(), output.path)) return same_file_error("the data", output);
    }
    std::error_code ignored;
    const std::filesystem::path place = std::filesystem::weakly_canonical(output.path, ignored);
    if (!std::filesystem::is_directory(name, ignored) || !same_file(place.parent_path().string(), name)) continue;
    if (graph::files_of(name, options, place.filename().string()) != taken) {
      return invalid(output.option + ": " + output.path + " would become part of the data in " + name);
    }
  }
  return {};
}

NamedFile levels_input(const std::string& levels) {
  return {"--levels", find_named(population::kLevelChoices, levels) == nullptr ? levels : std::string()};
}

void print_notes(const graph::Dataset& dataset) {
  for (const std::string& note : dataset.notes) say("note: " + note);
}

void TrainingChoice::add_to(CLI::App& command) {
  command.add_option("--backbone", backbone, listed(nn::backbones()))
      ->transform(one_of(names_of(nn::backbones())))
      ->capture_default_str();
  const std::string most_hops = std::to_string(server::kMaxHops);
  command.add_option("--hops", hops, "Hops over which reports are averaged, 0 (none) to " + most_hops)
      ->capture_default_str();
  std::string scales;
  for (const double one : server::PipelineOptions().scales) scales += (scales.empty() ? "" : ", ") + format_number(one);
  command
      .add_option("--scale", scale,
                  "raw; common: chosen by validation from " + scales + "; or a number up to 1e6: root mean square")
      ->capture_default_str();
  command.add_option("--epochs", epochs, "Training epochs, 1 to 1000000; the best by validation loss is kept")
      ->capture_default_str();
  command.add_option("--lr", learning_rate, "Learning rate of Adam, a number from 0")->capture_default_str();
  command.add_option("--weight-decay", weight_decay, "L2 penalty, a number from 0")->capture_default_str();
  command.add_option("--dropout", dropout, "Share of hidden units dropped, 0 <= p < 1")->capture_default_str();
  command.add_option("--hidden", hidden, "Width of the hidden layer, a multiple of 4 from 4")->capture_default_str();
  whole_numbers(command, {"--epochs", {"--hidden", nn::kMaxHidden}});
}

Result<server::PipelineOptions> TrainingChoice::options() const {
  server::PipelineOptions options;
  const auto most = [](std::size_t bound) { return std::to_string(bound); };
  if (hops < 0 || static_cast<std::size_t>(hops) > server::kMaxHops) {
    return invalid("hops: must be between 0 and " + most(server::kMaxHops) + ", but is " + std::to_string(hops));
  }
  if (epochs < 1 || epochs > train::kMaxEpochs) {
    return invalid("epochs: must be between 1 and " + most(train::kMaxEpochs) + ", but is " + std::to_string(epochs));
  }
  if (hidden < 4 || hidden % 4 != 0 || hidden > nn::kMaxHidden) {
    return invalid("hidden: must be a multiple of 4 from 4 to " + most(nn::kMaxHidden) + ", but is " +
                   std::to_string(hidden));
  }
  options.hops = static_cast<std::size_t>(hops);
  Result<std::vector<double>> scales = server::scales_named(scale);
  if (!scales) return scales.error();
  options.scales = std::move(scales).value();
  options.training.network.backbone = nn::backbone_named(backbone);
  options.training.network.hidden = hidden;
  options.training.adam.learning_rate = learning_rate;
  options.training.adam.weight_decay = weight_decay;
  options.training.dropout = dropout;
  options.training.epochs = epochs;
  return options;
}

CLI::Option* ReportsChoice::add_to(CLI::App& command) {
  CLI::Option* option =
      command
          .add_option("--reports", files,
                      std::string("Reports file; given more than once, all are read") + kOrStandardInput)
          ->expected(1)
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  round_option = command.add_option("--round", round, "Take the reports of this round; default: all are of one round");
  command.add_flag("--allow-seeded", allow_seeded,
                   "Also take reports made from a seed (ppgnn perturb --seed): for research, they protect nobody");
  whole_numbers(command, {"--round"});
  return option;
}

server::ReportChoice ReportsChoice::choice() const {
  server::ReportChoice choice{.round = {}, .allow_seeded = allow_seeded};
  if (round_option->count() > 0) choice.round = round;
  return choice;
}

void ReportsChoice::add_inputs(std::vector<NamedFile>& inputs) const {
  for (const std::string& file : files) inputs.push_back({"--reports", file});
}

Result<std::vector<ldp::NodeReport>> ReportsChoice::read(const graph::Dataset& dataset, const ldp::Plan& plan) const {
  server::FileRound taken{.plan = &plan};
  for (const std::string& file : files) {
    if (Result<void> read = server::read_reports(file, dataset, {&taken, 1}, choice()); !read) return read.error();
  }
  if (taken.reports.empty()) return Error{ErrorCode::malformed, files.front() + ": there is no report in it"};
  return std::move(taken.reports);
}

void add_levels(CLI::App& command, std::string& levels) {
  command
      .add_option("--levels", levels,
                  listed(population::kLevelChoices, ", ") + ", or a file of node,level lines" + kOrStandardInput)
      ->capture_default_str();
}

}  // namespace ppgnn::app
