#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/store/store.hpp"

namespace ppgnn::store {

/// Where a store is. `written`: all of what somebody wrote, for messages; `path`: what stands between the prefix and the campaign's name,
/// not empty; `name`: the campaign's, or empty.
struct Where {
  std::string written;
  std::string path;
  std::string name;
};

/// Opens a store of one kind.
using Opener = Result<std::unique_ptr<Store>>(const Where& where, Opening opening);
/// The names of the campaigns that are there, in any order; none where a place can have only one, whatever it is called.
using Lister = Result<std::vector<std::string>>(const Where& where);

// One a kind of store.
Opener open_sqlite, open_postgres;
Lister list_sqlite, list_postgres;

/// Where a place has several campaigns, or none, and none is named.
[[nodiscard]] inline Error several(const Where& where, const std::vector<std::string>& names) {
  if (names.empty()) return {ErrorCode::mismatch, where.written + ": there is no campaign in it"};
  std::string text = where.written + ": has several campaigns, name one of them:";
  for (const std::string& name : names) text += ' ' + where.written + '#' + name;
  return {ErrorCode::mismatch, text};
}

}  // namespace ppgnn::store
