#pragma once

#include <string>
#include <string_view>

namespace ppgnn::io {

/// A file's content together with what messages call it. Whoever made it keeps the bytes alive.
struct NamedBytes {
  std::string name;
  std::string_view bytes;
};

}  // namespace ppgnn::io
