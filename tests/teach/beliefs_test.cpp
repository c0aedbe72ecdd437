#include "ppgnn/teach/beliefs.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "ppgnn/random/samplers.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"

namespace ppgnn::teach {
namespace {

double uniform(seeded::SeededStream& bits) {
  return std::ldexp(static_cast<double>(bits.next() >> 11), -53);
}

// People of two classes and two opinions: the first is calibrated, the second says nothing. Seed 1.
struct Opinions {
  Beliefs good{2, {}};
  Beliefs empty{2, {}};
  std::vector<std::int32_t> labels;
  std::vector<std::uint32_t> people;

  explicit Opinions(std::uint32_t count) {
    seeded::SeededStream bits(1, seeded::Purpose::test, 0);
    for (std::uint32_t person = 0; person < count; ++person) {
      const double chance = uniform(bits);
      const auto noise = static_cast<float>(.1 + .8 * uniform(bits));
      good.values.insert(good.values.end(), {static_cast<float>(1 - chance), static_cast<float>(chance)});
      empty.values.insert(empty.values.end(), {1 - noise, noise});
      labels.push_back(uniform(bits) < chance ? 1 : 0);
      people.push_back(person);
    }
  }
};

TEST(Beliefs, QualityIsTheShareThatIsRightAndTheMeanLogLoss) {
  const Beliefs beliefs{2, {.8F, .2F, .4F, .6F, .5F, .5F}};
  const std::vector<std::int32_t> labels{0, 0, 1};
  const std::array<std::uint32_t, 2> two{0, 1};
  const Quality quality = quality_of(beliefs, labels, two);
  EXPECT_DOUBLE_EQ(quality.accuracy, .5);
  EXPECT_NEAR(quality.log_loss, -(std::log(.8) + std::log(.4)) / 2, 1e-6);
}

TEST(Pool, WeighsACalibratedOpinionByOneAndAnEmptyOneByNothing) {
  const Opinions opinions(20000);
  const std::array<const Beliefs*, 2> parts{&opinions.good, &opinions.empty};
  const Pool pool = Pool::fit(parts, opinions.labels, opinions.people, {1, 1});
  EXPECT_NEAR(pool.weights[0], 1, .05);
  EXPECT_NEAR(pool.weights[1], 0, .05);
}

// An overconfident opinion is cooled: the temperature that makes it calibrated again.
TEST(Pool, OfOnePartIsATemperature) {
  Opinions opinions(20000);
  for (std::size_t person = 0; person < opinions.people.size(); ++person) {
    std::vector<double> row(2);
    for (std::size_t c = 0; c < 2; ++c) row[c] = 3 * std::log(1e-9 + static_cast<double>(opinions.good.of(person)[c]));
    normalise(row);
    for (std::size_t c = 0; c < 2; ++c) opinions.good.of(person)[c] = static_cast<float>(row[c]);
  }
  const std::array<const Beliefs*, 1> parts{&opinions.good};
  const Pool pool = Pool::fit(parts, opinions.labels, opinions.people, {1});
  EXPECT_NEAR(pool.weights[0], 1.0 / 3, .03);
  const Quality before = quality_of(opinions.good, opinions.labels, opinions.people);
  const Quality after = quality_of(pool.apply(parts), opinions.labels, opinions.people);
  EXPECT_LT(after.log_loss, before.log_loss - .1);
  EXPECT_DOUBLE_EQ(after.accuracy, before.accuracy);
}

TEST(Pool, StaysAtItsCentreWhereNobodySaysAnything) {
  const Opinions opinions(10);
  const std::array<const Beliefs*, 2> parts{&opinions.good, &opinions.empty};
  const Pool pool = Pool::fit(parts, opinions.labels, {}, {1, .25});
  EXPECT_EQ(pool.weights, (std::vector<double>{1, .25}));
}

TEST(Pool, RowsSumToOneWhateverTheyWere) {
  const Beliefs hard{3, {1, 0, 0, 0, 0, 1, 0, 1, 0}};
  const std::array<const Beliefs*, 1> parts{&hard};
  const Beliefs out = Pool{{2.5}}.apply(parts);
  for (std::size_t person = 0; person < out.people(); ++person) {
    const auto row = out.of(person);
    EXPECT_NEAR(static_cast<double>(row[0] + row[1] + row[2]), 1, 1e-6);
  }
}

}  // namespace
}  // namespace ppgnn::teach
