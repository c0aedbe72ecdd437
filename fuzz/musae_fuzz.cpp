// Any edges, target and features: refused, or a data set whose parts belong together.
#include <cstdlib>

#include "parts.hpp"
#include "ppgnn/graph/musae.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using ppgnn::io::NamedBytes;
  const auto part = ppgnn::fuzz::parts<3>(data, size);
  const auto dataset =
      ppgnn::graph::parse_musae({{"edges", part[0]}, {"target", part[1]}, NamedBytes{"features", part[2]}}, "f");
  if (dataset && !check(*dataset)) std::abort();
  return 0;
}
