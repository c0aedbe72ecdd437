// A running collector and what a system may do to it: a disk that cannot be written, a clock that jumps, descriptors that run out.
#include "support/faults.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <set>

#include "support/collector_process.hpp"

namespace ppgnn {
namespace {

using test::Answer;
using test::CollectorProcess;
using test::Faults;
using test::RawConnection;
using test::request_text;

const std::string kPeople = "synthetic:social,nodes=60,attributes=20,signal=.6";
const std::string kAdministratorsToken = "the-administrators-token";
constexpr std::int64_t kYear = 31'557'600;

// A campaign of one round, made once; each test has a copy.
class Faulty : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    made_ = std::make_unique<CollectorProcess>(kPeople);
    const std::string plan = made_->file("plan");
    ASSERT_EQ(test::run_ppgnn("plan " + made_->data() + "--epsilon 4 --out " + plan).status, 0);
    made_->must("campaign start", "--campaign spring --plan " + plan);
    made_->must("enrol", made_->data() + "--keys " + made_->file("keys") + " --out " + made_->file("tokens.csv"));
    const test::CommandResult reports =
        test::run_ppgnn("perturb " + made_->data() + "--plan " + plan + " --out " + made_->file("reports.csv"));
    ASSERT_EQ(reports.status, 0) << reports.error;
    tokens_ = test::lines_of(made_->file("tokens.csv"));
    for (const auto& [name, hex] : test::lines_of(made_->file("reports.csv"))) {
      names_.push_back(name);
      reports_[name] = test::bytes_of_hex(hex);
    }
    ASSERT_EQ(names_.size(), 60U);
  }
  static void TearDownTestSuite() { made_.reset(); }

  void SetUp() override {
    for (const char* file : {"c.db", "keys"}) std::filesystem::copy_file(made_->file(file), network_.file(file));
    const std::string path = network_.file("faults");
    std::ofstream(path) << std::string(sizeof(Faults), '\0');
    const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    void* at = ::mmap(nullptr, sizeof(Faults), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
    ASSERT_NE(at, MAP_FAILED);
    faults_ = static_cast<Faults*>(at);
  }
  ~Faulty() override {
    if (faults_ != nullptr) ::munmap(faults_, sizeof(Faults));
  }

  void serve(const std::string& more = "") {
    network_.serve(more, "export LD_PRELOAD=" + std::string(PPGNN_FAULTY_SYSTEM) + ' ' +
                             std::string(test::kFaultsVariable) + '=' + network_.file("faults"));
  }
  [[nodiscard]] static std::string post(const std::string& name) {
    return request_text("POST", "/v1/reports", tokens_.at(name), "application/cbor", reports_.at(name));
  }
  [[nodiscard]] int status_of(const std::string& request) const {
    return RawConnection(network_.port()).status(request);
  }
  [[nodiscard]] std::uint64_t stored() const {
    const auto answer =
        RawConnection(network_.port()).exchange(request_text("GET", "/v1/status", kAdministratorsToken));
    const std::string key = "\"reports\":";
    const std::size_t at = answer ? answer->body.find(key) : std::string::npos;
    return at == std::string::npos ? 0 : std::stoull(answer->body.substr(at + key.size()));
  }

  static inline std::unique_ptr<CollectorProcess> made_;
  static inline std::map<std::string, std::string> tokens_;
  static inline std::map<std::string, std::string> reports_;
  static inline std::vector<std::string> names_;
  CollectorProcess network_{kPeople};
  Faults* faults_ = nullptr;
};

// Read only, full, over a quota, broken, or not to be flushed, one after the other, under one process: refused, nothing
// acknowledged that is not stored, and good again once the disk is.
TEST_F(Faulty, ADiskThatCannotBeWrittenIsSaidAndPasses) {
  serve();
  RawConnection connection(network_.port());
  std::size_t person = 0;
  for (const auto& [fault, error] : {std::pair{&Faults::write_error, EROFS},
                                     {&Faults::write_error, ENOSPC},
                                     {&Faults::write_error, EDQUOT},
                                     {&Faults::write_error, EIO},
                                     {&Faults::sync_error, EIO}}) {
    SCOPED_TRACE(error);
    ASSERT_EQ(connection.status(post(names_[person++])), 201);
    const std::uint64_t failed = faults_->failed;
    faults_->*fault = error;
    for (const std::string& request :
         {post(names_[person]), post(names_[person + 1]), request_text("DELETE", "/v1/reports", tokens_.at(names_[0])),
          request_text("POST", "/v1/rounds/0/close", kAdministratorsToken)}) {
      const auto refused = connection.exchange(request);
      ASSERT_TRUE(refused);
      EXPECT_EQ(refused->status, 503) << request.substr(0, 30);
      EXPECT_TRUE(refused->headers.contains("retry-after"));
      EXPECT_NE(refused->body.find("\"urn:ppgnn:problem:storage\""), std::string::npos);
    }
    EXPECT_GE(faults_->failed, failed + 4);
    EXPECT_EQ(status_of(request_text("GET", "/readyz")), 503);
    const auto health = RawConnection(network_.port()).exchange(request_text("GET", "/healthz"));
    ASSERT_TRUE(health);
    EXPECT_EQ(health->status, 200);
    EXPECT_NE(health->body.find("\"trouble\""), std::string::npos);
    const auto why = RawConnection(network_.port()).exchange(request_text("GET", "/v1/status", kAdministratorsToken));
    ASSERT_TRUE(why);
    EXPECT_NE(why->body.find("\"trouble\":\"sqlite:"), std::string::npos);
    EXPECT_EQ(status_of(request_text("GET", "/v1/plan")), 200);
    EXPECT_EQ(stored(), person);
    faults_->*fault = 0;
    EXPECT_EQ(connection.status(post(names_[person])), 201);
    EXPECT_EQ(connection.status(post(names_[person - 1])), 200);
    EXPECT_EQ(status_of(request_text("GET", "/readyz")), 200);
    ++person;
  }
  EXPECT_EQ(stored(), person);
  network_.stop(SIGKILL);
  serve();
  EXPECT_EQ(stored(), person);
  EXPECT_EQ(network_.run("campaign status").status, 0);
}

// Years forward and back while reports come: the answers, the connection, the limits and the store are those of a steady clock.
TEST_F(Faulty, AClockThatJumpsChangesNothing) {
  const auto play = [&](const std::vector<std::int64_t>& jumps) {
    serve("--idle 5 --timeout 5 --person-rate 0.001 --person-burst 2");
    RawConnection connection(network_.port());
    std::vector<int> answers;
    std::size_t next = 0;
    const auto ask = [&](const std::string& request) {
      faults_->clock_jump = jumps[next++ % jumps.size()];
      const auto answer = connection.exchange(request);
      answers.push_back(answer ? answer->status : 0);
    };
    for (std::size_t i = 0; i < 12; ++i) ask(post(names_[i]));
    for (int i = 0; i < 3; ++i) ask(post(names_[0]));  // the first of them is the second with this token
    ask(request_text("GET", "/v1/plan"));
    ask(request_text("GET", "/v1/question", tokens_.at(names_[40])));
    ask(request_text("POST", "/v1/rounds/0/close", kAdministratorsToken));
    ask(post(names_[20]));
    EXPECT_EQ(network_.stop(SIGTERM), 0);
    faults_->clock_jump = 0;
    network_.must("campaign backup", "--out " + network_.file("copy.db"));
    // The trail says when a round was closed; nothing else may know of the time.
    const std::string untimed = "python3 -c \"import sqlite3; d = sqlite3.connect('" + network_.file("copy.db") +
                                "'); d.execute('DELETE FROM trail'); d.commit(); d.execute('VACUUM')\"";
    EXPECT_EQ(std::system(untimed.c_str()), 0);
    std::string copy = test::content_of(network_.file("copy.db"));
    for (const char* file : {"copy.db", "c.db", "c.db-wal", "c.db-shm"}) std::filesystem::remove(network_.file(file));
    std::filesystem::copy_file(made_->file("c.db"), network_.file("c.db"));
    return std::pair(answers, std::move(copy));
  };
  const auto steady = play({0});
  std::vector<int> expected(12, 201);
  expected.insert(expected.end(), {200, 429, 429, 200, 200, 200, 409});
  EXPECT_EQ(steady.first, expected);
  const auto jumping = play({0, 10 * kYear, 200 * kYear, -30 * kYear, -kYear, 1});
  EXPECT_EQ(jumping.first, expected);
  EXPECT_TRUE(jumping.second == steady.second) << "there is something of the time in the store";
}

// Out of descriptors: who is connected is served, who comes waits, and it goes on.
TEST_F(Faulty, WithoutDescriptorsItWaits) {
  serve();
  RawConnection connection(network_.port());
  ASSERT_EQ(connection.status(post(names_[0])), 201);
  rlimit before{};
  ASSERT_EQ(prlimit(network_.process(), RLIMIT_NOFILE, nullptr, &before), 0);
  const rlimit few{3, before.rlim_max};  // no more than there are
  ASSERT_EQ(prlimit(network_.process(), RLIMIT_NOFILE, &few, nullptr), 0);
  RawConnection waiting(network_.port());
  waiting.send(request_text("GET", "/healthz"));
  EXPECT_FALSE(waiting.receive(200));
  EXPECT_EQ(connection.status(post(names_[1])), 201);
  EXPECT_EQ(connection.status(request_text("DELETE", "/v1/reports", tokens_.at(names_[1]))), 200);
  ASSERT_EQ(prlimit(network_.process(), RLIMIT_NOFILE, &before, nullptr), 0);
  EXPECT_EQ(waiting.next_status(), 200);
  EXPECT_EQ(network_.stop(SIGTERM), 0);
}

// Little address space: below what it needs it does not begin. Where memory ends later, at whatever call, the process goes on or it ends
// with a status that says so, never as if it had been asked to, and whatever it acknowledged is stored. With no memory left at all (the
// first limit) it has to end: a strand that met that halfway would stay locked, and the process would neither answer nor stop.
TEST_F(Faulty, WithLittleAddressSpaceItEndsWithAStatus) {
  for (const char* kilobytes : {"32768", "65536", "131072"}) {
    const test::CommandResult refused =
        test::run_ppgnn("serve " + network_.store() + "--listen 127.0.0.1:0 --keys " + network_.file("keys"),
                        ". && ulimit -v " + std::string(kilobytes));
    EXPECT_EQ(refused.status, 7);
    EXPECT_NE(refused.error.find("address space is limited to"), std::string::npos) << refused.error;
  }
  std::set<std::string> acknowledged;
  std::size_t next = 0;
  for (const rlim_t more : {0U, 1U, 8U, 24U}) {
    SCOPED_TRACE(more);
    serve();
    ASSERT_EQ(status_of(request_text("GET", "/healthz")), 200);
    std::ifstream sizes("/proc/" + std::to_string(network_.process()) + "/statm");
    rlim_t pages = 0;
    sizes >> pages;
    const rlimit all{pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + (more << 20), RLIM_INFINITY};
    ASSERT_EQ(prlimit(network_.process(), RLIMIT_AS, &all, nullptr), 0);
    std::vector<std::unique_ptr<RawConnection>> held;
    const auto ended = [&] {
      siginfo_t found{};
      return ::waitid(P_PID, static_cast<id_t>(network_.process()), &found, WEXITED | WNOHANG | WNOWAIT) == 0 &&
             found.si_pid != 0;
    };
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1200);
    while (std::chrono::steady_clock::now() < end && !ended()) {
      held.push_back(std::make_unique<RawConnection>(network_.port()));
      held.back()->send("GET /healthz HTTP/1.1\r\nHost: h\r\nX: " + std::string(12'000, 'x'));
      held.push_back(std::make_unique<RawConnection>(network_.port()));
      held.back()->send(
          "POST /v1/reports/batch HTTP/1.1\r\nHost: h\r\nContent-Type: application/x-ndjson\r\n"
          "Content-Length: 8000000\r\n\r\n" +
          std::string(200'000, 'x'));
      RawConnection connection(network_.port());
      const std::string& name = names_[next++ % names_.size()];
      connection.send(post(name));
      const auto answer = connection.receive(100);
      if (answer && (answer->status == 200 || answer->status == 201)) acknowledged.insert(name);
      if (held.size() > 400) held.clear();
    }
    const int status = ended() ? network_.stop(0) : network_.stop(SIGTERM);
    const std::string log = test::content_of(network_.file("log"));
    EXPECT_TRUE(status == 7 || (status == 0 && more > 0)) << status << '\n' << log;
    EXPECT_EQ(status == 7, log.find("out of memory: the collector ends") != std::string::npos) << log;
    EXPECT_TRUE(status != 0 || log.find("stopping:") != std::string::npos) << log;
    std::filesystem::remove(network_.file("log"));
    serve();
    for (const std::string& name : acknowledged) EXPECT_EQ(status_of(post(name)), 200);
    EXPECT_EQ(network_.stop(SIGTERM), 0);
    std::filesystem::remove(network_.file("log"));
  }
}

// Everybody's report over many connections at once, from two collectors on one store: each is stored once, and said to be.
TEST_F(Faulty, RacingDuplicatesAreStoredOnce) {
  serve();
  CollectorProcess other(kPeople);
  for (const char* file : {"c.db", "keys"}) std::filesystem::create_symlink(network_.file(file), other.file(file));
  other.serve();
  std::atomic<int> created = 0;
  std::atomic<int> repeated = 0;
  std::vector<std::thread> clients;
  for (int t = 0; t < 8; ++t) {
    clients.emplace_back([&, t] {
      RawConnection connection(t % 2 == 0 ? network_.port() : other.port());
      for (const std::string& name : names_) {
        const auto answer = connection.exchange(post(name));
        if (answer && answer->status == 201) ++created;
        if (answer && answer->status == 200) ++repeated;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(created, 60);
  EXPECT_EQ(repeated, 7 * 60);
  EXPECT_EQ(stored(), 60U);
}

// Files that are moved, replaced, removed, cut or overwritten under the process: nothing is acknowledged that the next start would not
// find, and what is put back is good again.
TEST_F(Faulty, AStoreThatIsNotWhereItWasTakesNothing) {
  serve();
  RawConnection connection(network_.port());
  const auto refuses = [&](const std::string& name) {
    EXPECT_EQ(connection.status(post(name)), 503);
    EXPECT_EQ(connection.status(request_text("DELETE", "/v1/reports", tokens_.at(names_[0]))), 503);
    EXPECT_EQ(connection.status(request_text("GET", "/readyz")), 503);
  };
  ASSERT_EQ(connection.status(post(names_[0])), 201);
  std::size_t next = 1;
  for (const std::string file : {"c.db", "c.db-wal", "c.db-shm"}) {
    SCOPED_TRACE(file);
    std::filesystem::rename(network_.file(file), network_.file("away"));
    refuses(names_[next]);
    std::filesystem::copy_file(network_.file("away"), network_.file(file));
    refuses(names_[next]);
    std::filesystem::rename(network_.file("away"), network_.file(file));
    EXPECT_EQ(connection.status(post(names_[next - 1])), 200);
    const int again = connection.status(post(names_[next++]));
    EXPECT_TRUE(again == 201 || again == 200) << again;
  }
  const std::string content = test::content_of(network_.file("c.db"));
  for (const std::string& other :
       {std::string(), content.substr(0, content.size() / 2), std::string(content.size(), 'x')}) {
    std::filesystem::resize_file(network_.file("c.db"), other.size());
    std::fstream(network_.file("c.db"), std::ios::in | std::ios::out | std::ios::binary) << other;
    refuses(names_[next]);
  }
  EXPECT_EQ(network_.stop(SIGTERM), 0);
}

// The write-ahead log cut or overwritten under the process, which is killed then: whatever was acknowledged is there, before the
// damage and after it, and the process said what to do.
TEST_F(Faulty, AnAcknowledgedReportOutlivesItsLog) {
  const std::string log = network_.file("c.db-wal");
  std::set<std::string> acknowledged;
  std::size_t next = 0;
  for (const bool cut : {true, false}) {
    serve();
    const auto send = [&](int reports) {
      for (int i = 0; i < reports; ++i, ++next) {
        const int status = status_of(post(names_[next]));
        if (status == 201) acknowledged.insert(names_[next]);
        EXPECT_TRUE(status == 201 || status == 503) << status;
      }
    };
    send(5);
    ASSERT_GE(acknowledged.size() + 2, next);
    if (cut) {
      std::filesystem::resize_file(log, 0);
    } else {
      const auto size = std::filesystem::file_size(log);
      std::fstream file(log, std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(static_cast<std::streamoff>(size / 3));
      file << std::string(size / 3, 'x');
      file.close();
      std::this_thread::sleep_for(std::chrono::milliseconds(50));  // all of the log is compared 50 times a second
    }
    send(5);
    network_.stop(SIGKILL);
    serve();
    EXPECT_EQ(stored(), acknowledged.size());
    for (const std::string& name : acknowledged) EXPECT_EQ(status_of(post(name)), 200);
    // Once more, and without a kill: the log of the process says it, though all is good again.
    send(5);
    std::filesystem::resize_file(log, 0);
    send(5);
    const auto said = [&] {
      return test::content_of(network_.file("log")).find("-wal, was cut or overwritten") != std::string::npos;
    };
    for (int i = 0; i < 100 && !said(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_TRUE(said());
    std::filesystem::remove(network_.file("log"));
    network_.stop(SIGKILL);
  }
  EXPECT_GE(acknowledged.size(), 10U);
}

// A log on a full disk, or that nobody reads any more, ends nothing.
TEST_F(Faulty, ALogThatCannotBeWrittenEndsNothing) {
  std::filesystem::create_symlink("/dev/full", network_.file("log"));
  serve("--log-requests");
  EXPECT_EQ(RawConnection(network_.port()).status(post(names_[0])), 201);
  faults_->write_error = ENOSPC;
  EXPECT_EQ(RawConnection(network_.port()).status(post(names_[1])), 503);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // until it wants to say so
  faults_->write_error = 0;
  EXPECT_EQ(RawConnection(network_.port()).status(post(names_[1])), 201);
  EXPECT_EQ(network_.stop(SIGTERM), 0);
  std::filesystem::remove(network_.file("log"));
  ASSERT_EQ(::mkfifo(network_.file("log").c_str(), 0600), 0);
  const int reader = ::open(network_.file("log").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  serve("--log-requests");
  ::close(reader);
  EXPECT_EQ(RawConnection(network_.port()).status(post(names_[2])), 201);
  EXPECT_EQ(RawConnection(network_.port()).status(post(names_[3])), 201);
  EXPECT_EQ(network_.stop(SIGTERM), 0);
}

// As soon as it says that it listens.
TEST_F(Faulty, AStopAtTheStartIsAStop) {
  for (int i = 0; i < 4; ++i) {
    serve();
    EXPECT_EQ(network_.stop(SIGTERM), 0);
  }
}

// Stopped with a request half sent, one that nobody reads the answer of, one idle, and one half closed: within --drain.
TEST_F(Faulty, StopsWhateverClientsDo) {
  serve("--drain 0.3");
  RawConnection half(network_.port());
  RawConnection header(network_.port());
  RawConnection idle(network_.port());
  RawConnection closed(network_.port());
  half.send(post(names_[0]).substr(0, post(names_[0]).size() - 3));
  header.send("POST /v1/rep");
  closed.send(post(names_[1]));
  ::shutdown(closed.socket(), SHUT_WR);
  EXPECT_EQ(closed.next_status(), 201);  // whoever says that nothing more follows wants the answer
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(network_.stop(SIGTERM), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(5));
}

}  // namespace
}  // namespace ppgnn
