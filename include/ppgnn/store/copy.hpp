#pragma once

#include <cstdint>

#include "ppgnn/core/result.hpp"
#include "ppgnn/store/store.hpp"

namespace ppgnn::store {

struct Copied {
  std::uint64_t people = 0;
  std::uint64_t reports = 0;
};

/// Copies a campaign into another store, of any kind, and compares all that both then hold, byte by byte: rounds, people, questions, reports in
/// their order, receipts, predictions, counters. Nobody writes to `from` meanwhile. A copy that was cut short goes on when it is made again.
///
/// Errors  mismatch where there is no campaign, where `to` holds another one, or where both differ in the end; those of the stores.
[[nodiscard]] Result<Copied> copy(Store& from, Store& to);

}  // namespace ppgnn::store
