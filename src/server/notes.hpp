#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ppgnn::server {

/// The notes of a model file: one JSON object whose values are numbers, texts, truth values and lists of texts, nothing
/// deeper. Read event by event: nothing that is parsed here allocates when it is destroyed, as a tree of nlohmann does.
class Notes {
 public:
  /// Nothing for text that has another form, names a key twice, or is not UTF-8.
  static std::optional<Notes> parse(const std::string& text);

  /// The value of a key; nothing where it is missing or of another kind. A whole number has no sign, point or exponent.
  [[nodiscard]] std::optional<std::uint64_t> whole(std::string_view key) const;
  [[nodiscard]] std::optional<double> number(std::string_view key) const;  ///< finite
  [[nodiscard]] std::optional<std::string> text(std::string_view key) const;
  [[nodiscard]] std::optional<std::vector<std::string>> texts(std::string_view key) const;

  using Value = std::variant<std::monostate, bool, std::uint64_t, double, std::string, std::vector<std::string>>;

 private:
  template <class Kind>
  [[nodiscard]] const Kind* find(std::string_view key) const;

  std::map<std::string, Value, std::less<>> values_;
};

/// Writes what Notes reads, in the order of the calls.
class NotesWriter {
 public:
  NotesWriter& add(std::string_view key, std::uint64_t value);
  NotesWriter& add(std::string_view key, double value);
  NotesWriter& add(std::string_view key, const std::string& value);
  NotesWriter& add(std::string_view key, const std::vector<std::string>& value);

  [[nodiscard]] std::string text() const { return text_ + '}'; }

 private:
  void add_raw(std::string_view key, std::string_view value);

  std::string text_ = "{";
};

}  // namespace ppgnn::server
