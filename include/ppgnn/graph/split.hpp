#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/io/named_bytes.hpp"

namespace ppgnn::graph {

/// Which labelled nodes a model learns from, is chosen by and is judged by. Each list ascends; no node is in two.
struct Split {
  std::vector<NodeId> train;
  std::vector<NodeId> validation;
  std::vector<NodeId> test;
  friend bool operator==(const Split&, const Split&) = default;
};

/// Shares of the labelled nodes; the test part is what is left.
struct SplitShares {
  double train = 0.5;        ///< 0 .. 1
  double validation = 0.25;  ///< 0 .. 1 - train
};

/// A random split of the labelled nodes. Parts are rounded down, so the test part gets what rounding leaves.
///
/// Determinism  Depends on the seed, the run and which nodes are labelled only.
/// Errors       invalid_argument when a share is not a number from 0 to 1 or the two exceed 1.
[[nodiscard]] Result<Split> make_split(const Dataset& dataset, std::uint64_t seed, std::uint64_t run,
                                       const SplitShares& shares = {});

/// Reads an explicit split: CSV with the header `node,part`, part one of train, validation, test.
///
/// Errors  malformed, naming file and line, for an unknown node or part, a node without a label, or a node twice.
[[nodiscard]] Result<Split> parse_split(const io::NamedBytes& file, const Dataset& dataset);

/// parse_split of the file at `path`.
[[nodiscard]] Result<Split> read_split(const std::filesystem::path& path, const Dataset& dataset);

/// What parse_split reads.
[[nodiscard]] std::string split_text(const Dataset& dataset, const Split& split);
/// Writes what read_split reads. The file appears complete or not at all.
[[nodiscard]] Result<void> write_split(const std::filesystem::path& path, const Dataset& dataset, const Split& split);

}  // namespace ppgnn::graph
