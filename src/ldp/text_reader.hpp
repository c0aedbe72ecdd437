#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ppgnn/core/number.hpp"
#include "ppgnn/core/result.hpp"
#include "ppgnn/core/sha256.hpp"
#include "ppgnn/core/text.hpp"

namespace ppgnn::ldp {

/// Takes a text apart word by word and line by line. The first thing that does not fit is remembered; later calls return
/// zeros. Exactness (spaces, number forms, order) is checked by writing the document again and comparing bytes.
class TextReader {
 public:
  /// `what`: the document, in messages.
  TextReader(std::string_view what, std::string_view text) noexcept : what_(what), rest_(text) { next_line(); }

  [[nodiscard]] bool at_end() const noexcept { return done_; }
  [[nodiscard]] bool at(std::string_view key) const noexcept { return line_.starts_with(key); }
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

  void next_line() noexcept {
    ++number_;
    done_ = rest_.empty();
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
  }

  void expect(std::string_view word) {
    if (take() != word) fail(filled("'{}'", {word}));
  }
  double number() { return checked(parse_number(take()), "a number"); }
  std::uint64_t integer(std::uint64_t most) {
    const std::uint64_t value = checked(parse_unsigned(take()), "a whole number");
    if (value > most) fail(filled("a whole number up to {}", {most}));
    return value;
  }
  std::int64_t whole(std::int64_t most) {
    std::string_view word = take();
    const bool negative = word.starts_with('-');
    if (negative) word.remove_prefix(1);
    const std::uint64_t size = checked(parse_unsigned(word), "a whole number");
    if (size > static_cast<std::uint64_t>(most)) fail(filled("a whole number up to {} in size", {most}));
    const auto value = static_cast<std::int64_t>(std::min(size, static_cast<std::uint64_t>(most)));
    return negative ? -value : value;
  }
  std::vector<std::uint8_t> bytes() { return checked(from_hex(take()), "hexadecimal digits"); }
  [[nodiscard]] bool in_line() const noexcept { return !line_.empty(); }
  template <class Choice>
  Choice choice(std::span<const Choice> choices) {
    const std::string_view word = take();
    for (const Choice one : choices) {
      if (to_text(one) == word) return one;
    }
    fail("one of the documented words");
    return choices.front();
  }
  template <class Choice>
  Choice choice(std::initializer_list<Choice> choices) {
    return choice(std::span<const Choice>(choices.begin(), choices.size()));
  }
  std::string_view rest_of_line() noexcept { return std::exchange(line_, {}); }

 private:
  std::string_view take() noexcept {
    const std::size_t end = std::min(line_.find(' '), line_.size());
    const std::string_view word = line_.substr(0, end);
    line_.remove_prefix(std::min(end + 1, line_.size()));
    return word;
  }
  template <class Value>
  Value checked(const std::optional<Value>& value, const char* wanted) {
    if (!value) fail(wanted);
    return value ? *value : Value{};
  }
  void fail(const std::string& wanted) {
    if (problem_.empty()) problem_ = filled("{}: line {}: expected {}", {what_, number_, wanted});
  }

  std::string_view what_;
  std::string_view rest_;
  std::string_view line_;
  std::string problem_;
  std::size_t number_ = 0;
  bool done_ = false;
};

}  // namespace ppgnn::ldp
