#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/graph/string_list.hpp"

namespace ppgnn::graph {

struct NamedLabels {
  std::vector<std::int32_t> labels;
  StringList class_names;
};

/// Whether a class is written as not known: nothing, or anything that starts with '-' as -1 does.
[[nodiscard]] bool is_unknown_class(std::string_view text) noexcept;

/// Numbers the known classes of a column of text: by value when all are whole numbers, else by name.
[[nodiscard]] NamedLabels number_classes(const std::vector<std::string>& texts);

}  // namespace ppgnn::graph
