// Sparse times dense against Eigen and against the memory bound, in one run, one and two threads.
//
// The bound is the time to read one row of x and one index per nonzero at the bandwidth measured in the same run; a
// graph whose x fits a cache may beat it. Before it is timed, our result is compared with the scalar reference.
#include <benchmark/benchmark.h>

#include <Eigen/SparseCore>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>

#include "bench/support/machine.hpp"
#include "bench/support/synthetic.hpp"
#include "ppgnn/kernels/instruction_set.hpp"
#include "ppgnn/kernels/sparse.hpp"
#include "tests/support/kernels_reference.hpp"

namespace {

using namespace ppgnn;
using EigenSparse = Eigen::SparseMatrix<float, Eigen::RowMajor, std::int64_t>;
using EigenDense = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Case {
  bench::SyntheticGraph graph;
  kernels::SparseMatrix matrix;
  EigenSparse eigen;
};

// 0: the size of the Facebook data set; 1: a million nodes, 20 million nonzeros.
const Case& graph_case(std::int64_t which) {
  static std::map<std::int64_t, std::unique_ptr<Case>> cases;
  auto& found = cases[which];
  if (!found) {
    found = std::make_unique<Case>();
    found->graph = which == 0 ? bench::power_law_graph(22470, 171500, 1) : bench::power_law_graph(1000000, 10050000, 2);
    found->matrix = *kernels::SparseMatrix::make(found->graph.view(), {});
    const CsrView view = found->graph.view();
    std::vector<Eigen::Triplet<float, std::int64_t>> entries;
    for (std::size_t row = 0; row < view.rows(); ++row) {
      for (const std::uint32_t column : view.row(row)) entries.emplace_back(row, column, 1.0F);
    }
    found->eigen.resize(static_cast<std::int64_t>(view.rows()), static_cast<std::int64_t>(view.rows()));
    found->eigen.setFromTriplets(entries.begin(), entries.end());
  }
  return *found;
}

kernels::Matrix dense(std::size_t rows, std::size_t width) {
  kernels::Matrix x(rows, width);
  seeded::SeededStream stream(3, seeded::Purpose::generate, width);
  for (float& value : x.values()) value = static_cast<float>(stream.next() >> 40) * 0x1p-24F - 0.5F;
  return x;
}

void describe(benchmark::State& state, const Case& data) {
  const auto nonzeros = static_cast<double>(data.graph.columns.size());
  static const double bandwidth = bench::read_bandwidth();
  const double bound = nonzeros * (4.0 * static_cast<double>(state.range(1)) + 4) / bandwidth;
  state.counters["nonzeros"] = nonzeros;
  state.counters["bandwidth_GB"] = bandwidth / 1e9;
  state.counters["bound_ms"] = bound * 1e3;
  state.counters["of_bound"] =
      benchmark::Counter(bound * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
  state.SetLabel(kernels::instruction_set());
}

void sparse_product(benchmark::State& state) {
  const Case& data = graph_case(state.range(0));
  const std::size_t nodes = data.graph.view().rows();
  const kernels::Matrix x = dense(nodes, static_cast<std::size_t>(state.range(1)));
  kernels::Matrix y(nodes, x.cols());
  const kernels::Threads threads(static_cast<std::size_t>(state.range(2)));
  kernels::multiply(data.matrix, x.view(), y.view(), threads);
  if (kernels::reference::largest_difference(y.view(), kernels::reference::multiply(data.matrix, x.view()).view()) >
      1e-3) {
    state.SkipWithError("differs from the reference");
    return;
  }
  for (auto _ : state) {
    kernels::multiply(data.matrix, x.view(), y.view(), threads);
    benchmark::ClobberMemory();
  }
  describe(state, data);
}

void eigen_product(benchmark::State& state) {
  const Case& data = graph_case(state.range(0));
  const auto nodes = static_cast<std::int64_t>(data.graph.view().rows());
  const kernels::Matrix x = dense(static_cast<std::size_t>(nodes), static_cast<std::size_t>(state.range(1)));
  const Eigen::Map<const EigenDense> mapped(x.view().data, nodes, state.range(1));
  EigenDense y(nodes, state.range(1));
  for (auto _ : state) {
    y.noalias() = data.eigen * mapped;
    benchmark::ClobberMemory();
  }
  describe(state, data);
}

}  // namespace

// One thread by CPU time, two by the clock on the wall.
BENCHMARK(sparse_product)
    ->ArgNames({"large", "width", "threads"})
    ->ArgsProduct({{0, 1}, {4, 16, 32, 64}, {1}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(sparse_product)
    ->ArgNames({"large", "width", "threads"})
    ->ArgsProduct({{0, 1}, {16, 64}, {2}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(eigen_product)->ArgNames({"large", "width"})->ArgsProduct({{0, 1}, {16, 64}})->Unit(benchmark::kMillisecond);
BENCHMARK_MAIN();
