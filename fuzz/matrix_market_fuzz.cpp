// Any bytes as a Matrix Market file: refused, or a data set whose parts belong together.
#include <cstdlib>

#include "ppgnn/graph/matrix_market.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto dataset = ppgnn::graph::parse_matrix_market({"f.mtx", {reinterpret_cast<const char*>(data), size}}, "f");
  if (dataset && !check(*dataset)) std::abort();
  return 0;
}
