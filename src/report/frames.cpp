// Results in full, for other programs: a column for every factor, a line for every cell or run.
#include <algorithm>
#include <cmath>
#include <set>

#include "ppgnn/core/number.hpp"
#include "ppgnn/report/table.hpp"

namespace ppgnn::report {

namespace {

// Factors that some cell has, in the order of their table.
std::vector<std::string> factors_of(const std::vector<EvaluatedStudy>& studies) {
  std::vector<std::string> names;
  for (const study::Factor& factor : study::kFactors) {
    const bool used = std::any_of(studies.begin(), studies.end(), [&](const EvaluatedStudy& study) {
      return std::any_of(study.cells.begin(), study.cells.end(), [&](const EvaluatedCell& cell) {
        return cell.cell.factors.contains(factor.name) || cell.cell.canonical.contains(factor.name);
      });
    });
    if (used) names.emplace_back(factor.name);
  }
  return names;
}

// The cell's values: those that were run where they are known, else those declared; empty where one does not matter.
std::vector<std::string> values_of(const std::string& study, const EvaluatedCell& cell,
                                   const std::vector<std::string>& factors) {
  std::vector<std::string> values{study};
  const study::Setting& made = cell.chosen ? *cell.chosen : cell.cell.canonical;
  for (const std::string& factor : factors) {
    const auto declared = cell.cell.factors.find(factor);
    const auto run = made.find(factor);
    // What is declared tells cells apart, also where a rule or a choice put something else in its place.
    values.push_back(declared != cell.cell.factors.end() ? declared->second : run != made.end() ? run->second : "");
  }
  return values;
}

}  // namespace

Table make_cell_table(const std::vector<EvaluatedStudy>& studies) {
  Table table;
  table.name = "cells";
  table.title = "Every cell of every study";
  const std::vector<std::string> factors = factors_of(studies);
  table.head = {"study"};
  table.head.insert(table.head.end(), factors.begin(), factors.end());
  table.head.insert(table.head.end(),
                    {"metric", "runs", "failed", "mean", "low", "high", "privacy_mean", "privacy_max"});
  table.row_headers = factors.size() + 2;
  for (const EvaluatedStudy& study : studies) {
    std::set<std::string> metrics;
    for (const study::TableView& view : study.declaration.tables) metrics.insert(view.metric);
    for (const study::FigureView& view : study.declaration.figures) metrics.insert(view.metric);
    for (const EvaluatedCell& cell : study.cells) {
      const auto spent = cell.interval("privacy_mean");
      const auto most = cell.most("privacy_max");
      const std::vector<std::string> values = values_of(study.declaration.id, cell, factors);
      for (const std::string& metric : metrics) {
        const auto interval = cell.interval(metric);
        if (!interval && cell.failed() == 0) continue;
        const auto shown = [&](double simulate::Interval::*value) {
          return interval ? format_number(std::round(1e6 * (*interval).*value) / 1e6) : "";
        };
        std::vector<std::string>& row = table.rows.emplace_back(values);
        row.insert(row.end(),
                   {metric, std::to_string(cell.values(metric).size()), std::to_string(cell.failed()),
                    shown(&simulate::Interval::mean), shown(&simulate::Interval::low), shown(&simulate::Interval::high),
                    spent ? format_number(spent->mean) : "", most ? format_number(*most) : ""});
      }
    }
  }
  return table;
}

Table make_run_table(const std::vector<EvaluatedStudy>& studies) {
  Table table;
  table.name = "runs";
  table.title = "Every run of every study";
  const std::vector<std::string> factors = factors_of(studies);
  std::set<std::string> metrics;
  for (const EvaluatedStudy& study : studies) {
    for (const EvaluatedCell& cell : study.cells) {
      for (const study::Record* run : cell.runs) {
        for (const auto& [name, value] : run->metrics) metrics.insert(name);
      }
    }
  }
  table.head = {"study"};
  table.head.insert(table.head.end(), factors.begin(), factors.end());
  table.head.insert(table.head.end(), {"run", "seconds"});
  for (const std::string& metric : metrics) {
    const bool taken = std::find(factors.begin(), factors.end(), metric) != factors.end();
    table.head.push_back(taken ? metric + "_used" : metric);  // the scale that was asked for, and the one that was used
  }
  table.row_headers = factors.size() + 2;
  for (const EvaluatedStudy& study : studies) {
    for (const EvaluatedCell& cell : study.cells) {
      const std::vector<std::string> values = values_of(study.declaration.id, cell, factors);
      for (const study::Record* run : cell.runs) {
        std::vector<std::string>& row = table.rows.emplace_back(values);
        row.push_back(std::to_string(run->run));
        row.push_back(format_number(std::round(1000 * run->seconds) / 1000));
        for (const std::string& metric : metrics) {
          const auto found = run->metrics.find(metric);
          row.push_back(found == run->metrics.end() ? "" : format_number(found->second));
        }
      }
    }
  }
  return table;
}

}  // namespace ppgnn::report
