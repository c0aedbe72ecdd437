#include "graph/unread.hpp"

#include <algorithm>

#include "ppgnn/io/csv.hpp"

namespace ppgnn::graph {

namespace {

constexpr std::size_t kNamed = 3;
constexpr std::size_t kLongestName = 60;

// Names come from file systems and archives, which take any bytes.
std::string shown(std::string name) {
  if (name.empty()) return "''";
  const bool cut = name.size() > kLongestName;
  if (cut) name.resize(kLongestName);
  for (char& letter : name) {
    if (static_cast<unsigned char>(letter) < 0x20 || letter == 0x7F) letter = '?';
  }
  for (std::size_t bad = io::find_invalid_utf8(name); bad != std::string::npos; bad = io::find_invalid_utf8(name)) {
    name[bad] = '?';
  }
  return cut ? name + "..." : name;
}

}  // namespace

std::string unread_note(std::vector<std::string> names, std::string_view where, std::string_view taken) {
  std::sort(names.begin(), names.end());
  const std::size_t named = std::min(names.size(), kNamed);
  std::string note;
  for (std::size_t i = 0; i < named; ++i) {
    const bool last = i + 1 == names.size();
    note += (i == 0 ? "" : last ? " and " : ", ") + shown(std::move(names[i]));
  }
  if (names.size() > named) note += " and " + std::to_string(names.size() - named) + " more";
  note += where;
  note += names.size() == 1 ? " was not read (" : " were not read (";
  return note + std::string(taken) + ')';
}

bool is_document(std::string_view name) {
  std::string small(name);
  for (char& letter : small) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return small.starts_with("readme") || small.starts_with("license") || small.ends_with(".md");
}

}  // namespace ppgnn::graph
