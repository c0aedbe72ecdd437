#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ppgnn/report/figure.hpp"
#include "ppgnn/report/table.hpp"

namespace ppgnn::report {

struct ReportOptions {
  Against against = Against::epsilon;
  std::vector<std::string> commands;  ///< that made the results, for people who want to make them again
  std::vector<std::string> notes;
};

/// Everything that is said about several studies together.
struct Findings {
  std::vector<Comparison> comparisons;  ///< against control and LPGNN, Holm-corrected together
  std::vector<ClaimOutcome> claims;
  std::vector<PrintedComparison> printed;
};
[[nodiscard]] Findings find_all(const std::vector<EvaluatedStudy>& studies);

/// Writes report.html (self-contained), figures/ (SVG, PDF) and tables/ (CSV, LaTeX) into the folder. The report and
/// each table appear complete or not at all; gnuplot draws in place.
///
/// Errors  io.
[[nodiscard]] Result<void> write_report(const std::vector<EvaluatedStudy>& studies, const std::filesystem::path& folder,
                                        const ReportOptions& options);

}  // namespace ppgnn::report
