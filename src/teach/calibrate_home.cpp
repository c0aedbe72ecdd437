#include <algorithm>
#include <array>
#include <cmath>

#include "ppgnn/ldp/answer_response.hpp"
#include "ppgnn/ldp/estimate.hpp"
#include "ppgnn/teach/home.hpp"
#include "teach/home_bins.hpp"

namespace ppgnn::teach {

namespace {

constexpr std::size_t kBins = 2 * kSizes;  // by size; the first half speaks for the first class
constexpr std::size_t kStrata = 3;
constexpr std::array<double, kStrata - 1> kStrataEdges{1, 3};  // of the graph's odds, in nats
constexpr double kImaginedPilots = .25;                        // in each bin of each stratum
constexpr int kHistogramSteps = 150;
// The prior of the weight's logarithm, and where it is looked at.
constexpr double kMeanLog = -.5;
constexpr double kUnfounded =
    .1;  // of pilots, whose report may have nothing to do with them: lies, and where words mislead
constexpr double kLogDeviation = .5;
constexpr double kLeastLog = -3.5;
constexpr double kMostLog = 1.1;
constexpr double kLogStep = .1;
constexpr double kIntervalDeviations = 1.96;

using Bins = std::array<double, kBins>;

// One pilot whose class is one of the two.
struct Pilot {
  double odds = 0;  // of the graph: the first class against the second
  bool first = true;
  std::size_t stratum = 0;
  Bins likelihood{};  // of the report, by bin
  std::array<bool, kBins> sent{};
  double gain = 0;
  double outcomes = 0;
};

double log_sigmoid(double x) noexcept {
  return x > 0 ? -std::log1p(std::exp(-x)) : x - std::log1p(std::exp(x));
}

// What the evidence of a bin adds to the logarithm of the odds, at weight 1.
double evidence_of(std::size_t bin, double unit) noexcept {
  const double size = kMiddles[bin % kSizes] * unit;
  return bin < kSizes ? size : -size;
}

std::vector<Pilot> gather_pilots(const ldp::PublishedModel& draft, const Asking& asked,
                                 std::span<const ldp::NodeReport> reports,
                                 std::span<const std::optional<ldp::Hint>> hints,
                                 std::span<const std::int32_t> labels) {
  const ldp::Estimator estimator(asked.plan.tables());
  const std::size_t confidences = asked.plan.tables().model->confidences();
  std::vector<Pilot> pilots;
  std::vector<std::int32_t> odds(draft.classes());
  for (const auto& [node, report] : reports) {
    const auto& question = asked.questions[node];
    if (!question || !ldp::AnswerResponse::answers(report, *question) || !hints[node]) continue;
    const auto first = question->classes()[0];
    const auto second = question->classes()[1];
    if (labels[node] != first && labels[node] != second) continue;
    hints[node]->odds(draft, odds);
    Pilot pilot;
    pilot.odds = (odds[first] - odds[second]) / 256.0;
    pilot.first = labels[node] == first;
    while (pilot.stratum < kStrataEdges.size() && pilot.odds > kStrataEdges[pilot.stratum]) ++pilot.stratum;
    const std::size_t one = estimator.case_of(report.reported_level);
    pilot.gain = estimator.gain(one);
    pilot.outcomes = estimator.shape(one).outcomes;
    for (std::size_t bin = 0; bin < kBins; ++bin) {
      const std::size_t outcome = bin / kSizes + 2 * coarser(bin % kSizes, confidences);
      pilot.sent[bin] = outcome == report.outcomes.front();
      pilot.likelihood[bin] = (pilot.sent[bin] ? pilot.gain : 0) + (1 - pilot.gain) / pilot.outcomes;
    }
    pilots.push_back(pilot);
  }
  return pilots;
}

// How usual each bin is, stratum by stratum.
std::array<Bins, kStrata> histogram_of(std::span<const Pilot> pilots) {
  std::array<Bins, kStrata> usual{};
  for (Bins& bins : usual) bins.fill(1.0 / kBins);
  for (int step = 0; step < kHistogramSteps; ++step) {
    std::array<Bins, kStrata> next{};
    for (Bins& bins : next) bins.fill(kImaginedPilots);
    for (const Pilot& pilot : pilots) {
      const Bins& now = usual[pilot.stratum];
      double all = 0;
      for (std::size_t bin = 0; bin < kBins; ++bin) all += now[bin] * pilot.likelihood[bin];
      for (std::size_t bin = 0; bin < kBins; ++bin) {
        next[pilot.stratum][bin] += now[bin] * pilot.likelihood[bin] / all;
      }
    }
    for (std::size_t stratum = 0; stratum < kStrata; ++stratum) {
      double all = 0;
      for (const double one : next[stratum]) all += one;
      for (std::size_t bin = 0; bin < kBins; ++bin) usual[stratum][bin] = next[stratum][bin] / all;
    }
  }
  return usual;
}

double weight_of(std::span<const Pilot> pilots, double unit) {
  const std::array<Bins, kStrata> usual = histogram_of(pilots);
  std::vector<double> logs;
  for (int i = 0; kLeastLog + i * kLogStep <= kMostLog; ++i) logs.push_back(kLeastLog + i * kLogStep);
  std::vector<double> likely;
  for (const double log : logs) {
    const double apart = (log - kMeanLog) / kLogDeviation;
    likely.push_back(-apart * apart / 2);
  }
  for (const Pilot& pilot : pilots) {
    Bins bins{};
    double all = 0;
    for (std::size_t bin = 0; bin < kBins; ++bin) {
      all += bins[bin] = usual[pilot.stratum][bin] * pilot.likelihood[bin];
    }
    const double without = std::exp(log_sigmoid(pilot.first ? pilot.odds : -pilot.odds));
    for (std::size_t i = 0; i < logs.size(); ++i) {
      double chance = 0;
      for (std::size_t bin = 0; bin < kBins; ++bin) {
        const double odds = pilot.odds + std::exp(logs[i]) * evidence_of(bin, unit);
        chance += bins[bin] / all * std::exp(log_sigmoid(pilot.first ? odds : -odds));
      }
      likely[i] += std::log(std::max(1e-12, (1 - kUnfounded) * chance + kUnfounded * without));
    }
  }
  const double most = *std::max_element(likely.begin(), likely.end());
  double sum = 0;
  double all = 0;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    const double share = std::exp(likely[i] - most);
    sum += share * logs[i];
    all += share;
  }
  return std::exp(sum / all);
}

// What features add for one pilot at a weight, without bias by the report's noise: the mean over bins that chance would
// have sent is taken off.
double lift_of(const Pilot& pilot, const Bins& usual, double weight, double unit) {
  const double sign = pilot.first ? 1 : -1;
  const double before = log_sigmoid(sign * pilot.odds);
  double sent = 0;  // of the outcome sent, over its bins
  double share = 0;
  double any = 0;  // over all outcomes as chance sends them
  std::array<double, kBins> added{};
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    added[bin] = log_sigmoid(sign * (pilot.odds + weight * evidence_of(bin, unit))) - before;
    if (!pilot.sent[bin]) continue;
    sent += usual[bin] * added[bin];
    share += usual[bin];
  }
  const auto per_outcome = static_cast<std::size_t>(kBins / pilot.outcomes);
  for (std::size_t bin = 0; bin < kBins; bin += per_outcome) {
    double value = 0;
    double of = 0;
    for (std::size_t i = bin; i < bin + per_outcome; ++i) {
      value += usual[i] * added[i];
      of += usual[i];
    }
    any += value / of / pilot.outcomes;
  }
  return any + (sent / share - any) / pilot.gain;
}

}  // namespace

Calibration calibrate_home(const HomeModel& home, const ldp::PublishedModel& draft, const Asking& pilots,
                           std::span<const ldp::NodeReport> reports, std::span<const std::optional<ldp::Hint>> hints,
                           std::span<const std::int32_t> labels) {
  const std::vector<Pilot> all = gather_pilots(draft, pilots, reports, hints, labels);
  const double unit = home.unit * home.nats;
  Calibration found{.weight = home.trust * weight_of(all, unit), .pilots = all.size()};
  // Each half is judged at the weight that the other half says.
  double sum = 0;
  double weights = 0;
  std::vector<std::pair<double, double>> lifts;
  for (std::size_t half = 0; half < 2; ++half) {
    std::vector<Pilot> own;
    std::vector<Pilot> others;
    for (std::size_t i = 0; i < all.size(); ++i) (i % 2 == half ? own : others).push_back(all[i]);
    const double weight = home.trust * weight_of(others, unit);
    const std::array<Bins, kStrata> usual = histogram_of(others);
    for (const Pilot& pilot : own) {
      const double precision = pilot.gain * pilot.gain;
      lifts.emplace_back(lift_of(pilot, usual[pilot.stratum], weight, unit), precision);
      sum += precision * lifts.back().first;
      weights += precision;
    }
  }
  if (lifts.empty()) return found;
  found.lift = sum / weights;
  double squares = 0;
  for (const auto& [lift, weight] : lifts) squares += weight * weight * (lift - found.lift) * (lift - found.lift);
  const double error = kIntervalDeviations * std::sqrt(squares) / weights;
  found.low = found.lift - error;
  found.high = found.lift + error;
  return found;
}

}  // namespace ppgnn::teach
