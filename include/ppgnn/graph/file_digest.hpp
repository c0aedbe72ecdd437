#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "ppgnn/core/result.hpp"
#include "ppgnn/core/sha256.hpp"

namespace ppgnn::graph {

/// SHA-1 of data that arrives in pieces: only to compare with git's names for files, never for security.
///
/// Source  FIPS 180-4.
class Sha1 {
 public:
  void update(std::span<const std::uint8_t> bytes) noexcept;
  /// Ends the message; call once.
  std::array<std::uint8_t, 20> finish() noexcept;

 private:
  void block(const std::uint8_t* bytes) noexcept;

  std::array<std::uint32_t, 5> state_{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  std::array<std::uint8_t, 64> pending_{};
  std::size_t pending_size_ = 0;
  std::uint64_t total_bytes_ = 0;
};

/// What a published file is known by.
enum class DigestKind {
  sha256,    ///< SHA-256 of the bytes
  git_blob,  ///< git's name for the file: SHA-1 of "blob <size>\0" and the bytes
};

/// The digest of the file at `path`, in lower-case hexadecimal.
[[nodiscard]] Result<std::string> file_digest(const std::filesystem::path& path, DigestKind kind);

}  // namespace ppgnn::graph
