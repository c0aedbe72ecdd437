#include "store/open.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "ppgnn/core/names.hpp"

namespace ppgnn::store {

namespace {

struct Kind {
  std::string_view name;  // as somebody writes it: up to the colon the prefix, after it what follows
  bool file;              // whether what follows is the path of a file
  Opener* open;
  Lister* list;
};

// The kinds of store there are. To add one: HACKING.md.
constexpr Kind kKinds[] = {
    {"sqlite:PATH", true, open_sqlite, list_sqlite},
    {"postgres:service=NAME", false, open_postgres, list_postgres},
};

constexpr std::string_view prefix(const Kind& kind) {
  return kind.name.substr(0, kind.name.find(':') + 1);
}

// Nullptr for another spelling.
const Kind* kind_of(std::string_view where) {
  const auto* found = std::find_if(std::begin(kKinds), std::end(kKinds), [&](const Kind& kind) {
    return where.starts_with(prefix(kind)) && where.size() > prefix(kind).size();
  });
  return found == std::end(kKinds) ? nullptr : found;
}

// What follows the prefix. A file whose name has a # in it is that file.
Where split(const Kind& kind, const std::string& where) {
  Where found{where, where.substr(prefix(kind).size()), ""};
  const std::size_t mark = found.path.rfind('#');
  std::error_code ignored;
  if (mark == std::string::npos || mark == 0 || !is_plain_name(std::string_view(found.path).substr(mark + 1)) ||
      (kind.file && std::filesystem::is_regular_file(found.path, ignored))) {
    return found;
  }
  found.name = found.path.substr(mark + 1);
  found.path.resize(mark);
  return found;
}

Error unknown_kind() {
  return Error{ErrorCode::invalid_argument,
               "store: must be " + listed(kKinds) + ", with #CAMPAIGN after it where there are several"};
}

}  // namespace

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && !name.starts_with('.') &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_") ==
             std::string_view::npos;
}

Result<std::unique_ptr<Store>> open(const std::string& where, Opening opening) {
  const Kind* kind = kind_of(where);
  if (kind == nullptr) return unknown_kind();
  const Where place = split(*kind, where);
  std::error_code failed;
  if (kind->file && opening == Opening::existing && !std::filesystem::exists(place.path, failed) && !failed) {
    return Error{ErrorCode::io, where + ": does not exist (ppgnn campaign start makes it)"};
  }
  return kind->open(place, opening);
}

Result<std::vector<std::string>> campaigns(const std::string& where) {
  const Kind* kind = kind_of(where);
  if (kind == nullptr) return unknown_kind();
  const Where place = split(*kind, where);
  if (!place.name.empty()) return std::vector<std::string>{where};
  Result<std::vector<std::string>> names = kind->list(place);
  if (!names) return names.error();
  if (names->empty()) return std::vector<std::string>{where};
  std::sort(names->begin(), names->end());
  for (std::string& one : *names) one = where + '#' + one;
  return names;
}

std::string name_in(const std::string& where) {
  const Kind* kind = kind_of(where);
  return kind == nullptr ? "" : split(*kind, where).name;
}

std::string file_of(const std::string& where) {
  const Kind* kind = kind_of(where);
  if (kind == nullptr || !kind->file) return "";
  const Where place = split(*kind, where);
  return place.name.empty() ? place.path : place.path + '/' + place.name + ".db";
}

}  // namespace ppgnn::store
