#pragma once

#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "ppgnn/collector/http_server.hpp"
#include "support/raw_http.hpp"

namespace ppgnn::test {

/// A server on a free port, for as long as this lives.
class RunningServer {
 public:
  /// On any port that is free, unless the options name one.
  explicit RunningServer(collector::Api& api) : RunningServer(api, with_any_port({})) {}
  RunningServer(collector::Api& api, collector::ServerOptions options) {
    if (options.port == collector::ServerOptions().port) options = with_any_port(std::move(options));
    server_ = std::move(collector::HttpServer::make(api, std::move(options))).value();
    thread_ = std::thread([this] { server_->run(); });
  }
  ~RunningServer() { stop(); }
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;

  void stop() {
    server_->stop();
    if (thread_.joinable()) thread_.join();
  }
  static collector::ServerOptions with_any_port(collector::ServerOptions options) {
    options.port = 0;
    return options;
  }
  [[nodiscard]] collector::HttpServer& server() { return *server_; }
  void begin_stop() { server_->stop(); }
  [[nodiscard]] std::uint16_t port() const { return server_->port(); }
  [[nodiscard]] std::optional<Answer> exchange(const std::string& bytes) const {
    return RawConnection(port()).exchange(bytes);
  }

 private:
  std::unique_ptr<collector::HttpServer> server_;
  std::thread thread_;
};

}  // namespace ppgnn::test
