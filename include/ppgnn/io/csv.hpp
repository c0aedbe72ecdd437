#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/io/files.hpp"

namespace ppgnn::io {

enum class Separator {
  comma,
  tab,
  blanks,  ///< any run of spaces and tabs; no quotes
};

/// Reads records of separated fields: quoted fields with doubled quotes and line breaks inside, CRLF or LF, UTF-8 with
/// or without a byte order mark. Empty lines are passed over.
///
/// Source  RFC 4180; UTF-8 by RFC 3629.
class CsvReader {
 public:
  /// Errors  malformed, naming the line, when the text is not UTF-8. Borrows the bytes.
  [[nodiscard]] static Result<CsvReader> make(NamedBytes file, Separator separator);

  /// Reads the next record. False at the end of the file.
  ///
  /// Errors  malformed, naming the line, for a quote that never closes or is followed by more text.
  [[nodiscard]] Result<bool> next();

  /// The fields of the record read last, valid until the next one.
  [[nodiscard]] std::span<const std::string_view> fields() const noexcept { return fields_; }
  /// The line the record read last starts on, from 1.
  [[nodiscard]] std::size_t line() const noexcept { return line_; }
  /// malformed at the record read last.
  [[nodiscard]] Error error(std::string_view what) const { return at_line(file_.name, line_, what); }
  [[nodiscard]] const std::string& name() const noexcept { return file_.name; }

 private:
  CsvReader(NamedBytes file, Separator separator) : file_(std::move(file)), separator_(separator) {}
  Result<std::string_view> quoted_field();
  std::string_view plain_field();
  bool take(char wanted) noexcept;

  NamedBytes file_;
  Separator separator_;
  std::size_t at_ = 0;
  std::size_t line_ = 0;
  std::size_t next_line_ = 1;
  std::vector<std::string_view> fields_;
  std::deque<std::string> unescaped_;  // fields with doubled quotes; a deque keeps views valid
};

/// The separator that the first line of data suggests: comma, tab, else blanks.
[[nodiscard]] Separator guess_separator(std::string_view text) noexcept;

/// Offset of the first byte that is not part of valid UTF-8, or npos.
[[nodiscard]] std::size_t find_invalid_utf8(std::string_view text) noexcept;

/// A field of a CSV line, quoted where it must be.
[[nodiscard]] std::string csv_field(const std::string& text);

}  // namespace ppgnn::io
