#include "ppgnn/ldp/planner.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "ppgnn/ldp/estimate.hpp"
#include "ppgnn/ldp/sign_bits.hpp"
#include "support/plans.hpp"

namespace ppgnn::ldp {
namespace {

using test::category_request;
using test::expect_relative;
using test::plan_of;
using test::signs_request;
using test::six_levels;

double spent_at_top(const Plan& plan) {
  return plan.certificate().features.back();
}

TEST(Planner, MeetsTheReviewsExample) {
  PlanRequest request = signs_request(six_levels(1), 1433);
  request.level_budget = 4;
  const Plan plan = plan_of(request);
  EXPECT_EQ(plan.levels().front().sampled, 3u);
  EXPECT_NEAR(spent_at_top(plan), 6.27120302958, 1e-11);
  EXPECT_NEAR(information_kept(plan.tables()), .319, 6e-4);  // the review rounds .31850 twice
}

// The review's utility table: level budget, sampled, cap, information kept.
TEST(Planner, MeetsTheReviewsUtilityTable) {
  struct Row {
    double epsilon, level_budget;
    std::uint32_t sampled;
    double cap, information;
  };
  for (const Row& row :
       {Row{.01, .01, 1, .0298, .028}, Row{.01, .04, 1, .088, .132}, Row{.1, .1, 1, .283, .056},
        Row{.1, .4, 1, .761, .227}, Row{.1, 1, 1, 1.552, .451}, Row{1, 1, 1, 2.209, .179}, Row{1, 2, 2, 3.649, .236},
        Row{1, 8, 4, 11.06, .412}, Row{2, 2, 2, 4.418, .179}, Row{2, 8, 5, 12.14, .320}, Row{3, 3, 3, 6.627, .179},
        Row{3, 12, 8, 18.4, .320}, Row{1, 512, 7, 32, .502}, Row{2, 512, 15, 64, .500}, Row{3, 512, 22, 96, .500}}) {
    PlanRequest request = signs_request(six_levels(row.epsilon), 1433);
    request.level_budget = row.level_budget;
    const Plan plan = plan_of(request);
    EXPECT_EQ(plan.levels().front().sampled, row.sampled) << row.epsilon << " " << row.level_budget;
    expect_relative(spent_at_top(plan), row.cap, 2e-3);
    EXPECT_NEAR(information_kept(plan.tables()), row.information, 6e-4);
  }
}

// The STRICT vectors: the review chooses a sample size per reported level; each is checked as a plan of that size.
TEST(Planner, MeetsTheStrictVectors) {
  struct Case {
    std::int32_t reported;
    double probability;
    std::uint32_t sampled;
    double gain, variance_per_dim, mass;
  };
  struct Vector {
    double epsilon, gamma;
    std::uint32_t radius;
    std::vector<Case> cases;
    double total;
  };
  const std::vector<Vector> vectors{
      {.01, 0, 0, {{0, 1, 1, 0.05224231874891237, 366.3997011162043, 0.002729259868262961}}, 0.002729259868262961},
      {1, 0, 0, {{0, 1, 7, 0.4671155081860491, 0.6547166535110769, 1.527378285915376}}, 1.527378285915376},
      {3, 0, 0, {{0, 1, 22, 0.4564888863211642, 0.2181307546432098, 4.584406273364208}}, 4.584406273364208},
      {1,
       .5,
       2,
       {{-1, 0.08367208917308606, 7, 0.4032842407201443, 0.8783739703652404, 1.138467251692563},
        {0, 0.09183604458654303, 7, 0.3769218590763201, 1.005539906531395, 0.9944906149468451},
        {1, 0.1000000000000000, 6, 0.3958000372276809, 1.063890885336999, 0.9399460168166013},
        {2, 0.1081639554134570, 5, 0.4467459466022937, 1.002094674461693, 0.9979097040278971},
        {3, 0.1163279108269139, 6, 0.4394917780865852, 0.8628737157364666, 1.158918138034249},
        {4, 0.1163279108269139, 8, 0.4414219579613970, 0.6415081045641868, 1.558826759763787},
        {5, 0.1081639554134570, 8, 0.4676840597367985, 0.5714850544461535, 1.749827037855147},
        {6, 0.1000000000000000, 8, 0.4882864314858128, 0.5242768730210590, 1.907389113385195},
        {7, 0.09183604458654303, 9, 0.4656431844042377, 0.5124494004758679, 1.951412176639070},
        {8, 0.08367208917308606, 9, 0.4430861233348005, 0.5659540768719061, 1.766927814226759}},
       1.411729708732836},
      {3,
       .5,
       1,
       {{0, 0.08567502051602010, 21, 0.2934560408503141, 0.5529611215265390, 1.808445406142366},
        {1, 0.1171350041032040, 14, 0.3013377337352518, 0.7866198995728741, 1.271262016817765},
        {2, 0.1485949876903879, 6, 0.5029610233250397, 0.6588401959706540, 1.517818745905027},
        {3, 0.1485949876903879, 9, 0.5670028069384711, 0.3456106150015112, 2.893429647684946},
        {4, 0.1485949876903879, 15, 0.5864707373444619, 0.1938277909921816, 5.159218886420351},
        {5, 0.1485949876903879, 27, 0.5722801414751406, 0.1130886147053308, 8.842623128823788},
        {6, 0.1171350041032040, 31, 0.5812118021770235, 0.09549254258728421, 10.47202192868577},
        {7, 0.08567502051602010, 37, 0.5177182650978103, 0.1008349997640399, 9.917191474587802}},
       5.116236736104311},
      {3,
       .9,
       0,
       {{1, 0.1666666666666667, 22, 0.1297523335090511, 2.699895562013452, 0.3703846971229687},
        {2, 0.1666666666666667, 2, 0.7113318341968009, 0.9881560049283194, 1.011985956683570},
        {3, 0.1666666666666667, 5, 0.7138662349666397, 0.3924608264058799, 2.548025007127228},
        {4, 0.1666666666666667, 11, 0.6870273227954179, 0.1926013365670295, 5.192071964941832},
        {5, 0.1666666666666667, 21, 0.6812262541279287, 0.1026119524058161, 9.745453395576554},
        {6, 0.1666666666666667, 41, 0.6549620540970083, 0.05685698999415915, 17.58798698458587}},
       6.075984667673004}};
  for (const Vector& vector : vectors) {
    double total = 0;
    for (const Case& expected : vector.cases) {
      PlanRequest request = signs_request(six_levels(vector.epsilon), 1433);
      request.level_budget = 512;  // no cap
      request.gamma = vector.gamma;
      request.shape.sampled = expected.sampled;
      const Plan plan = plan_of(request);
      const Estimator estimator(plan.tables());
      std::size_t index = 0;
      if (vector.gamma > 0) {
        ASSERT_EQ(plan.tables().level_response->radius, vector.radius);
        index = estimator.case_of(expected.reported);
        EXPECT_EQ(estimator.reported_level(index), expected.reported);
      }
      expect_relative(estimator.probability(index), expected.probability, 1e-12);
      expect_relative(estimator.gain(index), expected.gain, 1e-12);
      expect_relative(estimator.variance(index, 0) / 1433, expected.variance_per_dim, 1e-12);
      expect_relative(estimator.mass(index), expected.mass, 1e-12);
      total += estimator.probability(index) * estimator.mass(index);
    }
    expect_relative(total, vector.total, 1e-12);
  }
  // And without a given size the planner finds the same ones where there is no level report.
  for (const std::size_t i : {0u, 1u, 2u}) {
    PlanRequest request = signs_request(six_levels(vectors[i].epsilon), 1433);
    request.level_budget = 512;
    EXPECT_EQ(plan_of(request).levels()[0].sampled, vectors[i].cases[0].sampled);
  }
}

// No sample size beyond the planner's search keeps more.
TEST(Planner, FindsTheBestSampleSize) {
  for (const double epsilon : {.01, .3, 1.0, 4.0, 12.0}) {
    for (const double level_budget : {.5, 2.0, 20.0, 512.0}) {
      for (const double gamma : {0.0, 0.01}) {
        PlanRequest request = signs_request(six_levels(epsilon), 1433);
        request.level_budget = level_budget;
        request.gamma = gamma;
        const double best = Estimator(plan_of(request).tables()).expected_mass();
        for (std::uint32_t sampled = 1; sampled <= 512; sampled += 1 + sampled / 20) {
          request.shape.sampled = sampled;
          EXPECT_LE(Estimator(plan_of(request).tables()).expected_mass(), best) << epsilon << " " << level_budget;
        }
      }
    }
  }
}

TEST(Planner, PublicLevelsEachGetTheirBestSampleAndLoseNothing) {
  PlanRequest request = signs_request({1, 4, 16}, 1433);
  request.secrecy = LevelSecrecy::public_level;
  const Plan plan = plan_of(request);
  for (const PlanLevel& level : plan.levels()) {
    EXPECT_EQ(level.sampled, SignBits::best_sampled(level.budget, 1433));
  }
  EXPECT_DOUBLE_EQ(information_kept(plan.tables()), 1);
  expect_relative(plan.certificate().features.back(), 16, 1e-12);
}

TEST(Planner, DefaultLevelBudgetIsOneOrTheStrictestBudget) {
  EXPECT_EQ(plan_of(signs_request({.01, .02}, 10)).tables().level_budget, 1);
  EXPECT_EQ(plan_of(signs_request({3, 6}, 10)).tables().level_budget, 3);
}

TEST(Planner, CategoryBudgetsAreCappedAsInTheReview) {
  const Plan plan = plan_of(category_request({1, 2, 4}, 3));
  expect_relative(plan.certificate().features[0], 1, 1e-11);
  expect_relative(plan.certificate().features[1], 2, 1e-11);
  expect_relative(plan.certificate().features[2], 2.38191552452211, 1e-11);
  expect_relative(plan.certificate().level_given_features, 1, 1e-11);
}

TEST(Planner, BadInputIsRefusedByNameAndValue) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const auto problem = [](const PlanRequest& request) {
    const auto plan = make_plan(request);
    return plan ? std::string("accepted") : plan.error().message;
  };
  const auto budgets = [&](std::vector<double> list) { return problem(signs_request(std::move(list), 10)); };
  EXPECT_EQ(budgets({0, 1}), "budgets: level 1: must be between 1e-06 and 512, but is 0");
  EXPECT_EQ(budgets({-1, 1}), "budgets: level 1: must be between 1e-06 and 512, but is -1");
  EXPECT_EQ(budgets({nan, 1}), "budgets: level 1: must be between 1e-06 and 512, but is nan");
  EXPECT_EQ(budgets({1, inf}), "budgets: level 2: must be between 1e-06 and 512, but is inf");
  EXPECT_EQ(budgets({1, 513}), "budgets: level 2: must be between 1e-06 and 512, but is 513");
  EXPECT_EQ(budgets({9e-7}), "budgets: level 1: must be between 1e-06 and 512, but is 9e-07");
  EXPECT_EQ(budgets({2, 1}), "budgets: level 2: must be above level 1 (2), but is 1");
  EXPECT_EQ(budgets({2, 2}), "budgets: level 2: must be above level 1 (2), but is 2");
  EXPECT_EQ(budgets({}), "budgets: there must be at least one");

  PlanRequest request = signs_request({1, 2}, 10);
  const auto with = [&](auto&& change) {
    PlanRequest changed = request;
    change(changed);
    return problem(changed);
  };
  EXPECT_EQ(with([&](PlanRequest& r) { r.gamma = 1; }), "gamma: must be at least 0 and below 1, but is 1");
  EXPECT_EQ(with([&](PlanRequest& r) { r.gamma = -.1; }), "gamma: must be at least 0 and below 1, but is -0.1");
  EXPECT_EQ(with([&](PlanRequest& r) { r.gamma = nan; }), "gamma: must be at least 0 and below 1, but is nan");
  EXPECT_EQ(with([&](PlanRequest& r) { r.gamma = .5, r.level_budget = .5; }),
            "level_budget: must be above gamma times the strictest budget (0.5), but is 0.5");
  EXPECT_EQ(with([&](PlanRequest& r) { r.gamma = .9999999999999999; }),
            "gamma: must leave enough of the strictest budget (1) for a report (signs of features, 10 columns), but is "
            "0.9999999999999999");
  EXPECT_EQ(with([&](PlanRequest& r) { r.level_budget = 0; }), "level_budget: must be between 1e-06 and 512, but is 0");
  EXPECT_EQ(with([&](PlanRequest& r) { r.level_budget = nan; }),
            "level_budget: must be between 1e-06 and 512, but is nan");
  EXPECT_EQ(with([&](PlanRequest& r) { r.secrecy = LevelSecrecy::public_level, r.level_budget = 1; }),
            "level_budget: has no meaning where levels are public, but is 1");
  EXPECT_EQ(with([&](PlanRequest& r) { r.secrecy = LevelSecrecy::public_level, r.gamma = .5; }),
            "gamma: must be 0 where levels are public, but is 0.5");
  EXPECT_EQ(with([&](PlanRequest& r) { r.columns.clear(); }), "schema: must have at least one column (dim is 0)");
  EXPECT_EQ(with([&](PlanRequest& r) { r.prior = {1}; }), "prior: must have one entry per level (2), but has 1");
  EXPECT_EQ(with([&](PlanRequest& r) { r.prior = {.5, .6}; }), "prior: must sum to 1, but sums to 1.1");
  EXPECT_EQ(with([&](PlanRequest& r) { r.prior = {nan, .6}; }), "prior: level 1: must be between 0 and 1, but is nan");
  EXPECT_EQ(with([&](PlanRequest& r) { r.shape.sampled = 0; }), "sampled: must be between 1 and 10, but is 0");
  EXPECT_EQ(with([&](PlanRequest& r) { r.shape.sampled = 11; }), "sampled: must be between 1 and 10, but is 11");
  EXPECT_EQ(with([&](PlanRequest& r) { r.kind = ReportKind::category; }),
            "schema: a category plan has exactly one column, of kind category");
  EXPECT_EQ(with([&](PlanRequest& r) { r.budgets.assign(64, 1); }),
            "budgets: there must be 1 to 63 levels, but there are 64");

  EXPECT_EQ(doubling_budgets(nan).error().message, "epsilon: must be between 1e-06 and 512, but is nan");
  EXPECT_EQ(doubling_budgets(100).error().message,
            "epsilon: the most relaxed of 5 levels would have budget 1600, above 512; epsilon is 100");
  EXPECT_EQ(doubling_budgets(1, 0).error().message, "levels: must be between 1 and 63, but is 0");
}

TEST(Planner, DoublesFromTheStrictestBudget) {
  EXPECT_EQ(doubling_budgets(.5).value(), (std::vector<double>{.5, 1, 2, 4, 8}));
}

TEST(Planner, TheSchemaChoosesTheTeachingReport) {
  const ColumnGroup words{"word", 10, ColumnKind::binary, 0, 1, 0};
  const ColumnGroup few{"age", 9, ColumnKind::number, 0, 99, 40};
  const ColumnGroup many{"measure", 11, ColumnKind::number, 0, 1, .5};
  EXPECT_EQ(teaching_kind({words}), ReportKind::buckets);
  EXPECT_EQ(teaching_kind({words, few}), ReportKind::buckets);
  EXPECT_EQ(teaching_kind({words, many}), ReportKind::directions);
  EXPECT_EQ(teaching_kind({many}), ReportKind::directions);
  const ColumnGroup weights{"weight", 100, ColumnKind::number, 0, 1, 0};  // of words: most are absent
  EXPECT_EQ(teaching_kind({weights, many}), ReportKind::buckets);
}

}  // namespace
}  // namespace ppgnn::ldp
