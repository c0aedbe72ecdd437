#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/load.hpp"
#include "ppgnn/study/run.hpp"

/// Options that `run`, `plan`, `perturb` and `train` share, as the user gives them, and what they mean for the library.
namespace ppgnn::app {

/// --data, --data-dir
struct DataChoice {
  std::string name = "synthetic:social";
  std::string folder;

  void add_to(CLI::App& command);
  [[nodiscard]] Result<graph::Dataset> load(graph::MissingFeatures missing) const;
};

/// --epsilon | --budgets, --level-budget | --level-public, --gamma
struct BudgetChoice {
  double epsilon = 1;
  std::vector<double> budgets;
  double level_budget = 0;
  bool level_public = false;
  double gamma = 0;
  CLI::Option* level_budget_option = nullptr;
  CLI::Option* gamma_option = nullptr;

  void add_to(CLI::App& command);
  [[nodiscard]] Result<std::vector<double>> list() const;
  [[nodiscard]] Result<void> apply_to(study::RunConfig& config) const;
};

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
  [[nodiscard]] Result<study::PipelineOptions> options() const;
};

/// --levels uniform|strict|relaxed|bimodal|FILE, the file with one line `node,level` per person.
[[nodiscard]] Result<void> read_levels(const std::string& levels, const graph::Dataset& dataset,
                                       study::RunConfig& config);

}  // namespace ppgnn::app
