#include "run_table.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "command.hpp"
#include "ppgnn/io/files.hpp"
#include "ppgnn/plot/plot.hpp"
#include "ppgnn/report/table.hpp"
#include "run_report.hpp"

namespace ppgnn::app {

namespace {

using nlohmann::ordered_json;
using study::TableRow;

std::string title_in_table(const TableRow& row) {
  return std::string(row.cell.experiment.method->title);
}

// Whether what a method promises holds, as the audit of its plan or mechanism has it.
std::string promise_of(const TableRow& row) {
  if (row.cell.experiment.method->pools || row.cell.experiment.method->is_control()) return "-";
  return row.series.privacy.holds ? "yes" : "NO";
}

// p values of all lifts, corrected for their number; in the order of the rows that have one.
std::vector<double> corrected_p(const std::vector<TableRow>& rows) {
  std::vector<double> p_values;
  for (const TableRow& row : rows) {
    if (row.series.lift && row.series.lift->p_value) p_values.push_back(*row.series.lift->p_value);
  }
  return simulate::holm(p_values);
}

std::string show_p(double p) {
  return p < .0001 ? "<0.0001" : fmt::format("{:.2g}", p);
}

report::Table table_of(const graph::Dataset& dataset, const std::vector<TableRow>& rows) {
  const study::Experiment& first = rows.front().cell.experiment;
  std::string budgets;
  for (const double budget : first.level_budgets) budgets += fmt::format("{}{:g}", budgets.empty() ? "" : ", ", budget);
  report::Table table;
  table.name = "run";
  table.title =
      fmt::format("Several ways on {}: {} people, {} features, {} classes, {} runs", dataset.name, dataset.num_nodes(),
                  dataset.features.cols(), dataset.num_classes(), rows.front().cell.runs.size());
  table.note = "Budgets that people choose from: " + budgets + " nats; 1 nat is epsilon 1.";
  table.head = {"method", "accuracy, %", "lift", "p", "nats mean, most", "private"};
  table.row_headers = 1;
  const std::vector<double> corrected = corrected_p(rows);
  auto p_value = corrected.begin();
  for (const TableRow& row : rows) {
    const study::Series& series = row.series;
    const bool budget = row.cell.experiment.method->budgets != study::MethodEntry::Budgets::none;
    table.rows.push_back({title_in_table(row), show_accuracy(series.interval),
                          series.lift ? fmt::format("{:+.1f}", series.lift->points()) : "-",
                          series.lift && series.lift->p_value ? show_p(*p_value++) : "-",
                          budget ? fmt::format("{:.2f}, {:.4g}", series.privacy.mean, series.privacy.max) : "-",
                          promise_of(row)});
  }
  return table;
}

// A line for every run of every method, and a column for every factor.
report::Table records_of(const std::vector<TableRow>& rows) {
  report::Table table;
  table.name = "run";
  for (const study::Factor& factor : study::kFactors) table.head.emplace_back(factor.name);
  for (const char* name : {"run", "accuracy", "log_loss", "privacy_mean", "privacy_max", "holds"}) {
    table.head.emplace_back(name);
  }
  for (const TableRow& row : rows) {
    const study::MethodEntry& method = *row.cell.experiment.method;
    for (std::size_t run = 0; run < row.cell.runs.size(); ++run) {
      std::vector<std::string> line;
      for (const study::Factor& factor : study::kFactors) {
        line.push_back(study::matters(factor, method, true) ? study::value_of(row.cell.setting, factor.name) : "");
      }
      line.push_back(std::to_string(run));
      for (const double number : {row.series.accuracy[run], row.series.log_loss[run]}) {
        line.push_back(fmt::format("{}", number));
      }
      const bool budget = method.budgets != study::MethodEntry::Budgets::none;
      line.push_back(budget ? fmt::format("{}", row.series.privacy.mean) : "");
      line.push_back(budget ? fmt::format("{}", row.series.privacy.max) : "");
      line.emplace_back(method.pools ? "" : row.series.privacy.holds ? "yes" : "no");
      table.rows.push_back(std::move(line));
    }
  }
  return table;
}

}  // namespace

ordered_json to_json(const graph::Dataset& dataset, const std::vector<TableRow>& rows) {
  ordered_json json;
  json["data"] = dataset.name;
  json["runs"] = rows.front().cell.runs.size();
  json["budgets"] = rows.front().cell.experiment.level_budgets;
  json["rows"] = ordered_json::array();
  const std::vector<double> corrected = corrected_p(rows);
  auto p_corrected = corrected.begin();
  for (const TableRow& row : rows) {
    const study::Series& series = row.series;
    const study::MethodEntry& method = *row.cell.experiment.method;
    ordered_json one = {{"method", method.name},
                        {"title", method.title},
                        {"mean", series.interval.mean},
                        {"low", bound(series.interval, series.interval.low)},
                        {"high", bound(series.interval, series.interval.high)},
                        {"values", series.accuracy},
                        {"log_loss", series.mean_log_loss},
                        {"lift", nullptr},
                        {"spent", nullptr},
                        {"holds", nullptr},
                        {"why", series.privacy.why}};
    if (const auto& lift = series.lift) {
      const auto or_null = [](const std::optional<double>& p) { return p ? ordered_json(*p) : ordered_json(nullptr); };
      one["lift"] = {{"points", lift->points()},
                     {"p", or_null(lift->p_value)},
                     {"p_corrected", lift->p_value ? ordered_json(*p_corrected++) : ordered_json(nullptr)},
                     {"nats", lift->nats},
                     {"p_nats", or_null(lift->p_nats)}};
    }
    if (method.budgets != study::MethodEntry::Budgets::none) {
      one["spent"] = {{"mean", series.privacy.mean}, {"max", series.privacy.max}};
    }
    if (!method.pools) one["holds"] = series.privacy.holds;
    json["rows"].push_back(std::move(one));
  }
  return json;
}

void print_table(const graph::Dataset& dataset, const std::vector<TableRow>& rows) {
  fmt::print("{}", report::to_plain(table_of(dataset, rows)));
  fmt::print("\naccuracy: of held-out people. Brackets: {}.\n", kIntervalName);
  fmt::print("lift: points of accuracy over the graph alone. p: t test over the same splits,\n");
  fmt::print("corrected for the overlap of splits and for the number of methods.\n");
  fmt::print("private: whether what the method promises holds.\n");
  for (const TableRow& row : rows) {
    if (promise_of(row) == "NO")
      fmt::print("{}", wrapped(title_in_table(row) + ": " + row.series.privacy.why + ".", "", 80));
  }
  fmt::print("\nOne of them in detail: ppgnn run --method NAME (ppgnn study list names all).\n");
  for (const std::string& note : dataset.notes) fmt::print("Note: {}.\n", note);
}

Result<void> write_table(const graph::Dataset& dataset, const std::vector<TableRow>& rows, const std::string& folder) {
  const std::filesystem::path place(folder);
  std::error_code failed;
  std::filesystem::create_directories(place, failed);
  if (failed) return Error{ErrorCode::io, folder + ": cannot be made: " + failed.message()};
  const report::Table table = table_of(dataset, rows);
  if (Result<void> done = io::write_text(place / "run.csv", report::to_csv(records_of(rows))); !done) return done;
  if (Result<void> done = io::write_text(place / "run.tex", report::to_latex(table)); !done) return done;
  std::vector<plot::Bar> bars;
  for (const TableRow& row : rows) {
    const simulate::Interval& interval = row.series.interval;
    const bool broken = !row.series.privacy.holds && !row.cell.experiment.method->pools;
    bars.push_back(
        {title_in_table(row) + (broken ? " (*)" : ""), 100 * interval.mean, 100 * interval.low, 100 * interval.high});
  }
  return plot::draw(plot::make_bars("run",
                                    fmt::format("{}: {} people, {} runs", dataset.name, dataset.num_nodes(),
                                                rows.front().cell.runs.size()),
                                    "test accuracy (%)", bars, "Dashed: the graph alone. (*): breaks its promise."),
                    place);
}

}  // namespace ppgnn::app
