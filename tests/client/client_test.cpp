#include "ppgnn/client/client.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>
#include <type_traits>

#include "ppgnn/wire/report_format.hpp"
#include "support/plans.hpp"

namespace ppgnn::client {
namespace {

using ldp::Level;
using ldp::Row;
using test::plan_of;

// There is one way to make a client, and it takes a plan and nothing else.
static_assert(!std::is_default_constructible_v<Client> && !std::is_copy_constructible_v<Client>);
static_assert(!std::is_constructible_v<Client, ldp::Plan> &&
              !std::is_constructible_v<Client, ldp::Plan, std::uint64_t>);
static_assert(!std::is_invocable_v<decltype(&Client::make), std::string_view, std::uint64_t>);
static_assert(
    !std::is_invocable_v<decltype(&Client::report), Client, Level, Row, std::uint64_t, random::SecureSource&>);

TEST(Client, MakesReportsThatTheServerReads) {
  const ldp::Plan plan = plan_of(test::signs_request({1, 2, 4}, 200));
  auto client = Client::make(plan.text());
  ASSERT_TRUE(client) << client.error().message;
  const std::vector<std::uint32_t> words{3, 77, 150};
  for (const std::uint32_t level : {1u, 2u, 3u}) {
    const auto bytes = client->report(Level{level}, Row::ones(words), 9);
    ASSERT_TRUE(bytes);
    const auto report = wire::decode(plan, *bytes);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->round, 9u);
    EXPECT_EQ(report->columns.size(), plan.levels()[0].sampled);
  }
}

TEST(Client, RefusesAPlanThatDoesNotHold) {
  std::string text = plan_of(test::signs_request({1, 2, 4}, 200)).text();
  EXPECT_FALSE(Client::make(text.substr(0, text.size() - 1)));
  EXPECT_FALSE(Client::make(""));
  // A forger who also fixes the hash: a budget that the entries exceed.
  text.replace(text.find("level budget 1 "), 15, "level budget 0.5 ");
  text.resize(text.rfind("sha256 "));
  text += "sha256 " + to_hex(sha256(text)) + "\n";
  const auto refused = Client::make(text);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::certificate);
}

// The level is private: the message says what is allowed, not what was given.
TEST(Client, RefusesALevelThePlanDoesNotHaveWithoutNamingIt) {
  auto client = Client::make(plan_of(test::signs_request({1, 2, 4}, 200)).text());
  for (const std::uint32_t level : {0u, 4u, 77u}) {
    const auto refused = client->report(Level{level}, Row::ones({}), 0);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message, "level: must be between 1 and 3");
  }
}

TEST(Client, TwoClientsAndTwoProcessesSendDifferentReports) {
  const std::string text = plan_of(test::signs_request({16, 32}, 100000)).text();
  auto first = Client::make(text);
  auto second = Client::make(text);
  const auto bytes = [](Client& client) { return client.report(Level{1}, Row::ones({}), 0).value(); };
  std::set<std::vector<std::uint8_t>> seen{bytes(*first), bytes(*second)};
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    const auto child = bytes(*first);
    _exit(write(ends[1], child.data(), child.size()) == static_cast<ssize_t>(child.size()) ? 0 : 1);
  }
  std::vector<std::uint8_t> child(bytes(*first).size());
  ASSERT_EQ(read(ends[0], child.data(), child.size()), static_cast<ssize_t>(child.size()));
  int status = 0;
  waitpid(pid, &status, 0);
  ASSERT_EQ(status, 0);
  close(ends[0]);
  close(ends[1]);
  seen.insert(child);
  seen.insert(bytes(*first));
  EXPECT_EQ(seen.size(), 4u);
}

}  // namespace
}  // namespace ppgnn::client
