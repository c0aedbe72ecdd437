#include "server/notes.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

namespace ppgnn::server {

namespace {

using nlohmann::json;

using Values = std::map<std::string, Notes::Value, std::less<>>;

// Takes the object apart; false from any event ends the parse.
class Events final : public nlohmann::json_sax<json> {
 public:
  explicit Events(Values& values) : values_(values) {}

  bool null() override { return put(std::monostate{}); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(std::int64_t value) override { return put(static_cast<double>(value)); }
  bool number_unsigned(std::uint64_t value) override { return put(value); }
  bool number_float(double value, const std::string&) override { return put(value); }
  bool string(std::string& value) override {
    if (!list_) return put(std::move(value));
    std::get<std::vector<std::string>>(*place_).push_back(std::move(value));
    return true;
  }
  bool binary(json::binary_t&) override { return false; }
  bool start_object(std::size_t) override { return !std::exchange(begun_, true); }
  bool key(std::string& name) override {
    const auto [at, added] = values_.try_emplace(std::move(name));
    place_ = &at->second;
    return added;
  }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override {
    if (!put(std::vector<std::string>{})) return false;
    list_ = true;
    return true;
  }
  bool end_array() override {
    list_ = false;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const json::exception&) override { return false; }

 private:
  bool put(Notes::Value value) {
    if (!begun_ || list_) return false;
    *place_ = std::move(value);
    return true;
  }

  Values& values_;
  Notes::Value* place_ = nullptr;
  bool begun_ = false;
  bool list_ = false;
};

// A single text or number as JSON; what is not UTF-8 in a text is replaced.
template <class Value>
std::string dumped(const Value& value) {
  return json(value).dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

std::optional<Notes> Notes::parse(const std::string& text) {
  Notes notes;
  Events events(notes.values_);
  return json::sax_parse(text, &events) ? std::optional(std::move(notes)) : std::nullopt;
}

template <class Kind>
const Kind* Notes::find(std::string_view key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : std::get_if<Kind>(&found->second);
}

std::optional<std::uint64_t> Notes::whole(std::string_view key) const {
  const auto* value = find<std::uint64_t>(key);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

std::optional<double> Notes::number(std::string_view key) const {
  if (const auto* value = find<std::uint64_t>(key)) return static_cast<double>(*value);
  const auto* value = find<double>(key);
  return value == nullptr || !std::isfinite(*value) ? std::nullopt : std::optional(*value);
}

std::optional<std::string> Notes::text(std::string_view key) const {
  const auto* value = find<std::string>(key);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

std::optional<std::vector<std::string>> Notes::texts(std::string_view key) const {
  const auto* value = find<std::vector<std::string>>(key);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

NotesWriter& NotesWriter::add(std::string_view key, std::uint64_t value) {
  add_raw(key, dumped(value));
  return *this;
}

NotesWriter& NotesWriter::add(std::string_view key, double value) {
  add_raw(key, dumped(value));
  return *this;
}

NotesWriter& NotesWriter::add(std::string_view key, const std::string& value) {
  add_raw(key, dumped(value));
  return *this;
}

NotesWriter& NotesWriter::add(std::string_view key, const std::vector<std::string>& value) {
  std::string list;
  for (const std::string& one : value) list.append(list.empty() ? "[" : ",").append(dumped(one));
  add_raw(key, list.empty() ? "[]" : list + ']');
  return *this;
}

void NotesWriter::add_raw(std::string_view key, std::string_view value) {
  if (text_.size() > 1) text_ += ',';
  text_.append("\"").append(key).append("\":").append(value);
}

}  // namespace ppgnn::server
