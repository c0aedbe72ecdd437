// The smaller parts: batches, limits, problems, group commit.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <semaphore>
#include <set>
#include <sstream>
#include <thread>

#include "collector/support.hpp"
#include "ppgnn/collector/batch.hpp"
#include "support/cbor_batch.hpp"

namespace ppgnn::collector {
namespace {

// All items of a batch.
Result<std::vector<BatchItem>> all_of(Result<void> (*parse)(std::string_view, const TakeItem&), std::string_view body) {
  std::vector<BatchItem> items;
  const Result<void> read = parse(body, [&](BatchItem item) {
    items.push_back(std::move(item));
    return true;
  });
  if (!read) return read.error();
  return items;
}

TEST(Batch, CborComesBack) {
  std::vector<BatchItem> items{{"", {}}, {"token", {1, 2, 3}}};
  items.push_back({std::string(300, 't'), std::vector<std::uint8_t>(1000, 9)});
  items.push_back({std::string(24, 't'), std::vector<std::uint8_t>(255, 9)});
  const auto read = all_of(parse_cbor_batch, test::cbor_batch(items));
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    EXPECT_EQ((*read)[i].token, items[i].token);
    EXPECT_EQ((*read)[i].report, items[i].report);
  }
}

TEST(Batch, OtherCborIsRefused) {
  const std::string good = test::cbor_batch({{"token", {1, 2, 3}}});
  for (std::size_t length = 0; length < good.size(); ++length)
    EXPECT_FALSE(all_of(parse_cbor_batch, good.substr(0, length)));
  const auto refused = [](std::string_view bytes) { return !all_of(parse_cbor_batch, bytes); };
  EXPECT_TRUE(refused(good + '\0'));
  EXPECT_TRUE(refused("\x83\x60\x40\x40"));                           // three parts
  EXPECT_TRUE(refused("\x82\x40\x40"));                               // bytes for a token
  EXPECT_TRUE(refused("\x82\x60\x60"));                               // text for a report
  EXPECT_TRUE(refused(std::string_view("\x82\x60\x58\x01\x09", 5)));  // a longer head than it needs
  EXPECT_TRUE(refused(std::string_view("\x82\x60\x59\x00\x01\x09", 6)));
  EXPECT_TRUE(refused("\x82\x60\x5f\x41\x09\xff"));  // no definite length
  EXPECT_TRUE(refused("\x9f\x60\x40\xff"));
  EXPECT_TRUE(refused("\x82\x60\x5a\xff\xff\xff\xff"));  // long
  EXPECT_EQ(all_of(parse_cbor_batch, good + good + "\x01").error().message,
            "item 2: expected an array of token and report");
  std::string many;
  for (std::size_t i = 0; i <= kMostItems; ++i) many += good;
  EXPECT_FALSE(all_of(parse_cbor_batch, many));
}

TEST(Batch, JsonIsTwoTexts) {
  const auto read =
      all_of(parse_json_batch, "{\"token\": \"a\", \"report\": \"00ff\"}\n{\"report\":\"\",\"token\":\"b\"}");
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 2U);
  EXPECT_EQ((*read)[0].report, (std::vector<std::uint8_t>{0, 255}));
  EXPECT_EQ((*read)[1].token, "b");
  std::string deep = R"({"token":"a","report":)";
  deep += std::string(100'000, '[') + std::string(100'000, ']') + "}";
  for (const std::string& bad :
       {std::string(), std::string("\n"), std::string("{}"), std::string(R"({"token":"a"})"), deep,
        std::string(R"({"token":"a","report":"0"})"), std::string(R"({"token":"a","report":"zz"})"),
        std::string(R"({"token":"a","report":"00","report":"00"})"),
        std::string(R"({"token":"a","token":"a","report":"00"})"),
        std::string(R"({"token":"a","report":"00","more":1})"), std::string(R"({"token":1,"report":"00"})"),
        std::string(R"({"token":null,"report":"00"})"), std::string(R"({"token":{"token":"a"},"report":"00"})"),
        std::string(R"([{"token":"a","report":"00"}])"), std::string(R"({"token":"a","report":"00"} 1)"),
        std::string("{\"token\":\"\xff\",\"report\":\"00\"}"), std::string(R"("token")")}) {
    EXPECT_FALSE(all_of(parse_json_batch, bad)) << bad.substr(0, 60);
  }
}

TEST(RateLimit, AllowsBurstsAndThenARate) {
  RateLimit limit(2, 3);
  RateLimit::Clock::time_point now{};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(limit.take("a", now), 0);
  EXPECT_DOUBLE_EQ(limit.take("a", now), .5);
  EXPECT_EQ(limit.take("b", now), 0);
  now += std::chrono::milliseconds(500);
  EXPECT_EQ(limit.take("a", now), 0);
  EXPECT_GT(limit.take("a", now), 0);
  now += std::chrono::hours(1);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(limit.take("a", now), 0);
  EXPECT_GT(limit.take("a", now), 0);
}

TEST(RateLimit, ForgetsTheQuietAndStaysSmall) {
  RateLimit limit(1, 1, 100);
  RateLimit::Clock::time_point now{};
  EXPECT_EQ(limit.take("first", now), 0);
  for (int i = 0; i < 1000; ++i) {
    now += std::chrono::milliseconds(20);
    EXPECT_EQ(limit.take("n" + std::to_string(i), now), 0);
  }
  EXPECT_GT(limit.take("n999", now), 0);
  EXPECT_EQ(RateLimit(0, 0).take("a", now), 0);  // no limit
}

TEST(Problems, EachHasOneRow) {
  std::set<std::string_view> names;
  for (const ProblemRow& row : kProblems) {
    EXPECT_EQ(&row_of(row.problem), &row);
    EXPECT_TRUE(names.insert(row.name).second);
    EXPECT_GE(row.status, 400U);
  }
  EXPECT_EQ(kProblems.size(), static_cast<std::size_t>(Problem::internal) + 1);
}

// The time of day decides nothing: a clock that jumps changes nothing.
TEST(Clocks, OnlyGoOn) {
  for (const char* room : {"collector", "store"}) {
    for (const char* folder : {"src/", "include/ppgnn/"}) {
      for (const auto& file :
           std::filesystem::directory_iterator(std::filesystem::path(PPGNN_SOURCE_DIR) / folder / room)) {
        if (file.path().filename() == "now.hpp") continue;  // for people who read, and for workers who are silent
        std::stringstream text;
        text << std::ifstream(file.path()).rdbuf();
        for (const char* clock : {"system_clock", "std::time(", "gettimeofday", "CLOCK_REALTIME", "utc_clock"}) {
          EXPECT_EQ(text.str().find(clock), std::string::npos) << file.path() << " reads the time of day";
        }
      }
    }
  }
}

// A store whose disk can be made to hang or fail.
class SlowStore final : public store::Store {
 public:
  Result<std::vector<store::Outcome>> put(std::span<const store::Submission> reports) override {
    groups.push_back(reports.size());
    entered.release();
    go.acquire();
    if (full) return Error{ErrorCode::io, "the disk is full"};
    return std::vector<store::Outcome>(reports.size(), store::Outcome::stored);
  }
  std::string where() const override { return "slow"; }
  store::Promises promises() const noexcept override { return {}; }
  Result<std::optional<store::Campaign>> campaign() override { return std::optional<store::Campaign>(); }
  Result<std::uint64_t> generation() override { return std::uint64_t{0}; }
  Result<void> begin(std::string_view, std::string_view) override { return {}; }
  Result<void> enrol(std::span<const store::Person>) override { return {}; }
  Result<void> publish(std::uint32_t, const store::Round&, std::span<const store::Asked>) override { return {}; }
  Result<void> close(std::uint32_t) override { return {}; }
  Result<void> conclude(std::string_view) override { return {}; }
  Result<void> alone(const std::function<Result<void>()>& action) override { return action(); }
  Result<std::vector<std::string>> erased() override { return std::vector<std::string>(); }
  Result<std::vector<std::string>> receipts() override { return std::vector<std::string>(); }
  Result<std::optional<std::string>> predictions() override { return std::optional<std::string>(); }
  Result<void> keep(std::string_view, std::string_view) override { return {}; }
  Result<std::optional<std::string>> kept(std::string_view) override { return std::optional<std::string>(); }
  Result<void> hint(std::span<const store::Asked>) override { return {}; }
  Result<std::vector<std::uint8_t>> hint_of(std::string_view) override { return std::vector<std::uint8_t>(); }
  Result<void> each_hint(const store::TakeBytes&) override { return {}; }
  Result<std::optional<std::string>> erase(std::string_view, std::optional<std::string_view>) override {
    return std::optional<std::string>();
  }
  Result<std::vector<store::Standing>> standings(std::span<const std::string_view> names) override {
    return std::vector<store::Standing>(names.size());
  }
  Result<bool> reported(std::string_view) override { return false; }
  Result<void> each_person(const store::TakePerson&, std::optional<std::string_view>, std::size_t) override {
    return {};
  }
  Result<void> each_asked(std::uint32_t, const store::TakeBytes&) override { return {}; }
  Result<void> each_report(std::uint32_t, const store::TakeBytes&) override { return {}; }
  Result<store::Counts> counts() override { return store::Counts(); }
  Result<void> archive() override { return {}; }
  Result<std::string> remove() override { return std::string(); }
  Result<std::vector<store::Entry>> trail() override { return std::vector<store::Entry>(); }
  Result<std::uint64_t> request(std::string_view) override { return std::uint64_t{1}; }
  Result<std::optional<store::Work>> take_work() override { return std::optional<store::Work>(); }
  Result<void> tell_work(std::uint64_t, std::string_view, std::string_view) override { return {}; }
  Result<std::vector<store::Work>> work() override { return std::vector<store::Work>(); }
  Result<void> backup(const std::filesystem::path&) override { return {}; }

  std::vector<std::size_t> groups;
  std::binary_semaphore entered{0};
  std::binary_semaphore go{0};
  bool full = false;
};

std::vector<store::Submission> some(std::size_t count) {
  return std::vector<store::Submission>(count, {"a", 0, {1}});
}

TEST(Writer, GroupsWhatCameMeanwhileAndSaysNothingBefore) {
  SlowStore store;
  std::atomic<int> told = 0;
  const auto done = [&](const Result<std::vector<store::Outcome>>& outcomes) { told += outcomes ? 1 : 100; };
  {
    Writer writer(store, {.waiting = 10, .group = 6});
    ASSERT_TRUE(writer.put(some(1), done));
    store.entered.acquire();
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(writer.put(some(2), done));
    EXPECT_EQ(told, 0);
    EXPECT_FALSE(writer.put(some(3), done));  // 8 wait, 3 more are too many
    EXPECT_TRUE(writer.put(some(2), done));
    EXPECT_EQ(writer.figures().waiting, 10U);
    store.go.release();
    store.entered.acquire();  // the group of 6
    EXPECT_EQ(told, 1);
    store.full = true;
    store.go.release();
    store.entered.acquire();  // the rest
    EXPECT_EQ(told, 301);
    store.full = false;
    store.go.release();
  }
  EXPECT_EQ(told, 303);
  EXPECT_EQ(store.groups, (std::vector<std::size_t>{1, 6, 4}));
}

// Erasing and closing have places of their own: a writer in which one report may wait takes them all the same.
TEST(Writer, TasksAndReportsDoNotTakeEachOthersPlaces) {
  SlowStore store;
  std::atomic<int> done = 0;
  {
    Writer writer(store, {.waiting = 1, .group = 1, .tasks = 3});
    ASSERT_TRUE(writer.put(some(1), [&](const auto&) { ++done; }));
    store.entered.acquire();
    ASSERT_TRUE(writer.put(some(1), [&](const auto&) { ++done; }));
    EXPECT_FALSE(writer.put(some(1), [&](const auto&) { ++done; }));
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(writer.run([&] { ++done; })) << i;
    EXPECT_FALSE(writer.run([&] { ++done; })) << "theirs end too";
    store.go.release();
    store.entered.acquire();
    store.go.release();
  }
  EXPECT_EQ(done, 5);
}

TEST(Writer, TasksStandBetweenGroups) {
  test::SmallCampaign campaign;
  std::vector<int> order;
  {
    Writer writer(*campaign.store, {});
    ASSERT_TRUE(writer.put(some(1), [&](const auto&) { order.push_back(1); }));
    ASSERT_TRUE(writer.run([&] { order.push_back(2); }));
    ASSERT_TRUE(writer.put(some(1), [&](const auto&) { order.push_back(3); }));
  }
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

}  // namespace
}  // namespace ppgnn::collector
