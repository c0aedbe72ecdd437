#include "ppgnn/api/forecast.hpp"

#include <utility>

#include "api/structure.hpp"
#include "ppgnn/graph/split.hpp"
#include "ppgnn/teach/forecast.hpp"

namespace ppgnn::api {

Result<Forecast> forecast(const Data& data, const ForecastRequest& request) {
  const graph::Dataset& dataset = data.dataset();
  teach::ForecastRequest wanted;
  Result<std::vector<ldp::ColumnGroup>> columns = data.schema();
  if (!columns) return columns.error();
  wanted.columns = std::move(columns).value();
  wanted.budgets = request.budgets;
  wanted.secrecy = request.secrecy;
  wanted.response = request.response;
  const Result<graph::Split> split = graph::make_split(dataset, request.seed, 0);
  if (!split) return split.error();
  const auto people = static_cast<double>(dataset.num_nodes());
  wanted.labelled = static_cast<double>(split->train.size() + split->validation.size()) / people;
  if (dataset.name.starts_with(graph::kSocialName)) {
    const Result<graph::SocialOptions> knobs = graph::parse_social(dataset.name);
    if (!knobs) return knobs.error();
    wanted.features = teach::FeatureAssumptions::generated(*knobs);
  }
  const Result<teach::Beliefs> beliefs = structure_of(data, request.seed)(*split);
  if (!beliefs) return beliefs.error();
  const Result<teach::Forecaster> forecaster =
      teach::Forecaster::make(wanted, teach::beliefs_to_ask(*beliefs, dataset.labels.span(), *split));
  if (!forecaster) return forecaster.error();
  const teach::Forecast made = forecaster->at(people);
  return Forecast{made.control.accuracy, made.points.value, made.points.low,
                  made.points.high,      made.nats.value,   made.asked};
}

}  // namespace ppgnn::api
