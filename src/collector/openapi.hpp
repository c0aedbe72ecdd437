#pragma once

#include <string_view>

namespace ppgnn::collector {

/// The API's description, OpenAPI 3.1: src/collector/openapi.json.
[[nodiscard]] std::string_view openapi_text() noexcept;

}  // namespace ppgnn::collector
