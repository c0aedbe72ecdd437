#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "ppgnn/core/result.hpp"

/// The records that several machines made, in one folder.
namespace ppgnn::study {

/// What one of the merged folders had.
struct MergedFolder {
  std::filesystem::path folder;
  std::size_t added = 0;    ///< records that were new
  std::size_t known = 0;    ///< records that were there already, with the same figures
  std::size_t damaged = 0;  ///< lines that are no records
  std::size_t other = 0;    ///< records of other numerics, which this version does not use
};

/// Adds the records and requests of the folders to those of `output`, which is made if need be. Their lines are copied as
/// they are. Merging again adds nothing.
///
/// Crash safety  All records come with one write after everything was read and compared; a merge that was killed is made
///               again by the same call.
/// Errors        io; mismatch, naming both folders, where they ran different studies of one id or have different figures of
///               one run, and where `output` is one of them or is in use. Nothing is written then.
[[nodiscard]] Result<std::vector<MergedFolder>> merge(std::span<const std::filesystem::path> folders,
                                                      const std::filesystem::path& output);

}  // namespace ppgnn::study
