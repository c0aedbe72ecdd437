#include "ppgnn/server/people_list.hpp"

#include <gtest/gtest.h>

#include "support/plans.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::server {
namespace {

PeopleList list_of(std::vector<std::string> names, ldp::Role role = ldp::Role::teach) {
  return PeopleList::make("spring", role, std::move(names)).value();
}

TEST(PeopleList, ReadsBackWhatItWroteAndNothingElse) {
  const PeopleList list = list_of({"cai", "ana", "ben"});
  EXPECT_EQ(list.names(), (std::vector<std::string>{"ana", "ben", "cai"}));
  EXPECT_TRUE(list.has("ben"));
  EXPECT_FALSE(list.has("dee"));
  const auto again = PeopleList::parse({"list", list.text()});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->digest(), list.digest());
  for (std::size_t length = 0; length + 1 < list.text().size(); ++length) {
    const auto cut = PeopleList::parse({"list", list.text().substr(0, length)});
    // A list may end after any name.
    EXPECT_TRUE(!cut || cut->names().size() < 3) << length;
  }
  for (const std::string& changed :
       {list.text() + "ben\n", list.text() + "abe\n", list.text() + "\n", list.text() + "dee", "x" + list.text()}) {
    EXPECT_FALSE(PeopleList::parse({"list", changed}));
  }
}

TEST(PeopleList, TheDigestDoesNotTellWhoIsOnIt) {
  EXPECT_NE(list_of({"ana"}).digest(), list_of({"ana"}).digest());
}

TEST(PeopleList, BelongsToItsPlan) {
  const test::TemporaryFolder folder;
  const PeopleList list = list_of({"ana", "ben"});
  ldp::PlanRequest request = test::bucket_request({1, 2}, 6, 6, 2);
  request.campaign->people = list.digest();
  const ldp::Plan plan = test::plan_of(request);
  test::write_content(folder / "list", list.text());
  EXPECT_TRUE(PeopleList::read(folder / "list", plan).ok());
  test::write_content(folder / "list", list_of({"ana", "ben"}).text());
  const auto other = PeopleList::read(folder / "list", plan);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::mismatch);
}

TEST(PeopleList, NobodyHasTwoRoles) {
  const std::vector<PeopleList> apart{list_of({"ana", "ben"}), list_of({"cai"}, ldp::Role::pilot)};
  EXPECT_TRUE(check_disjoint(apart).ok());
  const std::vector<PeopleList> common{list_of({"ana", "ben"}), list_of({"cai"}, ldp::Role::pilot),
                                       list_of({"ben", "dee"}, ldp::Role::answer)};
  const auto refused = check_disjoint(common);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "people: the lists of teach and answer have somebody in common");
  EXPECT_FALSE(PeopleList::make("spring", ldp::Role::teach, {"ana", "ana"}));
  EXPECT_FALSE(PeopleList::make("spring", ldp::Role::teach, {"a\nb"}));
}

}  // namespace
}  // namespace ppgnn::server
