#include "ppgnn/report/table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include "ppgnn/core/number.hpp"
#include "ppgnn/nn/backbones.hpp"

namespace ppgnn::report {

namespace {

std::string fixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string value_in(const study::Match& match, const std::string& factor) {
  for (const auto& [name, values] : match.values) {
    if (name == factor) return values.front();
  }
  return {};
}

// Few runs have no interval.
std::string show(const simulate::Interval& interval, const std::string& metric, std::size_t runs) {
  const double factor = is_percentage(metric) ? 100 : 1;
  const int digits = is_percentage(metric) ? 1 : 3;
  if (!interval.known) return fixed(factor * interval.mean, digits) + (runs == 1 ? " (1 run)" : " (2 runs)");
  return fixed(factor * interval.mean, digits) + " [" + fixed(factor * interval.low, digits) + ", " +
         fixed(factor * interval.high, digits) + "]";
}

// Factors by which two settings differ, or all of one.
std::string describe(const study::Setting& factors, const std::set<std::string>& leave_out) {
  std::string text;
  for (const study::Factor& factor : study::kFactors) {
    const auto found = factors.find(factor.name);
    if (found == factors.end() || leave_out.contains(found->first)) continue;
    text += (text.empty() ? "" : ", ") + show_factor(found->first, found->second);
  }
  return text;
}

// Of a cell that is not complete; "(1 run)" stands there already.
std::string runs_missing(std::size_t there, std::size_t wanted) {
  if (there < 2 || there >= wanted) return {};
  return " (" + std::to_string(there) + " of " + std::to_string(wanted) + " runs)";
}

std::string join_headers(const std::vector<std::string>& factors, const study::Match& match) {
  std::string text;
  for (const std::string& factor : factors) {
    text += (text.empty() ? "" : ", ") + show_value(factor, value_in(match, factor));
  }
  return text;
}

// Whether a method keeps people's features from the server and has something to say of them: what "best" is among.
bool competes(const std::string& name) {
  const study::MethodEntry* method = study::method_named(name);
  return method != nullptr && !method->mechanism.empty() && !method->is_control() &&
         method->taught == simulate::Taught::reports;
}

// The best method of every column, among rows that differ in nothing else.
void mark_best(Table& table) {
  const auto found = std::find(table.head.begin(), table.head.end(), "method");
  const auto at = static_cast<std::size_t>(found - table.head.begin());
  if (at >= table.row_headers) return;
  const auto group_of = [&](std::size_t row) {
    std::vector<std::string> group(table.plain[row].begin(),
                                   table.plain[row].begin() + static_cast<std::ptrdiff_t>(table.row_headers));
    group[at].clear();
    return group;
  };
  for (std::size_t column = table.row_headers; column < table.head.size(); ++column) {
    std::map<std::vector<std::string>, std::pair<std::size_t, std::size_t>> best;  // its row, and how many compete
    const auto value = [&](std::size_t row) { return parse_number(table.plain[row][column]); };
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      if (!competes(table.plain[row][at]) || !value(row)) continue;
      const auto [entry, first] = best.try_emplace(group_of(row), row, 0);
      if (*value(row) > *value(entry->second.first)) entry->second.first = row;
      ++entry->second.second;
    }
    for (const auto& [group, row] : best) {
      if (row.second > 1) table.best.insert({row.first, column});
    }
  }
}

}  // namespace

bool is_percentage(const std::string& metric) {
  return metric.find("accuracy") != std::string::npos || metric.find("advantage") != std::string::npos ||
         metric.find("success") != std::string::npos || metric.find("bound") != std::string::npos;
}

std::string show_value(const std::string& factor, const std::string& value) {
  if (factor == "method") return study::method_title(value);
  if (factor == "data") {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kNames{
        {{"cora", "Cora"},
         {"citeseer", "CiteSeer"},
         {"pubmed", "Pubmed"},
         {"lastfm", "LastFM"},
         {"facebook", "Facebook"},
         {"wikipedia", "Wikipedia"},
         {study::kLastfmSubset, "LastFM subset*"}}};
    for (const auto& [name, shown] : kNames) {
      if (name == value) return std::string(shown);
    }
  }
  if (factor == "backbone") {
    const nn::Backbone* backbone = nn::backbone_named(value);
    return backbone == nullptr ? value : std::string(backbone->title);
  }
  return value;
}

std::string show_factor(const std::string& factor, const std::string& value) {
  std::string shown = show_value(factor, value);
  if (factor == "data" || factor == "method" || factor == "backbone") return shown;
  return factor == "scale" ? shown + " scale" : factor + " " + shown;
}

namespace {

// The row of what is printed elsewhere for the method of these rows; where nothing is, all its columns are empty.
std::vector<std::string> printed_row(const EvaluatedStudy& study, const study::Match& row,
                                     const std::vector<study::Match>& columns) {
  std::vector<std::string> shown;
  for (const study::Match& column : columns) {
    study::Setting setting;
    for (const auto& [factor, values] : row.with(column).values) setting[factor] = values.front();
    if (setting["data"] == study::kLastfmSubset) setting["data"] = "lastfm";  // of which the figure is
    const auto& printed = study.declaration.printed;
    const auto found = std::find_if(printed.begin(), printed.end(), [&](const study::PrintedValue& one) {
      // Of several methods that are held against a figure, the first is the one it is printed for.
      return one.where(setting) && value_in(one.where, "method") == setting["method"];
    });
    shown.push_back(found == printed.end() ? "" : fixed(100 * found->value, 1));
  }
  return shown;
}

// Beside printed figures: half of the interval, as the paper has it.
std::string show_half(const simulate::Interval& interval, std::size_t runs) {
  const std::string mean = fixed(100 * interval.mean, 1);
  if (!interval.known) return mean + (runs == 1 ? " (1 run)" : " (2 runs)");
  return mean + " ± " + fixed(50 * (interval.high - interval.low), 1);
}

class TableMaker {
 public:
  TableMaker(const EvaluatedStudy& study, const study::TableView& view)
      : study_(study), view_(view), where_(study.met(view.where)) {
    table_.name = view.name;
    table_.title = view.title;
    table_.quick = study.declaration.quick;
    // What varies beyond the view, because somebody asked for more, heads the rows.
    std::vector<std::string> listed = view.rows;
    listed.insert(listed.end(), view.columns.begin(), view.columns.end());
    rows_ = study.others(listed, where_);
    rows_.insert(rows_.end(), view.rows.begin(), view.rows.end());
    table_.row_headers = rows_.size();
    table_.head = rows_;
    columns_ = study.combinations(view.columns, where_);
    for (const study::Match& column : columns_) table_.head.push_back(join_headers(view.columns, column));
  }

  Table make() {
    std::vector<std::string> group;
    for (const study::Match& row : study_.combinations(rows_, where_)) {
      std::vector<std::string> heads;
      for (const std::string& factor : rows_) heads.push_back(value_in(row, factor));
      std::vector<std::string> above(heads.begin(), heads.end() - (heads.empty() ? 0 : 1));
      if (view_.printed && above != group) {
        group = above;
        above.emplace_back("printed");
        const std::vector<std::string> printed = printed_row(study_, row, columns_);
        add(above, printed, printed);
      }
      add_measured(row, heads);
    }
    if (view_.metric == "accuracy") mark_best(table_);
    table_.note = note();
    return std::move(table_);
  }

 private:
  void add_measured(const study::Match& row, const std::vector<std::string>& heads) {
    std::vector<std::string> shown;
    std::vector<std::string> plain;
    for (const study::Match& column : columns_) {
      const EvaluatedCell* cell = study_.find(row.with(column));
      const auto interval = cell == nullptr ? std::nullopt : cell->interval(view_.metric);
      const std::size_t runs = cell == nullptr ? 0 : cell->values(view_.metric).size();
      std::string text = !interval       ? ""
                         : view_.printed ? show_half(*interval, runs)
                                         : show(*interval, view_.metric, runs);
      if (cell != nullptr && cell->failed() > 0) {
        text += (text.empty() ? "" : " ") + std::to_string(cell->failed()) + " failed";
      } else if (interval) {
        text += runs_missing(cell->runs.size(), cell->cell.runs);
      }
      shown.push_back(text);
      plain.push_back(interval ? format_number(interval->mean) : "");
    }
    add(heads, shown, plain);
  }

  // Unless there is nothing in it.
  void add(const std::vector<std::string>& heads, const std::vector<std::string>& shown,
           const std::vector<std::string>& plain) {
    if (std::all_of(shown.begin(), shown.end(), [](const std::string& text) { return text.empty(); })) return;
    std::vector<std::string>& row = table_.rows.emplace_back();
    for (std::size_t i = 0; i < heads.size(); ++i) row.push_back(show_value(rows_[i], heads[i]));
    row.insert(row.end(), shown.begin(), shown.end());
    std::vector<std::string>& numbers = table_.plain.emplace_back(heads);
    numbers.insert(numbers.end(), plain.begin(), plain.end());
  }

  [[nodiscard]] std::string note() const {
    std::string note =
        study_.made_of(where_, view_.metric) + (is_percentage(view_.metric) ? " Percent: mean" : " Mean");
    note += view_.printed ? " over runs and half of the 95% t interval." : " over runs and 95% t interval.";
    if (!table_.best.empty()) note += " Bold: the best private method.";
    if (has_subset(study_)) note += std::string(" ") + kSubsetNote;
    return note;
  }

  const EvaluatedStudy& study_;
  const study::TableView& view_;
  study::Match where_;
  std::vector<std::string> rows_;  // factors
  std::vector<study::Match> columns_;
  Table table_;
};

}  // namespace

Table make_table(const EvaluatedStudy& study, const study::TableView& view) {
  return TableMaker(study, view).make();
}

Table make_lift_table(const EvaluatedStudy& study) {
  Table table;
  table.name = study.declaration.id + "-lift";
  table.quick = study.declaration.quick;
  table.title = "What private features add to the graph alone";
  table.note =
      "Paired with the control on the same splits: accuracy points, and nats of log-loss a person (above 0 is better). "
      "Corrected resampled t test; p (Holm) over the data sets of the line's other factors.";
  table.head = {"method", "where", "runs", "control", "points", "p", "p (Holm)", "nats", "p", "p (Holm)"};
  table.row_headers = 2;
  for (const Lift& lift : lifts(study)) {
    if (!study::method_named(study::value_of(lift.factors, "method"))->campaign) continue;
    const auto control = control_of(study, lift.factors)->interval("accuracy");
    table.rows.push_back({study::method_title(study::value_of(lift.factors, "method")),
                          describe(lift.factors, {"method"}), std::to_string(lift.points.runs),
                          fixed(100 * control->mean, 1), fixed(100 * lift.points.difference, 2),
                          p_text(lift.points.p_value), p_text(lift.points.holm), fixed(lift.nats.difference, 4),
                          p_text(lift.nats.p_value), p_text(lift.nats.holm)});
  }
  return table;
}

Table make_choice_table(const EvaluatedStudy& study) {
  Table table;
  table.name = study.declaration.id + "-chosen";
  table.quick = study.declaration.quick;
  table.title = "Values chosen by validation";
  table.note = "On runs of their own, by validation loss only.";
  table.head = {"for", "candidates", "chosen"};
  table.row_headers = 1;
  // Cells that share their choice, such as those of neighbouring budgets, share their line.
  std::set<std::vector<std::string>> seen;
  for (const EvaluatedCell& cell : study.cells) {
    if (cell.candidates == 0 || !cell.chosen) continue;
    study::Setting where;
    for (const char* factor : {"data", "method", "epsilon", "levels", "h", "backbone", "scale"}) {
      if (const auto found = cell.cell.factors.find(factor); found != cell.cell.factors.end()) where.insert(*found);
    }
    study::Setting here;
    study::Setting elsewhere;
    for (const std::string& factor : cell.open) {
      const bool carried = std::find(cell.carried.begin(), cell.carried.end(), factor) != cell.carried.end();
      (carried ? elsewhere : here)[factor] = cell.chosen->at(factor);
    }
    std::string chosen = study::text_of(here);
    if (!elsewhere.empty()) {
      chosen += here.empty() ? "on " : "; on ";
      chosen += show_value("data", *study.declaration.select.dense_on) + ": " + study::text_of(elsewhere);
    }
    std::vector<std::string> row{describe(where, {}), std::to_string(cell.candidates), chosen};
    if (seen.insert(row).second) table.rows.push_back(std::move(row));
  }
  return table;
}

Table make_comparison_table(const std::vector<Comparison>& comparisons, bool clear_only) {
  Table table;
  table.name = "comparisons";
  table.title = "Paired differences to the control and to LPGNN";
  table.note =
      "Accuracy points on the same splits; corrected resampled t test, p corrected by Holm over all comparisons of "
      "this "
      "report.";
  if (clear_only) {
    table.name += "-clear";
    table.note += " Only those with p below .05 after that correction; comparisons.csv has all " +
                  std::to_string(comparisons.size()) + ".";
  }
  table.head = {"study", "method", "where", "against", "points", "runs", "p", "p (Holm)"};
  table.row_headers = 3;
  for (const Comparison& one : comparisons) {
    if (clear_only && !(one.holm < .05)) continue;
    table.rows.push_back({one.study, study::method_title(study::value_of(one.first, "method")),
                          describe(one.first, {"method"}), study::method_title(study::value_of(one.second, "method")),
                          fixed(100 * one.difference, 2), std::to_string(one.runs), p_text(one.p_value),
                          p_text(one.holm)});
  }
  return table;
}

Table make_claim_table(const std::vector<ClaimOutcome>& claims) {
  Table table;
  table.name = "claims";
  table.title = "Claims in our measurements: the paper's, and where it says so ours";
  table.note =
      "A claim holds when no comparison is missing or goes the other way and at least one is clear (p < .05, Holm over "
      "the comparisons of all claims); in part when more are clear for it than against it, and does not when they are "
      "not. Where none is clear alone, all of a claim together decide: p in brackets is of their mean, run by run, "
      "against 0 or the claim's margin, Holm over the claims (a second family, at .05 like the first). No clear "
      "difference: not even that is clear, which with few runs says little. Tests are given the values that were "
      "chosen. Claims about a level (near, more than) are judged by the means alone.";
  table.head = {"study", "claim", "scale", "verdict", "measured"};
  table.row_headers = 3;
  std::size_t unmeasured = 0;
  for (const ClaimOutcome& claim : claims) {
    if (claim.verdict == ClaimOutcome::Verdict::unmeasured && claim.without + claim.missing == 0) {
      ++unmeasured;
      continue;
    }
    table.rows.push_back(
        {claim.study, claim.text, claim.scale.empty() ? "-" : claim.scale, to_text(claim.verdict), claim.reason});
  }
  if (unmeasured > 0)
    table.note += " Left out, as nothing of theirs was asked for: " + std::to_string(unmeasured) + ".";
  return table;
}

Table make_print_table(const std::vector<PrintedComparison>& comparisons) {
  Table table;
  table.name = "paper";
  table.title = "The paper's figures beside ours";
  table.note = "Test accuracy in percent. The paper's scale is raw; the control is what the graph alone gives.";
  table.head = {"study", "where", "paper", "ours", "difference", "control"};
  table.row_headers = 2;
  std::size_t unmeasured = 0;
  for (const PrintedComparison& one : comparisons) {
    if (!one.measured && one.failed == 0) {
      ++unmeasured;
      continue;
    }
    table.rows.push_back({one.study, describe(one.factors, {}), fixed(100 * one.printed, 1),
                          (one.measured ? show(*one.measured, "accuracy", one.runs) : "not measured") +
                              (one.failed > 0 ? " " + std::to_string(one.failed) + " failed" : "") +
                              runs_missing(one.runs + one.failed, one.wanted),
                          one.measured ? fixed(100 * (one.measured->mean - one.printed), 1) : "",
                          one.control ? fixed(100 * one.control->mean, 1) : ""});
  }
  if (unmeasured > 0) table.note += " Left out, as not measured: " + std::to_string(unmeasured) + ".";
  return table;
}

}  // namespace ppgnn::report
