// ppgnn serve: what it refuses to begin with, and what it reads again while it serves; and whose receipt is whose.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "support/collector_process.hpp"

namespace ppgnn {
namespace {

using nlohmann::json;
using test::CollectorProcess;
using test::CommandResult;
using test::RawConnection;
using test::request_text;

const std::string kFew = "synthetic:social,nodes=60,attributes=20,signal=.6";

// A campaign of one round.
class Serve : public testing::Test {
 protected:
  Serve() {
    const std::string plan = network_.file("plan");
    EXPECT_EQ(test::run_ppgnn("plan " + network_.data() + "--epsilon 4 --out " + plan).status, 0);
    network_.must("campaign start", "--campaign spring --plan " + plan);
    network_.must("enrol",
                  network_.data() + "--keys " + network_.file("keys") + " --out " + network_.file("tokens.csv"));
  }
  [[nodiscard]] CommandResult refused(const std::string& more) const {
    return network_.run("serve", "--keys " + network_.file("keys") + " --page none " + more);
  }
  [[nodiscard]] bool says(const std::string& text) const {
    for (int i = 0; i < 200; ++i) {
      if (test::content_of(network_.file("log")).find(text) != std::string::npos) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return false;
  }
  // SIGHUP, and what became of it.
  [[nodiscard]] bool reload(const std::string& expected) {
    std::ofstream(network_.file("log"));  // the process appends
    ::kill(network_.process(), SIGHUP);
    return says(expected);
  }

  CollectorProcess network_{kFew};
};

TEST_F(Serve, TokensDoNotGoInTheClear) {
  for (const char* address : {"0.0.0.0:0", "[::]:0", "192.0.2.7:0"}) {
    const CommandResult result = refused("--listen " + std::string(address));
    EXPECT_EQ(result.status, 2) << address;
    EXPECT_NE(result.error.find("TLS"), std::string::npos) << result.error;
    EXPECT_NE(result.error.find("--without-tls"), std::string::npos) << result.error;
  }
  // Allowed, it fails for want of that address.
  EXPECT_EQ(refused("--without-tls --listen 192.0.2.7:0").status, 4);
}

TEST_F(Serve, SecretsThatOthersMayReadAreRefused) {
  test::write_secret(network_.file("metrics"), "the-token-of-the-metrics\n");
  const std::string all = "--listen 192.0.2.7:0 --without-tls --admin-token " + network_.file("admin") +
                          " --metrics-token " + network_.file("metrics");
  EXPECT_EQ(refused(all).status, 4) << "all of them are private";
  for (const char* file : {"keys", "admin", "metrics"}) {
    ASSERT_EQ(::chmod(network_.file(file).c_str(), 0644), 0);
    const CommandResult result = refused(all);
    EXPECT_EQ(result.status, 2) << file;
    EXPECT_NE(result.error.find("chmod 600 " + network_.file(file)), std::string::npos) << result.error;
    ASSERT_EQ(::chmod(network_.file(file).c_str(), 0600), 0);
  }
}

TEST_F(Serve, ReadsItsFilesAgainWithoutALostConnection) {
  test::write_secret(network_.file("metrics"), "the-token-of-the-metrics\n");
  std::ofstream(network_.file("page")) << "the first page";
  const auto before = test::lines_of(network_.file("tokens.csv"));
  const std::string name = before.begin()->first;
  network_.serve("--page " + network_.file("page") + " --metrics-token " + network_.file("metrics"));
  RawConnection idle(network_.port());
  EXPECT_EQ(idle.status(request_text("GET", "/metrics", "the-token-of-the-metrics")), 200);
  EXPECT_EQ(idle.status(request_text("GET", "/v1/status", "the-token-of-the-metrics")), 401);
  EXPECT_EQ(idle.exchange(request_text("GET", "/"))->body, "the first page");
  RawConnection half(network_.port());
  const std::string question = request_text("GET", "/v1/question", before.at(name));
  half.send(question.substr(0, question.size() - 7));

  network_.must("enrol",
                network_.data() + "--renew --keys " + network_.file("keys") + " --out " + network_.file("new.csv"));
  test::write_secret(network_.file("admin"), "another-administrators-token\n");
  test::write_secret(network_.file("metrics"), "another-token-of-the-metrics\n");
  std::ofstream(network_.file("page")) << "the second page";
  ASSERT_TRUE(reload("ppgnn: reloaded")) << test::content_of(network_.file("log"));
  half.send(question.substr(question.size() - 7));
  EXPECT_EQ(half.next_status(), 200) << "the key before is still good";
  const auto after = test::lines_of(network_.file("new.csv"));
  ASSERT_NE(after.at(name), before.at(name));
  EXPECT_EQ(idle.status(request_text("GET", "/v1/question", after.at(name))), 200);
  EXPECT_EQ(idle.exchange(request_text("GET", "/"))->body, "the second page");
  EXPECT_EQ(idle.status(request_text("GET", "/metrics", "the-token-of-the-metrics")), 401);
  EXPECT_EQ(idle.status(request_text("GET", "/metrics", "another-token-of-the-metrics")), 200);
  EXPECT_EQ(idle.status(request_text("GET", "/v1/status", "the-administrators-token")), 401);
  EXPECT_EQ(idle.status(request_text("GET", "/v1/status", "another-administrators-token")), 200);

  // One file that is no good: nothing of all that changes.
  test::write_secret(network_.file("admin"), "a-third-administrators-token\n");
  std::ofstream(network_.file("keys")) << "no keys\n";
  EXPECT_TRUE(reload("not reloaded, all stays as it was: " + network_.file("keys")));
  EXPECT_EQ(idle.status(request_text("GET", "/v1/status", "another-administrators-token")), 200);
  EXPECT_EQ(idle.status(request_text("GET", "/v1/question", after.at(name))), 200);
  EXPECT_EQ(network_.stop(SIGTERM), 0);
}

// Somebody who reported, somebody who did not, and nobody: each receipt with its name, and the note where there was a report.
TEST_F(Serve, EachReceiptHasAName) {
  network_.serve();
  const CommandResult reports = test::run_ppgnn("perturb " + network_.data() + "--plan " + network_.file("plan") +
                                                " --out " + network_.file("reports.csv"));
  ASSERT_EQ(reports.status, 0) << reports.error;
  const auto tokens = test::lines_of(network_.file("tokens.csv"));
  const std::string body = test::bytes_of_hex(test::lines_of(network_.file("reports.csv")).at("3"));
  EXPECT_EQ(RawConnection(network_.port())
                .status(request_text("POST", "/v1/reports", tokens.at("3"), "application/cbor", body)),
            201);
  const auto erase = [&](const std::string& names, const std::string& more = "") {
    std::ofstream(network_.file("names.csv")) << "node\n" << names;
    return network_.run("campaign erase", "--file " + network_.file("names.csv") + more);
  };
  const CommandResult silent = erase("5\n");
  EXPECT_EQ(silent.status, 0) << silent.error;
  EXPECT_TRUE(silent.out.starts_with("5: erased; receipt ")) << silent.out;
  EXPECT_EQ(std::count(silent.out.begin(), silent.out.end(), '\n'), 1) << "nothing was computed from a report";
  const CommandResult both = erase("4\n3\n");
  EXPECT_TRUE(both.out.starts_with("4: erased; receipt "));
  EXPECT_NE(both.out.find("\n3: erased; receipt "), std::string::npos);
  EXPECT_NE(both.out.find("is not undone"), std::string::npos);
  const CommandResult unknown = erase("nobody\n");
  EXPECT_EQ(unknown.status, 3);
  EXPECT_EQ(unknown.out, "");
  const json again = json::parse(erase("3\n5\n", " --json").out);
  EXPECT_EQ(again["reports"], 0);
  EXPECT_EQ(again["people"][0]["node"], "3");
  EXPECT_NE(both.out.find(again["people"][0]["receipt"].get<std::string>()), std::string::npos);
  EXPECT_NE(silent.out.find(again["people"][1]["receipt"].get<std::string>()), std::string::npos);
  // Over the network likewise.
  const auto note = [&](const std::string& name) {
    const auto answer = RawConnection(network_.port()).exchange(request_text("DELETE", "/v1/reports", tokens.at(name)));
    return json::parse(answer->body)["note"].get<std::string>();
  };
  EXPECT_EQ(note("6").find("spent"), std::string::npos);
  const std::string seventh = test::bytes_of_hex(test::lines_of(network_.file("reports.csv")).at("7"));
  EXPECT_EQ(RawConnection(network_.port())
                .status(request_text("POST", "/v1/reports", tokens.at("7"), "application/cbor", seventh)),
            201);
  EXPECT_NE(note("7").find("spent"), std::string::npos);
}

}  // namespace
}  // namespace ppgnn
