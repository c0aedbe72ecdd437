#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ppgnn/report/summary.hpp"

namespace ppgnn::test {

/// A study whose runs are given: every cell has the accuracies listed; NaN is a training that failed.
class Given {
 public:
  explicit Given(const std::string& claim) {
    study_.declaration = study::parse_declaration(
                             "id = \"x\"\n[factors]\nepsilon = [1, 2]\nmethod = [\"strict\"]\nscale = "
                             "[\"common\", \"raw\"]\n" +
                                 claim,
                             "x", false)
                             .value();
  }
  void add(const std::string& method, const std::string& epsilon, const std::string& scale, std::vector<double> values,
           const std::string& data = "cora") {
    report::EvaluatedCell cell;
    cell.cell.factors = {{"method", method}, {"epsilon", epsilon}, {"scale", scale}, {"data", data}};
    cell.cell.canonical = cell.cell.factors;
    cell.cell.runs = std::max<std::size_t>(1, values.size());  // none: planned, not run
    for (std::size_t run = 0; run < values.size(); ++run) {
      const char* metric = std::isnan(values[run]) ? "failed" : "accuracy";
      records_.push_back(std::make_unique<study::Record>(study::Record{"k", run, {}, {{metric, values[run]}}, 0}));
      cell.runs.push_back(records_.back().get());
    }
    study_.cells.push_back(std::move(cell));
  }
  // Log-losses of the runs of a cell.
  void lose(std::size_t cell, const std::vector<double>& losses) {
    for (const std::unique_ptr<study::Record>& record : records_) {
      for (std::size_t run = 0; run < losses.size(); ++run) {
        if (record.get() == study_.cells[cell].runs[run]) record->metrics["log_loss"] = losses[run];
      }
    }
  }
  // What was spent in the runs of a cell: at most, and half of it on average.
  void spend(std::size_t cell, const std::vector<double>& most) {
    for (std::size_t run = 0; run < most.size(); ++run) {
      for (const std::unique_ptr<study::Record>& record : records_) {
        if (record.get() != study_.cells[cell].runs[run]) continue;
        record->metrics.insert(
            {{"privacy_max", most[run]}, {"privacy_mean", most[run] / 2}, {"privacy_delta", 0}, {"privacy_holds", 1}});
      }
    }
  }
  [[nodiscard]] const report::EvaluatedStudy& study() const { return study_; }

 private:
  report::EvaluatedStudy study_;
  std::vector<std::unique_ptr<study::Record>> records_;
};

inline constexpr const char* kClaim = R"(
[[claim]]
text = "better"
better = { method = "strict" }
worse = { method = "lpgnn" }
)";

}  // namespace ppgnn::test
