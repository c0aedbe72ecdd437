#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>

/// A client that sends exactly the bytes it is told to.
namespace ppgnn::test {

struct Answer {
  int status = 0;
  std::map<std::string, std::string> headers;  ///< names in lower case
  std::string body;
};

class RawConnection {
 public:
  /// `to`, `from`: addresses of this machine, of either version; all of 127.0.0.0/8 are.
  explicit RawConnection(std::uint16_t port, const std::string& to = "127.0.0.1", const std::string& from = {})
      : socket_(::socket(to.find(':') == std::string::npos ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    open_ = (from.empty() || with_address(from, 0, ::bind)) && with_address(to, port, ::connect);
  }
  ~RawConnection() { ::close(socket_); }
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;

  [[nodiscard]] bool open() const { return open_; }
  [[nodiscard]] int socket() const { return socket_; }
  /// False where the other side is gone.
  bool send(const std::string& bytes) const {
    std::size_t sent = 0;
    while (sent < bytes.size()) {
      const ssize_t size = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (size <= 0) return false;
      sent += static_cast<std::size_t>(size);
    }
    return true;
  }
  /// The next answer; nothing where none comes in time, or the connection ends before it is whole.
  std::optional<Answer> receive(int milliseconds = 20'000) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
    while (true) {
      if (std::optional<Answer> answer = take()) return answer;
      if (!more(end)) return std::nullopt;
    }
  }
  std::optional<Answer> exchange(const std::string& bytes) {
    send(bytes);
    return receive();
  }
  /// The status alone; 0 where there is no answer.
  int next_status() {
    const std::optional<Answer> answer = receive();
    return answer ? answer->status : 0;
  }
  int status(const std::string& bytes) {
    send(bytes);
    return next_status();
  }
  /// All that comes within this time, as it is.
  std::string drain(int milliseconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
    while (more(end)) {
    }
    return std::exchange(pending_, {});
  }
  /// Whether the other side closed, within this time.
  bool closed(int milliseconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
    while (more(end)) {
    }
    return ended_;
  }

 private:
  template <class Call>
  bool with_address(const std::string& text, std::uint16_t port, Call call) const {
    sockaddr_in four{};
    four.sin_family = AF_INET;
    four.sin_port = htons(port);
    if (::inet_pton(AF_INET, text.c_str(), &four.sin_addr) == 1) {
      return call(socket_, reinterpret_cast<const sockaddr*>(&four), sizeof(four)) == 0;
    }
    sockaddr_in6 six{};
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(port);
    return ::inet_pton(AF_INET6, text.c_str(), &six.sin6_addr) == 1 &&
           call(socket_, reinterpret_cast<const sockaddr*>(&six), sizeof(six)) == 0;
  }
  bool more(std::chrono::steady_clock::time_point end) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
    pollfd ready{socket_, POLLIN, 0};
    if (left <= 0 || ::poll(&ready, 1, static_cast<int>(left)) != 1) return false;
    char buffer[16384];
    const ssize_t size = ::recv(socket_, buffer, sizeof(buffer), 0);
    if (size <= 0) {
      ended_ = true;
      return false;
    }
    pending_.append(buffer, static_cast<std::size_t>(size));
    return true;
  }
  std::optional<Answer> take() {
    const std::size_t head = pending_.find("\r\n\r\n");
    if (head == std::string::npos) return std::nullopt;
    Answer answer;
    answer.status = std::stoi(pending_.substr(9, 3));
    for (std::size_t at = pending_.find("\r\n") + 2; at < head;) {
      const std::size_t end = pending_.find("\r\n", at);
      const std::size_t colon = pending_.find(':', at);
      std::string name = pending_.substr(at, colon - at);
      std::transform(name.begin(), name.end(), name.begin(), [](unsigned char sign) { return std::tolower(sign); });
      answer.headers[name] = pending_.substr(colon + 2, end - colon - 2);
      at = end + 2;
    }
    const auto length = answer.headers.find("content-length");
    const std::size_t size = length == answer.headers.end() ? 0 : std::stoul(length->second);
    if (pending_.size() < head + 4 + size) return std::nullopt;
    answer.body = pending_.substr(head + 4, size);
    pending_.erase(0, head + 4 + size);
    return answer;
  }

  int socket_;
  bool open_ = false;
  bool ended_ = false;
  std::string pending_;
};

inline std::string request_text(const std::string& method, const std::string& target, const std::string& token = {},
                                const std::string& type = {}, const std::string& body = {}) {
  std::string text = method + ' ' + target + " HTTP/1.1\r\nHost: here\r\n";
  if (!token.empty()) text += "Authorization: Bearer " + token + "\r\n";
  if (!type.empty()) text += "Content-Type: " + type + "\r\n";
  if (method == "POST" || !body.empty()) text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return text + "\r\n" + body;
}

}  // namespace ppgnn::test
