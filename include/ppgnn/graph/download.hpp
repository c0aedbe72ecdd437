#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/registry.hpp"

namespace ppgnn::graph {

/// How far one file is. `total` is 0 while the server has not said.
struct DownloadProgress {
  std::string_view path;
  std::uint64_t received = 0;
  std::uint64_t total = 0;
};

struct DownloadOptions {
  std::string publisher{kPublisher};                      ///< or a mirror with the same paths; http or https
  std::function<void(const DownloadProgress&)> progress;  ///< called often, from the calling thread; may be empty
  std::uint64_t max_bytes = std::uint64_t{1} << 30;       ///< a longer file is refused
};

/// Fetches one file to data_folder / file.path. The file appears there only after its digest was found right; whatever
/// goes wrong, a file that was there before stays as it was.
///
/// Errors  invalid_argument for a file that is not published; io when the server cannot be reached, refuses, or stops
///         early; mismatch for other bytes than published. The message says which file goes where by hand.
/// Threads One call at a time in a process for the first call (libcurl's global set-up), any number after it.
[[nodiscard]] Result<void> download(const PublishedFile& file, const std::filesystem::path& data_folder,
                                    const DownloadOptions& options = {});

}  // namespace ppgnn::graph
