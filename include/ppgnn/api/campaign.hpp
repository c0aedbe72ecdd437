#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ppgnn/api/data.hpp"
#include "ppgnn/api/devices.hpp"
#include "ppgnn/ldp/planner.hpp"

namespace ppgnn::campaign {
class Place;
}

namespace ppgnn::api {

/// A campaign that teaches and asks, kept in a folder of files or in a collector's store.
///
/// Errors  Those of files and stores; mismatch for a step that does not fit the campaign's state.
/// Source  docs/formats/campaign.md, docs/operations.md
class Campaign {
 public:
  /// `reports`: files that people's reports are in, whatever round they are of.
  [[nodiscard]] static Campaign in_folder(const std::string& folder, const std::vector<std::string>& reports = {});
  /// "sqlite:PATH"; made if it is missing.
  [[nodiscard]] static Result<Campaign> in_store(const std::string& where);

  struct Round {
    std::string role;  ///< teach, pilot, answer; everybody in a campaign of one round
    bool open = true;  ///< whether reports are taken
    std::uint64_t people = 0;
    std::optional<std::uint64_t> reports;  ///< nothing where nobody counts them
  };
  [[nodiscard]] Result<std::vector<Round>> rounds() const;

  /// What a campaign of one round collected: its plan and everybody's report, each admitted, in the order of people.
  struct Collected {
    std::string plan;  ///< its text
    std::vector<PersonReport> reports;
  };
  /// Errors  mismatch for a campaign of several rounds, a round that is open, and people who are not in the data.
  [[nodiscard]] Result<Collected> collected(const Data& data) const;

  /// Publishes the first round: labelled people teach. Only columns, budgets, secrecy and level budget of the
  /// request are used.
  [[nodiscard]] Result<void> start(const Data& data, const std::string& name, ldp::PlanRequest request,
                                   std::uint64_t seed = 0);

  struct Asked {
    bool helps = true;  ///< else the pilots' answers do not help, and nobody else is asked
    std::size_t reports = 0;
    std::size_t asked = 0;
    std::size_t not_asked = 0;  ///< people whose class no answer could change
  };
  /// Learns from the reports so far and publishes the next round of questions; `pilots`: of pilots first.
  [[nodiscard]] Result<Asked> ask(const Data& data, bool pilots = false, std::uint64_t seed = 0);

  struct Concluded {
    std::size_t answers = 0;
    bool used = false;                  ///< whether validation found that answers help
    std::optional<double> accuracy;     ///< of the test part, where there is one
    std::optional<double> graph_alone;  ///< of the same people without any report
  };
  /// Weighs graph, labels and answers, and keeps everybody's class.
  [[nodiscard]] Result<Concluded> conclude(const Data& data, std::uint64_t seed = 0);
  /// What was kept.
  ///
  /// Errors  mismatch where nothing was.
  [[nodiscard]] Result<std::vector<Prediction>> predictions() const;

 private:
  explicit Campaign(std::shared_ptr<campaign::Place> place) : place_(std::move(place)) {}
  std::shared_ptr<campaign::Place> place_;
};

}  // namespace ppgnn::api
