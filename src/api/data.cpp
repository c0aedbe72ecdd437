#include "ppgnn/api/data.hpp"

#include <algorithm>
#include <utility>

#include "ppgnn/graph/load.hpp"
#include "ppgnn/population/rows.hpp"

namespace ppgnn::api {

Result<Data> Data::load(const std::string& name, const std::string& folder) {
  Result<graph::Dataset> dataset =
      graph::load(name, {.data_folder = folder, .missing_features = graph::MissingFeatures::accept});
  if (!dataset) return dataset.error();
  return Data(std::make_shared<const graph::Dataset>(std::move(dataset).value()));
}

namespace {

template <class T>
graph::SharedArray<T> taken(Lent<T> lent) {
  return {lent.values, std::move(lent.owner)};
}

Error in_part(const char* part, const Error& error) {
  return {error.code, std::string(part) + ": " + error.message};
}

bool is_symmetric(const graph::Csr& graph) {
  for (std::uint32_t row = 0; row < graph.rows(); ++row) {
    const auto friends = graph.row(row);
    const bool answered = std::all_of(friends.begin(), friends.end(), [&](std::uint32_t other) {
      const auto back = graph.row(other);
      return std::binary_search(back.begin(), back.end(), row);
    });
    if (!answered) return false;
  }
  return true;
}

Result<graph::Csr> friends_of(DataParts& parts) {
  if (parts.friends.offsets.values.empty()) {
    std::vector<graph::Edge> edges;
    edges.reserve(parts.pairs.size());
    for (const FriendPair& pair : parts.pairs) edges.push_back({pair.one, pair.other});
    return graph::build_graph(parts.people, std::move(edges));
  }
  if (parts.friends.offsets.values.size() != parts.people + 1) {
    return Error{ErrorCode::mismatch, "there are " + std::to_string(parts.friends.offsets.values.size() - 1) +
                                          " rows for " + std::to_string(parts.people) + " people"};
  }
  Result<graph::Csr> made =
      graph::Csr::make(taken(std::move(parts.friends.offsets)), taken(std::move(parts.friends.columns)), parts.people);
  if (!made) return made;
  if (!is_symmetric(*made)) return Error{ErrorCode::mismatch, "not symmetric"};
  return made;
}

// The columns as a plan declares them.
graph::FeatureSchema declared_schema(const std::vector<ldp::ColumnGroup>& groups) {
  std::vector<std::uint8_t> kinds;
  std::vector<float> low, high, absent;
  for (const ldp::ColumnGroup& group : groups) {
    const bool binary = group.kind == ldp::ColumnKind::binary && group.low == 0 && group.high == 1;
    kinds.insert(kinds.end(), group.count,
                 static_cast<std::uint8_t>(binary ? graph::ColumnKind::binary : graph::ColumnKind::number));
    low.insert(low.end(), group.count, static_cast<float>(group.low));
    high.insert(high.end(), group.count, static_cast<float>(group.high));
    absent.insert(absent.end(), group.count, static_cast<float>(group.absent));
  }
  graph::FeatureSchema schema;
  schema.kinds = std::move(kinds);
  schema.low = std::move(low);
  schema.high = std::move(high);
  schema.absent = std::move(absent);
  return schema;
}

Result<graph::Features> features_of(DataParts& parts) {
  if (parts.columns == 0) return graph::no_features(parts.people);
  if (parts.features.offsets.values.size() != parts.people + 1) {
    return Error{ErrorCode::mismatch, "there are " + std::to_string(parts.features.offsets.values.size() - 1) +
                                          " rows for " + std::to_string(parts.people) + " people"};
  }
  Result<graph::Csr> pattern = graph::Csr::make(taken(std::move(parts.features.offsets)),
                                                taken(std::move(parts.features.columns)), parts.columns);
  if (!pattern) return pattern.error();
  graph::SharedArray<float> values = taken(std::move(parts.features.values));
  if (!parts.schema.empty()) {
    return graph::Features::make(std::move(*pattern), std::move(values), declared_schema(parts.schema));
  }
  return graph::features_read_off(std::move(*pattern), std::move(values));
}

}  // namespace

Result<Data> Data::make(DataParts parts) {
  graph::Dataset dataset;
  dataset.name = std::move(parts.name);
  dataset.notes = std::move(parts.notes);
  Result<graph::Csr> friends = friends_of(parts);
  if (!friends) return in_part("graph", friends.error());
  dataset.graph = std::move(*friends);
  Result<graph::Features> features = features_of(parts);
  if (!features) return in_part("features", features.error());
  dataset.features = std::move(*features);
  if (parts.labels.empty()) parts.labels.assign(parts.people, graph::kUnknown);
  dataset.labels = std::move(parts.labels);
  dataset.class_names = graph::StringList(parts.classes);
  dataset.nodes = graph::NodeNames(parts.people);
  if (!parts.names.empty()) {
    Result<graph::NodeNames> names = graph::NodeNames::make(graph::StringList(parts.names));
    if (!names) return in_part("names", names.error());
    dataset.nodes = std::move(*names);
  }
  if (Result<void> checked = graph::check(dataset); !checked) return checked.error();
  return Data(std::make_shared<const graph::Dataset>(std::move(dataset)));
}

Rows Data::friends() const {
  return {{dataset_->graph.offsets().span(), dataset_}, {dataset_->graph.columns().span(), dataset_}, {}};
}

Rows Data::features() const {
  const graph::Csr& pattern = dataset_->features.pattern();
  return {{pattern.offsets().span(), dataset_},
          {pattern.columns().span(), dataset_},
          {dataset_->features.values().span(), dataset_}};
}

bool Data::declared() const noexcept {
  return dataset_->features.schema().origin == graph::SchemaOrigin::declared;
}

const std::string& Data::name() const noexcept {
  return dataset_->name;
}
std::size_t Data::people() const noexcept {
  return dataset_->num_nodes();
}
std::size_t Data::friendships() const noexcept {
  return dataset_->graph.nonzeros() / 2;
}
std::size_t Data::columns() const noexcept {
  return dataset_->features.cols();
}
std::vector<std::string> Data::classes() const {
  return dataset_->class_names.list();
}
std::span<const std::int32_t> Data::labels() const noexcept {
  return dataset_->labels.span();
}
std::string Data::person(std::uint32_t number) const {
  return dataset_->nodes.name(number);
}
bool Data::numbered() const noexcept {
  return dataset_->nodes.names().empty();
}
const std::vector<std::string>& Data::notes() const noexcept {
  return dataset_->notes;
}

Result<std::vector<ldp::ColumnGroup>> Data::schema() const {
  return population::columns_of(dataset_->features.schema());
}

}  // namespace ppgnn::api
