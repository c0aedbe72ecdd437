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

/// What a sentence is filled with: text, a whole number, or a double as format_number writes it.
/// Small where it is made, which is in many places; refers to text, which must live as long.
class Part {
 public:
  Part(const std::string& text) noexcept : kind_(Kind::string), string_(&text) {}
  Part(const char* text) noexcept : kind_(Kind::literal), literal_(text) {}
  Part(std::string_view text) noexcept : kind_(Kind::view), view_(text) {}
  Part(std::unsigned_integral auto number) noexcept : kind_(Kind::whole), whole_(number) {}
  Part(std::signed_integral auto number) noexcept : kind_(Kind::signed_whole), signed_whole_(number) {}
  Part(double number) noexcept : kind_(Kind::number), number_(number) {}

  void append_to(std::string& sentence) const;

 private:
  enum class Kind : std::uint8_t { string, literal, view, whole, signed_whole, number };

  Kind kind_;
  union {
    const std::string* string_;
    const char* literal_;
    std::string_view view_;
    std::uint64_t whole_;
    std::int64_t signed_whole_;
    double number_;
  };
};

/// The sentence with each "{}" replaced by the next part, and "{2}" by the third: filled("{} of {}", {1, 7}). A sentence stays one text, and takes a
/// fraction of the code that `+` makes.
[[nodiscard]] std::string filled(std::string_view sentence, std::initializer_list<Part> parts);

}  // namespace ppgnn
