#include "ldp/sealed_text.hpp"

#include <algorithm>

#include "ppgnn/core/text.hpp"

namespace ppgnn::ldp {

namespace {

constexpr std::string_view kHashKey = "sha256 ";

}  // namespace

Digest seal(std::string& text) {
  const Digest hash = sha256(text);
  text.append(kHashKey).append(to_hex(hash)) += '\n';
  return hash;
}

Result<std::string_view> unsealed(std::string_view what, std::string_view text) {
  const auto malformed = [&](std::string_view why) {
    return Error{ErrorCode::malformed, filled("{}: {}", {what, why})};
  };
  const std::string beginning = filled("ppgnn-{} ", {what});
  if (!text.starts_with(beginning)) return malformed(filled("line 1: expected '{}1'", {beginning}));
  const std::size_t hash_line = text.rfind(kHashKey);
  if (hash_line == std::string_view::npos || text[hash_line - 1] != '\n') {
    return malformed("the hash line is missing (cut off?)");
  }
  const std::string_view body = text.substr(0, hash_line);
  const std::string_view hash = text.substr(hash_line + kHashKey.size());
  if (!hash.ends_with('\n') || hash.substr(0, hash.size() - 1) != to_hex(sha256(body))) {
    return malformed("the hash does not fit the text (edited or cut off)");
  }
  return body;
}

Error not_canonical(std::string_view what) {
  return {ErrorCode::malformed, filled("{}: the text is not in canonical form", {what})};
}

bool is_campaign_name(std::string_view name) noexcept {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
           c == '_';
  };
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), plain);
}

}  // namespace ppgnn::ldp
