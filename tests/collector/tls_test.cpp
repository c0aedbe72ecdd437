// The same through TLS: what reads, writes, waits and ends is another there.
#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <memory>

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

class Tls : public testing::Test {
 protected:
  Tls() {
    std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes as to a file
    campaign_.serve();
    options_.key = folder_.path() / "key.pem";
    options_.certificate = folder_.path() / "cert.pem";
    make_certificate();
  }
  void make_certificate() const {
    const std::string make =
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost -addext "
        "subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout " +
        options_.key.string() + " -out " + options_.certificate.string() + " 2>/dev/null";
    EXPECT_EQ(std::system(make.c_str()), 0);
  }
  test::TemporaryFolder folder_;
  ServerOptions options_;
  SmallCampaign campaign_;
};

// A client that sends exactly the bytes it is told to.
class Client {
 public:
  explicit Client(std::uint16_t port) : below_(port) {
    SSL_set_fd(tls_.get(), below_.socket());
    EXPECT_EQ(SSL_connect(tls_.get()), 1);
  }
  [[nodiscard]] std::string certificate() const {
    const std::unique_ptr<X509, void (*)(X509*)> shown(SSL_get1_peer_certificate(tls_.get()), X509_free);
    std::string bytes(shown ? static_cast<std::size_t>(i2d_X509(shown.get(), nullptr)) : 0, ' ');
    auto* at = reinterpret_cast<unsigned char*>(bytes.data());
    if (shown) i2d_X509(shown.get(), &at);
    return bytes;
  }
  bool send(std::string_view text) {
    return SSL_write(tls_.get(), text.data(), static_cast<int>(text.size())) == static_cast<int>(text.size());
  }
  // Until `size` bytes are there, or no more come.
  std::string receive(std::size_t size = std::string::npos) {
    std::string all;
    std::string piece(1000, ' ');
    while (all.size() < size) {
      const int came = SSL_read(tls_.get(), piece.data(), static_cast<int>(piece.size()));
      if (came <= 0) break;
      all.append(piece, 0, static_cast<std::size_t>(came));
    }
    return all;
  }

 private:
  RawConnection below_;
  std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context_{SSL_CTX_new(TLS_client_method()), SSL_CTX_free};
  std::unique_ptr<SSL, void (*)(SSL*)> tls_{SSL_new(context_.get()), SSL_free};
};

std::size_t answers_in(const std::string& text, const std::string& status) {
  std::size_t count = 0;
  for (auto at = text.find("HTTP/1.1 " + status); at != std::string::npos; at = text.find("HTTP/1.1 " + status, at + 1))
    ++count;
  return count;
}

// TLS 1.3 and nothing older, with a certificate that the client knows; and the client that people use.
TEST_F(Tls, IsForPeopleWhoKnowTheCertificate) {
  const RunningServer server(*campaign_.api, options_);
  const std::string url = "https://127.0.0.1:" + std::to_string(server.port());
  auto remote = remote::Collector::make(url, options_.certificate.string(), 5);
  ASSERT_TRUE(remote);
  EXPECT_EQ(*remote->plan(), campaign_.teaching.text());
  const auto question = remote->question(campaign_.token(0));
  ASSERT_TRUE(question) << question.error().message;
  EXPECT_EQ(question->person, "p0");
  EXPECT_TRUE(question->asked);
  const auto report = test::report_of(campaign_.teaching, "p0");
  EXPECT_TRUE(*remote->report(campaign_.token(0), report));
  EXPECT_FALSE(*remote->report(campaign_.token(0), report));  // was there
  EXPECT_EQ(remote->report(campaign_.token(2), {report.data(), 3}).error().code, ErrorCode::mismatch);
  EXPECT_EQ(remote::Collector::make(url, "", 1)->plan().error().code, ErrorCode::io);  // nobody vouches for it
  const std::string older =
      "openssl s_client -connect 127.0.0.1:" + std::to_string(server.port()) + " -tls1_2 </dev/null >/dev/null 2>&1";
  EXPECT_NE(std::system(older.c_str()), 0);
  EXPECT_FALSE(RawConnection(server.port()).exchange(request_text("GET", "/healthz")));  // in the clear
  options_.key = options_.certificate;
  EXPECT_FALSE(HttpServer::make(*campaign_.api, options_));
}

TEST_F(Tls, TakesManyRequestsAtOnceAndOneInManyPieces) {
  const RunningServer server(*campaign_.api, options_);
  Client client(server.port());
  std::string many;
  for (int i = 0; i < 300; ++i) many += request_text("GET", "/healthz");
  ASSERT_TRUE(client.send(many));
  for (const char byte : "GET /healthz HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r" + std::string("\n")) {
    ASSERT_TRUE(client.send({&byte, 1}));
  }
  const std::string answers = client.receive();
  EXPECT_EQ(answers_in(answers, "200"), 301U);
  EXPECT_EQ(answers_in(answers, ""), 301U);
  EXPECT_NE(answers.find("Strict-Transport-Security: "), std::string::npos);
}

// Who sends more than is taken, and looks up only then, hears so all the same.
TEST_F(Tls, WhoStillSendsGetsTheAnswer) {
  const RunningServer server(*campaign_.api, options_);
  Client client(server.port());
  EXPECT_TRUE(client.send(request_text("POST", "/v1/reports", {}, "application/cbor", std::string(4'000'000, 'x'))));
  EXPECT_EQ(answers_in(client.receive(1), "413"), 1U);
}

TEST_F(Tls, TheSlowAreCutOff) {
  options_.idle_seconds = .3;
  options_.body_seconds = .3;
  const RunningServer server(*campaign_.api, options_);
  RawConnection silent(server.port());
  RawConnection half(server.port());
  half.send(std::string("\x16\x03\x01\x02", 4));  // of a handshake
  Client idle(server.port());
  Client header(server.port());
  header.send("GET /heal");
  Client content(server.port());
  content.send("POST /v1/reports HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nx");
  EXPECT_TRUE(silent.closed(5000));
  EXPECT_TRUE(half.closed(5000));
  for (Client* one : {&idle, &header, &content}) EXPECT_EQ(one->receive(), "");
}

// A new certificate is for new connections; those that are open, and what they are in the middle of, go on with theirs.
TEST_F(Tls, IsRenewedWithoutALostConnection) {
  RunningServer server(*campaign_.api, options_);
  Client idle(server.port());
  Client under_way(server.port());
  const std::string post = request_text("POST", "/v1/reports", campaign_.token(0), "application/cbor",
                                        test::text_of(test::report_of(campaign_.teaching, "p0")));
  under_way.send(post.substr(0, post.size() - 5));
  const std::string before = idle.certificate();
  ASSERT_FALSE(before.empty());
  // A key that is not the certificate's, and one that others may read: all stays as it was.
  std::filesystem::copy_file(options_.certificate, folder_.path() / "old.pem");
  make_certificate();
  std::filesystem::copy_file(options_.certificate, folder_.path() / "new.pem");
  std::filesystem::copy_file(folder_.path() / "old.pem", options_.certificate,
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_FALSE(server.server().renew_tls());
  std::filesystem::copy_file(folder_.path() / "new.pem", options_.certificate,
                             std::filesystem::copy_options::overwrite_existing);
  ASSERT_EQ(::chmod(options_.key.c_str(), 0644), 0);
  EXPECT_EQ(server.server().renew_tls().error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(Client(server.port()).certificate(), before);
  ASSERT_EQ(::chmod(options_.key.c_str(), 0600), 0);
  ASSERT_TRUE(server.server().renew_tls());
  Client later(server.port());
  EXPECT_NE(later.certificate(), before);
  EXPECT_FALSE(later.certificate().empty());
  under_way.send(post.substr(post.size() - 5));
  EXPECT_EQ(answers_in(under_way.receive(1), "201"), 1U);
  for (Client* one : {&idle, &under_way, &later}) {
    one->send(request_text("GET", "/healthz"));
    EXPECT_EQ(answers_in(one->receive(1), "200"), 1U);
  }
  EXPECT_EQ(campaign_.api->connections, 3);
}

// Nobody waits for those who only keep their connection.
TEST_F(Tls, StopsWithConnectionsOpen) {
  options_.drain_seconds = 20;
  RunningServer server(*campaign_.api, options_);
  Client idle(server.port());
  Client under_way(server.port());
  under_way.send("POST /v1/reports HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n12345");
  Client used(server.port());
  used.send(request_text("GET", "/healthz"));
  EXPECT_EQ(answers_in(used.receive(1), "200"), 1U);
  const auto begun = std::chrono::steady_clock::now();
  server.begin_stop();
  EXPECT_EQ(idle.receive(), "");
  EXPECT_EQ(used.receive(), "");
  under_way.send("67890");
  EXPECT_EQ(answers_in(under_way.receive(), ""), 1U);  // its answer, then the end
  server.stop();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(10));
}

}  // namespace
}  // namespace ppgnn::collector
