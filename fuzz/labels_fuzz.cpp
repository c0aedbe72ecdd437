// Any text as labels, of data with classes and of data without: refused, or a data set that is still one.
#include <cstdlib>

#include "people.hpp"
#include "ppgnn/graph/node_lines.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using ppgnn::graph::Dataset;
  const ppgnn::io::NamedBytes file{"f.csv", {reinterpret_cast<const char*>(data), size}};
  Dataset without = ppgnn::fuzz::people();
  without.class_names = {};
  for (const Dataset& people : {ppgnn::fuzz::people(), without}) {
    const auto labelled = with_labels(people, file);
    if (labelled && (labelled->num_nodes() != people.num_nodes() || !check(*labelled))) std::abort();
  }
  return 0;
}
