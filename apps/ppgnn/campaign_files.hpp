#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ppgnn/graph/split.hpp"
#include "ppgnn/store/store.hpp"
#include "ppgnn/teach/rounds.hpp"
#include "ppgnn/teach/structure.hpp"
#include "run_options.hpp"

/// What `campaign`, `train` and `predict` share: where a campaign is, the files of a round, and the structure model.
namespace ppgnn::app {

/// --labels, --seed, --run, --threads of the structure model
struct StructureChoice {
  std::string labels = "train";
  std::uint64_t seed = 0;
  std::uint64_t run = 0;
  std::uint64_t threads = 0;

  void add_seed(CLI::App& command);
  void add_to(CLI::App& command);
  [[nodiscard]] bool all_labels() const;
  /// What graph and labels say, with progress on a terminal.
  [[nodiscard]] Result<teach::Beliefs> beliefs(const graph::Dataset& dataset, const graph::Split& split) const;
};

/// Everything a step reads that takes the reports of a round.
struct RoundInputs {
  ldp::Plan plan;
  graph::Dataset dataset;
  graph::Split split;
  std::vector<ldp::NodeReport> reports;
  std::vector<ldp::Level> levels = {};    ///< as declared, of a store
  ldp::Questions questions = {};          ///< where the plan asks
  std::vector<std::uint8_t> erased = {};  ///< of a store: who is not asked any more
  std::uint64_t erasures = 0;             ///< of a store, before it was read
};

/// A store that must be there, with a campaign in it.
struct OpenCampaign {
  std::unique_ptr<store::Store> store;
  store::Campaign campaign;
};
[[nodiscard]] Result<OpenCampaign> open_campaign(const std::string& where);

/// What the last plan of a campaign has its people do; nothing for a campaign of one round without roles.
[[nodiscard]] Result<std::optional<ldp::Role>> last_role(const OpenCampaign& opened);
[[nodiscard]] ldp::Role last_role(const teach::CampaignFolder& files);

/// The same as read_round, of the last round of a store, which is closed; with the answers of the pilots before it.
[[nodiscard]] Result<RoundInputs> read_round(store::Store& store, const DataChoice& data, bool allow_seeded);

/// Reads plan, list of people, data, split, reports and, where there are any, questions of a round.
///
/// Errors  Those of the readers; mismatch for a report of somebody who is not on the list, and where the lists of this and
///         an earlier round have somebody in common.
[[nodiscard]] Result<RoundInputs> read_round(const teach::CampaignFolder& files, ldp::Role role, const DataChoice& data,
                                             const ReportsChoice& reports);

/// Adds the pilots' answers to those of everybody else.
[[nodiscard]] Result<void> add_pilots(const teach::CampaignFolder& files, ReportsChoice reports,
                                      const std::string& pilots_file, RoundInputs& inputs);

}  // namespace ppgnn::app
