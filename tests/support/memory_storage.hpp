#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ppgnn/client/ledger.hpp"

namespace ppgnn::test {

/// A host's storage for a ledger, in memory, with the faults a test wants.
struct MemoryStorage {
  std::vector<std::uint8_t> bytes;
  std::uint64_t counter = 0;
  bool fail_loads = false;
  bool fail_stores = false;
  bool fail_locks = false;
  bool fail_raises = false;
  int locked = 0;
  int stores = 0;
  int released = 0;

  /// Without a counter that never goes back.
  client::Storage callbacks() {
    return {.host = this,
            .load = [](void* host, std::uint8_t* to, std::size_t capacity) -> std::int64_t {
              const MemoryStorage& self = of(host);
              if (self.fail_loads || to == nullptr) return -1;  // the header promises a place
              if (self.bytes.size() <= capacity) std::copy(self.bytes.begin(), self.bytes.end(), to);
              return static_cast<std::int64_t>(self.bytes.size());
            },
            .store = [](void* host, const std::uint8_t* from, std::size_t size) -> std::int32_t {
              MemoryStorage& self = of(host);
              if (self.fail_stores) return -1;
              self.bytes.assign(from, from + size);
              ++self.stores;
              return 0;
            },
            .lock = [](void* host) -> std::int32_t {
              if (of(host).fail_locks) return -1;
              ++of(host).locked;
              return 0;
            },
            .unlock = [](void* host) { --of(host).locked; },
            .counter = nullptr,
            .raise = nullptr,
            .reason = [](void*) { return "the test says no"; },
            .release = [](void* host) { ++of(host).released; }};
  }
  client::Storage counted() {
    client::Storage storage = callbacks();
    storage.counter = [](void* host, std::uint64_t* value) -> std::int32_t {
      *value = of(host).counter;
      return 0;
    };
    storage.raise = [](void* host, std::uint64_t value) -> std::int32_t {
      if (of(host).fail_raises) return -1;
      of(host).counter = value;
      return 0;
    };
    return storage;
  }

 private:
  static MemoryStorage& of(void* host) { return *static_cast<MemoryStorage*>(host); }
};

}  // namespace ppgnn::test
