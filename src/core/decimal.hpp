#pragma once

#include <optional>
#include <string>
#include <string_view>

/// Doubles as decimal text and back, exactly, in a few kilobytes: for targets whose standard library does not read
/// doubles (libc++ 14), or writes them with a hundred kilobytes of tables. The same as <charconv>, bit for bit, but slower;
/// "inf" and "nan" are written and not read.
namespace ppgnn::decimal {

[[nodiscard]] std::string shortest(double value);
[[nodiscard]] std::string significant(double value, int digits);
[[nodiscard]] std::string fixed(double value, int decimals);
[[nodiscard]] std::optional<double> parse(std::string_view text);

}  // namespace ppgnn::decimal
