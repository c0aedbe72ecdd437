#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/split.hpp"
#include "ppgnn/server/problem.hpp"
#include "ppgnn/teach/beliefs.hpp"
#include "ppgnn/train/trainer.hpp"

namespace ppgnn::teach {

/// Labels that are spread over the graph, as people name them.
struct LabelChoice {
  std::string_view name;
  bool all = false;  ///< validation labels too
};
inline constexpr std::array kLabelChoices{LabelChoice{"train", false}, LabelChoice{"all", true}};

struct StructureOptions {
  std::size_t hops = 6;
  std::size_t folds = 10;                     ///< at least 2
  bool all_labels = false;                    ///< validation labels count as known too; else the training labels alone
  train::TrainOptions training = defaults();  ///< of the first opinion; its seed and threads also of the others

  [[nodiscard]] static train::TrainOptions defaults() noexcept;
};

/// What graph and labels say of everybody, without any feature. Three opinions, pooled by weights under which the
/// validation people's labels are likeliest:
///   - known labels spread over the graph, into a small network that sees one person at a time;
///   - GraphSAGE, and GCN after two hops of averaging, whose input is who one's friends are.
/// A person's own label is never among the sources of what is computed for that person: of the first opinion, known
/// people are dealt into folds, and each gets what the labels of the other folds say; the networks over the graph have
/// no say about the training people.
///
/// Determinism  Depends on problem, split, options and the training seed only.
/// Cost         2 (folds + 1) hops products of the graph with as many columns as classes, a training without a graph and two
///              on it: linear in people and edges.
/// Errors       invalid_argument for a split without training or validation part, fewer than two folds or no hops.
/// Source       docs/research/structure.md
[[nodiscard]] Result<Beliefs> structure_beliefs(const server::Problem& problem, const graph::Split& split,
                                                const StructureOptions& options, const train::Hooks& hooks = {});

}  // namespace ppgnn::teach
