#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// The few CBOR items a report uses, in the one form RFC 8949 section 4.2 allows for each: shortest
/// heads, definite lengths.
namespace ppgnn::wire {

enum class Major : std::uint8_t { unsigned_integer = 0, negative_integer = 1, bytes = 2, map = 5 };

/// Appends to a vector of somebody else's.
class CborWriter {
 public:
  explicit CborWriter(std::vector<std::uint8_t>& out) noexcept : out_(out) {}

  void unsigned_integer(std::uint64_t value) { head(Major::unsigned_integer, value); }
  void integer(std::int64_t value) {
    if (value >= 0) return unsigned_integer(static_cast<std::uint64_t>(value));
    head(Major::negative_integer, static_cast<std::uint64_t>(-(value + 1)));
  }
  void bytes(std::span<const std::uint8_t> content) {
    head(Major::bytes, content.size());
    for (const std::uint8_t byte : content) out_.push_back(std::uint8_t{byte});
  }
  /// Makes a byte string of what was appended from `start` on, by the head that it lacks.
  void make_bytes(std::size_t start) {
    const std::size_t end = out_.size();
    head(Major::bytes, end - start);
    std::array<std::uint8_t, 9> head{};  // no head is longer
    const std::size_t size = out_.size() - end;
    std::copy_n(out_.data() + end, size, head.data());
    std::copy_backward(out_.data() + start, out_.data() + end, out_.data() + end + size);
    std::copy_n(head.data(), size, out_.data() + start);
  }
  void map(std::uint64_t pairs) { head(Major::map, pairs); }

 private:
  void head(Major major, std::uint64_t value) {
    const auto top = static_cast<std::uint8_t>(static_cast<unsigned>(major) << 5);
    if (value < 24) return out_.push_back(static_cast<std::uint8_t>(top | value));
    const unsigned log_size = value < 0x100 ? 0 : value < 0x10000 ? 1 : value < 0x100000000 ? 2 : 3;
    out_.push_back(static_cast<std::uint8_t>(top | (24 + log_size)));
    for (int byte = (1 << log_size) - 1; byte >= 0; --byte)
      out_.push_back(static_cast<std::uint8_t>(value >> (8 * byte)));
  }

  std::vector<std::uint8_t>& out_;
};

/// Reads items one by one; nothing where the next item is of another kind, not in its shortest form, or cut off.
class CborReader {
 public:
  explicit CborReader(std::span<const std::uint8_t> bytes) noexcept : rest_(bytes) {}

  [[nodiscard]] bool at_end() const noexcept { return rest_.empty(); }

  std::optional<std::uint64_t> unsigned_integer() noexcept { return head(Major::unsigned_integer); }
  std::optional<std::uint64_t> map() noexcept { return head(Major::map); }
  std::optional<std::int64_t> integer() noexcept {
    const bool negative = !rest_.empty() && rest_[0] >> 5 == static_cast<unsigned>(Major::negative_integer);
    const auto value = head(negative ? Major::negative_integer : Major::unsigned_integer);
    if (!value || *value > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
    return negative ? -1 - static_cast<std::int64_t>(*value) : static_cast<std::int64_t>(*value);
  }
  std::optional<std::span<const std::uint8_t>> bytes() noexcept {
    const auto size = head(Major::bytes);
    if (!size || *size > rest_.size()) return std::nullopt;
    const auto content = rest_.first(static_cast<std::size_t>(*size));
    rest_ = rest_.subspan(content.size());
    return content;
  }

 private:
  std::optional<std::uint64_t> head(Major major) noexcept {
    if (rest_.empty() || rest_[0] >> 5 != static_cast<unsigned>(major)) return std::nullopt;
    const unsigned info = rest_[0] & 31;
    if (info < 24) {
      rest_ = rest_.subspan(1);
      return info;
    }
    const std::size_t size = std::size_t{1} << (info - 24);
    if (info > 27 || rest_.size() < 1 + size) return std::nullopt;
    std::uint64_t value = 0;
    for (std::size_t i = 1; i <= size; ++i) value = value << 8 | rest_[i];
    constexpr std::uint64_t kSmallest[] = {24, 0x100, 0x10000, 0x100000000};
    if (value < kSmallest[info - 24]) return std::nullopt;
    rest_ = rest_.subspan(1 + size);
    return value;
  }

  std::span<const std::uint8_t> rest_;
};

}  // namespace ppgnn::wire
