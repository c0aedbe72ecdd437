#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/core/result.hpp"

/// Files that say what they are and whether they are whole: magic, version, length, content, SHA-256 of all before it.
/// Numbers are little-endian; the hosts this runs on are too.
namespace ppgnn::io {

[[nodiscard]] std::string seal(std::string_view magic, std::uint32_t version, std::string_view content);

/// The content.
///
/// Errors  malformed, saying whether the magic, the version, the length or the checksum is wrong.
[[nodiscard]] Result<std::string_view> unseal(std::string_view magic, std::uint32_t version, std::string_view bytes);

/// What a seal of one of several versions holds.
struct Unsealed {
  std::uint32_t version = 0;
  std::string_view content;
};
/// The same for versions from `oldest` to `newest`.
[[nodiscard]] Result<Unsealed> unseal(std::string_view magic, std::uint32_t oldest, std::uint32_t newest,
                                      std::string_view bytes);

/// The file appears complete or not at all.
[[nodiscard]] Result<void> write_sealed(const std::filesystem::path& path, std::string_view bytes);

/// Appends numbers, arrays and texts.
class Writer {
 public:
  template <class Number>
  void number(Number value) {
    static_assert(std::is_arithmetic_v<Number>);
    append(&value, sizeof value);
  }
  template <class Number>
  void array(std::span<Number> values) {
    number(std::uint64_t{values.size()});
    append(values.data(), values.size_bytes());
  }
  void text(std::string_view text) {
    number(std::uint64_t{text.size()});
    append(text.data(), text.size());
  }
  [[nodiscard]] const std::string& bytes() const noexcept { return bytes_; }

 private:
  void append(const void* data, std::size_t size) {
    if (size > 0) bytes_.append(static_cast<const char*>(data), size);
  }
  std::string bytes_;
};

/// Reads back what Writer wrote. Past the end everything is zero or empty and failed() is true.
class Reader {
 public:
  explicit Reader(std::string_view bytes) noexcept : bytes_(bytes) {}

  template <class Number>
  Number number() noexcept {
    Number value{};
    take(&value, sizeof value);
    return value;
  }
  /// An array that must have exactly `size` numbers.
  template <class Number>
  std::vector<Number> array(std::size_t size) {
    const auto stored = number<std::uint64_t>();
    if (stored != size || bytes_.size() / sizeof(Number) < size) failed_ = true;
    if (failed_) return {};
    std::vector<Number> values(size);
    take(values.data(), size * sizeof(Number));
    return values;
  }
  std::string text() {
    const auto size = number<std::uint64_t>();
    if (size > bytes_.size()) failed_ = true;
    if (failed_) return {};
    std::string text(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
    return text;
  }
  [[nodiscard]] bool failed() const noexcept { return failed_; }
  [[nodiscard]] bool at_end() const noexcept { return bytes_.empty(); }

 private:
  void take(void* to, std::size_t size) noexcept {
    if (size > bytes_.size()) failed_ = true;
    if (failed_ || size == 0) return;
    std::memcpy(to, bytes_.data(), size);
    bytes_.remove_prefix(size);
  }
  std::string_view bytes_;
  bool failed_ = false;
};

}  // namespace ppgnn::io
