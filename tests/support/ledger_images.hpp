#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/client/ledger.hpp"
#include "support/forged.hpp"
#include "support/memory_storage.hpp"

namespace ppgnn::test {

/// Somebody who reported to `spring` and was not asked in `autumn`, with numbers that stand nowhere else.
inline constexpr double kCounted = 2.125;
inline constexpr double kOwn = 1.0625;
inline constexpr double kAboutLevel = .53125;

inline std::vector<std::uint8_t> good_image() {
  MemoryStorage storage;
  client::Ledger ledger = client::Ledger::open(storage.callbacks(), 100).value();
  const std::uint8_t report[] = {0xa4, 0x5b, 0xc6, 0x3d};
  const client::LedgerEntry entry{.campaign = "spring",
                                  .plan = sha256("one plan"),
                                  .counted = kCounted,
                                  .features = kOwn,
                                  .level = kAboutLevel,
                                  .report = report};
  std::vector<std::uint8_t> out(8);
  const client::Limits limits{
      .report = 1e3, .level_disclosed = true, .lifetime = 1e9, .reports = std::numeric_limits<std::uint64_t>::max()};
  if (!ledger.begin(entry, limits, out) || !ledger.keep(entry) ||
      !ledger.note_not_asked("autumn", sha256("another plan"))) {
    std::abort();
  }
  return storage.bytes;
}

struct NamedImage {
  std::string name;
  std::vector<std::uint8_t> bytes;
};

/// Ledgers that no device writes, each under the digest that it should have: what is wrong is found by what they hold.
inline std::vector<NamedImage> refused_images() {
  const std::vector<std::uint8_t> good = good_image();
  const std::string text(good.begin(), good.end());
  const auto find = [&](std::string_view what) {
    const std::size_t at = text.find(what);
    if (at == std::string::npos) std::abort();
    return at;
  };
  const auto bytes_of = [](double number) {
    std::string bytes;
    for (int shift = 56; shift >= 0; shift -= 8) {
      bytes += static_cast<char>(std::bit_cast<std::uint64_t>(number) >> shift & 0xff);
    }
    return bytes;
  };
  std::vector<NamedImage> images;
  const auto put = [&](const std::string& name, std::size_t at, std::string_view what) {
    std::vector<std::uint8_t> bytes = good;
    std::copy(what.begin(), what.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
    images.push_back({name, sealed(bytes)});
  };
  const double infinity = std::numeric_limits<double>::infinity();
  const double none = std::numeric_limits<double>::quiet_NaN();
  for (const double wrong : {-kCounted, -0.0, none, -none, infinity, -infinity}) {
    put("counted " + std::to_string(wrong), find(bytes_of(kCounted)), bytes_of(wrong));
    put("own " + std::to_string(wrong), find(bytes_of(kOwn)), bytes_of(wrong));
    if (wrong == infinity) continue;  // a level that was sent
    put("level " + std::to_string(wrong), find(bytes_of(kAboutLevel)), bytes_of(wrong));
  }
  const std::size_t spring = find("spring");
  const std::size_t autumn = find("autumn");
  for (const char wrong : {' ', '/', '\n', '\0', '\xff'}) put("a name", spring + 2, std::string(1, wrong));
  for (const char wrong : {'\0', '\3', '\xff'}) put("no state", spring - 2, std::string(1, wrong));
  put("not asked, with a report", spring - 2, "\1");
  put("a report of nothing", autumn - 2, "\2");
  const std::size_t count = find("\n") + 12;  // the last byte of four, after a counter of eight
  put("more entries than there are", count, "\3");
  put("fewer entries than there are", count, "\1");
  std::vector<std::uint8_t> longer = good;
  longer.insert(longer.end() - sizeof(Digest), 0);
  images.push_back({"a byte after the last entry", sealed(longer)});
  std::vector<std::uint8_t> named = good;
  named[spring - 1] = 65;
  named.insert(named.begin() + static_cast<std::ptrdiff_t>(spring), 59, 'a');
  images.push_back({"a name of 65 bytes", sealed(named)});
  named[spring - 1] = 255;
  named.insert(named.begin() + static_cast<std::ptrdiff_t>(spring), 190, 'a');
  images.push_back({"a name of 255 bytes", sealed(named)});
  return images;
}

}  // namespace ppgnn::test
