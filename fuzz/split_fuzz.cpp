// Any text as an explicit split: refused, or parts that no two share a node.
#include <cstdlib>
#include <set>

#include "ppgnn/graph/generator.hpp"
#include "ppgnn/graph/split.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const ppgnn::graph::Dataset kPeople = [] {
    ppgnn::graph::SocialOptions options;
    options.nodes = 50;
    return *ppgnn::graph::generate_social(options);
  }();
  const auto split = ppgnn::graph::parse_split({"f.csv", {reinterpret_cast<const char*>(data), size}}, kPeople);
  if (!split) return 0;
  std::set<ppgnn::graph::NodeId> nodes(split->train.begin(), split->train.end());
  nodes.insert(split->validation.begin(), split->validation.end());
  nodes.insert(split->test.begin(), split->test.end());
  if (nodes.size() != split->train.size() + split->validation.size() + split->test.size()) std::abort();
  return 0;
}
