// Any bytes as one person's features: refused with a sentence, or columns of the schema, ascending, with a finite value each.
#include <cmath>
#include <cstdlib>

#include "ppgnn/client/features.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ppgnn;
  static const ldp::Schema kSchema = ldp::Schema::make({{"word", 10, ldp::ColumnKind::binary, 0, 1, 0},
                                                        {"age", 1, ldp::ColumnKind::number, 0, 9, 0},
                                                        {"value", 1, ldp::ColumnKind::number, 0, 9, 0}})
                                         .value();
  const auto features = client::read_features({reinterpret_cast<const char*>(data), size}, kSchema);
  if (!features) {
    if (features.error().message.empty() || features.error().code != ErrorCode::malformed) std::abort();
    return 0;
  }
  if (!features->row().fits(kSchema.dim()) || features->columns.size() > (size + 1) / 2) std::abort();
  for (const float value : features->values) {
    if (!std::isfinite(value)) std::abort();
  }
  return 0;
}
