#include "ppgnn/api/training.hpp"

#include <algorithm>
#include <utility>

#include "ppgnn/admission/admission.hpp"
#include "ppgnn/core/names.hpp"
#include "ppgnn/graph/split.hpp"
#include "ppgnn/nn/backbones.hpp"
#include "ppgnn/server/predictions.hpp"
#include "ppgnn/server/served_model.hpp"
#include "ppgnn/server/training.hpp"

namespace ppgnn::api {

namespace {

// The reports, admitted, in the order of people.
Result<std::vector<ldp::NodeReport>> admitted(const graph::Dataset& dataset, const ldp::Plan& plan,
                                              const std::vector<PersonReport>& reports) {
  std::vector<ldp::NodeReport> taken;
  taken.reserve(reports.size());
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const auto refuse = [&](const std::string& why) {
      return Error{ErrorCode::malformed, "report " + std::to_string(i) + ": " + why};
    };
    const auto node = dataset.nodes.find(reports[i].person);
    if (!node) return refuse("of somebody who is not in the data");
    admission::Verdict verdict = admission::admit({.plan = &plan}, {}, reports[i].bytes);
    if (!verdict) return refuse(verdict.why);
    taken.push_back({*node, std::move(*verdict.report)});
  }
  std::sort(taken.begin(), taken.end(), [](const auto& one, const auto& other) { return one.node < other.node; });
  const auto twice = std::adjacent_find(taken.begin(), taken.end(),
                                        [](const auto& one, const auto& other) { return one.node == other.node; });
  if (twice != taken.end()) return Error{ErrorCode::malformed, "reports: somebody has two"};
  if (taken.empty()) return Error{ErrorCode::malformed, "reports: there is none"};
  return taken;
}

Result<server::PipelineOptions> pipeline_of(const TrainingOptions& options) {
  server::PipelineOptions pipeline;
  pipeline.hops = options.hops;
  Result<std::vector<double>> scales = server::scales_named(options.scale);
  if (!scales) return scales.error();
  pipeline.scales = std::move(scales).value();
  train::TrainOptions& training = pipeline.training;
  if (find_named(nn::backbones(), options.backbone) == nullptr) {
    return Error{ErrorCode::invalid_argument, "backbone: must be one of " + listed(nn::backbones())};
  }
  training.network.backbone = nn::backbone_named(options.backbone);
  training.network.hidden = options.hidden;
  training.adam.learning_rate = options.learning_rate;
  training.adam.weight_decay = options.weight_decay;
  training.dropout = options.dropout;
  training.epochs = options.epochs;
  training.seed = server::training_seed(options.seed, 0);
  training.threads = options.threads;
  return pipeline;
}

}  // namespace

Result<Model> Model::train(const Data& data, const ldp::Plan& plan, const std::vector<PersonReport>& reports,
                           const TrainingOptions& options) {
  const graph::Dataset& dataset = data.dataset();
  const auto taken = admitted(dataset, plan, reports);
  if (!taken) return taken.error();
  const Result<graph::Split> split = graph::make_split(dataset, options.seed, 0);
  if (!split) return split.error();
  const Result<server::PipelineOptions> pipeline = pipeline_of(options);
  if (!pipeline) return pipeline.error();
  const Result<server::Problem> problem = server::Problem::make(dataset);
  if (!problem) return problem.error();
  const Result<calibrate::Collected> collected = calibrate::collect(problem->order(), plan, *taken);
  if (!collected) return collected.error();
  train::Hooks hooks;
  hooks.stop = options.stop;
  double done = 0;
  const auto total = static_cast<double>(std::max<std::size_t>(1, pipeline->scales.size()) * pipeline->training.epochs);
  if (options.progress) hooks.progress = [&](const train::EpochRecord&) { options.progress(++done, total); };
  const Result<server::Trained> trained = server::calibrate_and_train(*problem, *collected, *split, *pipeline, hooks);
  if (!trained) return trained.error();
  return Model(std::make_shared<const server::ServedModel>(
                   server::served_model(dataset, plan, *pipeline, *trained, options.seed, 0)),
               trained->outcome.test.accuracy());
}

Result<Model> Model::read(const std::string& path) {
  Result<server::ServedModel> model = server::read_served_model(path);
  if (!model) return model.error();
  return Model(std::make_shared<const server::ServedModel>(std::move(model).value()), 0);
}

Result<void> Model::write(const std::string& path) const {
  return server::write_served_model(*model_, path);
}

std::string Model::encode() const {
  return server::encode_served_model(*model_);
}

Result<Model> Model::decode(const std::string& bytes) {
  Result<server::ServedModel> model = server::decode_served_model(bytes);
  if (!model) return model.error();
  return Model(std::make_shared<const server::ServedModel>(std::move(model).value()), 0);
}

const std::vector<std::string>& Model::classes() const noexcept {
  return model_->classes;
}

Result<std::vector<float>> Model::probabilities(const Data& data, const ldp::Plan& plan,
                                                const std::vector<PersonReport>& reports) const {
  const Result<graph::Dataset> dataset = server::for_prediction(*model_, data.dataset());
  if (!dataset) return dataset.error();
  const auto taken = admitted(*dataset, plan, reports);
  if (!taken) return taken.error();
  const Result<server::Problem> problem = server::Problem::make(*dataset);
  if (!problem) return problem.error();
  Result<train::Predictions> made = server::predict(*model_, *problem, plan, *taken, 0);
  if (!made) return made.error();
  return std::move(made->probabilities);
}

Result<std::vector<Prediction>> Model::predict(const Data& data, const ldp::Plan& plan,
                                               const std::vector<PersonReport>& reports) const {
  Result<std::vector<float>> made = probabilities(data, plan, reports);
  if (!made) return made.error();
  std::vector<Prediction> predictions;
  for (std::uint32_t person = 0; person < data.people(); ++person) {
    const auto row = std::span(*made).subspan(person * classes().size(), classes().size());
    const auto best = static_cast<std::size_t>(std::max_element(row.begin(), row.end()) - row.begin());
    predictions.push_back({data.person(person), classes()[best], static_cast<double>(row[best])});
  }
  return predictions;
}

}  // namespace ppgnn::api
