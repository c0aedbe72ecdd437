#include "ppgnn/teach/structure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "ppgnn/calibrate/calibrated_input.hpp"
#include "ppgnn/calibrate/propagation.hpp"
#include "ppgnn/random/samplers.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"
#include "ppgnn/server/training.hpp"
#include "ppgnn/train/predict.hpp"

namespace ppgnn::teach {

namespace {

using calibrate::Operator;
using kernels::Matrix;

constexpr std::array kSpreading{Operator::mean, Operator::kprop};
constexpr std::size_t kOthers = 4;    // a constant, the degree, and two looks at the neighbours' degrees
constexpr double kDoubt = .5;         // labels seen before shares of classes are believed
constexpr double kLeastShare = 1e-3;  // keeps logarithms finite
constexpr double kUsual = 4;          // sources behind a spread label beyond the first hop, at least
constexpr double kDegreeScale = .3;
constexpr double kScale = .5;

std::size_t padded(std::size_t columns) noexcept {
  return (columns + 3) / 4 * 4;
}

// Which columns of the network's input hold what.
struct Layout {
  std::size_t classes;
  std::size_t hops;

  [[nodiscard]] std::size_t columns() const noexcept {
    return padded(kSpreading.size() * hops * (classes + 1) + kOthers);
  }
  [[nodiscard]] std::size_t block(std::size_t spreading, std::size_t hop) const noexcept {
    return (spreading * hops + hop) * (classes + 1);
  }
  [[nodiscard]] std::size_t others() const noexcept { return kSpreading.size() * hops * (classes + 1); }
};

// Known people by place in the engine's order, and what they are dealt into.
struct Known {
  std::vector<std::uint32_t> places;
  std::vector<std::uint32_t> fold;  // by place; `folds` for people whose label is not known
  std::vector<double> shares;       // of classes

  Known(const server::Problem& problem, const graph::Split& split, const StructureOptions& options)
      : fold(problem.labels().size(), static_cast<std::uint32_t>(options.folds)), shares(problem.classes(), 1) {
    const auto add = [&](const std::vector<graph::NodeId>& people) {
      for (const graph::NodeId person : people) {
        const std::uint32_t place = problem.order().to_new(person);
        seeded::SeededStream bits(options.training.seed, seeded::Purpose::fold, person);
        fold[place] = static_cast<std::uint32_t>(random::below(options.folds, bits));
        places.push_back(place);
        ++shares[static_cast<std::size_t>(problem.labels()[place])];
      }
    };
    add(split.train);
    if (options.all_labels) add(split.validation);
    const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares) share /= all;
  }
};

// What the labels say that reached one person over some hops: how often each class, and how many there were.
void write_shares(std::span<const float> reached, std::span<const double> shares, double sources,
                  std::span<float> out) {
  double mass = 0;
  for (std::size_t c = 0; c < shares.size(); ++c) mass += static_cast<double>(reached[c]);
  const double count = mass * sources;
  for (std::size_t c = 0; c < shares.size(); ++c) {
    const double own = mass > 0 ? static_cast<double>(reached[c]) / mass * count : 0;
    const double share = (own + kDoubt * shares[c]) / (count + kDoubt);
    out[c] = static_cast<float>(kScale * std::log((share + kLeastShare) / (shares[c] + kLeastShare)));
  }
  out[shares.size()] = static_cast<float>(kScale * std::log1p(count));
}

double sources_of(Operator kind, std::size_t hop, double degree) noexcept {
  if (kind == Operator::kprop) return std::max(kUsual, std::sqrt(degree));
  return hop == 0 ? std::max(1.0, degree) : std::max(kUsual, degree);
}

// Spreads the labels of all folds but one by one operator, and writes what arrives at the people of that fold; of the
// fold that nobody is in, which is spread too: at everybody whose label is not known.
Result<void> spread_fold(const server::Problem& problem, const Known& known, const Layout& layout,
                         std::size_t spreading, std::uint32_t fold, std::size_t folds, const kernels::Threads& threads,
                         Matrix& input) {
  const graph::Csr& graph = problem.graph();
  Result<calibrate::Propagation> one_hop =
      calibrate::Propagation::make(graph, {.kind = kSpreading[spreading], .hops = 1, .self = calibrate::Self::exclude});
  if (!one_hop) return one_hop.error();
  Matrix labels(graph.rows(), padded(layout.classes));
  Matrix scratch(graph.rows(), labels.cols());
  Matrix reached(graph.rows(), labels.cols());
  // Where nobody is left out, all labels together count as many as without one fold: rows of both kinds look alike.
  const float weight = fold < folds ? 1 : static_cast<float>(folds - 1) / static_cast<float>(folds);
  for (const std::uint32_t place : known.places) {
    if (known.fold[place] == fold) continue;
    labels.values()[place * labels.cols() + static_cast<std::size_t>(problem.labels()[place])] = weight;
  }
  for (std::size_t hop = 0; hop < layout.hops; ++hop) {
    one_hop->apply(labels.view(), scratch.view(), reached.view(), threads);
    for (std::size_t place = 0; place < graph.rows(); ++place) {
      if (known.fold[place] != fold) continue;
      const auto degree = static_cast<double>(graph.row(place).size());
      write_shares(reached.values().subspan(place * reached.cols(), layout.classes), known.shares,
                   sources_of(kSpreading[spreading], hop, degree),
                   input.values().subspan(place * input.cols() + layout.block(spreading, hop), layout.classes + 1));
    }
    std::swap(labels, reached);
  }
  return {};
}

void write_degrees(const graph::Csr& graph, const Layout& layout, Matrix& input) {
  for (std::size_t place = 0; place < graph.rows(); ++place) {
    const auto neighbours = graph.row(place);
    double logs = 0;
    double inverse = 0;
    for (const std::uint32_t neighbour : neighbours) {
      const auto degree = static_cast<double>(graph.row(neighbour).size());
      logs += std::log(degree);
      inverse += 1 / degree;
    }
    const auto degree = static_cast<double>(neighbours.size());
    float* out = input.values().data() + place * input.cols() + layout.others();
    out[0] = 1;
    out[1] = static_cast<float>(kDegreeScale * std::log1p(degree));
    out[2] = static_cast<float>(neighbours.empty() ? 0 : kDegreeScale * logs / degree);
    out[3] = static_cast<float>(kDegreeScale * std::log1p(inverse));
  }
}

// The matrix as the trainer's input, on a graph without edges.
Result<calibrate::CalibratedInput> as_input(Matrix input, const graph::Csr& edgeless, const kernels::Threads& threads) {
  Result<calibrate::Propagation> nothing =
      calibrate::Propagation::make(edgeless, {.kind = Operator::mean, .hops = 0, .self = {}});
  if (!nothing) return nothing.error();
  auto matrix = std::make_shared<const calibrate::FeatureMatrix>(calibrate::FeatureMatrix::make(std::move(input)));
  return calibrate::CalibratedInput::make(std::move(matrix), std::move(nothing).value(), {}, threads);
}

}  // namespace

train::TrainOptions StructureOptions::defaults() noexcept {
  train::TrainOptions training;
  training.network.hidden = 32;
  training.dropout = .2;
  training.epochs = 400;
  training.patience = 60;
  return training;
}

Result<Beliefs> structure_beliefs(const server::Problem& problem, const graph::Split& split,
                                  const StructureOptions& options, const train::Hooks& hooks) {
  const auto invalid = [](std::string message) { return Error{ErrorCode::invalid_argument, std::move(message)}; };
  if (split.train.empty() || split.validation.empty()) {
    return invalid("split: the training or the validation part is empty");
  }
  if (options.folds < 2) return invalid("folds: must be at least 2, but is " + std::to_string(options.folds));
  if (options.hops < 1 || options.hops > server::kMaxHops) {
    return invalid("hops: must be between 1 and " + std::to_string(server::kMaxHops) + ", but is " +
                   std::to_string(options.hops));
  }
  const kernels::Threads threads(options.training.threads);
  const Layout layout{problem.classes(), options.hops};
  const Known known(problem, split, options);
  const graph::Csr& graph = problem.graph();
  Matrix input(graph.rows(), layout.columns());
  for (std::size_t spreading = 0; spreading < kSpreading.size(); ++spreading) {
    for (std::uint32_t fold = 0; fold <= options.folds; ++fold) {
      Result<void> spread = spread_fold(problem, known, layout, spreading, fold, options.folds, threads, input);
      if (!spread) return spread.error();
    }
  }
  write_degrees(graph, layout, input);

  const Result<graph::Csr> edgeless =
      graph::Csr::make(std::vector<std::uint64_t>(graph.rows() + 1, 0), {}, graph.rows());
  if (!edgeless) return edgeless.error();
  const Result<calibrate::CalibratedInput> matrix = as_input(std::move(input), *edgeless, threads);
  if (!matrix) return matrix.error();
  const auto placed = [&](const std::vector<graph::NodeId>& people) {
    std::vector<std::uint32_t> places;
    places.reserve(people.size());
    for (const graph::NodeId person : people) places.push_back(problem.order().to_new(person));
    std::sort(places.begin(), places.end());
    return places;
  };
  const std::vector<std::uint32_t> learned = placed(split.train);
  const std::vector<std::uint32_t> validated = placed(split.validation);
  Result<train::Trainer> trainer = train::Trainer::make({.input = &*matrix,
                                                         .graph = edgeless->view(),
                                                         .labels = problem.labels(),
                                                         .classes = problem.classes(),
                                                         .train = learned,
                                                         .validation = validated,
                                                         .test = {}},
                                                        options.training);
  if (!trainer) return trainer.error();
  if (Result<train::Outcome> outcome = trainer->run(hooks); !outcome) return outcome.error();
  static_cast<void>(trainer->evaluate_best());
  train::Predictions predictions = server::in_original_order(problem, train::predict(trainer->network(), threads));
  return Beliefs{problem.classes(), std::move(predictions.probabilities)};
}

}  // namespace ppgnn::teach
