#include "ppgnn/ldp/hint.hpp"

#include <algorithm>
#include <array>

#include "ppgnn/ldp/payload.hpp"

namespace ppgnn::ldp {

namespace {

constexpr std::uint8_t kHintVersion = 1;
enum Form : std::uint8_t { usual_form, coarse_form, full_form };
constexpr std::size_t kPersonal = 2;  // where what is said of the person begins

Error not_of_this_model() {
  return {ErrorCode::malformed, "hint: not of this model"};
}

std::int16_t full_odds(std::span<const std::uint8_t> bytes, std::size_t one) noexcept {
  return static_cast<std::int16_t>(read_big_endian(bytes.subspan(kPersonal + 2 * one, 2)));
}

bool is_hint(const DecisionScale& model, std::span<const std::uint8_t> bytes) noexcept {
  const std::size_t classes = model.classes();
  if (bytes.size() < kPersonal || bytes[0] != kHintVersion) return false;
  if (bytes[1] == usual_form) return bytes.size() == kPersonal;
  if (bytes[1] != (model.hint == HintKind::coarse ? coarse_form : full_form)) return false;
  if (bytes[1] == coarse_form) {
    return bytes.size() == kPersonal + 3 && bytes[2] < classes && bytes[3] < classes && bytes[2] != bytes[3] &&
           bytes[4] < kHintSteps;
  }
  if (bytes.size() != kPersonal + 2 * classes) return false;
  int most = full_odds(bytes, 0);
  for (std::size_t c = 1; c < classes; ++c) most = std::max<int>(most, full_odds(bytes, c));
  return most == 0;
}

}  // namespace

Hint Hint::usual() {
  Hint hint;
  hint.bytes_ = {kHintVersion, usual_form};
  return hint;
}

Result<Hint> Hint::coarse(const DecisionScale& model, std::uint16_t first, std::uint16_t second, std::uint8_t step) {
  if (std::max(first, second) >= kMaxAskedClasses) return not_of_this_model();
  return parse(model, std::array{kHintVersion, std::uint8_t{coarse_form}, static_cast<std::uint8_t>(first),
                                 static_cast<std::uint8_t>(second), step});
}

Result<Hint> Hint::full(const DecisionScale& model, std::span<const std::int16_t> odds) {
  std::vector<std::uint8_t> bytes{kHintVersion, full_form};
  for (const std::int16_t one : odds) append_big_endian(static_cast<std::uint16_t>(one), 2, bytes);
  return parse(model, bytes);
}

Result<Hint> Hint::parse(const DecisionScale& model, std::span<const std::uint8_t> bytes) {
  if (!is_hint(model, bytes)) return not_of_this_model();
  Hint hint;
  hint.bytes_ = std::vector<std::uint8_t>(bytes.begin(), bytes.end());
  return hint;
}

void Hint::odds(const DecisionScale& model, std::span<std::int32_t> out) const noexcept {
  if (bytes_[1] == usual_form) {
    std::copy(model.usual.begin(), model.usual.end(), out.begin());
  } else if (bytes_[1] == coarse_form) {
    std::fill(out.begin(), out.end(), model.others[bytes_[4]]);
    out[bytes_[2]] = 0;
    out[bytes_[3]] = model.second[bytes_[4]];
  } else {
    for (std::size_t c = 0; c < out.size(); ++c) out[c] = full_odds(bytes_, c);
  }
}

}  // namespace ppgnn::ldp
