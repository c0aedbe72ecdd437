#include "ppgnn/collector/tokens.hpp"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "ppgnn/core/sha256.hpp"
#include "ppgnn/io/files.hpp"
#include "ppgnn/random/secure_source.hpp"

namespace ppgnn::collector {

namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::size_t kMostToken = 2000;  // names have at most 1000 bytes

// The campaign has no zero byte in its name, so the parts cannot be shifted.
std::array<std::uint8_t, 32> mac(std::span<const std::uint8_t> key, std::string_view campaign,
                                 std::string_view person) {
  std::string message = "ppgnn-token-1";
  message += '\0';
  message += campaign;
  message += '\0';
  message += person;
  std::array<std::uint8_t, 32> out{};
  unsigned size = 0;
  if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
           reinterpret_cast<const std::uint8_t*>(message.data()), message.size(), out.data(), &size) == nullptr) {
    throw std::bad_alloc();  // the only reason there is
  }
  return out;
}

}  // namespace

std::string to_base64url(std::string_view bytes) {
  std::string text;
  std::uint32_t pending = 0;
  int bits = 0;
  for (const char byte : bytes) {
    pending = pending << 8 | static_cast<std::uint8_t>(byte);
    for (bits += 8; bits >= 6; bits -= 6) text += kAlphabet[pending >> (bits - 6) & 63];
  }
  if (bits > 0) text += kAlphabet[pending << (6 - bits) & 63];
  return text;
}

std::optional<std::string> from_base64url(std::string_view text) {
  std::string bytes;
  std::uint32_t pending = 0;
  int bits = 0;
  for (const char sign : text) {
    const std::size_t value = kAlphabet.find(sign);
    if (value == std::string_view::npos) return std::nullopt;
    pending = pending << 6 | static_cast<std::uint32_t>(value);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(pending >> bits & 255);
  }
  if (bits >= 6 || (pending & ((1U << bits) - 1)) != 0) return std::nullopt;
  return bytes;
}

Keys Keys::make() {
  random::SecureSource source;
  Key key{};
  for (std::size_t i = 0; i < key.size(); i += 8) {
    const std::uint64_t word = source.next();
    std::memcpy(key.data() + i, &word, 8);
  }
  Keys keys;
  keys.keys_ = {key};
  return keys;
}

Result<Keys> Keys::parse(const io::NamedBytes& file) {
  Keys keys;
  std::string_view rest = file.bytes;
  for (std::size_t line = 1; !rest.empty(); ++line) {
    const std::size_t end = rest.find('\n');
    const auto digits = from_hex(rest.substr(0, end));
    if (end == std::string_view::npos || !digits || digits->size() != Key().size() || line > 2) {
      return io::at_line(file.name, line, "expected one or two lines of 64 hexadecimal digits");
    }
    std::copy(digits->begin(), digits->end(), keys.keys_.emplace_back().begin());
    rest.remove_prefix(end + 1);
  }
  if (keys.keys_.empty()) return io::at_line(file.name, 1, "expected one or two lines of 64 hexadecimal digits");
  return keys;
}

Result<Keys> Keys::read(const std::filesystem::path& path) {
  const Result<std::string> text = io::read_file(path);
  if (!text) return text.error();
  return parse({path.string(), *text});
}

Keys Keys::renewed() const {
  Keys keys = make();
  keys.keys_.push_back(keys_.front());
  return keys;
}

std::string Keys::text() const {
  std::string text;
  for (const Key& key : keys_) text += to_hex(key) + "\n";
  return text;
}

std::string Keys::token(std::string_view campaign, std::string_view person) const {
  const auto code = mac(keys_.front(), campaign, person);
  return to_base64url(person) + '.' +
         to_base64url(std::string_view(reinterpret_cast<const char*>(code.data()), code.size()));
}

std::optional<std::string> Keys::person(std::string_view campaign, std::string_view token) const {
  const std::size_t dot = token.find('.');
  if (token.size() > kMostToken || dot == std::string_view::npos) return std::nullopt;
  std::optional<std::string> name = from_base64url(token.substr(0, dot));
  const std::optional<std::string> code = from_base64url(token.substr(dot + 1));
  if (!name || !code || code->size() != 32) return std::nullopt;
  bool good = false;
  for (const Key& key : keys_) {
    const auto expected = mac(key, campaign, *name);
    good = CRYPTO_memcmp(expected.data(), code->data(), expected.size()) == 0 || good;
  }
  if (!good) return std::nullopt;
  return name;
}

Secret::Secret(std::string_view text) : digest_(sha256(text)) {}

Result<Secret> Secret::read(const std::filesystem::path& path) {
  const Result<std::string> text = io::read_file(path);
  if (!text) return text.error();
  std::string_view line = *text;
  if (line.ends_with('\n')) line.remove_suffix(1);
  const bool printable = std::all_of(line.begin(), line.end(), [](char sign) { return sign > ' ' && sign <= '~'; });
  if (!printable || line.size() < 16 || line.size() > 1000) {
    return io::at_line(path.string(), 1, "expected one line of 16 to 1000 printable characters");
  }
  return Secret(line);
}

bool Secret::is(std::string_view shown) const {
  const Digest digest = sha256(shown);
  return CRYPTO_memcmp(digest.data(), digest_.data(), digest.size()) == 0;
}

Result<void> write_private(const std::filesystem::path& path, std::string_view text) {
  // An atomic replacement keeps the mode, so the secret is never in a file that others may read.
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return io::system_error("cannot be made", path);
  ::close(file);
  Result<void> written = io::write_text(path, text);
  if (!written) ::unlink(path.c_str());
  return written;
}

}  // namespace ppgnn::collector
