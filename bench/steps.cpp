// How long somebody waits for an answer while a campaign of a million people makes its steps, and for the state of it. A bar that is
// missed is said, and the exit code is 1: on a machine that does nothing else.
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "collector_servers.hpp"
//
#include "tests/support/raw_http.hpp"

namespace {

using namespace ppgnn;
using Clock = std::chrono::steady_clock;

constexpr double kBar = .05;  // seconds
const std::string kAdministrator = "an-administrator-of-benchmarks";

double since(Clock::time_point begun) {
  return std::chrono::duration<double>(Clock::now() - begun).count();
}
void require(bool good, const char* what) {
  if (good) return;
  fmt::print("{}: failed\n", what);
  std::exit(1);
}

double time_of(std::uint16_t port, const std::string& request) {
  const auto begun = Clock::now();
  const auto answer = test::RawConnection(port).exchange(request);
  require(answer && answer->status == 200, request.c_str());
  return since(begun);
}

// Asks for health all the time, over new connections; the longest wait since it was asked last.
class Probe {
 public:
  explicit Probe(std::uint16_t port)
      : thread_([this, port] {
          while (!over_) {
            const double took = time_of(port, test::request_text("GET", "/healthz"));
            longest_ = std::max(longest_.load(), took);
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
          }
        }) {}
  ~Probe() {
    over_ = true;
    thread_.join();
  }
  [[nodiscard]] double longest() { return longest_.exchange(0); }

 private:
  std::atomic<bool> over_ = false;
  std::atomic<double> longest_ = 0;
  std::thread thread_;
};

struct Rounds {
  std::vector<std::string> names;
  std::string list[2];
  std::vector<store::Asked> asked[2];
};

Rounds make_rounds(std::size_t people) {
  Rounds rounds;
  for (std::size_t i = 0; i < people; ++i) {
    rounds.names.push_back("person-" + std::to_string(i));
    rounds.list[i % 2] += rounds.names.back() + '\n';
    rounds.asked[i % 2].push_back({rounds.names.back(), std::vector<std::uint8_t>(60, static_cast<std::uint8_t>(i))});
  }
  return rounds;
}

void put_all(store::Store& store, const Rounds& rounds, std::uint32_t round, const std::vector<std::uint8_t>& bytes) {
  std::vector<store::Submission> group;
  for (std::size_t i = round; i < rounds.names.size(); i += 2) {
    group.push_back({rounds.names[i], round, bytes});
    if (group.size() < 4000 && i + 2 < rounds.names.size()) continue;
    require(store.put(group).ok(), "reports");
    group.clear();
  }
}

}  // namespace

// bench_steps [people]
int main(int argc, char** argv) {
  const std::size_t people = argc > 1 && argv[1][0] != '-' ? std::strtoul(argv[1], nullptr, 10) : 1'000'000;
  const test::TemporaryFolder folder;
  const std::string where = "sqlite:" + (folder.path() / "steps.db").string();
  const auto store = std::move(store::open(where, store::Opening::create)).value();
  const auto steps = std::move(store::open(where, store::Opening::existing)).value();  // as a command has it
  const Rounds rounds = make_rounds(people);
  const ldp::Plan plans[2] = {bench::make_plan(), bench::make_plan(501)};
  {
    std::vector<store::Person> enrolled;
    for (const std::string& name : rounds.names) enrolled.push_back({name, std::nullopt});
    require(steps->begin("bench", "").ok() && steps->enrol(enrolled).ok(), "enrolment");
  }
  require(steps->publish(0, {plans[0].text(), rounds.list[0], true}, rounds.asked[0]).ok(), "the first round");

  collector::ApiOptions options;
  options.keys = tokens::Keys::make();
  options.administrators.emplace("admin", kAdministrator);
  options.address_a_second = 0;
  auto begun = Clock::now();
  const auto api = std::move(collector::Api::make(*store, std::move(options))).value();
  collector::ServerOptions server_options;
  server_options.port = 0;
  server_options.threads = 2;
  const auto server = std::move(collector::HttpServer::make(*api, server_options)).value();
  std::thread serving([&] { server->run(); });
  fmt::print("{} people: listens after {:.3f} s\n", people, since(begun));

  double worst = 0;
  {
    Probe probe(server->port());
    const auto phase = [&](const char* name, const auto& action) {
      static_cast<void>(probe.longest());
      begun = Clock::now();
      action();
      const double took = since(begun);
      std::this_thread::sleep_for(std::chrono::seconds(4));  // what is read aside is read
      const double longest = probe.longest();
      worst = std::max(worst, longest);
      fmt::print("{:<28} {:6.2f} s, health within {:5.1f} ms\n", name, took, 1e3 * longest);
    };
    const auto post = [&](const std::string& path) {
      static_cast<void>(time_of(server->port(), test::request_text("POST", path, kAdministrator, "", "")));
    };
    const auto served = [&](const ldp::Plan& plan) {
      const auto answer = test::RawConnection(server->port()).exchange(test::request_text("GET", "/v1/plan"));
      return answer && answer->body == plan.text();
    };
    phase("at the start", [] {});
    phase("reports of round 0", [&] { put_all(*steps, rounds, 0, std::vector<std::uint8_t>(60, 1)); });
    phase("close", [&] { post("/v1/rounds/0/close"); });
    phase("ask, by another process", [&] {
      require(steps->publish(1, {plans[1].text(), rounds.list[1], true}, rounds.asked[1]).ok(), "the second round");
      const auto written = Clock::now();
      while (!served(plans[1])) std::this_thread::sleep_for(std::chrono::milliseconds(2));
      fmt::print("{:<28} {:6.2f} s after it was written\n", "  the new round is served", since(written));
    });
    phase("reports of round 1", [&] { put_all(*steps, rounds, 1, std::vector<std::uint8_t>(60, 2)); });
    phase("close", [&] { post("/v1/rounds/1/close"); });
    phase("predictions", [&] { require(steps->conclude(std::string(20 * people, 'x')).ok(), "predictions"); });
  }
  double status = 0;
  for (int i = 0; i < 20; ++i) {
    status = std::max(status, time_of(server->port(), test::request_text("GET", "/v1/status", kAdministrator)));
  }
  fmt::print("status within {:.1f} ms, of 20\n", 1e3 * status);
  server->stop();
  serving.join();
  if (worst <= kBar && status <= kBar) return 0;
  fmt::print("the bar is {:.0f} ms\n", 1e3 * kBar);
  return 1;
}
