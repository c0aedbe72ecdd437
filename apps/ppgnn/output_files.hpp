#pragma once

#include <string>
#include <vector>

#include "ppgnn/core/result.hpp"

namespace ppgnn::app {

/// An option and the file it names; empty: not given.
struct NamedFile {
  const char* option;
  std::string path;
};

/// Refuses an output that is also an input or another output: it would destroy it.
[[nodiscard]] Result<void> check_apart(std::vector<NamedFile> inputs, const std::vector<NamedFile>& outputs);

}  // namespace ppgnn::app
