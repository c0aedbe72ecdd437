#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/ldp/schema.hpp"

namespace ppgnn::graph {
struct Dataset;
}

/// The library for applications and researchers. What stands in this folder, and the headers of the device, are kept:
/// later versions take the same calls.
namespace ppgnn::api {

/// A graph of people with what is known of them. Cheap to copy; copies share the data.
///
/// Threads  Immutable.
class Data {
 public:
  /// A published data set, a path, or "synthetic:social,nodes=20000,seed=1". `folder`: where published data sets are.
  ///
  /// Errors  Those of the readers, naming file and line.
  /// Source  docs/data.md
  [[nodiscard]] static Result<Data> load(const std::string& name, const std::string& folder = {});

  [[nodiscard]] const std::string& name() const noexcept;
  [[nodiscard]] std::size_t people() const noexcept;
  [[nodiscard]] std::size_t friendships() const noexcept;
  [[nodiscard]] std::size_t columns() const noexcept;
  [[nodiscard]] std::vector<std::string> classes() const;
  /// The class of each person, from 0; -1 where it is not known.
  [[nodiscard]] std::span<const std::int32_t> labels() const noexcept;
  /// The name of a person, as files and devices know it.
  [[nodiscard]] std::string person(std::uint32_t number) const;
  /// What a user must know, one sentence each.
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept;

  /// The columns as a plan takes them.
  ///
  /// Errors  invalid_argument where the data has no features, or a column has a range of one point.
  [[nodiscard]] Result<std::vector<ldp::ColumnGroup>> schema() const;

  /// For the library itself.
  [[nodiscard]] const graph::Dataset& dataset() const noexcept { return *dataset_; }

 private:
  explicit Data(std::shared_ptr<const graph::Dataset> dataset) : dataset_(std::move(dataset)) {}
  std::shared_ptr<const graph::Dataset> dataset_;
};

/// Somebody's class, as it was predicted.
struct Prediction {
  std::string person;
  std::string name;  ///< of the class
  double probability = 0;
};

}  // namespace ppgnn::api
