#pragma once

#include <string>
#include <string_view>

#include "ppgnn/core/result.hpp"
#include "ppgnn/core/sha256.hpp"

/// Canonical texts that end with their own hash: plans and published models.
namespace ppgnn::ldp {

/// Adds the hash line; returns the SHA-256 of what was there.
Digest seal(std::string& text);

/// The text without its hash line. `what`: "plan", "model"; the text begins with "ppgnn-" and that.
///
/// Errors  malformed for another beginning, and for a hash that is missing or does not fit.
[[nodiscard]] Result<std::string_view> unsealed(std::string_view what, std::string_view text);

Error not_canonical(std::string_view what);

/// 1 to 64 letters, digits, dots, dashes or underscores; otherwise kCampaignName says so.
bool is_campaign_name(std::string_view name) noexcept;
inline constexpr std::string_view kCampaignName =
    "campaign: a name must have 1 to 64 letters, digits, dots, dashes or underscores";

}  // namespace ppgnn::ldp
