// Work is limited, not only requests: bytes, and tokens that are none.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "collector/http.hpp"
#include "collector/support.hpp"

namespace ppgnn::collector {
namespace {

using test::RawConnection;
using test::RunningServer;
using test::SmallCampaign;

std::string json_line(const std::string& token) {
  return R"({"token":")" + token + R"(","report":"00"})" + '\n';
}

class FailedTokens : public testing::Test {
 protected:
  FailedTokens() {
    ApiOptions options = campaign_.options();
    options.failed_a_second = .001;
    options.failed_burst = 5;
    options.exempt = {"gateway"};
    campaign_.serve(std::move(options));
  }
  Response batch(const std::string& body, const std::string& address = "here") {
    return campaign_.ask({"POST", "/v1/reports/batch", "", "application/x-ndjson", address, body});
  }
  Response question(const std::string& token, const std::string& address) {
    return campaign_.ask({"GET", "/v1/question", "Bearer " + token, "", address, ""});
  }
  SmallCampaign campaign_;
};

// Tokens are checked as they are read: what follows too many bad ones is not looked at, not even to see that it is none.
TEST_F(FailedTokens, EndTheReadingOfABatch) {
  std::string bad;
  for (int i = 0; i < 20; ++i) bad += json_line("no.token");
  const Response response = batch(bad + "no JSON at all\n");
  EXPECT_EQ(response.status, 429U) << response.body;
  EXPECT_NE(response.body.find("tokens"), std::string::npos);
  EXPECT_EQ(batch(json_line("no.token")).status, 429U);
  // From elsewhere it is read to its end.
  EXPECT_EQ(batch(json_line("no.token") + "no JSON at all\n", "there").status, 400U);
  EXPECT_EQ(batch(bad + "no JSON at all\n", "gateway").status, 400U);
}

TEST_F(FailedTokens, LeaveGoodOnesAlone) {
  for (int i = 0; i < 5; ++i) EXPECT_EQ(question("no.token", "here").status, 401U) << i;
  const Response refused = question("no.token", "here");
  EXPECT_EQ(refused.status, 429U);
  EXPECT_EQ(refused.headers.front().first, "Retry-After");
  EXPECT_EQ(campaign_.ask({"GET", "/v1/status", "Bearer no-administrator", "", "here", ""}).status, 429U);
  EXPECT_EQ(campaign_.ask({"GET", "/v1/question", "", "", "here", ""}).status, 401U) << "no token is not a wrong one";
  EXPECT_EQ(question(campaign_.token(0), "here").status, 200U);
  EXPECT_EQ(question("no.token", "there").status, 401U);
  // A batch of good tokens, and one bad among them, from the same address.
  EXPECT_EQ(batch(json_line(campaign_.token(2))).status, 200U);
  EXPECT_EQ(batch(json_line(campaign_.token(2)) + json_line("no.token")).status, 429U);
}

TEST(Bytes, AreLimitedByAddressBeforeTheyAreRead) {
  SmallCampaign campaign;
  ApiOptions options = campaign.options();
  options.bytes_a_second = 1;
  options.bytes_burst = 0;  // one batch of the largest
  campaign.serve(std::move(options));
  const RunningServer server(*campaign.api);
  const auto head = [](std::size_t size) {
    return "POST /v1/reports/batch HTTP/1.1\r\nHost: h\r\nContent-Type: application/x-ndjson\r\nContent-Length: " +
           std::to_string(size) + "\r\n\r\n";
  };
  const std::size_t half = kMostBatch / 2;
  for (int i = 0; i < 2; ++i) {
    RawConnection connection(server.port());
    connection.send(head(half));
    EXPECT_EQ(connection.drain(30), "") << "the content is waited for";
  }
  RawConnection third(server.port());
  third.send(head(half));
  const auto answer = third.receive();  // not a byte of it was sent
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 429);
  EXPECT_GT(std::stod(answer->headers.at("retry-after")), 1);
  EXPECT_EQ(answer->headers.at("connection"), "close");
  // Single reports, and small batches, are limited by their number.
  EXPECT_EQ(
      server.exchange(test::request_text("POST", "/v1/reports/batch", "", "application/x-ndjson", json_line("a")))
          ->status,
      200);
  EXPECT_EQ(RawConnection(server.port(), "127.0.0.1", "127.0.0.9").exchange(head(0))->status, 400) << "empty";
}

}  // namespace
}  // namespace ppgnn::collector
