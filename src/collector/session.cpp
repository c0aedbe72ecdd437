#include "collector/session.hpp"

#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <charconv>
#include <chrono>
#include <optional>

#include "collector/http_message.hpp"

namespace ppgnn::collector {

namespace {

namespace http = beast::http;
using Clock = std::chrono::steady_clock;
using Code = beast::error_code;

constexpr std::size_t kLinger = 1 << 20;  // bytes of a refused request that are read and dropped
constexpr std::string_view kGoOn = "HTTP/1.1 100 Continue\r\n\r\n";

std::chrono::milliseconds as_time(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

using PlainStream = Stream;
using TlsStream = beast::ssl_stream<Stream>;

template <class Channel>
class Connection final : public Session, public std::enable_shared_from_this<Connection<Channel>> {
 public:
  Connection(Channel channel, std::string address, const Surroundings& surroundings)
      : channel_(std::move(channel)), address_(std::move(address)), around_(surroundings) {}
  ~Connection() override {
    release();
    around_.closed();
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start() override {
    net::dispatch(channel_.get_executor(), [self = this->shared_from_this()] {
      if constexpr (kTls) {
        self->expire(self->around_.options.body_seconds);
        self->channel_.async_handshake(net::ssl::stream_base::server, [self](Code code) {
          if (!code) self->read_header();
        });
      } else {
        self->read_header();
      }
    });
  }

  void drain() override {
    net::post(channel_.get_executor(), [self = this->shared_from_this()] {
      if (self->waiting_) beast::get_lowest_layer(self->channel_).close();
    });
  }

 private:
  static constexpr bool kTls = !std::is_same_v<Channel, PlainStream>;

  void expire(double seconds) { beast::get_lowest_layer(channel_).expires_after(as_time(seconds)); }

  void read_header() {
    parser_.emplace();
    parser_->header_limit(kMostHeader);
    parser_->body_limit(kMostBatch);
    waiting_ = true;
    expire(around_.options.idle_seconds);
    http::async_read_header(channel_, buffer_, *parser_, [self = this->shared_from_this()](Code code, std::size_t) {
      self->waiting_ = false;
      self->begun_ = Clock::now();
      if (code) return self->failed(code);
      self->read_body();
    });
  }

  void read_body() {
    const auto& request = parser_->get();
    // Now, and not when all is there: what follows the content may bring fields that pass for the header's.
    if (const char* wrong = ambiguity(request)) return write(around_.api.refuse(Problem::malformed, wrong));
    if (request.count(http::field::content_encoding) > 0) return refuse(Problem::wrong_type);
    request_ = to_request(request, address_);
    const RouteRow* row = Api::route(view(request.method_string()), view(request.target()));
    const std::size_t limit = row == nullptr ? 0 : row->body;
    if (const auto length = parser_->content_length(); length && *length > limit) {
      // Nobody reads what nobody takes. A path that is not there is said to be so.
      return row == nullptr ? answer() : refuse(Problem::too_large);
    }
    // A batch is large: only so many bytes of them are in memory at a time.
    const std::size_t room =
        limit <= kMostReport ? 0 : static_cast<std::size_t>(parser_->content_length().value_or(limit));
    if (!around_.api.reserve(room)) return refuse(Problem::busy);
    reserved_ = room;
    parser_->body_limit(limit);
    expire(around_.options.body_seconds);
    const auto read = [self = this->shared_from_this()](Code code, std::size_t) {
      if (code) return self->failed(code);
      net::async_write(self->channel_, net::buffer(kGoOn), [self](Code written, std::size_t) {
        if (!written) self->read_rest();
      });
    };
    const auto expect = request[http::field::expect];
    if (beast::iequals(expect, "100-continue") && !parser_->is_done()) return read({}, 0);
    read_rest();
  }

  void read_rest() {
    http::async_read(channel_, buffer_, *parser_, [self = this->shared_from_this()](Code code, std::size_t) {
      if (code) return self->failed(code);
      self->answer();
    });
  }

  // A request that could not be read to its end.
  void failed(Code code) {
    if (code == http::error::header_limit) return refuse(Problem::headers_too_large);
    if (code == http::error::body_limit || code == http::error::buffer_overflow) return refuse(Problem::too_large);
    // Gone, or too slow: there is nobody to tell.
    if (code == http::error::end_of_stream || code == http::error::partial_message) return close();
    if (code.category() == make_error_code(http::error::bad_method).category()) return refuse(Problem::malformed);
    beast::get_lowest_layer(channel_).close();
  }

  void refuse(Problem problem) { write(around_.api.refuse(problem)); }

  void answer() {
    request_.body = std::move(parser_->get().body());
    if (!parser_->is_done()) unread_ = true;
    beast::get_lowest_layer(channel_).expires_never();  // the disk takes what it takes
    around_.api.handle(std::move(request_), [self = this->shared_from_this()](Response response) {
      net::dispatch(self->channel_.get_executor(),
                    [self, response = std::move(response)]() mutable { self->write(std::move(response)); });
    });
  }

  void release() { around_.api.release(std::exchange(reserved_, 0)); }

  void write(Response response) {
    release();
    const bool keep =
        parser_->is_done() && parser_->get().keep_alive() && !response.close && !unread_ && !around_.api.stopping();
    reply_.emplace();
    reply_->version(11);
    reply_->result(response.status);
    if (!response.type.empty()) reply_->set(http::field::content_type, response.type);
    reply_->set(http::field::access_control_allow_origin, "*");
    reply_->set("X-Content-Type-Options", "nosniff");
    reply_->set(http::field::cache_control, "no-store");
    if (kTls) reply_->set("Strict-Transport-Security", "max-age=31536000");
    for (const auto& [name, value] : response.headers) reply_->set(name, value);
    reply_->body() = std::move(response.body);
    reply_->keep_alive(keep);
    if (response.status != 204) reply_->prepare_payload();
    if (parser_->get().method() == http::verb::head) reply_->body().clear();  // its length is said all the same
    note(response.status);
    expire(around_.options.body_seconds);
    http::async_write(channel_, *reply_, [self = this->shared_from_this(), keep](Code code, std::size_t) {
      self->reply_.reset();
      if (code) return beast::get_lowest_layer(self->channel_).close();
      if (keep) return self->read_header();
      self->close();
    });
  }

  void note(unsigned status) {
    const double seconds = std::chrono::duration<double>(Clock::now() - begun_).count();
    const auto& request = parser_->get();
    const RouteRow* row = Api::route(view(request.method_string()), view(request.target()));
    const std::string_view route = row == nullptr ? "none" : row->name;
    around_.api.count(route, status, seconds);
    if (!around_.options.log_requests || !around_.options.log) return;
    std::array<char, 32> took{};
    const auto end = std::to_chars(took.data(), took.data() + took.size(), seconds * 1000, std::chars_format::fixed, 3);
    around_.options.log(std::string(row == nullptr ? "other" : row->method) + ' ' + std::string(route) + ' ' +
                        std::to_string(status) + ' ' + std::string(took.data(), end.ptr) + " ms");
  }

  // Says that nothing follows, and reads a little of what is still on its way: else the answer is lost with the connection.
  void close() {
    expire(1);
    if constexpr (kTls) {
      channel_.async_shutdown([self = this->shared_from_this()](Code) {});
    } else {
      Code ignored;
      channel_.socket().shutdown(net::ip::tcp::socket::shutdown_send, ignored);
      linger(0);
    }
  }
  void linger(std::size_t dropped) {
    buffer_.clear();
    channel_.async_read_some(buffer_.prepare(16 * 1024),
                             [self = this->shared_from_this(), dropped](Code code, std::size_t size) {
                               if (!code && dropped < kLinger) self->linger(dropped + size);
                             });
  }

  Channel channel_;
  std::string address_;
  Surroundings around_;
  beast::flat_buffer buffer_{4 * kMostHeader};  // content goes elsewhere
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<http::response<http::string_body>> reply_;
  Request request_;
  Clock::time_point begun_ = Clock::now();
  std::size_t reserved_ = 0;  // bytes of content
  bool waiting_ = false;      // for a request
  bool unread_ = false;       // there is content that nobody will read
};

}  // namespace

std::shared_ptr<Session> make_session(Stream stream, std::string address, const Surroundings& surroundings) {
  if (surroundings.tls == nullptr) {
    return std::make_shared<Connection<PlainStream>>(std::move(stream), std::move(address), surroundings);
  }
  return std::make_shared<Connection<TlsStream>>(TlsStream(std::move(stream), *surroundings.tls), std::move(address),
                                                 surroundings);
}

}  // namespace ppgnn::collector
