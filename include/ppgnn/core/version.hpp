#pragma once

namespace ppgnn {

/// The release this library was built from, "major.minor.patch".
const char* version() noexcept;

}  // namespace ppgnn
