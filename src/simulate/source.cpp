#include "ppgnn/simulate/source.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "ppgnn/core/names.hpp"
#include "ppgnn/ldp/sign_bits.hpp"
#include "ppgnn/ldp_research/gaussian.hpp"
#include "ppgnn/ldp_research/sampled_columns.hpp"
#include "ppgnn/ldp_research/strict_mechanism.hpp"

namespace ppgnn::simulate {

namespace {

using calibrate::Operator;
using ldp_research::FeatureMechanismPtr;

using Made = Result<FeatureMechanismPtr>;
using Config = const SourceConfig&;
using Columns = const ldp::Schema&;

constexpr double kPaperGamma = .5;
constexpr double kGaussianDelta = 1e-10;

Made make_ppm(Columns schema, Config config, ldp_research::PaperNoise noise) {
  ldp_research::PaperOptions options;
  options.budgets = config.budgets;
  options.gamma = config.gamma.value_or(kPaperGamma);
  options.sampled = config.sampled;
  options.best_sampled = config.best_sampled;
  options.reading = config.reading;
  options.noise = noise;
  return ldp_research::make_paper_ppm(schema, options);
}

Made make_mb(Columns schema, Config config) {
  const double budget = config.budgets.front();
  std::optional<std::uint32_t> sampled = config.sampled;
  if (config.best_sampled) sampled = ldp::SignBits::best_sampled(budget, schema.dim());
  return ldp_research::make_multi_bit(schema, budget, sampled);
}

Made make_gm(Columns schema, Config config) {
  return ldp_research::make_gaussian(schema, config.budgets.front(), config.delta.value_or(kGaussianDelta),
                                     config.reading == ldp_research::PaperReading::print);
}

// Mechanisms with one budget use the first.
constexpr std::array kMechanisms{
    MechanismRow{.name = "strict", .averaging = Operator::convolution},
    MechanismRow{
        .name = "ppm",
        .averaging = Operator::flexprop,
        .gamma = kPaperGamma,
        .make = [](Columns s, Config c) { return make_ppm(s, c, ldp_research::PaperNoise::local_randomizer); }},
    MechanismRow{.name = "ppm*",
                 .averaging = Operator::flexprop,
                 .gamma = kPaperGamma,
                 .make = [](Columns s, Config c) { return make_ppm(s, c, ldp_research::PaperNoise::laplace); }},
    MechanismRow{.name = "ppm-pm",
                 .averaging = Operator::flexprop,
                 .gamma = kPaperGamma,
                 .make = [](Columns s, Config c) { return make_ppm(s, c, ldp_research::PaperNoise::piecewise); }},
    MechanismRow{.name = "mb", .make = make_mb},
    MechanismRow{.name = "1b",
                 .make = [](Columns s, Config c) { return ldp_research::make_one_bit(s, c.budgets.front()); }},
    MechanismRow{.name = "lp",
                 .make = [](Columns s, Config c) { return ldp_research::make_laplace(s, c.budgets.front()); }},
    MechanismRow{.name = "gm", .make = make_gm},
};

// Of few columns, relaxed people may report all and others some: then everybody's are listed, as some people's must be.
void list_columns_unless_all_are_whole(std::vector<ldp_research::NoisyRow>& rows) {
  const auto whole = [](const ldp_research::NoisyRow& row) { return row.columns.empty(); };
  if (std::all_of(rows.begin(), rows.end(), whole)) return;
  for (ldp_research::NoisyRow& row : rows) {
    if (!whole(row)) continue;
    row.columns.resize(row.values.size());
    std::iota(row.columns.begin(), row.columns.end(), 0U);
  }
}

}  // namespace

std::span<const MechanismRow> mechanisms() noexcept {
  return kMechanisms;
}

Result<Source> Source::make(const graph::Dataset& dataset, const SourceConfig& config) {
  Source source;
  source.name_ = config.mechanism.empty() ? "none" : config.mechanism;
  source.budgets_ = config.budgets;
  if (config.mechanism.empty()) return source;
  source.content_ = config.content;
  source.averages_ = config.averages;
  const MechanismRow* row = find_named(kMechanisms, source.name_);
  if (row == nullptr) {
    return Error{ErrorCode::invalid_argument,
                 "mechanism: must be one of " + listed(kMechanisms) + ", but is " + source.name_};
  }
  if (config.budgets.empty()) return Error{ErrorCode::invalid_argument, "budgets: there must be at least one"};
  source.averaging_ = row->averaging;
  if (row->make == nullptr) {
    Result<ldp::Plan> plan = plan_of(dataset, config);
    if (!plan) return plan.error();
    source.plan_ = std::move(plan).value();
    Result<FeatureMechanismPtr> made = ldp_research::make_strict(*source.plan_);
    if (!made) return made.error();
    source.mechanism_ = std::move(made).value();
  } else {
    Result<std::vector<ldp::ColumnGroup>> columns = population::columns_of(dataset.features.schema());
    if (!columns) return columns.error();
    Result<ldp::Schema> schema = ldp::Schema::make(std::move(columns).value());
    if (!schema) return schema.error();
    Result<FeatureMechanismPtr> made = row->make(*schema, config);
    if (!made) return made.error();
    source.mechanism_ = std::move(made).value();
  }
  source.averaging_ = config.averaging.value_or(source.averaging_);
  if (config.reading == ldp_research::PaperReading::authors && !config.averaging) source.averaging_ = Operator::kprop;
  if (source.averaging_ == Operator::inverse_variance) {
    for (std::uint32_t level = 1; level <= source.budgets_.size(); ++level) {
      source.level_weights_.push_back(1 / source.mechanism_->variance(ldp::Level{level}, 0));
    }
    const double most = *std::max_element(source.level_weights_.begin(), source.level_weights_.end());
    for (double& weight : source.level_weights_) weight /= most;
  }
  return source;
}

Result<calibrate::Collected> Source::collect(const server::Problem& problem, const population::Devices& devices) const {
  const kernels::Threads one(1);
  if (!mechanism_) return clean(problem, *devices.features);
  if (plan_ && averaging_ == Operator::convolution) {
    std::vector<ldp::Report> reports = population::simulate_reports(*plan_, devices, one);
    std::vector<ldp::NodeReport> placed;
    placed.reserve(reports.size());
    for (std::uint32_t node = 0; node < reports.size(); ++node) placed.push_back({node, std::move(reports[node])});
    return calibrate::collect(problem.order(), *plan_, placed);
  }
  std::vector<ldp_research::NoisyRow> rows = simulate_rows(*mechanism_, devices, one);
  list_columns_unless_all_are_whole(rows);
  return calibrate::collect(problem.order(), devices.features->cols(), averaging_,
                            [&](std::uint32_t node, calibrate::EstimatedRow& row) {
                              row.columns = std::move(rows[node].columns);
                              row.values = std::move(rows[node].values);
                              row.weight = weight_of(rows[node].reported_level);
                            });
}

double Source::weight_of(std::optional<std::int32_t> reported_level) const {
  if (averaging_ == Operator::flexprop) return reported_level.value_or(1);
  if (averaging_ != Operator::inverse_variance || !reported_level) return 1;
  const auto levels = static_cast<std::int32_t>(level_weights_.size());
  return level_weights_[static_cast<std::size_t>(std::clamp(*reported_level, 1, levels)) - 1];
}

Result<calibrate::Collected> clean(const server::Problem& problem, const graph::Features& features) {
  std::vector<float> values(features.nonzeros());
  for (std::size_t entry = 0; entry < values.size(); ++entry) values[entry] = features.value(entry);
  if (std::all_of(values.begin(), values.end(), [](float value) { return value == 1; })) values.clear();
  calibrate::NodeOrder::Rows rows = problem.order().renumber_rows(features.pattern().view(), values);
  Result<calibrate::FeatureMatrix> made =
      calibrate::FeatureMatrix::make({rows.offsets, rows.columns, features.cols()}, std::move(rows.values));
  if (!made) return made.error();
  return calibrate::Collected{
      std::make_shared<const calibrate::FeatureMatrix>(std::move(made).value()), Operator::kprop, {}};
}

std::vector<ldp_research::NoisyRow> simulate_rows(const ldp_research::FeatureMechanism& mechanism,
                                                  const population::Devices& devices, const kernels::Threads& threads) {
  std::vector<ldp_research::NoisyRow> rows(devices.features->rows());
  population::for_each_device(
      devices, threads,
      [&](std::size_t person, std::vector<float>&) { return population::row_of(*devices.features, person); },
      [&](std::size_t person, const ldp::Row& row, seeded::SeededStream& bits) {
        mechanism.perturb(devices.levels[person], row, bits, rows[person]);
        mechanism.estimate(rows[person]);
      });
  return rows;
}

double Source::spent(std::size_t level) const {
  if (!mechanism_ || content_ == population::Content::nothing) return 0;
  if (plan_) return plan_->certificate().features[level] + plan_->certificate().level_report;
  const ldp_research::StatedBound bound = mechanism_->bound(ldp::Level{static_cast<std::uint32_t>(level) + 1});
  return bound.level.empty() ? bound.epsilon : budgets_[level];  // the paper's: features and level report together
}

Privacy Source::privacy(std::span<const std::vector<ldp::Level>> levels) const {
  Privacy privacy;
  if (!mechanism_) {
    privacy.level = "nothing is protected";
    return privacy;
  }
  if (content_ == population::Content::nothing) {
    privacy.level = "nobody's features are in the reports";
    privacy.holds = true;
    return privacy;
  }
  privacy.budgets = budgets_;
  if (plan_) {
    const bool is_public = plan_->tables().secrecy == ldp::LevelSecrecy::public_level;
    privacy.level = is_public ? "public" : "protected";
    privacy.holds = plan_->certificate().holds();
  } else {
    const ldp_research::StatedBound bound = mechanism_->bound(ldp::Level{1});
    privacy.level = bound.level.empty() ? "one budget for everybody" : bound.level;
    privacy.holds = bound.exact && bound.level.empty();
    privacy.delta = bound.delta;
    if (!bound.level.empty()) {
      privacy.why = "the level is not protected";
    } else if (!bound.exact) {
      privacy.why = "noise is drawn in floating point, whose last digits can give values away";
    }
    if (bound.level.empty()) privacy.budgets = {budgets_.front()};
  }
  std::vector<double> spent_at(budgets_.size());
  for (std::size_t level = 0; level < spent_at.size(); ++level) spent_at[level] = spent(level);
  double people = 0;
  for (const auto& run : levels) {
    for (const ldp::Level level : run) {
      const double spent_here = spent_at[static_cast<std::uint32_t>(level) - 1];
      privacy.mean += spent_here;
      privacy.max = std::max(privacy.max, spent_here);
      ++people;
    }
  }
  privacy.mean /= std::max(1.0, people);
  return privacy;
}

Result<ldp::Plan> plan_of(const graph::Dataset& dataset, const SourceConfig& config) {
  Result<std::vector<ldp::ColumnGroup>> columns = population::columns_of(dataset.features.schema());
  if (!columns) return columns.error();
  ldp::PlanRequest request;
  request.columns = std::move(columns).value();
  request.budgets = config.budgets;
  request.secrecy = config.secrecy;
  request.level_budget = config.level_budget;
  request.gamma = config.gamma.value_or(0);
  request.shape.sampled = config.sampled;
  return ldp::make_plan(request);
}

graph::Dataset for_research(graph::Dataset dataset) {
  if (dataset.features.schema().origin == graph::SchemaOrigin::derived) {
    dataset.features = graph::derive_schema(dataset.features);
    dataset.notes.emplace_back("column ranges were read off the data: for research only");
  }
  return dataset;
}

}  // namespace ppgnn::simulate
