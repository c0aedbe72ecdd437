#pragma once

#include <string>
#include <vector>

#include "ppgnn/core/result.hpp"

namespace ppgnn::app {

/// An option and the file it names; empty: not given.
struct NamedFile {
  std::string option;
  std::string path;
};

/// What help says of a text file that may be `-`.
inline constexpr const char* kOrStandardInput = "; - reads standard input";

/// Whether two paths lead to one file: through links, by another spelling, or as two names of the same file.
[[nodiscard]] bool same_file(const std::string& one, const std::string& other);

/// "A and B name the same file, PATH".
[[nodiscard]] Error same_file_error(const std::string& one, const NamedFile& other);

/// Refuses an output that is also an input or another output: it would destroy it. Refuses standard input (`-`) for
/// two inputs, and `-` for an output.
[[nodiscard]] Result<void> check_apart(std::vector<NamedFile> inputs, const std::vector<NamedFile>& outputs);

}  // namespace ppgnn::app
