#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/string_list.hpp"

namespace ppgnn::graph {

/// Labels by node, and what their classes are called: exactly those that occur.
struct NamedLabels {
  std::vector<std::int32_t> labels;
  StringList class_names;
};

/// Whether a class is written as not known: nothing, or anything that starts with '-' as -1 does.
[[nodiscard]] bool is_unknown_class(std::string_view text) noexcept;

/// Whether a class is written as programs write that a value is missing: NaN, NA, null, None, ? or unknown, in any case.
[[nodiscard]] bool is_missing_word(std::string_view text) noexcept;

/// Numbers the known classes of a column of text: by value when all are whole numbers, else by name.
[[nodiscard]] NamedLabels number_classes(const std::vector<std::string>& texts);

/// The same for an array of class numbers, however large they are: a class keeps its number as its name, a negative
/// one is kUnknown.
///
/// Errors  malformed, naming the first entry that is no whole number, or is 2^53 or more, where doubles skip some.
[[nodiscard]] Result<NamedLabels> compact_classes(std::span<const double> numbers);

}  // namespace ppgnn::graph
