#include "ppgnn/report/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <utility>

#include "ppgnn/core/names.hpp"
#include "ppgnn/core/number.hpp"

namespace ppgnn::report {

const EvaluatedCell* counterpart(const EvaluatedStudy& study, const study::Setting& factors,
                                 const study::Setting& replaced) {
  study::Match match;
  for (const auto& [factor, value] : factors) {
    const auto other = replaced.find(factor);
    match.values.push_back({factor, {other == replaced.end() ? value : other->second}});
  }
  return study.find(match);
}

const EvaluatedCell* control_of(const EvaluatedStudy& study, const study::Setting& factors) {
  // What the graph alone gives; of methods that average reports that is random reports, where a study has them.
  const study::MethodEntry* method = study::method_named(study::value_of(factors, "method"));
  if (method == nullptr || !method->campaign) {
    const EvaluatedCell* found = counterpart(study, factors, {{"method", "control"}, {"scale", "common"}});
    if (found == nullptr) found = counterpart(study, factors, {{"method", "control"}});
    if (found != nullptr) return found;
  }
  // It looks at little of what others are told: budgets, readings and training are none of its business.
  const study::MethodEntry& graph_alone = *study::method_named("teach-control");
  study::Setting seen = factors;
  std::erase_if(seen, [&](const auto& entry) {
    const study::Factor* factor = find_named(study::kFactors, entry.first);
    return factor == nullptr || (factor->name != "method" && !study::matters(*factor, graph_alone, true));
  });
  return counterpart(study, seen, {{"method", "teach-control"}});
}

std::optional<Comparison> compare(const EvaluatedStudy& study, const EvaluatedCell& first, const EvaluatedCell& second,
                                  const std::string& metric, double margin) {
  std::vector<double> a;
  std::vector<double> b;
  Comparison comparison;
  comparison.study = study.declaration.id;
  comparison.first = first.cell.factors;
  comparison.second = second.cell.factors;
  for (const study::Record* one : first.runs) {
    const auto other = std::find_if(second.runs.begin(), second.runs.end(),
                                    [&](const study::Record* record) { return record->run == one->run; });
    if (other == second.runs.end()) continue;
    const auto x = one->metrics.find(metric);
    const auto y = (*other)->metrics.find(metric);
    if (x == one->metrics.end() || y == (*other)->metrics.end()) continue;
    a.push_back(x->second);
    b.push_back(y->second - margin);
    comparison.differences[one->run] = x->second - y->second;
    if (const auto ratio = one->metrics.find("test_over_train"); ratio != one->metrics.end()) {
      comparison.test_over_train = ratio->second;
    }
  }
  if (a.empty()) return std::nullopt;
  const simulate::PairedTest test = simulate::corrected_resampled_t(a, b, comparison.test_over_train);
  comparison.difference = test.difference - margin;
  comparison.p_value = comparison.holm = test.p_value;
  comparison.runs = a.size();
  comparison.failed = first.failed() + second.failed();
  return comparison;
}

namespace {

// Controls, and what uses features as they are.
bool is_reference(const study::Setting& factors) {
  const study::MethodEntry* method = study::method_named(study::value_of(factors, "method"));
  return method != nullptr && (method->is_control() || method->mechanism.empty());
}

}  // namespace

std::vector<Lift> lifts(const EvaluatedStudy& study) {
  std::vector<Lift> all;
  for (const EvaluatedCell& cell : study.cells) {
    const EvaluatedCell* control = control_of(study, cell.cell.factors);
    if (control == nullptr || is_reference(cell.cell.factors)) continue;
    auto points = compare(study, cell, *control, "accuracy");
    auto nats = compare(study, *control, cell, "log_loss");
    if (points && nats) all.push_back({cell.cell.factors, std::move(*points), std::move(*nats)});
  }
  std::map<study::Setting, std::vector<Lift*>> families;
  for (Lift& lift : all) {
    study::Setting others = lift.factors;
    others.erase("data");
    families[others].push_back(&lift);
  }
  for (const auto& [others, family] : families) {
    for (Comparison Lift::*measure : {&Lift::points, &Lift::nats}) {
      std::vector<Comparison*> together;
      for (Lift* lift : family) together.push_back(&(lift->*measure));
      correct_together(together);
    }
  }
  return all;
}

std::vector<Comparison> against_references(const EvaluatedStudy& study) {
  std::vector<Comparison> all;
  for (const EvaluatedCell& cell : study.cells) {
    const std::string method = study::value_of(cell.cell.factors, "method");
    if (is_reference(cell.cell.factors)) continue;
    if (const EvaluatedCell* control = control_of(study, cell.cell.factors)) {
      if (auto found = compare(study, cell, *control, "accuracy")) all.push_back(std::move(*found));
    }
    if (method == "lpgnn") continue;
    if (const EvaluatedCell* lpgnn = counterpart(study, cell.cell.factors, {{"method", "lpgnn"}})) {
      if (auto found = compare(study, cell, *lpgnn, "accuracy")) all.push_back(std::move(*found));
    }
  }
  return all;
}

void correct_together(std::vector<Comparison*> comparisons) {
  std::erase_if(comparisons, [](const Comparison* one) { return one->runs < simulate::kLeastRuns; });
  std::vector<double> p_values;
  for (const Comparison* one : comparisons) p_values.push_back(one->p_value);
  const std::vector<double> corrected = simulate::holm(p_values);
  for (std::size_t i = 0; i < comparisons.size(); ++i) comparisons[i]->holm = corrected[i];
}

std::vector<PrintedComparison> against_print(const EvaluatedStudy& study) {
  std::vector<PrintedComparison> all;
  for (const study::PrintedValue& printed : study.declaration.printed) {
    const std::size_t before = all.size();
    for (const EvaluatedCell& cell : study.cells) {
      if (!printed.where(cell.cell.factors)) continue;
      const EvaluatedCell* control = control_of(study, cell.cell.factors);
      all.push_back({study.declaration.id, cell.cell.factors, printed.value, cell.interval("accuracy"),
                     cell.values("accuracy").size(), cell.cell.runs, cell.failed(),
                     control == nullptr ? std::nullopt : control->interval("accuracy")});
    }
    if (all.size() == before) {
      all.push_back(
          {study.declaration.id, study::combinations(printed.where.values).front(), printed.value, {}, 0, 0, 0, {}});
    }
  }
  return all;
}

std::size_t without_control(const EvaluatedStudy& study) {
  return static_cast<std::size_t>(std::count_if(study.cells.begin(), study.cells.end(), [&](const EvaluatedCell& cell) {
    if (!cell.interval("accuracy")) return false;
    const EvaluatedCell* control = control_of(study, cell.cell.factors);
    return control == nullptr || !control->interval("accuracy");
  }));
}

std::string p_text(double p) {
  if (p < .001) return "<.001";
  char text[16];
  std::snprintf(text, sizeof text, "%.3f", p);
  return text;
}

}  // namespace ppgnn::report
