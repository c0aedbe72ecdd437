#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/graph/split.hpp"
#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/ldp/question.hpp"
#include "ppgnn/ldp/report.hpp"
#include "ppgnn/server/people_list.hpp"
#include "ppgnn/store/store.hpp"

/// The steps of a campaign that is kept in a store: what the server computes between rounds, and what it computes it from. Each is
/// one transaction; a step that was made before changes nothing.
namespace ppgnn::collector {

/// Puts the first round there: people on the list teach.
[[nodiscard]] Result<void> start(store::Store& store, const graph::Dataset& dataset, const graph::Split& split,
                                 const server::PeopleList& list, const ldp::Plan& plan);

/// A campaign of one round, for everybody who is enrolled.
///
/// Errors  mismatch for a plan that belongs to a campaign of its own.
[[nodiscard]] Result<void> start(store::Store& store, const std::string& campaign, const ldp::Plan& plan);

/// A round of questions, the campaign's `number`th; who is asked is on the list. `erasures`: of the round before.
[[nodiscard]] Result<void> ask(store::Store& store, std::uint32_t number, const graph::Dataset& dataset,
                               const server::PeopleList& list, const ldp::Plan& plan, const ldp::Questions& questions,
                               std::uint64_t erasures);

/// A closed round with everything that a step needs of it.
struct CollectedRound {
  std::uint32_t number = 0;
  std::uint64_t erasures = 0;  ///< before it was read; what is computed from it counts only if there is none since
  ldp::Plan plan;
  std::optional<graph::Split> split;     ///< where the campaign has one
  std::vector<ldp::NodeReport> reports;  ///< by ascending node
  ldp::Questions questions;              ///< one a node; empty where the plan asks none
  std::vector<ldp::Level>
      levels;  ///< as declared, one a node (the most relaxed where nobody declared); empty where levels are private
  std::vector<std::uint8_t> erased;  ///< one a node, 1 for who is not to be asked any more
};

/// Reads it. `number`: which one; nothing: the last.
///
/// Errors  mismatch for a round that is open or not there, and for a report of somebody who is not in the data; malformed for seeded
///         reports, unless they are allowed.
[[nodiscard]] Result<CollectedRound> read_round(store::Store& store, const graph::Dataset& dataset,
                                                std::optional<std::uint32_t> number, bool allow_seeded);

/// The last round, with the questions and answers of those before it that asked by the same model: pilots'.
[[nodiscard]] Result<CollectedRound> read_answers(store::Store& store, const graph::Dataset& dataset,
                                                  bool allow_seeded);

}  // namespace ppgnn::collector
