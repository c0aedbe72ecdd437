#include "ppgnn/collector/batch.hpp"

#include <nlohmann/json.hpp>
#include <optional>

#include "ppgnn/core/sha256.hpp"

namespace ppgnn::collector {

namespace {

constexpr unsigned kBytes = 2;  // CBOR's major types
constexpr unsigned kText = 3;
constexpr char kPair = '\x82';  // an array of two

Error at_item(std::size_t item, const char* what) {
  return {ErrorCode::malformed, "item " + std::to_string(item) + ": " + what};
}

// A string of the given kind at the start of `rest`; nothing for another kind or a longer head than it needs.
std::optional<std::string_view> take_string(std::string_view& rest, unsigned kind) {
  if (rest.empty()) return std::nullopt;
  const auto first = static_cast<std::uint8_t>(rest[0]);
  const unsigned more = first & 31;
  if (first >> 5 != kind || more > 25) return std::nullopt;
  std::size_t head = 1;
  std::size_t length = more;
  if (more >= 24) {
    const std::size_t width = more == 24 ? 1 : 2;
    if (rest.size() < 1 + width) return std::nullopt;
    length = 0;
    for (std::size_t i = 1; i <= width; ++i) length = length << 8 | static_cast<std::uint8_t>(rest[i]);
    if (length < (width == 1 ? 24U : 256U)) return std::nullopt;
    head += width;
  }
  if (rest.size() - head < length) return std::nullopt;
  const std::string_view taken = rest.substr(head, length);
  rest.remove_prefix(head + length);
  return taken;
}

// Takes {"token": text, "report": text} as it is read; nothing is built that a hostile text could make large or deep.
class ItemReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit ItemReader(BatchItem& item) : item_(item) {}
  [[nodiscard]] bool complete() const { return has_token_ && has_report_; }

  bool start_object(std::size_t) override { return !std::exchange(begun_, true); }
  bool end_object() override { return true; }
  bool key(string_t& name) override {
    key_ = name;
    return true;
  }
  bool string(string_t& value) override {
    if (key_ == "token" && !has_token_) {
      item_.token = std::move(value);
      return has_token_ = true;
    }
    auto bytes = from_hex(value);
    if (key_ != "report" || has_report_ || !bytes) return false;
    item_.report = std::move(*bytes);
    return has_report_ = true;
  }
  bool null() override { return false; }
  bool boolean(bool) override { return false; }
  bool number_integer(number_integer_t) override { return false; }
  bool number_unsigned(number_unsigned_t) override { return false; }
  bool number_float(number_float_t, const string_t&) override { return false; }
  bool binary(binary_t&) override { return false; }
  bool start_array(std::size_t) override { return false; }
  bool end_array() override { return false; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override { return false; }

 private:
  BatchItem& item_;
  std::string key_;
  bool begun_ = false;
  bool has_token_ = false;
  bool has_report_ = false;
};

}  // namespace

Result<void> parse_cbor_batch(std::string_view body, const TakeItem& take) {
  if (body.empty()) return at_item(0, "there is none");
  std::size_t items = 0;
  for (std::string_view rest = body; !rest.empty(); ++items) {
    const auto refuse = [&](const char* what) { return at_item(items, what); };
    if (items == kMostItems) return refuse("more than a request may have");
    if (rest[0] != kPair) return refuse("expected an array of token and report");
    rest.remove_prefix(1);
    const auto token = take_string(rest, kText);
    if (!token) return refuse("token: expected text");
    const auto report = take_string(rest, kBytes);
    if (!report) return refuse("report: expected bytes");
    if (!take({std::string(*token), std::vector<std::uint8_t>(report->begin(), report->end())})) return {};
  }
  return {};
}

Result<void> parse_json_batch(std::string_view body, const TakeItem& take) {
  if (body.empty()) return at_item(0, "there is none");
  std::size_t items = 0;
  for (std::string_view rest = body; !rest.empty(); ++items) {
    if (items == kMostItems) return at_item(items, "more than a request may have");
    const std::string_view line = rest.substr(0, rest.find('\n'));
    BatchItem item;
    ItemReader reader(item);
    if (!nlohmann::json::sax_parse(line.begin(), line.end(), &reader) || !reader.complete()) {
      return at_item(items, R"(expected {"token": text, "report": hexadecimal digits} on one line)");
    }
    if (!take(std::move(item))) return {};
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
  return {};
}

}  // namespace ppgnn::collector
