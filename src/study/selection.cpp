#include <algorithm>
#include <cmath>
#include <limits>

#include "ppgnn/core/number.hpp"
#include "ppgnn/study/experiment.hpp"

namespace ppgnn::study {

namespace {

// Values of the grid that are open for a cell: the factor matters to it, and the study neither varies it itself nor
// sets it by a rule. The scale is open where it is "common"; gamma in the paper's protocol only.
Grid open_values(const Cell& cell, const Selection& selection, const Grid& varied) {
  Grid open;
  for (const auto& [factor, values] : selection.grid) {
    const auto found = cell.canonical.find(factor);
    if (found == cell.canonical.end()) continue;
    if (factor == "gamma" && method_named(cell.canonical.at("method"))->protocol != Protocol::paper) continue;
    const bool fixed = std::any_of(varied.begin(), varied.end(),
                                   [&, name = factor](const auto& entry) { return entry.first == name; }) ||
                       std::find(cell.given.begin(), cell.given.end(), factor) != cell.given.end();
    if (factor == "scale" ? found->second == "common" : !fixed) open.emplace_back(factor, values);
  }
  return open;
}

// The cell whose runs decide: at the nearest epsilon that is tuned (by their ratio; of two as near the first), on the
// data set the method is tuned on.
Result<Setting> deciding(const Cell& cell, const Selection& selection) {
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
  if (selection.dense_on && method_named(setting["method"])->dense) setting["data"] = *selection.dense_on;
  return canonical(setting);
}

std::string share_of_epochs(const std::string& epochs) {
  const double number = parse_number(epochs).value_or(10);
  return format_number(std::max(1.0, std::floor(number / 10)));
}

}  // namespace

Result<Choice> choose(const Cell& cell, const Selection& selection, const Grid& varied,
                      const std::function<std::string(const Setting&)>& key, const RecordStore& records) {
  Choice choice;
  const Grid open = open_values(cell, selection, varied);
  if (open.empty()) {
    choice.setting = cell.canonical;
    return choice;
  }
  const Result<Setting> base = deciding(cell, selection);
  if (!base) return base.error();
  std::vector<Setting> candidates = combinations(open);
  choice.candidates = candidates.size();

  struct Round {
    std::size_t keep;  // candidates that enter
    std::size_t runs;
    bool in_full;
  };
  const std::size_t all = candidates.size();
  std::vector<Round> rounds{{all, selection.runs, true}};
  if (all > 4) {
    rounds = {{all, 1, false},
              {std::max<std::size_t>(4, all / 24), 1, true},
              {std::max<std::size_t>(2, all / 96), selection.runs, true}};
  }
  for (const Round& round : rounds) {
    candidates.resize(std::min(candidates.size(), round.keep));
    std::vector<std::pair<double, Setting>> scored;
    for (const Setting& candidate : candidates) {
      Setting setting = *base;
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
  Setting chosen = cell.canonical;
  for (const auto& [factor, value] : candidates.front()) chosen[factor] = value;
  Result<Setting> spelled = canonical(chosen);
  if (!spelled) return spelled.error();
  choice.setting = std::move(spelled).value();
  return choice;
}

}  // namespace ppgnn::study
