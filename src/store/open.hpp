#pragma once

#include <memory>
#include <string>

#include "ppgnn/core/result.hpp"
#include "ppgnn/store/store.hpp"

namespace ppgnn::store {

/// Opens a store of one kind. `where` is all of what somebody wrote, for messages; `place` what follows the prefix, not empty.
using Opener = Result<std::unique_ptr<Store>>(const std::string& where, const std::string& place, Opening opening);

// One a kind of store.
Opener open_sqlite, open_postgres;

}  // namespace ppgnn::store
