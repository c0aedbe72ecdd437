// HTTP as others speak it: well, badly, slowly, and too much of it.
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <nlohmann/json.hpp>

#include "collector/http.hpp"
#include "collector/support.hpp"
#include "ppgnn/collector/http_server.hpp"
#include "ppgnn/remote/collector.hpp"

namespace ppgnn::collector {
namespace {

using test::RawConnection;
using test::request_text;
using test::RunningServer;
using test::SmallCampaign;

class Server : public testing::Test {
 protected:
  Server() { campaign_.serve(); }
  [[nodiscard]] std::string post(int person, const std::vector<std::uint8_t>& report) const {
    return request_text("POST", "/v1/reports", campaign_.token(person), "application/cbor", test::text_of(report));
  }
  SmallCampaign campaign_;
};

TEST_F(Server, KeepsAConnectionForManyRequests) {
  const RunningServer server(*campaign_.api);
  RawConnection connection(server.port());
  for (int i = 0; i < 20; i += 2) {
    const auto answer = connection.exchange(post(i, test::report_of(campaign_.teaching, SmallCampaign::name(i))));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 201);
  }
  // Requests that come before the answer of the one before.
  connection.send(request_text("GET", "/healthz") + request_text("GET", "/v1/plan") + request_text("GET", "/nowhere"));
  EXPECT_EQ(connection.receive()->status, 200);
  EXPECT_EQ(connection.receive()->body, campaign_.teaching.text());
  EXPECT_EQ(connection.receive()->status, 404);
  // And one that ends it.
  const auto last = connection.exchange("GET /healthz HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(last->headers.at("connection"), "close");
  EXPECT_TRUE(connection.closed(5000));
}

TEST_F(Server, AnswersWhatOneExpectsOfHttp) {
  const RunningServer server(*campaign_.api);
  const auto options = server.exchange(request_text("OPTIONS", "/v1/reports"));
  EXPECT_EQ(options->status, 204);
  EXPECT_EQ(options->headers.at("access-control-allow-methods"), "POST, DELETE");
  EXPECT_EQ(options->headers.at("access-control-allow-origin"), "*");
  const auto method = server.exchange(request_text("PUT", "/v1/reports", "", "", "x"));
  EXPECT_EQ(method->status, 405);
  EXPECT_EQ(method->headers.at("allow"), "POST, DELETE, OPTIONS");
  EXPECT_EQ(server.exchange(request_text("GET", "/v1/rounds/0/close"))->status, 405);
  EXPECT_EQ(server.exchange(request_text("GET", "/v1/people/a/b"))->status, 404);
  EXPECT_EQ(server.exchange(request_text("GET", "/v1/plan?x=1"))->status, 200);
  EXPECT_EQ(server.exchange(request_text("GET", "/healthz", "", "", "content"))->status, 413);
  EXPECT_EQ(server.exchange("GET /healthz HTTP/1.0\r\n\r\n")->status, 200);
  EXPECT_EQ(server.exchange(request_text("GET", "http://here/v1/plan"))->body, campaign_.teaching.text());
  EXPECT_EQ(server.exchange(request_text("GET", "http://here"))->status, 404);
  // The head of an answer, and the connection stays in step.
  RawConnection connection(server.port());
  connection.send(request_text("HEAD", "/v1/plan") + request_text("GET", "/healthz"));
  const std::string heads = connection.drain(500);
  EXPECT_NE(heads.find("Content-Length: " + std::to_string(campaign_.teaching.text().size())), std::string::npos);
  EXPECT_EQ(heads.find("ppgnn-plan"), std::string::npos);
  EXPECT_NE(heads.find("alive"), std::string::npos);
  const auto problem = server.exchange(request_text("GET", "/v1/question"));
  EXPECT_EQ(problem->headers.at("content-type"), "application/problem+json");
  EXPECT_EQ(problem->headers.at("www-authenticate"), "Bearer");
  EXPECT_EQ(problem->headers.at("cache-control"), "no-store");
}

TEST_F(Server, TakesContentInPiecesAndAfterAsking) {
  const RunningServer server(*campaign_.api);
  const std::string report = test::text_of(test::report_of(campaign_.teaching, "p0"));
  const std::string head =
      "POST /v1/reports HTTP/1.1\r\nHost: h\r\nContent-Type: application/cbor\r\nAuthorization: Bearer " +
      campaign_.token(0) + "\r\n";
  RawConnection pieces(server.port());
  pieces.send(head + "Transfer-Encoding: chunked\r\n\r\n5\r\n" + report.substr(0, 5) + "\r\n");
  char size[16];
  std::snprintf(size, sizeof(size), "%zx\r\n", report.size() - 5);
  pieces.send(size + report.substr(5) + "\r\n0\r\n\r\n");
  EXPECT_EQ(pieces.receive()->status, 201);
  RawConnection byte(server.port());
  byte.send(head + "Transfer-Encoding: chunked\r\n\r\n");
  for (const char one : std::string("0\r\n\r\n")) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    byte.send({one});
  }
  EXPECT_EQ(byte.receive()->status, 422);  // read to its end, and empty
  RawConnection asking(server.port());
  asking.send(head + "Expect: 100-continue\r\nContent-Length: " + std::to_string(report.size()) + "\r\n\r\n");
  EXPECT_EQ(asking.receive()->status, 100);
  asking.send(report);
  EXPECT_EQ(asking.receive()->status, 200);
  // HTTP/1.0 knows no such answer.
  RawConnection older(server.port());
  older.send("POST /v1/reports HTTP/1.0\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(older.drain(50), "");
}

// What two servers may read as two different requests is read as none.
TEST_F(Server, SmuggledRequestsAreRefused) {
  const RunningServer server(*campaign_.api);
  const std::string post = "POST /v1/reports HTTP/1.1\r\nHost: h\r\n";
  const std::string hidden = "GET /v1/plan HTTP/1.1\r\nHost: h\r\n\r\n";
  for (const std::string& text : {
           post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden,
           post + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n" + hidden,
           post + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef" + hidden,
           post + "Content-Length: +5\r\n\r\nabcde" + hidden,
           post + "Content-Length: 5, 5\r\n\r\nabcde" + hidden,
           post + "Content-Length: 18446744073709551617\r\n\r\na" + hidden,
           post + "Content-Length : 5\r\n\r\nabcde" + hidden,
           post + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n" + hidden,
           post + "Transfer-Encoding: chunked\r\n\r\n-1\r\n" + hidden,
           post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n" + hidden,
           "POST /v1/reports HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" +
               hidden,
           std::string("GET /v1/plan HTTP/1.1\nHost: h\n\n") + hidden,
           std::string("GET /v1/plan HTTP/1.1\r\nHost: h\nX: y\r\n\r\n") + hidden,
           std::string("GET /v1/plan HTTP/1.1\r\nHost: h\r\nHost: i\r\n\r\n") + hidden,
           std::string("GET  /v1/plan HTTP/1.1\r\nHost: h\r\n\r\n") + hidden,
           std::string("GET /v1/plan HTTP/2.0\r\nHost: h\r\n\r\n") + hidden,
           std::string("GET /v1/\x01plan HTTP/1.1\r\nHost: h\r\n\r\n") + hidden,
           std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11),
       }) {
    RawConnection connection(server.port());
    connection.send(text);
    const auto answer = connection.receive();
    ASSERT_TRUE(answer) << text;
    EXPECT_TRUE(answer->status == 400 || answer->status == 413) << answer->status << '\n' << text;
    EXPECT_EQ(answer->headers.at("connection"), "close") << text;
    EXPECT_FALSE(connection.receive(300)) << "the hidden request was answered:\n" << text;
  }
}

// A token after the content is no token, and packed content is not taken.
TEST_F(Server, TheHeaderIsWhatComesFirst) {
  const RunningServer server(*campaign_.api);
  const std::string late = "Authorization: Bearer " + campaign_.token(0) + "\r\nContent-Type: application/cbor\r\n";
  EXPECT_EQ(server
                .exchange("POST /v1/reports HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n" +
                          late + "\r\n")
                ->status,
            401);
  EXPECT_EQ(server
                .exchange("POST /v1/reports HTTP/1.1\r\nHost: h\r\n" + late +
                          "Content-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx")
                ->status,
            415);
}

TEST(RemoteAddress, TokensDoNotTravelInTheClear) {
  for (const char* url : {"http://example.invalid", "http://127.0.0.1.example.invalid", "http://127.1.example",
                          "ftp://localhost", "localhost", "https://", "https://a@b", "https://a/b"}) {
    EXPECT_FALSE(remote::Collector::make(url)) << url;
  }
  for (const char* url : {"http://127.0.0.1:80", "http://localhost", "http://[::1]:8080/", "https://example.invalid"}) {
    EXPECT_TRUE(remote::Collector::make(url)) << url;
  }
}

// Nobody answers, then somebody does: the same bytes again, until they are there.
TEST_F(Server, ARemoteTriesAgain) {
  std::uint16_t port = 0;
  {
    const RunningServer server(*campaign_.api);
    port = server.port();
  }
  campaign_.serve();
  std::optional<RunningServer> later;
  std::thread starts([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    ServerOptions options;
    options.port = port;
    later.emplace(*campaign_.api, options);
  });
  auto remote = remote::Collector::make("http://127.0.0.1:" + std::to_string(port), "", 20);
  ASSERT_TRUE(remote);
  const auto stored = remote->report(campaign_.token(0), test::report_of(campaign_.teaching, "p0"));
  starts.join();
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_TRUE(*stored);
}

TEST_F(Server, WhatIsTooLargeIsNotRead) {
  const RunningServer server(*campaign_.api);
  const auto announced = server.exchange("POST /v1/reports HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999\r\n\r\n");
  EXPECT_EQ(announced->status, 413);
  RawConnection bomb(server.port());
  bomb.send("POST /v1/reports HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 40 && bomb.send("1000\r\n" + std::string(4096, 'x') + "\r\n"); ++i) {
  }
  EXPECT_EQ(bomb.receive()->status, 413);
  // What is no content is bounded too: the words beside a chunk's size, and the fields after the last.
  for (const std::string& start : {std::string("1;"), std::string("0\r\nX: ")}) {
    RawConnection words(server.port());
    words.send("POST /v1/reports HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n" + start);
    for (int i = 0; i < 40 && words.send(std::string(4096, 'x')); ++i) {
    }
    const auto answer = words.receive();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 413);
  }
  EXPECT_EQ(server.exchange("GET /healthz HTTP/1.1\r\nHost: h\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n")->status,
            431);
  std::string many = "GET /healthz HTTP/1.1\r\nHost: h\r\n";
  for (int i = 0; i < 3000; ++i) many += "X: y\r\n";
  EXPECT_EQ(server.exchange(many + "\r\n")->status, 431);
  EXPECT_EQ(server.exchange(request_text("GET", "/healthz"))->status, 200);
}

TEST_F(Server, TheSlowAreCutOff) {
  ServerOptions options;
  options.idle_seconds = .4;
  options.body_seconds = .4;
  const RunningServer server(*campaign_.api, options);
  RawConnection silent(server.port());
  RawConnection loris(server.port());
  RawConnection half(server.port());
  loris.send("GET /healthz HTTP/1.1\r\nHost: h\r\n");
  half.send("POST /v1/reports HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nabc");
  for (int i = 0; i < 6; ++i) {  // a byte now and then is not enough
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    loris.send("X");
    half.send("x");
  }
  EXPECT_TRUE(silent.closed(3000));
  EXPECT_TRUE(loris.closed(3000));
  EXPECT_TRUE(half.closed(3000));
  EXPECT_EQ(server.exchange(request_text("GET", "/healthz"))->status, 200);
}

TEST_F(Server, ConnectionsAreBounded) {
  ServerOptions options;
  options.connections = 5;
  const RunningServer server(*campaign_.api, options);
  std::vector<std::unique_ptr<RawConnection>> held;
  for (int i = 0; i < 5; ++i) {
    held.push_back(std::make_unique<RawConnection>(server.port()));
    ASSERT_EQ(held.back()->exchange(request_text("GET", "/healthz"))->status, 200);
  }
  RawConnection more(server.port());
  EXPECT_TRUE(more.closed(5000));
  held.pop_back();
  for (int i = 0; i < 100; ++i) {  // until the server noticed
    const auto answer = server.exchange(request_text("GET", "/healthz"));
    if (answer && answer->status == 200) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  FAIL() << "no connection is taken any more";
}

TEST_F(Server, SeveralThreadsAnswer) {
  ServerOptions options;
  options.threads = 3;
  const RunningServer server(*campaign_.api, options);
  std::vector<std::thread> clients;
  std::atomic<int> stored = 0;
  for (int t = 0; t < 6; ++t) {
    clients.emplace_back([&] {
      RawConnection connection(server.port());
      for (int i = 0; i < 20; i += 2) {
        const auto answer = connection.exchange(post(i, test::report_of(campaign_.teaching, SmallCampaign::name(i))));
        if (answer && answer->status == 201) ++stored;
        EXPECT_EQ(connection.exchange(request_text("GET", "/metrics", test::kAdministrator))->status, 200);
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(stored, 10);
}

// What is under way is finished and on the disk; who waits is sent away.
TEST_F(Server, StopsGracefully) {
  auto server = std::make_unique<RunningServer>(*campaign_.api);
  RawConnection idle(server->port());
  ASSERT_EQ(idle.exchange(request_text("GET", "/healthz"))->status, 200);
  RawConnection half(server->port());
  const std::string text = post(0, test::report_of(campaign_.teaching, "p0"));
  half.send(text.substr(0, text.size() - 3));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  server->begin_stop();
  EXPECT_TRUE(idle.closed(5000));
  EXPECT_FALSE(RawConnection(server->port()).exchange(request_text("GET", "/healthz")));
  half.send(text.substr(text.size() - 3));
  EXPECT_EQ(half.receive()->status, 201);
  server.reset();
  EXPECT_EQ(campaign_.store->counts()->reports.at(0), 1U);
}

// Nothing that tells who somebody is, or what they sent, is in the log.
TEST_F(Server, TheLogNamesNobody) {
  std::string log;
  std::mutex mutex;
  ServerOptions options;
  options.log_requests = true;
  options.log = [&](const std::string& line) {
    const std::lock_guard lock(mutex);
    log += line + '\n';
  };
  const auto report = test::report_of(campaign_.teaching, "p0");
  {
    const RunningServer server(*campaign_.api, options);
    EXPECT_EQ(server.exchange(post(0, report))->status, 201);
    EXPECT_EQ(server.exchange(request_text("DELETE", "/v1/people/p0", test::kAdministrator))->status, 200);
    EXPECT_EQ(server.exchange(request_text("GET", "/v1/question", campaign_.token(1)))->status, 200);
    EXPECT_EQ(server.exchange(request_text("GET", "/secret-path"))->status, 404);
  }
  EXPECT_NE(log.find("POST report 201"), std::string::npos) << log;
  for (const std::string& secret :
       {campaign_.token(0), campaign_.token(1), std::string("p0"), std::string("p1"), std::string("127.0.0.1"),
        test::kAdministrator, to_hex(report), std::string("secret")}) {
    EXPECT_EQ(log.find(secret), std::string::npos) << secret << '\n' << log;
  }
}

TEST_F(Server, AnAddressThatIsTakenIsSaid) {
  const RunningServer server(*campaign_.api);
  ServerOptions options;
  options.port = server.port();
  const auto second = HttpServer::make(*campaign_.api, options);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::io);
  options.address = "somewhere";
  EXPECT_EQ(HttpServer::make(*campaign_.api, options).error().code, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace ppgnn::collector
