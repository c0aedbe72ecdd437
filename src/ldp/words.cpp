#include "ppgnn/ldp/words.hpp"

#include <cmath>

#include "ppgnn/core/number.hpp"
#include "ppgnn/core/text.hpp"
#include "ppgnn/ldp/mechanism.hpp"
#include "ppgnn/ldp/messages.hpp"

namespace ppgnn::ldp {

namespace {

// A budget counts as used up to rounding.
bool has_rest(const Plan& plan, std::size_t level) noexcept {
  return spent(plan, level) < plan.levels()[level].budget * (1 - 1e-9);
}

// One of the texts that every report kind has.
template <class Text>
std::string text_of(const Plan& plan, const Text& text) {
  return with_mechanism(plan.kind(), [&](auto mechanism) { return std::string(text(mechanism)); });
}

}  // namespace

double spent(const Plan& plan, std::size_t level) noexcept {
  return plan.certificate().features[level] + plan.certificate().level_report;
}

bool is_public(const Plan& plan) noexcept {
  return plan.tables().secrecy == LevelSecrecy::public_level;
}

std::string title_of(const Plan& plan) {
  return text_of(plan, [&](auto mechanism) { return decltype(mechanism)::title(plan.shape(0)); });
}

std::string introduction_to(const Plan& plan) {
  return text_of(plan, [](auto mechanism) { return decltype(mechanism)::kIntroduction; });
}

std::string words_for(const Plan& plan, std::size_t level) {
  const Certificate& certificate = plan.certificate();
  const double loss = certificate.features[level];
  std::string words =
      filled(messages::kLevel,
             {level + 1, text_of(plan, [&](auto mechanism) { return decltype(mechanism)::content(plan.shape(level)); }),
              certificate.level_report > 0 && !is_public(plan) ? messages::kNoisyLevel : std::string_view(),
              format_significant_up(std::exp(loss), 3), surer(loss)});
  if (is_public(plan)) {
    words += messages::kLevelSent;
  } else {
    words += filled(messages::kLevelHidden, {surer(certificate.level_given_features)});
  }
  if (has_rest(plan, level)) {
    words += filled(messages::kRest, {plan.levels()[level].budget, format_significant_up(spent(plan, level), 4)});
  }
  return words;
}

std::vector<std::string> notes_on(const Plan& plan) {
  std::vector<std::string> notes;
  std::string capped;
  for (std::size_t i = 0; i < plan.levels().size(); ++i) {
    const double loss = plan.certificate().features[i];
    if (has_rest(plan, i)) capped += filled("{}{}", {capped.empty() ? std::string_view() : messages::kAnd, i + 1});
    if (loss > 10) {
      notes.push_back(
          filled(messages::kMuch, {i + 1, format_significant_up(loss, 4), format_significant_up(std::exp(loss), 2)}));
    }
  }
  if (!capped.empty()) {
    notes.push_back(filled(is_public(plan) ? messages::kCappedPublic : messages::kCapped, {capped}));
  }
  if (is_public(plan)) notes.emplace_back(messages::kInTheClear);
  notes.emplace_back(messages::kAddsUp);
  notes.emplace_back(messages::kFriends);
  if (is_public(plan)) {
    notes.emplace_back(messages::kTimePublic);
  } else {
    notes.push_back(
        filled(messages::kTimeHidden, {text_of(plan, [](auto mechanism) { return decltype(mechanism)::kTime; })}));
  }
  return notes;
}

std::string surer(double loss) {
  const double percent = 100 / (1 + std::exp(-loss));
  if (percent > 99.9) return std::string(messages::kCertain);
  const std::string most = format_fixed_up(percent, 1);
  return filled(messages::kSurer, {most, format_fixed(100 - parse_number(most).value_or(percent), 1)});
}

}  // namespace ppgnn::ldp
