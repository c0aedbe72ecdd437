#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <map>
#include <string>
#include <thread>
#include <utility>

namespace ppgnn::test {

/// A web server on the loopback for one connection after the other. It answers a path with exactly the bytes it was
/// given, status line and all, and closes; other paths get a 404.
class HttpServer {
 public:
  explicit HttpServer(std::map<std::string, std::string> answers) : answers_(std::move(answers)) {
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
    ::listen(socket_, 8);
    socklen_t size = sizeof(address);
    ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~HttpServer() {
    ::shutdown(socket_, SHUT_RDWR);
    thread_.join();
    ::close(socket_);
  }
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  [[nodiscard]] std::string address() const { return "http://127.0.0.1:" + std::to_string(port_); }

  /// A good answer of that content, declaring `length` bytes.
  static std::string ok(const std::string& content, std::size_t length) {
    return "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: " + std::to_string(length) + "\r\n\r\n" + content;
  }
  static std::string ok(const std::string& content) { return ok(content, content.size()); }

 private:
  void serve() {
    for (;;) {
      const int connection = ::accept(socket_, nullptr, nullptr);
      if (connection < 0) return;
      std::string request;
      char piece[1024];
      while (request.find("\r\n\r\n") == std::string::npos) {
        const ssize_t got = ::recv(connection, piece, sizeof(piece), 0);
        if (got <= 0) break;
        request.append(piece, static_cast<std::size_t>(got));
      }
      const std::string path = request.substr(0, request.find(" HTTP")).substr(request.find(' ') + 1);
      const auto answer = answers_.find(path);
      const std::string bytes = answer == answers_.end()
                                    ? "HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
                                    : answer->second;
      std::size_t sent = 0;
      while (sent < bytes.size()) {
        const ssize_t now = ::send(connection, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
        if (now <= 0) break;
        sent += static_cast<std::size_t>(now);
      }
      ::close(connection);
    }
  }

  std::map<std::string, std::string> answers_;
  int socket_ = -1;
  int port_ = 0;
  std::thread thread_;
};

}  // namespace ppgnn::test
