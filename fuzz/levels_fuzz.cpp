// Any text as people's levels: refused, or one level for everybody.
#include <cstdlib>

#include "people.hpp"
#include "ppgnn/population/levels.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kLevels = 3;
  const auto levels = ppgnn::population::parse_levels({"f.csv", {reinterpret_cast<const char*>(data), size}},
                                                      ppgnn::fuzz::people(), kLevels);
  if (!levels) return 0;
  if (levels->size() != ppgnn::fuzz::people().num_nodes()) std::abort();
  for (const ppgnn::ldp::Level level : *levels) {
    if (static_cast<std::size_t>(level) < 1 || static_cast<std::size_t>(level) > kLevels) std::abort();
  }
  return 0;
}
