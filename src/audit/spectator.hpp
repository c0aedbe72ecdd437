#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/ldp/estimate.hpp"
#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/ldp/report.hpp"
#include "ppgnn/ldp/row.hpp"

namespace ppgnn::audit {

/// Features that a device may have, in one of the forms that a device may have them in, in the schema's units.
struct Input {
  enum class Form { dense, sparse, ones };

  std::string name;
  Form form = Form::dense;
  std::vector<std::uint32_t> columns;  ///< listed ones, ascending; none of a dense row
  std::vector<float> values;           ///< dense: one a column; sparse: one a listed column; ones: none

  [[nodiscard]] ldp::Row row() const;
  /// What the device should take a column for, in the schema's units; written down here a second time, on purpose.
  [[nodiscard]] double value(std::uint32_t column, double absent) const;
};

/// Counts of what the reports of one input and level look like.
struct Tally {
  /// By way of looking, then half: how often each outcome was seen, cases of the level field apart.
  std::vector<std::vector<std::uint64_t>> seen[2];
  std::vector<std::uint64_t> counters;  ///< of the spectator's own
  std::uint64_t trials = 0;             ///< reports, both halves

  [[nodiscard]] std::uint64_t key(std::size_t look, std::size_t index) const noexcept {
    return seen[0][look][index] + seen[1][look][index];
  }
};

/// Two inputs to be told apart by their reports.
struct InputPair {
  std::size_t first = 0;
  std::size_t second = 0;
};

/// Adds a check that `hits` of `trials` events of this probability are no surprise.
using AddFit =
    std::function<void(const std::string& name, std::uint64_t hits, std::uint64_t trials, double probability)>;

/// What somebody who only sees reports of one kind looks at. One file a kind; make_spectator knows them all.
class Spectator {
 public:
  explicit Spectator(const ldp::Plan& plan) : plan_(plan), estimator_(plan.tables()) {}
  virtual ~Spectator() = default;
  Spectator(const Spectator&) = delete;
  Spectator& operator=(const Spectator&) = delete;

  /// What is tried: every form of row, equal and unequal columns; the first two are as far apart as inputs can be.
  [[nodiscard]] virtual std::vector<Input> inputs() const = 0;
  /// Which of them are held against each other, both ways: inputs that differ in one column, and in all.
  [[nodiscard]] virtual std::vector<InputPair> pairs() const = 0;
  /// Inputs at which two levels are held against each other.
  [[nodiscard]] virtual std::vector<std::size_t> level_inputs() const = 0;
  /// Whether the plan's claims can be tested with 32-bit values.
  [[nodiscard]] virtual Result<void> check() const { return {}; }
  /// The ways of looking at a payload; for each, how many outcomes are told apart.
  [[nodiscard]] virtual std::vector<std::size_t> looks() const = 0;
  [[nodiscard]] virtual std::size_t counters() const noexcept { return 0; }
  /// The outcome of a report of this level in each way of looking, after a look at its form, and counts of it; or what is
  /// wrong with it.
  [[nodiscard]] virtual std::string look(const ldp::Report& report, std::size_t level, const Input& input,
                                         std::span<std::size_t> outcomes, std::span<std::uint64_t> counters) const = 0;
  /// Checks of the distribution at one level; `tallies` by input.
  virtual void add_fits(std::size_t level, std::span<const Input> inputs, std::span<const Tally> tallies,
                        const AddFit& add) const = 0;
  /// The chance that two devices with inputs of NaN send the same, at most, for one unit of a report.
  [[nodiscard]] virtual double agreement() const noexcept = 0;

  [[nodiscard]] const ldp::Plan& plan() const noexcept { return plan_; }
  [[nodiscard]] const ldp::Estimator& estimator() const noexcept { return estimator_; }

 protected:
  /// A dense input that gives every column of a group the same value.
  template <class Value>
  [[nodiscard]] Input dense(std::string name, const Value& value) const {
    Input input{std::move(name), Input::Form::dense, {}, {}};
    for (const ldp::ColumnGroup& group : plan_.schema().groups()) {
      input.values.insert(input.values.end(), group.count, static_cast<float>(value(group)));
    }
    return input;
  }
  /// A sparse input that lists these columns, each with a value of its group.
  template <class Value>
  [[nodiscard]] Input sparse(std::string name, std::vector<std::uint32_t> columns, const Value& value) const {
    Input input{std::move(name), Input::Form::sparse, std::move(columns), {}};
    for (const std::uint32_t column : input.columns) {
      input.values.push_back(static_cast<float>(value(plan_.schema().group_of(column))));
    }
    return input;
  }

 private:
  const ldp::Plan& plan_;
  ldp::Estimator estimator_;
};

[[nodiscard]] std::unique_ptr<Spectator> make_sign_spectator(const ldp::Plan& plan);
[[nodiscard]] std::unique_ptr<Spectator> make_category_spectator(const ldp::Plan& plan);
[[nodiscard]] std::unique_ptr<Spectator> make_subset_spectator(const ldp::Plan& plan);

/// The spectator of the plan's report kind.
[[nodiscard]] std::unique_ptr<Spectator> make_spectator(const ldp::Plan& plan);

}  // namespace ppgnn::audit
