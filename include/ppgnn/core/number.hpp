#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ppgnn {

/// The shortest decimal text that reads back as the same double, independent of locale ("0.1", "1e-06", "inf").
std::string format_number(double value);

/// At most `digits` significant digits ("2.72", "1e+04"), and exactly `decimals` after the point ("73.1"): for people.
std::string format_significant(double value, int digits);
std::string format_fixed(double value, int decimals);

/// The same rounded up instead of to the nearest: a bound stays one ("2.72" is never written for 2.7201).
std::string format_significant_up(double value, int digits);
std::string format_fixed_up(double value, int decimals);

/// The whole of `text` as a decimal double; nothing for empty, trailing or leading other characters, or overflow.
std::optional<double> parse_number(std::string_view text);

/// The whole of `text` as a decimal integer without sign; nothing for anything else or more than 64 bits.
std::optional<std::uint64_t> parse_unsigned(std::string_view text);

}  // namespace ppgnn
