// Any text as the records of a study: every line is a record, damaged, blank or of other numerics, and no byte of a
// whole line is forgotten.
#include <cstdlib>

#include "ppgnn/study/records.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const ppgnn::study::RecordLines lines = ppgnn::study::parse_records(text);
  if (lines.whole != text.rfind('\n') + 1) std::abort();
  for (const auto& place : lines.damaged) {
    if (place.start + place.size >= lines.whole || text[place.start + place.size] != '\n') std::abort();
  }
  for (const ppgnn::study::Record& record : lines.records) {
    if (record.key.empty()) std::abort();
    static_cast<void>(ppgnn::study::text_of(record.setting));
    static_cast<void>(ppgnn::study::value_of(record.setting, "data"));
  }
  return 0;
}
