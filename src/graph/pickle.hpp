#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/io/files.hpp"

namespace ppgnn::graph {

/// What a pickle of the Planetoid files can hold.
enum class PickleKind : std::uint8_t {
  none,
  boolean,
  integer,
  text,  ///< bytes of a Python 2 string
  tuple,
  list,
  dict,        ///< items are key, value, key, value, ...; a defaultdict too
  global,      ///< a name from the list of accepted ones
  array,       ///< items: element type; then shape in `shape`, bytes in `text`
  csr_matrix,  ///< items: the dict of its fields, once built
  type,        ///< numpy dtype; text is "i4", "i8", "f4" or "f8"
};

/// One value; `items` are indices into Pickle::values. Values may refer to each other in circles, so follow them to a
/// fixed depth only.
struct PickleValue {
  PickleKind kind = PickleKind::none;
  bool built = false;        ///< BUILD has given an array, type or matrix its state
  std::int64_t integer = 0;  ///< of integer and boolean; of a global, its place in the list of accepted ones
  std::string_view text;
  std::vector<std::uint32_t> items;
  std::vector<std::uint64_t> shape;
};

/// A loaded pickle. Borrows the bytes.
struct Pickle {
  std::vector<PickleValue> values;
  std::uint32_t root = 0;

  [[nodiscard]] const PickleValue& operator[](std::uint32_t index) const noexcept { return values[index]; }
  /// The value under a text key of a dict, or nullptr.
  [[nodiscard]] const PickleValue* find(const PickleValue& dict, std::string_view key) const noexcept;
};

/// Loads a Python 2 pickle, protocol 2, of the few kinds that Planetoid files hold. It interprets a closed list of
/// opcodes and of names, and calls nothing: a name is a tag, not a function.
///
/// Errors  malformed, naming file and byte offset; any other opcode, name or call is refused by name.
/// Cost    O(bytes) time and memory: one value an opcode at most; array bytes are not copied.
[[nodiscard]] Result<Pickle> load_pickle(const io::NamedBytes& file);

}  // namespace ppgnn::graph
