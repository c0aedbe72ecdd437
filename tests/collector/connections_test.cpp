// Many connections, much content, nobody who reads: what one host can take from the others, and how it ends.
#include <gtest/gtest.h>
#include <malloc.h>
#include <netinet/tcp.h>

#include <chrono>
#include <functional>
#include <future>

#include "collector/http.hpp"
#include "collector/support.hpp"
#include "ppgnn/collector/http_server.hpp"

namespace ppgnn::collector {
namespace {

using test::RawConnection;
using test::request_text;
using test::RunningServer;
using test::SmallCampaign;

const std::string kHere = "127.0.0.1";
const std::string kBatchHead = "POST /v1/reports/batch HTTP/1.1\r\nHost: h\r\nContent-Type: application/x-ndjson\r\n";
constexpr std::size_t kLargePage = std::size_t{16} << 20;

std::string announced(std::size_t size) {
  return kBatchHead + "Content-Length: " + std::to_string(size) + "\r\n\r\n";
}

bool comes_true(const std::function<bool()>& condition, int milliseconds = 10'000) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

// A stop that hangs would hang the test with it.
void must_stop_within(RunningServer& server, std::chrono::milliseconds time) {
  std::promise<void> stopped;
  std::future<void> future = stopped.get_future();
  std::thread stops([&] {
    server.stop();
    stopped.set_value();
  });
  const bool in_time = future.wait_for(time) == std::future_status::ready;
  EXPECT_TRUE(in_time) << "the server does not stop";
  if (!in_time && future.wait_for(std::chrono::seconds(30)) != std::future_status::ready) std::abort();
  stops.join();
}

class Connections : public testing::Test {
 protected:
  using Held = std::vector<std::unique_ptr<RawConnection>>;

  static bool answers(std::uint16_t port, const std::string& from) {
    return RawConnection(port, kHere, from).status(request_text("GET", "/healthz")) == 200;
  }
  RawConnection& hold(std::uint16_t port, const std::string& from = kHere) {
    held_.push_back(std::make_unique<RawConnection>(port, kHere, from));
    return *held_.back();
  }
  SmallCampaign campaign_;
  Held held_;
};

TEST_F(Connections, OneAddressLeavesPlacesForOthers) {
  campaign_.serve();
  ServerOptions options;
  options.connections = 5;
  options.address_connections = 3;
  const RunningServer server(*campaign_.api, options);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(hold(server.port()).status(request_text("GET", "/healthz")), 200);
  }
  EXPECT_TRUE(RawConnection(server.port()).closed(5000));
  EXPECT_EQ(campaign_.api->refused_connections, 1U);
  EXPECT_TRUE(answers(server.port(), "127.0.0.2"));
  held_.pop_back();
  EXPECT_TRUE(comes_true([&] { return answers(server.port(), kHere); })) << "a place is lost";
  held_.clear();
  EXPECT_TRUE(comes_true([&] { return campaign_.api->connections == 0; }));
}

TEST_F(Connections, AnExemptAddressMayHaveAll) {
  ApiOptions api = campaign_.options();
  api.exempt = {kHere};
  campaign_.serve(std::move(api));
  ServerOptions options;
  options.connections = 5;
  options.address_connections = 1;
  const RunningServer server(*campaign_.api, options);
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(hold(server.port()).status(request_text("GET", "/healthz")), 200);
  }
  EXPECT_TRUE(RawConnection(server.port()).closed(5000));
}

// Over version 6 a network is one address, for limits and for who is exempt: ::1 is ::, as seen by them.
TEST_F(Connections, ANetworkOfVersionSixIsOneAddress) {
  EXPECT_EQ(limited_address("2001:db8:1:2::1"), limited_address("2001:db8:1:2:ffff:ffff:ffff:ffff"));
  EXPECT_NE(limited_address("2001:db8:1:2::1"), limited_address("2001:db8:1:3::1"));
  EXPECT_EQ(limited_address("::ffff:192.0.2.7"), "192.0.2.7");
  EXPECT_NE(limited_address("192.0.2.7"), limited_address("192.0.2.8"));
  EXPECT_EQ(limited_address("somewhere"), std::nullopt);
  for (const bool exempt : {true, false}) {
    ApiOptions api = campaign_.options();
    api.address_a_second = .001;
    api.address_burst = 1;
    if (exempt) api.exempt = {*limited_address("::2")};
    campaign_.serve(std::move(api));
    ServerOptions options;
    options.address = "::1";
    std::unique_ptr<RunningServer> server;
    if (!HttpServer::make(*campaign_.api, RunningServer::with_any_port(options))) {
      GTEST_SKIP() << "skipped: this machine has no address ::1";
    }
    server = std::make_unique<RunningServer>(*campaign_.api, options);
    RawConnection connection(server->port(), "::1");
    EXPECT_EQ(connection.status(request_text("GET", "/v1/plan")), 200);
    EXPECT_EQ(connection.status(request_text("GET", "/v1/plan")), exempt ? 200 : 429);
  }
}

// Who announces much and sends nothing takes nothing from anybody.
TEST_F(Connections, AnnouncedBatchesTakeNoRoom) {
  ApiOptions api = campaign_.options();
  api.largest_contents = 100'000;
  api.address_contents = 60'000;
  campaign_.serve(std::move(api));
  const RunningServer server(*campaign_.api);
  for (int i = 0; i < 16; ++i) hold(server.port()).send(announced(50'000) + "{");
  ASSERT_TRUE(comes_true([&] { return campaign_.api->connections == 16; }));
  ASSERT_EQ(RawConnection(server.port()).status(announced(60'000) + std::string(60'000, '{')), 400);
  EXPECT_EQ(campaign_.api->contents().taken(), 0U);
  // As long as any: it must have the room that any may take.
  EXPECT_EQ(RawConnection(server.port()).status(kBatchHead + "Transfer-Encoding: chunked\r\n\r\n"), 503);
  held_.clear();
}

TEST_F(Connections, BatchesInMemoryAreBounded) {
  ApiOptions api = campaign_.options();
  api.largest_contents = 100'000;
  api.address_contents = 60'000;
  campaign_.serve(std::move(api));
  const RunningServer server(*campaign_.api);
  Shares& contents = campaign_.api->contents();
  // Three that nobody can know to be too many before they come.
  RawConnection& first = hold(server.port());
  RawConnection& second = hold(server.port(), "127.0.0.2");
  RawConnection& third = hold(server.port(), "127.0.0.3");
  for (RawConnection* one : {&first, &second, &third}) one->send(announced(50'000));
  ASSERT_TRUE(comes_true([&] { return campaign_.api->connections == 3; }));
  first.send(std::string(40'000, '{'));
  ASSERT_TRUE(comes_true([&] { return contents.taken() >= 40'000; })) << contents.taken();
  // What is full for one address is not for another.
  EXPECT_EQ(RawConnection(server.port()).status(announced(21'000)), 503);
  EXPECT_EQ(RawConnection(server.port(), kHere, "127.0.0.4").status(announced(20'000) + std::string(20'000, '{')), 400);
  second.send(std::string(40'000, '{'));
  ASSERT_TRUE(comes_true([&] { return contents.taken() >= 80'000; })) << contents.taken();
  third.send(std::string(40'000, '{'));
  const auto refused = third.receive();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 503);
  EXPECT_TRUE(refused->headers.contains("retry-after"));
  // One report is no batch.
  const auto report = test::text_of(test::report_of(campaign_.teaching, "p0"));
  const auto stored =
      RawConnection(server.port())
          .exchange(request_text("POST", "/v1/reports", campaign_.token(0), "application/cbor", report));
  EXPECT_EQ(stored->status, 201);
  first.send(std::string(10'000, '{'));
  EXPECT_EQ(first.next_status(), 400);
  EXPECT_GE(contents.taken(), 40'000U);  // the second's, at most what it announced
  EXPECT_LE(contents.taken(), 50'000U);
  held_.clear();
  EXPECT_TRUE(comes_true([&] { return contents.taken() == 0; })) << contents.taken();
}

// A batch that turns out to be none goes when its room does, though the connection stays until the client has read why.
TEST_F(Connections, RefusedBatchesAreForgottenAtOnce) {
  campaign_.serve();
  const RunningServer server(*campaign_.api);
  const auto in_use = [] {
    const struct mallinfo2 now = ::mallinfo2();
    return now.uordblks + now.hblkhd;  // nothing under sanitizers, which have their own
  };
  constexpr std::size_t kSize = 6'000'000;
  const std::string chunk = "5b8d80\r\n" + std::string(kSize, '{') + "\r\nzz\r\n";
  const std::size_t before = in_use();
  for (int i = 0; i < 4; ++i) {
    RawConnection& one = hold(server.port(), "127.0.0." + std::to_string(i + 1));
    ASSERT_EQ(one.status(kBatchHead + "Transfer-Encoding: chunked\r\n\r\n" + chunk), 400);
  }
  EXPECT_LT(in_use(), before + kSize);
}

// The answer to what is too large comes while it is still being sent: the client is not thrown out before it has read why.
TEST_F(Connections, WhoStillSendsGetsTheAnswer) {
  campaign_.serve();
  const RunningServer server(*campaign_.api);
  RawConnection connection(server.port());
  connection.send("POST /v1/reports HTTP/1.1\r\nHost: h\r\nContent-Length: 9000000\r\n\r\n");
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(connection.send(std::string(100'000, 'x'))) << "cut off after " << i;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  const auto answer = connection.receive();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 413);
  // Ended, not reset.
  char byte = 0;
  EXPECT_EQ(::recv(connection.socket(), &byte, 1, 0), 0);
  ::shutdown(connection.socket(), SHUT_WR);
  EXPECT_TRUE(comes_true([&] { return campaign_.api->connections == 0; }));
}

// A client that asks and never reads keeps its place for the time an answer may take, and no longer.
TEST_F(Connections, WhoNeverReadsIsCutOff) {
  ApiOptions api = campaign_.options();
  api.page = std::string(kLargePage, 'p');
  campaign_.serve(std::move(api));
  ServerOptions options;
  options.body_seconds = .3;
  const RunningServer server(*campaign_.api, options);
  hold(server.port()).send(request_text("GET", "/"));
  ASSERT_TRUE(comes_true([&] { return campaign_.api->connections == 1; }));
  EXPECT_TRUE(comes_true([&] { return campaign_.api->connections == 0; }, 5000));
  EXPECT_LT(held_.back()->drain(1000).size(), kLargePage);
}

// The timer may have run out, and its handler wait, when the stop comes; it must not be set again.
TEST_F(Connections, AStopAtAnyMomentIsAStop) {
  ServerOptions options;
  options.look_seconds = 0;
  for (int i = 0; i < 40; ++i) {
    campaign_.serve();
    RunningServer server(*campaign_.api, options);
    EXPECT_TRUE(i % 2 == 0 || answers(server.port(), kHere));
    must_stop_within(server, std::chrono::seconds(10));
  }
}

// A connection that was told it stays, and whose answer was taken only after the stop began.
TEST_F(Connections, AStopDoesNotWaitForWhoWasToldToStay) {
  ApiOptions api = campaign_.options();
  api.page = std::string(kLargePage, 'p');
  campaign_.serve(std::move(api));
  RunningServer server(*campaign_.api);
  RawConnection& connection = hold(server.port());
  connection.send(request_text("GET", "/"));
  char byte = 0;
  ASSERT_EQ(::recv(connection.socket(), &byte, 1, MSG_PEEK), 1);  // the answer has begun
  server.begin_stop();
  ASSERT_TRUE(comes_true([&] { return campaign_.api->stopping(); }));
  const auto answer = connection.receive();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->headers.count("connection"), 0U);
  EXPECT_TRUE(connection.closed(3000));
  held_.clear();
  must_stop_within(server, std::chrono::seconds(5));
}

}  // namespace
}  // namespace ppgnn::collector
