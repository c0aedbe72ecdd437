// Any text as pairs: refused, or a graph that is whole.
#include <cstdlib>

#include "ppgnn/graph/pairs.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto dataset = ppgnn::graph::parse_pairs({"f", {reinterpret_cast<const char*>(data), size}}, "f");
  if (dataset && !ppgnn::graph::check(*dataset)) std::abort();
  return 0;
}
