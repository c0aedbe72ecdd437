#include "ppgnn/io/csv.hpp"

#include <gtest/gtest.h>

namespace ppgnn::io {
namespace {

using Records = std::vector<std::vector<std::string>>;

// All records, or the error as the only field.
Records read(std::string_view text, Separator separator = Separator::comma) {
  auto reader = CsvReader::make({"f.csv", text}, separator);
  if (!reader) return {{reader.error().message}};
  Records records;
  for (;;) {
    const auto more = reader->next();
    if (!more) return {{more.error().message}};
    if (!*more) return records;
    records.emplace_back(reader->fields().begin(), reader->fields().end());
  }
}

TEST(Csv, ReadsFieldsAndLines) {
  EXPECT_EQ(read("a,b\n1,2\n"), (Records{{"a", "b"}, {"1", "2"}}));
  EXPECT_EQ(read("a,b\r\n\r\n1,2"), (Records{{"a", "b"}, {"1", "2"}}));
  EXPECT_EQ(read(",\n"), (Records{{"", ""}}));
  EXPECT_EQ(read("\xEF\xBB\xBF"
                 "a\n"),
            (Records{{"a"}}));
  EXPECT_EQ(read(""), Records{});
  EXPECT_EQ(read("\n\n"), Records{});
}

TEST(Csv, ReadsQuotedFields) {
  EXPECT_EQ(read("1,\"a, b\",c\n"), (Records{{"1", "a, b", "c"}}));
  EXPECT_EQ(read("\"say \"\"hi\"\"\",\"\"\n"), (Records{{"say \"hi\"", ""}}));
  EXPECT_EQ(read("\"two\nlines\",x\n"), (Records{{"two\nlines", "x"}}));
  EXPECT_EQ(read("Noguès,中国\n"), (Records{{"Noguès", "中国"}}));
}

TEST(Csv, ReadsBlanksAndTabs) {
  EXPECT_EQ(read("  1 \t 2 \n\n3 4", Separator::blanks), (Records{{"1", "2"}, {"3", "4"}}));
  EXPECT_EQ(read("1\t\t2\n", Separator::tab), (Records{{"1", "", "2"}}));
}

TEST(Csv, ErrorsNameTheLine) {
  EXPECT_EQ(read("a\n\"b\n"), (Records{{"f.csv:2: a quoted field never ends"}}));
  EXPECT_EQ(read("a\n\"b\"c\n"), (Records{{"f.csv:2: text follows the closing quote of a field"}}));
  EXPECT_EQ(read("a\nb\rc\n"), (Records{{"f.csv:2: a carriage return stands inside a line"}}));
  EXPECT_EQ(read("a b\rc\n", Separator::blanks), (Records{{"f.csv:1: a carriage return stands inside a line"}}));
  EXPECT_EQ(read("a\nb\n\xff\n"), (Records{{"f.csv:3: the text is not valid UTF-8"}}));
  // A quoted line break counts as a line of the file.
  EXPECT_EQ(read("\"a\nb\"\n\"c"), (Records{{"f.csv:3: a quoted field never ends"}}));
}

TEST(Csv, KnowsUtf8) {
  for (const char* good :
       {"", "a", "\xC2\x80", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_EQ(find_invalid_utf8(good), std::string_view::npos);
  }
  for (const char* bad : {"\x80", "\xC0\xAF", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
                          "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xC2", "\xE1\x80", "\xF1\x80\x80",
                          "\xC2"
                          "a"}) {
    EXPECT_EQ(find_invalid_utf8(bad), 0u);
  }
  EXPECT_EQ(find_invalid_utf8("ab\xC3\xA9\xFF"), 4u);
}

TEST(Csv, GuessesTheSeparator) {
  EXPECT_EQ(guess_separator("# a,b\n1 2\n"), Separator::blanks);
  EXPECT_EQ(guess_separator("1,2\n"), Separator::comma);
  EXPECT_EQ(guess_separator("1\t2\n"), Separator::tab);
  EXPECT_EQ(guess_separator("#"), Separator::blanks);
  EXPECT_EQ(guess_separator(""), Separator::blanks);
}

}  // namespace
}  // namespace ppgnn::io
