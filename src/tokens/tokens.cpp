#include "ppgnn/tokens/tokens.hpp"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "ppgnn/core/sha256.hpp"
#include "ppgnn/io/base64url.hpp"
#include "ppgnn/io/files.hpp"
#include "ppgnn/random/secure_source.hpp"

namespace ppgnn::tokens {

namespace {

constexpr std::size_t kMostToken = 2000;  // names have at most 1000 bytes

Result<std::string> read_private(const std::filesystem::path& path) {
  if (Result<void> allowed = check_private(path); !allowed) return allowed.error();
  return io::read_file(path);
}

}  // namespace

// HMAC-SHA-256 with its two first blocks done: a batch checks a thousand tokens. By these functions, old as they are, because a state
// is copied like any value; the newer ones allocate and look up the algorithm at every call, and take three times as long.
struct Keys::Key {
  std::array<std::uint8_t, 32> bytes;
  SHA256_CTX inner;
  SHA256_CTX outer;

  // The campaign has no zero byte in its name, so the parts cannot be shifted.
  [[nodiscard]] Digest code(std::string_view campaign, std::string_view person) const {
    constexpr std::string_view kZero("\0", 1);
    Digest digest{};
    SHA256_CTX first = inner;
    for (const std::string_view part : {std::string_view("ppgnn-token-1"), kZero, campaign, kZero, person}) {
      SHA256_Update(&first, part.data(), part.size());
    }
    SHA256_Final(digest.data(), &first);
    SHA256_CTX second = outer;
    SHA256_Update(&second, digest.data(), digest.size());
    SHA256_Final(digest.data(), &second);
    return digest;
  }
};

std::shared_ptr<const Keys::Key> Keys::key_of(const std::array<std::uint8_t, 32>& secret) {
  Key key{secret, {}, {}};
  std::array<std::uint8_t, 64> pad{};
  for (const auto& [hash, mask] : {std::pair{&key.inner, 0x36}, {&key.outer, 0x5c}}) {
    for (std::size_t i = 0; i < pad.size(); ++i) {
      pad[i] = static_cast<std::uint8_t>((i < secret.size() ? secret[i] : 0) ^ mask);
    }
    SHA256_Init(hash);
    SHA256_Update(hash, pad.data(), pad.size());
  }
  return std::make_shared<const Key>(key);
}

Keys Keys::make() {
  random::SecureSource source;
  std::array<std::uint8_t, 32> secret{};
  for (std::size_t i = 0; i < secret.size(); i += 8) {
    const std::uint64_t word = source.next();
    std::memcpy(secret.data() + i, &word, 8);
  }
  Keys keys;
  keys.keys_.push_back(key_of(secret));
  return keys;
}

Result<Keys> Keys::parse(const io::NamedBytes& file) {
  Keys keys;
  std::string_view rest = file.bytes;
  for (std::size_t line = 1; !rest.empty(); ++line) {
    const std::size_t end = rest.find('\n');
    const auto digits = from_hex(rest.substr(0, end));
    std::array<std::uint8_t, 32> secret{};
    if (end == std::string_view::npos || !digits || digits->size() != secret.size() || line > 2) {
      return io::at_line(file.name, line, "expected one or two lines of 64 hexadecimal digits");
    }
    std::copy(digits->begin(), digits->end(), secret.begin());
    keys.keys_.push_back(key_of(secret));
    rest.remove_prefix(end + 1);
  }
  if (keys.keys_.empty()) return io::at_line(file.name, 1, "expected one or two lines of 64 hexadecimal digits");
  return keys;
}

Result<Keys> Keys::read(const std::filesystem::path& path) {
  const Result<std::string> text = read_private(path);
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
  for (const auto& key : keys_) text += to_hex(key->bytes) + "\n";
  return text;
}

std::string Keys::token(std::string_view campaign, std::string_view person) const {
  const Digest code = keys_.front()->code(campaign, person);
  return io::to_base64url(person) + '.' +
         io::to_base64url(std::string_view(reinterpret_cast<const char*>(code.data()), code.size()));
}

std::optional<std::string> Keys::person(std::string_view campaign, std::string_view token) const {
  const std::size_t dot = token.find('.');
  if (token.size() > kMostToken || dot == std::string_view::npos) return std::nullopt;
  std::optional<std::string> name = io::from_base64url(token.substr(0, dot));
  const std::optional<std::string> code = io::from_base64url(token.substr(dot + 1));
  if (!name || !code || code->size() != 32) return std::nullopt;
  bool good = false;
  for (const auto& key : keys_) {
    const Digest expected = key->code(campaign, *name);
    good = CRYPTO_memcmp(expected.data(), code->data(), expected.size()) == 0 || good;
  }
  if (!good) return std::nullopt;
  return name;
}

Secret::Secret(std::string_view text) : digest_(sha256(text)) {}

Result<Secret> Secret::read(const std::filesystem::path& path) {
  const Result<std::string> text = read_private(path);
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

Result<void> check_private(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || (status.st_mode & (S_IRWXO | S_IWGRP)) == 0) return {};
  return Error{ErrorCode::invalid_argument, path.string() +
                                                ": others on this machine may read or change it: chmod 600 " +
                                                path.string() + ", and make a new one if somebody else could have"};
}

Result<void> write_private(const std::filesystem::path& path, std::string_view text) {
  // Complete under another name first, and never readable by others; then the name, unless somebody has it.
  std::filesystem::path folder = path.parent_path();
  if (folder.empty()) folder = ".";
  std::string temporary = (folder / ".ppgnn-private-XXXXXX").string();
  const int file = ::mkostemp(temporary.data(), O_CLOEXEC);  // 0600
  if (file < 0) return io::system_error("cannot be made", path);
  const bool written =
      ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && ::fsync(file) == 0;
  const bool named = written && ::link(temporary.c_str(), path.c_str()) == 0;
  const Error problem = named ? Error{} : io::system_error("cannot be written", path);
  ::close(file);
  ::unlink(temporary.c_str());
  if (!named) return problem;
  const int there = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (there >= 0) {
    ::fsync(there);
    ::close(there);
  }
  return {};
}

}  // namespace ppgnn::tokens
