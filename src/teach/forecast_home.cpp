#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "ppgnn/seeded/seeded_stream.hpp"
#include "ppgnn/teach/forecast.hpp"
#include "teach/odds.hpp"
#include "teach/reached.hpp"

namespace ppgnn::teach {

namespace {

constexpr double kImaginedDevices = 16000;  // at least; several of each person
constexpr std::size_t kForeseenPilots = 5;  // one in so many of those whose class is known
constexpr double kMostForeseen = 40;
constexpr double kLeastForeseen = 1e-6;

double imagined_share(seeded::SeededStream& bits) {
  return std::ldexp(static_cast<double>((bits.next() >> 11) + 1), -53);
}

double imagined_noise(seeded::SeededStream& bits) {
  const double radius = std::sqrt(-2 * std::log(imagined_share(bits)));
  return radius * std::cos(2 * std::numbers::pi * imagined_share(bits));
}

// The fifth of whom the graph is least sure, as believed to be of one of their two likeliest classes.
Beliefs pilots_of(const Beliefs& believed) {
  std::vector<double> first;  // of two
  for (std::size_t person = 0; person < believed.people(); ++person) {
    std::vector<float> row(believed.of(person).begin(), believed.of(person).end());
    std::partial_sort(row.begin(), row.begin() + 2, row.end(), std::greater<>());
    first.push_back(static_cast<double>(row[0]) / static_cast<double>(row[0] + row[1]));
  }
  std::sort(first.begin(), first.end());
  first.resize(std::max<std::size_t>(1, first.size() / kForeseenPilots));
  Beliefs pilots{2, {}};
  for (const double one : first) {
    pilots.values.insert(pilots.values.end(), {static_cast<float>(one), static_cast<float>(1 - one)});
  }
  return pilots;
}

}  // namespace

double known_by(const Beliefs& believed, double labelled) {
  // How far beliefs differ between people, against certain ones.
  std::vector<double> usual(believed.classes);
  double squares = 0;
  const auto people = static_cast<double>(believed.people());
  for (std::size_t person = 0; person < believed.people(); ++person) {
    for (std::size_t c = 0; c < believed.classes; ++c) {
      const auto one = static_cast<double>(believed.of(person)[c]);
      usual[c] += one / people;
      squares += one * one / people;
    }
  }
  const double alike = std::inner_product(usual.begin(), usual.end(), usual.begin(), 0.0);
  const double soft = alike < 1 ? (squares - alike) / (1 - alike) : 0;
  return labelled + (1 - labelled) * std::max(0.0, soft);
}

// Of the own class a score is higher by `lead`, each has unit noise; their likelihoods times what is believed. What is
// expected of the largest probability is how often it is right.
Forecaster::Change Forecaster::change_at_home(const Beliefs& believed, double separability) {
  const double lead = separability / std::numbers::sqrt2;
  const auto people = static_cast<double>(believed.people());
  const auto times = static_cast<std::size_t>(std::ceil(kImaginedDevices / people));
  const double share = 1 / (people * static_cast<double>(times));
  Change total;
  total.asked = 1;
  std::vector<double> after(believed.classes);
  for (std::size_t person = 0; person < believed.people(); ++person) {
    const auto row = believed.of(person);
    const auto first = static_cast<std::size_t>(std::max_element(row.begin(), row.end()) - row.begin());
    seeded::SeededStream bits(1, seeded::Purpose::imagine, person);
    for (std::size_t i = 0; i < times; ++i) {
      double left = imagined_share(bits);
      std::size_t own = 0;
      while (own + 1 < row.size() && left > static_cast<double>(row[own])) left -= static_cast<double>(row[own++]);
      for (std::size_t c = 0; c < row.size(); ++c) after[c] = lead * (imagined_noise(bits) + (c == own ? lead : 0));
      double most = after[0];
      for (const double one : after) most = std::max(most, one);
      double all = 0;
      for (std::size_t c = 0; c < row.size(); ++c)
        all += after[c] = static_cast<double>(row[c]) * std::exp(after[c] - most);
      const auto best = static_cast<std::size_t>(std::max_element(after.begin(), after.end()) - after.begin());
      total.right += share * (after[best] / all - static_cast<double>(row[first]));
      total.changed += best == first ? 0 : share;
      for (std::size_t c = 0; c < row.size(); ++c) {
        if (after[c] > 0) total.nats += share * after[c] / all * std::log(after[c] / all / static_cast<double>(row[c]));
      }
    }
  }
  return total;
}

FeatureAssumptions Forecaster::as_pilots_say(double people, const Expected& nats) const {
  const Beliefs pilots = pilots_of(believed_);
  const auto separability_of = [&](double lift) {
    const double left = reached(lift, 0, kMostForeseen, [&](double one) { return change_at_home(pilots, one).nats; });
    return std::max(kLeastForeseen,
                    reached(left, 0, kMostForeseen, [&](double one) { return own_ * taught(teachers(people), one); }));
  };
  FeatureAssumptions said = request_.features;
  said.separability = separability_of(nats.value);
  said.between = {separability_of(nats.low), separability_of(nats.high)};
  said.known = true;
  return said;
}

}  // namespace ppgnn::teach
