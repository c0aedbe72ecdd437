// What a training epoch costs, evaluation included, on real data sets: right to left on sparse reports against the same
// computation done densely, in one run on one thread; then two threads, and a graph of a million nodes.
//
//     bench_engine [data folder] [part...]      parts: epochs threads large linear (default: epochs threads)
//
// The dense reference forms Z once, computes Z W for training and again for evaluation as an ordinary loop does, and
// Z^T G. To count, its products must reach half of the measured memory bandwidth; where the core's arithmetic does not
// allow that, "at half" is the time of products that did.
// "dense shared" is the kinder reference that shares Z W between evaluation and training as the engine does.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>

#include "bench/support/machine.hpp"
#include "bench/support/planetoid_labels.hpp"
#include "bench/support/strict_reports.hpp"
#include "bench/support/synthetic.hpp"
#include "ppgnn/calibrate/calibrated_input.hpp"
#include "ppgnn/graph/load.hpp"
#include "ppgnn/kernels/instruction_set.hpp"
#include "ppgnn/nn/backbones.hpp"
#include "ppgnn/train/trainer.hpp"

namespace {

using namespace ppgnn;

template <class T>
T need(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "bench_engine: %s\n", result.error().message.c_str());
    std::exit(1);
  }
  return *std::move(result);
}

// Least CPU seconds of an epoch.
double epoch_seconds(const train::Task& task, const nn::Backbone& backbone, std::size_t threads, std::size_t epochs,
                     double (*clock)()) {
  train::TrainOptions options;
  options.network.backbone = &backbone;
  options.threads = threads;
  auto trainer = need(train::Trainer::make(task, options));
  trainer.step();
  return bench::least_seconds(epochs, clock, [&] { trainer.step(); });
}

struct Loaded {
  graph::Dataset data;
  graph::Csr graph;  // in the engine's order, as all below
  std::vector<std::int32_t> labels;
  std::shared_ptr<const calibrate::FeatureMatrix> reports;
  graph::Split split;
  std::vector<float> mass;
};

Loaded load(const std::string& folder, const std::string& name) {
  Loaded loaded;
  loaded.data = bench::with_planetoid_labels(need(graph::load(name, {.data_folder = folder})));
  const graph::Csr simple = need(calibrate::simple_graph(loaded.data.graph));
  const auto order = calibrate::NodeOrder::by_locality(simple.view());
  loaded.graph = order.renumber(simple);
  loaded.labels = order.renumber(loaded.data.labels.span());
  auto collected = need(bench::strict_reports(loaded.data.features, order, 1, 1));
  loaded.reports = std::move(collected.estimates);
  loaded.mass = std::move(collected.weights);
  loaded.split = order.renumber(need(graph::make_split(loaded.data, 1, 0)));
  return loaded;
}

calibrate::CalibratedInput input_of(const Loaded& loaded, std::size_t hops, calibrate::Order order) {
  auto propagation = need(calibrate::Propagation::make(
      loaded.graph, {.kind = calibrate::Operator::convolution, .hops = hops}, loaded.mass));
  return need(calibrate::CalibratedInput::make(loaded.reports, std::move(propagation),
                                               {.order = order, .root_mean_square = 0.1}, kernels::Threads(2)));
}

train::Task task_of(const Loaded& loaded, const kernels::LinearOperator& input) {
  return {.input = &input,
          .graph = loaded.graph.view(),
          .labels = loaded.labels,
          .classes = loaded.data.num_classes(),
          .train = loaded.split.train,
          .validation = loaded.split.validation,
          .test = loaded.split.test};
}

void epochs_part(const std::string& folder) {
  std::printf("instruction set %s; CPU ms per epoch with evaluation, one thread, epsilon 1, hops 8, hidden 16\n",
              kernels::instruction_set().c_str());
  // Facebook first: its memory is read before anything larger was held.
  for (const std::string name : {"facebook", "cora", "citeseer"}) {
    const Loaded loaded = load(folder, name);
    std::vector<double> sparse_ms;
    {
      const auto input = input_of(loaded, 8, calibrate::Order::right_to_left);
      const train::Task task = task_of(loaded, input);
      for (const nn::Backbone& backbone : nn::backbones()) {
        sparse_ms.push_back(1e3 * epoch_seconds(task, backbone, 1, 20, bench::cpu_seconds));
      }
      std::printf("%s: %s\n", name.c_str(), input.cost().explain().c_str());
      if (name == "facebook") {
        std::printf("  largest memory so far, data and three trained networks: %.0f MB\n",
                    static_cast<double>(bench::peak_memory()) / 1e6);
      }
    }
    const auto dense = input_of(loaded, 8, calibrate::Order::dense);
    const train::Task task = task_of(loaded, dense);
    const double bandwidth = bench::read_bandwidth();
    const double peak = bench::peak_multiply_adds();
    std::printf("  memory reads %.1f GB/s, peak arithmetic %.1f G multiply-adds/s, one thread\n", bandwidth / 1e9,
                peak / 1e9);
    for (std::size_t i = 0; i < nn::backbones().size(); ++i) {
      const nn::Backbone& backbone = nn::backbones()[i];
      const std::size_t width = nn::first_layer_columns({.backbone = &backbone});
      kernels::Matrix weights(dense.columns(), width);
      kernels::Matrix out(dense.rows(), width);
      kernels::Matrix scratch(1, dense.scratch(width));
      const kernels::Threads one(1);
      const double forward = 1e3 * bench::least_seconds(3, bench::cpu_seconds, [&] {
                               dense.apply(weights.view(), out.view(), scratch.values(), one);
                             });
      const double backward = 1e3 * bench::least_seconds(3, bench::cpu_seconds, [&] {
                                dense.apply_transpose(out.view(), weights.view(), scratch.values(), one);
                              });
      const double shared = 1e3 * epoch_seconds(task, backbone, 1, 3, bench::cpu_seconds);
      const double bytes = 4.0 * static_cast<double>(dense.rows() * dense.columns());
      const double multiply_adds = static_cast<double>(dense.rows() * dense.columns() * width);
      const double at_half = 1e3 * bytes / (bandwidth / 2);
      const double times[] = {shared + forward, shared, shared - forward - backward + 3 * at_half};
      std::printf(
          "  %-4s %8.2f ms | dense %8.2f ms: %5.1f times | shared %8.2f ms: %5.1f times | at half: %5.1f times\n",
          std::string(nn::backbones()[i].name).c_str(), sparse_ms[i], times[0], times[0] / sparse_ms[i], times[1],
          times[1] / sparse_ms[i], times[2] / sparse_ms[i]);
      for (const auto& [product, ms] : {std::pair("Z W", forward), std::pair("Z^T G", backward)}) {
        std::printf("       %-5s %2.0f%% of bandwidth (at peak arithmetic %2.0f%%), %2.0f%% of peak arithmetic\n",
                    product, 1e5 * bytes / ms / bandwidth, 100 * bytes / multiply_adds * peak / bandwidth,
                    1e5 * multiply_adds / ms / peak);
      }
    }
  }
}

void threads_part(const std::string& folder) {
  const Loaded loaded = load(folder, "facebook");
  const auto input = input_of(loaded, 8, calibrate::Order::right_to_left);
  const train::Task task = task_of(loaded, input);
  std::printf("facebook, wall ms per epoch, one and two threads\n");
  for (const nn::Backbone& backbone : nn::backbones()) {
    const double one = 1e3 * epoch_seconds(task, backbone, 1, 150, bench::wall_seconds);
    const double two = 1e3 * epoch_seconds(task, backbone, 2, 150, bench::wall_seconds);
    std::printf("  %-4s %7.2f %7.2f: %.2f times\n", std::string(backbone.name).c_str(), one, two, one / two);
  }
}

// A synthetic graph with one sampled sign a person, as a task.
struct Synthetic {
  graph::Csr graph;
  std::shared_ptr<const calibrate::FeatureMatrix> reports;
  std::vector<std::int32_t> labels;
  graph::Split split;
};

Synthetic synthetic(std::uint32_t nodes, std::size_t edges, std::size_t sampled) {
  Synthetic made;
  auto drawn = bench::power_law_graph(nodes, edges, 2);
  made.graph = need(graph::Csr::make(std::move(drawn.offsets), std::move(drawn.columns), nodes));
  constexpr std::uint32_t kColumns = 5000;
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
  for (std::uint32_t node = 0; node < nodes; ++node) {
    seeded::SeededStream stream(3, seeded::Purpose::generate, node);
    std::vector<std::uint32_t> chosen(sampled);
    random::subset(kColumns, chosen, stream);
    for (const std::uint32_t column : chosen) {
      columns.push_back(column);
      values.push_back((stream.next() & 1) == 0 ? 1.0F : -1.0F);
    }
    offsets.push_back(columns.size());
    made.labels.push_back(static_cast<std::int32_t>(node % 8));
    auto& part = node % 4 < 2 ? made.split.train : node % 4 == 2 ? made.split.validation : made.split.test;
    part.push_back(node);
  }
  made.reports = std::make_shared<const calibrate::FeatureMatrix>(
      need(calibrate::FeatureMatrix::make({offsets, columns, kColumns}, std::move(values))));
  return made;
}

double synthetic_epoch(const Synthetic& made, std::size_t hops, std::size_t threads, const nn::Backbone& backbone,
                       double (*clock)()) {
  auto propagation = need(calibrate::Propagation::make(made.graph, {.kind = calibrate::Operator::kprop, .hops = hops}));
  const auto input = need(calibrate::CalibratedInput::make(
      made.reports, std::move(propagation), {.order = calibrate::Order::right_to_left}, kernels::Threads(threads)));
  const train::Task task{.input = &input,
                         .graph = made.graph.view(),
                         .labels = made.labels,
                         .classes = 8,
                         .train = made.split.train,
                         .validation = made.split.validation,
                         .test = made.split.test};
  return epoch_seconds(task, backbone, threads, 2, clock);
}

void large_part() {
  const Synthetic made = synthetic(1000000, 10050000, 2);
  std::printf("1M nodes, %zu nonzeros, hops 8, wall s per epoch, one and two threads\n", made.graph.nonzeros());
  for (const nn::Backbone& backbone : nn::backbones()) {
    const double one = synthetic_epoch(made, 8, 1, backbone, bench::wall_seconds);
    const double two = synthetic_epoch(made, 8, 2, backbone, bench::wall_seconds);
    std::printf("  %-4s %6.2f %6.2f: %.2f times; memory %.2f GB\n", std::string(backbone.name).c_str(), one, two,
                one / two, static_cast<double>(bench::peak_memory()) / 1e9);
  }
}

void linear_part() {
  std::printf("CPU ms per GCN epoch, one thread\n");
  const auto row = [](const char* what, std::uint32_t nodes, std::size_t edges, std::size_t hops, std::size_t sampled) {
    const Synthetic made = synthetic(nodes, edges, sampled);
    const double ms = 1e3 * synthetic_epoch(made, hops, 1, nn::backbones()[0], bench::cpu_seconds);
    const double work = static_cast<double>((made.graph.nonzeros() + nodes) * (2 * hops + 5) + 2 * nodes * sampled);
    std::printf("  %-8s %8u nodes %9zu nonzeros %2zu hops %2zu signs: %9.1f ms, %5.2f ns per entry visited\n", what,
                nodes, made.graph.nonzeros(), hops, sampled, ms, 1e6 * ms / work);
  };
  row("edges", 250000, 2500000, 8, 2);
  row("edges", 500000, 5000000, 8, 2);
  row("edges", 1000000, 10000000, 8, 2);
  row("edges", 2000000, 20000000, 8, 2);
  row("hops", 250000, 2500000, 2, 2);
  row("hops", 250000, 2500000, 4, 2);
  row("hops", 250000, 2500000, 16, 2);
  row("reports", 250000, 2500000, 2, 8);
  row("reports", 250000, 2500000, 2, 32);
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // a line is seen when it is written, also in a file
  std::string folder = "../shared/datasets";
  if (const char* data = std::getenv("PPGNN_DATA"); data != nullptr) folder = data;
  std::set<std::string> parts;
  for (int i = 1; i < argc; ++i) {
    if (i == 1 && std::string(argv[i]).find('/') != std::string::npos) {
      folder = argv[i];
    } else {
      parts.insert(argv[i]);
    }
  }
  for (const std::string& part : parts) {
    if (part == "epochs" || part == "threads" || part == "large" || part == "linear") continue;
    std::fprintf(stderr, "bench_engine: %s is no part: epochs, threads, large or linear (a folder needs a /)\n",
                 part.c_str());
    return 2;
  }
  if (parts.empty()) parts = {"epochs", "threads"};
  if (parts.contains("epochs")) epochs_part(folder);
  if (parts.contains("threads")) threads_part(folder);
  if (parts.contains("large")) large_part();
  if (parts.contains("linear")) linear_part();
}
