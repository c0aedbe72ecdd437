#include "core/decimal.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>

#include "ppgnn/core/text.hpp"

namespace ppgnn::decimal {

namespace {

// Digits of a text that can matter: a number halfway between two doubles has at most 767, so any digit after them only
// says that there is more.
constexpr std::size_t kMostDigits = 770;
// Powers of ten above which every 0.DIGITS is infinity, and below which it is 0.
constexpr int kMostExponent = 320;
constexpr int kLeastExponent = -330;

// A natural number of up to 5,120 bits: the largest is 10^1100, 770 digits behind the least power, and 127 bits of shift.
class Natural {
 public:
  explicit Natural(std::uint64_t value) {
    while (value > 0) push(value);
  }

  void multiply_add(std::uint32_t factor, std::uint32_t term) {
    std::uint64_t carry = term;
    for (std::size_t i = 0; i < size_; ++i) {
      carry += std::uint64_t{limbs_[i]} * factor;
      limbs_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    while (carry > 0) push(carry);
  }
  // `base` at most 10: nine factors at a time fit a limb.
  void multiply_power(std::uint32_t base, int exponent) {
    std::uint32_t nine = 1;
    for (int i = 0; i < 9; ++i) nine *= base;
    for (; exponent >= 9; exponent -= 9) multiply_add(nine, 0);
    for (; exponent > 0; --exponent) multiply_add(base, 0);
  }
  void shift_left(int bits) {
    for (; bits >= 31; bits -= 31) multiply_add(std::uint32_t{1} << 31, 0);
    multiply_add(std::uint32_t{1} << bits, 0);
  }
  // The remainder is returned.
  std::uint32_t divide(std::uint32_t divisor) {
    std::uint64_t rest = 0;
    for (std::size_t i = size_; i-- > 0;) {
      rest = rest << 32 | limbs_[i];
      limbs_[i] = static_cast<std::uint32_t>(rest / divisor);
      rest -= std::uint64_t{limbs_[i]} * divisor;
    }
    trim();
    return static_cast<std::uint32_t>(rest);
  }
  void subtract(const Natural& smaller) {
    std::uint64_t borrow = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      const std::uint64_t taken = (i < smaller.size_ ? smaller.limbs_[i] : 0) + borrow;
      borrow = static_cast<std::uint64_t>(limbs_[i] < taken);
      limbs_[i] = static_cast<std::uint32_t>(limbs_[i] - taken);
    }
    trim();
  }

  [[nodiscard]] bool is_zero() const noexcept { return size_ == 0; }
  [[nodiscard]] int bits() const noexcept {
    return size_ == 0 ? 0 : static_cast<int>(32 * size_) - std::countl_zero(limbs_[size_ - 1]);
  }
  [[nodiscard]] bool operator<(const Natural& other) const noexcept {
    if (size_ != other.size_) return size_ < other.size_;
    for (std::size_t i = size_; i-- > 0;) {
      if (limbs_[i] != other.limbs_[i]) return limbs_[i] < other.limbs_[i];
    }
    return false;
  }

 private:
  void push(std::uint64_t& value) {
    assert(size_ < limbs_.size());
    limbs_[size_++] = static_cast<std::uint32_t>(value);
    value >>= 32;
  }
  void trim() noexcept {
    while (size_ > 0 && limbs_[size_ - 1] == 0) --size_;
  }

  std::array<std::uint32_t, 160> limbs_{};
  std::size_t size_ = 0;
};

// 0.DIGITS * 10^point, digits without zeros at either end; no digits: zero.
struct Decimal {
  std::string digits;
  int point = 0;

  void trim() {
    while (!digits.empty() && digits.back() == '0') digits.pop_back();
  }
};

Decimal exact(double magnitude) {
  const auto bits = std::bit_cast<std::uint64_t>(magnitude);
  const int field = static_cast<int>(bits >> 52);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  const int exponent = std::max(field, 1) - 1075;
  Natural number(field == 0 ? fraction : fraction | std::uint64_t{1} << 52);
  if (exponent > 0) number.shift_left(exponent);
  if (exponent < 0) number.multiply_power(5, -exponent);  // times 10^exponent
  Decimal result;
  while (!number.is_zero()) result.digits += static_cast<char>('0' + number.divide(10));
  std::reverse(result.digits.begin(), result.digits.end());
  result.point = static_cast<int>(result.digits.size()) + std::min(exponent, 0);
  result.trim();
  return result;
}

enum class Direction { nearest, down, up };

// The number with `count` digits left, which may be none or fewer; a tie goes to the even digit.
Decimal rounded(const Decimal& number, int count, Direction direction = Direction::nearest) {
  if (count >= static_cast<int>(number.digits.size())) return number;
  if (count < 0) return {};
  const auto kept = static_cast<std::size_t>(count);
  Decimal result{number.digits.substr(0, kept), number.point};
  const bool odd = kept > 0 && (result.digits.back() - '0') % 2 == 1;
  const char next = number.digits[kept];
  const bool above_half = next > '5' || (next == '5' && (kept + 1 < number.digits.size() || odd));
  if (direction == Direction::nearest ? above_half : direction == Direction::up) {
    std::size_t at = kept;
    while (at > 0 && result.digits[at - 1] == '9') --at;
    if (at == 0) {
      result = {"1", number.point + 1};
    } else {
      ++result.digits[at - 1];
      while (result.digits.size() > at) result.digits.pop_back();
    }
  }
  result.trim();
  return result;
}

// The nearest double, a tie to the even one; infinity where it is too large.
double nearest_double(const Decimal& number, bool more) {
  const int exponent = number.point - static_cast<int>(number.digits.size());
  if (number.digits.empty() || number.point < kLeastExponent) return 0;
  if (number.point > kMostExponent) return std::numeric_limits<double>::infinity();
  Natural above(0);
  for (const char digit : number.digits) above.multiply_add(10, static_cast<std::uint32_t>(digit - '0'));
  Natural below(1);
  above.multiply_power(10, exponent);
  below.multiply_power(10, -exponent);

  // 63 or 64 bits of the quotient, by long division: above * 2^shift / below.
  const int shift = 63 + below.bits() - above.bits();
  if (shift > 0) above.shift_left(shift);
  if (shift < 0) below.shift_left(-shift);
  below.shift_left(63);
  std::uint64_t quotient = 0;
  for (int bit = 0; bit < 64; ++bit) {
    quotient <<= 1;
    if (!(above < below)) {
      above.subtract(below);
      quotient |= 1;
    }
    above.shift_left(1);
  }
  const bool rest = more || !above.is_zero();

  // quotient * 2^-shift, of which a double keeps 53 bits, or what lies above 2^-1074.
  const int drop = std::max(static_cast<int>(std::bit_width(quotient)) - 53, shift - 1074);
  if (drop > 64) return 0;
  std::uint64_t kept = drop == 64 ? 0 : quotient >> drop;
  const std::uint64_t half = std::uint64_t{1} << (drop - 1);
  const std::uint64_t dropped = quotient - (drop == 64 ? 0 : kept << drop);
  if (dropped > half || (dropped == half && (rest || kept % 2 == 1))) ++kept;
  return std::ldexp(static_cast<double>(kept), drop - shift);
}

// "-12" of -12 and "12", and what has no digits.
std::string with_sign(double value, const std::string& magnitude) {
  const char* sign = std::signbit(value) ? "-" : "";
  return filled("{}{}", {sign, std::isfinite(value) ? Part(magnitude) : Part(std::isnan(value) ? "nan" : "inf")});
}

// "12.340" with `decimals` digits after the point, all of the number's.
std::string plain(const Decimal& number, int decimals) {
  const std::string& digits = number.digits;
  std::string text;
  for (int place = std::min(number.point - 1, 0); place < number.point + decimals; ++place) {
    if (place == number.point) text += '.';
    text += place >= 0 && place < static_cast<int>(digits.size()) ? digits[static_cast<std::size_t>(place)] : '0';
  }
  return text;
}

// "1.234e+05", all digits.
std::string scientific(const Decimal& number) {
  std::string text = number.digits.substr(0, 1);
  if (number.digits.size() > 1) text += filled(".{}", {std::string_view(number.digits).substr(1)});
  const int exponent = number.point - 1;
  const int size = std::abs(exponent);
  return filled("{}{}{}{}", {text, exponent < 0 ? "e-" : "e+", size < 10 ? "0" : "", size});
}

int decimals_of(const Decimal& number) {
  return std::max(static_cast<int>(number.digits.size()) - number.point, 0);
}

}  // namespace

std::string shortest(double value) {
  if (value == 0 || !std::isfinite(value)) return with_sign(value, "0");
  const double magnitude = std::abs(value);
  const Decimal all = exact(magnitude);
  Decimal least = all;
  for (int count = 1; count <= 17; ++count) {
    // The nearest, or where doubles lie closer on one side the one on the other.
    const Decimal nearest = rounded(all, count);
    const Decimal down = rounded(all, count, Direction::down);
    const Decimal other = nearest.digits == down.digits ? rounded(all, count, Direction::up) : down;
    const bool found = nearest_double(nearest, false) == magnitude;
    if (!found && nearest_double(other, false) != magnitude) continue;
    least = found ? nearest : other;
    break;
  }
  const std::string short_text = scientific(least);
  // A whole number has all its digits where it is written as one.
  const std::string plain_text = plain(decimals_of(all) == 0 ? all : least, decimals_of(least));
  return with_sign(value, plain_text.size() <= short_text.size() ? plain_text : short_text);
}

std::string significant(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return with_sign(value, "0");
  const int most = std::max(digits, 1);
  const Decimal number = rounded(exact(std::abs(value)), most);
  const int exponent = number.point - 1;
  return with_sign(value, exponent < -4 || exponent >= most ? scientific(number) : plain(number, decimals_of(number)));
}

std::string fixed(double value, int decimals) {
  if (!std::isfinite(value)) return with_sign(value, "");
  const Decimal number = exact(std::abs(value));
  return with_sign(value, plain(rounded(number, number.point + decimals), decimals));
}

std::optional<double> parse(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const auto is_digit = [&text] { return !text.empty() && text.front() >= '0' && text.front() <= '9'; };
  Decimal number;
  bool any = false;
  bool more = false;
  const auto take_digits = [&](bool after_point) {
    for (; is_digit(); text.remove_prefix(1)) {
      any = true;
      if (number.digits.empty() && text.front() == '0') {
        number.point -= after_point ? 1 : 0;
        continue;
      }
      number.point += after_point ? 0 : 1;
      if (number.digits.size() < kMostDigits) {
        number.digits += text.front();
      } else {
        more = more || text.front() != '0';
      }
    }
  };
  take_digits(false);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    take_digits(true);
  }
  if (!any) return std::nullopt;
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    const bool down = text.starts_with('-');
    if (down || text.starts_with('+')) text.remove_prefix(1);
    if (!is_digit()) return std::nullopt;
    int exponent = 0;
    for (; is_digit(); text.remove_prefix(1)) exponent = std::min(exponent * 10 + (text.front() - '0'), 1 << 24);
    number.point += down ? -exponent : exponent;
  }
  if (!text.empty()) return std::nullopt;
  if (number.digits.empty()) return negative ? -0.0 : 0.0;
  number.trim();
  const double magnitude = nearest_double(number, more);
  if (magnitude == 0 || std::isinf(magnitude)) return std::nullopt;
  return negative ? -magnitude : magnitude;
}

}  // namespace ppgnn::decimal
