// What every store keeps when many write, at once or one after another.
#include <atomic>
#include <thread>

#include "store/stores.hpp"

namespace ppgnn::store {
namespace {

TEST_P(StoreContract, ManyAtOnceAreOneWriteEach) {
  begin();
  const std::vector<Submission> many{{"0", 0, {1}}, {"2", 0, {2}}, {"0", 0, {1}}, {"0", 0, {9}}, {"4", 1, {3}}};
  const auto outcomes = store_->put(many);
  ASSERT_TRUE(outcomes);
  EXPECT_EQ(*outcomes,
            (std::vector{Outcome::stored, Outcome::stored, Outcome::repeated, Outcome::differs, Outcome::closed}));
  EXPECT_EQ(store_->counts()->reports, (std::vector<std::uint64_t>{2}));
}

// More than any store reads or writes at a time, in order, until somebody has enough.
TEST_P(StoreContract, LongReadingIsCompleteAndCanStop) {
  constexpr int kPeople = 25'000;
  const auto name_of = [](int i) { return std::to_string(100'000 + i); };
  ASSERT_TRUE(store_->begin("spring", ""));
  std::vector<Person> people;
  std::vector<Asked> asked;
  std::vector<Submission> group;
  for (int i = 0; i < kPeople; ++i) {
    const int other = i * 7919 % kPeople;  // in no order
    people.push_back({name_of(other), 3});
    asked.push_back({name_of(other), {1}});
    group.push_back({name_of(other), 0, {static_cast<std::uint8_t>(other), static_cast<std::uint8_t>(other >> 8)}});
  }
  ASSERT_TRUE(store_->enrol(people));
  ASSERT_TRUE(store_->publish(0, {"plan", "", true}, asked));
  const auto outcomes = store_->put(group);
  ASSERT_TRUE(outcomes);
  EXPECT_EQ(*outcomes, std::vector(group.size(), Outcome::stored));
  const auto there = reports(0);
  ASSERT_EQ(there.size(), group.size());
  for (std::size_t i = 0; i < group.size(); ++i) {
    ASSERT_EQ(there[i], (std::pair{group[i].name, group[i].bytes})) << "the order they came";
  }
  int seen = 0;
  const auto count = [&](std::string_view name, const auto&) {
    EXPECT_EQ(name, name_of(seen));
    return ++seen < 15'000;
  };
  ASSERT_TRUE(store_->each_person(count));
  EXPECT_EQ(seen, 15'000);
  seen = 0;
  ASSERT_TRUE(store_->each_asked(0, count));
  EXPECT_EQ(seen, 15'000);
  seen = 0;
  ASSERT_TRUE(store_->each_report(0, [&](std::string_view, const auto&) { return ++seen < 3; }));
  EXPECT_EQ(seen, 3);
}

// Whoever is alone sees nothing change, and what they do is one step.
TEST_P(StoreContract, NobodyWritesBesideWhoeverIsAlone) {
  begin();
  ASSERT_TRUE(store_->close(0));
  const auto second = open(where(), Opening::existing).value();
  const std::vector<Asked> asked{{"1", {7, 8}}};
  const Result<void> refused = store_->alone([&]() -> Result<void> {
    EXPECT_TRUE(store_->publish(1, {"plan 1", "people 1", true}, asked));
    return Error{ErrorCode::mismatch, "on second thoughts"};
  });
  EXPECT_EQ(refused.error().message, "on second thoughts");
  EXPECT_EQ((*store_->campaign())->rounds.size(), 1U) << "undone";
  EXPECT_TRUE(store_->erased()->empty());

  std::atomic<bool> done = false;
  std::thread other;
  ASSERT_TRUE(store_->alone([&]() -> Result<void> {
    other = std::thread([&] {
      EXPECT_TRUE(second->erase("1").value());
      done = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    EXPECT_FALSE(done);
    EXPECT_TRUE(store_->erased()->empty());
    if (Result<void> published = store_->publish(1, {"plan 1", "people 1", true}, asked); !published) return published;
    return store_->alone([&] { return store_->conclude("node,class\n"); });  // within itself
  }));
  other.join();
  EXPECT_EQ(*store_->erased(), (std::vector<std::string>{"1"}));
  EXPECT_TRUE(standing("1").question.empty());
  EXPECT_EQ(standing("1").round, 1U);
  EXPECT_EQ(**store_->predictions(), "node,class\n");
}

// What is refused within a larger step has not happened, and the rest of that step has.
TEST_P(StoreContract, ARefusedPartLeavesNothing) {
  begin();
  EXPECT_EQ(put("0", 0, {1}), Outcome::stored);
  const std::uint64_t before = *store_->generation();
  ASSERT_TRUE(store_->alone([&]() -> Result<void> {
    if (Result<void> closed = store_->close(0); !closed) return closed;
    EXPECT_FALSE(store_->publish(1, {"plan 1", "", true}, std::vector<Asked>{{"1", {7}}, {"2", {8}}}));  // 2 was asked
    EXPECT_FALSE(store_->enrol(std::vector<Person>{{"10", 1}, {"9", 2}}));
    return {};
  }));
  EXPECT_NE(*store_->generation(), before);
  const Campaign campaign = **store_->campaign();
  ASSERT_EQ(campaign.rounds.size(), 1U);
  EXPECT_FALSE(campaign.rounds[0].open);
  EXPECT_EQ(standing("1").round, std::nullopt);
  EXPECT_EQ(store_->counts()->enrolled, 10U);
  // And a group of reports, with its count.
  ASSERT_TRUE(store_->publish(1, {"plan 1", "", true}, {}));
  EXPECT_FALSE(store_->alone([&]() -> Result<void> {
    EXPECT_EQ(put("1", 1, {1}), Outcome::stored);
    return Error{ErrorCode::mismatch, "on second thoughts"};
  }));
  EXPECT_EQ(store_->counts()->reports, (std::vector<std::uint64_t>{1, 0}));
  EXPECT_TRUE(reports(1).empty());
}

// A report that is for another round than the open one is not there for the next one of the same group.
TEST_P(StoreContract, WhatIsInAGroupComesInItsOrder) {
  begin();
  EXPECT_EQ(put("0", 0, {9}), Outcome::stored);
  const std::vector<Submission> group{{"6", 1, {1}}, {"6", 0, {2}}, {"6", 1, {2}}, {"6", 0, {3}}, {"2", 0, {5}},
                                      {"0", 0, {9}}, {"0", 1, {9}}, {"0", 0, {8}}, {"8", 1, {1}}, {"8", 1, {1}}};
  const auto outcomes = store_->put(group);
  ASSERT_TRUE(outcomes);
  EXPECT_EQ(*outcomes,
            (std::vector{Outcome::closed, Outcome::stored, Outcome::repeated, Outcome::differs, Outcome::stored,
                         Outcome::repeated, Outcome::repeated, Outcome::differs, Outcome::closed, Outcome::closed}));
  EXPECT_EQ(reports(0), (std::vector<std::pair<std::string, Bytes>>{{"0", {9}}, {"6", {2}}, {"2", {5}}}));
}

// Two writers whose groups have the same people in opposite orders do not wait for each other for ever.
TEST_P(StoreContract, OverlappingGroupsInAnyOrder) {
  constexpr int kPeople = 4'000;
  begin();
  const auto second = open(where(), Opening::existing);
  ASSERT_TRUE(second);
  std::vector<Submission> forth;
  for (int i = 0; i < kPeople; ++i) forth.push_back({"p" + std::to_string(i), 0, {1}});
  const std::vector<Submission> back(forth.rbegin(), forth.rend());
  for (int round = 0; round < 3; ++round) {
    if (round > 0) {
      ASSERT_TRUE(store_->close(static_cast<std::uint32_t>(round - 1)));
      ASSERT_TRUE(store_->publish(static_cast<std::uint32_t>(round), {"plan " + std::to_string(round), "", true}, {}));
    }
    const auto numbered = [&](std::vector<Submission> group) {
      for (Submission& one : group) {
        one.name += '-' + std::to_string(round);
        one.round = static_cast<std::uint32_t>(round);
      }
      return group;
    };
    std::atomic<int> stored = 0;
    const auto write = [&](Store& store, const std::vector<Submission>& group) {
      const auto outcomes = store.put(group);
      ASSERT_TRUE(outcomes) << outcomes.error().message;
      for (const Outcome outcome : *outcomes) {
        EXPECT_TRUE(outcome == Outcome::stored || outcome == Outcome::repeated);
        stored += outcome == Outcome::stored ? 1 : 0;
      }
    };
    std::thread other([&] { write(**second, numbered(back)); });
    write(*store_, numbered(forth));
    other.join();
    EXPECT_EQ(stored, kPeople);
    EXPECT_EQ(store_->counts()->reports.back(), static_cast<std::uint64_t>(kPeople));
  }
}

// Threads and two handles, as two processes would: every report is there once, and one of two rivals wins.
TEST_P(StoreContract, WritersAtTheSameTimeLoseNothing) {
  begin();
  std::vector<Person> people;
  for (int i = 0; i < 200; ++i) people.push_back({"p" + std::to_string(i), std::nullopt});
  ASSERT_TRUE(store_->enrol(people));
  const auto second = open(where(), Opening::existing);
  ASSERT_TRUE(second);
  std::atomic<int> stored = 0;
  std::vector<std::thread> threads;
  for (std::uint8_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      Store& store = t % 2 == 0 ? *store_ : **second;
      for (int i = 0; i < 200; i += 10) {
        std::vector<Submission> some;
        for (int k = i; k < i + 10; ++k) some.push_back({"p" + std::to_string(k), 0, {t}});
        const auto outcomes = store.put(some);
        ASSERT_TRUE(outcomes) << outcomes.error().message;
        for (const Outcome outcome : *outcomes) stored += outcome == Outcome::stored ? 1 : 0;
        std::string_view name = some.front().name;
        ASSERT_TRUE(store.standings({&name, 1})->at(0).enrolled);
        ASSERT_TRUE(*store.reported(name));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(stored, 200);
  EXPECT_EQ(reports(0).size(), 200U);
}

}  // namespace
}  // namespace ppgnn::store
