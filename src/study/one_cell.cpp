#include "ppgnn/study/one_cell.hpp"

#include <algorithm>
#include <utility>

namespace ppgnn::study {

namespace {

std::vector<double> values_of(const MeasuredCell& cell, const char* metric) {
  std::vector<double> values;
  for (const Measured& run : cell.runs) {
    const auto found = run.metrics.find(metric);
    values.push_back(found == run.metrics.end() ? 0 : found->second);
  }
  return values;
}

std::vector<std::vector<ldp::Level>> levels_of(const MeasuredCell& cell) {
  std::vector<std::vector<ldp::Level>> levels;
  for (const Measured& run : cell.runs) levels.push_back(run.levels);
  return levels;
}

// The runs of one level together.
LevelSums sum_of(const MeasuredCell& cell, std::size_t level) {
  LevelSums sums;
  for (const Measured& run : cell.runs) {
    const LevelSums& own = run.by_level[level];
    sums.people += own.people;
    sums.reports += own.reports;
    sums.spent += own.spent;
    sums.judged += own.judged;
    sums.right += own.right;
  }
  return sums;
}

HomeFigures home_of(const MeasuredCell& cell) {
  const auto mean = [&](const char* metric) { return simulate::mean_of(values_of(cell, metric)); };
  HomeFigures home{mean("evidence_weight"),
                   mean("pilot_lift"),
                   mean("pilot_lift_low"),
                   mean("pilot_lift_high"),
                   mean("withdrawn"),
                   {},
                   {}};
  const auto everywhere = [&](const char* metric) {
    return std::all_of(cell.runs.begin(), cell.runs.end(),
                       [&](const Measured& run) { return run.metrics.contains(metric); });
  };
  if (everywhere("reported.accuracy")) home.reported = mean("reported.accuracy");
  if (everywhere("silent.accuracy")) home.silent = mean("silent.accuracy");
  return home;
}

// Of campaigns: what people spent is counted, person by person.
void fill_campaign(const MeasuredCell& cell, Series& out) {
  const Experiment& experiment = cell.experiment;
  if (experiment.method->pools) {
    out.scale = values_of(cell, "scale");
    out.privacy.level = "nothing is protected";
    return;
  }
  out.answers = AnswerShares{simulate::mean_of(values_of(cell, "answers_used")),
                             simulate::mean_of(values_of(cell, "answers_spread"))};
  if (experiment.method->at_home) out.home = home_of(cell);
  const bool oracle = experiment.method->taught != simulate::Taught::reports;
  const bool is_public = experiment.secrecy == ldp::LevelSecrecy::public_level;
  simulate::Privacy& privacy = out.privacy;
  privacy.holds = !oracle;
  privacy.level = is_public ? "public" : "protected";
  if (oracle) privacy.why = "an oracle teaches what no report tells";
  if (experiment.method->is_control()) {
    privacy.level = "nobody's features are in the reports";
  } else {
    privacy.budgets = experiment.budgets;
  }
  double people = 0;
  for (std::size_t level = 0; level < experiment.level_budgets.size(); ++level) {
    const LevelSums sums = sum_of(cell, level);
    out.levels.push_back({sums.spent / std::max(1.0, sums.reports), sums.reports / std::max(1.0, sums.people),
                          sums.right / std::max(1.0, sums.judged)});
    privacy.mean += sums.spent;
    people += sums.people;
  }
  privacy.mean = oracle ? 0 : privacy.mean / std::max(1.0, people);  // it has no budget at all
  for (const double most : values_of(cell, "privacy_max")) privacy.max = std::max(privacy.max, most);
}

void fill_reports(const MeasuredCell& cell, const simulate::Source& source, Series& out) {
  const Experiment& experiment = cell.experiment;
  out.scale = values_of(cell, "scale");
  out.privacy = source.privacy(levels_of(cell));
  if (source.perturbation() == nullptr) return;
  for (std::size_t level = 0; level < experiment.level_budgets.size(); ++level) {
    const LevelSums sums = sum_of(cell, level);
    const double spent = source.spent(std::min(level, experiment.budgets.size() - 1));
    out.levels.push_back({spent, 1, sums.right / std::max(1.0, sums.judged)});
  }
}

Result<Series> series_of(const graph::Dataset& dataset, const MeasuredCell& cell) {
  Series out;
  out.accuracy = values_of(cell, "accuracy");
  out.log_loss = values_of(cell, "log_loss");
  out.interval = simulate::resampled_t_interval(out.accuracy, cell.runs.front().metrics.at("test_over_train"));
  out.mean_log_loss = simulate::mean_of(out.log_loss);
  if (cell.experiment.method->campaign) {
    fill_campaign(cell, out);
    return out;
  }
  const Result<simulate::Source> source = simulate::Source::make(dataset, cell.experiment);
  if (!source) return source.error();
  fill_reports(cell, *source, out);
  return out;
}

Lift lift_of(const Series& series, const Series& control, double test_over_train) {
  const auto points = simulate::corrected_resampled_t(series.accuracy, control.accuracy, test_over_train);
  const auto nats = simulate::corrected_resampled_t(control.log_loss, series.log_loss, test_over_train);
  Lift lift{points.difference, {}, nats.difference, {}};
  if (series.accuracy.size() < simulate::kLeastRuns) return lift;
  lift.p_value = points.p_value;
  lift.p_nats = nats.p_value;
  return lift;
}

// What is said of the method alone.
void fill_method(const graph::Dataset& dataset, CellResult& result) {
  const Experiment& experiment = result.cell.experiment;
  const std::vector<Measured>& runs = result.cell.runs;
  result.notes = dataset.notes;
  result.mechanism = experiment.mechanism.empty() ? "none" : experiment.mechanism;
  if (!experiment.method->campaign || experiment.method->pools) {
    result.hops = experiment.averages ? experiment.pipeline.hops : 0;
  }
  const auto diverged =
      std::count_if(runs.begin(), runs.end(), [](const Measured& run) { return run.metrics.contains("diverged"); });
  if (diverged > 0) {
    result.notes.push_back(std::to_string(diverged) + " of " + std::to_string(runs.size()) +
                           " trainings diverged; the model before that was taken");
  }
  if (runs.front().fidelity) {
    result.fidelity.emplace();
    for (const Measured& run : runs) {
      result.fidelity->cosine += run.fidelity->cosine / static_cast<double>(runs.size());
      result.fidelity->relative_error += run.fidelity->relative_error / static_cast<double>(runs.size());
    }
  }
  for (std::size_t level = 0; level < result.method.levels.size(); ++level) {
    result.judged.push_back(static_cast<std::uint64_t>(sum_of(result.cell, level).judged));
  }
}

}  // namespace

Result<CellResult> run_cell(const StudyData& data, Setting setting, std::size_t runs, bool references,
                            const ExecuteOptions& options) {
  const MethodEntry* method = method_named(value_of(setting, "method"));
  std::vector<OneCell> cells{{setting, true}};
  std::vector<std::optional<Series> CellResult::*> places{nullptr};
  const auto add = [&](std::optional<Series> CellResult::*place, Setting other) {
    cells.push_back({std::move(other)});
    places.push_back(place);
  };
  if (method != nullptr) {
    const auto with = [&](std::string_view name) {
      Setting other = setting;
      other["method"] = name;
      return other;
    };
    const bool clean = method->mechanism.empty();
    if (method->campaign && !method->in_public.empty()) add(&CellResult::in_public, with(method->in_public));
    if (!method->decided.empty()) add(&CellResult::decided, with(method->decided));
    if (!method->decided.empty() && !method->in_public.empty()) {
      add(&CellResult::decided_in_public, with(method_named(method->in_public)->decided));
    }
    if ((references || method->campaign) && !clean && !method->is_control()) {
      add(&CellResult::control, control_of(setting));
    }
    if (references && !clean) add(&CellResult::nonprivate, with("clean"));
  }
  Result<std::vector<MeasuredCell>> measured = measure(data, cells, runs, options);
  if (!measured) return measured.error();
  CellResult result;
  for (std::size_t i = 0; i < measured->size(); ++i) {
    Result<Series> series = series_of(data.dataset, (*measured)[i]);
    if (!series) return series.error();
    if (places[i] == nullptr) {
      result.method = std::move(series).value();
    } else {
      result.*places[i] = std::move(series).value();
    }
  }
  result.cell = std::move(measured->front());
  fill_method(data.dataset, result);
  if (!result.control) return result;
  const double ratio = result.cell.runs.front().metrics.at("test_over_train");
  result.method.lift = lift_of(result.method, *result.control, ratio);
  for (auto place :
       {&CellResult::in_public, &CellResult::decided, &CellResult::decided_in_public, &CellResult::nonprivate}) {
    if (result.*place) (result.*place)->lift = lift_of(*(result.*place), *result.control, ratio);
  }
  return result;
}

Result<std::vector<TableRow>> run_table(const StudyData& data, const std::vector<Setting>& settings, std::size_t runs,
                                        const ExecuteOptions& options) {
  std::vector<OneCell> cells;
  for (const Setting& setting : settings) cells.push_back({setting});
  Result<std::vector<MeasuredCell>> measured = measure(data, cells, runs, options);
  if (!measured) return measured.error();
  std::vector<TableRow> rows;
  for (MeasuredCell& cell : *measured) {
    Result<Series> series = series_of(data.dataset, cell);
    if (!series) return series.error();
    rows.push_back({std::move(cell), std::move(series).value()});
  }
  const TableRow& control = rows.front();
  for (TableRow& row : rows) {
    if (&row == &control) continue;
    row.series.lift = lift_of(row.series, control.series, row.cell.runs.front().metrics.at("test_over_train"));
  }
  return rows;
}

double AttackedCell::mean(const std::string& metric) const {
  const auto at = metrics.find(metric);
  return at == metrics.end() ? 0 : at->second.mean;
}

Result<std::vector<AttackedCell>> attack_cells(const StudyData& data, const std::vector<Setting>& settings,
                                               std::size_t runs, const ExecuteOptions& options) {
  std::vector<OneCell> cells;
  for (const Setting& setting : settings) cells.push_back({setting});
  const Result<std::vector<MeasuredCell>> measured = measure(data, cells, runs, options);
  if (!measured) return measured.error();
  std::vector<AttackedCell> all;
  for (const MeasuredCell& cell : *measured) {
    const Result<simulate::Source> source = simulate::Source::make(data.dataset, cell.experiment);
    if (!source) return source.error();
    AttackedCell one;
    one.mechanism = source->mechanism();
    one.privacy = source->privacy(levels_of(cell));
    for (std::size_t level = 0; level < source->budgets().size(); ++level) one.spent.push_back(source->spent(level));
    std::map<std::string, std::vector<double>> values;
    std::vector<attack::LevelInference> guessed;
    for (const Measured& run : cell.runs) {
      for (const auto& [name, value] : run.attributes.metrics()) values[name].push_back(value);
      for (const auto& [name, value] : run.level.metrics()) values[name].push_back(value);
      one.ones += run.attributes.majority.ones;
      one.zeros += run.attributes.majority.zeros;
      guessed.push_back(run.level);
    }
    one.levels = cell.runs.front().attributes.by_level.size();
    one.level = attack::together(guessed);
    for (const auto& [name, list] : values) one.metrics[name] = simulate::resampled_t_interval(list, 0);
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace ppgnn::study
