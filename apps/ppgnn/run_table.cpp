#include "run_table.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "ppgnn/io/files.hpp"
#include "ppgnn/plot/plot.hpp"
#include "ppgnn/report/table.hpp"

namespace ppgnn::app {

namespace {

using nlohmann::ordered_json;
using study::TableRow;

std::string title_in_table(const TableRow& row) {
  return std::string(row.cell.experiment.method->title);
}

// Whether what a method promises holds, as the audit of its plan or mechanism has it.
std::string promise_of(const TableRow& row) {
  const simulate::Privacy& privacy = row.series.privacy;
  if (row.cell.experiment.method->pools) return "promises nothing";
  if (row.cell.experiment.method->is_control()) return "yes: nobody reports";
  return privacy.holds ? "yes" : "NO: " + privacy.why;
}

std::string with_sign(const std::optional<double>& p, double points) {
  return fmt::format("{:+.1f}", points) + (p ? fmt::format(" (p = {:.2g})", *p) : "");
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
  table.note = "Budgets that people choose from: " + budgets + ". Lift: points of accuracy over the graph alone.";
  table.head = {"method", "accuracy", "95% interval", "lift", "nats", "at most", "holds what it promises"};
  table.row_headers = 1;
  for (const TableRow& row : rows) {
    const study::Series& series = row.series;
    const bool budget = row.cell.experiment.method->budgets != study::MethodEntry::Budgets::none;
    table.rows.push_back({title_in_table(row), fmt::format("{:.1f}%", 100 * series.interval.mean),
                          fmt::format("[{:.1f}, {:.1f}]", 100 * series.interval.low, 100 * series.interval.high),
                          series.lift ? with_sign(series.lift->p_value, series.lift->points()) : "control",
                          budget ? fmt::format("{:.2f}", series.privacy.mean) : "-",
                          budget ? fmt::format("{:.4g}", series.privacy.max) : "-", promise_of(row)});
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
  for (const TableRow& row : rows) {
    const study::Series& series = row.series;
    const study::MethodEntry& method = *row.cell.experiment.method;
    ordered_json one = {{"method", method.name},
                        {"title", method.title},
                        {"mean", series.interval.mean},
                        {"low", series.interval.low},
                        {"high", series.interval.high},
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
