#include "ppgnn/attack/column_attack.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>

#include "ppgnn/attack/level_attack.hpp"
#include "ppgnn/ldp/perturb.hpp"
#include "ppgnn/ldp/planner.hpp"
#include "ppgnn/population/rows.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"

namespace ppgnn::attack {

namespace {

using ldp::Plan;
using ldp::ReportKind;

constexpr std::size_t kMostClasses = 8;

// A person's row with the guessed column high, or absent.
struct World {
  std::vector<std::uint32_t> columns;
  std::vector<float> values;

  World(const graph::Features& features, std::size_t person, std::uint32_t target, std::optional<float> value) {
    const auto listed = features.pattern().row(person);
    const std::size_t first = features.pattern().offsets()[person];
    for (std::size_t i = 0; i < listed.size(); ++i) {
      if (value && listed[i] >= target && (columns.empty() || columns.back() < target)) add(target, *value);
      if (listed[i] != target) add(listed[i], features.value(first + i));
    }
    if (value && (columns.empty() || columns.back() < target)) add(target, *value);
  }
  void add(std::uint32_t column, float one) {
    columns.push_back(column);
    values.push_back(one);
  }
  [[nodiscard]] ldp::Row row() const { return ldp::Row::sparse(columns, values); }
};

// Weights from how much oftener a class has a column than everybody, the clearest at the largest weight there is.
ldp::QuestionModel taught_model(const graph::Dataset& dataset) {
  const std::size_t classes = std::min(dataset.num_classes(), kMostClasses);
  const std::size_t columns = dataset.features.cols();
  std::vector<std::vector<double>> sums(classes, std::vector<double>(columns, 0));
  std::vector<double> people(classes, 0);
  for (std::size_t person = 0; person < dataset.num_nodes(); ++person) {
    const std::int32_t label = dataset.labels[person];
    if (label < 0 || static_cast<std::size_t>(label) >= classes) continue;
    ++people[static_cast<std::size_t>(label)];
    for (const std::uint32_t column : dataset.features.pattern().row(person))
      ++sums[static_cast<std::size_t>(label)][column];
  }
  double largest = 0;
  for (std::size_t column = 0; column < columns; ++column) {
    double mean = 0;
    for (std::size_t one = 0; one < classes; ++one) {
      sums[one][column] /= std::max(1.0, people[one]);
      mean += sums[one][column] / static_cast<double>(classes);
    }
    for (std::size_t one = 0; one < classes; ++one) largest = std::max(largest, std::abs(sums[one][column] -= mean));
  }
  ldp::QuestionModel model;
  for (std::size_t one = 0; one < classes; ++one) {
    model.classes.push_back("class " + std::to_string(one));
    model.biases.push_back(0);
    for (const double sum : sums[one]) {
      model.weights.push_back(static_cast<std::int16_t>(std::lrint(largest > 0 ? 127 * sum / largest : 0)));
    }
  }
  return model;
}

// A question that only one column decides.
ldp::QuestionModel hostile_model(std::size_t columns, std::uint32_t target, bool high) {
  ldp::QuestionModel model;
  model.classes = {"has it", "has it not"};
  model.biases = {0, 1};
  model.width = 16;
  model.weights.assign(2 * columns, 0);
  model.weights[target] = high ? 32767 : -32767;
  return model;
}

// Whichever end of a column's range is farther from absent.
bool is_farther_above(const ldp::ColumnGroup& group) noexcept {
  return group.high - group.absent >= group.absent - group.low;
}
bool is_farther_above(const std::vector<ldp::ColumnGroup>& columns, std::uint32_t target) {
  return is_farther_above(ldp::Schema::make(columns)->group_of(target));
}

struct Attacked {
  ReportKind kind;
  bool hostile;
  const char* name;
  const char* words;
};
constexpr Attacked kAttacked[] = {
    {ReportKind::signs, false, "signs", "a report of random columns"},
    {ReportKind::buckets, false, "buckets", "a teaching report, buckets"},
    {ReportKind::directions, false, "directions", "a teaching report, directions"},
    {ReportKind::answer, false, "answer", "an answer about classes"},
    {ReportKind::answer, true, "hostile", "an answer to a hostile question"},
};

Result<Plan> plan_for(const Attacked& attacked, const std::vector<ldp::ColumnGroup>& columns,
                      const graph::Dataset& dataset, const ColumnAttackOptions& options, std::uint32_t target) {
  ldp::PlanRequest request;
  request.kind = attacked.kind;
  request.columns = columns;
  request.budgets = options.budgets;
  request.secrecy = options.secrecy;
  request.level_budget = options.level_budget;
  if (ldp::needs_campaign(attacked.kind)) {
    const auto role = ldp::asks(attacked.kind) ? ldp::Role::answer : ldp::Role::teach;
    request.campaign = ldp::Campaign{"attack", role, "everybody", {}};
  }
  if (ldp::asks(attacked.kind)) {
    request.model = attacked.hostile ? hostile_model(dataset.features.cols(), target, is_farther_above(columns, target))
                                     : taught_model(dataset);
    request.shape.outcomes = 2;
  }
  return ldp::make_plan(request);
}

// Guesses of one column at every level.
void guess(const Plan& plan, const graph::Dataset& dataset, std::uint32_t target, std::uint64_t trials,
           seeded::SeededStream& bits, ColumnVictim& victim) {
  std::vector<ColumnGuesses>& levels = victim.levels;
  const std::vector<double> shares(levels.size(), 1 / static_cast<double>(levels.size()));
  const auto& tables = plan.tables();
  const ldp::ColumnGroup& group = plan.schema().group_of(target);
  const double farther = is_farther_above(group) ? group.high : group.low;
  for (std::size_t level = 0; level < levels.size(); ++level) {
    for (std::uint64_t trial = 0; trial < trials; ++trial) {
      const std::size_t person = random::below(dataset.num_nodes(), bits);
      const World with(dataset.features, person, target, static_cast<float>(farther));
      const World without(dataset.features, person, target, std::nullopt);
      const std::uint64_t salt = bits.next();
      std::optional<ldp::Question> question;
      if (tables.model) {
        const std::size_t classes = tables.model->classes.size();
        const auto first = static_cast<std::uint16_t>(random::below(classes, bits));
        const auto second = static_cast<std::uint16_t>((first + 1 + random::below(classes - 1, bits)) % classes);
        question = ldp::Question::make(*tables.model, {first, second}).value();
      }
      const ldp::Asked asked{salt, question ? &*question : nullptr};
      const bool has = random::below(2, bits) == 1;
      ldp::Report report;
      ldp::perturb(plan, ldp::Level{static_cast<std::uint32_t>(level) + 1}, (has ? with : without).row(), asked, bits,
                   report);
      const double evidence = ldp::with_mechanism(tables.kind, [&](auto mechanism) {
        using M = decltype(mechanism);
        const std::uint64_t entry = plan.levels()[level].entry;
        return M::log_likelihood(report, with.row(), tables, asked, entry, plan.shape(level)) -
               M::log_likelihood(report, without.row(), tables, asked, entry, plan.shape(level));
      });
      const bool guessed = evidence != 0 ? evidence > 0 : random::below(2, bits) == 1;
      ++levels[level].guesses;
      levels[level].right += guessed == has ? 1 : 0;
      if (!victim.level) continue;
      const ldp::Level own = guess_level(plan, report, (has ? with : without).row(), shares, asked);
      ++victim.level->guesses;
      victim.level->right += static_cast<std::uint32_t>(own) == level + 1 ? 1 : 0;
    }
  }
}

}  // namespace

bool ColumnGuesses::within_bound() const {
  const boost::math::binomial_distribution<double> most(static_cast<double>(guesses), bound);
  return right == 0 || boost::math::cdf(boost::math::complement(most, static_cast<double>(right) - 1)) >= 1e-6;
}

Result<std::vector<ColumnVictim>> infer_column(const graph::Dataset& dataset, const ColumnAttackOptions& options) {
  if (dataset.num_classes() < 2) return Error{ErrorCode::invalid_argument, "data: there must be at least two classes"};
  const Result<std::vector<ldp::ColumnGroup>> columns = population::columns_of(dataset.features.schema());
  if (!columns) return columns.error();
  const std::uint64_t targets = std::min<std::uint64_t>(options.columns, dataset.features.cols());
  if (options.gamma != 0) return Error{ErrorCode::invalid_argument, "gamma: must be 0 for these reports"};
  if (targets == 0) return Error{ErrorCode::invalid_argument, "columns: must be at least 1, but is 0"};
  std::vector<ColumnVictim> victims;
  for (const Attacked& attacked : kAttacked) {
    ColumnVictim victim{attacked.name, attacked.words, {}, {}};
    seeded::SeededStream bits(options.seed, seeded::Purpose::attack, victims.size());
    std::optional<Plan> plan;
    for (std::uint64_t i = 0; i < targets; ++i) {
      const auto target = static_cast<std::uint32_t>(random::below(dataset.features.cols(), bits));
      if (!plan || attacked.hostile) {
        Result<Plan> made = plan_for(attacked, *columns, dataset, options, target);
        if (!made) return made.error();
        plan = std::move(made).value();
      }
      if (victim.levels.empty()) {
        for (std::size_t level = 0; level < plan->levels().size(); ++level) {
          const double spent = plan->certificate().features[level];
          victim.levels.push_back({plan->levels()[level].budget, spent, 0, 0, 1 / (1 + std::exp(-spent))});
        }
      }
      if (!victim.level && options.secrecy == ldp::LevelSecrecy::protected_level && plan->levels().size() > 1) {
        const double most = 1 / static_cast<double>(plan->levels().size());
        victim.level = ColumnGuesses{plan->tables().level_budget, plan->certificate().level_given_features, 0, 0,
                                     guess_level_bound(*plan, most)};
      }
      guess(*plan, dataset, target, (options.trials + targets - 1) / targets, bits, victim);
    }
    victims.push_back(std::move(victim));
  }
  return victims;
}

}  // namespace ppgnn::attack
