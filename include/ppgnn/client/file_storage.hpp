#pragma once

#include <string_view>

#include "ppgnn/client/ledger.hpp"
#include "ppgnn/core/result.hpp"

namespace ppgnn::client {

/// Keeps a ledger in a file: PATH.part is written and flushed, takes the name PATH, and the folder is flushed too. Two
/// processes exclude each other by a lock (flock) on PATH.lock. A file system cannot tell that an old file was put back:
/// such a storage has no counter. Hand it to Ledger::open, which releases it.
///
/// Errors  invalid_argument for a path that is none. Whether it can be read and written shows when it is.
[[nodiscard]] Result<Storage> file_storage(std::string_view path);

}  // namespace ppgnn::client
