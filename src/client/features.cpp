#include "ppgnn/client/features.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "client/fields.hpp"
#include "ppgnn/core/heap.hpp"
#include "ppgnn/core/number.hpp"
#include "ppgnn/core/text.hpp"
#include "ppgnn/core/wipe.hpp"

namespace ppgnn::client {

namespace {

bool same_letters(std::string_view text, std::string_view lower_case) noexcept {
  return std::equal(text.begin(), text.end(), lower_case.begin(), lower_case.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b; });
}

// A decimal number, beyond any double as far as a float goes, or 0; or a truth value.
std::optional<float> value_of(std::string_view text) {
  const bool truth = same_letters(text, "true");
  if (truth || same_letters(text, "false")) return truth ? 1.0F : 0.0F;
  constexpr float kMost = std::numeric_limits<float>::max();
  const bool positive = text.starts_with('+');
  if (positive) text.remove_prefix(1);
  const bool negative = !positive && text.starts_with('-');
  // "inf" and "nan" are read by some libraries and not by others.
  const char first = text.size() > (negative ? 1 : 0) ? text[negative ? 1 : 0] : '\0';
  if (first != '.' && (first < '0' || first > '9')) return std::nullopt;
  if (const auto value = parse_number(text)) {
    return static_cast<float>(std::clamp<double>(*value, -static_cast<double>(kMost), static_cast<double>(kMost)));
  }
  const std::size_t mantissa = std::min(text.find('e'), text.find('E'));
  if (mantissa == std::string_view::npos || !parse_number(text.substr(0, mantissa))) return std::nullopt;
  std::string_view exponent = text.substr(mantissa + 1);
  const bool small = exponent.starts_with('-');
  if (small || exponent.starts_with('+')) exponent.remove_prefix(1);
  for (const char digit : exponent) {
    if (digit < '0' || digit > '9') return std::nullopt;
  }
  if (exponent.empty()) return std::nullopt;
  return small ? 0 : negative ? -kMost : kMost;
}

// Neither a number nor nothing.
bool is_word(std::string_view text) {
  return !text.empty() && !value_of(text);
}

// The columns that go by a text.
struct Found {
  std::uint32_t column = 0;
  std::uint32_t several = 0;  // 0, 1, or more

  void add(std::uint64_t one) noexcept {
    several += several == 0 || column != one ? 1 : 0;
    column = static_cast<std::uint32_t>(one);
  }
};

// A column by its number, or by its name: "age", or "word.7" of several.
Found find_column(std::string_view text, const ldp::Schema& schema) {
  Found found;
  if (const auto number = parse_unsigned(text); number && *number < schema.dim()) found.add(*number);
  std::uint32_t first = 0;
  for (const ldp::ColumnGroup& group : schema.groups()) {
    if (text.starts_with(group.name)) {
      const std::string_view rest = text.substr(group.name.size());
      if (group.count == 1 && rest.empty()) found.add(first);
      if (group.count > 1 && rest.starts_with('.')) {
        const auto place = parse_unsigned(rest.substr(1));
        if (place && *place < group.count) found.add(first + *place);
      }
    }
    first += group.count;
  }
  return found;
}

// What the fields of a file mean.
class FeatureReader {
 public:
  FeatureReader(std::string_view bytes, const ldp::Schema& schema) : text_(bytes), schema_(schema) {}

  Result<Features> read() {
    Features features;
    if (!fill(features)) return Error{ErrorCode::malformed, std::move(text_.problem)};
    return features;
  }

 private:
  // Where columns and values stand, `step` fields from one to the next. Without names: values from the first column on;
  // without values: ones.
  struct Places {
    const std::string_view* names = nullptr;
    const std::string_view* values = nullptr;
    std::size_t count = 0;
    std::size_t step = 1;
    bool may_lack_values = false;
  };

  bool fill(Features& features) {
    const std::string_view bytes = text_.bytes;
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t length = utf8_length(bytes, at);
      if (length == 0) return text_.fail(at, "the text is not UTF-8");
      at += length;
    }
    const std::string_view start = bytes.substr(std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size()));
    if (!start.starts_with('[') && !start.starts_with('{')) return split_lines(text_, lines_) && csv(features);
    JsonFields json;
    if (!split_json(text_, json)) return false;
    return list({.names = json.is_list ? nullptr : json.names.data(),
                 .values = json.is_ones ? nullptr : json.values.data(),
                 .count = json.is_list ? json.values.size() : json.names.size()},
                features);
  }

  bool find(std::string_view name, std::uint32_t& column) {
    const Found found = find_column(name, schema_);
    column = found.column;
    return found.several == 1 ||
           text_.fail(name.data(), found.several == 0 ? "the plan has no column of this number or name"
                                                      : "the plan has several columns of this number or name");
  }

  bool read_value(std::string_view text, float& value) {
    const std::optional<float> number = value_of(text);
    value = number.value_or(0);
    return number.has_value() ||
           text_.fail(text.data(),
                      text.find(',') == std::string_view::npos
                          ? "a value is not a number"
                          : "a value has a comma, for decimals or for thousands; write decimals with a point");
  }

  bool list(const Places& places, Features& features) {
    if (places.names == nullptr && places.count > schema_.dim()) {
      return text_.refuse("found {} values; the plan has {} columns", {places.count, schema_.dim()});
    }
    // A column and the bits of its value, in one number to sort by.
    std::vector<std::uint64_t> listed(places.count);
    std::size_t count = 0;
    const bool read = read_all(places, listed, count);
    const std::span<std::uint64_t> sorted = std::span(listed).first(count);
    heap_sort(sorted);
    features.wipe_all();
    features.columns = std::vector<std::uint32_t>(count);
    features.values = std::vector<float>(count);
    bool twice = false;
    for (std::size_t i = 0; i < count; ++i) {
      features.columns[i] = static_cast<std::uint32_t>(sorted[i] >> 32);
      features.values[i] = std::bit_cast<float>(static_cast<std::uint32_t>(sorted[i]));
      twice = twice || (i > 0 && features.columns[i - 1] == features.columns[i]);
    }
    wipe(listed.data(), count * sizeof(std::uint64_t));
    return read && (!twice || text_.refuse("a column occurs twice"));
  }

  bool read_all(const Places& places, std::span<std::uint64_t> listed, std::size_t& count) {
    for (std::size_t i = 0; i < places.count; ++i) {
      const std::size_t at = i * places.step;
      auto column = static_cast<std::uint32_t>(i);
      float value = 1;
      if (places.may_lack_values && places.values[at].empty()) continue;
      if (places.names != nullptr && !find(places.names[at], column)) return false;
      if (places.values != nullptr && !read_value(places.values[at], value)) return false;
      listed[count++] = std::uint64_t{column} << 32 | std::bit_cast<std::uint32_t>(value);
    }
    return true;
  }

  bool csv(Features& features) {
    const std::size_t width = lines_.width;
    const std::size_t count = lines_.count;
    const std::string_view* fields = lines_.fields.data();
    if (count == 0) return text_.refuse("the file is empty");
    const std::size_t words = words_of(fields, count * width, 1);
    // All the values of a plan of two columns are no column with its value.
    if (count == 1 && (width != 2 || (words == 0 && schema_.dim() == 2))) {
      return words == width ? unexpected() : list({.values = fields, .count = width}, features);
    }
    if (words == 0 && (count == 2 || width == 2)) return by_number_or_alone();
    const std::size_t index = width > 1 && is_index(fields[0]) ? 1 : 0;
    const bool pairs = width == 2 || width == 2 + index;
    if (count != 2) return pairs ? in_pairs(features) : unexpected();
    return pairs ? pairs_or_names(index, features) : under_names(index, features);
  }

  // Those `step` apart that are neither numbers nor nothing.
  static std::size_t words_of(const std::string_view* fields, std::size_t count, std::size_t step) {
    std::size_t words = 0;
    for (std::size_t i = 0; i < count; ++i) words += static_cast<std::size_t>(is_word(fields[i * step]));
    return words;
  }
  [[nodiscard]] bool has_column(std::string_view name) const { return find_column(name, schema_).several > 0; }
  // A column that tables have to count or name their lines.
  [[nodiscard]] bool is_index(std::string_view name) const {
    const bool usual =
        name.empty() || same_letters(name, "index") || same_letters(name, "id") || same_letters(name, "unnamed: 0");
    return usual && !has_column(name);
  }
  // The last two fields of the first line: what lines of a column and its value have.
  [[nodiscard]] const std::string_view* first_pair() const { return lines_.fields.data() + lines_.width - 2; }
  // Whether they say so, and columns may go by numbers.
  [[nodiscard]] bool says_value() const { return is_word(first_pair()[0]) && same_letters(first_pair()[1], "value"); }

  // Lines of a column and its value, below a line of any words for these, or of none.
  bool in_pairs(Features& features) {
    const std::string_view* pair = first_pair();
    const std::size_t step = lines_.width;
    std::size_t count = lines_.count;
    if (says_value() || pair[0].empty() || (is_word(pair[1]) && !has_column(pair[0]))) {
      pair += step;
      --count;
    }
    if (!says_value() && words_of(pair, count, step) == 0) return count == 0 ? unexpected() : by_number_or_alone();
    return list({.names = pair, .values = pair + 1, .count = count, .step = step}, features);
  }

  // One line of names and one of values, from `from` on.
  bool under_names(std::size_t from, Features& features) {
    const std::string_view* names = lines_.fields.data() + from;
    const std::size_t count = lines_.width - from;
    if (words_of(names, count, 1) == 0) return by_number_or_alone();
    return list({.names = names, .values = names + lines_.width, .count = count, .may_lack_values = true}, features);
  }

  bool pairs_or_names(std::size_t names_from, Features& features) {
    const bool pairs = in_pairs(features);
    const std::string why_not = std::move(text_.problem);
    const bool names = under_names(names_from, features);
    if (pairs) {
      return names
                 ? unclear("they could be columns with values, or names above values; write JSON with names and values")
                 : in_pairs(features);
    }
    if (names) return true;
    if (says_value()) return text_.refuse("{}", {why_not});
    return unclear(filled("as columns with values, {}; as names above values, {}", {why_not, text_.problem}));
  }

  bool unexpected() {
    return unclear(
        "expected lines of a column and its value, a line of names above one of values, or a line of values");
  }
  bool by_number_or_alone() {
    return unclear(
        "they could be numbers of columns with values, or values alone; begin with the line column,value, or name the "
        "columns, or write all values as a JSON list");
  }
  // With what was found before it.
  bool unclear(std::string_view why) {
    const char* by = lines_.width == 1          ? ""
                     : lines_.separator == ';'  ? "s separated by semicolons"
                     : lines_.separator == '\t' ? "s separated by tabs"
                                                : "s separated by commas";
    return text_.refuse("found {} line{} of {} field{}; {}",
                        {lines_.count, lines_.count == 1 ? "" : "s", lines_.width, by, why});
  }

  OwnText text_;
  const ldp::Schema& schema_;
  Lines lines_;
};

}  // namespace

void Features::wipe_all() noexcept {
  wipe(columns.data(), columns.size() * sizeof(std::uint32_t));
  wipe(values.data(), values.size() * sizeof(float));
}

Result<Features> read_features(std::string_view bytes, const ldp::Schema& schema) {
  return FeatureReader(bytes, schema).read();
}

}  // namespace ppgnn::client
