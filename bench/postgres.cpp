// A campaign in PostgreSQL: groups of 1,000 reports beside COPY of the same rows, and what a million of them take to count and to read. On a
// server of its own that flushes to the disk. A bar that is missed is said, and the exit code is 1: on a machine that does nothing else.
#include <fmt/core.h>
#include <libpq-fe.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "ppgnn/admission/admission.hpp"
#include "ppgnn/client/client.hpp"
#include "ppgnn/ldp/planner.hpp"
#include "ppgnn/store/store.hpp"
#include "tests/support/postgres_server.hpp"

namespace {

using namespace ppgnn;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kGroup = 1'000;
constexpr std::size_t kGroups = 60;  // a round
constexpr int kRounds = 5;

double since(Clock::time_point begun) {
  return std::chrono::duration<double>(Clock::now() - begun).count();
}
void require(bool good, const char* what) {
  if (good) return;
  fmt::print("{}: failed\n", what);
  std::exit(1);
}

ldp::Plan make_plan() {
  ldp::PlanRequest request;
  request.columns = {{"word", 500, ldp::ColumnKind::binary, 0, 1, 0}};
  request.budgets = {1, 2, 4, 8, 16};
  return ldp::make_plan(request).value();
}

void append(std::string& text, std::uint64_t value, int bytes) {
  for (int i = bytes; i-- > 0;) text += static_cast<char>(value >> (8 * i) & 0xFF);
}

// The rows of a group as COPY reads them.
std::string copied(const std::vector<store::Submission>& group, std::uint64_t number) {
  std::string text("PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0", 19);
  for (const store::Submission& one : group) {
    append(text, 5, 2);
    append(text, 4, 4);
    append(text, 1, 4);
    append(text, 4, 4);
    append(text, one.round, 4);
    append(text, 8, 4);
    append(text, number++, 8);
    append(text, one.name.size(), 4);
    text += one.name;
    append(text, one.bytes.size(), 4);
    text.append(one.bytes.begin(), one.bytes.end());
  }
  append(text, 0xFFFF, 2);
  return text;
}

class Copier {
 public:
  explicit Copier(const std::string& place) : connection_(PQconnectdb(place.c_str())) {}
  ~Copier() { PQfinish(connection_); }
  Copier(const Copier&) = delete;
  Copier& operator=(const Copier&) = delete;
  void execute(const char* sql) const {
    PGresult* result = PQexec(connection_, sql);
    require(PQresultStatus(result) == PGRES_COMMAND_OK, sql);
    PQclear(result);
  }
  void copy(const std::string& rows) const {
    PGresult* begun = PQexec(connection_, "COPY ppgnn.reports(campaign, round, number, name, bytes) FROM STDIN BINARY");
    require(PQresultStatus(begun) == PGRES_COPY_IN, "copy");
    PQclear(begun);
    require(PQputCopyData(connection_, rows.data(), static_cast<int>(rows.size())) == 1, "copy");
    require(PQputCopyEnd(connection_, nullptr) == 1, "copy");
    while (PGresult* result = PQgetResult(connection_)) {
      require(PQresultStatus(result) == PGRES_COMMAND_OK, "copy");
      PQclear(result);
    }
  }

 private:
  PGconn* connection_;
};

// Names that nobody had before, in no order, with reports.
class People {
 public:
  explicit People(const ldp::Plan& plan) {
    auto device = client::Client::make(plan.text()).value();
    const std::vector<std::uint32_t> words{3, 17, 40, 123, 321};
    for (int i = 0; i < 1000; ++i) {
      reports_.push_back(device.report(ldp::Level{2}, ldp::Row::ones(words), 0).value());
    }
  }
  std::vector<store::Submission> group(std::size_t size) {
    std::vector<store::Submission> made;
    for (std::size_t i = 0; i < size; ++i) {
      const std::vector<std::uint8_t>& report = reports_[next_ % reports_.size()];
      made.push_back({"person-" + std::to_string(next_++), 0, report});
    }
    std::shuffle(made.begin(), made.end(), random_);
    return made;
  }

 private:
  std::vector<std::vector<std::uint8_t>> reports_;
  std::size_t next_ = 0;
  std::mt19937 random_{7};
};

double median(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

double groups_beside_copy(store::Store& store, const Copier& copier, People& people) {
  std::vector<double> shares;
  std::uint64_t number = std::uint64_t{1} << 62;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::vector<store::Submission>> groups;
    std::vector<std::string> rows;
    for (std::size_t i = 0; i < kGroups; ++i) {
      groups.push_back(people.group(kGroup));
      rows.push_back(copied(people.group(kGroup), number));
      number += kGroup;
    }
    copier.execute("CHECKPOINT");
    double put = 0;
    double copy = 0;
    for (std::size_t i = 0; i < kGroups; ++i) {  // one after the other: the machine's other work falls on both
      auto begun = Clock::now();
      require(store.put(groups[i]).ok(), "a group");
      put += since(begun);
      begun = Clock::now();
      copier.copy(rows[i]);
      copy += since(begun);
    }
    shares.push_back(copy / put);
    fmt::print("groups of {}: {:7.0f} reports a second; COPY {:7.0f}; {:.0f}%\n", kGroup,
               static_cast<double>(kGroup * kGroups) / put, static_cast<double>(kGroup * kGroups) / copy,
               100 * copy / put);
  }
  return median(shares);
}

}  // namespace

// bench_postgres [reports]
int main(int argc, char** argv) {
  const std::size_t reports = argc > 1 && argv[1][0] != '-' ? std::strtoul(argv[1], nullptr, 10) : 1'000'000;
  if (const std::string missing = test::PostgresServer::missing(); !missing.empty()) {
    fmt::print("{}\n", missing);
    return 0;
  }
  test::PostgresServer server(true);
  const std::string place = server.new_database();
  const auto store = std::move(store::open("postgres:" + place, store::Opening::create)).value();
  const ldp::Plan plan = make_plan();
  require(store->begin("bench", "").ok() && store->publish(0, {plan.text(), "", true}, {}).ok(), "a round");
  People people(plan);
  const double share = groups_beside_copy(*store, Copier(place), people);
  fmt::print("median {:.0f}% of COPY\n", 100 * share);

  for (std::size_t i = 2 * kRounds * kGroups * kGroup; i < reports; i += 4000) {
    require(store->put(people.group(4000)).ok(), "a group");
  }
  require(store->campaign().ok() && store->counts().ok(), "status");  // connects
  double status = 0;
  for (int i = 0; i < 20; ++i) {
    const auto begun = Clock::now();
    require(store->campaign().ok() && store->counts().ok(), "status");
    status = std::max(status, since(begun));
  }
  fmt::print("status within {:.1f} ms, of 20\n", 1e3 * status);
  const auto begun = Clock::now();
  std::size_t admitted = 0;
  const admission::Round round{&plan, 0, true, false};
  const admission::Person person{true, {}, std::nullopt};
  require(store
              ->each_report(0,
                            [&](std::string_view, std::span<const std::uint8_t> bytes) {
                              admitted += admission::admit(round, person, bytes) ? 1U : 0U;
                              return true;
                            })
              .ok(),
          "reading");
  const double rate = static_cast<double>(admitted) / since(begun);
  fmt::print("{} reports read, parsed and checked: {:.0f} a second\n", admitted, rate);
  if (share >= .65 && status <= .05 && rate >= 500'000) return 0;
  fmt::print("the bars are 65%, 50 ms and 500000 a second\n");
  return 1;
}
