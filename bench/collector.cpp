// What the collector takes, beside what it could: a bare server on the same library with the same group commit, and bare inserts
// of the same rows. Ratios within one run; the clients share the machine.
#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "collector/session.hpp"
//
#include <boost/asio/dispatch.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include "ppgnn/client/client.hpp"
#include "ppgnn/collector/batch.hpp"
#include "ppgnn/ldp/planner.hpp"
#include "ppgnn/wire/report_format.hpp"
#include "tests/support/raw_http.hpp"
#include "tests/support/temporary_folder.hpp"

namespace {

using namespace ppgnn;
namespace net = boost::asio;
namespace beast = boost::beast;
using Clock = std::chrono::steady_clock;

double since(Clock::time_point begun) {
  return std::chrono::duration<double>(Clock::now() - begun).count();
}

ldp::Plan make_plan() {
  ldp::PlanRequest request;
  request.columns = {{"word", 500, ldp::ColumnKind::binary, 0, 1, 0}};
  request.budgets = {1, 2, 4, 8, 16};
  return ldp::make_plan(request).value();
}

// A store with so many people, and everybody's token and report.
struct Population {
  explicit Population(int people, const char* folder = nullptr) : path(folder == nullptr ? own.path() : folder) {
    store = std::move(store::open("sqlite:" + (path / "bench.db").string(), store::Opening::create)).value();
    static_cast<void>(store->begin("bench", ""));
    std::vector<store::Person> enrolled;
    for (int i = 0; i < people; ++i) enrolled.push_back({"person-" + std::to_string(i), std::nullopt});
    static_cast<void>(store->enrol(enrolled));
    static_cast<void>(store->publish(0, {plan.text(), "", true}, {}));
    auto device = client::Client::make(plan.text()).value();
    const std::vector<std::uint32_t> words{3, 17, 40, 123, 321};
    for (const store::Person& person : enrolled) {
      items.push_back(
          {keys.token("bench", person.name), device.report(ldp::Level{2}, ldp::Row::ones(words), 0).value()});
      names.push_back(person.name);
    }
  }
  test::TemporaryFolder own;
  std::filesystem::path path;
  ldp::Plan plan = make_plan();
  collector::Keys keys = collector::Keys::make();
  std::unique_ptr<store::Store> store;
  std::vector<collector::BatchItem> items;
  std::vector<std::string> names;
};

// A server that does nothing but read a request, write a row and answer.
class BareServer {
 public:
  explicit BareServer(store::Store& store) : writer_(store, {}), acceptor_(net::make_strand(context_)) {
    acceptor_.open(net::ip::tcp::v4());
    acceptor_.bind({net::ip::address_v4::loopback(), 0});
    acceptor_.listen();
    accept();
    thread_ = std::thread([this] { context_.run(); });
  }
  ~BareServer() {
    context_.stop();
    thread_.join();
    writer_.finish();
  }
  [[nodiscard]] std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

 private:
  struct Session : std::enable_shared_from_this<Session> {
    Session(BareServer& owner, net::basic_stream_socket<net::ip::tcp, collector::Strand> socket)
        : server(owner), stream(std::move(socket)) {}
    void read() {
      request = {};
      beast::http::async_read(
          stream, buffer, request, [self = shared_from_this()](beast::error_code code, std::size_t) {
            if (code) return;
            const std::string name = "bare-" + std::to_string(self->server.next_++);
            const std::string& body = self->request.body();
            static_cast<void>(self->server.writer_.put(
                {{name, 0, std::vector<std::uint8_t>(body.begin(), body.end())}},
                [self](const auto&) { net::dispatch(self->stream.get_executor(), [self] { self->write(); }); }));
          });
    }
    void write() {
      reply = {};
      reply.version(11);
      reply.result(201);
      reply.keep_alive(true);
      reply.body() = "{}";
      reply.prepare_payload();
      beast::http::async_write(stream, reply, [self = shared_from_this()](beast::error_code code, std::size_t) {
        if (!code) self->read();
      });
    }
    BareServer& server;
    collector::Stream stream;
    beast::flat_buffer buffer;
    beast::http::request<beast::http::string_body> request;
    beast::http::response<beast::http::string_body> reply;
  };

  void accept() {
    acceptor_.async_accept(net::make_strand(context_), [this](beast::error_code code, auto socket) {
      if (code) return;
      socket.set_option(net::ip::tcp::no_delay(true));
      std::make_shared<Session>(*this, std::move(socket))->read();
      accept();
    });
  }

  net::io_context context_;
  collector::Writer writer_;
  net::basic_socket_acceptor<net::ip::tcp, collector::Strand> acceptor_;
  std::atomic<std::uint64_t> next_ = 0;
  std::thread thread_;
};

class FullServer {
 public:
  explicit FullServer(Population& population) {
    collector::ApiOptions options;
    options.keys = population.keys;
    options.person_a_second = 0;
    options.address_a_second = 0;
    options.open_metrics = true;
    api_ = std::move(collector::Api::make(*population.store, std::move(options))).value();
    collector::ServerOptions server;
    server.port = 0;
    server.threads = std::max(1U, std::thread::hardware_concurrency());
    server_ = std::move(collector::HttpServer::make(*api_, server)).value();
    thread_ = std::thread([this] { server_->run(); });
  }
  ~FullServer() {
    server_->stop();
    thread_.join();
  }
  [[nodiscard]] std::uint16_t port() const { return server_->port(); }

 private:
  std::unique_ptr<collector::Api> api_;
  std::unique_ptr<collector::HttpServer> server_;
  std::thread thread_;
};

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

void singles(std::size_t connections, int people) {
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
  fmt::print(
      "single reports, {:4} connections: collector {:6.0f}/s (p99 {:5.1f} ms), bare server {:6.0f}/s (p99 {:5.1f} ms): "
      "{:3.0f}%\n",
      connections, full.a_second, 1000 * full.p99, bare.a_second, 1000 * bare.p99, 100 * full.a_second / bare.a_second);
}

void batches(int people) {
  Population there(people);
  Population bare(people);
  std::vector<std::string> requests;
  for (std::size_t first = 0; first < there.items.size(); first += 1000) {
    requests.push_back(post("/v1/reports/batch", "", "application/cbor-seq",
                            collector::cbor_batch({there.items.begin() + static_cast<std::ptrdiff_t>(first),
                                                   there.items.begin() + static_cast<std::ptrdiff_t>(first + 1000)})));
  }
  const auto begun = Clock::now();
  for (std::size_t first = 0; first < bare.items.size(); first += 1000) {
    std::vector<store::Submission> some;
    for (std::size_t i = first; i < first + 1000; ++i) some.push_back({bare.names[i], 0, bare.items[i].report});
    static_cast<void>(bare.store->put(some));
  }
  const double inserts = people / since(begun);
  const FullServer server(there);
  const Rate full = play(server.port(), requests, 8);
  const auto metrics = test::RawConnection(server.port()).exchange(test::request_text("GET", "/metrics"));
  const auto figure = [&](const char* name) {
    const std::size_t at = metrics->body.find(std::string("\n") + name + ' ');
    return std::atof(metrics->body.c_str() + at + std::string(name).size() + 2);
  };
  fmt::print("  groups of {:.0f}, {:.2f} us a report in the store\n",
             figure("ppgnn_commit_reports_total") / figure("ppgnn_commits_total"),
             1e6 * figure("ppgnn_commit_seconds_total") / figure("ppgnn_commit_reports_total"));
  fmt::print("batches of 1,000: collector {:6.0f} reports/s, bare inserts {:6.0f}/s: {:3.0f}%\n", 1000 * full.a_second,
             inserts, 100 * 1000 * full.a_second / inserts);
}

// What a batch costs before it is written, part by part.
void parts(int people) {
  Population there(people);
  const std::string body = collector::cbor_batch({there.items.begin(), there.items.begin() + 1000});
  const auto time = [](const char* name, const auto& action) {
    const auto begun = Clock::now();
    for (int i = 0; i < 200; ++i) action();
    fmt::print("  {:<28} {:.2f} us a report\n", name, 1e6 * since(begun) / 200'000);
  };
  time("reading the batch", [&] { static_cast<void>(collector::parse_cbor_batch(body)); });
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
void idle(std::size_t silent) {
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
    std::sort(took.begin(), took.end());
    return took[100];
  };
  const double alone = first_answer();
  std::vector<std::unique_ptr<test::RawConnection>> held;
  for (std::size_t i = 0; i < silent; ++i) held.push_back(std::make_unique<test::RawConnection>(server.port()));
  const double beside = first_answer();
  fmt::print("a new connection: {:.0f} us alone, {:.0f} us beside {} idle ones: {:.2f} times\n", 1e6 * alone,
             1e6 * beside, silent, beside / alone);
}

// The same reports again and again, and questions: memory must not grow.
void flat(double seconds) {
  Population people(2000);
  std::vector<std::string> requests;
  for (const collector::BatchItem& item : people.items) {
    requests.push_back(post("/v1/reports", item.token, "application/cbor", text_of(item.report)));
    requests.push_back(test::request_text("GET", "/v1/question", item.token));
  }
  const FullServer server(people);
  static_cast<void>(play(server.port(), requests, 50));
  const long before = resident_kilobytes();
  const auto begun = Clock::now();
  std::size_t count = 0;
  while (since(begun) < seconds) {
    static_cast<void>(play(server.port(), requests, 50));
    count += requests.size();
  }
  fmt::print("memory over {:.0f} s and {} requests: {} kB before, {} kB after\n", seconds, count, before,
             resident_kilobytes());
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
  if (wanted("single")) {
    for (const std::size_t connections : {std::size_t{8}, std::size_t{64}, std::size_t{256}})
      singles(connections, 20'000);
  }
  if (wanted("batch")) {
    batches(200'000);
    parts(200'000);
  }
  if (wanted("idle")) idle(2'000);
  if (wanted("memory")) flat(seconds);
  return 0;
}
