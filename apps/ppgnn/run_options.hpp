#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "budget_options.hpp"
#include "output_files.hpp"
#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/load.hpp"
#include "ppgnn/server/report_files.hpp"
#include "ppgnn/server/training.hpp"

/// Options that `run`, `attack`, `plan`, `perturb` and `train` share, as the user gives them, and what they mean
/// for the library.
namespace ppgnn::app {

/// Adds --missing, which says how labels are taken that say that they are missing.
void add_missing(CLI::App& command, std::string& missing);
[[nodiscard]] graph::MissingLabels missing_labels(const std::string& missing);

/// --data, --data-dir, --missing
struct DataChoice {
  std::string name = "synthetic:social";
  std::string folder;
  std::string missing = "unknown";
  const CLI::Option* option = nullptr;

  CLI::Option* add_to(CLI::App& command);  ///< returns --data
  [[nodiscard]] bool given() const { return option->count() > 0; }
  [[nodiscard]] Result<graph::Dataset> load(graph::MissingFeatures features) const;
  /// Refuses an output that is a file of the data or of a published data set, or that would become one.
  [[nodiscard]] Result<void> check_apart(const std::vector<NamedFile>& outputs) const;
};

/// The levels file of --levels as an input; of a named choice nothing.
[[nodiscard]] NamedFile levels_input(const std::string& levels);

/// Says on stderr what a user must know of the data, "ppgnn: note: ..." each.
void print_notes(const graph::Dataset& dataset);

/// --backbone, --hops, --scale, --epochs, --lr, --weight-decay, --dropout, --hidden
struct TrainingChoice {
  std::string backbone = "gcn";
  std::int64_t hops = 4;
  std::string scale = "common";
  std::uint64_t epochs = 500;
  double learning_rate = .01;
  double weight_decay = .001;
  double dropout = .5;
  std::uint64_t hidden = 16;

  void add_to(CLI::App& command);
  [[nodiscard]] Result<server::PipelineOptions> options() const;
};

/// --reports, --round, --allow-seeded
struct ReportsChoice {
  std::vector<std::string> files;
  std::uint64_t round = 0;
  CLI::Option* round_option = nullptr;
  bool allow_seeded = false;

  CLI::Option* add_to(CLI::App& command);  ///< returns --reports
  [[nodiscard]] server::ReportChoice choice() const;
  /// The files as inputs, for check_apart.
  void add_inputs(std::vector<NamedFile>& inputs) const;
  /// Reports of one plan.
  [[nodiscard]] Result<std::vector<ldp::NodeReport>> read(const graph::Dataset& dataset, const ldp::Plan& plan) const;
};

/// The largest number of a run: with a person's it makes the number of a stream.
inline constexpr std::uint64_t kMaxRun = 0xFFFFFFFF;

/// Adds --levels.
void add_levels(CLI::App& command, std::string& levels);

}  // namespace ppgnn::app
