#include "study_results.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "ppgnn/core/version.hpp"
#include "ppgnn/study/request.hpp"

namespace ppgnn::app {

using nlohmann::ordered_json;
using study::PlannedStudy;
using study::StudyRequest;

namespace {

Result<Evaluated> evaluate_all(const ResultsOptions& options) {
  Result<study::RecordStore> records = study::RecordStore::read(options.output);
  if (!records) return records.error();
  const Result<std::vector<StudyRequest>> all = study::read_requests(options.output);
  if (!all) return all.error();
  for (const std::string& id : options.ids) {
    if (std::none_of(all->begin(), all->end(), [&](const StudyRequest& request) { return request.study == id; })) {
      return Error{ErrorCode::invalid_argument, options.output + ": " + id + " was not run here"};
    }
  }
  Evaluated evaluated{std::move(records).value(), {}, {}};
  for (const StudyRequest& request : *all) {
    if (!options.ids.empty() && std::find(options.ids.begin(), options.ids.end(), request.study) == options.ids.end()) {
      continue;
    }
    const Result<PlannedStudy> planned = study::plan_study(request);
    if (!planned) return planned.error();
    Result<EvaluatedStudy> one = report::evaluate(*planned, evaluated.records);
    if (!one) return one.error();
    evaluated.studies.push_back(std::move(one).value());
    evaluated.report.commands.push_back(study::command_of(request) + " --out " + options.output);
  }
  if (evaluated.studies.empty()) return Error{ErrorCode::malformed, options.output + ": studies.json names no study"};
  std::vector<std::string>& notes = evaluated.report.notes;
  if (std::any_of(evaluated.studies.begin(), evaluated.studies.end(), report::has_subset)) {
    notes.emplace_back(report::kSubsetNote);
  }
  if (evaluated.records.damaged() > 0) {
    notes.emplace_back(std::to_string(evaluated.records.damaged()) +
                       " lines of the results are damaged and left out; ppgnn study run sets them aside and makes "
                       "their runs again.");
    say(options.output + ": " + notes.back());
  }
  for (const std::string& name : evaluated.records.mixed_data()) {
    notes.emplace_back(
        "Runs on " + name +
        " saw different contents of it: the files changed between them. Run the studies again in a new folder.");
  }
  evaluated.report.commands.emplace_back("ppgnn study report --out " + options.output +
                                         (options.against == "epsilon" ? "" : " --against " + options.against));
  return evaluated;
}

}  // namespace

std::string report_path(const ResultsOptions& options) {
  return (std::filesystem::path(options.output) / "report.html").string();
}

Result<Evaluated> write_report(const ResultsOptions& options) {
  Result<Evaluated> evaluated = evaluate_all(options);
  if (!evaluated) return evaluated;
  using report::Against;
  evaluated->report.against = options.against == "mean"  ? Against::mean
                              : options.against == "max" ? Against::max
                                                         : Against::epsilon;
  Result<void> written = report::write_report(evaluated->studies, options.output, evaluated->report);
  if (!written) return written.error();
  return evaluated;
}

Status report_studies(const ResultsOptions& options) {
  const Result<Evaluated> evaluated = write_report(options);
  if (!evaluated) return fail(evaluated.error());
  const std::size_t studies = evaluated->studies.size();
  if (options.json) {
    print_json({{"report", report_path(options)},
                {"studies", studies},
                {"runs", evaluated->runs()},
                {"runs_wanted", evaluated->runs_wanted()},
                {"quick", evaluated->quick()},
                {"version", version()}});
  } else {
    fmt::print("{}{}: {} {}, {} of {} runs; {}\n", evaluated->quick() ? "Quick report, " : "", report_path(options),
               studies, studies == 1 ? "study" : "studies", evaluated->runs(), evaluated->runs_wanted(), kBesideReport);
  }
  return Status::success;
}

Status compare_studies(const ResultsOptions& options) {
  const Result<Evaluated> evaluated = evaluate_all(options);
  if (!evaluated) return fail(evaluated.error());
  const report::Findings findings = report::find_all(evaluated->studies);
  if (!options.json) {
    for (const report::Table& table :
         {report::make_print_table(findings.printed), report::make_claim_table(findings.claims)}) {
      if (!table.rows.empty()) fmt::print("{}\n", report::to_plain(table));
    }
    for (const EvaluatedStudy& one : evaluated->studies) {
      if (const report::Table table = report::make_lift_table(one); !table.rows.empty()) {
        fmt::print("{}\n", report::to_plain(table));
      }
    }
    if (evaluated->quick()) fmt::print("Note: Quick: fewer runs and points than declared.\n");
    if (const std::size_t there = evaluated->runs(), wanted = evaluated->runs_wanted(); there < wanted) {
      fmt::print("Note: {} of {} runs are there.\n", there, wanted);
    }
    if (const std::size_t bare = evaluated->sum(report::without_control); bare > 0) {
      fmt::print("Note: {} settings have no control beside them.\n", bare);
    }
    for (const std::string& note : evaluated->report.notes) fmt::print("Note: {}\n", note);
    return Status::success;
  }
  ordered_json cells = ordered_json::array();
  for (const report::PrintedComparison& one : findings.printed) {
    ordered_json cell{{"study", one.study}, {"factors", ordered_json(one.factors)}, {"paper", one.printed}};
    const auto shown = [](const std::optional<simulate::Interval>& interval) {
      return interval ? ordered_json{{"mean", interval->mean}, {"low", interval->low}, {"high", interval->high}}
                      : ordered_json(nullptr);
    };
    cell["ours"] = shown(one.measured);
    cell["difference"] = one.measured ? ordered_json(one.measured->mean - one.printed) : ordered_json(nullptr);
    cell["control"] = shown(one.control);
    cell["runs"] = one.runs;
    cell["runs_wanted"] = one.wanted;
    cell["failed"] = one.failed;
    cells.push_back(std::move(cell));
  }
  ordered_json claims = ordered_json::array();
  for (const report::ClaimOutcome& claim : findings.claims) {
    const bool tested = claim.average.runs >= simulate::kLeastRuns;
    claims.push_back({{"study", claim.study},
                      {"claim", claim.text},
                      {"scale", claim.scale},
                      {"verdict", report::to_text(claim.verdict)},
                      {"comparisons", claim.comparisons.size()},
                      {"clearly_higher", claim.higher},
                      {"clearly_lower", claim.lower},
                      {"mean_difference", claim.mean_difference},
                      {"mean_p", tested ? ordered_json(claim.average.holm) : ordered_json(nullptr)},
                      {"measured", claim.reason}});
  }
  ordered_json lifts = ordered_json::array();
  for (const EvaluatedStudy& one : evaluated->studies) {
    for (const report::Lift& lift : report::lifts(one)) {
      const auto shown = [](const report::Comparison& comparison) {
        return ordered_json{{"difference", comparison.difference},
                            {"p", comparison.p_value},
                            {"holm", comparison.holm},
                            {"runs", comparison.runs}};
      };
      lifts.push_back({{"study", one.declaration.id},
                       {"factors", ordered_json(lift.factors)},
                       {"accuracy", shown(lift.points)},
                       {"nats", shown(lift.nats)}});
    }
  }
  print_json({{"quick", evaluated->quick()},
              {"runs", evaluated->runs()},
              {"runs_wanted", evaluated->runs_wanted()},
              {"without_control", evaluated->sum(report::without_control)},
              {"paper", cells},
              {"claims", claims},
              {"lifts", lifts},
              {"notes", evaluated->report.notes},
              {"version", version()}});
  return Status::success;
}

}  // namespace ppgnn::app
