#include "client/fields.hpp"

#include <algorithm>
#include <cstdint>

namespace ppgnn::client {

namespace {

bool is_one_of(char sign, std::string_view signs) noexcept {
  return std::find(signs.begin(), signs.end(), sign) != signs.end();
}

// A place in the text, which goes forward. By pointers, which take less code than a string.
class Cursor {
 public:
  explicit Cursor(OwnText& text) : text_(text), at_(text.bytes.data()), end_(at_ + text.bytes.size()) {}

  [[nodiscard]] bool at_end() const noexcept { return at_ == end_; }
  [[nodiscard]] char* at() const noexcept { return at_; }
  [[nodiscard]] char peek() const noexcept { return *at_; }  // '\0' at the end
  char step() noexcept { return *at_++; }
  // Not '\0'.
  bool take(char wanted) noexcept {
    const bool found = *at_ == wanted;
    at_ += found ? 1 : 0;
    return found;
  }
  bool take(std::string_view wanted) noexcept {
    const bool found = view(at_, end_).starts_with(wanted);
    at_ += found ? wanted.size() : 0;
    return found;
  }
  // Whether there was any.
  bool skip(std::string_view signs) noexcept {
    const char* before = at_;
    while (!at_end() && is_one_of(*at_, signs)) ++at_;
    return at_ > before;
  }

  [[nodiscard]] static std::string_view view(const char* begin, const char* end) noexcept {
    return {begin, static_cast<std::size_t>(end - begin)};
  }
  bool fail(std::string_view what) { return text_.fail(at_, what); }

 private:
  OwnText& text_;
  char* at_;
  char* end_;
};

// What the first line that is not blank has outside of quotes.
bool find_separator(OwnText& text, char& separator) {
  bool quoted = false;
  bool any = false;
  bool commas = false;
  bool semicolons = false;
  bool tabs = false;
  Cursor cursor(text);
  for (; !cursor.at_end(); cursor.step()) {
    const char sign = cursor.peek();
    quoted = quoted != (sign == '"');
    if (quoted) continue;
    if (sign == '\n' && any) break;
    any = any || !is_one_of(sign, " \t\r\n");
    commas = commas || sign == ',';
    semicolons = semicolons || sign == ';';
    tabs = tabs || sign == '\t';
  }
  separator = semicolons ? ';' : tabs && !commas ? '\t' : ',';
  return !(commas && semicolons) ||
         cursor.fail("commas or semicolons could separate the fields; put quotes around the others");
}

bool next_field(Cursor& cursor, char separator, std::string_view& field) {
  const char stops[] = {separator, '\r', '\n'};
  const std::string_view ends(stops, sizeof(stops));
  const std::string_view blanks = separator == '\t' ? " " : " \t";
  cursor.skip(blanks);
  char* begin = cursor.at();
  char* end = begin;
  if (cursor.take('"')) {
    begin = end = cursor.at();
    // A quote inside is doubled.
    while (!cursor.take('"') || cursor.peek() == '"') {
      if (cursor.at_end()) return cursor.fail("a quoted field never ends");
      *end++ = cursor.step();  // what was resolved never reaches what was not read yet
    }
    cursor.skip(blanks);
    if (!cursor.at_end() && !is_one_of(cursor.peek(), ends)) {
      return cursor.fail("text follows the closing quote of a field");
    }
  } else {
    while (!cursor.at_end() && !is_one_of(cursor.peek(), ends)) cursor.step();
    end = cursor.at();
  }
  field = cursor.view(begin, end);
  while (!field.empty() && is_one_of(field.front(), blanks)) field.remove_prefix(1);
  while (!field.empty() && is_one_of(field.back(), blanks)) field.remove_suffix(1);
  return true;
}

// Reads JSON of one list, or of an object whose members are scalars or lists.
class JsonReader {
 public:
  JsonReader(OwnText& text, JsonFields& fields) : cursor_(text), fields_(fields) {}

  bool read() {
    fields_.is_list = take('[');
    if (!(fields_.is_list ? list(fields_.values) : take('{') && members())) return false;
    cursor_.skip(kBlanks);
    return cursor_.at_end() || broken();
  }

 private:
  bool take(char wanted) noexcept {
    cursor_.skip(kBlanks);
    return cursor_.take(wanted);
  }
  bool broken() { return cursor_.fail("this is not JSON"); }

  // After "[".
  bool list(std::vector<std::string_view>& into) {
    if (take(']')) return true;
    do {
      if (!scalar(into.emplace_back())) return false;
    } while (take(','));
    return take(']') || broken();
  }

  // After "{".
  bool members() {
    if (take('}')) return true;
    std::uint32_t forms = 0;
    do {
      std::string_view name;
      if (!take('"') || !string(name) || !take(':')) return broken();
      const std::uint32_t form = name == "ones" ? kOnes : name == "columns" ? kColumns : name == "values" ? kValues : 0;
      if (form != 0 && take('[')) {
        forms |= (forms & form) == 0 ? form : kTwice;
        if (!list(form == kValues ? fields_.values : fields_.names)) return false;
      } else {
        forms |= kMembers;
        fields_.names.push_back(name);
        if (!scalar(fields_.values.emplace_back())) return false;
      }
    } while (take(','));
    if (!take('}')) return broken();
    fields_.is_ones = forms == kOnes;
    const bool as_many = fields_.names.size() == fields_.values.size();
    return fields_.is_ones || forms == kMembers || (forms == (kColumns | kValues) && as_many) ||
           cursor_.fail("expected ones alone, or as many columns as values, and nothing beside them");
  }

  bool scalar(std::string_view& found) {
    if (take('"')) return string(found) || broken();
    if (is_one_of(cursor_.peek(), "[{")) return cursor_.fail("a list or an object stands where a value should");
    const char* begin = cursor_.at();
    if (!cursor_.skip("0123456789+-.Eaeflnrstu")) return broken();  // a number, true, false or null
    found = cursor_.view(begin, cursor_.at());
    return true;
  }

  // After its first quote.
  bool string(std::string_view& found) noexcept {
    char* end = cursor_.at();
    const char* begin = end;
    while (!cursor_.take('"')) {
      if (static_cast<std::uint8_t>(cursor_.peek()) < 0x20) return false;  // the end, too
      if (!cursor_.take('\\')) {
        *end++ = cursor_.step();
      } else if (cursor_.take('u')) {
        if (!escaped_point(end)) return false;
      } else {
        constexpr std::string_view kEscapes = "\"\\/bfnrt";
        const auto which =
            static_cast<std::size_t>(std::find(kEscapes.begin(), kEscapes.end(), cursor_.peek()) - kEscapes.begin());
        if (which == kEscapes.size()) return false;
        cursor_.step();
        *end++ = "\"\\/\b\f\n\r\t"[which];
      }
    }
    found = cursor_.view(begin, end);
    return true;
  }

  // Four hexadecimal digits; above 16 bits: none.
  std::uint32_t hexadecimal() noexcept {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i) {
      const char digit = cursor_.peek();
      const char low = is_one_of(digit, "ABCDEF") ? static_cast<char>(digit + ('a' - 'A')) : digit;
      if (!is_one_of(low, kDigits)) return 0x10000;
      value = value << 4 | static_cast<std::uint32_t>(low <= '9' ? low - '0' : low - 'a' + 10);
      cursor_.step();
    }
    return value;
  }

  // After "\u"; the second half of a pair follows as another.
  bool escaped_point(char*& end) noexcept {
    std::uint32_t point = hexadecimal();
    if (point > 0xFFFF || (point & 0xFC00) == 0xDC00) return false;
    if ((point & 0xFC00) == 0xD800) {
      const std::uint32_t second = cursor_.take("\\u") ? hexadecimal() : 0;
      if ((second & 0x1FC00) != 0xDC00) return false;
      point = 0x10000 + ((point & 0x3FF) << 10 | (second & 0x3FF));
    }
    // As many bytes as it takes: the first says how many follow.
    const int more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    const std::uint32_t first = more == 0 ? 0 : 0xFF00u >> (more + 1) & 0xFF;
    *end++ = static_cast<char>(first | point >> 6 * more);
    for (int left = more - 1; left >= 0; --left) *end++ = static_cast<char>(0x80 | (point >> 6 * left & 0x3F));
    return true;
  }

  // Lists and members that an object has.
  static constexpr std::uint32_t kOnes = 1;
  static constexpr std::uint32_t kColumns = 2;
  static constexpr std::uint32_t kValues = 4;
  static constexpr std::uint32_t kMembers = 8;
  static constexpr std::uint32_t kTwice = 16;
  static constexpr std::string_view kBlanks = " \t\r\n";

  Cursor cursor_;
  JsonFields& fields_;
};

}  // namespace

OwnText::OwnText(std::string_view given) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (given.starts_with(kByteOrderMark)) given.remove_prefix(kByteOrderMark.size());
  given_ = given;
  bytes = given;
}

bool OwnText::fail(std::size_t offset, std::string_view what) {
  std::size_t line = 1;
  for (const char sign : given_.substr(0, offset)) line += sign == '\n' ? 1 : 0;
  return refuse("line {}: {}", {line, what});
}

bool OwnText::refuse(std::string_view sentence, std::initializer_list<Part> parts) {
  problem = filled(sentence, parts);
  return false;
}

bool split_lines(OwnText& text, Lines& lines) {
  if (!find_separator(text, lines.separator)) return false;
  Cursor cursor(text);
  while (!cursor.at_end()) {
    const std::size_t before = lines.fields.size();
    bool blank = true;
    do {
      std::string_view& field = lines.fields.emplace_back();
      if (!next_field(cursor, lines.separator, field)) return false;
      blank = blank && field.empty();
    } while (cursor.take(lines.separator));
    const std::size_t width = lines.fields.size() - before;
    if (blank) {
      while (lines.fields.size() > before) lines.fields.pop_back();
    } else {
      if (lines.count == 0) lines.width = width;
      ++lines.count;
      if (width != lines.width) {
        return cursor.fail(filled("the number of fields is {}, that of the first line {}", {width, lines.width}));
      }
    }
    cursor.take('\r');
    if (!cursor.at_end() && !cursor.take('\n')) return cursor.fail("a carriage return stands inside a line");
  }
  return true;
}

bool split_json(OwnText& text, JsonFields& fields) {
  return JsonReader(text, fields).read();
}

}  // namespace ppgnn::client
