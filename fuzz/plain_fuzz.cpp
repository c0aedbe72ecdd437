// Any edge list with or without labels and features: refused, or a data set whose parts belong together.
#include <cstdlib>

#include "parts.hpp"
#include "ppgnn/graph/plain.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using ppgnn::io::NamedBytes;
  const auto part = ppgnn::fuzz::parts<3>(data, size);
  ppgnn::graph::PlainFiles files{{"edges", part[0]}, {}, {}};
  if (!part[1].empty()) files.labels = NamedBytes{"labels", part[1]};
  if (!part[2].empty()) files.features = NamedBytes{"features", part[2]};
  const auto dataset = ppgnn::graph::parse_plain(files, "f");
  if (dataset && !check(*dataset)) std::abort();
  return 0;
}
