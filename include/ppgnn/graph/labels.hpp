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

/// Numbers the classes of a column of text: by value when all are whole numbers, else by name. Empty text is unknown.
[[nodiscard]] NamedLabels number_classes(const std::vector<std::string>& texts);

}  // namespace ppgnn::graph
