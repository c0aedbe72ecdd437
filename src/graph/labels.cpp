#include "ppgnn/graph/labels.hpp"

#include <algorithm>
#include <set>

#include "ppgnn/core/number.hpp"
#include "ppgnn/graph/dataset.hpp"

namespace ppgnn::graph {

bool is_unknown_class(std::string_view text) noexcept {
  return text.empty() || text.front() == '-';
}

NamedLabels number_classes(const std::vector<std::string>& texts) {
  const std::set<std::string> distinct(texts.begin(), texts.end());
  std::vector<std::string> names(distinct.begin(), distinct.end());
  std::erase_if(names, is_unknown_class);
  const bool numbers = std::all_of(names.begin(), names.end(), [](const auto& name) { return parse_unsigned(name); });
  // Equal numbers in different spellings ("1", "01") are different classes; the name decides between them.
  std::stable_sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    return numbers ? *parse_unsigned(a) < *parse_unsigned(b) : a < b;
  });
  std::vector<std::pair<std::string_view, std::int32_t>> index;
  for (std::size_t i = 0; i < names.size(); ++i) index.emplace_back(names[i], static_cast<std::int32_t>(i));
  std::sort(index.begin(), index.end());
  NamedLabels result;
  result.labels.reserve(texts.size());
  for (const std::string& text : texts) {
    const auto found = std::lower_bound(index.begin(), index.end(), std::pair(std::string_view(text), std::int32_t{0}));
    result.labels.push_back(is_unknown_class(text) ? kUnknown : found->second);
  }
  result.class_names = StringList(names);
  return result;
}

}  // namespace ppgnn::graph
