// What a graph gives several machines to exchange, if people are divided among them by ranges of the node order: the rows
// that a rank needs of others for one product with the graph (its halo), and of how many ranks.
//
//     bench_ranks data [ranks...]      say bench_ranks synthetic:social,nodes=1000000 2 4 16 64
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "ppgnn/calibrate/node_order.hpp"
#include "ppgnn/calibrate/propagation.hpp"
#include "ppgnn/graph/load.hpp"
#include "ppgnn/kernels/threads.hpp"

namespace {

using namespace ppgnn;

template <class T>
T need(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "bench_ranks: %s\n", result.error().message.c_str());
    std::exit(1);
  }
  return *std::move(result);
}

// First rows of the ranks' ranges and the end: whole blocks, of equal work, an entry of the graph or a row one each.
std::vector<std::size_t> ranges_of(const graph::Csr& graph, std::size_t ranks) {
  const std::size_t all = graph.nonzeros() + graph.rows();
  std::vector<std::size_t> firsts{0};
  for (std::size_t row = 0; row < graph.rows() && firsts.size() < ranks; row += kernels::kRowsPerTask) {
    if ((graph.offsets()[row] + row) * ranks >= all * firsts.size() && row > firsts.back()) firsts.push_back(row);
  }
  firsts.resize(ranks, graph.rows());
  firsts.push_back(graph.rows());
  return firsts;
}

void report(const graph::Csr& graph, std::size_t ranks) {
  const std::vector<std::size_t> firsts = ranges_of(graph, ranks);
  std::size_t halo = 0;
  std::size_t largest_halo = 0;
  std::size_t most_people = 0;
  std::size_t most_entries = 0;
  std::size_t neighbours = 0;
  std::size_t most_neighbours = 0;
  std::size_t cut = 0;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    std::vector<std::uint32_t> others;
    for (std::size_t row = firsts[rank]; row < firsts[rank + 1]; ++row) {
      for (const std::uint32_t column : graph.row(row)) {
        if (column < firsts[rank] || column >= firsts[rank + 1]) others.push_back(column);
      }
    }
    cut += others.size();
    std::sort(others.begin(), others.end());
    others.erase(std::unique(others.begin(), others.end()), others.end());
    std::set<std::size_t> from;
    for (const std::uint32_t other : others) {
      from.insert(static_cast<std::size_t>(std::upper_bound(firsts.begin(), firsts.end(), other) - firsts.begin()));
    }
    halo += others.size();
    largest_halo = std::max(largest_halo, others.size());
    neighbours += from.size();
    most_neighbours = std::max(most_neighbours, from.size());
    most_people = std::max(most_people, firsts[rank + 1] - firsts[rank]);
    most_entries =
        std::max<std::size_t>(most_entries, graph.offsets()[firsts[rank + 1]] - graph.offsets()[firsts[rank]]);
  }
  const auto share = [&](std::size_t of, std::size_t all) {
    return static_cast<double>(of) / static_cast<double>(std::max<std::size_t>(1, all));
  };
  std::printf("%6zu %12zu %14zu %11.3f %14.3f %11.3f %11.1f %6zu\n", ranks, most_people, most_entries,
              share(halo, graph.rows()), share(largest_halo, most_people), share(cut, graph.nonzeros()),
              share(neighbours, ranks), most_neighbours);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "bench_ranks data [ranks...]\n");
    return 2;
  }
  const char* folder = std::getenv("PPGNN_DATA");
  const graph::Dataset data = need(graph::load(argv[1], {.data_folder = folder == nullptr ? "" : folder}));
  const graph::Csr simple = need(calibrate::simple_graph(data.graph));
  const graph::Csr graph = calibrate::NodeOrder::by_locality(simple.view()).renumber(simple);
  std::printf("%s: %zu people, %zu entries\n", argv[1], graph.rows(), graph.nonzeros());
  std::printf("%6s %12s %14s %11s %14s %11s %11s %6s\n", "ranks", "most people", "most entries", "halo/people",
              "largest/people", "cut entries", "neighbours", "most");
  std::vector<std::size_t> counts;
  for (int i = 2; i < argc; ++i) counts.push_back(std::strtoull(argv[i], nullptr, 10));
  if (counts.empty()) counts = {2, 4, 16, 64};
  for (const std::size_t ranks : counts) report(graph, std::max<std::size_t>(1, ranks));
}
