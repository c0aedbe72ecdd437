#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/server/training.hpp"

namespace ppgnn::server {

/// What a checkpoint of calibrate_and_train holds, as docs/formats/sealed.md says: what it belongs to, and the
/// trainer's own checkpoint for every scale that was begun, in order.
struct ScaleCheckpoint {
  std::string graph;       ///< hexadecimal SHA-256
  std::string features;    ///< hexadecimal SHA-256 of what the server knows of them
  std::string settings;    ///< hops and scales, for people too
  std::size_t scales = 0;  ///< most trainers that there may be; not in the file
  std::vector<std::string> trainers;
};

/// The checkpoint of a run that has not begun.
///
/// Cost  Reads graph and estimates once.
[[nodiscard]] ScaleCheckpoint begin_checkpoint(const Problem& problem, const calibrate::Collected& collected,
                                               const PipelineOptions& options);

/// The file appears complete or not at all.
[[nodiscard]] Result<void> write_checkpoint(const ScaleCheckpoint& checkpoint, const std::filesystem::path& path);

/// Errors  malformed for other or damaged bytes.
[[nodiscard]] Result<ScaleCheckpoint> decode_checkpoint(std::string_view bytes);

/// Takes over the trainers of the file at `path`; they check for themselves what they belong to.
///
/// Errors  malformed for other or damaged bytes; mismatch, saying what differs, for a checkpoint of something else.
[[nodiscard]] Result<void> continue_checkpoint(ScaleCheckpoint& checkpoint, const std::filesystem::path& path);

}  // namespace ppgnn::server
