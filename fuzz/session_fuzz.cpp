// Any bytes, in any pieces, from a client to a session: several requests a connection, some of them half, some after the answer that
// ends it. Every answer is well formed, nothing follows the last, and when the client is gone so is the session, with all it took.
//
// The first byte says how (Manner); after it, 0x1e ends a piece.
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "collector/session.hpp"
//
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include "collector_target.hpp"

namespace {

using namespace ppgnn;
namespace net = boost::asio;

[[noreturn]] void wrong(const char* what, std::string_view text = {}) {
  std::fprintf(stderr, "session: %s\n%.*s\n", what, static_cast<int>(text.size()), text.data());
  std::abort();
}

constexpr std::size_t kMostPieces = 24;  // but for those that the input ends itself: each takes a turn of everything

struct Manner {
  explicit Manner(std::uint8_t byte)
      : piece(std::array<std::size_t, 8>{1 << 20, 1, 2, 3, 7, 16, 64, 1000}[byte & 7U]),
        leaves((byte & 8U) != 0),
        drained((byte & 16U) != 0),
        patient((byte & 32U) != 0) {}
  std::size_t piece;  // bytes at a time
  bool leaves;        // without reading what still comes
  bool drained;       // the server says that it is time to go, after the first piece
  bool patient;       // and waits for a first request
};

// Takes one answer off the front; whether it says that nothing follows. `heads`: answers without their content may come.
bool take_answer(std::string_view& text, bool heads) {
  const std::string_view all = text;
  const std::size_t head = text.find("\r\n\r\n");
  if (!text.starts_with("HTTP/1.1 ") || head == std::string_view::npos || text.size() < 13) wrong("no answer", all);
  const unsigned status = static_cast<unsigned>(std::atoi(std::string(text.substr(9, 3)).c_str()));
  if (status != 100 && !fuzz::is_known_status(status)) wrong("an unknown status", all);
  bool last = false;
  std::size_t length = 0;
  bool has_length = false;
  std::set<std::string_view> names;
  for (std::size_t at = text.find("\r\n") + 2; at < head + 2;) {
    const std::size_t end = text.find("\r\n", at);
    const std::string_view line = text.substr(at, end - at);
    const std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos || colon == 0) wrong("a line without a name", all);
    if (!names.insert(line.substr(0, colon)).second) wrong("a name twice", all);
    for (const char sign : line) {
      if (static_cast<unsigned char>(sign) < 32 || static_cast<unsigned char>(sign) > 126) wrong("a hidden sign", all);
    }
    if (line == "Connection: close") last = true;
    if (line.starts_with("Content-Length: ")) {
      has_length = true;
      length = std::strtoul(std::string(line.substr(16)).c_str(), nullptr, 10);
    }
    at = end + 2;
  }
  text.remove_prefix(head + 4);
  if (status == 100) return false;
  if (has_length == (status == 204)) wrong("a length, or none", all);
  if (heads && (text.empty() || text.starts_with("HTTP/1.1 "))) return last;
  if (text.size() < length) wrong("an answer that ends early", all);
  if (status >= 400 && (length == 0 || text[0] != '{' || text[length - 1] != '}')) wrong("no problem", all);
  text.remove_prefix(length);
  return last;
}

void check_answers(std::string_view text, bool heads) {
  while (!text.empty()) {
    if (take_answer(text, heads) && !text.empty()) wrong("more after the last answer", text);
  }
}

// One thread plays both sides; only the writer of reports has its own.
class Client {
 public:
  Client(net::io_context& context, collector::Api& api, const collector::ServerOptions& options) : context_(context) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0) wrong("no sockets");
    end_ = ends[0];
    // A session asks nothing of its socket that a local one could not do.
    net::basic_stream_socket<net::ip::tcp, collector::Strand> socket(net::make_strand(context));
    socket.assign(net::ip::tcp::v4(), ends[1]);
    // The writer may be the last to let go of a session, and then nothing else wakes this thread.
    const std::shared_ptr<void> place(nullptr, [this, &context](void*) {
      ++closed_;  // from here on this may be gone
      net::post(context, [] {});
    });
    session_ = collector::make_session(collector::Stream(std::move(socket)), "here", {api, options, nullptr, place});
    watch_ = session_;
    session_->start();
    session_.reset();
  }
  ~Client() { leave(); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void send(std::string_view piece) {
    while (!piece.empty()) {
      const ssize_t size = ::send(end_, piece.data(), piece.size(), MSG_NOSIGNAL);
      if (size < 0 && errno != EAGAIN) return;  // it closed
      if (size > 0) piece.remove_prefix(static_cast<std::size_t>(size));
      pump();
    }
  }
  void drain(bool patient) {
    using Patience = collector::Session::Patience;
    if (const auto alive = watch_.lock()) alive->drain(patient ? Patience::some : Patience::none);
    pump();
  }
  void leave() {
    if (end_ >= 0) ::close(end_);
    end_ = -1;
  }
  /// Says that nothing follows, and waits until the session is gone.
  std::string finish() {
    if (end_ >= 0) ::shutdown(end_, SHUT_WR);
    while (true) {
      pump();
      if (closed_ > 0) break;
      if (context_.run_one_for(std::chrono::seconds(5)) == 0) wrong("it hangs", received_);
    }
    if (closed_ != 1 || !watch_.expired()) wrong("closed twice, or not gone");
    return std::move(received_);
  }

 private:
  // Until there is nothing to do but wait.
  void pump() {
    while (true) {
      const std::size_t done = context_.poll();
      static std::array<char, 65536> buffer;
      const ssize_t size = end_ < 0 ? -1 : ::recv(end_, buffer.data(), buffer.size(), 0);
      if (size > 0) received_.append(buffer.data(), static_cast<std::size_t>(size));
      if (done == 0 && size <= 0) return;
    }
  }

  net::io_context& context_;
  int end_ = -1;
  std::atomic<int> closed_ = 0;
  std::shared_ptr<collector::Session> session_;
  std::weak_ptr<collector::Session> watch_;
  std::string received_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static net::io_context context;
  static const auto busy = net::make_work_guard(context);
  static const collector::ServerOptions options;
  const Manner manner(data[0]);
  fuzz::CollectorTarget& target = fuzz::CollectorTarget::next();
  const std::string text = target.text(data + 1, size - 1);

  collector::Api& api = *target.campaign.api;
  Client client(context, api, options);
  const std::size_t piece = std::max(manner.piece, text.size() / kMostPieces + 1);
  std::string_view rest = text;
  for (bool first = true; !rest.empty(); first = false) {
    const std::size_t cut = std::min({rest.find('\x1e'), piece, rest.size()});
    client.send(rest.substr(0, cut));
    rest.remove_prefix(cut);
    if (rest.starts_with('\x1e')) rest.remove_prefix(1);
    if (first && manner.drained) client.drain(manner.patient);
  }
  if (manner.leaves) client.leave();
  const std::string answers = client.finish();
  if (!manner.leaves) check_answers(answers, text.find("HEAD") != std::string::npos);
  if (api.contents().taken() != 0) wrong("room that nobody gave back");
  return 0;
}
