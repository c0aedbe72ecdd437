#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ppgnn/store/store.hpp"
#include "support/postgres_server.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::store {

/// A kind of store, for the tests that every kind passes.
struct StoreRow {
  const char* name;
  std::string (*where)(const std::filesystem::path& path);  // the store at this path, or called so
  std::string (*missing)() = [] { return std::string(); };  // why it cannot be tried; empty: it can
};
inline const StoreRow kStores[] = {
    {"sqlite", [](const std::filesystem::path& path) { return "sqlite:" + path.string(); }},
#ifdef PPGNN_POSTGRES
    {"postgres",
     [](const std::filesystem::path& path) {
       static std::map<std::filesystem::path, std::string> made;
       if (!made.contains(path)) made[path] = "postgres:" + test::PostgresServer::shared()->new_database();
       return made[path];
     },
     test::PostgresServer::missing},
#endif
};

/// A new store of one kind; its tests stand in contract_test.cpp and contract_groups_test.cpp.
class StoreContract : public testing::TestWithParam<StoreRow> {
 protected:
  using Bytes = std::vector<std::uint8_t>;
  void SetUp() override {
    if (const std::string why = GetParam().missing(); !why.empty()) GTEST_SKIP() << why;
    reopen();
  }
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
      return true;
    }));
    return all;
  }

  test::TemporaryFolder folder_;
  std::unique_ptr<Store> store_;
};

}  // namespace ppgnn::store
