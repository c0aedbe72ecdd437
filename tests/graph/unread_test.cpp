#include "graph/unread.hpp"

#include <gtest/gtest.h>

namespace ppgnn::graph {
namespace {

TEST(Unread, NamesThreeAndCountsTheRest) {
  EXPECT_EQ(unread_note({"a"}, "", "b is"), "a was not read (b is)");
  EXPECT_EQ(unread_note({"b", "a"}, " of f", "c is"), "a and b of f were not read (c is)");
  EXPECT_EQ(unread_note({"c", "b", "a"}, "", "d is"), "a, b and c were not read (d is)");
  EXPECT_EQ(unread_note({"d", "c", "b", "a"}, "", "e is"), "a, b, c and 1 more were not read (e is)");
}

// A file may be called anything; a note is printed and written as JSON.
TEST(Unread, NamesCannotHarm) {
  EXPECT_EQ(unread_note({"a\x1b[2J\n"}, "", "b is"), "a?[2J? was not read (b is)");
  EXPECT_EQ(unread_note({"stra\xC3\x9F\x65"}, "", "b is"), "stra\xC3\x9F\x65 was not read (b is)");
  EXPECT_EQ(unread_note({"stra\xDF"}, "", "b is"), "stra? was not read (b is)");
  EXPECT_EQ(unread_note({""}, "", "b is"), "'' was not read (b is)");
  std::string long_name(70, 'x');
  long_name.replace(59, 2, "\xC3\x9F");  // cut through the middle of a letter
  EXPECT_EQ(unread_note({long_name}, "", "b is"), long_name.substr(0, 59) + "?... was not read (b is)");
}

TEST(Unread, DocumentsAreNoData) {
  for (const char* name : {"README", "Readme.txt", "LICENSE", "license.html", "notes.MD"}) {
    EXPECT_TRUE(is_document(name)) << name;
  }
  for (const char* name : {"read.csv", "md", "labels.csv", "md.csv"}) EXPECT_FALSE(is_document(name)) << name;
}

}  // namespace
}  // namespace ppgnn::graph
