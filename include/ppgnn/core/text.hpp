#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

/// Text that people read, and names that others gave.
namespace ppgnn {

/// Length of the valid UTF-8 sequence that starts at `at`, or 0.
///
/// Source  RFC 3629.
[[nodiscard]] std::size_t utf8_length(std::string_view text, std::size_t at) noexcept;

/// Whether `text` has anything that is not shown as itself: bytes that are not UTF-8, control characters (C0, DEL, C1),
/// line and paragraph separators, and marks that turn the direction of what follows.
[[nodiscard]] bool has_hidden_characters(std::string_view text) noexcept;

/// `text` with every such character written out, "\n", "\x1b" or "\u202e", so that a name can neither move the cursor
/// nor pass for another, and the result is UTF-8.
[[nodiscard]] std::string escape_hidden(std::string_view text);

/// Any bytes as UTF-8 that from_utf8 turns back into the same bytes; what is UTF-8 stays as it is. For names in forms
/// that have no other text, such as JSON. A byte that is not UTF-8 becomes the private character U+10FF00 plus its
/// value; so do the bytes of such a character itself.
[[nodiscard]] std::string to_utf8(std::string_view bytes);
[[nodiscard]] std::string from_utf8(std::string_view text);

/// A part of a sentence: text, a whole number, or a double as format_number writes it.
class Part {
 public:
  Part(std::string_view text) noexcept : text_(text.data()), size_(text.size()) {}
  Part(const char* text) noexcept : Part(std::string_view(text)) {}
  Part(const std::string& text) noexcept : Part(std::string_view(text)) {}
  Part(std::unsigned_integral auto number) noexcept : kind_(Kind::whole), whole_(number) {}
  Part(std::signed_integral auto number) noexcept
      : kind_(number < 0 ? Kind::negative : Kind::whole),
        whole_(number < 0 ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number)) {}
  Part(double number) noexcept : kind_(Kind::number), number_(number) {}

  void append_to(std::string& sentence) const;

 private:
  enum class Kind : std::uint8_t { text, whole, negative, number };

  Kind kind_ = Kind::text;
  const char* text_ = nullptr;
  union {
    std::size_t size_;
    std::uint64_t whole_;
    double number_;
  };
};

/// The parts as one text. Where many sentences are made of parts, this is a fifth of the code that `+` makes.
[[nodiscard]] std::string joined(std::initializer_list<Part> parts);

}  // namespace ppgnn
