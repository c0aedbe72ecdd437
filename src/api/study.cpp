#include "ppgnn/api/study.hpp"

#include <utility>

#include "ppgnn/api/attack.hpp"
#include "ppgnn/core/names.hpp"
#include "ppgnn/report/figure.hpp"
#include "ppgnn/report/summary.hpp"
#include "ppgnn/study/one_cell.hpp"
#include "ppgnn/study/request.hpp"

namespace ppgnn::api {

namespace {

study::ExecuteOptions execution(const StudyOptions& options) {
  study::ExecuteOptions execute;
  execute.jobs = options.threads;
  execute.stop = options.stop;
  if (options.progress) {
    execute.progress = [&options](const study::StudyProgress& at) { options.progress(at.done, at.total); };
  }
  return execute;
}

StudyRow row_of(std::string name, const study::Series& series) {
  StudyRow row;
  row.name = std::move(name);
  row.accuracy = series.accuracy;
  row.mean = series.interval.mean;
  row.low = series.interval.low;
  row.high = series.interval.high;
  row.log_loss = series.mean_log_loss;
  row.spent_mean = series.privacy.mean;
  row.spent_most = series.privacy.max;
  if (series.lift) {
    row.points = series.lift->points();
    row.p_points = series.lift->p_value;
    row.nats = series.lift->nats;
    row.p_nats = series.lift->p_nats;
  }
  return row;
}

}  // namespace

Result<std::vector<StudyRow>> run(const Data& data, const Setting& setting, const StudyOptions& options) {
  const Result<study::StudyData> prepared = study::study_data(data.dataset());
  if (!prepared) return prepared.error();
  const Result<study::CellResult> result =
      study::run_cell(*prepared, setting, options.runs, options.references, execution(options));
  if (!result) return result.error();
  const std::string method = study::value_of(result->cell.setting, "method");
  std::vector<StudyRow> rows{row_of(method, result->method)};
  if (result->in_public) rows.push_back(row_of(method + "-public", *result->in_public));
  if (result->control) rows.push_back(row_of("control", *result->control));
  if (result->nonprivate) rows.push_back(row_of("nonprivate", *result->nonprivate));
  return rows;
}

Result<std::vector<StudyRecord>> run_study(const StudyChoice& choice, const StudyOptions& options) {
  const graph::LoadOptions load{.data_folder = choice.data_folder};
  study::StudyRequest request{.study = choice.study, .quick = choice.quick, .whole_lastfm = true, .overrides = {}};
  for (const auto& [factor, values] : choice.only) request.overrides.values.emplace_back(factor, values);
  request.overrides.runs = choice.runs;
  std::vector<study::StudyRequest> requests{request};
  const Result<std::vector<study::PlannedStudy>> planned = study::plan_studies(requests, load);
  if (!planned) return planned.error();
  Result<study::RecordStore> records = study::RecordStore::open(choice.folder);
  if (!records) return records.error();
  const Result<study::Shelf> shelf = study::load_shelf(*planned, load);
  if (!shelf) return shelf.error();
  const Result<study::ExecuteResult> done = study::execute(*planned, *shelf, *records, execution(options));
  if (!done) return done.error();
  std::vector<StudyRecord> all;
  for (const study::PlannedStudy& one : *planned) {
    const Result<report::EvaluatedStudy> evaluated = report::evaluate(one, *records);
    if (!evaluated) return evaluated.error();
    for (const report::EvaluatedCell& cell : evaluated->cells) {
      for (const study::Record* record : cell.runs) {
        all.push_back({cell.cell.factors, record->setting, record->run, record->metrics});
      }
    }
  }
  return all;
}

std::vector<std::string> studies() {
  std::vector<std::string> ids;
  for (const study::BuiltInStudy& one : study::built_in_studies()) ids.emplace_back(one.id);
  return ids;
}

std::vector<Method> method_table() {
  std::vector<Method> all;
  for (const study::MethodEntry& method : study::methods()) {
    all.push_back({std::string(method.name), std::string(method.title), std::string(method.about),
                   report::method_style(method.name).colour, method.campaign,
                   method.budgets == study::MethodEntry::Budgets::personal,
                   !method.mechanism.empty() && !method.is_control()});
  }
  return all;
}

std::vector<std::string> methods() {
  return names_of(study::methods());
}

std::vector<std::string> factors() {
  return names_of(study::kFactors);
}

Result<Attacked> attack(const Data& data, const Setting& setting, const StudyOptions& options) {
  const Result<study::StudyData> prepared = study::study_data(data.dataset(), false);
  if (!prepared) return prepared.error();
  Setting attacked = setting;
  attacked["task"] = "infer";
  const auto cells = study::attack_cells(*prepared, {attacked}, options.runs, execution(options));
  if (!cells) return cells.error();
  const study::AttackedCell& cell = cells->front();
  Attacked found{cell.mechanism, cell.privacy.mean, {}, {}, {}};
  for (const auto& [name, interval] : cell.metrics) found.metrics[name] = interval.mean;
  if (cell.level.applies) found.level_success = cell.level.success();
  if (cell.level.applies && cell.level.certified) found.level_bound = cell.level.bound;
  return found;
}

}  // namespace ppgnn::api
