#pragma once

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/split.hpp"
#include "ppgnn/server/problem.hpp"
#include "ppgnn/teach/beliefs.hpp"
#include "ppgnn/teach/structure.hpp"
#include "ppgnn/train/trainer.hpp"

namespace ppgnn::teach {

/// The first opinion of the structure model: known labels spread over the graph by two operators (mean of neighbours;
/// D^-1/2 A D^-1/2), hop by hop, with degrees and with what each neighbour's other neighbours say, into a small network that
/// sees one person at a time. A person's own label is never among the sources of what is computed for that person: known
/// people are dealt into folds, and each gets what the labels of the other folds say.
[[nodiscard]] Result<Beliefs> diffused_labels(const server::Problem& problem, const graph::Split& split,
                                              const StructureOptions& options, const train::Hooks& hooks);

}  // namespace ppgnn::teach
