#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/dataset.hpp"

namespace ppgnn::graph {

/// Knobs of `synthetic:social`. In a name they follow as "synthetic:social,nodes=5000,classes=4".
struct SocialOptions {
  std::uint64_t seed = 1;
  std::size_t nodes = 2000;      ///< 1 .. 2^32 - 1
  std::size_t classes = 4;       ///< 1 .. 1000
  std::size_t communities = 4;   ///< communities of each class, 1 .. 1000
  double degree = 7;             ///< neighbours a node has on average, before repeats are merged; 0 .. 1000
  double exponent = 2.5;         ///< of the power law of degrees, 2.1 .. 10; a larger one has fewer hubs
  double local = 0.3;            ///< share of edges that stay within a community, 0 .. 1
  double homophily = 0.7;        ///< share of edges that stay within a community's class, local .. 1
  double noise = 0.05;           ///< share of people whose own class is not their community's, 0 .. 1
  std::size_t attributes = 256;  ///< binary columns, 0 (none) or at least the number of classes, at most 2^20
  std::size_t interests = 16;    ///< attributes drawn for each person, repeats merged; 0 .. 1000
  double signal = 0.3;           ///< share of the draws that come from the columns of the person's own class, 0 .. 1
  double labelled = 1;           ///< share of people whose class is known, 0 .. 1
};

/// A social network for people without data, for scale tests and for the embedded default.
///
/// Model        Each person joins a community; a community belongs to a class; a person's class is the community's, or
///              with probability `noise` another one. Expected degrees follow a power law. Each edge looks for its
///              other end in proportion to degree: in the own community, in the communities of its class, or elsewhere
///              (a degree-corrected block model). Attribute j belongs to class j mod classes; low numbers are more
///              popular. Attributes follow the person's own class and edges the community's, so attributes tell more
///              about the class than the structure does.
/// Determinism  Bits depend on the options only, not on threads. Attribute knobs and `labelled` do not change the graph.
/// Cost         O(nodes * (degree + interests)), in parallel.
/// Errors       invalid_argument, naming the knob.
/// Source       Karrer and Newman, Stochastic blockmodels and community structure in networks, 2011.
[[nodiscard]] Result<Dataset> generate_social(const SocialOptions& options);

/// Names of the options that a name may set, with commas between them.
[[nodiscard]] std::string social_knobs();

/// The options in a name such as "synthetic:social,nodes=5000,seed=3".
///
/// Errors  invalid_argument, naming the knob that is unknown or has no valid value.
[[nodiscard]] Result<SocialOptions> parse_social(std::string_view name);

/// How names of generated data sets start.
inline constexpr std::string_view kSocialName = "synthetic:social";

}  // namespace ppgnn::graph
