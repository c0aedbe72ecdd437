#include "ppgnn/graph/file_digest.hpp"

#include <algorithm>
#include <bit>
#include <string_view>

#include "ppgnn/io/files.hpp"

namespace ppgnn::graph {

void Sha1::block(const std::uint8_t* bytes) noexcept {
  std::array<std::uint32_t, 80> w;
  for (std::size_t t = 0; t < 16; ++t) {
    const std::uint8_t* word = bytes + 4 * t;
    w[t] = std::uint32_t{word[0]} << 24 | std::uint32_t{word[1]} << 16 | std::uint32_t{word[2]} << 8 | word[3];
  }
  for (std::size_t t = 16; t < 80; ++t) w[t] = std::rotl(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
  auto [a, b, c, d, e] = state_;
  for (std::size_t t = 0; t < 80; ++t) {
    std::uint32_t mixed = b ^ c ^ d;
    std::uint32_t round = t < 40 ? 0x6ed9eba1 : 0xca62c1d6;
    if (t < 20) {
      mixed = (b & c) | (~b & d);
      round = 0x5a827999;
    } else if (t >= 40 && t < 60) {
      mixed = (b & c) | (b & d) | (c & d);
      round = 0x8f1bbcdc;
    }
    const std::uint32_t next = std::rotl(a, 5) + mixed + e + round + w[t];
    e = d, d = c, c = std::rotl(b, 30), b = a, a = next;
  }
  const std::array<std::uint32_t, 5> step{a, b, c, d, e};
  for (std::size_t i = 0; i < step.size(); ++i) state_[i] += step[i];
}

void Sha1::update(std::span<const std::uint8_t> bytes) noexcept {
  total_bytes_ += bytes.size();
  for (const std::uint8_t byte : bytes) {
    pending_[pending_size_++] = byte;
    if (pending_size_ < pending_.size()) continue;
    block(pending_.data());
    pending_size_ = 0;
  }
}

std::array<std::uint8_t, 20> Sha1::finish() noexcept {
  const std::uint64_t total_bits = total_bytes_ * 8;
  const std::uint8_t end = 0x80;
  const std::uint8_t zero = 0;
  update({&end, 1});
  while (pending_size_ != 56) update({&zero, 1});
  for (int shift = 56; shift >= 0; shift -= 8) {
    const auto byte = static_cast<std::uint8_t>(total_bits >> shift);
    update({&byte, 1});
  }
  std::array<std::uint8_t, 20> digest;
  for (std::size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<std::uint8_t>(state_[i / 4] >> (24 - 8 * (i & 3)));
  }
  return digest;
}

Result<std::string> file_digest(const std::filesystem::path& path, DigestKind kind) {
  const auto file = io::WholeFile::read(path);
  if (!file) return file.error();
  const std::span<const std::uint8_t> bytes = (*file)->bytes();
  if (kind == DigestKind::sha256) {
    Sha256 hash;
    hash.update(bytes);
    return to_hex(hash.finish());
  }
  const std::string head = "blob " + std::to_string(bytes.size());
  Sha1 hash;
  // The zero byte that ends the head counts too.
  hash.update({reinterpret_cast<const std::uint8_t*>(head.c_str()), head.size() + 1});
  hash.update(bytes);
  return to_hex(hash.finish());
}

}  // namespace ppgnn::graph
