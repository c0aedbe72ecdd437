// Any text as the declaration of a study: refused, or cells up to the stated number, each of which can be run.
#include <cstdlib>

#include "ppgnn/study/declaration.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace study = ppgnn::study;
  for (const bool quick : {false, true}) {
    const auto declaration = study::parse_declaration({reinterpret_cast<const char*>(data), size}, "f.toml", quick);
    if (!declaration) return 0;
    const auto cells = study::expand(*declaration);
    if (!cells) continue;
    if (cells->size() > study::kMaxCombinations) std::abort();
    for (const study::Cell& cell : *cells) {
      if (!study::experiment_of(cell.canonical)) std::abort();
    }
  }
  return 0;
}
