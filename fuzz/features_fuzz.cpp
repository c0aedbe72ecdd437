// Any text as one person's features: refused, or columns of the schema, ascending, with a value each.
#include <cstdlib>

#include "ppgnn/ldp/row.hpp"
#include "ppgnn/plan_files/plan_files.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ppgnn;
  static const ldp::Schema kSchema =
      ldp::Schema::make({{"word", 10, ldp::ColumnKind::binary, 0, 1, 0}, {"age", 1, ldp::ColumnKind::number, 0, 9, 0}})
          .value();
  const auto features = plan_files::parse_features({"f.csv", {reinterpret_cast<const char*>(data), size}}, kSchema);
  if (features && !ldp::Row::sparse(features->columns, features->values).fits(kSchema.dim())) std::abort();
  return 0;
}
