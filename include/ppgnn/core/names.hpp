#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

/// Tables whose rows have a `name`: the one spelling of a choice, for options, messages, files and documents alike.
/// People may write it in any case, or by an alias.
namespace ppgnn {

/// The row of this name; nullptr for none.
template <class Rows>
[[nodiscard]] constexpr auto* find_named(const Rows& rows, std::string_view name) noexcept {
  const auto found = std::find_if(std::begin(rows), std::end(rows), [&](const auto& row) { return row.name == name; });
  return found == std::end(rows) ? nullptr : &*found;
}

template <class Rows>
[[nodiscard]] std::vector<std::string> names_of(const Rows& rows) {
  std::vector<std::string> names;
  names.reserve(std::size(rows));
  for (const auto& row : rows) names.emplace_back(row.name);
  return names;
}

/// "gcn, sage or gat"; with another word before the last, or a comma: "gcn, sage, gat".
template <class Rows>
[[nodiscard]] std::string listed(const Rows& rows, std::string_view before_last = " or ") {
  const std::vector<std::string> names = names_of(rows);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 < names.size() ? std::string_view(", ") : before_last;
    text += names[i];
  }
  return text;
}

/// The one of `names` that `text` means: the name itself, in any case and with any marks between its words, or by a usual
/// alias ("GraphSAGE": sage); empty for none.
[[nodiscard]] std::string meant(const std::vector<std::string>& names, std::string_view text);

/// "; did you mean cora?": the name that the fewest edits of `text` make; empty when none is near.
[[nodiscard]] std::string did_you_mean(const std::vector<std::string>& names, std::string_view text);

}  // namespace ppgnn
