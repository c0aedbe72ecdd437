#include "ppgnn/store/trail.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "ppgnn/io/files.hpp"

namespace ppgnn::store {

namespace {

// Everything but the hash.
std::string content_of(const Entry& entry) {
  return std::to_string(entry.number) + '\t' + std::to_string(entry.time) + '\t' + entry.who + '\t' + entry.what;
}

// Of the hash before as it is written, a line end, and the entry as it is written: sha256sum says the same.
Digest hash_of(const Digest& before, const Entry& entry) {
  Sha256 hash;
  hash.update(to_hex(before));
  hash.update("\n");
  hash.update(content_of(entry));
  return hash.finish();
}

std::string in_one_field(std::string_view text) {
  std::string field(text);
  for (char& sign : field) sign = static_cast<unsigned char>(sign) < ' ' ? ' ' : sign;
  return field;
}

template <class Number>
bool read(std::string_view text, Number& value) {
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  return wrong == std::errc() && end == text.data() + text.size();
}

std::optional<Entry> parse_line(std::string_view line) {
  std::array<std::string_view, 5> fields;
  for (std::string_view& field : fields) {
    field = line.substr(0, line.find('\t'));
    line.remove_prefix(std::min(line.size(), field.size() + 1));
  }
  Entry entry{0, 0, std::string(fields[2]), std::string(fields[3]), {}};
  const auto digits = from_hex(fields[4]);
  if (!line.empty() || !digits || digits->size() != entry.hash.size()) return std::nullopt;
  if (!read(fields[0], entry.number) || !read(fields[1], entry.time)) return std::nullopt;
  std::copy(digits->begin(), digits->end(), entry.hash.begin());
  return entry;
}

}  // namespace

Entry next_entry(const Entry* last, std::int64_t time, std::string_view who, std::string_view what) {
  Entry entry{last == nullptr ? 1 : last->number + 1, time, in_one_field(who), in_one_field(what), {}};
  entry.hash = hash_of(last == nullptr ? Digest{} : last->hash, entry);
  return entry;
}

std::string trail_text(const std::vector<Entry>& trail) {
  std::string text;
  for (const Entry& entry : trail) text += content_of(entry) + '\t' + to_hex(entry.hash) + '\n';
  return text;
}

Result<std::vector<Entry>> parse_trail(const io::NamedBytes& file) {
  std::vector<Entry> trail;
  std::string_view rest = file.bytes;
  for (std::size_t line = 1; !rest.empty(); ++line) {
    const std::size_t end = rest.find('\n');
    std::optional<Entry> entry = end == std::string_view::npos ? std::nullopt : parse_line(rest.substr(0, end));
    if (!entry)
      return io::at_line(file.name, line, "expected number, time, who, what and hash, with tabs between them");
    trail.push_back(std::move(*entry));
    rest.remove_prefix(end + 1);
  }
  return trail;
}

Result<Digest> check_trail(const std::vector<Entry>& trail, const std::string& name) {
  Digest last{};
  for (std::size_t i = 0; i < trail.size(); ++i) {
    if (trail[i].number != i + 1 || trail[i].hash != hash_of(last, trail[i])) {
      return Error{ErrorCode::malformed, name + ": entry " + std::to_string(i + 1) +
                                             " does not follow from those before it: the trail was changed"};
    }
    last = trail[i].hash;
  }
  return last;
}

}  // namespace ppgnn::store
