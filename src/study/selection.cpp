#include <algorithm>
#include <cmath>
#include <limits>

#include "ppgnn/core/number.hpp"
#include "ppgnn/study/experiment.hpp"

namespace ppgnn::study {

namespace {

using KeyOf = std::function<std::string(const Setting&)>;

// Values of the grid that are open for a cell: the factor matters to it, and the study neither varies it itself nor
// sets it by a rule. The scale is open where it is "common"; gamma in the paper's protocol only.
Grid open_values(const Cell& cell, const Selection& selection, const Grid& varied) {
  Match offered{selection.grid};
  for (const Selection::Rule& rule : selection.rules) {
    if (rule.when(cell.factors)) offered = offered.with({rule.grid});
  }
  Grid open;
  for (const auto& [factor, values] : offered.values) {
    const auto found = cell.canonical.find(factor);
    if (found == cell.canonical.end()) continue;
    if (factor == "gamma" && !method_named(cell.canonical.at("method"))->is_paper()) continue;
    const bool fixed = std::any_of(varied.begin(), varied.end(),
                                   [&, name = factor](const auto& entry) { return entry.first == name; }) ||
                       std::find(cell.given.begin(), cell.given.end(), factor) != cell.given.end();
    if (factor == "scale" ? found->second == "common" : !fixed) open.emplace_back(factor, values);
  }
  return open;
}

// What depends on the data so much that it is not carried over from another data set: the scale where it is chosen, and
// the hops with it. At the raw scale the loss chooses the most hops nearly everywhere.
Grid own_values(const Grid& open) {
  Grid own;
  bool scaled = false;
  for (const auto& [factor, values] : open) {
    if (factor == "scale") scaled = true;
    if (factor == "scale" || factor == "hops") own.emplace_back(factor, values);
  }
  return scaled ? own : Grid{};
}

// The cell at the nearest epsilon that is tuned (by their ratio; of two as near the first): its runs decide.
Setting at_tuned_epsilon(const Cell& cell, const Selection& selection) {
  Setting setting = cell.canonical;
  const auto distance = [&](const std::string& value) {
    const double ratio = parse_number(value).value_or(1) / parse_number(setting["epsilon"]).value_or(1);
    return std::round(1e9 * std::abs(std::log(ratio)));  // ratios like .01/.1 and .1/1 count as equal
  };
  if (setting.contains("epsilon") && !selection.epsilon.empty()) {
    setting["epsilon"] =
        *std::min_element(selection.epsilon.begin(), selection.epsilon.end(),
                          [&](const std::string& a, const std::string& b) { return distance(a) < distance(b); });
  }
  return setting;
}

std::string share_of_epochs(const std::string& epochs) {
  const double number = parse_number(epochs).value_or(10);
  return format_number(std::max(1.0, std::floor(number / 10)));
}

struct Round {
  std::size_t keep;  // candidates that enter
  std::size_t runs;
  bool in_full;
};

// All for a tenth of the epochs, few in full, the last on all runs; few candidates at once.
std::vector<Round> rounds_for(const Grid& open, std::size_t runs) {
  const std::size_t all = combinations(open).size();
  if (all <= 4) return {{all, runs, true}};
  return {
      {all, 1, false}, {std::max<std::size_t>(4, all / 24), 1, true}, {std::max<std::size_t>(2, all / 96), runs, true}};
}

// `base` with the best combination of the open values, by mean validation loss; or the runs that are missing to say.
Result<Choice> best_of(const Setting& base, const Grid& open, const std::vector<Round>& rounds, const KeyOf& key,
                       const RecordStore& records) {
  Choice choice;
  std::vector<Setting> candidates = combinations(open);
  choice.candidates = candidates.size();
  for (const Round& round : rounds) {
    candidates.resize(std::min(candidates.size(), round.keep));
    std::vector<std::pair<double, Setting>> scored;
    for (const Setting& candidate : candidates) {
      Setting setting = base;
      for (const auto& [factor, value] : candidate) setting[factor] = value;
      if (!round.in_full) setting["epochs"] = share_of_epochs(setting["epochs"]);
      Result<Setting> spelled = canonical(setting);
      if (!spelled) return spelled.error();
      const std::string its_key = key(*spelled);
      double loss = 0;
      for (std::uint64_t run = kFirstSelectionRun; run < kFirstSelectionRun + round.runs; ++run) {
        const Record* record = records.find(its_key, run);
        if (record == nullptr) {
          choice.tasks.push_back({*spelled, its_key, run});
          continue;
        }
        const auto found = record->metrics.find("validation_loss");
        if (found == record->metrics.end()) {
          loss = std::numeric_limits<double>::infinity();
        } else {
          loss += found->second;
        }
      }
      scored.emplace_back(loss, candidate);
    }
    if (!choice.tasks.empty()) {
      for (const Round* after = &round + 1; after != rounds.data() + rounds.size(); ++after) {
        choice.later += after->keep * after->runs;
      }
      return choice;
    }
    std::stable_sort(scored.begin(), scored.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    candidates.clear();
    for (auto& [loss, candidate] : scored) candidates.push_back(std::move(candidate));
  }
  choice.setting = base;
  for (const auto& [factor, value] : candidates.front()) (*choice.setting)[factor] = value;
  return choice;
}

bool chosen_elsewhere(const Setting& base, const Selection& selection) {
  return selection.dense_on && method_named(value_of(base, "method"))->dense &&
         value_of(base, "data") != *selection.dense_on;
}

}  // namespace

std::string chosen_with(const Cell& cell, const Selection& selection, const Grid& varied) {
  if (open_values(cell, selection, varied).empty()) return {};
  Setting base = at_tuned_epsilon(cell, selection);
  if (chosen_elsewhere(base, selection)) base["data"] = *selection.dense_on;
  return text_of(base);
}

Result<Choice> choose(const Cell& cell, const Selection& selection, const Grid& varied, const KeyOf& key,
                      const RecordStore& records) {
  const Grid open = open_values(cell, selection, varied);
  Choice nothing_open;
  nothing_open.setting = cell.canonical;
  if (open.empty()) return nothing_open;
  Setting base = at_tuned_epsilon(cell, selection);
  const std::string data = value_of(base, "data");
  const bool elsewhere = chosen_elsewhere(base, selection);
  if (elsewhere) base["data"] = *selection.dense_on;
  Result<Choice> choice = best_of(base, open, rounds_for(open, selection.runs), key, records);
  if (!choice) return choice.error();
  const Grid own = elsewhere ? own_values(open) : open;
  if (elsewhere && !own.empty()) {
    const std::vector<Round> rounds = rounds_for(own, selection.runs);
    if (!choice->setting) {
      for (const Round& round : rounds) choice->later += round.in_full ? round.keep * round.runs : 0;
    } else {
      Setting here = *choice->setting;
      here["data"] = data;
      Result<Choice> refined = best_of(here, own, rounds, key, records);
      if (!refined) return refined.error();
      refined->candidates = choice->candidates;
      choice = std::move(refined);
    }
  }
  for (const auto& [factor, values] : open) {
    choice->open.push_back(factor);
    const auto same = [&, name = factor](const auto& entry) { return entry.first == name; };
    if (std::none_of(own.begin(), own.end(), same)) choice->carried.push_back(factor);
  }
  if (!choice->setting) return choice;
  Setting chosen = cell.canonical;
  for (const std::string& factor : choice->open) chosen[factor] = choice->setting->at(factor);
  Result<Setting> spelled = canonical(chosen);
  if (!spelled) return spelled.error();
  choice->setting = std::move(spelled).value();
  return choice;
}

}  // namespace ppgnn::study
