#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ppgnn/core/sha256.hpp"
#include "ppgnn/store/store.hpp"

namespace ppgnn::collector {

/// What a report is held against, of people as the store had them since the campaign last made a step. Nobody's row changes
/// between steps but by erasure, and of that the store itself knows when a report comes. They are read in pieces, beside all else;
/// whoever is not read yet, or was enrolled since, is looked up.
///
/// Cost     About 100 bytes per person, up to kMost of them; beyond that the store is asked.
/// Threads  Any.
class KnownPeople {
 public:
  static constexpr std::size_t kMost = 2'000'000;

  struct Person {
    std::optional<std::uint32_t> level;
    std::optional<std::uint32_t> round;
    Digest question{};  ///< of its bytes
    bool enrolled = false;
    bool erased = false;
  };

  /// Reads a few thousand more, from one thread; false: all are read.
  [[nodiscard]] Result<bool> read_more(store::Store& store);
  /// One a name, from memory or from the store.
  [[nodiscard]] Result<std::vector<Person>> find(store::Store& store, const std::vector<std::string_view>& names);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>()(text); }
  };
  void add(std::string_view name, const Person& person);

  std::optional<std::string> last_;  // that was read
  bool begun_ = false;
  bool complete_ = false;
  std::shared_mutex mutex_;
  std::unordered_map<std::string, Person, Hash, std::equal_to<>> people_;
};

}  // namespace ppgnn::collector
