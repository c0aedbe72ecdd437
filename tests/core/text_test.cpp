#include "ppgnn/core/text.hpp"

#include <gtest/gtest.h>

namespace ppgnn {
namespace {

TEST(Text, WhatIsHiddenIsWrittenOut) {
  EXPECT_EQ(escape_hidden("a\x1b[2J\n\x7f"), "a\\x1b[2J\\n\\x7f");
  EXPECT_EQ(escape_hidden("\xC2\x85\xE2\x80\xAE\xE2\x81\xA6\xE2\x80\x8E\xD8\x9C"),
            "\\u0085\\u202e\\u2066\\u200e\\u061c");
  EXPECT_EQ(escape_hidden("data\xff/\xE2\x80"), "data\\xff/\\xe2\\x80");
  EXPECT_EQ(escape_hidden(std::string_view("\0", 1)), "\\x00");
}

TEST(Text, WhatIsShownStays) {
  for (const char* text : {"", "plain text, \\x1b", "Z\xC3\xBCrich", "\xE6\x97\xA5\xE6\x9C\xAC", "\xF0\x9F\x98\x80"}) {
    EXPECT_FALSE(has_hidden_characters(text)) << text;
    EXPECT_EQ(escape_hidden(text), text);
  }
  EXPECT_FALSE(has_hidden_characters("\xE2\x80\xAF"));  // between the marks: a narrow space
}

TEST(Text, EveryMarkAndControlIsHidden) {
  const auto utf8 = [](std::uint32_t point) {
    std::string text;
    if (point < 0x80) return text + static_cast<char>(point);
    if (point < 0x800) return text + static_cast<char>(0xC0 | point >> 6) + static_cast<char>(0x80 | (point & 0x3F));
    return text + static_cast<char>(0xE0 | point >> 12) + static_cast<char>(0x80 | (point >> 6 & 0x3F)) +
           static_cast<char>(0x80 | (point & 0x3F));
  };
  std::size_t hidden = 0;
  for (std::uint32_t point = 0; point < 0xD800; ++point) hidden += has_hidden_characters("a" + utf8(point) + "b");
  EXPECT_EQ(hidden, 32u + 33 + 1 + 2 + 5 + 4 + 2);  // C0; DEL and C1; U+061C; marks; embeddings; isolates; separators
}

TEST(Text, AnyBytesGoThroughUtf8AndBack) {
  std::uint64_t state = 1;  // a fixed sequence
  const std::string_view parts[] = {"a", "\xff", "\xC3\xBC", "\xE2\x80", "\xF4\x8F\xBF\xBF", "\xF4\x8F\xBC", "\x80"};
  for (int i = 0; i < 2000; ++i) {
    std::string bytes;
    for (int j = 0; j < 6; ++j) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      bytes += parts[(state >> 33) % std::size(parts)];
    }
    const std::string text = to_utf8(bytes);
    for (std::size_t at = 0; at < text.size(); at += utf8_length(text, at)) ASSERT_NE(utf8_length(text, at), 0u);
    ASSERT_EQ(from_utf8(text), bytes);
  }
  EXPECT_EQ(to_utf8("Z\xC3\xBCrich"), "Z\xC3\xBCrich");
}

TEST(Filled, PutsPartsInTheirPlaces) {
  EXPECT_EQ(filled("{} of {}", {1, 7}), "1 of 7");
  EXPECT_EQ(filled("{1} von {0}: {0}", {std::string("b"), "a"}), "a von b: b");
  EXPECT_EQ(filled("{}{}", {std::string_view("x"), 0.5}), "x0.5");
  EXPECT_EQ(filled("nothing", {}), "nothing");
  EXPECT_EQ(filled("{} and {}", {"one"}), "one and {}");
  EXPECT_EQ(filled("{9}", {"one"}), "{9}");
}

}  // namespace
}  // namespace ppgnn
