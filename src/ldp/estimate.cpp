#include "ppgnn/ldp/estimate.hpp"

#include <algorithm>
#include <cassert>

#include "ldp/best_shape.hpp"
#include "ppgnn/ldp/mechanism.hpp"

namespace ppgnn::ldp {

namespace {

double gain_of(const PlanTables& tables, const PlanLevel& level) {
  return with_mechanism(tables.kind,
                        [&](auto mechanism) { return decltype(mechanism)::gain(level.entry, tables.shape(level)); });
}

}  // namespace

Estimator::Estimator(const PlanTables& tables) : kind_(tables.kind) {
  const std::vector<PlanLevel>& levels = tables.levels;
  for (const PlanLevel& level : levels) {
    columns_ = std::max(columns_, with_mechanism(kind_, [&](auto mechanism) {
                          return decltype(mechanism)::estimated_columns(tables.shape(level));
                        }));
  }
  // One case: all levels, each with its prior, share it.
  const auto add_case = [&](const Shape& shape, auto&& probability_given_level) {
    Case one{.shape = shape};
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const double joint = levels[i].prior * probability_given_level(i);
      one.probability += joint;
      one.gain += joint * gain_of(tables, levels[i]);
    }
    for (std::size_t i = 0; i < levels.size() && one.probability > 0; ++i) {
      const double off = gain_of(tables, levels[i]) - one.gain / one.probability;
      one.spread += levels[i].prior * probability_given_level(i) / one.probability * off * off;
    }
    // A case that the prior excludes still needs a gain that is not 0 / 0.
    one.gain = one.probability > 0 ? one.gain / one.probability : gain_of(tables, levels.front());
    cases_.push_back(one);
  };

  if (const auto& response = tables.level_response) {
    first_reported_ = response->first();
    for (std::int32_t reported = response->first(); reported <= response->last(); ++reported) {
      add_case(tables.shape(levels.front()), [&](std::size_t level) {
        return response->probability(static_cast<std::uint32_t>(level) + 1, reported);
      });
    }
  } else if (tables.secrecy == LevelSecrecy::public_level) {
    first_reported_ = 1;
    for (std::size_t own = 0; own < levels.size(); ++own) {
      Case one{
          .probability = levels[own].prior, .gain = gain_of(tables, levels[own]), .shape = tables.shape(levels[own])};
      cases_.push_back(one);
    }
  } else {
    add_case(tables.shape(levels.front()), [](std::size_t) { return 1.0; });
  }
}

std::optional<std::int32_t> Estimator::reported_level(std::size_t index) const noexcept {
  if (!first_reported_) return std::nullopt;
  return *first_reported_ + static_cast<std::int32_t>(index);
}

std::size_t Estimator::case_of(std::optional<std::int32_t> reported_level) const noexcept {
  assert(reported_level.has_value() == first_reported_.has_value());
  const auto index = static_cast<std::size_t>(reported_level ? *reported_level - *first_reported_ : 0);
  assert(index < cases_.size());
  return index;
}

double Estimator::variance(std::size_t index, double x) const noexcept {
  const Case& one = cases_[index];
  return with_mechanism(kind_, [&](auto mechanism) {
    using Mechanism = decltype(mechanism);
    if constexpr (requires { Mechanism::variance(one.gain, x, one.shape, one.spread); }) {
      return Mechanism::variance(one.gain, x, one.shape, one.spread);
    } else {
      return Mechanism::variance(one.gain, x, one.shape);  // no part of a report is drawn twice
    }
  });
}

double Estimator::mass(std::size_t index) const noexcept {
  const Case& one = cases_[index];
  return with_mechanism(kind_, [&](auto mechanism) { return decltype(mechanism)::information(one.gain, one.shape); });
}

void Estimator::estimate(const Report& report, std::vector<EstimateEntry>& out) const {
  const Case& one = cases_[case_of(report.reported_level)];
  out.clear();
  with_mechanism(kind_, [&](auto mechanism) { decltype(mechanism)::estimate(report, one.gain, one.shape, out); });
}

double Estimator::expected_mass() const noexcept {
  double sum = 0;
  for (std::size_t i = 0; i < cases_.size(); ++i) sum += cases_[i].probability * mass(i);
  return sum;
}

double information_kept(const PlanTables& tables) {
  // Expected mass if everybody's level were public and nothing were held back.
  const double most = with_mechanism(tables.kind, [&](auto mechanism) {
    using Mechanism = decltype(mechanism);
    const std::vector<PlanLevel> candidates = Mechanism::candidates(tables, {});
    double mass = 0;
    for (const PlanLevel& level : tables.levels) {
      const Shape shape = tables.shape(best_shape<Mechanism>(tables, level, candidates));
      const double gain = Mechanism::gain(Mechanism::quantise(level.budget, shape), shape);
      mass += level.prior * Mechanism::information(gain, shape);
    }
    return mass;
  });
  return Estimator(tables).expected_mass() / most;
}

}  // namespace ppgnn::ldp
