// What a person is told and asked before a report leaves, through the C interface.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ppgnn/client/ppgnn_client.h"
#include "support/memory_storage.hpp"
#include "support/plans.hpp"

namespace ppgnn::client::agreement {
namespace {

// A client of a plan for "ana", closed at the end.
struct Device {
  explicit Device(const ldp::Plan& plan) {
    EXPECT_EQ(ppgnn_open(plan.text().data(), plan.text().size(), &client, nullptr, 0), PPGNN_OK);
    EXPECT_EQ(ppgnn_set_person(client, "ana", 3), PPGNN_OK);
  }
  ~Device() { ppgnn_close(client); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  operator ppgnn_client*() const { return client; }

  ppgnn_client* client = nullptr;
};

std::string words(ppgnn_client* client, std::int32_t kind, std::uint32_t index) {
  std::string text(4096, '?');
  std::size_t size = 0;
  EXPECT_EQ(ppgnn_text(client, kind, index, text.data(), text.size(), &size), PPGNN_OK) << ppgnn_error(client);
  text.resize(size);
  return text;
}

// "account" decides alone as far as weights go; a bias, or a lead that is asked for, makes "illness" decide too.
TEST(Agreement, AQuestionNamesEveryColumnThatMayDecide) {
  const auto said = [](std::int32_t bias, const std::vector<std::uint32_t>& confident) {
    ldp::PlanRequest request = test::answer_request({1, 2}, 2, 2);
    request.columns = {{"account", 1, ldp::ColumnKind::binary, 0, 1, 0},
                       {"illness", 1, ldp::ColumnKind::binary, 0, 1, 0}};
    request.model->weights = {0, 0, 100, 0};
    request.model->biases = {0, bias};
    request.model->confident = confident;
    request.shape.outcomes = 2 * request.model->confidences();
    const ldp::Plan plan = test::plan_of(request);
    const Device device(plan);
    const auto question = ldp::Question::make(*plan.tables().model, {0, 1}).value();
    EXPECT_EQ(ppgnn_set_question(device, question.bytes().data(), question.bytes().size()), PPGNN_OK);
    const std::string text = words(device, PPGNN_TEXT_QUESTION, 1);
    return text.substr(text.find("? ") + 2);
  };
  EXPECT_EQ(said(0, {}), "1 column weighs in it: account.");
  EXPECT_EQ(said(-60, {}), "2 columns weigh in it: illness, account.");
  EXPECT_EQ(said(0, {5}), "2 columns weigh in it: account, illness.");
}

// With the usual limits and a ledger.
struct Ready : Device {
  Ready(const ldp::Plan& plan, test::MemoryStorage& storage) : Device(plan) {
    ppgnn_limits limits;
    ppgnn_default_limits(&limits);
    EXPECT_EQ(ppgnn_agree(client, &limits), PPGNN_OK) << ppgnn_error(client);
    const ppgnn_storage callbacks = storage.callbacks();
    EXPECT_EQ(ppgnn_use_ledger(client, &callbacks), PPGNN_OK) << ppgnn_error(client);
  }
};

struct Outcome {
  int code = PPGNN_OK;
  std::vector<std::uint8_t> bytes{};
};

Outcome report_of_nothing(ppgnn_client* client) {
  std::vector<std::uint8_t> bytes(4096);
  std::size_t size = 0;
  const ppgnn_features nothing{PPGNN_ONES, 0, nullptr, nullptr, 0};
  const int code = ppgnn_report(client, 1, &nothing, 0, bytes.data(), bytes.size(), &size, nullptr);
  bytes.resize(code == PPGNN_OK ? size : 0);
  return {code, bytes};
}

Outcome resend(ppgnn_client* client) {
  std::vector<std::uint8_t> bytes(4096);
  std::size_t size = 0;
  const int code = ppgnn_resend(client, bytes.data(), bytes.size(), &size);
  bytes.resize(code == PPGNN_OK ? size : 0);
  return {code, bytes};
}

std::uint32_t state_of(ppgnn_client* client) {
  ppgnn_sums sums;
  EXPECT_EQ(ppgnn_ledger_sums(client, &sums), PPGNN_OK) << ppgnn_error(client);
  return sums.state;
}

int set_recipient(ppgnn_client* client, const std::string& name) {
  return ppgnn_set_recipient(client, name.data(), name.size());
}

ldp::Plan plan_of_spring(std::vector<double> budgets) {
  return test::plan_of(test::bucket_request(std::move(budgets), 6, 6, 2));
}

TEST(Agreement, AReportGoesToItsRecipientAndToOthersWithTheWord) {
  test::MemoryStorage storage;
  const ldp::Plan plan = plan_of_spring({1, 2});
  const Ready own(plan, storage);
  ASSERT_EQ(set_recipient(own, "https://a.example"), PPGNN_OK);
  EXPECT_EQ(resend(own).code, PPGNN_NOT_THERE);
  const Outcome made = report_of_nothing(own);
  ASSERT_EQ(made.code, PPGNN_OK) << ppgnn_error(own);
  EXPECT_EQ(words(own, PPGNN_TEXT_RECIPIENT, 0), "https://a.example");
  EXPECT_EQ(ppgnn_text(own, PPGNN_TEXT_RECIPIENT, 1, nullptr, 0, nullptr), PPGNN_NOT_THERE);
  EXPECT_EQ(resend(own).bytes, made.bytes);

  const Ready other(plan, storage);
  for (const char* name : {"", "https://b.example"}) {  // at first it names nobody
    if (*name != '\0') {
      ASSERT_EQ(set_recipient(other, name), PPGNN_OK);
    }
    for (const Outcome& refused : {resend(other), report_of_nothing(other)}) {
      EXPECT_EQ(refused.code, PPGNN_NOT_PERMITTED);
      EXPECT_TRUE(refused.bytes.empty());
    }
    EXPECT_EQ(state_of(other), std::uint32_t{PPGNN_STATE_REPORTED});
  }
  ASSERT_EQ(ppgnn_permit(other, PPGNN_PERMIT_OTHER_RECIPIENT), PPGNN_OK);
  EXPECT_EQ(resend(other).bytes, made.bytes);
  EXPECT_EQ(report_of_nothing(other).bytes, made.bytes);
  ASSERT_EQ(ppgnn_permit(other, 0), PPGNN_OK);
  EXPECT_EQ(resend(other).code, PPGNN_NOT_PERMITTED);
  EXPECT_EQ(ppgnn_permit(other, 4), PPGNN_INVALID_ARGUMENT);
  EXPECT_EQ(words(other, PPGNN_TEXT_RECIPIENT, 0), "https://a.example");

  // Names that are none; the one there was stays.
  for (const std::string& name : {std::string(), std::string(256, 'a'), std::string("a\nb"), std::string("\xff")}) {
    EXPECT_EQ(set_recipient(own, name), PPGNN_INVALID_ARGUMENT);
  }
  EXPECT_EQ(ppgnn_set_recipient(own, nullptr, 3), PPGNN_INVALID_ARGUMENT);
  EXPECT_EQ(resend(own).code, PPGNN_OK);
}

// Another plan of the campaign, whoever it is for: there is a report, and it is not handed out.
TEST(Agreement, AnotherPlanOfTheCampaignGetsNeitherTheReportNorAnother) {
  test::MemoryStorage storage;
  const Ready own(plan_of_spring({1, 2}), storage);
  ASSERT_EQ(report_of_nothing(own).code, PPGNN_OK);
  const Ready other(plan_of_spring({1, 2.5}), storage);
  ASSERT_EQ(ppgnn_permit(other, PPGNN_PERMIT_OTHER_RECIPIENT | PPGNN_PERMIT_UNNAMED_AGAIN), PPGNN_OK);
  EXPECT_EQ(resend(other).code, PPGNN_REPORTED);
  EXPECT_EQ(report_of_nothing(other).code, PPGNN_REPORTED);
  EXPECT_EQ(state_of(other), std::uint32_t{PPGNN_STATE_OTHER});
  EXPECT_EQ(state_of(own), std::uint32_t{PPGNN_STATE_REPORTED});
  EXPECT_NE(words(other, PPGNN_TEXT_LEDGER, 1).find("nothing is added"), std::string::npos);
}

// A plan without campaign, and the same with a budget that is a little larger.
TEST(Agreement, AChangedPlanWithoutCampaignNeedsTheWord) {
  test::MemoryStorage storage;
  const Ready own(test::plan_of(test::signs_request({1, 2}, 20)), storage);
  ASSERT_EQ(report_of_nothing(own).code, PPGNN_OK);
  const Ready changed(test::plan_of(test::signs_request({1, 2.001}, 20)), storage);
  EXPECT_EQ(report_of_nothing(changed).code, PPGNN_NOT_PERMITTED);
  ASSERT_EQ(ppgnn_permit(changed, PPGNN_PERMIT_UNNAMED_AGAIN), PPGNN_OK);
  EXPECT_EQ(report_of_nothing(changed).code, PPGNN_OK);
  EXPECT_EQ(storage.stores, 2);
}

}  // namespace
}  // namespace ppgnn::client::agreement
