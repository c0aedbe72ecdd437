#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/core/views.hpp"
#include "ppgnn/graph/csr.hpp"
#include "ppgnn/graph/shared_array.hpp"
#include "ppgnn/graph/string_list.hpp"

namespace ppgnn::graph {

enum class ColumnKind : std::uint8_t {
  binary = 0,  ///< 0 or 1
  number = 1,  ///< any number of its range
};

/// Where the description of the columns comes from. Only a declared one may be part of a privacy claim: a range read
/// off people's data is itself information about them.
enum class SchemaOrigin : std::uint8_t { declared = 0, derived = 1 };

/// What each column holds, one array entry per column.
struct FeatureSchema {
  SchemaOrigin origin = SchemaOrigin::declared;
  StringList names;                 ///< empty: a column is called by its index
  SharedArray<std::uint8_t> kinds;  ///< ColumnKind
  SharedArray<float> low;           ///< smallest value, finite
  SharedArray<float> high;          ///< largest value, finite, >= low
  SharedArray<float> absent;        ///< what an entry that a sparse row leaves out stands for, within the range

  [[nodiscard]] std::size_t size() const noexcept { return kinds.size(); }

  /// `columns` columns of 0 or 1, absent 0: indicator lists, bags of words.
  [[nodiscard]] static FeatureSchema binary(std::size_t columns, SchemaOrigin origin);
};

enum class FeatureScale {
  raw,   ///< as in the file
  unit,  ///< the column's range mapped to [-1, 1]; a column whose range is one point becomes 0
};

/// One sparse row of numbers per node, and what its columns mean.
///
/// Degenerate  No columns is allowed: a data set whose features are missing.
/// Threads     Any number of readers; copies share the arrays.
class Features {
 public:
  Features() = default;

  /// `values` is empty when every entry is 1, else one value per entry of `pattern`.
  ///
  /// Errors  mismatch when sizes differ; malformed when a value is not finite or outside its column's range (names row
  ///         and column, never the value).
  [[nodiscard]] static Result<Features> make(Csr pattern, SharedArray<float> values, FeatureSchema schema);

  [[nodiscard]] std::size_t rows() const noexcept { return pattern_.rows(); }
  [[nodiscard]] std::size_t cols() const noexcept { return pattern_.num_columns(); }
  [[nodiscard]] std::size_t nonzeros() const noexcept { return pattern_.nonzeros(); }
  [[nodiscard]] const Csr& pattern() const noexcept { return pattern_; }
  /// Empty: every entry is 1.
  [[nodiscard]] const SharedArray<float>& values() const noexcept { return values_; }
  [[nodiscard]] const FeatureSchema& schema() const noexcept { return schema_; }
  /// Value of the entry at `position` of the pattern's columns.
  [[nodiscard]] float value(std::size_t position) const noexcept { return values_.empty() ? 1.0F : values_[position]; }
  /// `value` of `column` on the [-1, 1] scale of FeatureScale::unit.
  [[nodiscard]] float to_unit(std::size_t column, float value) const noexcept;
  /// The same rows under another description of the same columns.
  [[nodiscard]] Result<Features> with_schema(FeatureSchema schema) const {
    return make(pattern_, values_, std::move(schema));
  }

 private:
  Csr pattern_;
  SharedArray<float> values_;
  FeatureSchema schema_;
};

/// Research only: keeps the columns that take more than one value over all rows and describes each by the kind and
/// range found in the data. The result is flagged SchemaOrigin::derived.
[[nodiscard]] Features derive_schema(const Features& features);

/// Rows whose columns nobody declared: binary where all entries are 1, else numbers with the range found in the data;
/// flagged SchemaOrigin::derived.
///
/// Errors  Those of Features::make, also for values that are not finite.
[[nodiscard]] Result<Features> features_read_off(Csr pattern, SharedArray<float> values, StringList names = {});

/// Collects rows in any column order; what the readers and the generator fill.
class FeaturesBuilder {
 public:
  struct Entry {
    std::uint32_t column = 0;
    float value = 1;
  };

  /// Adds the next row; sorts `entries`. Zeros are left out: they are what an absent entry stands for.
  ///
  /// Errors  malformed when a column occurs twice, is 2^32 - 1, or a value is not finite.
  [[nodiscard]] Result<void> add_row(std::vector<Entry>& entries);

  /// Ends the matrix. All ones: binary columns. Otherwise each column is a number, with the range found in the data and
  /// flagged as derived. Indices must all be below `columns`, or it is malformed.
  [[nodiscard]] Result<Features> finish(std::size_t columns, SchemaOrigin binary_origin, StringList names = {}) &&;

  /// One more than the largest column so far.
  [[nodiscard]] std::size_t columns_seen() const noexcept { return columns_seen_; }

 private:
  std::vector<std::uint64_t> offsets_{0};
  std::vector<std::uint32_t> columns_;
  std::vector<float> values_;
  std::size_t columns_seen_ = 0;
  bool all_ones_ = true;
};

}  // namespace ppgnn::graph
