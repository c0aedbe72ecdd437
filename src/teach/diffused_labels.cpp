#include "teach/diffused_labels.hpp"

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
#include "teach/placed.hpp"

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
constexpr double kDoubtOfOne = 2;                    // labels seen around one neighbour before they are believed
constexpr std::array<std::size_t, 2> kSizes{8, 40};  // most friends of a neighbour with few of them, with more
constexpr std::size_t kKinds = kSizes.size() + 2;    // few, more, many, and all together

std::size_t padded(std::size_t columns) noexcept {
  return (columns + 3) / 4 * 4;
}

// Which columns of the network's input hold what.
struct Layout {
  std::size_t classes;
  std::size_t hops;

  [[nodiscard]] std::size_t columns() const noexcept { return padded(neighbours() + kKinds * (classes + 1)); }
  [[nodiscard]] std::size_t block(std::size_t spreading, std::size_t hop) const noexcept {
    return (spreading * hops + hop) * (classes + 1);
  }
  [[nodiscard]] std::size_t others() const noexcept { return kSpreading.size() * hops * (classes + 1); }
  [[nodiscard]] std::size_t neighbours() const noexcept { return others() + kOthers; }
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

// Where nobody is left out, all labels together count as many as without one fold: rows of both kinds look alike.
double weight_of(std::uint32_t fold, std::size_t folds) noexcept {
  return fold < folds ? 1 : static_cast<double>(folds - 1) / static_cast<double>(folds);
}

// Calls body(place) for everybody; who is in which task depends on the graph alone.
template <class Body>
void for_each_place(const graph::Csr& graph, const kernels::Threads& threads, const Body& body) {
  kernels::for_row_blocks(graph.rows(), threads, [&](std::size_t, std::size_t first, std::size_t last) {
    for (std::size_t place = first; place < last; ++place) body(place);
  });
}

// Spreads the labels of all folds but one by one operator, and writes what arrives at the people of that fold; of the
// fold that nobody is in, which is spread too: at everybody whose label is not known.
void spread_fold(const server::Problem& problem, const Known& known, const Layout& layout,
                 const calibrate::Propagation& one_hop, std::size_t spreading, std::uint32_t fold, std::size_t folds,
                 const kernels::Threads& threads, Matrix& input) {
  const graph::Csr& graph = problem.graph();
  Matrix labels(graph.rows(), padded(layout.classes));
  Matrix scratch(graph.rows(), labels.cols());
  Matrix reached(graph.rows(), labels.cols());
  const auto weight = static_cast<float>(weight_of(fold, folds));
  for (const std::uint32_t place : known.places) {
    if (known.fold[place] == fold) continue;
    labels.values()[place * labels.cols() + static_cast<std::size_t>(problem.labels()[place])] = weight;
  }
  for (std::size_t hop = 0; hop < layout.hops; ++hop) {
    one_hop.apply(labels.view(), scratch.view(), reached.view(), threads);
    for_each_place(graph, threads, [&](std::size_t place) {
      if (known.fold[place] != fold) return;
      const auto degree = static_cast<double>(graph.row(place).size());
      write_shares(reached.values().subspan(place * reached.cols(), layout.classes), known.shares,
                   sources_of(kSpreading[spreading], hop, degree),
                   input.values().subspan(place * input.cols() + layout.block(spreading, hop), layout.classes + 1));
    });
    std::swap(labels, reached);
  }
}

// How much oftener than usual each class occurs among the people around everybody, as logarithms, without one fold.
std::vector<float> surroundings(const server::Problem& problem, const Known& known, std::uint32_t fold,
                                std::size_t folds, const kernels::Threads& threads) {
  const graph::Csr& graph = problem.graph();
  const std::size_t classes = known.shares.size();
  const double weight = weight_of(fold, folds);
  std::vector<float> around(graph.rows() * classes);
  for_each_place(graph, threads, [&](std::size_t place) {
    thread_local std::vector<double> counts;
    counts.assign(classes, 0);
    double all = 0;
    for (const std::uint32_t neighbour : graph.row(place)) {
      if (known.fold[neighbour] >= folds || known.fold[neighbour] == fold) continue;
      counts[static_cast<std::size_t>(problem.labels()[neighbour])] += weight;
      all += weight;
    }
    for (std::size_t c = 0; c < classes; ++c) {
      const double share = (counts[c] + kDoubtOfOne * known.shares[c]) / (all + kDoubtOfOne);
      around[place * classes + c] = static_cast<float>(std::log(share / known.shares[c]));
    }
  });
  return around;
}

// Each neighbour as evidence of its own, by what the labels around it say: a mean over neighbours, as spreading takes it,
// forgets how many there are who say the same. Neighbours with few, more and many friends apart, and all together.
void write_neighbours(const server::Problem& problem, const Known& known, const Layout& layout, std::uint32_t fold,
                      std::size_t folds, const kernels::Threads& threads, Matrix& input) {
  const graph::Csr& graph = problem.graph();
  const std::vector<float> around = surroundings(problem, known, fold, folds, threads);
  for_each_place(graph, threads, [&](std::size_t place) {
    if (known.fold[place] != fold) return;
    thread_local std::vector<double> sums;
    sums.assign(kKinds * layout.classes, 0);
    std::array<double, kKinds> counts{};
    for (const std::uint32_t neighbour : graph.row(place)) {
      const auto size = std::lower_bound(kSizes.begin(), kSizes.end(), graph.row(neighbour).size()) - kSizes.begin();
      for (const std::size_t kind : {static_cast<std::size_t>(size), kKinds - 1}) {
        ++counts[kind];
        for (std::size_t c = 0; c < layout.classes; ++c) {
          sums[kind * layout.classes + c] += static_cast<double>(around[neighbour * layout.classes + c]);
        }
      }
    }
    float* out = input.values().data() + place * input.cols() + layout.neighbours();
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      const double scale = kScale / std::sqrt(std::max(1.0, counts[kind]));
      for (std::size_t c = 0; c < layout.classes; ++c) {
        *out++ = static_cast<float>(scale * sums[kind * layout.classes + c]);
      }
      *out++ = static_cast<float>(kDegreeScale * std::log1p(counts[kind]));
    }
  });
}

void write_degrees(const graph::Csr& graph, const Layout& layout, const kernels::Threads& threads, Matrix& input) {
  for_each_place(graph, threads, [&](std::size_t place) {
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
  });
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

Result<Beliefs> diffused_labels(const server::Problem& problem, const graph::Split& split,
                                const StructureOptions& options, const train::Hooks& hooks) {
  const kernels::Threads threads(options.training.threads);
  const Layout layout{problem.classes(), options.hops};
  const Known known(problem, split, options);
  const graph::Csr& graph = problem.graph();
  Matrix input(graph.rows(), layout.columns());
  for (std::size_t spreading = 0; spreading < kSpreading.size(); ++spreading) {
    const Result<calibrate::Propagation> one_hop = calibrate::Propagation::make(
        graph, {.kind = kSpreading[spreading], .hops = 1, .self = calibrate::Self::exclude});
    if (!one_hop) return one_hop.error();
    for (std::uint32_t fold = 0; fold <= options.folds; ++fold) {
      spread_fold(problem, known, layout, *one_hop, spreading, fold, options.folds, threads, input);
    }
  }
  for (std::uint32_t fold = 0; fold <= options.folds; ++fold) {
    write_neighbours(problem, known, layout, fold, options.folds, threads, input);
  }
  write_degrees(graph, layout, threads, input);

  const Result<graph::Csr> edgeless =
      graph::Csr::make(std::vector<std::uint64_t>(graph.rows() + 1, 0), {}, graph.rows());
  if (!edgeless) return edgeless.error();
  const Result<calibrate::CalibratedInput> matrix = as_input(std::move(input), *edgeless, threads);
  if (!matrix) return matrix.error();
  const std::vector<std::uint32_t> learned = placed(problem, split.train);
  const std::vector<std::uint32_t> validated = placed(problem, split.validation);
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
