#include "ppgnn/audit/falsifier.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "ppgnn/client/client.hpp"
#include "ppgnn/core/number.hpp"
#include "ppgnn/ldp/estimate.hpp"
#include "ppgnn/ldp/mechanism.hpp"
#include "ppgnn/wire/report_format.hpp"

namespace ppgnn::audit {

namespace {

using boost::math::binomial_distribution;
using ldp::Level;
using ldp::Plan;
using ldp::Report;
using ldp::ReportKind;
using ldp::Row;

// A feature vector that all columns share, in the schema's units, and what it should count as on the scale [-1, 1].
struct Input {
  std::string name;
  double x;  // signs: the scaled feature; category: the class
  std::vector<float> values;
};

std::vector<Input> inputs_for(const Plan& plan) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  std::vector<Input> inputs;
  const auto add = [&](const std::string& name, double x, auto&& value) {
    Input input{name, x, {}};
    for (const ldp::ColumnGroup& group : plan.schema().groups()) {
      input.values.insert(input.values.end(), group.count, static_cast<float>(value(group)));
    }
    inputs.push_back(std::move(input));
  };
  using Group = const ldp::ColumnGroup&;
  const auto width = [](Group g) { return g.high - g.low; };
  if (plan.kind() == ReportKind::category) {
    add("first class", 0, [](Group g) { return g.low; });
    add("last class", plan.classes() - 1.0, [](Group g) { return g.high; });
    add("NaN", plan.schema().groups()[0].absent, [&](Group) { return kNan; });
    add("far above", plan.classes() - 1.0, [&](Group g) { return g.high + 1e6 * width(g); });
    return inputs;
  }
  add("high", 1, [](Group g) { return g.high; });
  add("low", -1, [](Group g) { return g.low; });
  add("middle", 0, [&](Group g) { return g.low + width(g) / 2; });
  add("NaN", 0, [&](Group) { return kNan; });
  add("far above", 1, [&](Group g) { return g.high + 1e6 * width(g); });
  add("far below", -1, [&](Group g) { return g.low - 1e6 * width(g); });
  return inputs;
}

// Counts of what the reports of one input and level look like.
struct Tally {
  std::vector<std::uint64_t> keys[2];        // by half: reported level times what the payload shows
  std::vector<std::uint64_t> block_hits;     // reports with a column in the block
  std::vector<std::uint64_t> block_columns;  // columns in the block
  std::vector<std::uint64_t> block_plus;     // of them plus

  [[nodiscard]] std::uint64_t key(std::size_t index) const noexcept { return keys[0][index] + keys[1][index]; }
};

class Falsifier {
 public:
  Falsifier(const Plan& plan, const ReportSource& source, const FalsifierOptions& options)
      : plan_(plan), source_(source), options_(options), estimator_(plan.tables()), inputs_(inputs_for(plan)) {
    for (const ldp::PlanLevel& level : plan.levels()) most_sampled_ = std::max(most_sampled_, level.sampled);
    outcomes_ = is_signs() ? most_sampled_ + 1 : 3;
    blocks_ = is_signs() ? std::min<std::uint32_t>(plan.schema().dim(), 16) : 0;
    tallies_.resize(plan.levels().size());
  }

  Result<FalsifierResult> run() {
    const std::uint64_t total = options_.trials * inputs_.size() * plan_.levels().size();
    for (std::size_t level = 0; level < plan_.levels().size(); ++level) {
      for (const Input& input : inputs_) {
        Tally& tally = tallies_[level].emplace_back();
        for (auto& keys : tally.keys) keys.assign(estimator_.cases() * outcomes_, 0);
        tally.block_hits.assign(blocks_, 0);
        tally.block_columns.assign(blocks_, 0);
        tally.block_plus.assign(blocks_, 0);
        for (std::uint64_t trial = 0; trial < options_.trials; ++trial) {
          const Result<Report> report = source_(Level{static_cast<std::uint32_t>(level) + 1}, Row::dense(input.values));
          const std::string problem = report ? count(*report, level, trial & 1, tally) : report.error().message;
          if (!problem.empty()) {
            result_.checks.push_back({Check::Kind::form, "reports are well formed: " + problem, 0, 0, 0, false});
            settle();
            return std::move(result_);
          }
          if ((++result_.reports & 0x3fff) == 0 && options_.progress) options_.progress(result_.reports, total);
        }
      }
    }
    result_.checks.push_back({Check::Kind::form, "reports are well formed", 0, 0, 1, true});
    add_losses();
    add_fits();
    settle();
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool is_signs() const noexcept { return plan_.kind() == ReportKind::signs; }
  [[nodiscard]] const Tally& tally(std::size_t level, std::size_t input) const { return tallies_[level][input]; }
  [[nodiscard]] std::uint32_t block_of(std::uint32_t column) const noexcept {
    return static_cast<std::uint32_t>(std::uint64_t{column} * blocks_ / plan_.schema().dim());
  }
  [[nodiscard]] std::uint32_t block_size(std::uint32_t block) const noexcept {
    const auto begin = [&](std::uint64_t index) { return (index * plan_.schema().dim() + blocks_ - 1) / blocks_; };
    return static_cast<std::uint32_t>(begin(block + 1) - begin(block));
  }

  // Adds a report to the counts, or says why it is none of this plan's.
  std::string count(const Report& report, std::size_t level, std::size_t half, Tally& tally) {
    const bool has_level = estimator_.reported_level(0).has_value();
    if (report.reported_level.has_value() != has_level) return "level field";
    std::size_t index = 0;
    if (has_level) {
      const std::int32_t reported = *report.reported_level;
      const std::int32_t first = *estimator_.reported_level(0);
      if (reported < first || reported > *estimator_.reported_level(estimator_.cases() - 1))
        return "level field out of range";
      index = static_cast<std::size_t>(reported - first);
    }
    std::size_t outcome = 0;
    if (is_signs()) {
      if (report.columns.size() != plan_.levels()[level].sampled) return "number of columns";
      std::uint32_t last_block = blocks_;
      for (std::size_t i = 0; i < report.columns.size(); ++i) {
        const std::uint32_t column = report.columns[i];
        if (column >= plan_.schema().dim()) return "column out of range";
        if (i > 0 && column <= report.columns[i - 1]) return "columns repeat or are not ascending";
        const std::uint32_t block = block_of(column);
        tally.block_hits[block] += static_cast<std::uint64_t>(block != last_block);
        ++tally.block_columns[block];
        tally.block_plus[block] += static_cast<std::uint64_t>(report.signs[i] > 0);
        outcome += static_cast<std::size_t>(report.signs[i] > 0);
        last_block = block;
      }
    } else {
      if (report.category >= plan_.classes()) return "class out of range";
      outcome = report.category == 0 ? 0 : report.category == plan_.classes() - 1 ? 1 : 2;
    }
    ++tally.keys[half][index * outcomes_ + outcome];
    return {};
  }

  // The certificate's claims, each attacked with the inputs that should come closest.
  void add_losses() {
    const ldp::Certificate& claims = plan_.certificate();
    const auto name = [](std::size_t level) { return "level " + std::to_string(level + 1); };
    const std::size_t last = plan_.levels().size() - 1;
    for (std::size_t level = 0; level <= last; ++level) {
      for (const std::size_t first : {0u, 1u}) {
        add_loss("features at " + name(level) + ", " + inputs_[first].name + " against " + inputs_[1 - first].name,
                 claims.features[level], tally(level, first), tally(level, 1 - first));
      }
    }
    if (plan_.tables().secrecy == ldp::LevelSecrecy::public_level || last == 0) return;
    const auto add_levels = [&](std::size_t first, std::size_t second) {
      const std::string names = name(first) + " against " + name(second);
      const bool strictest = first == 0 || second == 0;
      for (const std::size_t input : {0u, 1u}) {
        add_loss("level, " + names + ", both " + inputs_[input].name, claims.level_given_features, tally(first, input),
                 tally(second, input));
        add_loss("pair, " + names + ", " + inputs_[input].name + " against " + inputs_[1 - input].name,
                 strictest ? claims.pair_strictest : claims.pair_max, tally(first, input), tally(second, 1 - input));
      }
    };
    for (std::size_t other = 1; other <= last; ++other) {
      add_levels(0, other);
      add_levels(other, 0);
    }
    if (last > 1) {
      add_levels(last - 1, last);
      add_levels(last, last - 1);
    }
  }

  // A loss check is a pair of counts until the number of checks, and so the share of alpha, is known.
  struct Counts {
    std::size_t check;
    double first, second, trials;
  };

  void add_loss(const std::string& name, double claim, const Tally& first, const Tally& second) {
    // First half: order outputs by how much they favour `first`, take the prefix with the largest cautious log-ratio.
    std::vector<std::size_t> order(first.keys[0].size());
    std::iota(order.begin(), order.end(), 0);
    const auto ratio = [&](std::size_t key) {
      return (static_cast<double>(first.keys[0][key]) + .5) / (static_cast<double>(second.keys[0][key]) + .5);
    };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return ratio(a) > ratio(b); });
    double k1 = 0;
    double k2 = 0;
    double best = -std::numeric_limits<double>::infinity();
    std::size_t prefix = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      k1 += static_cast<double>(first.keys[0][order[i]]);
      k2 += static_cast<double>(second.keys[0][order[i]]);
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
      counts.first += static_cast<double>(first.keys[1][order[i]]);
      counts.second += static_cast<double>(second.keys[1][order[i]]);
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

  void add_fits() {
    for (std::size_t level = 0; level < plan_.levels().size(); ++level) {
      const std::string at = " at level " + std::to_string(level + 1);
      add_level_fits(level, at);
      is_signs() ? add_sign_fits(level, at) : add_category_fits(level, at);
    }
  }

  void add_level_fits(std::size_t level, const std::string& at) {
    const auto& response = plan_.tables().level_response;
    if (!estimator_.reported_level(0)) return;
    for (std::size_t index = 0; index < estimator_.cases(); ++index) {
      const std::int32_t reported = *estimator_.reported_level(index);
      const double chance = response ? response->probability(static_cast<std::uint32_t>(level) + 1, reported)
                                     : static_cast<double>(reported == static_cast<std::int32_t>(level) + 1);
      std::uint64_t hits = 0;
      for (const Tally& one : tallies_[level]) {
        for (std::size_t outcome = 0; outcome < outcomes_; ++outcome) hits += one.key(index * outcomes_ + outcome);
      }
      add_fit("reported level " + std::to_string(reported) + at, hits, options_.trials * inputs_.size(), chance);
    }
  }

  void add_sign_fits(std::size_t level, const std::string& at) {
    const ldp::PlanLevel& entry = plan_.levels()[level];
    const double gain = ldp::SignBits::gain(entry.entry, plan_.tables().shape(entry));
    const auto plus_chance = [&](double x) { return (1 + x * gain) / 2; };
    for (std::size_t input = 0; input < inputs_.size(); ++input) {
      const Tally& one = tally(level, input);
      const double plus = plus_chance(inputs_[input].x);
      // Signs are independent given the input, whatever was reported as level and whichever columns were drawn.
      std::uint64_t all = 0;
      std::vector<std::uint64_t> by_number(entry.sampled + 1, 0);
      for (std::size_t index = 0; index < estimator_.cases(); ++index) {
        std::uint64_t reports = 0;
        std::uint64_t pluses = 0;
        for (std::size_t number = 0; number <= entry.sampled; ++number) {
          reports += one.key(index * outcomes_ + number);
          pluses += number * one.key(index * outcomes_ + number);
          by_number[number] += one.key(index * outcomes_ + number);
        }
        all += pluses;
        if (estimator_.cases() > 1 && input < 2) {
          add_fit("plus, " + inputs_[input].name + ", reported level " +
                      std::to_string(*estimator_.reported_level(index)) + at,
                  pluses, reports * entry.sampled, plus);
        }
      }
      add_fit("plus, " + inputs_[input].name + at, all, options_.trials * entry.sampled, plus);
      if (input == 0) {
        const binomial_distribution<double> numbers(entry.sampled, plus);
        for (std::size_t number = 0; number <= entry.sampled && entry.sampled > 1; ++number) {
          add_fit(std::to_string(number) + " plus" + at, by_number[number], options_.trials,
                  boost::math::pdf(numbers, static_cast<double>(number)));
        }
        for (std::uint32_t block = 0; block < blocks_; ++block) {
          add_fit("plus, columns block " + std::to_string(block + 1) + at, one.block_plus[block],
                  one.block_columns[block], plus);
        }
      }
    }
    for (std::uint32_t block = 0; block < blocks_; ++block) {
      std::uint64_t hits = 0;
      for (const Tally& one : tallies_[level]) hits += one.block_hits[block];
      // 1 - C(d - size, m) / C(d, m)
      double miss = 1;
      const double dim = plan_.schema().dim();
      for (std::uint32_t i = 0; i < entry.sampled; ++i) miss *= std::max(0.0, dim - block_size(block) - i) / (dim - i);
      add_fit("columns block " + std::to_string(block + 1) + at, hits, options_.trials * inputs_.size(), 1 - miss);
    }
  }

  void add_category_fits(std::size_t level, const std::string& at) {
    const ldp::PlanLevel& entry = plan_.levels()[level];
    const double classes = plan_.classes();
    const double kept = std::ldexp(static_cast<double>(entry.entry), -random::kThresholdBits);
    const auto weight = [&](bool same) { return same ? kept : (1 - kept) / (classes - 1); };
    for (std::size_t input = 0; input < inputs_.size(); ++input) {
      const double chances[] = {weight(inputs_[input].x == 0), weight(inputs_[input].x == classes - 1)};
      for (std::size_t index = 0; index < estimator_.cases(); ++index) {
        std::uint64_t reports = 0;
        for (std::size_t outcome = 0; outcome < 3; ++outcome)
          reports += tally(level, input).key(index * outcomes_ + outcome);
        for (const std::size_t outcome : {0u, 1u}) {
          add_fit((outcome == 0 ? "first class, " : "last class, ") + inputs_[input].name + ", case " +
                      std::to_string(index + 1) + at,
                  tally(level, input).key(index * outcomes_ + outcome), reports, chances[outcome]);
        }
      }
    }
  }

  // Now that the number of checks is known, each gets its share of alpha.
  void settle() {
    result_.alpha = options_.alpha;
    result_.alpha_per_check = options_.alpha / static_cast<double>(result_.checks.size());
    for (const Counts& counts : losses_) {
      Check& check = result_.checks[counts.check];
      const double half = result_.alpha_per_check / 2;
      const double low = binomial_distribution<>::find_lower_bound_on_p(counts.trials, counts.first, half);
      const double high = binomial_distribution<>::find_upper_bound_on_p(counts.trials, counts.second, half);
      check.found = low > 0 ? std::max(0.0, std::log(low / high)) : 0;
      check.passed = check.found <= check.claim;
    }
    for (Check& check : result_.checks) {
      if (check.kind == Check::Kind::fit) check.passed = check.p_value >= result_.alpha_per_check;
    }
  }

  const Plan& plan_;
  const ReportSource& source_;
  const FalsifierOptions& options_;
  ldp::Estimator estimator_;
  std::vector<Input> inputs_;
  std::uint32_t most_sampled_ = 0;
  std::size_t outcomes_ = 0;
  std::uint32_t blocks_ = 0;
  std::vector<std::vector<Tally>> tallies_;  // by level, then input
  std::vector<Counts> losses_;
  FalsifierResult result_;
};

// A device of the product: its bytes, read back as the server does.
Result<ReportSource> make_client(const Plan& plan) {
  Result<client::Client> made = client::Client::make(plan.text());
  if (!made) return made.error();
  const auto device = std::make_shared<client::Client>(std::move(made).value());
  return ReportSource([device, &plan](Level level, const Row& row) -> Result<Report> {
    const Result<std::vector<std::uint8_t>> bytes = device->report(level, row, 0);
    if (!bytes) return bytes.error();
    return wire::decode(plan, *bytes);
  });
}

}  // namespace

bool FalsifierResult::falsified() const noexcept {
  return std::any_of(checks.begin(), checks.end(), [](const Check& check) { return !check.passed; });
}

Result<FalsifierResult> falsify(const Plan& plan, const ReportSource& source, const FalsifierOptions& options) {
  for (const ldp::ColumnGroup& group : plan.schema().groups()) {
    const auto as_float = [](double value) { return static_cast<double>(static_cast<float>(value)); };
    const double middle = group.low + (group.high - group.low) / 2;
    const double width = as_float(group.high) - as_float(group.low);
    const bool held = std::abs(2 * (as_float(middle) - as_float(group.low)) - width) <= 1e-6 * width &&
                      std::abs(width - (group.high - group.low)) <= 1e-6 * width;
    if (plan.kind() == ReportKind::signs && !held) {
      return Error{ErrorCode::invalid_argument, "schema: the range of column '" + group.name +
                                                    "' is too narrow for 32-bit values; it cannot be tested"};
    }
  }
  if (options.trials < 100 || options.trials > 1000000000) {
    return Error{ErrorCode::invalid_argument,
                 "trials: must be between 100 and 1000000000, but is " + std::to_string(options.trials)};
  }
  if (!(options.alpha >= 1e-12 && options.alpha <= .1)) {
    return Error{ErrorCode::invalid_argument,
                 "alpha: must be between 1e-12 and 0.1, but is " + format_number(options.alpha)};
  }
  return Falsifier(plan, source, options).run();
}

Result<bool> devices_differ(const Plan& plan, const std::function<Result<ReportSource>()>& make_device) {
  // Signs of NaN are fair coins. Of a category, two devices report the same with probability p^2 + (1 - p)^2 / (C - 1).
  double agree = .5;
  if (plan.kind() == ReportKind::category) {
    const double kept = std::ldexp(static_cast<double>(plan.levels()[0].entry), -random::kThresholdBits);
    agree = kept * kept + (1 - kept) * (1 - kept) / (plan.classes() - 1.0);
  }
  const double needed = 100 * std::log(2.0) / -std::log(agree);
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
