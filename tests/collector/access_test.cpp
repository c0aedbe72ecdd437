// Who may ask for what, by which token, and where it listens.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "collector/http.hpp"
#include "collector/support.hpp"

namespace ppgnn::collector {
namespace {

using test::RawConnection;
using test::request_text;
using test::RunningServer;
using test::SmallCampaign;

const std::string kMonitor = "a-secret-of-the-monitor";

TEST(Access, TheSchemeIsReadInAnyCase) {
  SmallCampaign campaign;
  campaign.serve();
  const auto status = [&](const std::string& authorization) {
    return campaign.ask({"GET", "/v1/question", authorization, "", "here", ""}).status;
  };
  for (const char* scheme : {"Bearer ", "bearer ", "BEARER ", "bEaReR   "}) {
    EXPECT_EQ(status(scheme + campaign.token(0)), 200U) << scheme;
  }
  for (const char* scheme : {"", "Bearer", "Bearer\t", "Basic ", "Bearer: ", " Bearer "}) {
    EXPECT_EQ(status(scheme + campaign.token(0)), 401U) << scheme;
  }
  EXPECT_EQ(status("Bearer "), 401U);
  EXPECT_EQ(status("Bearer"), 401U);
}

// What reads metrics reads them alone; the administrator's token does everything; and where there is no such token, nothing stands for it.
TEST(Access, MetricsHaveATokenOfTheirOwn) {
  SmallCampaign campaign;
  ApiOptions options = campaign.options();
  options.monitor = tokens::Secret(kMonitor);
  campaign.serve(options);
  const auto status = [&](const char* method, const char* target, const std::string& token) {
    return campaign.ask({method, target, token.empty() ? "" : "Bearer " + token, "", "here", ""}).status;
  };
  for (const RouteRow& row : kRoutes) {
    if (row.caller != Caller::administrator && row.caller != Caller::monitor) continue;
    SCOPED_TRACE(row.path);
    std::string target(row.path);
    if (const auto hole = target.find("{}"); hole != std::string::npos) target.replace(hole, 2, "9");
    EXPECT_EQ(status(row.method.data(), target.c_str(), kMonitor) == 401U, row.name != "metrics");
    EXPECT_NE(status(row.method.data(), target.c_str(), test::kAdministrator), 401U);
    EXPECT_EQ(status(row.method.data(), target.c_str(), ""), 401U);
  }
  options.monitor.reset();
  campaign.serve(options);
  EXPECT_EQ(status("GET", "/metrics", kMonitor), 401U);
  EXPECT_EQ(status("GET", "/metrics", test::kAdministrator), 200U);
  options.administrators.clear();
  options.monitor = tokens::Secret(kMonitor);
  campaign.serve(options);
  EXPECT_EQ(status("GET", "/metrics", kMonitor), 200U);
  EXPECT_EQ(status("GET", "/metrics", ""), 401U);
  EXPECT_EQ(status("GET", "/v1/status", kMonitor), 401U);
}

// Keys, tokens and page change between two requests of one connection, while others ask all the time: each is answered.
TEST(Access, IsRenewedWhileItAnswers) {
  SmallCampaign campaign;
  campaign.serve();
  RunningServer server(*campaign.api);
  RawConnection connection(server.port());
  const auto status = [&](const std::string& path, const std::string& token) {
    return connection.status(request_text("GET", path, token));
  };
  EXPECT_EQ(status("/v1/question", campaign.token(0)), 200);
  std::atomic<bool> over = false;
  std::atomic<int> asked = 0;
  std::atomic<int> answered = 0;
  std::thread others([&] {
    RawConnection other(server.port());
    while (!over) {
      ++asked;
      const int found = other.status(request_text("GET", "/v1/question", campaign.token(2)));
      if (found == 200 || found == 401) ++answered;
    }
  });
  for (int i = 0; i < 2000 && answered == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const tokens::Keys old = campaign.keys;
  Renewable next = campaign.options();
  next.keys = old.renewed();
  next.administrators.clear();
  next.administrators.emplace("other", "another-secret-of-the-administrator");
  next.page = "another page";
  campaign.api->renew(next);
  const std::string fresh = next.keys.token("spring", "p0");
  EXPECT_EQ(status("/v1/question", fresh), 200);
  EXPECT_EQ(status("/v1/question", old.token("spring", "p0")), 200) << "the second key is still good";
  EXPECT_EQ(status("/v1/status", test::kAdministrator), 401);
  EXPECT_EQ(status("/v1/status", "another-secret-of-the-administrator"), 200);
  EXPECT_EQ(connection.exchange(request_text("GET", "/"))->body, "another page");
  const std::string text = next.keys.text();
  next.keys = tokens::Keys::parse({"keys", text.substr(0, text.size() / 2)}).value();
  campaign.api->renew(next);
  EXPECT_EQ(status("/v1/question", fresh), 200);
  EXPECT_EQ(status("/v1/question", old.token("spring", "p0")), 401) << "the second key is gone";
  for (int i = 0; i < 200; ++i) campaign.api->renew(next);
  over = true;
  others.join();
  EXPECT_GT(asked, 0);
  EXPECT_EQ(answered, asked);
}

// Two servers may read a line that begins with a blank differently, so that one sees a token where the other sees none.
TEST(Access, FoldedFieldsAreRefused) {
  SmallCampaign campaign;
  campaign.serve();
  const RunningServer server(*campaign.api);
  const std::string start = "GET /v1/question HTTP/1.1\r\nHost: h\r\n";
  const std::string token = "Authorization: Bearer " + campaign.token(0) + "\r\n";
  for (const std::string& text :
       {start + "Authorization: Bearer\r\n " + campaign.token(0) + "\r\n\r\n", start + token + "X: a\r\n\tb\r\n\r\n",
        start + token + "X:\r\n b\r\n\r\n", start + token + "X: a\r\n \r\n\r\n",
        "GET /v1/question HTTP/1.1\r\n Host: h\r\n" + token + "\r\n"}) {
    const auto whole = server.exchange(text);
    ASSERT_TRUE(whole) << text;
    EXPECT_EQ(whole->status, 400) << text;
    RawConnection slow(server.port());
    for (const char sign : text) slow.send({sign});  // wherever it is cut
    EXPECT_EQ(slow.next_status(), 400) << text;
  }
  RawConnection connection(server.port());
  for (int i = 0; i < 2; ++i) EXPECT_EQ(connection.status(start + token + "X: a b\tc\r\n\r\n"), 200);
}

// Refused before it listens anywhere.
TEST(Access, OthersAreServedWithTlsOrWhereThatIsSaid) {
  SmallCampaign campaign;
  campaign.serve();
  ServerOptions options;
  options.port = 0;
  for (const char* address : {"0.0.0.0", "::", "192.0.2.7", "::ffff:192.0.2.7", "2001:db8::1"}) {
    options.address = address;
    const auto refused = HttpServer::make(*campaign.api, options);
    ASSERT_FALSE(refused) << address;
    EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument) << address;
    EXPECT_NE(refused.error().message.find("TLS"), std::string::npos);
  }
  for (const char* address : {"127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"}) {
    options.address = address;
    EXPECT_TRUE(HttpServer::make(*campaign.api, options)) << address;
  }
  options.address = "192.0.2.7";  // nobody has it: another reason
  options.without_tls = true;
  EXPECT_EQ(HttpServer::make(*campaign.api, options).error().code, ErrorCode::io);
}

}  // namespace
}  // namespace ppgnn::collector
