#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/core/sha256.hpp"
#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/graph/split.hpp"
#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/ldp/question.hpp"
#include "ppgnn/ldp/report.hpp"
#include "ppgnn/server/predictions.hpp"

namespace ppgnn::campaign {

/// How one round stands.
struct RoundState {
  std::optional<ldp::Role> role;  ///< nothing: everybody reports, in a campaign of one round
  ldp::Plan plan;
  bool open = true;                      ///< whether reports are taken
  std::uint64_t people = 0;              ///< that it is for
  std::optional<std::uint64_t> reports;  ///< that came; nothing where nobody counts them
};

/// How a campaign stands.
struct State {
  std::string name;
  std::vector<RoundState> rounds;
  bool concluded = false;                 ///< whether there are predictions
  std::optional<std::uint64_t> enrolled;  ///< people who may report; nothing where nobody enrols
  std::optional<std::uint64_t> erased;    ///< of them
};

/// What people reported in the last round, each report admitted, with what a step needs beside it. Answers of pilots who
/// were asked by the same model in a round before are among them.
struct Admitted {
  ldp::Plan plan;
  std::optional<graph::Split> split;     ///< nothing in a campaign of one round
  ldp::Questions questions;              ///< one per node; empty where the plan asks none
  std::vector<ldp::NodeReport> reports;  ///< by ascending node
  std::vector<ldp::Level> levels;    ///< as declared, one per node; empty where levels are private or nobody knows them
  std::vector<std::uint8_t> erased;  ///< one per node, 1 for people who are not to be asked any more; or empty

  /// Sums depend on the order of reports, and neither when nor in which round somebody reported must matter.
  void sort_reports() {
    std::sort(reports.begin(), reports.end(), [](const auto& one, const auto& other) { return one.node < other.node; });
  }
};

/// A round to be published. Its plan has no digest of its people yet.
struct Publication {
  ldp::Plan plan;
  std::vector<graph::NodeId> people;  ///< that it is for, ascending
  ldp::Questions questions;           ///< one per node; empty where the plan asks none
  std::optional<graph::Split> split;  ///< with the first round
};

/// Where a campaign is kept and where its reports come from: a folder of files, a store, or simulated people.
///
/// Errors  Those of files and stores; mismatch for a step that does not fit the campaign's state.
class Place {
 public:
  virtual ~Place() = default;

  /// For messages.
  [[nodiscard]] virtual std::string where() const = 0;
  /// Whether repeating a step is allowed, and changes nothing; otherwise a repeated step is refused.
  [[nodiscard]] virtual bool repeatable() const = 0;

  /// Errors  mismatch where there is no campaign.
  [[nodiscard]] virtual Result<State> load() = 0;
  [[nodiscard]] virtual Result<Admitted> admit(const graph::Dataset& dataset) = 0;
  /// Takes people who were erased out of the round. False, and nothing is published: somebody was erased whose report was among those
  /// admitted last, so what was computed from them must be computed again.
  [[nodiscard]] virtual Result<bool> publish(const graph::Dataset& dataset, Publication& round) = 0;
  /// Keeps what came out; false likewise.
  [[nodiscard]] virtual Result<bool> conclude(const graph::Dataset& dataset, const server::ClassTable& table) = 0;
  /// Runs a step while nobody is erased: whoever wants to be waits. Where nobody can be, it just runs it.
  [[nodiscard]] virtual Result<void> alone(const std::function<Result<void>()>& step) { return step(); }
  /// What was kept, as text; nothing where there is none.
  [[nodiscard]] virtual Result<std::optional<std::string>> predictions() = 0;
};

}  // namespace ppgnn::campaign
