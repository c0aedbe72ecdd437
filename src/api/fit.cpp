#include "ppgnn/api/fit.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "ppgnn/core/number.hpp"
#include "ppgnn/core/sha256.hpp"
#include "ppgnn/graph/split.hpp"
#include "ppgnn/population/levels.hpp"
#include "ppgnn/population/rows.hpp"
#include "ppgnn/random/samplers.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"
#include "ppgnn/server/served_model.hpp"
#include "ppgnn/study/measured.hpp"
#include "ppgnn/teach/beliefs.hpp"

namespace ppgnn::api {

namespace {

// Who is learned from, chosen by and judged by. Without a test part nobody is left over.
Result<graph::Split> split_of(const graph::Dataset& dataset, std::uint64_t seed, const FitOptions& options) {
  if (!(options.test >= 0 && options.validation > 0 && options.validation + options.test < 1)) {
    return Error{ErrorCode::invalid_argument, "validation and test: must be shares that leave people to learn from"};
  }
  Result<graph::Split> split =
      graph::make_split(dataset, seed, 0, {1 - options.validation - options.test, options.validation});
  if (!split) return split;
  if (options.test == 0) {
    split->train.insert(split->train.end(), split->test.begin(), split->test.end());
    std::sort(split->train.begin(), split->train.end());
    split->test.clear();
  }
  if (split->train.empty() || split->validation.empty() || (options.test > 0 && split->test.empty())) {
    return Error{ErrorCode::invalid_argument, "labels: too few people have one for the parts asked for"};
  }
  return split;
}

Result<void> set_levels(const std::vector<std::uint32_t>& levels, std::size_t people, study::Experiment& experiment) {
  if (levels.empty()) return {};
  if (levels.size() != people) {
    return Error{ErrorCode::mismatch,
                 "levels: there are " + std::to_string(levels.size()) + " for " + std::to_string(people) + " people"};
  }
  for (const std::uint32_t level : levels) {
    if (level < 1 || level > experiment.level_budgets.size()) {
      return Error{ErrorCode::invalid_argument,
                   "levels: must be from 1 to " + std::to_string(experiment.level_budgets.size())};
    }
    experiment.level_list.push_back(ldp::Level{level});
  }
  return {};
}

// Reports how far several trainings, one after the other, are.
class Steps {
 public:
  Steps(const FitOptions& options, double total) : options_(&options), total_(total) {}
  [[nodiscard]] train::Hooks hooks() {
    train::Hooks hooks;
    hooks.stop = options_->stop;
    if (options_->progress) {
      hooks.progress = [this](const train::EpochRecord&) { options_->progress(std::min(++done_, total_), total_); };
    }
    return hooks;
  }

 private:
  const FitOptions* options_;
  double total_;
  double done_ = 0;
};

Result<study::Measured> one_run(const study::StudyData& data, const study::Experiment& experiment, bool everybody,
                                const train::Hooks& hooks) {
  const Result<study::Shared> shared = study::share(experiment, data, 0, hooks);
  if (!shared) return shared.error();
  Result<study::Measured> measured = study::measure_run(experiment, *shared, 0, {false, everybody}, hooks);
  if (!measured) return measured;
  if (measured->failed) return *measured->failed;
  if (experiment.split->test.empty()) {
    for (const char* of_test : {"accuracy", "log_loss", "test_over_train"}) measured->metrics.erase(of_test);
  }
  return measured;
}

double epochs_of(const study::Experiment& experiment) {
  if (experiment.method->campaign) return static_cast<double>(3 * experiment.structure.training.epochs);
  const auto scales = static_cast<double>(std::max<std::size_t>(1, experiment.pipeline.scales.size()));
  return scales * static_cast<double>(experiment.pipeline.training.epochs);
}

// The columns that research keeps, which go by their old number.
std::vector<std::uint32_t> kept_columns(const graph::Dataset& before, const graph::Dataset& after) {
  std::vector<std::uint32_t> kept;
  const graph::StringList& names = after.features.schema().names;
  const bool renamed = before.features.schema().names.empty() && !names.empty();
  std::size_t old = 0;
  for (std::uint32_t column = 0; column < after.features.cols(); ++column, ++old) {
    if (renamed) {
      old = parse_unsigned(names[column]).value_or(old);
    } else if (!names.empty()) {
      while (before.features.schema().names[old] != names[column]) ++old;
    }
    kept.push_back(static_cast<std::uint32_t>(old));
  }
  return kept;
}

}  // namespace

Result<Fitted> fit(const Data& data, const Setting& setting, const FitOptions& options) {
  const Result<study::StudyData> prepared = study::study_data(data.dataset());
  if (!prepared) return prepared.error();
  const graph::Dataset& dataset = prepared->dataset;
  Result<study::Experiment> experiment = study::experiment_of(setting);
  if (!experiment) return experiment.error();
  if (!experiment->levels_file.empty()) return Error{ErrorCode::invalid_argument, "levels: not a choice of levels"};
  Result<graph::Split> split = split_of(dataset, experiment->split_seed, options);
  if (!split) return split.error();
  experiment->split = std::move(split).value();
  if (Result<void> set = set_levels(options.levels, dataset.num_nodes(), *experiment); !set) return set.error();

  const bool has_control =
      options.control && !experiment->method->mechanism.empty() && experiment->content != population::Content::nothing;
  std::optional<study::Experiment> control;
  if (has_control) {
    Result<study::Experiment> made = study::experiment_of(study::control_of(setting));
    if (!made) return made.error();
    control = std::move(made).value();
    control->split = experiment->split;
    control->level_list = experiment->level_list;
  }
  Steps steps(options, epochs_of(*experiment) + (control ? epochs_of(*control) : 0));
  Result<study::Measured> measured = one_run(*prepared, *experiment, true, steps.hooks());
  if (!measured) return measured.error();
  if (!measured->everybody) return Error{ErrorCode::invalid_argument, "fit: stopped before there was a model"};

  Fitted fitted;
  fitted.learned.setting = setting;
  fitted.learned.classes = dataset.class_names.list();
  fitted.learned.columns = kept_columns(data.dataset(), dataset);
  Result<std::vector<ldp::ColumnGroup>> schema = population::columns_of(dataset.features.schema());
  if (!schema) return schema.error();
  fitted.learned.schema = std::move(schema).value();
  study::Everybody& all = *measured->everybody;
  fitted.learned.parameters = std::move(all.network.parameters);
  fitted.learned.factor = all.factor;
  for (const ldp::Plan& plan : all.plans) fitted.plans.push_back(plan.text());
  for (const ldp::Plan& plan : all.plans) {
    if (plan.tables().model) fitted.learned.plan = plan.text();
  }
  fitted.probabilities = std::move(all.predictions.probabilities);
  fitted.spent = std::move(all.spent);
  for (const ldp::Level level : measured->levels) fitted.levels.push_back(static_cast<std::uint32_t>(level));
  fitted.metrics = std::move(measured->metrics);
  if (control) {
    Result<study::Measured> alone = one_run(*prepared, *control, false, steps.hooks());
    if (!alone) return alone.error();
    fitted.control = std::move(alone->metrics);
  }
  return fitted;
}

namespace {

// The features of new people under the columns that were learned, each within its range.
Result<graph::Features> features_for(const Learned& learned, const graph::Features& given) {
  if (!learned.columns.empty() && given.cols() <= learned.columns.back()) {
    return Error{ErrorCode::mismatch, "features: there are " + std::to_string(given.cols()) + " columns"};
  }
  constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<std::uint32_t> place(given.cols(), kNone);
  for (std::uint32_t i = 0; i < learned.columns.size(); ++i) place[learned.columns[i]] = i;
  std::vector<float> low, high, absent;
  std::vector<std::uint8_t> kinds;
  bool binary = true;
  for (const ldp::ColumnGroup& group : learned.schema) {
    low.insert(low.end(), group.count, static_cast<float>(group.low));
    high.insert(high.end(), group.count, static_cast<float>(group.high));
    absent.insert(absent.end(), group.count, static_cast<float>(group.absent));
    const bool is_binary = group.kind == ldp::ColumnKind::binary;
    binary = binary && is_binary;
    kinds.insert(kinds.end(), group.count, static_cast<std::uint8_t>(is_binary ? 0 : 1));
  }
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
  std::vector<float> row;
  for (std::size_t person = 0; person < given.rows(); ++person) {
    // A column that a row leaves out is 0, which may lie outside the range of the columns learned.
    row.assign(learned.columns.size(), 0);
    for (std::size_t at = given.pattern().offsets()[person]; at < given.pattern().offsets()[person + 1]; ++at) {
      const std::uint32_t column = place[given.pattern().columns()[at]];
      if (column != kNone) row[column] = given.value(at);
    }
    for (std::uint32_t column = 0; column < row.size(); ++column) {
      float value = std::clamp(row[column], low[column], high[column]);
      if (kinds[column] == 0) value = value >= .5F ? 1 : 0;
      if (value == absent[column]) continue;
      columns.push_back(column);
      values.push_back(value);
    }
    offsets.push_back(columns.size());
  }
  if (binary) values.clear();
  graph::FeatureSchema schema;
  schema.kinds = std::move(kinds);
  schema.low = std::move(low);
  schema.high = std::move(high);
  schema.absent = std::move(absent);
  Result<graph::Csr> pattern = graph::Csr::make(std::move(offsets), std::move(columns), learned.columns.size());
  if (!pattern) return pattern.error();
  return graph::Features::make(std::move(*pattern), std::move(values), std::move(schema));
}

// What a person's noise and level depend on: what they have, and nothing of who else is there.
std::uint64_t key_of(const graph::Features& features, std::size_t person) {
  Sha256 hash;
  const auto columns = features.pattern().row(person);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::uint64_t both = std::uint64_t{columns[i]} << 32 |
                               std::bit_cast<std::uint32_t>(features.value(features.pattern().offsets()[person] + i));
    std::array<std::uint8_t, 8> bytes{};
    for (std::size_t byte = 0; byte < 8; ++byte) bytes[byte] = static_cast<std::uint8_t>(both >> (8 * byte));
    hash.update(bytes);
  }
  const Digest digest = hash.finish();
  std::uint64_t key = 0;
  for (std::size_t byte = 0; byte < 8; ++byte) key = key << 8 | digest[byte];
  return key;
}

std::vector<ldp::Level> levels_by(const std::vector<std::uint64_t>& keys, const study::Experiment& experiment) {
  std::vector<ldp::Level> levels;
  const std::size_t count = experiment.budgets.size();
  for (const std::uint64_t key : keys) {
    const std::uint64_t seed = experiment.noise_seed ^ key;
    levels.push_back(population::choose_levels(experiment.levels, 1, count, seed, 0).front());
  }
  return levels;
}

// The public model at home: its score in units of its usual lead, as odds.
Result<std::vector<float>> at_home(const Learned& learned, const graph::Features& features) {
  const Result<ldp::Plan> plan = ldp::Plan::parse(learned.plan);
  if (!plan) return plan.error();
  const ldp::QuestionModel& model = *plan->tables().model;
  const std::size_t classes = model.classes.size();
  const double lead = model.confident.empty() ? 1 : static_cast<double>(model.confident.front());
  std::vector<float> all;
  std::vector<double> score(classes);
  for (std::size_t person = 0; person < features.rows(); ++person) {
    std::fill(score.begin(), score.end(), 0.0);
    double total = 0;
    population::row_of(features, person).for_each(plan->schema().dim(), [&](std::uint32_t column, double value) {
      const auto step = static_cast<double>(ldp::Schema::difference(plan->schema().group_of(column), value));
      total += std::abs(step);
      for (std::size_t c = 0; c < classes; ++c) score[c] += step * model.weights_of(c)[column];
    });
    for (std::size_t c = 0; c < classes; ++c) {
      score[c] = ((total > 0 ? score[c] / total : 0) + model.biases[c]) / lead;
    }
    teach::normalise(score);
    for (const double probability : score) all.push_back(static_cast<float>(probability));
  }
  return all;
}

}  // namespace

Result<std::vector<float>> predict(const Learned& learned, const Data& people) {
  const Result<study::Experiment> experiment = study::experiment_of(learned.setting);
  if (!experiment) return experiment.error();
  Result<graph::Features> features = features_for(learned, people.dataset().features);
  if (!features) return features.error();
  if (experiment->method->campaign) return at_home(learned, *features);
  graph::Dataset dataset = people.dataset();
  dataset.features = std::move(features).value();
  dataset.class_names = graph::StringList(learned.classes);
  dataset.labels = std::vector<std::int32_t>(dataset.num_nodes(), graph::kUnknown);
  const Result<server::Problem> problem = server::Problem::make(dataset);
  if (!problem) return problem.error();
  const Result<simulate::Source> source = simulate::Source::make(dataset, *experiment);
  if (!source) return source.error();
  std::vector<std::uint64_t> keys;
  for (std::size_t person = 0; person < dataset.num_nodes(); ++person) keys.push_back(key_of(dataset.features, person));
  const std::vector<ldp::Level> levels = levels_by(keys, *experiment);
  population::Devices devices{&dataset.features, levels, experiment->noise_seed, 0, source->content()};
  devices.keys = keys;
  const Result<calibrate::Collected> collected = source->collect(*problem, devices);
  if (!collected) return collected.error();
  const train::Model network{experiment->pipeline.training.network,
                             collected->estimates->columns(),
                             learned.classes.size(),
                             learned.parameters,
                             {}};
  Result<train::Predictions> made =
      server::apply_network(network, source->hops(experiment->pipeline.hops), learned.factor, *problem, *collected, 1);
  if (!made) return made.error();
  return std::move(made->probabilities);
}

}  // namespace ppgnn::api
