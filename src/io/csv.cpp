#include "ppgnn/io/csv.hpp"

#include <algorithm>
#include <cstdint>

#include "ppgnn/core/text.hpp"

namespace ppgnn::io {

std::size_t find_invalid_utf8(std::string_view text) noexcept {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = static_cast<std::uint8_t>(text[at]) < 0x80 ? 1 : utf8_length(text, at);
    if (length == 0) return at;
    at += length;
  }
  return std::string_view::npos;
}

Separator guess_separator(std::string_view text) noexcept {
  while (text.starts_with('#')) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  const std::string_view line = text.substr(0, text.find('\n'));
  if (line.find(',') != std::string_view::npos) return Separator::comma;
  return line.find('\t') != std::string_view::npos ? Separator::tab : Separator::blanks;
}

Result<CsvReader> CsvReader::make(NamedBytes file, Separator separator) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (const std::size_t bad = find_invalid_utf8(file.bytes); bad != std::string_view::npos) {
    const auto line = std::count(file.bytes.begin(), file.bytes.begin() + static_cast<std::ptrdiff_t>(bad), '\n') + 1;
    return at_line(file.name, static_cast<std::size_t>(line), "the text is not valid UTF-8");
  }
  CsvReader reader(std::move(file), separator);
  if (reader.file_.bytes.starts_with(kByteOrderMark)) reader.at_ = kByteOrderMark.size();
  return reader;
}

bool CsvReader::take(char wanted) noexcept {
  const bool found = at_ < file_.bytes.size() && file_.bytes[at_] == wanted;
  if (found) ++at_;
  return found;
}

std::string_view CsvReader::plain_field() {
  const std::string_view stops = separator_ == Separator::comma ? ",\r\n"
                                 : separator_ == Separator::tab ? "\t\r\n"
                                                                : " \t\r\n";
  const std::size_t start = at_;
  at_ = std::min(file_.bytes.find_first_of(stops, start), file_.bytes.size());
  return file_.bytes.substr(start, at_ - start);
}

Result<std::string_view> CsvReader::quoted_field() {
  std::string* unescaped = nullptr;
  for (std::size_t start = at_;;) {
    const std::size_t quote = file_.bytes.find('"', start);
    if (quote == std::string_view::npos) return error("a quoted field never ends");
    const std::string_view part = file_.bytes.substr(start, quote - start);
    next_line_ += static_cast<std::size_t>(std::count(part.begin(), part.end(), '\n'));
    at_ = quote + 1;
    const bool doubled = take('"');
    if (!doubled && unescaped == nullptr) return part;
    if (unescaped == nullptr) unescaped = &unescaped_.emplace_back();
    unescaped->append(part);
    if (!doubled) return std::string_view(*unescaped);
    unescaped->push_back('"');
    start = at_;
  }
}

Result<bool> CsvReader::next() {
  const std::string_view text = file_.bytes;
  fields_.clear();
  unescaped_.clear();
  const auto skip_blanks = [&] {
    while (separator_ == Separator::blanks && (take(' ') || take('\t'))) {
    }
  };
  const auto end_of_line = [&] {
    if (at_ >= text.size()) return true;
    if (text.substr(at_).starts_with("\r\n")) ++at_;
    if (!take('\n')) return false;
    ++next_line_;
    return true;
  };
  // Empty lines.
  for (skip_blanks(); at_ < text.size() && end_of_line(); skip_blanks()) {
  }
  line_ = next_line_;
  if (at_ >= text.size()) return false;
  for (;;) {
    if (separator_ != Separator::blanks && take('"')) {
      auto field = quoted_field();
      if (!field) return field.error();
      fields_.push_back(*field);
    } else {
      fields_.push_back(plain_field());
    }
    if (separator_ == Separator::blanks) skip_blanks();
    if (end_of_line()) return true;
    const bool separated = separator_ == Separator::comma ? take(',')
                           : separator_ == Separator::tab ? take('\t')
                                                          : true;
    if (!separated && take('\r')) return error("a carriage return stands inside a line");
    if (!separated) return error("text follows the closing quote of a field");
    if (separator_ == Separator::blanks && text[at_] == '\r') return error("a carriage return stands inside a line");
  }
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

}  // namespace ppgnn::io
