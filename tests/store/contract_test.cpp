// What every store keeps. A new one is a row in kStores.
#include "store/stores.hpp"

namespace ppgnn::store {
namespace {

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
    return true;
  }));
  EXPECT_EQ(names, (std::vector<std::string>{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}));
  // The same in pieces, each after the last of the one before.
  std::vector<std::string> pieces;
  for (std::size_t before = 1; pieces.size() != before;) {
    before = pieces.size();
    std::optional<std::string> last;
    if (!pieces.empty()) last = pieces.back();
    const auto take = [&](std::string_view name, const Standing&) { return !pieces.emplace_back(name).empty(); };
    ASSERT_TRUE(store_->each_person(take, last, 3));
    EXPECT_LE(pieces.size(), before + 3);
  }
  EXPECT_EQ(pieces, names);
}

// Counters that are kept beside what they count: whatever happens, they say what there is.
TEST_P(StoreContract, CountsAreWhatThereIs) {
  begin();
  std::uint64_t random = 7;
  const auto chance = [&](std::uint64_t below) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    return (random >> 33) % below;
  };
  const auto expect_counts = [&] {
    Counts there;
    ASSERT_TRUE(store_->each_person([&](std::string_view, const Standing& one) {
      ++there.enrolled;
      there.erased += one.erased ? 1 : 0;
      return true;
    }));
    for (std::uint32_t round = 0; round < (*store_->campaign())->rounds.size(); ++round) {
      there.reports.push_back(reports(round).size());
    }
    const Counts counted = store_->counts().value();
    EXPECT_EQ(counted.enrolled, there.enrolled);
    EXPECT_EQ(counted.erased, there.erased);
    EXPECT_EQ(counted.reports, there.reports);
  };
  for (int step = 0; step < 120; ++step) {
    const std::string name = std::to_string(chance(30));
    const auto round = static_cast<std::uint32_t>((*store_->campaign())->rounds.size());
    const std::vector<Person> people{{name, 1}, {std::to_string(chance(30)), 1 + chance(2)}};
    switch (chance(6)) {
      case 0:
        static_cast<void>(store_->enrol(people));  // some are refused: nothing is counted
        break;
      case 1:
        static_cast<void>(store_->erase(name));
        break;
      case 2:
        if (chance(6) != 0) break;
        ASSERT_TRUE(store_->close(round - 1));
        ASSERT_TRUE(store_->publish(round, {"plan " + std::to_string(round), "", true}, {}));
        break;
      default:
        ASSERT_TRUE(store_->put(std::vector<Submission>{{name, round - 1, {1}}, {people[1].name, round - 1, {2}}}));
    }
    if (step % 40 == 0) reopen();
    expect_counts();
  }
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
  ASSERT_TRUE(store_->each_person([&](std::string_view, const Standing& one) {
    left += one.erased ? 0 : 1;
    return true;
  }));
  EXPECT_EQ(left, 8);
  EXPECT_EQ(store_->counts()->erased, 2U);
  EXPECT_EQ(store_->counts()->reports, (std::vector<std::uint64_t>{1}));
  EXPECT_EQ(store_->counts()->enrolled, 10U);
}

// What is published where devices decide: texts by name, and a hint a person, which goes with an erasure.
TEST_P(StoreContract, TextsAndHintsAreKept) {
  begin();
  EXPECT_EQ(*store_->kept("model"), std::nullopt);
  const std::uint64_t before = *store_->generation();
  ASSERT_TRUE(store_->keep("model", std::string("a\0b", 3)));
  EXPECT_NE(*store_->generation(), before) << "whoever remembers the state looks again";
  ASSERT_TRUE(store_->keep("lift", ""));
  const std::vector<Asked> hints{{"0", {1, 0}}, {"2", {1, 1, 0, 1, 7}}, {"late", {1, 0}}};
  ASSERT_TRUE(store_->hint(hints));
  ASSERT_TRUE(store_->hint(std::vector<Asked>{hints[1]})) << "once more changes nothing";
  EXPECT_EQ(store_->hint(std::vector<Asked>{{"4", {1, 0}}, {"2", {1, 0}}}).error().code, ErrorCode::mismatch);
  reopen();
  EXPECT_EQ(**store_->kept("model"), std::string("a\0b", 3));
  EXPECT_EQ(**store_->kept("lift"), "");
  EXPECT_EQ(*store_->hint_of("2"), hints[1].question);
  EXPECT_TRUE(store_->hint_of("4")->empty()) << "all or nothing";
  EXPECT_TRUE(store_->hint_of("nobody")->empty());
  ASSERT_TRUE(**store_->erase("2") != "");
  EXPECT_TRUE(store_->hint_of("2")->empty());
  std::vector<std::string> names;
  ASSERT_TRUE(store_->each_hint([&](std::string_view name, std::span<const std::uint8_t> hint) {
    EXPECT_EQ(Bytes(hint.begin(), hint.end()), (Bytes{1, 0}));
    names.emplace_back(name);
    return true;
  }));
  EXPECT_EQ(names, (std::vector<std::string>{"0", "late"}));
  ASSERT_TRUE(store_->keep("model", "other"));
  EXPECT_EQ(**store_->kept("model"), "other");
}

// Of a campaign that moves here, people keep what they were given.
TEST_P(StoreContract, ReceiptsAreKept) {
  begin();
  EXPECT_EQ(put("2", 0, {3}), Outcome::stored);
  const std::string moved(32, 'a');
  EXPECT_EQ(**store_->erase("4", moved), moved);
  EXPECT_EQ(**store_->erase("4"), moved);
  const std::string other = **store_->erase("2");
  EXPECT_EQ(**store_->erase("2", moved), other);  // had one already
  EXPECT_EQ(*store_->erased(), (std::vector<std::string>{"2", "4"}));
  EXPECT_EQ(*store_->receipts(), (std::vector<std::string>{other, moved}));
}

// Whom a round is for is known also before they are enrolled.
TEST_P(StoreContract, PeopleMayBeAskedBeforeTheyAreEnrolled) {
  begin();
  ASSERT_TRUE(store_->close(0));
  const std::vector<Asked> asked{{"late", {7}}, {"1", {8, 9}}, {"", {}}};
  ASSERT_TRUE(store_->publish(1, {"plan 1", "", true}, asked));
  std::vector<std::pair<std::string, Bytes>> found;
  const auto take = [&](std::string_view name, std::span<const std::uint8_t> bytes) {
    found.emplace_back(name, Bytes(bytes.begin(), bytes.end()));
    return true;
  };
  ASSERT_TRUE(store_->each_asked(1, take));
  EXPECT_EQ(found, (std::vector<std::pair<std::string, Bytes>>{{"", {}}, {"1", {8, 9}}, {"late", {7}}}));
  EXPECT_FALSE(standing("late").enrolled);
  EXPECT_FALSE(store_->erase("late")->has_value());
  ASSERT_TRUE(store_->enrol(std::vector<Person>{{"late", 2}}));
  EXPECT_EQ(standing("late").question, (Bytes{7}));
  EXPECT_EQ(standing("late").level, 2U);
  EXPECT_EQ(store_->counts()->enrolled, 11U);
}

TEST_P(StoreContract, ABackupIsAStore) {
  begin();
  EXPECT_EQ(put("0", 0, {1, 2}), Outcome::stored);
  const auto copy = folder_.path() / "copies" / "one.db";
  if (!store_->promises().backup) {
    EXPECT_EQ(store_->backup(copy).error().code, ErrorCode::invalid_argument);
    return;
  }
  ASSERT_TRUE(store_->backup(copy));
  EXPECT_EQ(put("2", 0, {3}), Outcome::stored);
  const auto opened = open(GetParam().where(copy), Opening::existing);
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ((*opened)->counts()->reports, (std::vector<std::uint64_t>{1}));
  EXPECT_EQ((*(*opened)->campaign())->name, "spring");
  ASSERT_TRUE(store_->backup(copy));  // replaces the one before
}

INSTANTIATE_TEST_SUITE_P(Every, StoreContract, testing::ValuesIn(kStores),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(Store, OtherSpellingsAreRefused) {
  for (const char* where : {"", "sqlite:", "campaign.db", "mysql:x"}) {
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
