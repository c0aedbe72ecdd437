#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/ldp/estimate.hpp"
#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/ldp/report.hpp"

namespace ppgnn::audit {

/// A feature vector that a device may have, in the schema's units, and what it should count as.
struct Input {
  std::string name;
  double x = 0;  ///< what every column should count as, on the mechanism's own scale
  std::vector<float> values;
};

/// Counts of what the reports of one input and level look like.
struct Tally {
  std::vector<std::uint64_t> keys[2];   ///< by half: case of the level field times outcome of the payload
  std::vector<std::uint64_t> counters;  ///< of the spectator's own
  std::uint64_t trials = 0;             ///< reports, both halves

  [[nodiscard]] std::uint64_t key(std::size_t index) const noexcept { return keys[0][index] + keys[1][index]; }
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

  /// What is tried; the first two are as far apart as inputs can be.
  [[nodiscard]] virtual std::vector<Input> inputs() const = 0;
  /// Whether the plan's claims can be tested with 32-bit values.
  [[nodiscard]] virtual Result<void> check() const { return {}; }
  /// How many payloads are told apart.
  [[nodiscard]] virtual std::size_t outcomes() const noexcept = 0;
  [[nodiscard]] virtual std::size_t counters() const noexcept { return 0; }
  /// The outcome of a report of this level, after a look at its form, and counts of it; or what is wrong with it.
  [[nodiscard]] virtual std::string look(const ldp::Report& report, std::size_t level, std::size_t& outcome,
                                         std::span<std::uint64_t> counters) const = 0;
  /// Checks of the distribution at one level; `tallies` by input.
  virtual void add_fits(std::size_t level, std::span<const Input> inputs, std::span<const Tally> tallies,
                        const AddFit& add) const = 0;
  /// The chance that two devices with inputs of NaN send the same, at most, for one unit of a report.
  [[nodiscard]] virtual double agreement() const noexcept = 0;

  [[nodiscard]] const ldp::Plan& plan() const noexcept { return plan_; }
  [[nodiscard]] const ldp::Estimator& estimator() const noexcept { return estimator_; }

 protected:
  /// An input that gives every column of a group the same value.
  template <class Value>
  [[nodiscard]] Input input_of(std::string name, double x, const Value& value) const {
    Input input{std::move(name), x, {}};
    for (const ldp::ColumnGroup& group : plan_.schema().groups()) {
      input.values.insert(input.values.end(), group.count, static_cast<float>(value(group)));
    }
    return input;
  }
  /// Where a tally counts an outcome in one case of the level field.
  [[nodiscard]] std::size_t key_of(std::size_t level_case, std::size_t outcome) const noexcept {
    return level_case * outcomes() + outcome;
  }

 private:
  const ldp::Plan& plan_;
  ldp::Estimator estimator_;
};

[[nodiscard]] std::unique_ptr<Spectator> make_sign_spectator(const ldp::Plan& plan);
[[nodiscard]] std::unique_ptr<Spectator> make_category_spectator(const ldp::Plan& plan);

/// The spectator of the plan's report kind.
[[nodiscard]] std::unique_ptr<Spectator> make_spectator(const ldp::Plan& plan);

}  // namespace ppgnn::audit
