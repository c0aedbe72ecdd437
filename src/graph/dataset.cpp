#include "ppgnn/graph/dataset.hpp"

#include <utility>

#include "graph/sections.hpp"
#include "ppgnn/graph/labels.hpp"

namespace ppgnn::graph {

Result<void> check(const Dataset& dataset) {
  const std::size_t nodes = dataset.num_nodes();
  const auto mismatch = [&](const char* part, std::size_t count) {
    return Error{ErrorCode::mismatch,
                 std::string(part) + " has " + std::to_string(count) + " rows for " + std::to_string(nodes) + " nodes"};
  };
  if (dataset.graph.num_columns() != nodes) return mismatch("the graph's column range", dataset.graph.num_columns());
  if (dataset.features.rows() != nodes) return mismatch("the feature matrix", dataset.features.rows());
  if (dataset.labels.size() != nodes) return mismatch("the label list", dataset.labels.size());
  if (dataset.nodes.size() != nodes) return mismatch("the list of node names", dataset.nodes.size());
  const auto classes = static_cast<std::int64_t>(dataset.num_classes());
  for (std::size_t node = 0; node < nodes; ++node) {
    if (dataset.labels[node] < kUnknown || dataset.labels[node] >= classes) {
      return Error{ErrorCode::malformed, "the label of node " + std::to_string(node) + " is none of the " +
                                             std::to_string(classes) + " classes"};
    }
  }
  return {};
}

Digest checksum(const Dataset& dataset) {
  Sha256 hash;
  for (const Section& section : sections_of(dataset)) {
    if (section.tag == SectionTag::name) continue;
    // Tag and length first, so that bytes cannot move from one section to the next unseen.
    const std::uint64_t head[] = {static_cast<std::uint64_t>(section.tag), section.bytes.size()};
    hash.update(bytes_of(std::span(head)));
    hash.update(section.bytes);
  }
  return hash.finish();
}

StringList numbered_names(std::size_t count) {
  std::vector<std::string> names(count);
  for (std::size_t i = 0; i < count; ++i) names[i] = std::to_string(i);
  return StringList(names);
}

void take_missing_labels(Dataset& dataset, MissingLabels how) {
  // By class: whether its name is such a word.
  std::vector<bool> missing(dataset.num_classes());
  std::string words;
  for (std::size_t i = 0; i < missing.size(); ++i) {
    missing[i] = is_missing_word(dataset.class_names[i]);
    if (missing[i]) words.append(words.empty() ? "'" : ", '").append(dataset.class_names[i]).append("'");
  }
  if (words.empty()) return;
  std::vector<std::string> texts(dataset.num_nodes());
  std::size_t count = 0;
  for (std::size_t node = 0; node < texts.size(); ++node) {
    const std::int32_t label = dataset.labels[node];
    const bool is_missing = label != kUnknown && missing[static_cast<std::size_t>(label)];
    count += is_missing ? 1 : 0;
    if (label != kUnknown && !is_missing) texts[node] = dataset.class_names[static_cast<std::size_t>(label)];
  }
  const std::string labels = std::to_string(count) + (count == 1 ? " label is " : " labels are ");
  if (how == MissingLabels::as_class) {
    dataset.notes.push_back(labels + "written as " + words + ", which counts as a class");
    return;
  }
  NamedLabels numbered = number_classes(texts);
  dataset.labels = SharedArray<std::int32_t>(std::move(numbered.labels));
  dataset.class_names = std::move(numbered.class_names);
  dataset.notes.push_back(labels + "written as " + words +
                          " and taken as not known; --missing class makes a class of them");
}

Features no_features(std::size_t num_nodes) {
  auto pattern = Csr::make(std::vector<std::uint64_t>(num_nodes + 1, 0), {}, 0);
  assert(pattern.ok());
  auto features = Features::make(std::move(*pattern), {}, {});
  assert(features.ok());
  return std::move(*features);
}

}  // namespace ppgnn::graph
