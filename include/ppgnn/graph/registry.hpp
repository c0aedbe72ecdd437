#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/graph/file_digest.hpp"

namespace ppgnn::graph {

/// Where a published file comes from; `repository` empty: nowhere, the file is not published.
inline constexpr std::string_view kPublisher = "https://raw.githubusercontent.com";

/// One published file of a data set.
struct PublishedFile {
  std::string_view path;        ///< below the data folder
  std::string_view repository;  ///< owner/name
  std::string_view upstream;    ///< path within the repository, branch master
  DigestKind kind = DigestKind::sha256;
  std::string_view digest;       ///< of the published bytes, hexadecimal
  std::string_view copy_digest;  ///< SHA-256 of a known copy that differs from the published bytes, or empty
  std::string_view copy_note;    ///< how that copy differs

  /// The file's address, under `publisher` instead of kPublisher when a mirror is used.
  [[nodiscard]] std::string address(std::string_view publisher = kPublisher) const;
};

enum class Layout { planetoid, musae };

/// A data set that is known by name.
struct PublishedDataset {
  std::string_view name;
  std::string_view title;
  Layout layout = Layout::planetoid;
  ColumnKind columns = ColumnKind::binary;  ///< what the publisher says of the features
  std::vector<PublishedFile> files;         ///< musae: edges, target, features, then what the reader does not need
  std::string_view note;                    ///< what a user must know, or empty
};

/// The data sets of the paper, and what comes with them, in the order of Table 1.
[[nodiscard]] std::span<const PublishedDataset> published_datasets();

/// The data set of that name, or nullptr.
[[nodiscard]] const PublishedDataset* find_published(std::string_view name);

enum class FileState {
  published,   ///< the published bytes
  known_copy,  ///< the copy that PublishedFile::copy_note describes
  missing,
  different,  ///< there, but neither of the two
};

struct FileCheck {
  const PublishedFile* file = nullptr;
  FileState state = FileState::missing;
};

/// Compares every file of a data set with what is published.
///
/// Errors  io for a file that is there but cannot be read.
[[nodiscard]] Result<std::vector<FileCheck>> verify(const PublishedDataset& dataset,
                                                    const std::filesystem::path& data_folder);

enum class MissingFeatures {
  refuse,  ///< an error that says which file to get
  accept,  ///< a data set without feature columns, and a note that says so
};

/// Reads a data set from the layout that its publishers use, without comparing digests.
///
/// Errors  io, naming the file that is missing and how to get it; those of the reader.
[[nodiscard]] Result<Dataset> read_published(const PublishedDataset& dataset, const std::filesystem::path& data_folder,
                                             MissingFeatures missing = MissingFeatures::refuse);

}  // namespace ppgnn::graph
