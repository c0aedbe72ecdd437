#pragma once

#include <vector>

#include "ppgnn/api/data.hpp"
#include "ppgnn/ldp/plan.hpp"

namespace ppgnn::api {

/// A campaign that may be held on a graph with labels.
struct ForecastRequest {
  std::vector<double> budgets{1, 2, 4, 8, 16};  ///< one per level, as many people at each
  ldp::LevelSecrecy secrecy = ldp::LevelSecrecy::protected_level;
  double response = 1;     ///< share of the people asked who report
  std::uint64_t seed = 0;  ///< of split and structure model
};

/// What it is expected to give; `low` and `high` hold in nineteen networks of twenty.
struct Forecast {
  double control = 0;  ///< accuracy of graph and labels alone
  double points = 0;   ///< of accuracy over that
  double low = 0;
  double high = 0;
  double nats = 0;   ///< of log-loss per person over that
  double asked = 0;  ///< share of the others whom an answer could move
};

/// Says what a campaign would give before anybody reports, from graph, labels and the number of columns; no feature is
/// looked at.
///
/// Errors  Those of the plans, naming the field.
/// Source  docs/forecast.md
[[nodiscard]] Result<Forecast> forecast(const Data& data, const ForecastRequest& request = {});

}  // namespace ppgnn::api
