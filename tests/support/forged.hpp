#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/core/sha256.hpp"

/// Plans and ledgers that somebody changed and sealed again, so that only their content can give them away.
namespace ppgnn::test {

/// The text of a plan with its first `from` replaced, under a hash that fits.
inline std::string forged(std::string text, std::string_view from, std::string_view to) {
  text.resize(text.rfind("sha256 "));
  const std::size_t at = text.find(from);
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text + "sha256 " + to_hex(sha256(text)) + "\n";
}

/// A ledger's bytes under the digest that they should have.
inline std::vector<std::uint8_t> sealed(std::vector<std::uint8_t> ledger) {
  ledger.resize(ledger.size() - sizeof(Digest));
  Sha256 hash;
  hash.update(ledger);
  const Digest digest = hash.finish();
  ledger.insert(ledger.end(), digest.begin(), digest.end());
  return ledger;
}

}  // namespace ppgnn::test
