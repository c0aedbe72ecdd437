// The collector replaced while people report, as systemd does it: the socket stays open, and connections wait for the next process.
#include <gtest/gtest.h>

#include <atomic>
#include <set>

#include "cli/rounds.hpp"

namespace ppgnn {
namespace {

using test::CollectorProcess;
using test::RawConnection;
using test::request_text;

// A socket of this test's, which children have too.
class Socket {
 public:
  Socket() : number_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(number_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_EQ(::listen(number_, 1024), 0);
    socklen_t size = sizeof(address);
    EXPECT_EQ(::getsockname(number_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
  }
  ~Socket() { ::close(number_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::string as(int descriptor) const {
    return "exec " + std::to_string(descriptor) + "<&" + std::to_string(number_) + "; ";
  }

 private:
  int number_;
  std::uint16_t port_ = 0;
};

TEST(Restart, NoRequestIsLostWhileOneProcessFollowsAnother) {
  CollectorProcess network("synthetic:social,nodes=400,attributes=40,signal=.6");
  network.must("campaign start", network.data() + "--campaign simulated");
  network.must("enrol", network.data() + "--keys " + network.file("keys") + " --out " + network.file("tokens.csv"));
  const Socket everybodys;
  const Socket administrators;
  const std::string handed = everybodys.as(3) + administrators.as(4) +
                             "export LISTEN_PID=$$ LISTEN_FDS=2 LISTEN_FDNAMES=ppgnn-serve.socket:admin";
  network.serve("", handed);
  ASSERT_EQ(network.port(), everybodys.port());
  const std::map<std::string, std::string> reports = test::reports_of_round(network, 0);
  const std::map<std::string, std::string> tokens = test::lines_of(network.file("tokens.csv"));
  const auto request = [&](const std::string& name) {
    return request_text("POST", "/v1/reports", tokens.at(name), "application/cbor",
                        test::bytes_of_hex(reports.at(name)));
  };
  std::atomic<bool> over = false;
  std::atomic<int> answered = 0;
  std::atomic<int> lost = 0;
  std::vector<std::thread> senders;
  for (std::size_t t = 0; t < 4; ++t) {
    senders.emplace_back([&, t] {
      for (auto one = reports.begin(); !over; ++one) {
        if (one == reports.end()) one = reports.begin();
        RawConnection connection(everybodys.port());
        if (t == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));  // connected, and not heard of yet
        const int status = connection.status(request(one->first));
        ++(status == 200 || status == 201 ? answered : lost);
      }
    });
  }
  for (int i = 0; i < 4; ++i) {
    const int before = answered;
    for (int k = 0; k < 400 && answered < before + 50; ++k) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_GE(answered, before + 50);
    EXPECT_EQ(network.stop(SIGTERM), 0);
    network.serve("", handed);
  }
  over = true;
  for (std::thread& one : senders) one.join();
  EXPECT_EQ(lost, 0) << test::content_of(network.file("log"));
  const auto status = [&](std::uint16_t port) {
    return RawConnection(port).status(request_text("GET", "/v1/status", "the-administrators-token"));
  };
  EXPECT_EQ(status(everybodys.port()), 404);
  EXPECT_EQ(status(administrators.port()), 200);
}

TEST(Restart, TheAdministratorCanHaveAListener) {
  CollectorProcess network("synthetic:social,nodes=40,attributes=10");
  network.must("campaign start", network.data() + "--campaign simulated");
  network.must("enrol", network.data() + "--keys " + network.file("keys") + " --out " + network.file("tokens.csv"));
  const Socket free;  // a port that nobody else takes, until here
  EXPECT_EQ(network.run("serve", "--keys " + network.file("keys") + " --admin-listen nowhere").status, 2);
  EXPECT_EQ(
      network.run("serve", "--keys " + network.file("keys") + " --listen 127.0.0.1:0 --admin-listen 0.0.0.0:0").status,
      2)
      << "without TLS, where other machines reach it";
  const std::string taken =
      network
          .run("serve", "--keys " + network.file("keys") +
                            " --listen 127.0.0.1:0 --admin-listen 127.0.0.1:" + std::to_string(free.port()))
          .error;
  EXPECT_NE(taken.find(std::to_string(free.port())), std::string::npos) << taken;
}

}  // namespace
}  // namespace ppgnn
