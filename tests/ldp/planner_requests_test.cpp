// Whatever is asked of the planner, the answer is a plan or a sentence about the request.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/core/number.hpp"
#include "ppgnn/ldp/mechanism.hpp"
#include "ppgnn/ldp/planner.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"
#include "support/plans.hpp"

namespace ppgnn::ldp {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kDenormal = std::numeric_limits<double>::denorm_min();

// Random requests, every field from ordinary to absurd. Each field is ordinary more often than not, or nothing but the
// first check would ever be reached.
class Requests {
 public:
  explicit Requests(std::uint64_t seed) : bits_(seed, seeded::Purpose::test, 0) {}

  PlanRequest next() {
    PlanRequest request;
    request.kind = kReportKinds[below(kReportKinds.size())];
    request.columns = columns(request.kind);
    request.secrecy = one_in(4) ? LevelSecrecy::public_level : LevelSecrecy::protected_level;
    request.budgets = budgets();
    if (request.secrecy == LevelSecrecy::protected_level ? !one_in(3) : one_in(16)) {
      request.level_budget = level_budget(request.budgets);
    }
    if (request.secrecy == LevelSecrecy::protected_level ? one_in(2) : one_in(16)) request.gamma = gamma(request);
    if (one_in(3)) request.prior = prior(request.budgets.size());
    const bool one_column = request.kind == ReportKind::category && !one_in(4);
    if (one_in(2)) request.shape.sampled = one_column ? 1 : static_cast<std::uint32_t>(below(one_in(3) ? 1001 : 5));
    if (request.kind != ReportKind::signs && request.kind != ReportKind::category) add_campaign(request);
    return request;
  }

 private:
  // What buckets, directions and answers need besides. Shapes are mostly given: to try them all takes milliseconds.
  void add_campaign(PlanRequest& request) {
    const Role role = (request.kind == ReportKind::answer) != one_in(32) ? Role::answer : Role::teach;
    if (!one_in(16)) request.campaign = test::some_campaign(role);
    if (one_in(32)) request.campaign = Campaign{"no spaces", Role::pilot, "", {}};
    if (!one_in(4)) request.gamma = 0;
    std::uint64_t dim = 0;
    for (const ColumnGroup& group : request.columns) dim += group.count;
    if ((request.kind == ReportKind::answer) != one_in(16) && dim < 2000) {
      request.model = test::small_model(static_cast<std::uint32_t>(dim), 2 + static_cast<std::uint32_t>(below(4)));
      if (one_in(8)) request.model->weights.push_back(3);
    }
    if (one_in(200)) return;
    if (!one_in(8)) request.shape.sampled = 1 + static_cast<std::uint32_t>(below(3));
    request.shape.outcomes = static_cast<std::uint32_t>(below(one_in(4) ? 70000 : 300));
    request.shape.favoured = static_cast<std::uint32_t>(below(one_in(4) ? 600 : 20));
    if (request.kind == ReportKind::answer) request.shape.outcomes = 2;
  }

  std::uint64_t below(std::uint64_t bound) { return random::below(bound, bits_); }
  bool one_in(std::uint64_t times) { return below(times) == 0; }
  double unit() { return std::ldexp(static_cast<double>(bits_.next() >> 11), -53); }
  // Between `low` and `high`, as likely to be of any magnitude.
  double magnitude(double low, double high) { return std::clamp(low * std::pow(high / low, unit()), low, high); }
  template <std::size_t N>
  double one_of(const std::array<double, N>& values) {
    return values[below(N)];
  }
  double odd() {
    return one_of(std::array{0.0, -0.0, -1.0, 1.0, 9.99e-7, 1e-6, 512.0, std::nextafter(512.0, 513.0), 1e300, kNan,
                             kInf, -kInf, kDenormal, std::numeric_limits<double>::min()});
  }

  std::vector<ColumnGroup> columns(ReportKind kind) {
    std::vector<ColumnGroup> groups(one_in(64) ? 0 : 1 + (one_in(3) ? below(4) : 0));
    if (kind == ReportKind::category && !one_in(16)) groups.resize(1);
    for (ColumnGroup& group : groups) group = column(kind);
    return groups;
  }

  ColumnGroup column(ReportKind kind) {
    ColumnGroup group;
    group.name = name();
    const bool category = (kind == ReportKind::category) != one_in(64);
    group.kind = category ? ColumnKind::category : one_in(2) ? ColumnKind::number : ColumnKind::binary;
    group.count = category && !one_in(64) ? 1
                  : one_in(32)            ? static_cast<std::uint32_t>(bits_.next())
                  : one_in(8)             ? static_cast<std::uint32_t>(below(kMaxColumns + 2))
                                          : static_cast<std::uint32_t>(below(40) + (one_in(64) ? 0 : 1));
    if (category) {
      group.high = one_in(4)    ? one_of(std::array{1.0, 2.0, 65534.0, 65535.0})
                   : one_in(32) ? one_of(std::array{65536.0, 2.5, 4294967296.0})
                                : static_cast<double>(1 + below(100));
      group.absent = std::floor(unit() * group.high);
    } else {
      group.low = one_in(4) ? -unit() * magnitude(1e-6, 1e6) : 0;
      group.high = group.low + (one_in(4) ? magnitude(1e-6, 1e6) : 1);
      group.absent = group.kind == ColumnKind::binary ? (one_in(2) ? group.low : group.high)
                                                      : group.low + unit() * (group.high - group.low);
    }
    if (one_in(64)) group.low = one_in(2) ? odd() : -1e308;
    if (one_in(64)) group.high = one_in(2) ? odd() : 1e308;
    if (one_in(64)) group.absent = odd();
    return group;
  }

  std::string name() {
    if (!one_in(16)) return "word";
    static const std::array<std::string, 10> kNames{
        "",         " ",   " a", "a ", "two words", std::string(200, 'x'), std::string(201, 'x'), "line\nbreak",
        "sha256 0", "\xff"};
    return kNames[below(kNames.size())];
  }

  std::vector<double> budgets() {
    // Many levels now and then only: a certificate compares all pairs.
    std::vector<double> list(one_in(64) ? 1 + below(70) : 1 + below(4));
    if (one_in(128)) list.clear();
    const double low = one_in(8) ? 1e-6 : magnitude(1e-6, 512);
    const double high = one_in(8) ? 512 : magnitude(low, one_in(4) ? 512 : std::min(512.0, 32 * low));
    for (double& budget : list) budget = one_in(512) ? odd() : magnitude(low, std::max(low, high));
    if (!one_in(32)) std::sort(list.begin(), list.end());
    // Neighbours that differ by one unit in the last place, or not at all.
    if (list.size() > 1 && one_in(8)) list[1] = one_in(4) ? list[0] : std::nextafter(list[0], kInf);
    return list;
  }

  double level_budget(const std::vector<double>& budgets) {
    if (one_in(32)) return odd();
    if (one_in(8) && !budgets.empty()) return budgets[0];
    return one_in(8) ? one_of(std::array{1e-6, 512.0}) : magnitude(1e-6, 512);
  }

  double gamma(const PlanRequest& request) {
    if (one_in(32)) return odd();
    if (one_in(4)) return magnitude(kDenormal, 1);
    if (one_in(4)) return 1 - magnitude(0x1p-53, 1);
    // So that next to nothing of the level budget is left.
    if (one_in(8) && request.level_budget && !request.budgets.empty()) {
      return *request.level_budget / request.budgets[0] * (1 - magnitude(0x1p-53, 1e-3));
    }
    return unit();
  }

  std::vector<double> prior(std::size_t levels) {
    std::vector<double> shares(one_in(32) ? below(70) : levels);
    double sum = 0;
    for (double& share : shares) sum += share = one_in(4) ? 0 : unit();
    for (double& share : shares) share = sum > 0 ? share / sum : 1 / static_cast<double>(shares.size());
    if (one_in(16) && !shares.empty()) shares[below(shares.size())] = odd();
    return shares;
  }

  seeded::SeededStream bits_;
};

// What the message is about; empty: something that whoever wrote the request did not write.
std::string field_of(const std::string& message) {
  static constexpr std::array<std::string_view, 5> kInternal{"certificate", "entry:", "level_response", "radius",
                                                             "made for another budget"};
  for (const std::string_view word : kInternal) {
    if (message.find(word) != std::string::npos) return {};
  }
  static constexpr std::array<std::string_view, 13> kFields{
      "schema",   "kind",     "budgets",  "level_budget", "gamma",    "prior", "sampled",
      "outcomes", "favoured", "campaign", "rule",         "question", "role"};
  for (const std::string_view field : kFields) {
    if (message.starts_with(std::string(field) + ": ")) return std::string(field);
  }
  return {};
}

std::string text_of(const PlanRequest& request) {
  std::string text = std::string(to_text(request.kind)) + ", " + std::string(to_text(request.secrecy)) + ", columns";
  for (const ColumnGroup& group : request.columns) {
    text += " " + std::to_string(group.count) + " to " + format_number(group.high);
  }
  text += ", budgets";
  for (const double budget : request.budgets) text += " " + format_number(budget);
  text += ", gamma " + format_number(request.gamma);
  if (request.level_budget) text += ", level budget " + format_number(*request.level_budget);
  if (request.shape.sampled) text += ", sampled " + std::to_string(*request.shape.sampled);
  return text;
}

TEST(PlannerRequests, EndInAPlanOrInASentenceAboutTheRequest) {
  constexpr int kRequests = 60000;
  Requests requests(1);
  std::map<std::string, int> ends;
  for (int i = 0; i < kRequests; ++i) {
    const PlanRequest request = requests.next();
    const Result<Plan> plan = make_plan(request);
    if (!plan) {
      const std::string field = field_of(plan.error().message);
      EXPECT_NE(field, "") << plan.error().message << "\n" << text_of(request);
      EXPECT_EQ(plan.error().code, ErrorCode::invalid_argument);
      ++ends[field];
      continue;
    }
    ++ends["plan"];
    EXPECT_TRUE(plan->certificate().holds()) << text_of(request);
    const Result<Plan> again = Plan::parse(plan->text());
    ASSERT_TRUE(again) << again.error().message << "\n" << text_of(request);
    EXPECT_EQ(again->text(), plan->text());
  }
  // Requests that all fail at the first check would prove nothing.
  EXPECT_GT(ends["plan"], kRequests / 3);
  for (const char* field : {"schema", "budgets", "level_budget", "gamma", "prior", "sampled"}) {
    EXPECT_GT(ends[field], kRequests / 500) << field;
  }
}

}  // namespace
}  // namespace ppgnn::ldp
