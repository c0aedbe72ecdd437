// What everybody spends.
#include <algorithm>
#include <cstdio>

#include "ppgnn/report/table.hpp"

namespace ppgnn::report {

namespace {

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

}  // namespace

Table make_privacy_table(const EvaluatedStudy& study) {
  Table table;
  table.name = study.declaration.id + "-privacy";
  table.quick = study.declaration.quick;
  table.title = "Privacy spent";
  table.note =
      "In nats, over people; the most anybody spends is the max; from one data set to another where they differ. "
      "Epsilon is the strictest person's budget, and a mean budget is the mean over the people's choices, which is "
      "what "
      "the paper's protocol spends; the strict one spends less, as it keeps the level too. Not every "
      "claim holds where noise is drawn in floating point (LP, GM), whose last digits can give values away, and where "
      "the level is not protected.";
  std::vector<std::string> factors{"method", "epsilon"};
  for (const char* factor : {"h", "levels", "gamma", "m"}) {
    const bool varied =
        std::any_of(study.declaration.factors.begin(), study.declaration.factors.end(),
                    [&](const auto& entry) { return entry.first == factor && entry.second.size() > 1; });
    if (varied) factors.emplace_back(factor);
  }
  table.row_headers = factors.size();
  for (const std::string& factor : factors) table.head.push_back(factor);
  table.head.insert(table.head.end(), {"mean", "max", "delta", "every claim holds", "level"});
  struct Spent {
    const EvaluatedCell* first;
    double least_mean, largest_mean, least_max, largest_max;
  };
  std::vector<std::pair<std::vector<std::string>, Spent>> rows;
  for (const EvaluatedCell& cell : study.cells) {
    const auto mean = cell.interval("privacy_mean");
    const auto most = cell.most("privacy_max");
    const study::MethodEntry* method = study::method_named(study::value_of(cell.cell.factors, "method"));
    if (!mean || !most || method == nullptr || method->mechanism.empty()) continue;
    std::vector<std::string> row;
    row.reserve(table.head.size());
    for (const std::string& factor : factors)
      row.push_back(show_value(factor, study::value_of(cell.cell.factors, factor)));
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const auto& one) { return one.first == row; });
    if (found == rows.end()) {
      rows.emplace_back(std::move(row), Spent{&cell, mean->mean, mean->mean, *most, *most});
      continue;
    }
    Spent& spent = found->second;
    spent.least_mean = std::min(spent.least_mean, mean->mean);
    spent.largest_mean = std::max(spent.largest_mean, mean->mean);
    spent.least_max = std::min(spent.least_max, *most);
    spent.largest_max = std::max(spent.largest_max, *most);
  }
  const auto range = [](double least, double largest) {
    const std::string from = short_number(least);
    const std::string to = short_number(largest);
    return from == to ? from : from + " to " + to;
  };
  for (auto& [row, spent] : rows) {
    const EvaluatedCell& cell = *spent.first;
    const study::MethodEntry* method = study::method_named(study::value_of(cell.cell.factors, "method"));
    row.push_back(range(spent.least_mean, spent.largest_mean));
    row.push_back(range(spent.least_max, spent.largest_max));
    // A record may lack what another version, or a hand, left out.
    const std::vector<double> delta = cell.values("privacy_delta");
    const std::vector<double> holds = cell.values("privacy_holds");
    row.push_back(delta.empty() ? "" : short_number(delta.front()));
    row.emplace_back(holds.empty() ? "" : holds.front() > 0 ? "yes" : "no");
    row.emplace_back(method->is_control()                                  ? "nobody's features are in the reports"
                     : method->budgets == study::MethodEntry::Budgets::one ? "one budget for everybody"
                     : method->is_paper()                                  ? "NOT protected: research only"
                     : method->secrecy == ldp::LevelSecrecy::public_level  ? "public"
                                                                           : "protected");
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace ppgnn::report
