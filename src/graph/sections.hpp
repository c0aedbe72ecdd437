#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ppgnn/graph/dataset.hpp"

namespace ppgnn::graph {

/// The parts of a stored data set, in the order they are written; docs/formats/graph.md describes each. A new part gets
/// the next number; a number is never used again.
enum class SectionTag : std::uint32_t {
  shape = 1,
  graph_offsets = 2,
  graph_columns = 3,
  feature_offsets = 4,
  feature_columns = 5,
  feature_values = 6,
  column_kinds = 7,
  column_low = 8,
  column_high = 9,
  column_absent = 10,
  column_name_offsets = 11,
  column_name_bytes = 12,
  labels = 13,
  class_name_offsets = 14,
  class_name_bytes = 15,
  node_name_offsets = 16,
  node_name_bytes = 17,
  node_name_order = 18,
  name = 19,
};

inline constexpr std::size_t kMaxSections = 19;

/// Content of the section `shape`, as it stands in the file.
struct Shape {
  std::uint64_t num_nodes = 0;
  std::uint64_t num_feature_columns = 0;
  std::uint64_t schema_origin = 0;
};

struct Section {
  SectionTag tag = SectionTag::shape;
  std::span<const std::uint8_t> bytes;
  std::shared_ptr<const Shape> owner;  ///< holds the bytes of `shape`; others belong to the data set
};

template <class T, std::size_t N>
std::span<const std::uint8_t> bytes_of(std::span<const T, N> values) noexcept {
  return {reinterpret_cast<const std::uint8_t*>(values.data()), values.size_bytes()};
}

/// The sections of a data set that are not empty. They point into the data set.
inline std::vector<Section> sections_of(const Dataset& dataset) {
  const FeatureSchema& schema = dataset.features.schema();
  const auto shape = std::make_shared<const Shape>(
      Shape{dataset.num_nodes(), dataset.features.cols(), static_cast<std::uint64_t>(schema.origin)});
  std::vector<Section> sections{{SectionTag::shape, bytes_of(std::span<const Shape>(shape.get(), 1)), shape}};
  const auto add = [&](SectionTag tag, const auto& values) {
    if (!values.empty()) sections.push_back({tag, bytes_of(std::span(values.data(), values.size())), nullptr});
  };
  add(SectionTag::graph_offsets, dataset.graph.offsets());
  add(SectionTag::graph_columns, dataset.graph.columns());
  add(SectionTag::feature_offsets, dataset.features.pattern().offsets());
  add(SectionTag::feature_columns, dataset.features.pattern().columns());
  add(SectionTag::feature_values, dataset.features.values());
  add(SectionTag::column_kinds, schema.kinds);
  add(SectionTag::column_low, schema.low);
  add(SectionTag::column_high, schema.high);
  add(SectionTag::column_absent, schema.absent);
  add(SectionTag::column_name_offsets, schema.names.offsets());
  add(SectionTag::column_name_bytes, schema.names.bytes());
  add(SectionTag::labels, dataset.labels);
  add(SectionTag::class_name_offsets, dataset.class_names.offsets());
  add(SectionTag::class_name_bytes, dataset.class_names.bytes());
  add(SectionTag::node_name_offsets, dataset.nodes.names().offsets());
  add(SectionTag::node_name_bytes, dataset.nodes.names().bytes());
  add(SectionTag::node_name_order, dataset.nodes.order());
  add(SectionTag::name, dataset.name);
  return sections;
}

}  // namespace ppgnn::graph
