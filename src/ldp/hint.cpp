#include "ppgnn/ldp/hint.hpp"

#include <algorithm>

#include "ppgnn/core/text.hpp"
#include "ppgnn/ldp/payload.hpp"

namespace ppgnn::ldp {

namespace {

constexpr std::uint8_t kHintVersion = 1;
enum Form : std::uint8_t { usual_form, coarse_form, full_form };
constexpr std::size_t kPersonal = 2;  // where what is said of the person begins

Error no_hint(std::string_view what) {
  return {ErrorCode::malformed, filled("hint: {}", {what})};
}

}  // namespace

Hint Hint::usual() {
  Hint hint;
  hint.bytes_ = {kHintVersion, usual_form};
  return hint;
}

Result<Hint> Hint::coarse(const PublishedModel& model, std::uint16_t first, std::uint16_t second, std::uint8_t step) {
  if (model.tables().hint != HintKind::coarse) return no_hint("the model's hints are full");
  if (first >= model.classes() || second >= model.classes()) return no_hint("there is no such class");
  if (first == second) return no_hint("a class occurs twice");
  if (step >= kHintSteps) return no_hint("there is no such step");
  Hint hint;
  hint.bytes_ = {kHintVersion, coarse_form, static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(second), step};
  return hint;
}

Result<Hint> Hint::full(const PublishedModel& model, std::span<const std::int16_t> odds) {
  if (model.tables().hint != HintKind::full) return no_hint("the model's hints are coarse");
  if (odds.size() != model.classes()) return no_hint("wrong length");
  if (*std::max_element(odds.begin(), odds.end()) != 0) return no_hint("the largest odds are not 0");
  Hint hint;
  hint.bytes_ = {kHintVersion, full_form};
  for (const std::int16_t one : odds) append_big_endian(static_cast<std::uint16_t>(one), 2, hint.bytes_);
  return hint;
}

Result<Hint> Hint::parse(const PublishedModel& model, std::span<const std::uint8_t> bytes) {
  if (bytes.size() < kPersonal) return no_hint("cut off");
  if (bytes[0] != kHintVersion) return no_hint("version: not 1");
  if (bytes[1] == usual_form && bytes.size() == kPersonal) return usual();
  if (bytes[1] == coarse_form && bytes.size() == kPersonal + 3) return coarse(model, bytes[2], bytes[3], bytes[4]);
  if (bytes[1] != full_form || bytes.size() != kPersonal + 2 * model.classes()) return no_hint("wrong length");
  std::vector<std::int16_t> odds;
  for (auto rest = bytes.subspan(kPersonal); !rest.empty(); rest = rest.subspan(2)) {
    odds.push_back(static_cast<std::int16_t>(read_big_endian(rest.first(2))));
  }
  return full(model, odds);
}

void Hint::odds(const PublishedModel& model, std::span<std::int32_t> out) const noexcept {
  const DecisionTables& tables = model.tables();
  if (bytes_[1] == usual_form) {
    std::copy(tables.usual.begin(), tables.usual.end(), out.begin());
  } else if (bytes_[1] == coarse_form) {
    const HintStep step = tables.steps[bytes_[4]];
    std::fill(out.begin(), out.end(), step.others);
    out[bytes_[2]] = 0;
    out[bytes_[3]] = step.second;
  } else {
    for (std::size_t c = 0; c < out.size(); ++c) {
      out[c] = static_cast<std::int16_t>(read_big_endian(std::span(bytes_).subspan(kPersonal + 2 * c, 2)));
    }
  }
}

}  // namespace ppgnn::ldp
