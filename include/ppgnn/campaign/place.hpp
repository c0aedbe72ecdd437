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
#include "ppgnn/ldp/hint.hpp"
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

/// What a campaign published whose devices decide.
struct Decisions {
  std::string model;       ///< docs/formats/model.md
  std::size_t pilots = 0;  ///< whose reports count
  double weight = 0;       ///< of what features say
  double lift = 0;         ///< nats of log-loss per pilot that features add, by the pilots' private reports
  double low = 0;          ///< its 95% interval
  double high = 0;
  bool withdrawn = false;  ///< devices fall back to their hints

  /// All but the model, as it is kept.
  [[nodiscard]] std::string lift_text() const;
  /// Errors  malformed for another text.
  [[nodiscard]] Result<void> read_lift(const std::string& text);
};
/// Names of kept texts: what the step after the pilots' round needs, the model, what it is worth, and that it was withdrawn.
inline constexpr std::string_view kHomeNote = "home";
inline constexpr std::string_view kModelText = "model";
inline constexpr std::string_view kLiftText = "lift";
inline constexpr std::string_view kWithdrawnText = "withdrawn";

/// How a campaign stands.
struct State {
  std::string name;
  std::vector<RoundState> rounds;
  bool concluded = false;                 ///< whether there are predictions
  std::optional<std::uint64_t> enrolled;  ///< people who may report; nothing where nobody enrols
  std::optional<std::uint64_t> erased;    ///< of them
  std::optional<Decisions> published{};   ///< where devices decide
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
  std::vector<std::uint8_t> took_part{};  ///< one per node, 1 for people whom a round is for; or empty
  std::string note{};                     ///< kept with the last round

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
  std::string note{};                 ///< to be kept for the next step
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
  /// Keeps the model by which devices decide, and everybody's hint, one per node; of people who were erased none. False likewise.
  [[nodiscard]] virtual Result<bool> publish_model(const graph::Dataset&, const Decisions&,
                                                   const std::vector<ldp::Hint>&) {
    return Error{ErrorCode::mismatch, where() + ": devices do not decide in this campaign"};
  }
  /// From now on devices decide by their hints alone.
  [[nodiscard]] virtual Result<void> withdraw() {
    return Error{ErrorCode::mismatch, where() + ": devices do not decide in this campaign"};
  }
  /// Runs a step while nobody is erased: whoever wants to be waits. Where nobody can be, it just runs it.
  [[nodiscard]] virtual Result<void> alone(const std::function<Result<void>()>& step) { return step(); }
  /// What was kept, as text; nothing where there is none.
  [[nodiscard]] virtual Result<std::optional<std::string>> predictions() = 0;
};

}  // namespace ppgnn::campaign
