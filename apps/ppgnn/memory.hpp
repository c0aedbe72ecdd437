#pragma once

namespace ppgnn::app {

/// What the system was asked for and did not have, for a sentence: "1.5 GB"; for a small amount, or before anything
/// failed, "any more". Allocates nothing.
const char* refused_memory() noexcept;

}  // namespace ppgnn::app
