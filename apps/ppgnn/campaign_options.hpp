#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ppgnn/campaign/in_store.hpp"
#include "ppgnn/campaign/steps.hpp"
#include "run_options.hpp"

/// What `campaign`, `train` and `predict` share: where a campaign is, labels, and the structure model.
namespace ppgnn::app {

/// --data, --data-dir, --labels
struct LabelledData {
  DataChoice data;
  std::string labels_file;

  void add_to(CLI::App& command);
  /// The data with these labels, without need of features; what a user must know of it is said on stderr.
  [[nodiscard]] Result<graph::Dataset> load() const;
};

/// --spread, --seed, --run, --threads
struct StructureChoice {
  std::string spread = "train";
  std::uint64_t seed = 0;
  std::uint64_t run = 0;
  std::uint64_t threads = 0;

  void add_seed(CLI::App& command);
  void add_to(CLI::App& command);
  [[nodiscard]] bool all_labels() const;
  /// What graph and labels say, with progress on a terminal. Borrows the data.
  [[nodiscard]] campaign::Structure of(const graph::Dataset& dataset) const;
};

/// --folder or --store
struct PlaceChoice {
  std::string folder;
  std::string store;
  std::string levels_file;  ///< --levels, where the command has it

  void add_to(CLI::App& command);
  void add_levels(CLI::App& command);
  [[nodiscard]] bool given() const { return !folder.empty() || !store.empty(); }
  /// Where it is, for a person who is to type it: "--folder spring".
  [[nodiscard]] std::string words() const { return folder.empty() ? "--store " + store : "--folder " + folder; }
  /// The campaign with its reports, which a store has and which come in files otherwise.
  ///
  /// Errors  invalid_argument for none or both, or for reports that a store has.
  [[nodiscard]] Result<std::unique_ptr<campaign::Place>> open(const ReportsChoice& reports,
                                                              const graph::Dataset& dataset) const;
  /// The same for what needs no reports.
  [[nodiscard]] Result<std::unique_ptr<campaign::Place>> open() const;
};

/// A store, opened by whoever gives the command, for its trail.
[[nodiscard]] Result<campaign::InStore> open_store(const std::string& where,
                                                   store::Opening opening = store::Opening::existing,
                                                   bool allow_seeded = false);
[[nodiscard]] Result<std::unique_ptr<store::Store>> open_as_user(const std::string& where, store::Opening opening);

/// Refuses options of a command that were given and are none of these: whoever gives one expects something of it. What the
/// environment may give does not count.
[[nodiscard]] Result<void> check_given(const CLI::App& command, const std::vector<std::string>& allowed,
                                       const std::string& why);

}  // namespace ppgnn::app
