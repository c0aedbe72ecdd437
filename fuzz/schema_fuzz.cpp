// Any text as a schema: refused, or groups of columns that a schema can be made of, unless they are too many together.
#include <cstdlib>

#include "ppgnn/core/text.hpp"
#include "ppgnn/plan_files/plan_files.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using ppgnn::ldp::ColumnGroup;
  const auto groups = ppgnn::plan_files::parse_schema({"f.csv", {reinterpret_cast<const char*>(data), size}});
  if (!groups) return 0;
  std::uint64_t columns = 0;
  for (const ColumnGroup& group : *groups) {
    if (ppgnn::has_hidden_characters(group.name)) std::abort();
    columns += group.count;
  }
  const auto schema = ppgnn::ldp::Schema::make(*groups);
  if (schema.ok() != (columns <= ppgnn::ldp::kMaxColumns)) std::abort();
  return 0;
}
