#include "ppgnn/graph/labels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "ppgnn/core/number.hpp"
#include "ppgnn/graph/dataset.hpp"

namespace ppgnn::graph {

bool is_unknown_class(std::string_view text) noexcept {
  return text.empty() || text.front() == '-';
}

bool is_missing_word(std::string_view text) noexcept {
  constexpr std::array<std::string_view, 7> kWords{"nan", "na", "n/a", "null", "none", "?", "unknown"};
  const auto same = [](char small, char letter) {
    return small == letter || (letter >= 'A' && letter <= 'Z' && small == letter - 'A' + 'a');
  };
  return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) {
    return std::equal(word.begin(), word.end(), text.begin(), text.end(), same);
  });
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

Result<NamedLabels> compact_classes(std::span<const double> numbers) {
  constexpr double kExactBelow = 0x1p53;
  std::vector<std::uint64_t> classes;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double number = numbers[i];
    if (number < 0) continue;
    if (!(number < kExactBelow) || number != std::floor(number)) {
      return Error{ErrorCode::malformed, "entry " + std::to_string(i) + " is no class number"};
    }
    classes.push_back(static_cast<std::uint64_t>(number));
  }
  std::sort(classes.begin(), classes.end());
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  NamedLabels result;
  result.labels.reserve(numbers.size());
  for (const double number : numbers) {
    const auto found = std::lower_bound(classes.begin(), classes.end(), number, [](std::uint64_t known, double wanted) {
      return static_cast<double>(known) < wanted;
    });
    result.labels.push_back(number < 0 ? kUnknown : static_cast<std::int32_t>(found - classes.begin()));
  }
  std::vector<std::string> names;
  names.reserve(classes.size());
  for (const std::uint64_t number : classes) names.push_back(std::to_string(number));
  result.class_names = StringList(names);
  return result;
}

}  // namespace ppgnn::graph
