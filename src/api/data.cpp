#include "ppgnn/api/data.hpp"

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
const std::vector<std::string>& Data::notes() const noexcept {
  return dataset_->notes;
}

Result<std::vector<ldp::ColumnGroup>> Data::schema() const {
  return population::columns_of(dataset_->features.schema());
}

}  // namespace ppgnn::api
