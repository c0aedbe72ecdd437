#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/io/files.hpp"

namespace ppgnn::graph {

/// First bytes of a NumPy array file.
inline constexpr std::string_view kNpyMagic = "\x93NUMPY";

enum class NpyOrder { row_major, column_major };

/// An array file, checked; borrows the bytes.
struct NpyArray {
  std::string type;  ///< kind and size: "f4", "i8", "b1", ...
  NpyOrder order = NpyOrder::row_major;
  std::vector<std::uint64_t> shape;
  std::string_view data;  ///< exactly as many bytes as type and shape need

  /// All elements in the order of the file. Integers beyond 2^53 are rounded.
  [[nodiscard]] std::vector<double> elements() const;
};

/// Reads a NumPy array file of version 1, 2 or 3 with little-endian booleans, integers or floats. Texts and Python
/// objects are refused by name: nothing is unpickled.
///
/// Errors  malformed, naming file and byte offset.
[[nodiscard]] Result<NpyArray> parse_npy(const io::NamedBytes& file);

}  // namespace ppgnn::graph
