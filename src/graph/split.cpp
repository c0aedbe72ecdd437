#include "ppgnn/graph/split.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "graph/sections.hpp"
#include "ppgnn/core/number.hpp"
#include "ppgnn/io/csv.hpp"
#include "ppgnn/io/files.hpp"
#include "ppgnn/random/samplers.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"

namespace ppgnn::graph {

namespace {

using Part = std::vector<NodeId> Split::*;

constexpr std::array<std::pair<std::string_view, Part>, 3> kParts{
    {{"train", &Split::train}, {"validation", &Split::validation}, {"test", &Split::test}}};

void sort_parts(Split& split) {
  for (const auto& [name, part] : kParts) std::sort((split.*part).begin(), (split.*part).end());
}

}  // namespace

Result<Split> make_split(const Dataset& dataset, std::uint64_t seed, std::uint64_t run, const SplitShares& shares) {
  // Written so that a share that is not a number fails too.
  const bool valid = shares.train >= 0 && shares.validation >= 0 && shares.train + shares.validation <= 1;
  if (!valid) {
    return Error{ErrorCode::invalid_argument, "split shares " + format_number(shares.train) + " and " +
                                                  format_number(shares.validation) + " are not parts of 1"};
  }
  std::vector<NodeId> nodes;
  for (std::size_t node = 0; node < dataset.num_nodes(); ++node) {
    if (dataset.labels[node] != kUnknown) nodes.push_back(static_cast<NodeId>(node));
  }
  seeded::SeededStream bits(seed, seeded::Purpose::split, run);
  for (std::size_t left = nodes.size(); left > 1; --left) {
    std::swap(nodes[left - 1], nodes[random::below(left, bits)]);
  }
  const auto count = static_cast<double>(nodes.size());
  const auto first = static_cast<std::ptrdiff_t>(count * shares.train);
  const auto second = first + static_cast<std::ptrdiff_t>(count * shares.validation);
  Split split{{nodes.begin(), nodes.begin() + first},
              {nodes.begin() + first, nodes.begin() + second},
              {nodes.begin() + second, nodes.end()}};
  sort_parts(split);
  return split;
}

Result<Split> parse_split(const io::NamedBytes& file, const Dataset& dataset) {
  auto reader = io::CsvReader::make(file, io::Separator::comma);
  if (!reader) return reader.error();
  Split split;
  std::vector<char> seen(dataset.num_nodes(), 0);
  for (bool header = true;; header = false) {
    const auto more = reader->next();
    if (!more) return more.error();
    if (!*more) break;
    const auto fields = reader->fields();
    if (fields.size() != 2) return reader->error("not a node and a part");
    if (header) {
      if (fields[0] != "node" || fields[1] != "part") return reader->error("the header is not node,part");
      continue;
    }
    const auto node = dataset.nodes.find(fields[0]);
    if (!node) return reader->error("'" + std::string(fields[0].substr(0, 80)) + "' is no node");
    if (dataset.labels[*node] == kUnknown) return reader->error("the node has no label");
    if (std::exchange(seen[*node], 1) != 0) return reader->error("the node occurs twice");
    const auto part = std::find_if(kParts.begin(), kParts.end(), [&](const auto& p) { return p.first == fields[1]; });
    if (part == kParts.end()) return reader->error("the part is not train, validation or test");
    (split.*part->second).push_back(*node);
  }
  sort_parts(split);
  return split;
}

Result<Split> read_split(const std::filesystem::path& path, const Dataset& dataset) {
  const auto bytes = io::read_input(path);
  if (!bytes) return bytes.error();
  return parse_split({io::input_name(path), *bytes}, dataset);
}

std::string split_text(const Dataset& dataset, const Split& split) {
  std::string text = "node,part\n";
  for (const auto& [name, part] : kParts) {
    for (const NodeId node : split.*part)
      text += io::csv_field(dataset.nodes.name(node)) + ',' + std::string(name) + '\n';
  }
  return text;
}

Result<void> write_split(const std::filesystem::path& path, const Dataset& dataset, const Split& split) {
  return io::write_text(path, split_text(dataset, split));
}

}  // namespace ppgnn::graph
