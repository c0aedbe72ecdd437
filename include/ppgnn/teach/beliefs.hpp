#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ppgnn::teach {

/// What is believed of everybody's class: a probability for each class, person by person, by original node number.
struct Beliefs {
  std::size_t classes = 0;
  std::vector<float> values;

  [[nodiscard]] std::size_t people() const noexcept { return classes == 0 ? 0 : values.size() / classes; }
  [[nodiscard]] std::span<const float> of(std::size_t person) const noexcept {
    return std::span(values).subspan(person * classes, classes);
  }
  [[nodiscard]] std::span<float> of(std::size_t person) noexcept {
    return std::span(values).subspan(person * classes, classes);
  }
};

/// Everybody's likeliest class, the first of equals.
[[nodiscard]] std::vector<std::uint32_t> classes_of(const Beliefs& beliefs);

/// How good beliefs are for the people of a list, whose labels are known.
struct Quality {
  double accuracy = 0;
  double log_loss = 0;  ///< nats a person
};
[[nodiscard]] Quality quality_of(const Beliefs& beliefs, std::span<const std::int32_t> labels,
                                 std::span<const std::uint32_t> people);

/// Weighs several opinions into one: probabilities proportional to the product of each to the power of its weight.
struct Pool {
  std::vector<double> weights;

  /// The weights under which the people of the list, whose labels are known, are likeliest; a normal prior of unit
  /// variance around `centre` (one a part) holds them where few people say anything. With one part: a temperature.
  ///
  /// Cost  A few passes over the people: Newton's method on a concave function.
  [[nodiscard]] static Pool fit(std::span<const Beliefs* const> parts, std::span<const std::int32_t> labels,
                                std::span<const std::uint32_t> people, std::vector<double> centre);
  [[nodiscard]] Beliefs apply(std::span<const Beliefs* const> parts) const;
  /// That of the result for the people of a list.
  [[nodiscard]] Quality quality(std::span<const Beliefs* const> parts, std::span<const std::int32_t> labels,
                                std::span<const std::uint32_t> people) const;
};

/// Replaces logarithms of some unnormalised probabilities by the probabilities.
void normalise(std::span<double> logarithms) noexcept;

}  // namespace ppgnn::teach
