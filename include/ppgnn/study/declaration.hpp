#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/study/setting.hpp"

/// A study as a declared TOML file; docs/formats/study.md.
namespace ppgnn::study {

/// Factors with their values, in order; all combinations are meant.
using Grid = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// The most combinations that a study's factors, or the values offered to validation, may have.
inline constexpr std::size_t kMaxCombinations = 100'000;

/// Every combination of a grid's values, the last factor fastest; of an empty grid: one without factors.
[[nodiscard]] std::vector<Setting> combinations(const Grid& grid);

/// Which settings something is about: every factor listed has one of its values.
struct Match {
  Grid values;
  [[nodiscard]] bool operator()(const Setting& setting) const;
  /// The match with every factor of `more` replaced or added.
  [[nodiscard]] Match with(const Match& more) const;
};

/// What is different for some settings.
struct Rule {
  Match when;
  bool skip = false;  ///< they are left out
  std::optional<std::size_t> runs;
  Setting set;          ///< factors with another value
  bool unsaid = false;  ///< of a method under its former name: what went without saying, until somebody says it
};

/// Which values are chosen by validation instead of being given.
struct Selection {
  Grid grid;
  /// Values in the place of the grid's, or beside them, for some settings.
  struct Rule {
    Match when;
    Grid grid;
  };
  std::vector<Rule> rules;
  std::vector<std::string> epsilon;  ///< chosen at these; other settings take the choice of the nearest
  /// Data set on which methods that report every column are tuned, but for a common scale and the hops with it.
  std::optional<std::string> dense_on;
  std::size_t runs = 1;  ///< for the last round
};

struct TableView {
  std::string name, title, metric = "accuracy";
  std::vector<std::string> rows, columns;  ///< factors
  Match where;
  bool printed = false;  ///< a row of what is printed elsewhere stands above those of each method
};

struct FigureView {
  std::string name, title, x, lines, metric = "accuracy";
  std::vector<std::string> panels;  ///< factors
  Match where;
};

/// Something the paper says, to be held against measurements.
struct Claim {
  std::string text;
  std::string metric = "accuracy";
  Match where, better, worse;   ///< better - worse for every combination of the other factors
  double margin = 0;            ///< above 0: `better` is at most this much below `worse`; below 0: above by this much
  std::optional<double> near;   ///< or: the metric of every cell of `better` is this
  double within = 0;            ///< give or take
  std::optional<double> above;  ///< or: it is above this
  std::string beside;           ///< another metric of the same cells, which explains it
};

/// A figure printed in the paper.
struct PrintedValue {
  Match where;
  double value = 0;  ///< a fraction of 1
};

struct Declaration {
  std::string id, title, about;
  bool quick = false;  ///< fewer runs and points
  std::size_t runs = 10;
  Grid factors;
  std::vector<Rule> rules;
  Selection select;
  std::vector<TableView> tables;
  std::vector<FigureView> figures;
  std::vector<Claim> claims;
  std::vector<PrintedValue> printed;
};

/// Reads a declaration. With `quick`, the [quick] part replaces runs, factors and selection, and adds rules.
///
/// Errors  malformed, naming `file` and the line or the key.
[[nodiscard]] Result<Declaration> parse_declaration(std::string_view text, const std::string& file, bool quick);

/// What somebody asks for beyond a declaration: values in the place of those of a factor.
struct Overrides {
  Grid values;
  std::optional<std::size_t> runs;
};

/// One combination of a study's factors.
struct Cell {
  Setting factors;    ///< the value of every factor of the study, as declared
  Setting canonical;  ///< what is run, before selection
  std::size_t runs = 0;
  std::vector<std::string> given{};  ///< factors that a rule set
};

/// Replaces values of factors that the study has, and fixes others. Methods that report every column are tuned on the
/// data that is asked for, where that leaves out the one they were to be tuned on.
void apply(const Overrides& overrides, Declaration& declaration);

/// All combinations after rules.
///
/// Errors  invalid_argument, naming the factor, or what has more than kMaxCombinations.
[[nodiscard]] Result<std::vector<Cell>> expand(const Declaration& declaration);

/// A study that comes with ppgnn.
struct BuiltInStudy {
  std::string_view id;
  std::string_view text;
};
[[nodiscard]] std::span<const BuiltInStudy> built_in_studies() noexcept;

/// The study of this id, or of the file at this path.
///
/// Errors  invalid_argument listing the ids; io or malformed for a file.
[[nodiscard]] Result<Declaration> load_study(const std::string& id_or_path, bool quick);

}  // namespace ppgnn::study
