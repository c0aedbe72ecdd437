// Any ties and members: refused, or a data set whose parts belong together.
#include <cstdlib>

#include "parts.hpp"
#include "ppgnn/graph/ties.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto part = ppgnn::fuzz::parts<2>(data, size);
  const auto dataset = ppgnn::graph::parse_ties({{"ties", part[0]}, {"members", part[1]}}, "f");
  if (dataset && !ppgnn::graph::check(*dataset)) std::abort();
  return 0;
}
