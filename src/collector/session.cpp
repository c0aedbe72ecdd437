#include "collector/session.hpp"

#include <algorithm>
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

constexpr std::size_t kLinger = kMostBatch;  // bytes of a refused request that are read and dropped
constexpr std::string_view kGoOn = "HTTP/1.1 100 Continue\r\n\r\n";

// Content as text that has memory for at most four times what came: Beast's own takes it for all that is announced. An ordinary batch
// has all of its memory with its first piece.
struct ArrivingBody {
  using value_type = std::string;

  class reader {  // NOLINT(readability-identifier-naming): the name that Beast looks for
   public:
    template <bool is_request, class Fields>
    reader(http::header<is_request, Fields>&, value_type& body) : body_(body) {}
    void init(const boost::optional<std::uint64_t>& length, Code& code) {
      code = {};
      announced_ = static_cast<std::size_t>(length.value_or(kMostBatch));
    }
    template <class Buffers>
    std::size_t put(const Buffers& buffers, Code& code) {
      code = {};
      const std::size_t size = beast::buffer_bytes(buffers);
      const std::size_t needed = body_.size() + size;
      if (needed > body_.capacity()) {
        std::string larger;  // a new one: what is there would grow to twice of what it had, whatever is asked for
        larger.reserve(std::max(needed, std::min(announced_, 4 * needed)));
        body_ = std::move(larger.append(body_));
      }
      for (const net::const_buffer piece : beast::buffers_range_ref(buffers)) {
        body_.append(static_cast<const char*>(piece.data()), piece.size());
      }
      return size;
    }
    void finish(Code& code) { code = {}; }

   private:
    value_type& body_;
    std::size_t announced_ = 0;
  };
};

using PlainStream = Stream;
using TlsStream = beast::ssl_stream<Stream>;

template <class Channel>
class Connection final : public Session, public std::enable_shared_from_this<Connection<Channel>> {
 public:
  Connection(Channel channel, std::string address, const Surroundings& surroundings)
      : channel_(std::move(channel)), address_(std::move(address)), around_(surroundings) {}
  ~Connection() override { release(); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start() override {
    net::dispatch(channel_.get_executor(), [self = this->shared_from_this()] {
      if constexpr (kTls) {
        self->expire(self->around_.options.body_seconds);
        self->channel_.async_handshake(net::ssl::stream_base::server, [self](Code code) {
          if (!code) self->next();
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
    // What has no room now is refused before it is sent; but only what is there takes room.
    const auto announced = static_cast<std::size_t>(parser_->content_length().value_or(limit));
    if (announced > kMostReport && !around_.api.contents().has(address_, announced, exempt())) {
      return refuse(Problem::busy);
    }
    parser_->body_limit(limit);
    parser_->eager(true);
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
    if (parser_->is_done()) return answer();
    http::async_read_some(channel_, buffer_, *parser_, [self = this->shared_from_this()](Code code, std::size_t) {
      if (code) return self->failed(code);
      if (!self->make_room()) return self->refuse(Problem::busy);
      self->read_rest();
    });
  }

  // A batch is large: only so many bytes of them are in memory at a time.
  bool make_room() {
    const std::string& body = parser_->get().body();
    if (body.size() <= kMostReport || body.capacity() <= reserved_) return true;
    if (!around_.api.contents().take(address_, body.capacity() - reserved_, exempt())) return false;
    reserved_ = body.capacity();
    return true;
  }
  [[nodiscard]] bool exempt() const { return around_.api.exempts(address_); }

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

  void release() { around_.api.contents().give_back(address_, std::exchange(reserved_, 0)); }

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
      if (keep) return self->next();
      self->close();
    });
  }
  // The next request, unless the server began to stop meanwhile: then nobody else ends this.
  void next() {
    if (around_.api.stopping()) return close();
    read_header();
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
      channel_.async_shutdown([self = this->shared_from_this()](Code) { self->linger(0); });
    } else {
      linger(0);
    }
  }
  void linger(std::size_t dropped) {
    PlainStream& below = beast::get_lowest_layer(channel_);
    Code ignored;
    if (dropped == 0) below.socket().shutdown(net::ip::tcp::socket::shutdown_send, ignored);
    buffer_.clear();
    below.async_read_some(buffer_.prepare(std::size_t{16} * 1024),
                          [self = this->shared_from_this(), dropped](Code code, std::size_t size) {
                            if (!code && dropped < kLinger) self->linger(dropped + size);
                          });
  }

  Channel channel_;
  std::string address_;
  Surroundings around_;
  beast::flat_buffer buffer_{std::size_t{4} * kMostHeader};  // content goes elsewhere
  std::optional<http::request_parser<ArrivingBody>> parser_;
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
