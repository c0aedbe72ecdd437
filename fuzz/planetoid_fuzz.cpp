// Any six files: refused, or a data set whose parts belong together.
#include <cstdlib>

#include "parts.hpp"
#include "ppgnn/graph/planetoid.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto part = ppgnn::fuzz::parts<6>(data, size);
  const auto dataset = ppgnn::graph::parse_planetoid({{"allx", part[0]},
                                                      {"ally", part[1]},
                                                      {"tx", part[2]},
                                                      {"ty", part[3]},
                                                      {"graph", part[4]},
                                                      {"test.index", part[5]}},
                                                     "f");
  if (dataset && !check(*dataset)) std::abort();
  return 0;
}
