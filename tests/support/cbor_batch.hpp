#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/collector/batch.hpp"

namespace ppgnn::test {

/// Appends a CBOR string of a major type with the shortest head, up to 2^16 - 1 bytes.
inline void append_cbor(std::string& out, unsigned kind, std::string_view bytes) {
  const auto head = [&](unsigned more) { out += static_cast<char>(kind << 5 | more); };
  if (bytes.size() < 24) {
    head(static_cast<unsigned>(bytes.size()));
  } else if (bytes.size() < 256) {
    head(24);
    out += static_cast<char>(bytes.size());
  } else {
    head(25);
    out += static_cast<char>(bytes.size() >> 8);
    out += static_cast<char>(bytes.size() & 255);
  }
  out += bytes;
}

/// What a gateway sends: docs/formats/batch.md.
inline std::string cbor_batch(const std::vector<collector::BatchItem>& items) {
  std::string out;
  for (const collector::BatchItem& item : items) {
    out += '\x82';
    append_cbor(out, 3, item.token);
    append_cbor(out, 2, {reinterpret_cast<const char*>(item.report.data()), item.report.size()});
  }
  return out;
}

}  // namespace ppgnn::test
