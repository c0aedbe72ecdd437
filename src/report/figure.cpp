#include "ppgnn/report/figure.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "ppgnn/core/names.hpp"
#include "ppgnn/core/number.hpp"
#include "ppgnn/report/table.hpp"

namespace ppgnn::report {

namespace {

using plot::kStyles;
using plot::Style;

constexpr Style kControl{"#000000", 2, 2};
constexpr Style kClean{"#767676", 1, 1};

}  // namespace

Style method_style(std::string_view value) {
  const study::MethodEntry* method = study::method_named(value);
  if (method == nullptr || value == "control") return kControl;
  if (value == "nonpriv") return kClean;
  Style style = kStyles[method->style % kStyles.size()];
  if (value != method->name) {
    style.dash = 5;
    style.mark = 3;
  }
  return style;
}

namespace {

Style style_of(const std::string& factor, const std::string& value, std::size_t index) {
  return factor == "method" ? method_style(value) : kStyles[index % kStyles.size()];
}

struct Point {
  double x, mean, low, high, budget;
};

std::string axis_title(const std::string& factor, Against against) {
  if (against == Against::mean) return "mean budget spent";
  if (against == Against::max) return "largest budget spent";
  if (factor == "epsilon") return "epsilon (strictest person)";
  return std::string(find_named(study::kFactors, factor)->title);
}

std::string metric_title(const std::string& metric) {
  if (metric == "accuracy") return "test accuracy (%)";
  // "both.auc" is somebody's measure: the measure first.
  const std::size_t dot = metric.rfind('.');
  std::string text = dot == std::string::npos ? metric : metric.substr(dot + 1);
  if (text == "auc") text = "AUC";
  if (dot != std::string::npos) text += ", " + metric.substr(0, dot);
  std::replace(text.begin(), text.end(), '_', ' ');
  return is_percentage(metric) ? text + " (%)" : text;
}

// Whether the people's budget changes along a line, so that it can be drawn against it.
bool changes_budget(const std::vector<Point>& points) {
  const auto [least, most] = std::minmax_element(points.begin(), points.end(),
                                                 [](const Point& a, const Point& b) { return a.budget < b.budget; });
  return least->budget > 0 && most->budget > 1.01 * least->budget;
}

// The axis of budgets, with room at both ends; logarithmic where they differ tenfold.
std::string budget_axis(double least, double most) {
  const bool wide = most > 10 * least;
  const double room = wide ? std::pow(most / least, .05) : .05 * (most - least);
  return std::string(wide ? "set" : "unset") + " logscale x\nset xtics auto\nset format x '%g'\nset xrange [" +
         format_number(wide ? least / room : least - room) + ":" + format_number(wide ? most * room : most + room) +
         "]\n";
}

// Writes one figure's script, panel by panel.
class FigureWriter {
 public:
  FigureWriter(const EvaluatedStudy& study, const study::FigureView& view, Against against)
      : study_(study), view_(view), against_(against), lines_(study.values_of_factor(view.lines, view.where)) {
    // What varies beyond the view, because somebody asked for more, gets panels too.
    std::vector<std::string> listed = view.panels;
    listed.insert(listed.end(), {view.x, view.lines});
    panel_factors_ = study.others(listed, view.where);
    panel_factors_.insert(panel_factors_.end(), view.panels.begin(), view.panels.end());
  }

  Figure write() {
    const std::vector<study::Match> panels = study_.combinations(panel_factors_, view_.where);
    const std::size_t columns = std::min<std::size_t>(3, panels.size() + 1);
    const std::size_t rows = (panels.size() + 1 + columns - 1) / columns;
    script_ = "unset key\nset multiplot layout " + std::to_string(rows) + "," + std::to_string(columns) + "\n";
    script_ += plot::kFrame;
    for (const study::Match& panel : panels) add_panel(panel);
    std::vector<std::pair<std::string, Style>> entries;
    for (std::size_t line = 0; line < lines_.size(); ++line) {
      if (!drawn_.contains(lines_[line])) continue;
      entries.emplace_back(show_value(view_.lines, lines_[line]), style_of(view_.lines, lines_[line], line));
    }
    script_ +=
        plot::legend(entries, study_.declaration.quick ? "Quick: fewer runs and points" : "") + "unset multiplot\n";
    return {view_.name,
            view_.title,
            note(),
            std::move(script_),
            plot::kPanelWidth * static_cast<double>(columns),
            plot::kPanelHeight * static_cast<double>(rows)};
  }

 private:
  // The lines of one panel, and the budgets that occur in it.
  struct Panel {
    std::map<std::string, std::vector<Point>> series;
    std::set<double> budgets;
  };

  [[nodiscard]] Panel read_panel(const study::Match& panel, const std::vector<std::string>& xs) const {
    const double factor = is_percentage(view_.metric) ? 100 : 1;
    Panel read;
    for (std::size_t line = 0; line < lines_.size(); ++line) {
      for (std::size_t at = 0; at < xs.size(); ++at) {
        const EvaluatedCell* cell = study_.find(panel.with({{{view_.lines, {lines_[line]}}, {view_.x, {xs[at]}}}}));
        const auto interval = cell == nullptr ? std::nullopt : cell->interval(view_.metric);
        if (!interval) continue;
        // Neighbouring lines are set apart a little, so that their intervals can be told from each other.
        const double x =
            static_cast<double>(at) + .05 * (static_cast<double>(line) - static_cast<double>(lines_.size() - 1) / 2);
        const auto spent = cell->interval(against_ == Against::mean ? "privacy_mean" : "privacy_max");
        if (spent && spent->mean > 0) read.budgets.insert(spent->mean);
        read.series[lines_[line]].push_back(
            {x, factor * interval->mean, factor * interval->low, factor * interval->high, spent ? spent->mean : 0});
      }
    }
    return read;
  }

  // Moves every point to its budget.
  void put_against_budgets(Panel& panel) {
    if (panel.budgets.empty()) return;  // no record says what was spent
    for (auto& [name, points] : panel.series) {
      for (Point& point : points) point.x = point.budget;
      std::stable_sort(points.begin(), points.end(), [](const Point& a, const Point& b) { return a.x < b.x; });
      if (points.front().x > 0) continue;
      averaged_ = true;
      // The control spends nothing and clean features have no budget: a line from end to end, their mean over x.
      Point mean{*panel.budgets.begin(), 0, 0, 0, 0};
      for (const Point& point : points) {
        mean.mean += point.mean / static_cast<double>(points.size());
        mean.low += point.low / static_cast<double>(points.size());
        mean.high += point.high / static_cast<double>(points.size());
      }
      points = {mean, mean};
      points.back().x = *panel.budgets.rbegin();
    }
  }

  // The axis of the factor's own values, one place each.
  [[nodiscard]] std::string value_axis(const std::vector<std::string>& xs) const {
    std::string script =
        "unset logscale x\nset xrange [-0.4:" + format_number(static_cast<double>(xs.size()) - .6) + "]\nset xtics (";
    bool long_names = false;
    for (std::size_t at = 0; at < xs.size(); ++at) {
      const std::string shown = show_value(view_.x, xs[at]);
      long_names = long_names || shown.size() > 7;
      script += (at == 0 ? "" : ", ") + plot::in_quotes(shown) + " " + std::to_string(at);
    }
    return script + (long_names ? ") font ',8'\n" : ")\n");
  }

  void add_panel(const study::Match& match) {
    const std::vector<std::string> xs = study_.values_of_factor(view_.x, match);
    Panel panel = read_panel(match, xs);
    // Where no line's budget changes along x, there is nothing to draw against it.
    const bool numeric =
        against_ != Against::epsilon && std::any_of(panel.series.begin(), panel.series.end(),
                                                    [](const auto& one) { return changes_budget(one.second); });
    if (numeric) put_against_budgets(panel);
    script_ += "set title " + plot::in_quotes(title_of(match)) + " offset 0,-0.5 font ',9'\nset xlabel " +
               plot::in_quotes(axis_title(view_.x, numeric ? against_ : Against::epsilon)) + "\nset ylabel " +
               plot::in_quotes(metric_title(view_.metric)) + " offset 1,0 font ',9'\n";
    script_ += numeric ? budget_axis(*panel.budgets.begin(), *panel.budgets.rbegin()) : value_axis(xs);
    std::string plots;
    for (std::size_t line = 0; line < lines_.size(); ++line) {
      const auto found = panel.series.find(lines_[line]);
      if (found == panel.series.end()) continue;
      drawn_.insert(lines_[line]);
      const std::string block = "$d" + std::to_string(blocks_++);
      script_ += block + " << EOD\n";
      for (const Point& point : found->second) {
        script_ += format_number(point.x) + " " + format_number(point.mean) + " " + format_number(point.low) + " " +
                   format_number(point.high) + "\n";
      }
      script_ += "EOD\n";
      plots += (plots.empty() ? "plot " : ", ") + plot::plot_of(block, style_of(view_.lines, lines_[line], line));
    }
    if (plots.empty()) {
      plots =
          "set label 'no runs' at graph 0.5,0.5 center\nset yrange [0:1]\nplot NaN notitle\nunset label\nset "
          "yrange [*:*]";
    }
    script_ += plots + "\n";
  }

  [[nodiscard]] std::string title_of(const study::Match& panel) const {
    std::string title;
    for (const std::string& name : panel_factors_) {
      for (const auto& [key, values] : panel.values) {
        if (key == name) title += (title.empty() ? "" : ", ") + show_factor(name, values.front());
      }
    }
    return title;
  }

  [[nodiscard]] std::string note() const {
    std::string text = "Bars are 95% t intervals.";
    if (averaged_) {
      text += " The control and clean features, which spend nothing, are means over " +
              std::string(find_named(study::kFactors, view_.x)->title) + ".";
    }
    if (study_.declaration.quick) text += " Quick: fewer runs and points than declared.";
    return text;
  }

  const EvaluatedStudy& study_;
  const study::FigureView& view_;
  Against against_;
  std::vector<std::string> lines_;
  std::vector<std::string> panel_factors_;
  std::string script_;
  std::set<std::string> drawn_;  // lines that are in some panel
  std::size_t blocks_ = 0;       // of data, so far
  bool averaged_ = false;
};

}  // namespace

Figure make_figure(const EvaluatedStudy& study, const study::FigureView& view, Against against) {
  return FigureWriter(study, view, against).write();
}

}  // namespace ppgnn::report
