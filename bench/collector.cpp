// What the collector takes, beside what it could: a bare server on the same library with the same group commit, and bare inserts
// of the same rows. Ratios within one run, the median of several; the clients share the machine. A bar that is missed is said, and
// the exit code is 1.
#include <fmt/core.h>
#include <poll.h>
#include <sqlite3.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "collector_servers.hpp"
//
#include "ppgnn/collector/batch.hpp"
#include "ppgnn/wire/report_format.hpp"
#include "store/sqlite_form.hpp"
#include "tests/support/cbor_batch.hpp"
#include "tests/support/raw_http.hpp"

namespace {

using namespace ppgnn;
using bench::BareServer;
using bench::FullServer;
using bench::Population;
using Clock = std::chrono::steady_clock;

double since(Clock::time_point begun) {
  return std::chrono::duration<double>(Clock::now() - begun).count();
}

struct Rate {
  double a_second = 0;
  double p99 = 0;  // seconds
};

// Every request once, on so many connections that wait for each answer. One thread, so that the client takes little of the machine.
Rate play(std::uint16_t port, const std::vector<std::string>& requests, std::size_t connections) {
  struct One {
    int socket = -1;
    Clock::time_point sent;
    std::string answer;
  };
  std::vector<One> all(connections);
  std::vector<pollfd> ready(connections);
  std::vector<double> took;
  took.reserve(requests.size());
  std::size_t next = 0;
  std::size_t wrong = 0;
  const auto send_next = [&](std::size_t i) {
    if (next == requests.size()) {
      ready[i].fd = -1;
      return;
    }
    const std::string& text = requests[next++];
    all[i].sent = Clock::now();
    std::size_t sent = 0;
    while (sent < text.size()) {
      const ssize_t size = ::send(all[i].socket, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (size <= 0) std::abort();
      sent += static_cast<std::size_t>(size);
    }
  };
  for (std::size_t i = 0; i < connections; ++i) {
    all[i].socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(all[i].socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) std::abort();
    ready[i] = {all[i].socket, POLLIN, 0};
  }
  const auto begun = Clock::now();
  for (std::size_t i = 0; i < connections; ++i) send_next(i);
  char buffer[65536];
  while (took.size() < requests.size()) {
    if (::poll(ready.data(), ready.size(), 10'000) <= 0) std::abort();
    for (std::size_t i = 0; i < connections; ++i) {
      if (ready[i].fd < 0 || (ready[i].revents & POLLIN) == 0) continue;
      const ssize_t size = ::recv(all[i].socket, buffer, sizeof(buffer), 0);
      if (size <= 0) std::abort();
      all[i].answer.append(buffer, static_cast<std::size_t>(size));
      const std::size_t head = all[i].answer.find("\r\n\r\n");
      if (head == std::string::npos) continue;
      const std::size_t at = all[i].answer.find("Content-Length: ");
      if (all[i].answer.size() < head + 4 + std::strtoul(all[i].answer.c_str() + at + 16, nullptr, 10)) continue;
      wrong += all[i].answer.compare(9, 2, "20") == 0 ? 0U : 1U;
      all[i].answer.clear();
      took.push_back(since(all[i].sent));
      send_next(i);
    }
  }
  const double seconds = since(begun);
  for (const One& one : all) ::close(one.socket);
  if (wrong > 0) fmt::print("  {} answers were refusals\n", wrong);
  std::nth_element(took.begin(), took.begin() + static_cast<std::ptrdiff_t>(took.size() * 99 / 100), took.end());
  return {static_cast<double>(requests.size()) / seconds, took[took.size() * 99 / 100]};
}

std::string post(const std::string& path, const std::string& token, const std::string& type, const std::string& body) {
  return test::request_text("POST", path, token, type, body);
}

std::string text_of(const std::vector<std::uint8_t>& bytes) {
  return {bytes.begin(), bytes.end()};
}

long resident_kilobytes() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("VmRSS:")) return std::strtol(line.c_str() + 6, nullptr, 10);
  }
  return 0;
}

// What was promised, and whether it holds.
class Bars {
 public:
  void at_least(const std::string& what, double value, double bar) { hold(what, value, bar, value >= bar, "below"); }
  void at_most(const std::string& what, double value, double bar) { hold(what, value, bar, value <= bar, "above"); }
  [[nodiscard]] bool missed() const { return missed_; }

 private:
  void hold(const std::string& what, double value, double bar, bool good, const char* side) {
    if (good) return;
    missed_ = true;
    fmt::print("MISSED: {}: {:.2f}, {} the bar of {:.2f}\n", what, value, side, bar);
  }
  bool missed_ = false;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

constexpr int kRepeats = 5;

void singles(Bars& bars, std::size_t connections, int people) {
  std::vector<double> ratios;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    std::vector<std::string> requests;
    Population bare_people(0);
    Population people_there(people);
    for (const collector::BatchItem& item : people_there.items) {
      requests.push_back(post("/v1/reports", item.token, "application/cbor", text_of(item.report)));
    }
    Rate bare;
    Rate full;
    {
      const BareServer server(*bare_people.store);
      bare = play(server.port(), requests, connections);
    }
    {
      const FullServer server(people_there);
      full = play(server.port(), requests, connections);
    }
    ratios.push_back(full.a_second / bare.a_second);
    fmt::print(
        "single reports, {:4} connections: collector {:6.0f}/s (p99 {:5.1f} ms), bare server {:6.0f}/s (p99 {:5.1f} "
        "ms): {:3.0f}%\n",
        connections, full.a_second, 1000 * full.p99, bare.a_second, 1000 * bare.p99, 100 * ratios.back());
  }
  fmt::print("single reports, {:4} connections: median {:3.0f}%\n", connections, 100 * median(ratios));
  bars.at_least(fmt::format("single reports, {} connections, of the bare server", connections), median(ratios), .5);
}

// Rows of the store's form by nothing but SQLite: one prepared statement, the store's pragmas, a transaction for each thousand.
double bare_inserts(const Population& population) {
  const test::TemporaryFolder folder;
  sqlite3* database = nullptr;
  const auto must = [&](int code) {
    if (code == SQLITE_OK || code == SQLITE_DONE) return;
    fmt::print("{}\n", sqlite3_errmsg(database));
    std::abort();
  };
  const auto run = [&](const char* sql) { must(sqlite3_exec(database, sql, nullptr, nullptr, nullptr)); };
  must(sqlite3_open((folder.path() / "bare.db").c_str(), &database));
  run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA trusted_schema = OFF;"
      "PRAGMA cell_size_check = ON");
  for (const char* step : store::kMigrations) run(step);
  sqlite3_stmt* insert = nullptr;
  must(sqlite3_prepare_v3(database, "INSERT INTO reports(name, round, bytes) VALUES(?, 0, ?)", -1,
                          SQLITE_PREPARE_PERSISTENT, &insert, nullptr));
  const auto begun = Clock::now();
  for (std::size_t first = 0; first < population.items.size(); first += 1000) {
    run("BEGIN IMMEDIATE");
    for (std::size_t i = first; i < first + 1000; ++i) {
      const std::string& name = population.names[i];
      const std::vector<std::uint8_t>& report = population.items[i].report;
      must(sqlite3_bind_blob64(insert, 1, name.data(), name.size(), SQLITE_STATIC));
      must(sqlite3_bind_blob64(insert, 2, report.data(), report.size(), SQLITE_STATIC));
      must(sqlite3_step(insert));
      must(sqlite3_reset(insert));
    }
    run("COMMIT");
  }
  const double rate = static_cast<double>(population.items.size()) / since(begun);
  sqlite3_finalize(insert);
  sqlite3_close(database);
  return rate;
}

void batches(Bars& bars, int people) {
  std::vector<double> ratios;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    Population there(people);
    std::vector<std::string> requests;
    for (std::size_t first = 0; first < there.items.size(); first += 1000) {
      const auto from = there.items.begin() + static_cast<std::ptrdiff_t>(first);
      requests.push_back(post("/v1/reports/batch", "", "application/cbor-seq", test::cbor_batch({from, from + 1000})));
    }
    const double inserts = bare_inserts(there);
    const FullServer server(there);
    const Rate full = play(server.port(), requests, 8);
    ratios.push_back(1000 * full.a_second / inserts);
    const auto metrics = test::RawConnection(server.port()).exchange(test::request_text("GET", "/metrics"));
    const auto figure = [&](const char* name) {
      const std::size_t at = metrics->body.find(std::string("\n") + name + ' ');
      return std::atof(metrics->body.c_str() + at + std::string(name).size() + 2);
    };
    fmt::print(
        "batches of 1,000: collector {:6.0f} reports/s (groups of {:.0f}, {:.2f} us a report in the store), bare "
        "inserts {:6.0f}/s: {:3.0f}%\n",
        1000 * full.a_second, figure("ppgnn_commit_reports_total") / figure("ppgnn_commits_total"),
        1e6 * figure("ppgnn_commit_seconds_total") / figure("ppgnn_commit_reports_total"), inserts,
        100 * ratios.back());
  }
  fmt::print("batches of 1,000: median {:3.0f}%\n", 100 * median(ratios));
  bars.at_least("batches of 1,000, of bare inserts", median(ratios), .8);
}

// What a batch costs before it is written, part by part.
void parts(int people) {
  Population there(people);
  const std::string body = test::cbor_batch({there.items.begin(), there.items.begin() + 1000});
  const auto time = [](const char* name, const auto& action) {
    const auto begun = Clock::now();
    for (int i = 0; i < 200; ++i) action();
    fmt::print("  {:<28} {:.2f} us a report\n", name, 1e6 * since(begun) / 200'000);
  };
  time("reading the batch",
       [&] { static_cast<void>(collector::parse_cbor_batch(body, [](const auto&) { return true; })); });
  time("tokens", [&] {
    for (int i = 0; i < 1000; ++i)
      static_cast<void>(there.keys.person("bench", there.items[static_cast<std::size_t>(i)].token));
  });
  const std::vector<std::string_view> names(there.names.begin(), there.names.begin() + 1000);
  time("who they are", [&] { static_cast<void>(there.store->standings(names)); });
  time("reading the reports", [&] {
    for (int i = 0; i < 1000; ++i)
      static_cast<void>(wire::decode(there.plan, there.items[static_cast<std::size_t>(i)].report));
  });
}

// New connections beside many that say nothing.
void idle(Bars& bars, std::size_t silent) {
  Population people(1);
  const FullServer server(people);
  const auto first_answer = [&] {
    std::vector<double> took;
    for (int i = 0; i < 200; ++i) {
      const auto begun = Clock::now();
      test::RawConnection connection(server.port());
      if (!connection.exchange(test::request_text("GET", "/healthz"))) std::abort();
      took.push_back(since(begun));
    }
    return median(took);
  };
  std::vector<double> ratios;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const double alone = first_answer();
    std::vector<std::unique_ptr<test::RawConnection>> held;
    for (std::size_t i = 0; i < silent; ++i) held.push_back(std::make_unique<test::RawConnection>(server.port()));
    const double beside = first_answer();
    ratios.push_back(beside / alone);
    fmt::print("a new connection: {:.0f} us alone, {:.0f} us beside {} idle ones: {:.2f} times\n", 1e6 * alone,
               1e6 * beside, silent, ratios.back());
  }
  bars.at_most("a new connection beside idle ones, times as long", median(ratios), 1.5);
}

// The same reports again and again, and questions: memory must not grow.
void flat(Bars& bars, double seconds) {
  Population people(2000);
  std::vector<std::string> requests;
  for (const collector::BatchItem& item : people.items) {
    requests.push_back(post("/v1/reports", item.token, "application/cbor", text_of(item.report)));
    requests.push_back(test::request_text("GET", "/v1/question", item.token));
  }
  const FullServer server(people);
  for (int i = 0; i < 3; ++i) static_cast<void>(play(server.port(), requests, 50));
  const long before = resident_kilobytes();
  const auto begun = Clock::now();
  std::size_t count = 0;
  while (since(begun) < seconds) {
    static_cast<void>(play(server.port(), requests, 50));
    count += requests.size();
  }
  const long after = resident_kilobytes();
  fmt::print("memory over {:.0f} s and {} requests: {} kB before, {} kB after\n", seconds, count, before, after);
  bars.at_most("memory, kB more than before", static_cast<double>(after - before), 4096);
}

}  // namespace

// bench_collector [seconds of the memory test [single|batch|idle|memory]]
int main(int argc, char** argv) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  const double seconds = argc > 1 && argv[1][0] != '-' ? std::atof(argv[1]) : 10;
  const std::string part = argc > 2 ? argv[2] : "";
  const auto wanted = [&](const char* name) { return part.empty() || part == name; };
  Bars bars;
  if (wanted("single")) {
    for (const std::size_t connections : {std::size_t{8}, std::size_t{64}, std::size_t{256}})
      singles(bars, connections, 20'000);
  }
  if (wanted("batch")) {
    batches(bars, 200'000);
    parts(200'000);
  }
  if (wanted("idle")) idle(bars, 2'000);
  if (wanted("memory")) flat(bars, seconds);
  return bars.missed() ? 1 : 0;
}
