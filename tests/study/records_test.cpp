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

TEST(Records, ASecondWriterIsKeptOutWhateverIsDeleted) {
  const test::TemporaryFolder folder;
  RecordStore store = RecordStore::open(folder / "a").value();
  const auto expect_kept_out = [&] {
    const Result<RecordStore> second = RecordStore::open(folder / "a");
    ASSERT_FALSE(second);
    EXPECT_NE(second.error().message.find("another process"), std::string::npos);
  };
  expect_kept_out();
  for (const auto& entry : std::filesystem::directory_iterator(folder / "a")) {
    if (entry.path().filename() != "results.jsonl") std::filesystem::remove(entry.path());
  }
  expect_kept_out();
  ASSERT_TRUE(store.append(record(0, .5)));
}

TEST(Records, NothingIsAppendedToAFileThatIsGone) {
  const test::TemporaryFolder folder;
  RecordStore store = RecordStore::open(folder / "a").value();
  ASSERT_TRUE(store.append(record(0, .5)));
  std::filesystem::remove(folder / "a" / "results.jsonl");
  EXPECT_EQ(store.append(record(1, .5)).error().code, ErrorCode::io);
  // Whoever comes now has a file of its own; the first one does not write to it.
  RecordStore second = RecordStore::open(folder / "a").value();
  ASSERT_TRUE(second.append(record(2, .5)));
  EXPECT_NE(store.append(record(3, .5)).error().message.find("removed or replaced"), std::string::npos);
  EXPECT_EQ(RecordStore::read(folder / "a")->size(), 1u);
}

TEST(Records, DamagedLinesAreSetAsideAndOtherNumericsIgnored) {
  const test::TemporaryFolder folder;
  const auto results = folder / "a" / "results.jsonl";
  test::write_content(results, R"({"numerics":0,"key":"x"})"
                               "\n");
  EXPECT_EQ(RecordStore::read(folder / "a")->size(), 0u);
  EXPECT_EQ(RecordStore::read(folder / "a")->damaged(), 0u);
  const std::string numerics = "{\"numerics\":" + std::to_string(kNumerics);
  std::string aside;
  for (const std::string& line : {std::string("nonsense"), std::string("{}"), std::string("[]"), std::string(9, '\0'),
                                  numerics + R"(,"key":5})", numerics + R"(,"key":"x","run":-1})"}) {
    std::filesystem::remove(results);
    {
      RecordStore store = RecordStore::open(folder / "a").value();
      for (std::uint64_t run = 0; run < 3; ++run) ASSERT_TRUE(store.append(record(run, .5)));
    }
    const std::string whole = test::content_of(results);
    const std::size_t second = whole.find('\n') + 1;
    const std::size_t third = whole.find('\n', second) + 1;
    test::write_content(results, whole.substr(0, second) + line + '\n' + whole.substr(third));
    EXPECT_EQ(RecordStore::read(folder / "a")->damaged(), 1u) << line;
    EXPECT_EQ(RecordStore::read(folder / "a")->size(), 2u) << "a reader changes nothing";
    {
      RecordStore store = RecordStore::open(folder / "a").value();
      EXPECT_EQ(store.damaged(), 1u);
      EXPECT_EQ(store.size(), 2u);
      EXPECT_EQ(store.find(record(1, .5).key, 1), nullptr) << "so that it is run again";
      ASSERT_TRUE(store.append(record(1, .75)));
    }
    aside += line + '\n';
    EXPECT_EQ(test::content_of(damaged_file(folder / "a")), aside);
    const RecordStore mended = RecordStore::open(folder / "a").value();
    EXPECT_EQ(mended.damaged(), 0u);
    EXPECT_EQ(mended.size(), 3u);
  }
  EXPECT_NE(RecordStore::read(folder / "none").error().message.find("there are no results"), std::string::npos);
  test::write_content(folder / "file", "");
  EXPECT_EQ(RecordStore::open(folder / "file" / "inside").error().code, ErrorCode::io);
}

TEST(Records, NamesThatAreNotUtf8ComeBack) {
  const test::TemporaryFolder folder;
  Record one = record(0, .5);
  one.setting["data"] = "data\xff/x";
  {
    RecordStore store = RecordStore::open(folder / "a").value();
    ASSERT_TRUE(store.append(one));
  }
  const RecordStore store = RecordStore::read(folder / "a").value();
  ASSERT_NE(store.find(one.key, 0), nullptr);
  EXPECT_EQ(store.find(one.key, 0)->setting, one.setting);
  EXPECT_EQ(store.key_of_setting(one.setting), one.key);
}

TEST(Records, KeysDifferByDataAndSetting) {
  const Setting a = canonical({{"method", "control"}}).value();
  const Setting b = canonical({{"method", "strict"}}).value();
  EXPECT_NE(key_of(a, {}), key_of(b, {}));
  EXPECT_NE(key_of(a, {}), key_of(a, {1}));
  EXPECT_EQ(key_of(a, {}).size(), 16u);
}

// As a version wrote it that called the method ppgnn-paper: found under its key, by the name of today.
TEST(Records, OfMethodsUnderFormerNamesAreStillThoseOfTheirSettings) {
  const Setting setting = canonical({{"method", "paper"}, {"scale", "common"}}).value();
  EXPECT_EQ(key_of(setting, {}), "0260b413ecb7855d");
  const test::TemporaryFolder folder;
  Setting former = setting;
  former["method"] = "ppgnn-paper";
  {
    RecordStore store = RecordStore::open(folder / "a").value();
    ASSERT_TRUE(store.append({key_of(setting, {}), 0, former, {{"accuracy", .5}}, 0}));
  }
  const RecordStore store = RecordStore::read(folder / "a").value();
  ASSERT_NE(store.find(key_of(setting, {}), 0), nullptr);
  EXPECT_EQ(store.find(key_of(setting, {}), 0)->setting, setting);
  EXPECT_EQ(store.key_of_setting(setting), key_of(setting, {}));
}

}  // namespace
}  // namespace ppgnn::study
