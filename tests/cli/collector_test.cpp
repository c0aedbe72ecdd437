// A campaign over the network: from many devices to predictions, with everything that goes wrong on the way.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "cli/rounds.hpp"
#include "support/collector_process.hpp"
#include "support/datasets.hpp"
#include "support/end_to_end.hpp"

namespace ppgnn {
namespace {

using nlohmann::json;
using test::CollectorProcess;
using test::CommandResult;
using test::lines_of;
using test::RawConnection;
using test::request_text;
using test::run_ppgnn;

const std::string kNetwork = "synthetic:social,nodes=600,attributes=40,signal=.6";

TEST(Collector, EndToEndIsTheCampaignOfOneProcess) {
  test::end_to_end(kNetwork, "--budgets 4,4.5,5,6,8", true);
}

TEST(Collector, EndToEndOnCora) {
  PPGNN_NEEDS_DATA();
  test::end_to_end("cora", "--level-public", false);
}

// Everybody's token and report, and what a collector said to them.
class Load {
 public:
  Load(std::map<std::string, std::string> tokens, std::map<std::string, std::string> reports)
      : tokens_(std::move(tokens)) {
    for (auto& [name, hex] : reports) items_.emplace_back(name, test::bytes_of_hex(hex));
  }

  // Hands in everybody's report, again and again where there is no answer, until told to stop or all are answered.
  void run(const CollectorProcess& network, std::size_t threads) {
    stop_ = false;
    for (std::size_t t = 0; t < threads; ++t) {
      threads_.emplace_back([&network, this] {
        RawConnection connection(network.port());
        while (!stop_) {
          const std::size_t item = next_++ % items_.size();
          const auto& [name, report] = items_[item];
          const auto answer =
              connection.exchange(request_text("POST", "/v1/reports", tokens_.at(name), "application/cbor", report));
          if (!answer) return;  // killed
          const std::lock_guard lock(mutex_);
          if (answer->status == 201 || answer->status == 200) acknowledged_.insert(name);
          if (answer->status == 201) ++created_[name];
          if (answer->status == 409) ++differing_;
        }
      });
    }
  }
  void stop() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  [[nodiscard]] std::size_t acknowledged() {
    const std::lock_guard lock(mutex_);
    return acknowledged_.size();
  }
  // Everything that was acknowledged is there, byte for byte; nobody's report was stored twice or replaced.
  void check(const CollectorProcess& network) {
    RawConnection connection(network.port());
    for (const std::string& name : acknowledged_) {
      const auto item = std::find_if(items_.begin(), items_.end(), [&](const auto& one) { return one.first == name; });
      const auto answer =
          connection.exchange(request_text("POST", "/v1/reports", tokens_.at(name), "application/cbor", item->second));
      ASSERT_TRUE(answer);
      EXPECT_EQ(answer->status, 200) << "an acknowledged report is not there";
    }
    for (const auto& [name, times] : created_) EXPECT_EQ(times, 1) << "stored twice";
    EXPECT_EQ(differing_, 0U);
  }
  // Hands in what is missing.
  void finish(const CollectorProcess& network) {
    RawConnection connection(network.port());
    for (const auto& [name, report] : items_) {
      const auto answer =
          connection.exchange(request_text("POST", "/v1/reports", tokens_.at(name), "application/cbor", report));
      ASSERT_TRUE(answer);
      ASSERT_TRUE(answer->status == 200 || answer->status == 201) << answer->body;
    }
  }
  [[nodiscard]] std::size_t size() const { return items_.size(); }

 private:
  std::map<std::string, std::string> tokens_;
  std::vector<std::pair<std::string, std::string>> items_;
  std::atomic<bool> stop_ = false;
  std::atomic<std::size_t> next_ = 0;
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::set<std::string> acknowledged_;
  std::map<std::string, int> created_;
  std::size_t differing_ = 0;
};

Load load_for(const CollectorProcess& network, int round = 0) {
  return Load(lines_of(network.file("tokens.csv")), test::reports_of_round(network, round));
}

// PPGNN_KILLS, spread over the states of a campaign: 5 by default, 50 in make soak.
TEST(Collector, KilledAtAnyMomentNothingIsLostOrInvented) {
  const char* wanted = std::getenv("PPGNN_KILLS");
  const int kills = wanted == nullptr ? 5 : std::atoi(wanted);
  std::random_device device;
  const unsigned seed = device();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto moment = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most)); };
  CollectorProcess network("synthetic:social,nodes=400,attributes=40,signal=.6");
  network.must("campaign start", network.data() + "--campaign spring --epsilon 8");  // so that pilots' answers help
  network.must("enrol", network.data() + "--keys " + network.file("keys") + " --out " + network.file("tokens.csv"));
  const auto reports_in = [&](int round) {
    const json status = json::parse(network.run("campaign status", "--json").out);
    return status["rounds"].at(static_cast<std::size_t>(round))["reports"].get<std::size_t>();
  };
  constexpr int kRounds = 3;  // teach, pilot, answer
  for (int round = 0; round < kRounds; ++round) {
    network.serve();
    Load load = load_for(network, round);
    for (int kill = 0; kill < (kills + kRounds - 1) / kRounds; ++kill) {
      load.run(network, 8);
      std::this_thread::sleep_for(std::chrono::milliseconds(moment(60)));
      network.stop(SIGKILL);
      load.stop();
      const std::size_t known = load.acknowledged();
      network.serve();
      EXPECT_GE(reports_in(round), known);
      EXPECT_LE(reports_in(round), load.size());
      load.check(network);
    }
    load.finish(network);
    EXPECT_EQ(reports_in(round), load.size());
    // Killed steps are made again.
    test::kill_during(network, "campaign close", "--round " + std::to_string(round), moment(20));
    network.must("campaign close", "--round " + std::to_string(round));
    network.stop(SIGKILL);  // with the round closed
    if (round + 1 < kRounds) {
      const std::string step = network.data() + (round == 0 ? " --pilots" : "");
      for (int i = 0; i < kills / 5; ++i) test::kill_during(network, "campaign ask", step, moment(1500));
      network.must("campaign ask", step);
      network.must("campaign ask", step);
    }
    EXPECT_EQ(reports_in(round), load.size());
  }
  for (int i = 0; i < kills / 5; ++i) test::kill_during(network, "train", network.data(), moment(1500));
  network.must("train", network.data());
  network.must("train", network.data());
  EXPECT_TRUE(json::parse(network.run("campaign status", "--json").out)["concluded"]);
  const CommandResult predicted = network.run("predict");
  EXPECT_EQ(std::count(predicted.out.begin(), predicted.out.end(), '\n'), 401);
}

// A process whose files may not grow has a full disk: 503, nothing acknowledged that is not stored, and room again is enough.
TEST(Collector, AFullDiskIsSaidAndPasses) {
  CollectorProcess network(kNetwork);
  network.must("campaign start", network.data() + "--campaign spring");
  network.must("enrol", network.data() + "--keys " + network.file("keys") + " --out " + network.file("tokens.csv"));
  network.serve();
  const Load made = load_for(network);
  network.stop(SIGTERM);
  const auto tokens = lines_of(network.file("tokens.csv"));
  const auto reports = lines_of(network.file("reports.csv"));
  network.serve("", "ulimit -S -f 400");  // blocks of 512 bytes
  RawConnection connection(network.port());
  std::vector<std::string> stored;
  std::vector<std::string> refused;
  for (const auto& [name, hex] : reports) {
    const auto answer = connection.exchange(
        request_text("POST", "/v1/reports", tokens.at(name), "application/cbor", test::bytes_of_hex(hex)));
    ASSERT_TRUE(answer);
    if (answer->status == 201) stored.push_back(name);
    if (answer->status == 503) {
      EXPECT_TRUE(answer->headers.contains("retry-after"));
      refused.push_back(name);
    }
    if (refused.size() == 3) break;
  }
  ASSERT_EQ(refused.size(), 3U) << "the disk never was full: " << stored.size();
  ASSERT_FALSE(stored.empty());
  const rlimit room{RLIM_INFINITY, RLIM_INFINITY};
  ASSERT_EQ(prlimit(network.process(), RLIMIT_FSIZE, &room, nullptr), 0);
  for (const std::string& name : refused) {
    const auto answer = connection.exchange(
        request_text("POST", "/v1/reports", tokens.at(name), "application/cbor", test::bytes_of_hex(reports.at(name))));
    EXPECT_EQ(answer->status, 201);
  }
  for (const std::string& name : stored) {
    const auto answer = connection.exchange(
        request_text("POST", "/v1/reports", tokens.at(name), "application/cbor", test::bytes_of_hex(reports.at(name))));
    EXPECT_EQ(answer->status, 200);
  }
}

// One device, with a ledger: the report leaves once, and the same bytes go again.
TEST(Collector, OneDeviceSubmits) {
  CollectorProcess network(kNetwork);
  network.must("campaign start", network.data() + "--campaign spring");
  network.must("enrol", network.data() + "--keys " + network.file("keys") + " --out " + network.file("tokens.csv"));
  network.serve();
  std::ofstream(network.file("me.csv")) << "column,value\n3,1\n7,1\n";
  std::string teacher;
  std::string other;
  for (const auto& [name, token] : lines_of(network.file("tokens.csv"))) {
    const auto answer = RawConnection(network.port()).exchange(request_text("GET", "/v1/question", token));
    (json::parse(answer->body)["asked"] == true ? teacher : other) = token;
  }
  const auto submit = [&](const std::string& token, const std::string& ledger) {
    std::ofstream(network.file("token")) << token << '\n';
    return run_ppgnn("submit --json --server " + network.url() + " --token " + network.file("token") + " --features " +
                     network.file("me.csv") + " --level 1 --limit 3 --ledger " + network.file(ledger));
  };
  const CommandResult first = submit(teacher, "ledger");
  ASSERT_EQ(first.status, 0) << first.error;
  EXPECT_TRUE(json::parse(first.out)["stored"]);
  const CommandResult again = submit(teacher, "ledger");
  ASSERT_EQ(again.status, 0) << again.error;
  EXPECT_FALSE(json::parse(again.out)["stored"]);
  EXPECT_FALSE(json::parse(again.out)["fresh"]);
  // It was made for this collector, with or without a slash behind its address, and goes to nobody else without a word.
  const auto elsewhere = [&](const std::string& more) {
    return run_ppgnn("submit --server " + network.url() + more + " --token " + network.file("token") + " --features " +
                     network.file("me.csv") + " --level 1 --limit 3 --ledger " + network.file("ledger"))
        .status;
  };
  EXPECT_EQ(elsewhere("/"), 0);
  EXPECT_EQ(elsewhere(" --recipient https://elsewhere.example"), 1);
  EXPECT_EQ(elsewhere(" --recipient https://elsewhere.example --other-recipient"), 0);
  // Somebody who lost the ledger makes no second report.
  EXPECT_EQ(submit(teacher, "another-ledger").status, 1);
  // New keys: old and new tokens are good, and a second change has to wait.
  const auto enrol = [&](const std::string& out) {
    return network
        .run("enrol", network.data() + "--renew --keys " + network.file("keys") + " --out " + network.file(out))
        .status;
  };
  EXPECT_EQ(enrol("tokens-2.csv"), 0);
  EXPECT_EQ(enrol("tokens-3.csv"), 2);
  EXPECT_EQ(std::filesystem::status(network.file("keys")).permissions() & std::filesystem::perms(077),
            std::filesystem::perms::none);
  const CommandResult silent = submit(other, "other-ledger");
  ASSERT_EQ(silent.status, 0) << silent.error;
  EXPECT_FALSE(json::parse(silent.out)["reported"]);
  EXPECT_EQ(submit("no.token", "third-ledger").status, 3);
  EXPECT_EQ(run_ppgnn("submit --server http://example.invalid --token " + network.file("token") + " --level 1").status,
            2);  // in the clear
  EXPECT_EQ(network.stop(SIGTERM), 0);
  const std::string log = test::content_of(network.file("log"));
  EXPECT_EQ(log.find(teacher), std::string::npos);
}

TEST(Collector, OneRoundIsTheShortCase) {
  CollectorProcess network(kNetwork);
  ASSERT_EQ(run_ppgnn("plan " + network.data() + "--epsilon 4 --out " + network.file("p")).status, 0);
  network.must("campaign start", "--campaign spring --plan " + network.file("p"));
  network.must("campaign start", "--campaign spring --plan " + network.file("p"));
  EXPECT_NE(network.run("campaign start", "--campaign autumn --plan " + network.file("p")).status, 0);
  network.must("enrol", network.data() + "--keys " + network.file("keys") + " --out " + network.file("tokens.csv"));
  network.serve();
  const CommandResult handed = run_ppgnn("submit --server " + network.url() + " --simulate " + network.data_name() +
                                         " --tokens " + network.file("tokens.csv"));
  ASSERT_EQ(handed.status, 0) << handed.error;
  const std::string train = network.data() + "--epochs 20 --model " + network.file("model");
  EXPECT_NE(network.run("train", train).status, 0);  // the round is open
  network.must("campaign close", "--round 0");
  network.must("train", train);
  EXPECT_EQ(json::parse(network.run("predict", "--json").out)["predictions"].size(), 600U);
  EXPECT_NE(network.run("campaign ask", network.data()).status, 0);
  network.must("campaign backup", "--out " + network.file("copy.db"));
  EXPECT_EQ(run_ppgnn("campaign status --store sqlite:" + network.file("copy.db")).status, 0);
}

// What faces the network loads no threads of TBB, and has nothing of a graph or a network's layers in it.
TEST(CollectorProcesses, HaveNothingToComputeWith) {
  const std::string program = (std::filesystem::path(PPGNN_BINARY).parent_path() / "ppgnn-serve").string();
  const auto said_by = [](const std::string& command) {
    std::FILE* pipe = popen(command.c_str(), "r");
    std::string text;
    for (int sign = std::fgetc(pipe); sign != EOF; sign = std::fgetc(pipe)) text += static_cast<char>(sign);
    EXPECT_EQ(pclose(pipe), 0) << command;
    return text;
  };
  const std::string loaded = said_by("ldd " + program);
  EXPECT_NE(loaded.find("libsqlite3"), std::string::npos);
  EXPECT_EQ(loaded.find("libtbb"), std::string::npos);
  const std::string symbols = said_by("nm -C " + program);
  EXPECT_NE(symbols.find("ppgnn::collector::"), std::string::npos);
  for (const char* room : {"graph", "kernels", "nn", "train", "server", "teach", "campaign", "simulate"}) {
    EXPECT_EQ(symbols.find("ppgnn::" + std::string(room) + "::"), std::string::npos) << room;
  }
}

}  // namespace
}  // namespace ppgnn
