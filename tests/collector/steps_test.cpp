// The collector while a campaign makes its steps: whatever a step has to be read of takes time, and nobody waits for it.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <semaphore>
#include <thread>

#include "collector/forwarding_store.hpp"
#include "collector/http.hpp"
#include "collector/support.hpp"

namespace ppgnn::collector {
namespace {

using test::request_text;
using test::RunningServer;
using test::SmallCampaign;

// A store in which a million people would be: reading what there is of them, or of a step, takes until somebody opens the gate.
class GatedStore final : public test::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  std::atomic<bool> people_wait = false;
  std::atomic<bool> steps_wait = false;
  std::atomic<int> read = 0;     // how often people were read
  std::atomic<int> waiting = 0;  // at the gate
  std::counting_semaphore<> gate{0};

  std::atomic<int> failures = 0;  // looks that are to fail

  Result<std::uint64_t> generation() override {
    if (failures > 0 && failures-- > 0) return Error{ErrorCode::io, "the log was cut, and put back"};
    return ForwardingStore::generation();
  }
  Result<std::optional<store::Campaign>> campaign() override {
    if (steps_wait) wait();
    return ForwardingStore::campaign();
  }
  Result<void> each_person(const store::TakePerson& take, std::optional<std::string_view> after,
                           std::size_t most) override {
    if (people_wait) wait();
    ++read;
    return ForwardingStore::each_person(take, after, most);
  }

 private:
  void wait() {
    ++waiting;
    gate.acquire();
    --waiting;
  }
};

class StepsOfACampaign : public testing::Test {
 protected:
  StepsOfACampaign() : store_(*campaign_.store) {
    api_ = std::move(Api::make(store_, campaign_.options())).value();
    ServerOptions options;
    options.look_seconds = .01;  // one thread answers: if it waits, everybody does
    server_ = std::make_unique<RunningServer>(*api_, options);
  }
  // Gives up after a while, so that a test fails and does not hang.
  template <class Condition>
  static bool soon(Condition&& condition) {
    for (int i = 0; i < 2000 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return condition();
  }
  [[nodiscard]] test::Answer get(const std::string& path) const {
    return server_->exchange(request_text("GET", path)).value_or(test::Answer{});
  }
  [[nodiscard]] int post(int person, const std::vector<std::uint8_t>& report) const {
    const auto answer = server_->exchange(
        request_text("POST", "/v1/reports", campaign_.token(person), "application/cbor", test::text_of(report)));
    return answer ? answer->status : 0;
  }

  SmallCampaign campaign_;
  GatedStore store_;
  std::unique_ptr<Api> api_;
  std::unique_ptr<RunningServer> server_;
};

TEST_F(StepsOfACampaign, NobodyWaitsWhilePeopleAreRead) {
  ASSERT_TRUE(soon([&] { return store_.read > 0; }));
  store_.people_wait = true;
  campaign_.ask();
  ASSERT_TRUE(soon([&] { return store_.waiting > 0; })) << "people of the new round are to be read";
  EXPECT_EQ(get("/healthz").status, 200);
  EXPECT_EQ(get("/v1/plan").body, campaign_.answering.text()) << "the new round is served before everybody is read";
  EXPECT_EQ(post(1, test::report_of(campaign_.answering, "p1", 1, campaign_.question, 1)), 201) << "is looked up";
  EXPECT_EQ(post(0, test::report_of(campaign_.answering, "p0", 1, campaign_.question, 1)), 403) << "taught";
  EXPECT_EQ(server_->exchange(request_text("GET", "/v1/status", test::kAdministrator))->status, 200);
  EXPECT_EQ(server_->exchange(request_text("DELETE", "/v1/reports", campaign_.token(3)))->status, 200);
  EXPECT_GT(store_.waiting, 0) << "all of that before they were read";
  store_.people_wait = false;
  store_.gate.release(100);
  EXPECT_EQ(post(5, test::report_of(campaign_.answering, "p5", 1, campaign_.question, 1)), 201);
}

TEST_F(StepsOfACampaign, TheOldStateIsServedWhileAStepIsRead) {
  store_.steps_wait = true;
  campaign_.ask();
  ASSERT_TRUE(soon([&] { return store_.waiting > 0; }));
  EXPECT_EQ(get("/healthz").status, 200);
  EXPECT_EQ(get("/v1/plan").body, campaign_.teaching.text());
  EXPECT_EQ(post(0, test::report_of(campaign_.teaching, "p0")), 409) << "the store knows that the round is closed";
  EXPECT_GT(store_.waiting, 0);
  store_.steps_wait = false;
  store_.gate.release(100);
  EXPECT_TRUE(soon([&] { return get("/v1/plan").body == campaign_.answering.text(); }));
}

// A look that failed is told once, also where the next one was good before anybody asked.
TEST_F(StepsOfACampaign, ALookThatFailedIsTold) {
  server_->stop();  // whoever asks is the test
  static_cast<void>(api_->take_trouble());
  api_ = std::move(Api::make(store_, campaign_.options())).value();
  ASSERT_TRUE(soon([&] { return store_.read > 0; }));
  EXPECT_EQ(api_->take_trouble(), "");
  store_.failures = 1'000'000;  // until somebody saw it
  const auto looks = [&](bool good) {
    api_->look();
    return api_->trouble().empty() == good;
  };
  ASSERT_TRUE(soon([&] { return looks(false); }));
  store_.failures = 0;
  ASSERT_TRUE(soon([&] { return looks(true); }));
  EXPECT_EQ(api_->take_trouble(), "the log was cut, and put back");
  EXPECT_EQ(api_->take_trouble(), "");
}

TEST_F(StepsOfACampaign, WhoIsKnownStaysKnownWhenARoundIsClosed) {
  ASSERT_TRUE(soon([&] { return store_.read > 0; }));
  const int before = store_.read;
  const auto closed = server_->exchange(request_text("POST", "/v1/rounds/0/close", test::kAdministrator));
  EXPECT_EQ(closed->status, 200);
  EXPECT_EQ(get("/v1/plan").status, 404) << "whoever is told that it is closed finds it closed";
  EXPECT_EQ(post(0, test::report_of(campaign_.teaching, "p0")), 409);
  EXPECT_EQ(store_.read, before) << "people were read again";
}

}  // namespace
}  // namespace ppgnn::collector
