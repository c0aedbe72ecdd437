// Several campaigns at one place, their end, what was done to them, and steps that somebody asked for.
#include <gtest/gtest.h>

#include <thread>

#include "store/stores.hpp"

namespace ppgnn::store {
namespace {

class StoreCampaigns : public StoreContract {
 protected:
  [[nodiscard]] std::string place() const { return GetParam().where(folder_ / "several"); }
  [[nodiscard]] std::unique_ptr<Store> named(const std::string& name) const {
    auto opened = open(place() + '#' + name, Opening::create);
    EXPECT_TRUE(opened) << (opened ? "" : opened.error().message);
    return opened ? std::move(opened).value() : nullptr;
  }
  // Archived, with a report of person 0 and person 2 erased.
  void end() {
    begin();
    ASSERT_EQ(put("0", 0, {1, 2}), Outcome::stored);
    ASSERT_TRUE(*store_->erase("2"));
    ASSERT_TRUE(store_->close(0));
    ASSERT_TRUE(store_->conclude("node,class\n"));
    ASSERT_TRUE(store_->keep("model", "a model"));
    ASSERT_TRUE(store_->hint(std::vector<Asked>{{"0", {1, 0}}}));
    ASSERT_TRUE(store_->archive());
  }
};

TEST_P(StoreCampaigns, OnePlaceHoldsSeveralThatShareNothing) {
  const auto spring = named("spring");
  const auto autumn = named("autumn");
  ASSERT_TRUE(spring->begin("spring", ""));
  ASSERT_TRUE(autumn->begin("autumn", ""));
  for (Store* one : {spring.get(), autumn.get()}) {
    ASSERT_TRUE(one->enrol(std::vector<Person>{{"ana", 1}}));
    ASSERT_TRUE(one->publish(0, {"plan", "", true}, {}));
  }
  ASSERT_EQ(spring->put(std::vector<Submission>{{"ana", 0, {1}}})->at(0), Outcome::stored);
  ASSERT_EQ(autumn->put(std::vector<Submission>{{"ana", 0, {2}}})->at(0), Outcome::stored);
  ASSERT_TRUE(spring->close(0));
  ASSERT_TRUE(*autumn->erase("ana"));
  EXPECT_FALSE((*spring->campaign())->rounds[0].open);
  EXPECT_TRUE((*autumn->campaign())->rounds[0].open);
  EXPECT_EQ(spring->counts()->reports[0], 1U);
  EXPECT_EQ(autumn->counts()->reports[0], 0U);
  EXPECT_EQ(autumn->counts()->erased, 1U);
  EXPECT_EQ(spring->counts()->erased, 0U);
  const auto all = campaigns(place());
  ASSERT_TRUE(all);
  EXPECT_EQ(*all, (std::vector<std::string>{place() + "#autumn", place() + "#spring"}));
  EXPECT_EQ(*campaigns(place() + "#spring"), (std::vector<std::string>{place() + "#spring"}));
  EXPECT_EQ((*open(place() + "#spring", Opening::existing).value()->campaign())->name, "spring");
  const auto which = open(place(), Opening::existing);
  ASSERT_FALSE(which);
  EXPECT_EQ(which.error().code, ErrorCode::mismatch);
  EXPECT_NE(which.error().message.find("#autumn"), std::string::npos) << which.error().message;
  EXPECT_FALSE(open(place() + "#winter", Opening::existing));
  EXPECT_FALSE(named("winter")->begin("summer", "")) << "another name than the place's";
}

TEST_P(StoreCampaigns, ManyBeginAtOnceAndEachHasAPlaceOfItsOwn) {
  ASSERT_TRUE(named("first")->begin("first", ""));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back(
        [&, i] { EXPECT_TRUE(named("c" + std::to_string(i / 2))->begin("c" + std::to_string(i / 2), "")); });
  }
  for (std::thread& one : threads) one.join();
  EXPECT_EQ(campaigns(place())->size(), 3U);
  for (const char* name : {"c0", "c1"}) EXPECT_EQ((*named(name)->campaign())->name, name);
}

TEST_P(StoreCampaigns, AnArchivedOneTakesErasuresAndNothingElse) {
  begin();
  EXPECT_FALSE(store_->archive()) << "a round is open";
  ASSERT_TRUE(store_->close(0));
  const auto before = store_->generation();
  ASSERT_TRUE(store_->archive());
  ASSERT_TRUE(store_->archive());
  EXPECT_TRUE((*store_->campaign())->archived);
  EXPECT_NE(*before, *store_->generation());
  EXPECT_FALSE(store_->enrol(std::vector<Person>{{"new", 1}}));
  EXPECT_FALSE(store_->publish(1, {"plan 1", "", true}, {}));
  EXPECT_FALSE(store_->conclude("x"));
  EXPECT_FALSE(store_->keep("model", "x"));
  EXPECT_FALSE(store_->hint(std::vector<Asked>{{"0", {1, 0}}}));
  EXPECT_FALSE(store_->request("train"));
  EXPECT_EQ(put("0", 0, {1}), Outcome::closed);
  EXPECT_TRUE(*store_->erase("0"));
  reopen();
  EXPECT_TRUE((*store_->campaign())->archived);
}

TEST_P(StoreCampaigns, OnlyAnArchivedOneIsRemoved) {
  begin();
  EXPECT_FALSE(store_->remove());
  ASSERT_TRUE(store_->close(0));
  EXPECT_FALSE(store_->remove());
  EXPECT_TRUE(standing("0").enrolled);
}

TEST_P(StoreCampaigns, RemovingLeavesNameTrailAndReceipt) {
  end();
  const auto receipt = store_->remove();
  ASSERT_TRUE(receipt) << receipt.error().message;
  EXPECT_EQ(receipt->size(), 32U);
  EXPECT_EQ(*store_->remove(), *receipt) << "again";
  reopen();
  const auto campaign = store_->campaign();
  EXPECT_EQ((*campaign)->removed, *receipt);
  EXPECT_EQ((*campaign)->name, "spring");
  EXPECT_TRUE((*campaign)->rounds.empty());
  EXPECT_TRUE((*campaign)->split.empty());
  EXPECT_FALSE((*campaign)->concluded);
  EXPECT_TRUE(reports(0).empty());
  EXPECT_FALSE(standing("0").enrolled);
  EXPECT_EQ(*store_->predictions(), std::nullopt);
  EXPECT_EQ(*store_->kept("model"), std::nullopt);
  EXPECT_TRUE(store_->hint_of("0")->empty());
  EXPECT_EQ(store_->counts()->enrolled, 0U);
  EXPECT_TRUE(store_->erased()->empty());
  EXPECT_EQ(store_->trail()->back().what, "remove " + *receipt);
}

TEST_P(StoreCampaigns, TheTrailHasEveryStepOnce) {
  store_->act_as("ana");
  begin();
  const auto receipt = store_->erase("4");
  store_->act_as("the\tserver");
  EXPECT_EQ(*store_->erase("4"), *receipt);
  ASSERT_TRUE(store_->close(0));
  ASSERT_TRUE(store_->close(0));
  ASSERT_TRUE(store_->keep("model", "a model"));
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(store_->hint(std::vector<Asked>{{"0", {1, 0}}, {"2", {1, 0}}}));
  EXPECT_FALSE(store_->publish(5, {"plan 5", "", true}, {})) << "what fails is not there";
  EXPECT_FALSE(store_->alone([&]() -> Result<void> {
    static_cast<void>(store_->conclude("x"));
    return Error{ErrorCode::io, "undone"};
  }));
  const auto trail = store_->trail();
  ASSERT_TRUE(trail);
  std::vector<std::string> lines;
  for (const Entry& one : *trail) lines.push_back(one.who + ": " + one.what);
  EXPECT_EQ(lines, (std::vector<std::string>{"ana: begin spring", "ana: enrol 10 people", "ana: publish round 0",
                                             "ana: erase " + **receipt, "the server: close round 0",
                                             "the server: keep model " + to_hex(sha256("a model")),
                                             "the server: hint 2 people"}));
  const auto head = check_trail(*trail, "t");
  ASSERT_TRUE(head);
  EXPECT_EQ(*head, trail->back().hash);
  EXPECT_GT(trail->front().time, 1'700'000'000);
}

TEST_P(StoreCampaigns, WhoAddsToTheTrailAtTheSameTimeDoesSoInTurn) {
  begin();
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      const auto store = open(where(), Opening::existing).value();
      for (int i = t; i < 9; i += 3) {
        const auto erased = store->erase(std::to_string(i));
        EXPECT_TRUE(erased && *erased) << (erased ? "nobody" : erased.error().message);
      }
    });
  }
  for (std::thread& one : threads) one.join();
  const auto trail = store_->trail();
  EXPECT_EQ(trail->size(), 12U);
  EXPECT_TRUE(check_trail(*trail, "t"));
}

TEST_P(StoreCampaigns, WorkIsTakenByOne) {
  begin();
  EXPECT_EQ(*store_->take_work(), std::nullopt);
  EXPECT_EQ(*store_->request("ask"), 1U);
  EXPECT_EQ(*store_->request("ask"), 1U) << "it waits already";
  EXPECT_EQ(*store_->request("train"), 2U);
  const auto one = store_->take_work();
  ASSERT_TRUE(one && *one);
  EXPECT_EQ((*one)->step, "ask");
  EXPECT_EQ((*one)->state, "working");
  EXPECT_EQ(*store_->request("ask"), 3U) << "another one, after the one that is worked on";
  EXPECT_TRUE(store_->tell_work(1, "working", "half of it"));
  EXPECT_EQ(store_->work()->at(0).progress, "half of it");
  EXPECT_EQ((*store_->take_work())->step, "train");
  EXPECT_TRUE(store_->tell_work(1, "done", ""));
  EXPECT_FALSE(store_->tell_work(1, "working", "")) << "it is done";
  EXPECT_FALSE(store_->tell_work(3, "done", "")) << "nobody took it";
  EXPECT_EQ((*store_->take_work())->number, 3U);
  EXPECT_EQ(*store_->take_work(), std::nullopt);
  const auto all = store_->work();
  ASSERT_EQ(all->size(), 3U);
  EXPECT_EQ(all->at(0).state, "done");
  EXPECT_EQ(all->at(1).state, "working");
}

INSTANTIATE_TEST_SUITE_P(Kinds, StoreCampaigns, testing::ValuesIn(kStores),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(Trail, AChangeAnywhereShows) {
  std::vector<Entry> trail;
  for (int i = 0; i < 5; ++i) {
    trail.push_back(next_entry(trail.empty() ? nullptr : &trail.back(), 1000 + i, "ana", "step " + std::to_string(i)));
  }
  const std::string text = trail_text(trail);
  const auto parsed = parse_trail({"t", text});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(trail_text(*parsed), text);
  EXPECT_EQ(*check_trail(*parsed, "t"), trail.back().hash);
  EXPECT_TRUE(check_trail({}, "t"));
  for (std::size_t i = 0; i < trail.size(); ++i) {
    const auto wrong = [&](auto change) {
      std::vector<Entry> other = trail;
      change(other);
      return !check_trail(other, "t");
    };
    EXPECT_TRUE(wrong([&](auto& all) { all[i].time += 1; }));
    EXPECT_TRUE(wrong([&](auto& all) { all[i].who += 'x'; }));
    EXPECT_TRUE(wrong([&](auto& all) { all[i].what += 'x'; }));
    EXPECT_TRUE(wrong([&](auto& all) { all[i].number += 1; }));
    if (i + 1 < trail.size()) {
      EXPECT_TRUE(wrong([&](auto& all) { all.erase(all.begin() + static_cast<std::ptrdiff_t>(i)); }));
      EXPECT_TRUE(wrong([&](auto& all) { std::swap(all[i], all[i + 1]); }));
    }
  }
  // The hash as docs/formats/trail.md says: of the one before, a line end, and the line without its hash.
  EXPECT_EQ(to_hex(trail[0].hash), to_hex(sha256(std::string(64, '0') + "\n1\t1000\tana\tstep 0")));
  for (const std::string& bad : {std::string("1\t2\ta\tb"), text.substr(0, text.size() - 1), "x" + text, text + "\n"}) {
    EXPECT_FALSE(parse_trail({"t", bad}));
  }
}

}  // namespace
}  // namespace ppgnn::store
