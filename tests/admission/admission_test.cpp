#include "ppgnn/admission/admission.hpp"

#include <gtest/gtest.h>

#include "ppgnn/ldp/answer_response.hpp"
#include "ppgnn/ldp/perturb.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"
#include "ppgnn/wire/report_format.hpp"
#include "support/plans.hpp"

namespace ppgnn::admission {
namespace {

std::vector<std::uint8_t> report_of(const ldp::Plan& plan, std::uint32_t level, std::uint64_t round = 0,
                                    const ldp::Question* question = nullptr) {
  const std::vector<std::uint32_t> words{1, 3};
  seeded::SeededStream bits(1, seeded::Purpose::perturb, 0);
  ldp::Report report;
  ldp::perturb(plan, ldp::Level{level}, ldp::Row::ones(words), {7, question}, bits, report);
  report.round = round;
  return wire::encode(plan, report);
}

// What is said of a report; "" where it is admitted.
std::string said(const Round& round, const Person& person, const std::vector<std::uint8_t>& bytes) {
  const Verdict verdict = admit(round, person, bytes);
  EXPECT_EQ(static_cast<bool>(verdict), verdict.why.empty());
  return verdict.why;
}

class Admission : public testing::Test {
 protected:
  Admission() {
    ldp::PlanRequest request = test::bucket_request({1, 2}, 8, 16, 2);
    secret_ = ldp::make_plan(request).value();
    request.secrecy = ldp::LevelSecrecy::public_level;
    request.level_budget.reset();
    public_ = ldp::make_plan(request).value();
  }

  std::optional<ldp::Plan> secret_;
  std::optional<ldp::Plan> public_;
};

TEST_F(Admission, AReportOfThisPlanAndRound) {
  const Round round{&*secret_, 3, true, true};
  EXPECT_EQ(said(round, {}, report_of(*secret_, 1, 3)), "");
  EXPECT_EQ(admit(round, {}, report_of(*secret_, 1, 3)).report->round, 3u);
  EXPECT_EQ(said(round, {}, report_of(*secret_, 1, 2)), "round: must be 3");
  EXPECT_EQ(admit(round, {}, report_of(*secret_, 1, 2)).reason, Reason::other_round);
  EXPECT_EQ(said({&*secret_, {}, true, true}, {}, report_of(*secret_, 1, 2)), "");
  EXPECT_NE(said(round, {}, report_of(*public_, 1, 3)), "");
  EXPECT_EQ(admit(round, {}, report_of(*public_, 1, 3)).reason, Reason::bad_report);
  EXPECT_NE(said(round, {}, {1, 2, 3}), "");
}

TEST_F(Admission, APersonWhoIsAskedAndARealDevice) {
  const auto bytes = report_of(*secret_, 1);
  EXPECT_EQ(said({&*secret_, 0, true, true}, {.asked = false}, bytes), "not asked in this round");
  EXPECT_EQ(admit({&*secret_, 0, true, true}, {.asked = false}, bytes).reason, Reason::not_asked);
  EXPECT_EQ(said({&*secret_, 0, true, false}, {}, bytes), "made from a seed, for research: it protects nobody");
  EXPECT_EQ(admit({&*secret_, 0, true, false}, {}, bytes).reason, Reason::seeded);
}

TEST_F(Admission, TheDeclaredLevelWhereLevelsArePublic) {
  const auto bytes = report_of(*public_, 2);
  EXPECT_EQ(said({&*public_, 0, true, true}, {.level = 2}, bytes), "");
  EXPECT_EQ(said({&*public_, 0, true, true}, {.level = 1}, bytes), "level: not the one that was declared");
  EXPECT_EQ(said({&*public_, 0, true, true}, {}, bytes), "level: not the one that was declared");
  EXPECT_EQ(said({&*public_, 0, false, true}, {.level = 1}, bytes), "") << "nobody was asked to declare one";
  EXPECT_EQ(said({&*secret_, 0, true, true}, {.level = 1}, report_of(*secret_, 2)), "")
      << "a private one is not looked at";
}

TEST_F(Admission, AnAnswerToThePersonsOwnQuestion) {
  const ldp::Plan plan = ldp::make_plan(test::answer_request({1, 2}, 8, 3)).value();
  const auto& model = *plan.tables().model;
  const ldp::Question own = ldp::Question::make(model, {0, 1, 2}).value();
  const ldp::Question other = ldp::Question::make(model, {2, 1, 0}).value();
  const Round round{&plan, 0, true, true};
  const auto bytes = report_of(plan, 1, 0, &own);
  EXPECT_EQ(said(round, {.question = own.digest()}, bytes), "");
  EXPECT_EQ(said(round, {.question = other.digest()}, bytes), "question: an answer to another one");
  EXPECT_EQ(said(round, {}, bytes), "question: an answer to another one");
}

}  // namespace
}  // namespace ppgnn::admission
