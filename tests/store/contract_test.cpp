// What every store keeps. A new one is a row in kStores.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ppgnn/store/store.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::store {
namespace {

struct StoreRow {
  const char* name;
  std::string (*where)(const std::filesystem::path& path);  // the store at this path, or called so
};
const StoreRow kStores[] = {
    {"sqlite", [](const std::filesystem::path& path) { return "sqlite:" + path.string(); }},
};

using Bytes = std::vector<std::uint8_t>;

class StoreContract : public testing::TestWithParam<StoreRow> {
 protected:
  void SetUp() override { reopen(); }
  void reopen() {
    store_.reset();
    auto opened = open(where(), Opening::create);
    ASSERT_TRUE(opened) << opened.error().message;
    store_ = std::move(opened).value();
  }
  [[nodiscard]] std::string where() const { return GetParam().where(folder_ / "campaign.db"); }
  // A campaign with people 0 .. 9, of whom even ones are for round 0.
  void begin() {
    ASSERT_TRUE(store_->begin("spring", "node,part\n"));
    std::vector<Person> people;
    std::vector<Asked> asked;
    for (int i = 0; i < 10; ++i) {
      people.push_back({std::to_string(i), 1 + i % 3});
      if (i % 2 == 0) asked.push_back({std::to_string(i), {}});
    }
    ASSERT_TRUE(store_->enrol(people));
    ASSERT_TRUE(store_->publish(0, {"plan 0", "people 0", true}, asked));
  }
  Outcome put(const std::string& name, std::uint32_t round, Bytes bytes) {
    const Submission one{name, round, std::move(bytes)};
    const auto outcomes = store_->put({&one, 1});
    EXPECT_TRUE(outcomes) << outcomes.error().message;
    return outcomes ? outcomes->at(0) : Outcome::closed;
  }
  Standing standing(std::string_view name) {
    const auto found = store_->standings({&name, 1});
    EXPECT_TRUE(found);
    return found ? found->at(0) : Standing{};
  }
  std::vector<std::pair<std::string, Bytes>> reports(std::uint32_t round) {
    std::vector<std::pair<std::string, Bytes>> all;
    EXPECT_TRUE(store_->each_report(round, [&](std::string_view name, std::span<const std::uint8_t> bytes) {
      all.emplace_back(name, Bytes(bytes.begin(), bytes.end()));
    }));
    return all;
  }

  test::TemporaryFolder folder_;
  std::unique_ptr<Store> store_;
};

TEST_P(StoreContract, IsEmptyAtFirst) {
  EXPECT_FALSE(store_->campaign()->has_value());
  EXPECT_EQ(*store_->generation(), 0U);
  EXPECT_FALSE(store_->predictions()->has_value());
  EXPECT_FALSE(standing("0").enrolled);
  EXPECT_FALSE(store_->erase("0")->has_value());
  EXPECT_FALSE(store_->close(0));
  EXPECT_EQ(put("0", 0, {1}), Outcome::closed);
}

TEST_P(StoreContract, StepsAreMadeOnceAndStay) {
  begin();
  begin();  // all of it again changes nothing
  EXPECT_FALSE(store_->begin("autumn", "node,part\n"));
  EXPECT_FALSE(store_->begin("spring", "node,part\n1,train\n"));
  EXPECT_FALSE(store_->publish(0, {"another plan", "", true}, {}));
  EXPECT_FALSE(store_->publish(1, {"plan 1", "", true}, {}));  // 0 is open
  ASSERT_TRUE(store_->close(0));
  ASSERT_TRUE(store_->close(0));
  EXPECT_FALSE(store_->publish(2, {"plan 2", "", true}, {}));
  const std::vector<Asked> twice{{"1", {7}}, {"2", {}}};
  EXPECT_FALSE(store_->publish(1, {"plan 1", "people 1", true}, twice));  // 2 was for round 0
  EXPECT_EQ(standing("1").round, std::nullopt);                           // and nothing of it stayed
  const std::vector<Asked> asked{{"1", {7, 0, 9}}, {"3", {}}};
  ASSERT_TRUE(store_->publish(1, {"plan 1", "people 1", true}, asked));
  ASSERT_TRUE(store_->publish(1, {"plan 1", "people 1", true}, asked));
  ASSERT_TRUE(store_->conclude("node,class\n"));
  reopen();
  const Campaign campaign = **store_->campaign();
  EXPECT_EQ(campaign.name, "spring");
  EXPECT_EQ(campaign.split, "node,part\n");
  ASSERT_EQ(campaign.rounds.size(), 2U);
  EXPECT_EQ(campaign.rounds[0].plan, "plan 0");
  EXPECT_FALSE(campaign.rounds[0].open);
  EXPECT_EQ(campaign.rounds[1].people, "people 1");
  EXPECT_TRUE(campaign.rounds[1].open);
  EXPECT_TRUE(campaign.concluded);
  EXPECT_EQ(**store_->predictions(), "node,class\n");
  EXPECT_EQ(standing("1").question, (Bytes{7, 0, 9}));
  EXPECT_EQ(standing("1").round, 1U);
  EXPECT_EQ(standing("5").round, std::nullopt);
}

TEST_P(StoreContract, EveryStepHasAnotherGeneration) {
  std::uint64_t last = *store_->generation();
  const auto moved = [&] {
    const std::uint64_t now = *store_->generation();
    EXPECT_EQ(now, (*store_->campaign())->generation);
    return std::exchange(last, now) != now;
  };
  begin();
  EXPECT_TRUE(moved());
  EXPECT_EQ(put("0", 0, {1}), Outcome::stored);
  EXPECT_FALSE(moved());
  ASSERT_TRUE(store_->close(0));
  EXPECT_TRUE(moved());
  ASSERT_TRUE(store_->publish(1, {"plan 1", "", true}, {}));
  EXPECT_TRUE(moved());
  ASSERT_TRUE(store_->conclude(""));
  EXPECT_TRUE(moved());
}

TEST_P(StoreContract, TheFirstReportWins) {
  begin();
  EXPECT_EQ(put("0", 0, {1, 2}), Outcome::stored);
  EXPECT_EQ(put("0", 0, {1, 2}), Outcome::repeated);
  EXPECT_EQ(put("0", 0, {1, 2, 3}), Outcome::differs);
  EXPECT_EQ(put("0", 0, {1}), Outcome::differs);
  EXPECT_EQ(put("2", 1, {1}), Outcome::closed);  // there is no such round
  ASSERT_TRUE(store_->close(0));
  EXPECT_EQ(put("0", 0, {1, 2}), Outcome::repeated);  // whose answer was lost may ask again
  EXPECT_EQ(put("0", 0, {1}), Outcome::differs);
  EXPECT_EQ(put("4", 0, {1}), Outcome::closed);
  reopen();
  EXPECT_EQ(reports(0), (std::vector<std::pair<std::string, Bytes>>{{"0", {1, 2}}}));
  EXPECT_TRUE(*store_->reported("0"));
  EXPECT_FALSE(*store_->reported("2"));
}

TEST_P(StoreContract, ManyAtOnceAreOneWriteEach) {
  begin();
  const std::vector<Submission> many{{"0", 0, {1}}, {"2", 0, {2}}, {"0", 0, {1}}, {"0", 0, {9}}, {"4", 1, {3}}};
  const auto outcomes = store_->put(many);
  ASSERT_TRUE(outcomes);
  EXPECT_EQ(*outcomes,
            (std::vector{Outcome::stored, Outcome::stored, Outcome::repeated, Outcome::differs, Outcome::closed}));
  EXPECT_EQ(store_->counts()->reports, (std::vector<std::uint64_t>{2}));
}

TEST_P(StoreContract, NamesAndBytesAreAnyBytes) {
  begin();
  const std::string name("\xff\0'\n", 4);
  const std::vector<Person> people{{name, std::nullopt}, {"", std::nullopt}};
  ASSERT_TRUE(store_->enrol(people));
  Bytes bytes(256);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i);
  EXPECT_EQ(put(name, 0, bytes), Outcome::stored);
  EXPECT_EQ(put("", 0, {}), Outcome::stored);
  EXPECT_EQ(reports(0), (std::vector<std::pair<std::string, Bytes>>{{name, bytes}, {"", {}}}));
  EXPECT_TRUE(*store_->reported(name));
  EXPECT_TRUE(*store_->reported(""));
  EXPECT_EQ(put("", 0, {}), Outcome::repeated);
}

TEST_P(StoreContract, LevelsAreDeclaredOnce) {
  begin();
  const std::vector<Person> another{{"9", 2}};
  EXPECT_FALSE(store_->enrol(another));
  const std::vector<Person> none{{"9", std::nullopt}};
  EXPECT_FALSE(store_->enrol(none));
  const std::vector<Person> half{{"10", 1}, {"9", 2}};
  EXPECT_FALSE(store_->enrol(half));
  EXPECT_FALSE(standing("10").enrolled);  // all or none
  EXPECT_EQ(standing("9").level, 1U);
  std::vector<std::string> names;
  ASSERT_TRUE(store_->each_person([&](std::string_view name, const Standing& one) {
    EXPECT_EQ(one.level, 1 + std::stoul(std::string(name)) % 3);
    EXPECT_TRUE(one.enrolled);
    names.emplace_back(name);
  }));
  EXPECT_EQ(names, (std::vector<std::string>{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}));
}

TEST_P(StoreContract, ErasedIsErased) {
  begin();
  EXPECT_EQ(put("0", 0, {1, 2}), Outcome::stored);
  EXPECT_EQ(put("2", 0, {3}), Outcome::stored);
  const std::string receipt = **store_->erase("0");
  EXPECT_EQ(receipt.size(), 32U);
  EXPECT_EQ(**store_->erase("0"), receipt);  // the same again
  EXPECT_NE(**store_->erase("4"), receipt);  // who has no report yet makes none any more
  reopen();
  EXPECT_EQ(put("0", 0, {1, 2}), Outcome::erased);
  EXPECT_EQ(put("0", 0, {9}), Outcome::erased);
  EXPECT_EQ(put("4", 0, {9}), Outcome::erased);
  EXPECT_EQ(reports(0), (std::vector<std::pair<std::string, Bytes>>{{"2", {3}}}));
  EXPECT_TRUE(standing("0").erased);
  EXPECT_FALSE(*store_->reported("0"));
  EXPECT_EQ(standing("0").level, std::nullopt);
  int left = 0;
  ASSERT_TRUE(store_->each_person([&](std::string_view, const Standing& one) { left += one.erased ? 0 : 1; }));
  EXPECT_EQ(left, 8);
  EXPECT_EQ(store_->counts()->erased, 2U);
  EXPECT_EQ(store_->counts()->reports, (std::vector<std::uint64_t>{1}));
  EXPECT_EQ(store_->counts()->enrolled, 10U);
}

// What was computed with somebody who was erased meanwhile does not count.
TEST_P(StoreContract, ErasuresVoidWhatWasComputedBefore) {
  begin();
  ASSERT_TRUE(store_->close(0));
  const std::uint64_t before = (*store_->campaign())->erasures;
  ASSERT_TRUE(store_->erase("0"));
  const std::vector<Asked> asked{{"1", {7, 8}}};
  EXPECT_FALSE(store_->publish(1, {"plan 1", "people 1", true}, asked, before));
  EXPECT_FALSE(store_->conclude("node,class\n", before));
  EXPECT_FALSE(store_->predictions()->has_value());
  const std::uint64_t now = (*store_->campaign())->erasures;
  EXPECT_NE(now, before);
  ASSERT_TRUE(store_->publish(1, {"plan 1", "people 1", true}, asked, now));
  ASSERT_TRUE(store_->conclude("node,class\n", now));
  EXPECT_EQ(standing("1").question, (Bytes{7, 8}));
  ASSERT_TRUE(store_->erase("1"));
  EXPECT_TRUE(standing("1").question.empty());
}

TEST_P(StoreContract, ABackupIsAStore) {
  begin();
  EXPECT_EQ(put("0", 0, {1, 2}), Outcome::stored);
  const auto copy = folder_.path() / "copies" / "one.db";
  ASSERT_TRUE(store_->backup(copy));
  EXPECT_EQ(put("2", 0, {3}), Outcome::stored);
  const auto opened = open(GetParam().where(copy), Opening::existing);
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ((*opened)->counts()->reports, (std::vector<std::uint64_t>{1}));
  EXPECT_EQ((*(*opened)->campaign())->name, "spring");
  ASSERT_TRUE(store_->backup(copy));  // replaces the one before
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

INSTANTIATE_TEST_SUITE_P(Every, StoreContract, testing::ValuesIn(kStores),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(Store, OtherSpellingsAreRefused) {
  for (const char* where : {"", "sqlite:", "campaign.db", "postgres:x"}) {
    const auto opened = open(where, Opening::create);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(file_of(where), "");
    // Every kind that there is.
    EXPECT_EQ(opened.error().message.find("store: must be "), 0U);
    for (const StoreRow& row : kStores) {
      EXPECT_NE(opened.error().message.find(std::string(row.name) + ':'), std::string::npos) << opened.error().message;
    }
  }
  EXPECT_EQ(file_of("sqlite:a/campaign.db"), "a/campaign.db");
}

}  // namespace
}  // namespace ppgnn::store
