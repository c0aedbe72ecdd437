// Any bytes as a ledger, as they are and with the digest that they should have: refused, or one whose sums can be read, to
// which a report can be added, and which keeps it.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "ppgnn/client/ledger.hpp"

namespace {

using Bytes = std::vector<std::uint8_t>;

void must(bool good) {
  if (!good) std::abort();
}

ppgnn::client::Storage storage_of(Bytes& bytes) {
  return {.host = &bytes,
          .load = [](void* host, std::uint8_t* to, std::size_t capacity) -> std::int64_t {
            const Bytes& own = *static_cast<Bytes*>(host);
            if (own.size() <= capacity) std::copy(own.begin(), own.end(), to);
            return static_cast<std::int64_t>(own.size());
          },
          .store = [](void* host, const std::uint8_t* from, std::size_t size) -> std::int32_t {
            static_cast<Bytes*>(host)->assign(from, from + size);
            return 0;
          },
          .lock = nullptr,
          .unlock = nullptr,
          .counter = nullptr,
          .raise = nullptr,
          .reason = nullptr,
          .release = nullptr};
}

void play(Bytes bytes) {
  using namespace ppgnn::client;
  auto ledger = Ledger::open(storage_of(bytes), 8);
  if (!ledger) return;
  const auto before = ledger->spending();
  must(before.ok());
  must(!(before->counted < 0) && !std::isnan(before->level));
  for (std::uint32_t i = 0; i < before->entries; ++i) must(ledger->entry(i).value().has_value());
  must(!ledger->entry(before->entries).value().has_value());

  const std::uint8_t report[] = {1, 2, 3};
  const LedgerEntry entry{.campaign = "fuzz", .counted = 1, .report = report, .recipient = "fuzz.example"};
  Bytes out(1 << 16);
  const Limits limits{.report = 1, .lifetime = 1e300, .reports = 1 << 20};
  const auto begun = ledger->begin(entry, limits, out);
  if (!begun || *begun > 0) return;  // it has one, of this plan or another
  must(ledger->keep(entry).ok());
  must(ledger->spending()->reports == before->reports + 1);
  must(ledger->begin(entry, limits, out).value() == 3 && out[2] == 3);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  play({data, data + size});
  ppgnn::Sha256 hash;
  hash.update({data, size});
  Bytes sealed(data, data + size);
  for (const std::uint8_t byte : hash.finish()) sealed.push_back(byte);
  play(sealed);
  return 0;
}
