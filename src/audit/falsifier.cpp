#include "ppgnn/audit/falsifier.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <numeric>

#include "audit/spectator.hpp"
#include "ppgnn/client/client.hpp"
#include "ppgnn/core/number.hpp"
#include "ppgnn/wire/report_format.hpp"

namespace ppgnn::audit {

namespace {

using boost::math::binomial_distribution;
using ldp::Level;
using ldp::Plan;
using ldp::Report;
using ldp::Row;

constexpr std::string_view kSubject = "audit";

class Falsifier {
 public:
  Falsifier(const Plan& plan, const Spectator& spectator, const ReportSource& source, const FalsifierOptions& options)
      : plan_(plan),
        spectator_(spectator),
        source_(source),
        options_(options),
        inputs_(spectator.inputs()),
        looks_(spectator.looks()),
        outcomes_(looks_.size()) {
    tallies_.resize(plan.levels().size());
    for (const Input& input : inputs_) result_.inputs.push_back(input.name);
  }

  Result<FalsifierResult> run() {
    for (std::size_t level = 0; level < plan_.levels().size(); ++level) {
      for (const Input& input : inputs_) {
        const std::string problem = observe(level, input);
        if (problem.empty()) continue;
        result_.checks.push_back({Check::Kind::form, "reports are well formed: " + problem, 0, 0, 0, false});
        settle();
        return std::move(result_);
      }
    }
    result_.checks.push_back({Check::Kind::form, "reports are well formed", 0, 0, 1, true});
    add_losses();
    const AddFit add = [&](const std::string& name, std::uint64_t hits, std::uint64_t trials, double probability) {
      add_fit(name, hits, trials, probability);
    };
    for (std::size_t level = 0; level < plan_.levels().size(); ++level) {
      add_level_fits(level);
      spectator_.add_fits(level, inputs_, tallies_[level], add);
    }
    settle();
    return std::move(result_);
  }

 private:
  [[nodiscard]] const Tally& tally(std::size_t level, std::size_t input) const { return tallies_[level][input]; }

  // Tallies the reports of one input at one level, or says what is wrong with one.
  std::string observe(std::size_t level, const Input& input) {
    const std::uint64_t total = options_.trials * inputs_.size() * plan_.levels().size();
    Tally& tally = tallies_[level].emplace_back();
    for (auto& half : tally.seen) {
      for (const std::size_t outcomes : looks_) half.emplace_back(spectator_.estimator().cases() * outcomes, 0);
    }
    tally.counters.assign(spectator_.counters(), 0);
    tally.trials = options_.trials;
    const Row row = input.row();
    for (std::uint64_t trial = 0; trial < options_.trials; ++trial) {
      const Result<Report> report = source_(Level{static_cast<std::uint32_t>(level) + 1}, row);
      std::string problem = report ? count(*report, level, input, trial & 1, tally) : report.error().message;
      if (!problem.empty()) return problem;
      if ((++result_.reports & 0x3fff) == 0 && options_.progress) options_.progress(result_.reports, total);
    }
    return {};
  }

  // Adds a report to the counts, or says why it is none of this plan's.
  std::string count(const Report& report, std::size_t level, const Input& input, std::size_t half, Tally& tally) {
    const ldp::Estimator& estimator = spectator_.estimator();
    const bool has_level = estimator.reported_level(0).has_value();
    if (report.reported_level.has_value() != has_level) return "level field";
    std::size_t index = 0;
    if (has_level) {
      const std::int32_t reported = *report.reported_level;
      const std::int32_t first = *estimator.reported_level(0);
      if (reported < first || reported > *estimator.reported_level(estimator.cases() - 1))
        return "level field out of range";
      index = static_cast<std::size_t>(reported - first);
    }
    std::string problem = spectator_.look(report, level, input, outcomes_, tally.counters);
    if (!problem.empty()) return problem;
    for (std::size_t look = 0; look < looks_.size(); ++look) {
      ++tally.seen[half][look][index * looks_[look] + outcomes_[look]];
    }
    return {};
  }

  // The certificate's claims, each attacked with every pair of inputs.
  void add_losses() {
    const ldp::Certificate& claims = plan_.certificate();
    const auto name = [](std::size_t level) { return "level " + std::to_string(level + 1); };
    const std::size_t last = plan_.levels().size() - 1;
    const std::vector<InputPair> pairs = spectator_.pairs();
    for (std::size_t level = 0; level <= last; ++level) {
      for (const auto& [first, second] : pairs) {
        add_both_ways("features at " + name(level), claims.features[level], level, first, level, second);
      }
    }
    if (plan_.tables().secrecy == ldp::LevelSecrecy::public_level || last == 0) return;
    const auto add_levels = [&](std::size_t first, std::size_t second) {
      const std::string names = name(first) + " against " + name(second);
      const double claim = first == 0 ? claims.pair_strictest : claims.pair_max;
      for (const std::size_t input : spectator_.level_inputs()) {
        add_both_ways("level, " + names, claims.level_given_features, first, input, second, input);
      }
      for (const auto& [one, other] : pairs) {
        add_both_ways("pair, " + names, claim, first, one, second, other);
        add_both_ways("pair, " + names, claim, first, other, second, one);
      }
    };
    for (std::size_t other = 1; other <= last; ++other) add_levels(0, other);
    if (last > 1) add_levels(last - 1, last);
  }

  // One input at one level against another at another, in each way of looking.
  void add_both_ways(const std::string& claim, double bound, std::size_t level, std::size_t input,
                     std::size_t other_level, std::size_t other_input) {
    const auto add = [&](std::size_t l1, std::size_t i1, std::size_t l2, std::size_t i2) {
      const std::string inputs =
          i1 == i2 ? "both " + inputs_[i1].name : inputs_[i1].name + " against " + inputs_[i2].name;
      const std::string name = claim + ", " + inputs + (l1 > l2 ? ", the other way round" : "");
      for (std::size_t look = 0; look < looks_.size(); ++look)
        add_loss(name, bound, look, tally(l1, i1), tally(l2, i2));
    };
    add(level, input, other_level, other_input);
    add(other_level, other_input, level, input);
  }

  // A loss check is a pair of counts until the number of checks, and so the share of alpha, is known.
  struct Counts {
    std::size_t check;
    double first, second, trials;
  };

  void add_loss(const std::string& name, double claim, std::size_t look, const Tally& first, const Tally& second) {
    // First half: order outputs by how much they favour `first`, take the prefix with the largest cautious log-ratio.
    std::vector<std::size_t> order(first.seen[0][look].size());
    std::iota(order.begin(), order.end(), 0);
    const auto ratio = [&](std::size_t key) {
      return (static_cast<double>(first.seen[0][look][key]) + .5) /
             (static_cast<double>(second.seen[0][look][key]) + .5);
    };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return ratio(a) > ratio(b); });
    double k1 = 0;
    double k2 = 0;
    double best = -std::numeric_limits<double>::infinity();
    std::size_t prefix = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      k1 += static_cast<double>(first.seen[0][look][order[i]]);
      k2 += static_cast<double>(second.seen[0][look][order[i]]);
      const double cautious = std::log(std::max(.5, k1 - 4 * std::sqrt(k1))) - std::log(k2 + 4 * std::sqrt(k2) + 8);
      if (cautious > best) {
        best = cautious;
        prefix = i + 1;
      }
    }
    // Second half: the event is fixed now.
    const std::uint64_t half = options_.trials / 2;
    Counts counts{result_.checks.size(), 0, 0, static_cast<double>(half)};
    for (std::size_t i = 0; i < prefix; ++i) {
      counts.first += static_cast<double>(first.seen[1][look][order[i]]);
      counts.second += static_cast<double>(second.seen[1][look][order[i]]);
    }
    losses_.push_back(counts);
    result_.checks.push_back({Check::Kind::loss, name, claim, 0, 1, true});
  }

  void add_fit(const std::string& name, std::uint64_t hits, std::uint64_t trials, double probability) {
    if (trials == 0) {  // counts as a check, or the share of alpha would depend on the data
      result_.checks.push_back({Check::Kind::fit, name, probability, probability, 1, true});
      return;
    }
    const auto k = static_cast<double>(hits);
    const auto n = static_cast<double>(trials);
    double p_value = k == probability * n ? 1 : 0;  // probability 0 or 1: no other count is possible
    if (probability > 0 && probability < 1) {
      const binomial_distribution<double> binomial(n, probability);
      const double below = boost::math::cdf(binomial, k);
      const double above = k == 0 ? 1 : boost::math::cdf(boost::math::complement(binomial, k - 1));
      p_value = std::min(1.0, 2 * std::min(below, above));
    }
    result_.checks.push_back({Check::Kind::fit, name, probability, k / n, p_value, true});
  }

  void add_level_fits(std::size_t level) {
    const ldp::Estimator& estimator = spectator_.estimator();
    const auto& response = plan_.tables().level_response;
    if (!estimator.reported_level(0)) return;
    for (std::size_t index = 0; index < estimator.cases(); ++index) {
      const std::int32_t reported = *estimator.reported_level(index);
      const double chance = response ? response->probability(static_cast<std::uint32_t>(level) + 1, reported)
                                     : static_cast<double>(reported == static_cast<std::int32_t>(level) + 1);
      std::uint64_t hits = 0;
      for (const Tally& one : tallies_[level]) {
        for (std::size_t outcome = 0; outcome < looks_[0]; ++outcome) hits += one.key(0, index * looks_[0] + outcome);
      }
      add_fit("reported level " + std::to_string(reported) + " at level " + std::to_string(level + 1), hits,
              options_.trials * inputs_.size(), chance);
    }
  }

  // Now that the number of checks is known, each gets its share of alpha.
  void settle() {
    result_.alpha = options_.alpha;
    result_.alpha_per_check = options_.alpha / static_cast<double>(result_.checks.size());
    const double half = result_.alpha_per_check / 2;
    const std::uint64_t each_half = options_.trials / 2;
    const auto trials = static_cast<double>(each_half);
    // What an event shows that always happens for one input and never for the other.
    result_.visible = std::log(binomial_distribution<>::find_lower_bound_on_p(trials, trials, half) /
                               binomial_distribution<>::find_upper_bound_on_p(trials, 0, half));
    for (const Counts& counts : losses_) {
      Check& check = result_.checks[counts.check];
      const double low = binomial_distribution<>::find_lower_bound_on_p(counts.trials, counts.first, half);
      const double high = binomial_distribution<>::find_upper_bound_on_p(counts.trials, counts.second, half);
      check.found = low > 0 ? std::max(0.0, std::log(low / high)) : 0;
      check.passed = check.found <= check.claim;
      check.tested = check.claim < result_.visible;
    }
    for (Check& check : result_.checks) {
      if (check.kind == Check::Kind::fit) check.passed = check.p_value >= result_.alpha_per_check;
    }
  }

  const Plan& plan_;
  const Spectator& spectator_;
  const ReportSource& source_;
  const FalsifierOptions& options_;
  std::vector<Input> inputs_;
  std::vector<std::size_t> looks_;           // outcomes told apart, by way of looking
  std::vector<std::size_t> outcomes_;        // of the report looked at
  std::vector<std::vector<Tally>> tallies_;  // by level, then input
  std::vector<Counts> losses_;
  FalsifierResult result_;
};

// A device of the product: its bytes, read back as the server does.
Result<ReportSource> make_client(const Plan& plan) {
  Result<client::Client> made = client::Client::make(plan.text());
  if (!made) return made.error();
  const auto device = std::make_shared<client::Client>(std::move(made).value());
  device->set_person(kSubject);
  if (const auto question = subject_of(plan).question) {
    if (Result<void> set = device->set_question(question->bytes()); !set) return set.error();
  }
  return ReportSource([device, &plan](Level level, const Row& row) -> Result<Report> {
    const Result<std::vector<std::uint8_t>> bytes = device->report(level, row, 0);
    if (!bytes) return bytes.error();
    return wire::decode(plan, *bytes);
  });
}

}  // namespace

Subject subject_of(const Plan& plan) {
  Subject subject;
  const auto& campaign = plan.tables().campaign;
  subject.salt = ldp::salt_of(campaign ? std::string_view(campaign->name) : std::string_view(), kSubject);
  if (const auto& model = plan.tables().model) {
    std::vector<std::uint16_t> classes(model->classes.size());
    std::iota(classes.begin(), classes.end(), std::uint16_t{0});
    std::vector<std::int16_t> odds(model->fused() ? classes.size() : 0, 0);
    Result<ldp::Question> question = ldp::Question::make(*model, std::move(classes), std::move(odds));
    if (question) subject.question = std::move(question).value();
  }
  return subject;
}

Row Input::row() const {
  switch (form) {
    case Form::dense:
      break;
    case Form::sparse:
      return Row::sparse(columns, values);
    case Form::ones:
      return Row::ones(columns);
  }
  return Row::dense(values);
}

double Input::value(std::uint32_t column, double absent) const {
  if (form == Form::dense) return static_cast<double>(values[column]);
  const auto at = std::lower_bound(columns.begin(), columns.end(), column);
  if (at == columns.end() || *at != column) return absent;
  return form == Form::ones ? 1 : static_cast<double>(values[static_cast<std::size_t>(at - columns.begin())]);
}

std::unique_ptr<Spectator> make_spectator(const Plan& plan) {
  switch (plan.kind()) {
    case ldp::ReportKind::signs:
      return make_sign_spectator(plan);
    case ldp::ReportKind::category:
      return make_category_spectator(plan);
    case ldp::ReportKind::buckets:
    case ldp::ReportKind::directions:
    case ldp::ReportKind::answer:
      return make_subset_spectator(plan);
  }
  std::abort();  // not a kind
}

bool FalsifierResult::falsified() const noexcept {
  return std::any_of(checks.begin(), checks.end(), [](const Check& check) { return !check.passed; });
}

Result<FalsifierResult> falsify(const Plan& plan, const ReportSource& source, const FalsifierOptions& options) {
  if (options.trials < 100 || options.trials > 1000000000) {
    return Error{ErrorCode::invalid_argument,
                 "trials: must be between 100 and 1000000000, but is " + std::to_string(options.trials)};
  }
  if (!(options.alpha >= 1e-12 && options.alpha <= .1)) {
    return Error{ErrorCode::invalid_argument,
                 "alpha: must be between 1e-12 and 0.1, but is " + format_number(options.alpha)};
  }
  const std::unique_ptr<Spectator> spectator = make_spectator(plan);
  if (Result<void> testable = spectator->check(); !testable) return testable.error();
  return Falsifier(plan, *spectator, source, options).run();
}

Result<bool> devices_differ(const Plan& plan, const std::function<Result<ReportSource>()>& make_device) {
  const double needed = 100 * std::log(2.0) / -std::log(make_spectator(plan)->agreement());
  if (!(needed < 1e6)) return true;  // too few surprises in a report to tell devices apart by it
  const auto count = static_cast<std::size_t>(std::ceil(needed));
  const std::vector<float> features(plan.schema().dim(), std::numeric_limits<float>::quiet_NaN());
  std::vector<Report> sent[2];
  for (std::vector<Report>& reports : sent) {
    const Result<ReportSource> device = make_device();
    if (!device) return device.error();
    for (std::size_t i = 0; i < count; ++i) {
      Result<Report> report = (*device)(Level{1}, Row::dense(features));
      if (!report) return report.error();
      reports.push_back(std::move(report).value());
    }
  }
  return sent[0] != sent[1];
}

Result<FalsifierResult> falsify_client(const Plan& plan, const FalsifierOptions& options) {
  const auto make_device = [&plan] { return make_client(plan); };
  const Result<ReportSource> device = make_device();
  if (!device) return device.error();
  Result<FalsifierResult> result = falsify(plan, *device, options);
  if (!result) return result;
  const Result<bool> differ = devices_differ(plan, make_device);
  if (!differ) return differ.error();
  result->checks.push_back({Check::Kind::form, "two devices send different reports", 0, 0, 1, *differ});
  return result;
}

}  // namespace ppgnn::audit
