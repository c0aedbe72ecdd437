// Graphs at any size: Facebook from its raw files; generating, building, writing and mapping graphs of 1 to 50 million
// directed edges. Every result is checked before it is timed.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "ppgnn/graph/generator.hpp"
#include "ppgnn/graph/load.hpp"
#include "ppgnn/graph/statistics.hpp"
#include "ppgnn/graph/stored_graph.hpp"

namespace {

using namespace ppgnn::graph;
namespace fs = std::filesystem;

constexpr std::size_t kDegree = 20;

// A line of /proc/self/status, in bytes.
double status_bytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kilobytes = 0;
    if (word == key + ":" && status >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

// Most memory the process held since construction, above what it held then.
class PeakMemory {
 public:
  PeakMemory() {
    malloc_trim(0);
    std::ofstream("/proc/self/clear_refs") << '5';  // the peak starts anew
    before_ = status_bytes("VmRSS");
  }
  [[nodiscard]] double bytes() const { return status_bytes("VmHWM") - before_; }

 private:
  double before_ = 0;
};

double csr_bytes(const Csr& graph) {
  return static_cast<double>(graph.offsets().span().size_bytes() + graph.columns().span().size_bytes());
}

SocialOptions options_for(std::int64_t directed_edges) {
  SocialOptions options;
  options.nodes = static_cast<std::size_t>(directed_edges) / kDegree;
  // Some draws are repeats or loops: a little more than needed, so that the graph has at least the edges it is named
  // for.
  options.degree = kDegree * 1.08;
  options.communities = std::max<std::size_t>(4, options.nodes / 4000 / options.classes);
  options.communities = std::min<std::size_t>(options.communities, 1000);
  options.attributes = 0;
  return options;
}

void count_edges(benchmark::State& state, const Csr& graph) {
  const auto entries = static_cast<double>(graph.nonzeros());
  state.counters["entries"] = entries;
  state.counters["edges/s"] = benchmark::Counter(entries, benchmark::Counter::kIsIterationInvariantRate);
}

void facebook_raw(benchmark::State& state) {
  const char* folder = std::getenv("PPGNN_DATA");
  if (folder == nullptr) return state.SkipWithError("no data (PPGNN_DATA is not set)");
  const auto first = load("facebook", {folder, MissingFeatures::refuse});
  if (!first || statistics(*first).edges_paper != 170912) return state.SkipWithError("facebook is not as published");
  for (auto _ : state) benchmark::DoNotOptimize(load("facebook", {folder, MissingFeatures::refuse}));
  count_edges(state, first->graph);
}
BENCHMARK(facebook_raw)->Unit(benchmark::kMillisecond)->UseRealTime();

// Draw and build: the graph of `synthetic:social` without attributes.
void generate(benchmark::State& state) {
  const SocialOptions options = options_for(state.range(0));
  double peak = 0;
  Csr graph;
  for (auto _ : state) {
    state.PauseTiming();
    graph = Csr();
    const PeakMemory memory;
    state.ResumeTiming();
    graph = generate_social(options)->graph;
    state.PauseTiming();
    peak = memory.bytes();
    state.ResumeTiming();
  }
  count_edges(state, graph);
  state.counters["peak/csr"] = peak / csr_bytes(graph);
}

// Build alone, from the edges of such a graph, each once, in an order without order.
void build(benchmark::State& state) {
  Csr graph = generate_social(options_for(state.range(0)))->graph;
  const std::size_t nodes = graph.rows();
  std::vector<Edge> edges;
  edges.reserve(graph.nonzeros() / 2);
  for (std::size_t row = 0; row < nodes; ++row) {
    for (const NodeId column : graph.row(row)) {
      if (column > row) edges.push_back({static_cast<NodeId>(row), column});
    }
  }
  std::uint64_t bits = 1;
  for (std::size_t left = edges.size(); left > 1; --left) {
    bits = bits * 6364136223846793005U + 1442695040888963407U;
    std::swap(edges[left - 1], edges[(bits >> 33) % left]);
  }
  const std::vector<std::uint32_t> expected(graph.columns().begin(), graph.columns().end());
  double peak = 0;
  for (auto _ : state) {
    state.PauseTiming();
    graph = Csr();
    const PeakMemory memory;
    std::vector<Edge> list = edges;  // what a caller hands over counts too
    state.ResumeTiming();
    graph = *build_graph(nodes, std::move(list));
    state.PauseTiming();
    peak = memory.bytes();
    state.ResumeTiming();
  }
  if (!std::equal(expected.begin(), expected.end(), graph.columns().begin(), graph.columns().end())) {
    return state.SkipWithError("the built graph differs");
  }
  count_edges(state, graph);
  state.counters["peak/csr"] = peak / csr_bytes(graph);
}

// A stored graph in a folder that goes away at the end.
class StoredGraph {
 public:
  explicit StoredGraph(std::int64_t directed_edges) : dataset_(*generate_social(options_for(directed_edges))) {
    std::string pattern = (fs::temp_directory_path() / "ppgnn-bench-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~StoredGraph() { fs::remove_all(folder_); }
  StoredGraph(const StoredGraph&) = delete;
  StoredGraph& operator=(const StoredGraph&) = delete;

  [[nodiscard]] fs::path path() const { return folder_ / "graph.ppgraph"; }
  [[nodiscard]] const Dataset& dataset() const { return dataset_; }
  [[nodiscard]] std::string write() const {
    const auto written = write_stored_graph(dataset_, path());
    return written ? "" : written.error().message;
  }

 private:
  Dataset dataset_;
  fs::path folder_;
};

void write_stored(benchmark::State& state) {
  const StoredGraph stored(state.range(0));
  for (auto _ : state) {
    if (const std::string error = stored.write(); !error.empty()) return state.SkipWithError(error.c_str());
  }
  count_edges(state, stored.dataset().graph);
}

// Seconds to read all bytes of a file with read(2) into memory of its own: what opening is compared with.
double plain_read_seconds(const fs::path& path) {
  const auto start = std::chrono::steady_clock::now();
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const auto size = fs::file_size(path);
  const std::unique_ptr<char[]> bytes(new char[size]);
  std::size_t done = 0;
  for (ssize_t got = 1; got > 0; done += static_cast<std::size_t>(got))
    got = ::read(file, bytes.get() + done, size - done);
  ::close(file);
  benchmark::DoNotOptimize(bytes[size / 2]);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Map, check every checksum and every array.
void open_stored(benchmark::State& state) {
  const StoredGraph stored(state.range(0));
  if (const std::string error = stored.write(); !error.empty()) return state.SkipWithError(error.c_str());
  const auto first = open_stored_graph(stored.path());
  if (!first || checksum(*first) != checksum(stored.dataset())) return state.SkipWithError("what was read differs");
  double read_seconds = 0;
  double open_seconds = 0;
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    benchmark::DoNotOptimize(open_stored_graph(stored.path()));
    open_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    state.PauseTiming();
    read_seconds += plain_read_seconds(stored.path());
    state.ResumeTiming();
  }
  count_edges(state, stored.dataset().graph);
  state.counters["open/read"] = open_seconds / read_seconds;
}

// All of it as a user has it: generate, build, write, forget, map back. Peak memory over the whole.
void pipeline(benchmark::State& state) {
  double peak = 0;
  double bytes = 0;
  double entries = 0;
  for (auto _ : state) {
    state.PauseTiming();
    const PeakMemory memory;
    state.ResumeTiming();
    fs::path path = fs::temp_directory_path() / ("ppgnn-bench-" + std::to_string(::getpid()) + ".ppgraph");
    {
      const auto dataset = generate_social(options_for(state.range(0)));
      bytes = csr_bytes(dataset->graph);
      if (!write_stored_graph(*dataset, path)) return state.SkipWithError("cannot write");
    }
    const auto opened = open_stored_graph(path);
    state.PauseTiming();
    if (!opened) return state.SkipWithError("cannot open");
    entries = static_cast<double>(opened->graph.nonzeros());
    peak = memory.bytes();
    fs::remove(path);
    state.ResumeTiming();
  }
  state.counters["entries"] = entries;
  state.counters["edges/s"] = benchmark::Counter(entries, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["peak/csr"] = peak / bytes;
}

void sizes(benchmark::internal::Benchmark* bench) {
  for (const std::int64_t millions : {1, 10, 20, 50}) bench->Arg(millions * 1000000);
  bench->Unit(benchmark::kMillisecond)->UseRealTime();
}
BENCHMARK(generate)->Apply(sizes);
BENCHMARK(build)->Apply(sizes);
BENCHMARK(write_stored)->Apply(sizes);
BENCHMARK(open_stored)->Apply(sizes);
BENCHMARK(pipeline)->Arg(20000000)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
