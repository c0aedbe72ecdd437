#include "ppgnn/report/summary.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "ppgnn/report/table.hpp"

namespace ppgnn::report {

std::vector<double> EvaluatedCell::values(const std::string& metric) const {
  std::vector<double> found;
  for (const study::Record* run : runs) {
    if (const auto at = run->metrics.find(metric); at != run->metrics.end()) found.push_back(at->second);
  }
  return found;
}

std::optional<simulate::Interval> EvaluatedCell::interval(const std::string& metric) const {
  const std::vector<double> found = values(metric);
  if (found.empty()) return std::nullopt;
  const std::vector<double> ratio = values("test_over_train");
  return simulate::resampled_t_interval(found, ratio.empty() ? 0 : ratio.front());
}

std::optional<double> EvaluatedCell::most(const std::string& metric) const {
  const std::vector<double> found = values(metric);
  if (found.empty()) return std::nullopt;
  return *std::max_element(found.begin(), found.end());
}

std::size_t EvaluatedCell::failed() const {
  return static_cast<std::size_t>(std::count_if(
      runs.begin(), runs.end(), [](const study::Record* run) { return run->metrics.contains("failed"); }));
}

const EvaluatedCell* EvaluatedStudy::find(const study::Match& match) const {
  const auto found =
      std::find_if(cells.begin(), cells.end(), [&](const EvaluatedCell& cell) { return match(cell.cell.factors); });
  return found == cells.end() ? nullptr : &*found;
}

std::vector<std::string> EvaluatedStudy::values_of_factor(const std::string& factor, const study::Match& match) const {
  std::vector<std::string> values;
  for (const EvaluatedCell& cell : cells) {
    if (!match(cell.cell.factors)) continue;
    const std::string value = study::value_of(cell.cell.factors, factor);
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  // In the order declared, also where rules leave cells out.
  const auto declared = std::find_if(declaration.factors.begin(), declaration.factors.end(),
                                     [&](const auto& entry) { return entry.first == factor; });
  if (declared == declaration.factors.end()) return values;
  std::stable_sort(values.begin(), values.end(), [&](const std::string& a, const std::string& b) {
    const auto place = [&](const std::string& value) {
      return std::find(declared->second.begin(), declared->second.end(), value);
    };
    return place(a) < place(b);
  });
  return values;
}

std::vector<study::Match> EvaluatedStudy::combinations(const std::vector<std::string>& factors,
                                                       const study::Match& match) const {
  std::vector<study::Match> all{match};
  for (const std::string& factor : factors) {
    std::vector<study::Match> more;
    for (const study::Match& one : all) {
      for (const std::string& value : values_of_factor(factor, one)) more.push_back(one.with({{{factor, {value}}}}));
    }
    all = std::move(more);
  }
  return all;
}

std::vector<std::string> EvaluatedStudy::others(const std::vector<std::string>& listed,
                                                const study::Match& match) const {
  std::vector<std::string> more;
  for (const auto& [factor, values] : declaration.factors) {
    if (std::find(listed.begin(), listed.end(), factor) != listed.end()) continue;
    if (values_of_factor(factor, match).size() > 1) more.push_back(factor);
  }
  return more;
}

study::Match EvaluatedStudy::met(const study::Match& match) const {
  study::Match met = match;
  std::erase_if(met.values, [&](const auto& wanted) {
    const study::Match alone{{wanted}};
    return std::none_of(cells.begin(), cells.end(),
                        [&](const EvaluatedCell& cell) { return alone(cell.cell.factors); });
  });
  return met;
}

std::string EvaluatedStudy::made_of(const study::Match& match, const std::string& metric) const {
  std::vector<std::string> data;
  std::vector<std::string> backbones;
  std::size_t fewest = 0;
  std::size_t most = 0;
  const auto take = [](std::vector<std::string>& list, const std::string& name) {
    if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
  };
  for (const EvaluatedCell& cell : cells) {
    const std::size_t runs = match(cell.cell.factors) ? cell.values(metric).size() : 0;
    if (runs == 0) continue;
    take(data, show_value("data", study::value_of(cell.cell.factors, "data")));
    if (cell.cell.canonical.contains("backbone")) {
      take(backbones, show_value("backbone", cell.cell.canonical.at("backbone")));
    }
    fewest = fewest == 0 ? runs : std::min(fewest, runs);
    most = std::max(most, runs);
  }
  if (data.empty()) return "";
  const auto list = [](const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
  };
  std::string text = list(data);
  if (!backbones.empty()) text += "; " + list(backbones);
  text += "; " + (fewest == most ? "" : std::to_string(fewest) + " to ") + std::to_string(most);
  return text + (most == 1 ? " run." : " runs.");
}

std::size_t EvaluatedStudy::runs_there() const {
  return std::accumulate(cells.begin(), cells.end(), std::size_t{0},
                         [](std::size_t sum, const EvaluatedCell& cell) { return sum + cell.runs.size(); });
}

std::size_t EvaluatedStudy::runs_wanted() const {
  return std::accumulate(cells.begin(), cells.end(), std::size_t{0},
                         [](std::size_t sum, const EvaluatedCell& cell) { return sum + cell.cell.runs; });
}

Result<EvaluatedStudy> evaluate(const study::PlannedStudy& study, const study::RecordStore& records) {
  EvaluatedStudy out{study.declaration, {}};
  const auto key = [&](const study::Setting& setting) { return records.key_of_setting(setting); };
  for (const study::Cell& cell : study.cells) {
    const Result<study::Choice> choice =
        study::choose(cell, study.declaration.select, study.declaration.factors, key, records);
    if (!choice) return choice.error();
    EvaluatedCell evaluated{cell, choice->setting, choice->candidates, choice->open, choice->carried, {}};
    if (choice->setting) {
      const std::string its_key = key(*choice->setting);
      for (std::uint64_t run = 0; run < cell.runs; ++run) {
        if (const study::Record* record = records.find(its_key, run)) evaluated.runs.push_back(record);
      }
    }
    out.cells.push_back(std::move(evaluated));
  }
  return out;
}

bool has_subset(const EvaluatedStudy& study) {
  return std::any_of(study.cells.begin(), study.cells.end(), [](const EvaluatedCell& cell) {
    return study::value_of(cell.cell.canonical, "data") == study::kLastfmSubset;
  });
}

}  // namespace ppgnn::report
