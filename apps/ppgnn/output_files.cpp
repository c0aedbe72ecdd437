#include "output_files.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <system_error>

#include "ppgnn/io/files.hpp"

namespace ppgnn::app {

namespace fs = std::filesystem;

bool same_file(const std::string& one, const std::string& other) {
  std::error_code ignored;
  if (fs::equivalent(one, other, ignored)) return true;
  return fs::weakly_canonical(one, ignored) == fs::weakly_canonical(other, ignored);
}

Error same_file_error(const std::string& one, const NamedFile& other) {
  return {ErrorCode::invalid_argument, fmt::format("{} and {} name the same file, {}", one, other.option, other.path)};
}

Result<void> check_apart(std::vector<NamedFile> inputs, const std::vector<NamedFile>& outputs) {
  std::erase_if(inputs, [](const NamedFile& file) { return file.path.empty(); });
  std::string from_standard_input;
  for (const NamedFile& input : inputs) {
    if (!io::is_standard_input(input.path)) continue;
    if (!from_standard_input.empty()) {
      return Error{ErrorCode::invalid_argument,
                   fmt::format("{} and {} cannot both be read from standard input", from_standard_input, input.option)};
    }
    from_standard_input = input.option;
  }
  std::erase_if(inputs, [](const NamedFile& file) { return io::is_standard_input(file.path); });
  for (const NamedFile& output : outputs) {
    if (output.path.empty()) continue;
    if (io::is_standard_input(output.path)) {
      return Error{ErrorCode::invalid_argument, output.option + ": must be a file; one that is called - is ./-"};
    }
    for (const NamedFile& other : inputs) {
      if (same_file(other.path, output.path)) return same_file_error(other.option, output);
    }
    inputs.push_back(output);
  }
  return {};
}

}  // namespace ppgnn::app
