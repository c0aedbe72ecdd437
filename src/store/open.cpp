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
};

// The kinds of store there are. To add one: HACKING.md.
constexpr Kind kKinds[] = {
    {"sqlite:PATH", true, open_sqlite},
    {"postgres:service=NAME", false, open_postgres},
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

}  // namespace

Result<std::unique_ptr<Store>> open(const std::string& where, Opening opening) {
  const Kind* kind = kind_of(where);
  if (kind == nullptr) return Error{ErrorCode::invalid_argument, "store: must be " + listed(kKinds)};
  const std::string rest = where.substr(prefix(*kind).size());
  std::error_code failed;
  if (kind->file && opening == Opening::existing && !std::filesystem::exists(rest, failed) && !failed) {
    return Error{ErrorCode::io, where + ": does not exist (ppgnn campaign start makes it)"};
  }
  return kind->open(where, rest, opening);
}

std::string file_of(const std::string& where) {
  const Kind* kind = kind_of(where);
  return kind != nullptr && kind->file ? where.substr(prefix(*kind).size()) : "";
}

}  // namespace ppgnn::store
