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

/// Numbers that somebody else keeps in memory for as long as `owner` lives; nothing is copied.
template <class T>
struct Lent {
  std::span<const T> values{};
  std::shared_ptr<const void> owner{};
};

/// Sparse rows: row i lists the columns from offsets[i] to offsets[i + 1], ascending, without repeats.
struct Rows {
  Lent<std::uint64_t> offsets{};  ///< one more than there are rows
  Lent<std::uint32_t> columns{};
  Lent<float> values{};  ///< one per listed column; empty: all are 1
};

struct FriendPair {
  std::uint32_t one = 0, other = 0;
};

/// What a program has in memory.
struct DataParts {
  std::string name = "data";
  std::size_t people = 0;
  Rows friends{};                   ///< symmetric, without values; or
  std::vector<FriendPair> pairs{};  ///< in any order and direction, repeats count once
  std::size_t columns = 0;
  Rows features{};                         ///< without zeros; no columns: there are none
  std::vector<ldp::ColumnGroup> schema{};  ///< of the features; empty: read off the data, for research only
  std::vector<std::int32_t> labels{};      ///< -1: not known; empty: of nobody
  std::vector<std::string> classes{};      ///< names
  std::vector<std::string> names{};        ///< of people; empty: "0", "1", ...
  std::vector<std::string> notes{};
};

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

  /// What a program has in memory, which is shared, not copied.
  ///
  /// Errors  mismatch or malformed, naming the part: `friends` that are not symmetric, columns out of order or range, a
  ///         value that is not finite or not in its column's range (never the value), a label without a class.
  /// Cost    A few passes; memory in proportion to people and columns, not to what the rows list, but for `pairs`.
  [[nodiscard]] static Result<Data> make(DataParts parts);

  [[nodiscard]] const std::string& name() const noexcept;
  [[nodiscard]] std::size_t people() const noexcept;
  [[nodiscard]] std::size_t friendships() const noexcept;
  [[nodiscard]] std::size_t columns() const noexcept;
  [[nodiscard]] std::vector<std::string> classes() const;
  /// The class of each person, from 0; -1 where it is not known.
  [[nodiscard]] std::span<const std::int32_t> labels() const noexcept;
  /// The name of a person, as files and devices know it.
  [[nodiscard]] std::string person(std::uint32_t number) const;
  /// Whether people are called by their number, "0", "1", ...
  [[nodiscard]] bool numbered() const noexcept;
  /// Everybody's friends, and everybody's features; they live as long as `owner`.
  [[nodiscard]] Rows friends() const;
  [[nodiscard]] Rows features() const;
  /// Whether the columns are declared; else they were read off the data.
  [[nodiscard]] bool declared() const noexcept;
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
