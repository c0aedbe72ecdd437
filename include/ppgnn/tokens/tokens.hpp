#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/io/named_bytes.hpp"

/// Who may report, and who may steer. docs/formats/tokens.md.
namespace ppgnn::tokens {

/// The server's keys, from which people's tokens follow: the first makes tokens; a second, the one before it, is still good while
/// people change over. Nobody's token is stored anywhere.
///
/// Privacy  A token says who somebody is and nothing else. It is compared in constant time.
class Keys {
 public:
  /// One new key, the operating system's.
  [[nodiscard]] static Keys make();
  /// Lines of 64 hexadecimal digits, one or two.
  [[nodiscard]] static Result<Keys> parse(const io::NamedBytes& file);
  /// A private file: refused where others may read it.
  [[nodiscard]] static Result<Keys> read(const std::filesystem::path& path);

  /// A new first key, with the first of these as the second.
  [[nodiscard]] Keys renewed() const;
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::size_t size() const noexcept { return keys_.size(); }

  [[nodiscard]] std::string token(std::string_view campaign, std::string_view person) const;
  /// Whose token it is; nothing where it is none of this campaign by these keys.
  [[nodiscard]] std::optional<std::string> person(std::string_view campaign, std::string_view token) const;

 private:
  struct Key;
  [[nodiscard]] static std::shared_ptr<const Key> key_of(const std::array<std::uint8_t, 32>& secret);

  std::vector<std::shared_ptr<const Key>> keys_;
};

/// A secret that one party shows and another knows, such as the administrator's token: 16 to 1000 printable characters.
class Secret {
 public:
  /// A private file, as keys are.
  [[nodiscard]] static Result<Secret> read(const std::filesystem::path& path);
  explicit Secret(std::string_view text);

  /// Takes as long for any text of the same length.
  [[nodiscard]] bool is(std::string_view shown) const;

 private:
  std::array<std::uint8_t, 32> digest_{};
};

/// Refuses a file that everybody on this machine may read or write, or a group write: a secret in it is none. A group may read, which is how
/// services are handed secrets.
///
/// Errors  invalid_argument, with what to do; nothing for a file that is not there, which whoever reads it says.
[[nodiscard]] Result<void> check_private(const std::filesystem::path& path);

/// A new file that only its owner may read, complete or not there. Refused: there is one.
[[nodiscard]] Result<void> write_private(const std::filesystem::path& path, std::string_view text);

}  // namespace ppgnn::tokens
