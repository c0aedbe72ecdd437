#include "ppgnn/study/records.hpp"

#include <gtest/gtest.h>

#include "ppgnn/core/version.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::study {
namespace {

Record record(std::uint64_t run, double accuracy) {
  const Setting setting = canonical({{"method", "control"}}).value();
  return {key_of(setting, {}), run, setting, {{"accuracy", accuracy}}, .5};
}

TEST(Records, AreThereAfterReopening) {
  const test::TemporaryFolder folder;
  const Record first = record(0, .25);
  {
    RecordStore store = RecordStore::open(folder / "a").value();
    ASSERT_TRUE(store.append(first));
    ASSERT_TRUE(store.append(record(1, .75)));
  }
  const RecordStore store = RecordStore::read(folder / "a").value();
  EXPECT_EQ(store.size(), 2u);
  ASSERT_NE(store.find(first.key, 1), nullptr);
  EXPECT_EQ(store.find(first.key, 1)->metrics.at("accuracy"), .75);
  EXPECT_EQ(store.find(first.key, 1)->setting, first.setting);
  EXPECT_EQ(store.find(first.key, 2), nullptr);
  EXPECT_TRUE(store.find(first.key, 0)->made_by.starts_with(version())) << store.find(first.key, 0)->made_by;
  EXPECT_EQ(store.key_of_setting(first.setting), first.key);
}

TEST(Records, SayWhenTheDataChangedBetweenThem) {
  const test::TemporaryFolder folder;
  RecordStore store = RecordStore::open(folder / "a").value();
  Record one = record(0, .5);
  ASSERT_TRUE(store.append(one));  // of a version that did not say
  one.data = "0000000000000000";
  one.run = 1;
  ASSERT_TRUE(store.append(one));
  Record elsewhere = one;
  elsewhere.setting["data"] = "other";
  elsewhere.data = "2222222222222222";
  elsewhere.key = "k";
  ASSERT_TRUE(store.append(elsewhere));
  EXPECT_TRUE(store.mixed_data().empty());
  one.data = "1111111111111111";
  one.key = key_of(one.setting, sha256("changed"));  // what is looked at now
  ASSERT_TRUE(store.append(one));
  EXPECT_EQ(store.mixed_data(), (std::set<std::string>{value_of(one.setting, "data")}));
}

TEST(Records, WhatAKilledProcessLeftOfALineIsDropped) {
  const test::TemporaryFolder folder;
  {
    RecordStore store = RecordStore::open(folder / "a").value();
    ASSERT_TRUE(store.append(record(0, .25)));
    ASSERT_TRUE(store.append(record(1, .75)));
  }
  const std::string whole = test::content_of(folder / "a" / "results.jsonl");
  const std::size_t first = whole.find('\n') + 1;
  for (std::size_t cut = first; cut < whole.size(); ++cut) {
    test::write_content(folder / "a" / "results.jsonl", whole.substr(0, cut));
    RecordStore store = RecordStore::open(folder / "a").value();
    EXPECT_EQ(store.size(), 1u);
    ASSERT_TRUE(store.append(record(1, .75)));
    EXPECT_EQ(test::content_of(folder / "a" / "results.jsonl"), whole) << cut;
  }
}

TEST(Records, ASecondWriterIsKeptOut) {
  const test::TemporaryFolder folder;
  const RecordStore store = RecordStore::open(folder / "a").value();
  const Result<RecordStore> second = RecordStore::open(folder / "a");
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("another process"), std::string::npos);
}

TEST(Records, DamageIsNamedByLineAndOtherNumericsIgnored) {
  const test::TemporaryFolder folder;
  test::write_content(folder / "a" / "results.jsonl", R"({"numerics":0,"key":"x"})"
                                                      "\n");
  EXPECT_EQ(RecordStore::read(folder / "a")->size(), 0u);
  const std::string numerics = "{\"numerics\":" + std::to_string(kNumerics);
  for (const std::string& line : {std::string("nonsense"), std::string("{}"), std::string("[]"),
                                  numerics + R"(,"key":5})", numerics + R"(,"key":"x","run":-1})"}) {
    test::write_content(folder / "a" / "results.jsonl", R"({"numerics":0})"
                                                        "\n" +
                                                            line + "\n");
    const Result<RecordStore> store = RecordStore::read(folder / "a");
    ASSERT_FALSE(store) << line;
    EXPECT_NE(store.error().message.find("results.jsonl:2: not a record"), std::string::npos) << store.error().message;
  }
  EXPECT_NE(RecordStore::read(folder / "none").error().message.find("there are no results"), std::string::npos);
  test::write_content(folder / "file", "");
  EXPECT_EQ(RecordStore::open(folder / "file" / "inside").error().code, ErrorCode::io);
}

TEST(Records, KeysDifferByDataAndSetting) {
  const Setting a = canonical({{"method", "control"}}).value();
  const Setting b = canonical({{"method", "ppgnn"}}).value();
  EXPECT_NE(key_of(a, {}), key_of(b, {}));
  EXPECT_NE(key_of(a, {}), key_of(a, {1}));
  EXPECT_EQ(key_of(a, {}).size(), 16u);
}

}  // namespace
}  // namespace ppgnn::study
