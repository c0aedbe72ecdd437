#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "command.hpp"
#include "ppgnn/report/report.hpp"

// What the records in a results folder say.
namespace ppgnn::app {

struct ResultsOptions {
  std::vector<std::string> ids;  // none: all that were run
  std::string output = "study-results";
  std::string against = "epsilon";
  bool json = false;
};

using report::EvaluatedStudy;

struct Evaluated {
  [[nodiscard]] bool quick() const {
    return std::any_of(studies.begin(), studies.end(), [](const EvaluatedStudy& one) { return one.declaration.quick; });
  }
  template <class Part>
  [[nodiscard]] std::size_t sum(const Part& part) const {
    return std::accumulate(studies.begin(), studies.end(), std::size_t{0},
                           [&](std::size_t all, const auto& one) { return all + std::invoke(part, one); });
  }
  [[nodiscard]] std::size_t runs() const { return sum(&EvaluatedStudy::runs_there); }
  [[nodiscard]] std::size_t runs_wanted() const { return sum(&EvaluatedStudy::runs_wanted); }
  study::RecordStore records;  // the studies point into it
  std::vector<EvaluatedStudy> studies;
  report::ReportOptions report;
};

inline constexpr const char* kBesideReport = "tables/ (CSV, LaTeX) and figures/ (SVG, PDF) beside it";

std::string report_path(const ResultsOptions& options);
// Writes report, tables and figures of all studies that were asked for.
Result<Evaluated> write_report(const ResultsOptions& options);
Status report_studies(const ResultsOptions& options);
Status compare_studies(const ResultsOptions& options);

}  // namespace ppgnn::app
