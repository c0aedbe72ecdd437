#include "ppgnn/graph/string_list.hpp"

namespace ppgnn::graph {

StringList::StringList(std::span<const std::string> texts) {
  if (texts.empty()) return;
  std::vector<std::uint64_t> offsets{0};
  offsets.reserve(texts.size() + 1);
  std::vector<char> bytes;
  for (const std::string& text : texts) {
    bytes.insert(bytes.end(), text.begin(), text.end());
    offsets.push_back(bytes.size());
  }
  offsets_ = std::move(offsets);
  bytes_ = std::move(bytes);
}

std::vector<std::string> StringList::list() const {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < size(); ++i) texts.emplace_back((*this)[i]);
  return texts;
}

Result<StringList> StringList::make(SharedArray<std::uint64_t> offsets, SharedArray<char> bytes) {
  const bool ends_fit =
      offsets.empty() ? bytes.empty() : offsets[0] == 0 && offsets[offsets.size() - 1] == bytes.size();
  if (!ends_fit) return Error{ErrorCode::malformed, "text offsets do not span the text bytes"};
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] < offsets[i - 1]) return Error{ErrorCode::malformed, "text offset " + std::to_string(i) + " falls"};
  }
  StringList list;
  list.offsets_ = std::move(offsets);
  list.bytes_ = std::move(bytes);
  return list;
}

}  // namespace ppgnn::graph
