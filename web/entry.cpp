// What the module exports besides include/ppgnn/client/ppgnn_client.h: memory for arguments, and a ledger that lies in the
// module's memory. A browser's storage answers later (IndexedDB), so ppgnn.js puts the ledger's bytes here before a call and makes
// what the call stored durable before it hands a report out.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "ppgnn/client/ppgnn_client.h"

// What ppgnn.js reads and writes, byte by byte.
static_assert(sizeof(ppgnn_limits) == 32 && offsetof(ppgnn_limits, reports) == 16 &&
              offsetof(ppgnn_limits, level_disclosed) == 24);
static_assert(sizeof(ppgnn_plan_facts) == 40 && offsetof(ppgnn_plan_facts, largest_spend) == 24);
static_assert(sizeof(ppgnn_level_facts) == 48 && offsetof(ppgnn_level_facts, bytes) == 40);
static_assert(sizeof(ppgnn_sums) == 40 && offsetof(ppgnn_sums, reports) == 8 && offsetof(ppgnn_sums, counted) == 16);
static_assert(sizeof(ppgnn_entry) == 136 && offsetof(ppgnn_entry, counted) == 8 && offsetof(ppgnn_entry, plan) == 32 &&
              offsetof(ppgnn_entry, campaign) == 64);
static_assert(sizeof(ppgnn_decision) == 24 && offsetof(ppgnn_decision, first) == 8 &&
              offsetof(ppgnn_decision, graph) == 16);
static_assert(sizeof(ppgnn_features) == 20 && offsetof(ppgnn_features, count) == 16);

namespace {

struct Kept {
  std::vector<std::uint8_t> bytes;
  std::uint64_t counter = 0;
  std::int32_t stores = 0;  // how often something was stored
};
Kept& kept = *new Kept;  // never destroyed: a module has no end

void keep(const std::uint8_t* bytes, std::size_t size) {
  kept.bytes = std::vector<std::uint8_t>(size);
  std::copy_n(bytes, size, kept.bytes.data());
}

std::int64_t load(void*, std::uint8_t* bytes, std::size_t capacity) noexcept {
  std::copy_n(kept.bytes.begin(), std::min(capacity, kept.bytes.size()), bytes);
  return static_cast<std::int64_t>(kept.bytes.size());
}

std::int32_t store(void*, const std::uint8_t* bytes, std::size_t size) noexcept {
  keep(bytes, size);
  ++kept.stores;
  return 0;
}

std::int32_t counter(void*, std::uint64_t* value) noexcept {
  *value = kept.counter;
  return 0;
}

std::int32_t raise(void*, std::uint64_t value) noexcept {
  kept.counter = value;
  return 0;
}

}  // namespace

extern "C" {

void* ppgnn_web_allocate(std::size_t size) {
  return std::malloc(size);
}
void ppgnn_web_free(void* memory) {
  std::free(memory);
}

/* The ledger's bytes as the browser keeps them, and its counter if it has one (`has_counter` 1). */
int ppgnn_web_use_ledger(ppgnn_client* client, const std::uint8_t* bytes, std::size_t size, std::uint64_t value,
                         std::int32_t has_counter) {
  keep(bytes, size);
  kept.counter = value;
  kept.stores = 0;
  ppgnn_storage storage{};
  storage.load = load;
  storage.store = store;
  if (has_counter == 1) {
    storage.counter = counter;
    storage.raise = raise;
  }
  return ppgnn_use_ledger(client, &storage);
}
/* What the ledger is now; without a place for its size: forgets it. */
const std::uint8_t* ppgnn_web_ledger(std::size_t* size, std::uint64_t* value, std::int32_t* stores) {
  if (size == nullptr) {
    std::vector<std::uint8_t>().swap(kept.bytes);  // what is freed is zeroed
    return nullptr;
  }
  *size = kept.bytes.size();
  *value = kept.counter;
  *stores = kept.stores;
  return kept.bytes.data();
}
}
