#include "ppgnn/store/copy.hpp"

#include "collector/forwarding_store.hpp"
#include "store/stores.hpp"

namespace ppgnn::store {
namespace {

// From every kind of store to every kind.
class Copy : public testing::TestWithParam<std::tuple<StoreRow, StoreRow>> {
 protected:
  void SetUp() override {
    for (const StoreRow& row : {std::get<0>(GetParam()), std::get<1>(GetParam())}) {
      if (const std::string why = row.missing(); !why.empty()) GTEST_SKIP() << why;
    }
    from_ = std::move(open(std::get<0>(GetParam()).where(folder_ / "from.db"), Opening::create)).value();
    to_ = std::move(open(std::get<1>(GetParam()).where(folder_ / "to.db"), Opening::create)).value();
  }
  // Two rounds, of which the second is open; names and bytes of any kind; people erased, asked and not enrolled.
  void fill() {
    ASSERT_TRUE(from_->begin("spring", std::string("node,part\n\0", 11)));
    std::vector<Person> people{{"", 4}, {std::string("\xff\0'", 3), std::nullopt}};
    std::vector<Asked> asked;
    std::vector<Submission> group;
    for (int i = 0; i < 9'000; ++i) {
      const std::string name = "p" + std::to_string(i * 7 % 9'000);
      people.push_back({name, 1 + i % 3});
      asked.push_back({name, {static_cast<std::uint8_t>(i)}});
      if (i % 2 == 0) group.push_back({name, 0, {static_cast<std::uint8_t>(i), 7}});
    }
    ASSERT_TRUE(from_->enrol(people));
    ASSERT_TRUE(from_->publish(0, {"plan 0", "people 0", true}, asked));
    ASSERT_TRUE(from_->put(group));
    ASSERT_TRUE(from_->erase("p0").value());
    ASSERT_TRUE(from_->erase("p1").value());
    ASSERT_TRUE(from_->close(0));
    ASSERT_TRUE(from_->publish(1, {"plan 1", "", true}, std::vector<Asked>{{"late", {1, 2}}}));
    ASSERT_TRUE(from_->put(std::vector<Submission>{{people[1].name, 1, {}}, {"", 1, {0, 0xff}}}));
    ASSERT_TRUE(from_->hint(std::vector<Asked>{{"p2", {1, 0}}, {"", {1, 1, 0, 1, 7}}}));
    ASSERT_TRUE(from_->keep("model", "a model"));
    ASSERT_TRUE(from_->conclude("node,class\n"));
  }

  test::TemporaryFolder folder_;
  std::unique_ptr<Store> from_;
  std::unique_ptr<Store> to_;
};

TEST_P(Copy, IsTheSame) {
  EXPECT_EQ(copy(*from_, *to_).error().code, ErrorCode::mismatch);  // there is no campaign
  fill();
  const auto copied = copy(*from_, *to_);
  ASSERT_TRUE(copied) << copied.error().message;
  EXPECT_EQ(copied->people, 9'002U);
  const auto counts = to_->counts();
  EXPECT_EQ(counts->erased, 2U);
  EXPECT_EQ(counts->reports, from_->counts()->reports);
  EXPECT_EQ(copied->reports, counts->reports[0] + counts->reports[1]);
  EXPECT_EQ(**to_->erase("p0"), **from_->erase("p0"));  // their receipts
  EXPECT_EQ(*to_->receipts(), *from_->receipts());
  EXPECT_EQ(**to_->predictions(), "node,class\n");
  EXPECT_EQ(**to_->kept("model"), "a model");
  EXPECT_EQ(*to_->hint_of(""), *from_->hint_of(""));
  EXPECT_TRUE((*to_->campaign())->rounds[1].open);
  // Once more changes nothing.
  const std::uint64_t generation = *to_->generation();
  ASSERT_TRUE(copy(*from_, *to_));
  EXPECT_EQ(*to_->generation(), generation);
}

// Fails at a later and later call: what is there then is gone on with.
TEST_P(Copy, GoesOnWhereItWasCutShort) {
  fill();
  class Failing : public test::ForwardingStore {
   public:
    Failing(Store& real, int after) : ForwardingStore(real), left_(after) {}
    Result<void> enrol(std::span<const Person> people) override {
      return fails() ? error() : ForwardingStore::enrol(people);
    }
    Result<void> publish(std::uint32_t number, const Round& round, std::span<const Asked> asked) override {
      return fails() ? error() : ForwardingStore::publish(number, round, asked);
    }
    Result<void> close(std::uint32_t number) override { return fails() ? error() : ForwardingStore::close(number); }
    Result<std::vector<Outcome>> put(std::span<const Submission> reports) override {
      if (fails()) return error();
      return ForwardingStore::put(reports);
    }
    Result<std::optional<std::string>> erase(std::string_view name, std::optional<std::string_view> receipt) override {
      if (fails()) return error();
      return ForwardingStore::erase(name, receipt);
    }

   private:
    bool fails() { return left_-- == 0; }
    static Error error() { return {ErrorCode::unavailable, "cut short"}; }
    int left_;
  };
  int after = 0;
  while (true) {
    Failing cut(*to_, after++);
    const auto copied = copy(*from_, cut);
    if (copied) break;
    ASSERT_EQ(copied.error().message, "cut short");
    ASSERT_LT(after, 30);
  }
  EXPECT_GT(after, 8);
  EXPECT_EQ(*to_->receipts(), *from_->receipts());
}

// What is not the same is said.
TEST_P(Copy, FindsWhatDiffers) {
  fill();
  ASSERT_TRUE(copy(*from_, *to_));
  ASSERT_TRUE(to_->put(std::vector<Submission>{{"somebody", 1, {1}}}));
  EXPECT_EQ(copy(*from_, *to_).error().message, to_->where() + ": does not hold the same as " + from_->where());
  ASSERT_TRUE(to_->erase("p5").value());
  ASSERT_TRUE(from_->put(std::vector<Submission>{{"p5", 1, {1}}}));
  EXPECT_EQ(copy(*from_, *to_).error().code, ErrorCode::mismatch);
}

INSTANTIATE_TEST_SUITE_P(Every, Copy, testing::Combine(testing::ValuesIn(kStores), testing::ValuesIn(kStores)),
                         [](const auto& row) {
                           return std::string(std::get<0>(row.param).name) + "_to_" + std::get<1>(row.param).name;
                         });

}  // namespace
}  // namespace ppgnn::store
