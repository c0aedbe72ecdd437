#include "ppgnn/collector/http_server.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <new>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "collector/session.hpp"
#include "ppgnn/tokens/tokens.hpp"
//
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

namespace ppgnn::collector {

namespace {

using net::ip::tcp;
using Code = boost::system::error_code;

constexpr auto kLastRequest = std::chrono::seconds(1);  // after a stop, for those that connected before it
constexpr auto kPause = std::chrono::milliseconds(50);  // where there are no descriptors, or is no memory

std::string in_short(const net::ip::address& address) {
  if (!address.is_v6() || address.to_v6().is_v4_mapped()) {
    return address.is_v6() ? net::ip::make_address_v4(net::ip::v4_mapped, address.to_v6()).to_string()
                           : address.to_string();
  }
  auto bytes = address.to_v6().to_bytes();
  std::fill(bytes.begin() + 8, bytes.end(), std::uint8_t{0});
  return net::ip::address_v6(bytes).to_string();
}

// Whether only this machine reaches it.
bool is_own(const net::ip::address& address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    return net::ip::make_address_v4(net::ip::v4_mapped, address.to_v6()).is_loopback();
  }
  return address.is_loopback();
}

// Counts what is under way, for as long as its handler exists: one that an exception ended was never called.
class Pending {
 public:
  explicit Pending(std::atomic<int>& count) : count_(&count) { ++count; }
  Pending(Pending&& other) noexcept : count_(std::exchange(other.count_, nullptr)) {}
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;
  Pending& operator=(Pending&&) = delete;
  ~Pending() {
    if (count_ != nullptr) --*count_;
  }

 private:
  std::atomic<int>* count_;
};

using Timer = net::basic_waitable_timer<std::chrono::steady_clock, net::wait_traits<std::chrono::steady_clock>, Strand>;
using Acceptor = net::basic_socket_acceptor<tcp, Strand>;

// Where connections arrive, and through which door.
struct Listener {
  Listener(const Strand& strand, Door through) : acceptor(strand), pause(strand), door(through) {}
  Acceptor acceptor;
  Timer pause;
  Door door;
  std::atomic<int> accepting = 0;
};

// The end of a socket that somebody else opened.
Result<void> take_over(Acceptor& acceptor, int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  int listens = 0;
  socklen_t one = sizeof(listens);
  if (::getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &listens, &one) != 0 || listens == 0 ||
      ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0 ||
      (address.ss_family != AF_INET && address.ss_family != AF_INET6)) {
    return Error{ErrorCode::invalid_argument, "the socket that was handed over does not listen for TCP"};
  }
  Code code;
  acceptor.assign(address.ss_family == AF_INET ? tcp::v4() : tcp::v6(), socket, code);
  if (code) return Error{ErrorCode::io, "the socket that was handed over cannot be used: " + code.message()};
  return {};
}

Result<void> open(Acceptor& acceptor, const tcp::endpoint& end) {
  Code code;
  acceptor.open(end.protocol(), code);
  if (!code) acceptor.set_option(net::socket_base::reuse_address(true), code);
  if (!code) acceptor.bind(end, code);
  if (!code) acceptor.listen(net::socket_base::max_listen_connections, code);
  if (!code) return {};
  return Error{ErrorCode::io, end.address().to_string() + " port " + std::to_string(end.port()) +
                                  ": cannot be had: " + code.message()};
}

class BeastServer final : public HttpServer {
 public:
  BeastServer(Api& api, ServerOptions options)
      : api_(api),
        options_(std::move(options)),
        places_(options_.connections, options_.address_connections),
        strand_(net::make_strand(context_)) {
    for (const auto& [name, one] : options_.campaigns) {
      if (one != &api) apis_.push_back(one);
    }
  }

  Result<void> listen() {
    Result<void> opened = add(options_, options_.inside ? Door::outside : Door::only);
    if (opened && options_.inside) opened = add(*options_.inside, Door::inside);
    return opened ? renew_tls() : opened;
  }

  Result<void> renew_tls() override {
    if (options_.certificate.empty()) return {};
    Result<std::shared_ptr<net::ssl::context>> made = make_tls();
    if (!made) return made.error();
    const std::lock_guard lock(mutex_);
    tls_ = std::move(made).value();
    return {};
  }

  [[nodiscard]] std::uint16_t port() const override { return ends_.front().port(); }
  [[nodiscard]] std::uint16_t inside_port() const override { return options_.inside ? ends_.back().port() : 0; }
  [[nodiscard]] std::string address() const override { return ends_.front().address().to_string(); }

  void run() override {
    for (const auto& one : listeners_) accept(*one);
    look();
    std::vector<std::thread> others;
    others.reserve(options_.threads);
    try {
      for (std::size_t i = 1; i < options_.threads; ++i) others.emplace_back([this] { work(); });
    } catch (const std::exception&) {
      log_quietly("the system does not give as many threads: it goes on with fewer");
    }
    work();
    for (std::thread& other : others) other.join();
    for (Api* one : apis_) one->finish();  // answers hold sessions, and sessions this
    finished_ = true;
  }

  void stop() override {
    net::post(strand_, [this] {
      if (api_.stopping()) return;
      for (Api* one : apis_) one->stop();
      until_stopped_.reset();
      Code ignored;
      for (const auto& one : listeners_) {
        one->acceptor.close(ignored);
        one->pause.cancel();
      }
      look_.cancel();
      drain(Session::Patience::some);
      last_.expires_after(std::min<std::chrono::milliseconds>(kLastRequest, as_time(options_.drain_seconds)));
      last_.async_wait([this](Code code) {
        if (!code) drain(Session::Patience::none);
      });
      end_.expires_after(as_time(options_.drain_seconds));
      end_.async_wait([this](Code code) {
        if (!code) context_.stop();
      });
      if (api_.connections == 0) all_closed();
    });
  }

 private:
  Result<void> add(const Listening& where, Door door) {
    auto made = std::make_unique<Listener>(strand_, door);
    Result<void> opened;
    Code code;
    if (where.socket >= 0) {
      opened = take_over(made->acceptor, where.socket);
      if (opened) opened = check_reach(made->acceptor.local_endpoint(code).address());
    } else {
      const auto address = net::ip::make_address(where.address, code);
      if (code) return Error{ErrorCode::invalid_argument, "address: " + where.address + " is none"};
      opened = check_reach(address);
      if (opened) opened = open(made->acceptor, {address, where.port});
    }
    if (!opened) return opened;
    ends_.push_back(made->acceptor.local_endpoint(code));
    listeners_.push_back(std::move(made));
    return {};
  }
  [[nodiscard]] Result<void> check_reach(const net::ip::address& address) const {
    if (!options_.certificate.empty() || options_.without_tls || is_own(address)) return {};
    return Error{ErrorCode::invalid_argument,
                 address.to_string() +
                     ": other machines reach this address, and without TLS tokens would go in the clear: "
                     "give a certificate, listen on 127.0.0.1 behind a proxy, or allow it (--without-tls)"};
  }

  void drain(Session::Patience patience) {
    const std::lock_guard lock(mutex_);
    for (const auto& session : sessions_) {
      if (const auto alive = session.lock()) alive->drain(patience);
    }
  }
  void all_closed() {
    last_.cancel();
    end_.cancel();
  }

  // A bug ends one connection and not the collector. Memory that ends does end it (std::terminate, with the exception at hand): a strand
  // of Boost 1.74 that runs out of it halfway stays locked, and whatever needs that strand, a stop too, would wait for ever.
  void work() {
    while (true) {
      try {
        context_.run();
        return;
      } catch (const std::bad_alloc&) {
        std::terminate();
      } catch (const std::exception&) {
        log_quietly("a request ended by an exception, a bug");
        net::post(strand_, [this] { revive(); });
      }
    }
  }
  void log_quietly(const char* line) noexcept {
    try {
      if (options_.log) options_.log(line);
    } catch (const std::exception&) {  // no memory for that either
    }
  }
  // What waits for the next connection, or looks at the store, may be what the exception ended.
  void revive() {
    if (api_.stopping()) return;
    for (const auto& one : listeners_) {
      if (one->accepting == 0) accept(*one);
    }
    if (looking_ == 0) look();
  }

  [[nodiscard]] Result<std::shared_ptr<net::ssl::context>> make_tls() const {
    if (Result<void> allowed = tokens::check_private(options_.key); !allowed) return allowed.error();
    Code code;
    auto tls = std::make_shared<net::ssl::context>(net::ssl::context::tls_server);
    SSL_CTX_set_min_proto_version(tls->native_handle(), TLS1_3_VERSION);
    tls->use_certificate_chain_file(options_.certificate.string(), code);
    if (code) return Error{ErrorCode::io, options_.certificate.string() + ": cannot be used: " + code.message()};
    tls->use_private_key_file(options_.key.string(), net::ssl::context::pem, code);
    if (code) return Error{ErrorCode::io, options_.key.string() + ": cannot be used: " + code.message()};
    return tls;
  }

  void accept(Listener& to) {
    to.acceptor.async_accept(net::make_strand(context_), [this, &to, pending = Pending(to.accepting)](
                                                             Code code, net::basic_stream_socket<tcp, Strand> socket) {
      if (!code) take(std::move(socket), to.door);  // also one that came just before a stop
      if (!to.acceptor.is_open()) return;
      if (code && code != net::error::connection_aborted) return pause(to);  // out of descriptors
      accept(to);
    });
  }
  void pause(Listener& to) {
    to.pause.expires_after(kPause);
    to.pause.async_wait([this, &to, pending = Pending(to.accepting)](Code code) {
      if (!code && to.acceptor.is_open()) accept(to);
    });
  }

  void take(net::basic_stream_socket<tcp, Strand> socket, Door door) {
    Code code;
    const auto peer = socket.remote_endpoint(code);
    if (code) return;  // gone already
    const std::string address = in_short(peer.address());
    if (!places_.take(address, 1, api_.exempts(address))) {
      ++api_.refused_connections;
      return;
    }
    ++api_.connections;
    std::shared_ptr<void> place(nullptr, [this, address](void*) { closed(address); });
    socket.set_option(tcp::no_delay(true), code);
    std::shared_ptr<net::ssl::context> tls;
    {
      const std::lock_guard lock(mutex_);
      tls = tls_;
    }
    const auto session =
        make_session(Stream(std::move(socket)), address, {api_, options_, std::move(tls), std::move(place), door});
    {
      const std::lock_guard lock(mutex_);
      if (++taken_ % 1024 == 0) std::erase_if(sessions_, [](const auto& one) { return one.expired(); });
      sessions_.push_back(session);
    }
    session->start();
  }
  void closed(const std::string& address) {
    places_.give_back(address, 1);
    if (--api_.connections == 0 && api_.stopping() && !finished_) net::post(strand_, [this] { all_closed(); });
  }

  void look() {
    look_.expires_after(as_time(options_.look_seconds));
    look_.async_wait([this, pending = Pending(looking_)](Code code) {
      if (code || api_.stopping()) return;  // a timer that had run out is not cancelled any more
      std::string now;
      for (Api* one : apis_) {
        one->look();
        if (const std::string past = one->take_trouble(); !past.empty() && past != past_) tell(past_ = past);
        if (now.empty()) now = one->trouble();
      }
      tell(now);
      look();
    });
  }

  void tell(const std::string& trouble) {
    if (trouble != trouble_ && options_.log) options_.log(trouble.empty() ? "no more trouble with the store" : trouble);
    trouble_ = trouble;
    if (trouble.empty()) past_.clear();
  }

  Api& api_;  // of one campaign; what is the process's is counted here
  std::vector<Api*> apis_{&api_};
  ServerOptions options_;
  // Before the context: what goes with it gives back what it has of these.
  Shares places_;
  std::atomic<int> looking_ = 0;
  net::io_context context_;
  // What an exception ended may have been the last that was under way: that is no reason to end.
  net::executor_work_guard<net::io_context::executor_type> until_stopped_{context_.get_executor()};
  Strand strand_;  // of everything but the sessions
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::vector<tcp::endpoint> ends_;  // theirs, which outlive them
  Timer look_{strand_};
  Timer last_{strand_};
  Timer end_{strand_};
  std::string trouble_, past_;  // what was told
  std::mutex mutex_;
  std::shared_ptr<net::ssl::context> tls_;
  std::vector<std::weak_ptr<Session>> sessions_;
  std::uint64_t taken_ = 0;
  std::atomic<bool> finished_ = false;
};

}  // namespace

std::optional<std::string> limited_address(const std::string& text) {
  Code code;
  const auto address = net::ip::make_address(text, code);
  if (code) return std::nullopt;
  return in_short(address);
}

Result<std::unique_ptr<HttpServer>> HttpServer::make(Api& api, ServerOptions options) {
  auto server = std::make_unique<BeastServer>(api, std::move(options));
  if (Result<void> listening = server->listen(); !listening) return listening.error();
  return std::unique_ptr<HttpServer>(std::move(server));
}

}  // namespace ppgnn::collector
