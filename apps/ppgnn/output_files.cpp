#include "output_files.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <system_error>

namespace ppgnn::app {

Result<void> check_apart(std::vector<NamedFile> inputs, const std::vector<NamedFile>& outputs) {
  const auto place = [](const std::string& path) {
    std::error_code ignored;
    return std::filesystem::weakly_canonical(path, ignored);
  };
  for (const NamedFile& output : outputs) {
    if (output.path.empty()) continue;
    for (const NamedFile& other : inputs) {
      if (!other.path.empty() && place(other.path) == place(output.path)) {
        return Error{ErrorCode::invalid_argument,
                     fmt::format("{} and {} name the same file, {}", other.option, output.option, output.path)};
      }
    }
    inputs.push_back(output);
  }
  return {};
}

}  // namespace ppgnn::app
