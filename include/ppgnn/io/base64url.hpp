#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ppgnn::io {

/// Base64 of RFC 4648, section 5, without padding; and back, nothing for what the first would not have written.
[[nodiscard]] std::string to_base64url(std::string_view bytes);
[[nodiscard]] std::optional<std::string> from_base64url(std::string_view text);

}  // namespace ppgnn::io
