#include "teach/friends.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "ppgnn/calibrate/calibrated_input.hpp"
#include "ppgnn/calibrate/propagation.hpp"
#include "ppgnn/nn/backbones.hpp"
#include "ppgnn/server/training.hpp"
#include "ppgnn/train/predict.hpp"
#include "teach/placed.hpp"

namespace ppgnn::teach {

namespace {

train::TrainOptions options_of(const FriendsNetwork& network, std::uint64_t seed, std::size_t threads) {
  train::TrainOptions options;
  options.network.backbone = nn::backbone_named(network.backbone);
  options.adam.weight_decay = 1e-3;
  options.epochs = 200;
  options.patience = 30;
  options.seed = seed;
  options.threads = threads;
  return options;
}

}  // namespace

Result<Beliefs> friends_beliefs(const server::Problem& problem, const graph::Split& split,
                                const FriendsNetwork& network, std::uint64_t seed, std::size_t threads,
                                const train::Hooks& hooks) {
  const graph::Csr& graph = problem.graph();
  std::vector<float> lengths(graph.rows());  // everybody's row of friends is made as long as any other
  for (std::size_t place = 0; place < graph.rows(); ++place) {
    const auto degree = static_cast<double>(std::max<std::size_t>(1, graph.row(place).size()));
    lengths[place] = static_cast<float>(1 / std::sqrt(degree));
  }
  Result<calibrate::FeatureMatrix> friends = calibrate::FeatureMatrix::of_friends(graph);
  if (!friends) return friends.error();
  Result<calibrate::Propagation> averaging =
      calibrate::Propagation::make(graph, {.kind = calibrate::Operator::mean, .hops = network.hops, .self = {}});
  if (!averaging) return averaging.error();
  averaging->weigh_rows(lengths);
  const kernels::Threads workers(threads);
  const Result<calibrate::CalibratedInput> input = calibrate::CalibratedInput::make(
      std::make_shared<const calibrate::FeatureMatrix>(std::move(friends).value()), std::move(averaging).value(),
      {.order = calibrate::Order::right_to_left}, workers);
  if (!input) return input.error();
  const std::vector<std::uint32_t> learned = placed(problem, split.train);
  const std::vector<std::uint32_t> validated = placed(problem, split.validation);
  Result<train::Trainer> trainer = train::Trainer::make({.input = &*input,
                                                         .graph = graph.view(),
                                                         .labels = problem.labels(),
                                                         .classes = problem.classes(),
                                                         .train = learned,
                                                         .validation = validated,
                                                         .test = {}},
                                                        options_of(network, seed, threads));
  if (!trainer) return trainer.error();
  if (Result<train::Outcome> outcome = trainer->run(hooks); !outcome) return outcome.error();
  static_cast<void>(trainer->evaluate_best());
  train::Predictions predictions = server::in_original_order(problem, train::predict(trainer->network(), workers));
  return Beliefs{problem.classes(), std::move(predictions.probabilities)};
}

}  // namespace ppgnn::teach
