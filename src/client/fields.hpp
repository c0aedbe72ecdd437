#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/core/text.hpp"
#include "ppgnn/core/wipe.hpp"

/// A person's file cut into fields: CSV lines, or the lists and members of JSON. What they mean: features.cpp.
namespace ppgnn::client {

/// A file while it is read, in a copy that is wiped. Quotes and escapes are resolved in it, which makes no text longer: so
/// fields are views of it, and tell by their place on which line they stand. What goes wrong is kept here: a Result of
/// every field would be half of the code.
class OwnText {
 public:
  explicit OwnText(std::string_view given);
  ~OwnText() { wipe(bytes.data(), bytes.size()); }
  OwnText(const OwnText&) = delete;
  OwnText& operator=(const OwnText&) = delete;

  /// Keeps a sentence, with the line of the place before it: "line 3: what". Always false.
  bool fail(std::size_t offset, std::string_view what);
  bool fail(const char* place, std::string_view what) {
    return fail(static_cast<std::size_t>(place - bytes.data()), what);
  }
  /// Keeps a sentence that no line is to blame for.
  bool refuse(std::string_view sentence, std::initializer_list<Part> parts = {});

  std::string bytes;
  std::string problem;

 private:
  std::string_view given_;  // lines are counted here
};

/// Lines of fields without the blanks around them. Lines with nothing in them are left out; the others are equally long.
struct Lines {
  std::vector<std::string_view> fields;
  std::size_t width = 0;  ///< fields of a line, 0 if there is none
  std::size_t count = 0;
  char separator = ',';
};

/// CSV whose first line says whether commas, semicolons or tabs separate. False if it is none.
///
/// Source  RFC 4180.
[[nodiscard]] bool split_lines(OwnText& text, Lines& lines);

/// A JSON list (values without names), or an object: its members, or the lists `columns` and `values`, or `ones` (names
/// without values). Texts, and other scalars as they stand there: what is a number is for the reader of values to say.
struct JsonFields {
  std::vector<std::string_view> names;
  std::vector<std::string_view> values;
  bool is_list = false;
  bool is_ones = false;
};

/// Cost    No recursion: what lies deeper than the lists of an object is refused where it begins.
/// Source  RFC 8259.
[[nodiscard]] bool split_json(OwnText& text, JsonFields& fields);

}  // namespace ppgnn::client
