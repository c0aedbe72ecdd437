#include "ppgnn/core/text.hpp"

#include <cstdint>

#include "ppgnn/core/number.hpp"

namespace ppgnn {

namespace {

// Of a valid sequence.
std::uint32_t code_point(std::string_view text, std::size_t at, std::size_t length) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<std::uint8_t>(text[at + i])); };
  if (length == 1) return byte(0);
  std::uint32_t value = byte(0) & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) value = value << 6 | (byte(i) & 0x3F);
  return value;
}

bool is_hidden(std::uint32_t point) noexcept {
  if (point < 0x20 || (point >= 0x7F && point <= 0x9F)) return true;
  const bool direction = point == 0x61C || point == 0x200E || point == 0x200F || (point >= 0x202A && point <= 0x202E) ||
                         (point >= 0x2066 && point <= 0x2069);
  return direction || point == 0x2028 || point == 0x2029;
}

// What stands for bytes: U+10FF80 to U+10FFFF.
bool stands_for_byte(std::uint32_t point) noexcept {
  return point >= 0x10FF80 && point <= 0x10FFFF;
}

void append_hex(std::string& text, std::uint32_t value, int digits) {
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) text += "0123456789abcdef"[value >> shift & 0xF];
}

}  // namespace

std::size_t utf8_length(std::string_view text, std::size_t at) noexcept {
  const auto byte = [&](std::size_t i) -> std::uint32_t {
    return at + i < text.size() ? static_cast<std::uint8_t>(text[at + i]) : 0;
  };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  // Over-long forms, surrogates and what lies above the last code point.
  const std::uint32_t second = byte(1);
  const bool refused = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
                       (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
  return refused ? 0 : length;
}

bool has_hidden_characters(std::string_view text) noexcept {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0 || is_hidden(code_point(text, at, length))) return true;
    at += length;
  }
  return false;
}

std::string escape_hidden(std::string_view text) {
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    const std::uint32_t point = length == 0 ? static_cast<std::uint8_t>(text[at]) : code_point(text, at, length);
    if (length > 0 && !is_hidden(point)) {
      shown.append(text.substr(at, length));
    } else if (point == '\n') {
      shown += std::string_view("\\n");
    } else if (length <= 1) {
      shown += std::string_view("\\x");
      append_hex(shown, point, 2);
    } else {
      shown += std::string_view("\\u");
      append_hex(shown, point, 4);
    }
    at += length == 0 ? 1 : length;
  }
  return shown;
}

std::string to_utf8(std::string_view bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t length = utf8_length(bytes, at);
    if (length > 0 && !stands_for_byte(code_point(bytes, at, length))) {
      text.append(bytes.substr(at, length));
      at += length;
      continue;
    }
    for (const std::size_t end = at + (length == 0 ? 1 : length); at < end; ++at) {
      const auto byte = static_cast<std::uint8_t>(bytes[at]);
      text += std::string_view("\xF4\x8F");
      text += static_cast<char>(0xBC | byte >> 6);
      text += static_cast<char>(0x80 | (byte & 0x3F));
    }
  }
  return text;
}

std::string from_utf8(std::string_view text) {
  std::string bytes;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    const std::uint32_t point = length == 0 ? 0 : code_point(text, at, length);
    if (stands_for_byte(point)) {
      bytes += static_cast<char>(point & 0xFF);
    } else {
      bytes.append(text.substr(at, length == 0 ? 1 : length));
    }
    at += length == 0 ? 1 : length;
  }
  return bytes;
}

namespace {

void append_whole(std::uint64_t number, std::string& sentence) {
  char digits[20];
  char* first = digits + sizeof(digits);
  do {
    *--first = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number > 0);
  sentence.append(first, static_cast<std::size_t>(digits + sizeof(digits) - first));
}

}  // namespace

void Part::append_to(std::string& sentence) const {
  switch (kind_) {
    case Kind::string:
      sentence += *string_;
      return;
    case Kind::literal:
      sentence += std::string_view(literal_);
      return;
    case Kind::view:
      sentence += view_;
      return;
    case Kind::whole:
      append_whole(whole_, sentence);
      return;
    case Kind::signed_whole:
      if (signed_whole_ < 0) sentence += '-';
      append_whole(
          signed_whole_ < 0 ? 0 - static_cast<std::uint64_t>(signed_whole_) : static_cast<std::uint64_t>(signed_whole_),
          sentence);
      return;
    case Kind::number:
      sentence += format_number(number_);
  }
}

std::string filled(std::string_view sentence, std::initializer_list<Part> parts) {
  std::string text;
  for (std::size_t next = 0;;) {
    const std::size_t gap = sentence.find('{');
    text += sentence.substr(0, gap);
    if (gap == std::string_view::npos) return text;
    sentence.remove_prefix(gap);
    const bool numbered = sentence.size() > 2 && sentence[2] == '}';
    const std::size_t place = numbered ? static_cast<std::size_t>(sentence[1] - '0') : next++;
    if (place >= parts.size()) return text.append(sentence);
    parts.begin()[place].append_to(text);
    sentence.remove_prefix(numbered ? 3 : 2);
  }
}

}  // namespace ppgnn
