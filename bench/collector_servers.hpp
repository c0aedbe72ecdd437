#pragma once

#include <algorithm>
#include <atomic>
#include <filesystem>
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
#include "tests/support/temporary_folder.hpp"

/// What the collector is measured with: people who report, the collector, and servers that do less.
namespace ppgnn::bench {

namespace net = boost::asio;
namespace beast = boost::beast;

inline ldp::Plan make_plan(std::uint32_t columns = 500) {
  ldp::PlanRequest request;
  request.columns = {{"word", columns, ldp::ColumnKind::binary, 0, 1, 0}};
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
  tokens::Keys keys = tokens::Keys::make();
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
    options.exempt = {"127.0.0.1"};
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

}  // namespace ppgnn::bench
