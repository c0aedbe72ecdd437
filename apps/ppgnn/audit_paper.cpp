// ppgnn audit --protocol paper: what the paper's protocol really gives.
#include "audit_paper.hpp"

#include <fmt/core.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ppgnn/core/version.hpp"
#include "ppgnn/ldp_research/paper_ppm.hpp"
#include "ppgnn/ldp_research/sampled_columns.hpp"

namespace ppgnn::app {

namespace {

using nlohmann::ordered_json;

std::string finite_or_unbounded(double bound) {
  return std::isinf(bound) ? "unbounded" : fmt::format("{:.4f}", bound);
}

std::vector<std::string> notes_on(const ldp_research::PaperCertificate& certificate,
                                  const ldp_research::PaperOptions& options) {
  std::vector<std::string> notes;
  notes.push_back(
      fmt::format("magnitude: every value a person sends has the size that belongs to the level ({:.6g} at level 1, "
                  "{:.6g} at level {}), so one report gives the level away",
                  certificate.magnitudes.front(), certificate.magnitudes.back(), options.budgets.size()));
  if (std::isinf(certificate.level_from_report)) {
    notes.push_back(
        fmt::format("supports: each level has its own window, so some reported levels are possible for one level only; "
                    "level 1 sends one that the most relaxed level never sends with probability {:.2f}",
                    certificate.impossible_for_most_relaxed));
  }
  notes.push_back(fmt::format(
      "level report alone, worst loss: {} as printed, {:.4f} with one common window, {:.4f} if clamped to the "
      "levels before sending: about gamma times the most relaxed budget",
      finite_or_unbounded(certificate.level_from_report), certificate.level_from_report_unified,
      certificate.level_from_report_clamped));
  notes.push_back("for reproduction only; the client refuses this protocol");
  return notes;
}

}  // namespace

Status audit_paper(std::uint32_t dim, const BudgetChoice& choice, bool as_json) {
  const Result<std::vector<double>> budgets = choice.list();
  if (!budgets) return fail(budgets.error());
  ldp_research::PaperOptions paper;
  paper.budgets = *budgets;
  if (choice.gamma_option->count() > 0) paper.gamma = choice.gamma;
  if (dim == 0) return fail({ErrorCode::invalid_argument, "dim: must be at least 1, but is 0"});
  const Result<ldp_research::PaperCertificate> certificate = ldp_research::certify_paper(dim, paper);
  if (!certificate) return fail(certificate.error());
  const std::vector<std::string> notes = notes_on(*certificate, paper);

  ordered_json levels = ordered_json::array();
  for (std::size_t i = 0; i < paper.budgets.size(); ++i) {
    const double features = certificate->features[i];
    const std::uint32_t sampled = ldp_research::paper_sampled(features, dim);
    levels.push_back({{"level", i + 1},
                      {"epsilon", paper.budgets[i]},
                      {"features", features},
                      {"sampled", sampled},
                      {"gain", std::tanh(features / (2.0 * sampled))},
                      {"magnitude", certificate->magnitudes[i]}});
  }
  if (as_json) {
    ordered_json json;
    json["protocol"] = "paper";
    json["holds"] = false;
    json["plan_hash"] = nullptr;
    json["dim"] = dim;
    json["gamma"] = paper.gamma;
    json["sampled"] = nullptr;
    json["gain"] = nullptr;
    json["levels"] = levels;
    json["level_given_features"] = "unbounded";
    json["pair_max"] = "unbounded";
    json["pair_strictest"] = "unbounded";
    json["information"] = nullptr;
    const auto number = [](double bound) {
      return std::isinf(bound) ? ordered_json("unbounded") : ordered_json(bound);
    };
    json["level_report"] = {{"as_printed", number(certificate->level_from_report)},
                            {"common_window", certificate->level_from_report_unified},
                            {"clamped", certificate->level_from_report_clamped},
                            {"impossible_for_most_relaxed", certificate->impossible_for_most_relaxed}};
    json["notes"] = notes;
    json["version"] = version();
    print_json(json);
  } else {
    fmt::print("The paper's protocol (PPM), {} columns, gamma {}. For reproduction only.\n\n", dim, paper.gamma);
    fmt::print("  {:>5} {:>10} {:>26} {:>20}\n", "level", "budget", "features, given the level", "size of every value");
    for (const ordered_json& level : levels) {
      fmt::print("  {:>5} {:>10.6g} {:>26.6g} {:>20.6g}\n", level["level"].get<int>(), level["epsilon"].get<double>(),
                 level["features"].get<double>(), level["magnitude"].get<double>());
    }
    fmt::print("\n  level, knowing the features: unbounded\n  any person against any other: unbounded\n\nWhy\n");
    for (const std::string& note : notes) fmt::print("  - {}", wrapped(note, "    ").substr(4));
    fmt::print("\nThe claim that the level is protected does NOT hold.\n");
  }
  return Status::refuted;
}

}  // namespace ppgnn::app
