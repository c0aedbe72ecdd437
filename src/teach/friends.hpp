#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/split.hpp"
#include "ppgnn/server/problem.hpp"
#include "ppgnn/teach/beliefs.hpp"
#include "ppgnn/train/trainer.hpp"

namespace ppgnn::teach {

/// A network over the graph whose input is who one's friends are.
struct FriendsNetwork {
  std::string_view backbone;
  std::size_t hops;  ///< over which the input is averaged before
};

/// What such a network makes of everybody: a column of its input is a person, and a row has an entry for each neighbour, all
/// the same, of length one. It learns what it means to have this friend, which labels alone do not say where a friend's
/// class is not that of its friends. Of people it learned from, it has seen the label.
///
/// Determinism  Depends on its arguments but the number of threads.
/// Cost         A training whose first product has as many entries as the graph.
[[nodiscard]] Result<Beliefs> friends_beliefs(const server::Problem& problem, const graph::Split& split,
                                              const FriendsNetwork& network, std::uint64_t seed, std::size_t threads,
                                              const train::Hooks& hooks);

}  // namespace ppgnn::teach
