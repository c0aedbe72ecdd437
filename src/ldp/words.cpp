#include "ppgnn/ldp/words.hpp"

#include <cmath>

#include "ppgnn/core/number.hpp"
#include "ppgnn/core/text.hpp"
#include "ppgnn/ldp/mechanism.hpp"

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
  std::string words = filled(
      "Level {}. Your device sends {}{}. Somebody who sees it, even knowing your level, becomes surer about your "
      "features by a factor of {} on the odds at most: {}. ",
      {level + 1, text_of(plan, [&](auto mechanism) { return decltype(mechanism)::content(plan.shape(level)); }),
       certificate.level_report > 0 && !is_public(plan) ? ", and your level, also with noise" : "",
       format_significant_up(std::exp(loss), 3), surer(loss)});
  if (is_public(plan)) {
    words += "Your level is sent along: everybody who sees the report knows it.";
  } else {
    words += filled("About your level, somebody who already knows your features goes {}.",
                    {surer(certificate.level_given_features)});
  }
  if (has_rest(plan, level)) {
    words += filled(" Of your budget of {}, {} is used.",
                    {plan.levels()[level].budget, format_significant_up(spent(plan, level), 4)});
  }
  return words;
}

std::vector<std::string> notes_on(const Plan& plan) {
  std::vector<std::string> notes;
  std::string capped;
  for (std::size_t i = 0; i < plan.levels().size(); ++i) {
    const double loss = plan.certificate().features[i];
    if (has_rest(plan, i)) capped += filled("{}{}", {capped.empty() ? "" : ", ", i + 1});
    if (loss > 10) {
      notes.push_back(filled("level {} spends {}: odds may change {}-fold; above 10, private says little",
                             {i + 1, format_significant_up(loss, 4), format_significant_up(std::exp(loss), 2)}));
    }
  }
  if (!capped.empty()) {
    notes.push_back(
        filled("level {}: less is spent than the budget allows; {}",
               {capped, is_public(plan) ? "no report of these columns says more" : "more would give the level away"}));
  }
  if (is_public(plan)) notes.emplace_back("the level travels with the report in the clear");
  notes.emplace_back("the bounds hold for one report; k reports of one person add up to k times as much");
  notes.emplace_back(
      "the graph and the labels are public to the server, and friends' reports also say something about a person");
  if (is_public(plan)) {
    notes.emplace_back("time and size of a report depend on the level, which it states");
  } else {
    notes.push_back(filled("time and size of a report do not depend on the level{}",
                           {text_of(plan, [](auto mechanism) { return decltype(mechanism)::kTime; })}));
  }
  return notes;
}

std::string surer(double loss) {
  const double percent = 100 / (1 + std::exp(-loss));
  if (percent > 99.9) return "from 50:50 to near certainty";
  const std::string most = format_fixed_up(percent, 1);
  return filled("from 50:50 to at most {}:{}", {most, format_fixed(100 - parse_number(most).value_or(percent), 1)});
}

}  // namespace ppgnn::ldp
