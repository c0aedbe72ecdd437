#include "collector/session.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <charconv>
#include <chrono>
#include <cstring>
#include <optional>

#include "collector/http_message.hpp"

namespace ppgnn::collector {

namespace {

namespace http = beast::http;
using Clock = std::chrono::steady_clock;
using Code = beast::error_code;

constexpr std::size_t kLinger = kMostBatch;            // bytes of a refused request that are read and dropped
constexpr std::size_t kRead = std::size_t{16} * 1024;  // bytes of content at a time
constexpr std::size_t kReadHeader = 1024;              // which thousands of connections keep while they wait
constexpr const char* kNoCampaign = "no such campaign here: /v1/campaigns/NAME and what follows /v1 for one";
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

// Beast parses; reading and writing are Asio's, plain or through TLS. Beast's own would do all of it, and be compiled for both.
class Connection final : public Session, public std::enable_shared_from_this<Connection> {
 public:
  Connection(Stream stream, std::string address, const Surroundings& surroundings)
      : stream_(std::move(stream)), address_(std::move(address)), around_(surroundings) {
    if (surroundings.tls != nullptr) tls_.emplace(stream_, *surroundings.tls);
  }
  ~Connection() override { release(); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start() override {
    net::dispatch(stream_.get_executor(), [self = shared_from_this()] {
      if (!self->tls_) return self->read_header();
      self->expire(self->around_.options.body_seconds);
      self->tls_->async_handshake(net::ssl::stream_base::server, [self](Code code) {
        if (!code) self->read_header();
      });
    });
  }

  void drain(Patience patience) override {
    net::post(stream_.get_executor(), [self = shared_from_this(), patience] {
      Code code;
      const bool arriving = !self->answered_ || self->buffer_.size() > 0 || self->stream_.socket().available(code) > 0;
      if (self->waiting_ && (patience == Patience::none || !arriving)) self->stream_.close();
    });
  }

 private:
  using Step = void (Connection::*)();

  void expire(double seconds) { stream_.expires_after(as_time(seconds)); }

  void receive(std::size_t most, Step then) {
    const std::size_t size = std::min(most, buffer_.max_size() - buffer_.size());
    if (size == 0) return failed(http::error::buffer_overflow);
    const auto received = [self = shared_from_this(), then](Code code, std::size_t came) {
      if (code) return self->failed(code);
      self->buffer_.commit(came);
      (self.get()->*then)();
    };
    const auto room = buffer_.prepare(size);
    return tls_ ? tls_->async_read_some(room, received) : stream_.async_read_some(room, received);
  }

  void send(std::string_view text, Step then) {
    const auto sent = [self = shared_from_this(), then](Code code, std::size_t) {
      if (code) return self->stream_.close();
      (self.get()->*then)();
    };
    const auto all = net::buffer(text);
    return tls_ ? net::async_write(*tls_, all, sent) : net::async_write(stream_, all, sent);
  }

  // Takes what is there of the header; or, where the parser is eager, of all. Beast's limit is for what it gets at a time.
  Code parse() {
    Code code;
    while (!code && buffer_.size() > 0 && !is_parsed()) {
      const std::size_t taken = parser_->put(buffer_.data(), code);
      if (!parser_->eager()) look_for_folds({static_cast<const char*>(buffer_.cdata().data()), taken});
      buffer_.consume(taken);
      if (!parser_->eager() && (header_ += taken) > kMostHeader) return http::error::header_limit;
    }
    return code == http::error::need_more ? Code() : code;
  }

  // A line that begins with a blank goes on with the one before: Beast joins them, others may not.
  void look_for_folds(std::string_view piece) {
    for (const char sign : piece) {
      folded_ = folded_ || (line_begins_ && (sign == ' ' || sign == '\t'));
      line_begins_ = sign == '\n';
    }
  }

  // All that was asked for; or half of the end of the last chunk, which Beast 1.74 asserts not to get by itself.
  [[nodiscard]] bool is_parsed() const {
    if (!parser_->eager()) return parser_->is_header_done();
    if (parser_->is_done()) return true;
    const net::const_buffer rest = buffer_.cdata();
    return parser_->chunked() && rest.size() == 4 && std::memcmp(rest.data(), "0\r\n", 3) == 0;
  }

  void read_header() {
    parser_.emplace();
    parser_->header_limit(kMostHeader);
    parser_->body_limit(kMostBatch);
    if (buffer_.capacity() > kRead / 2) buffer_.shrink_to_fit();  // to what is there of this request
    header_ = 0;
    api_ = nullptr;
    row_ = nullptr;
    folded_ = line_begins_ = false;
    waiting_ = true;
    expire(around_.options.idle_seconds);
    go_on_header();
  }
  void go_on_header() {
    if (const Code code = parse()) return failed(code);
    if (!parser_->is_header_done()) return receive(kReadHeader, &Connection::go_on_header);
    waiting_ = false;
    begun_ = Clock::now();
    read_body();
  }

  void read_body() {
    const auto& request = parser_->get();
    request_ = to_request(request, address_);
    request_.door = around_.door;
    api_ = campaign_for(around_.api, around_.options.campaigns, request_.target);
    row_ = api_ == nullptr ? nullptr : Api::route(request_.method, request_.target);
    // Now, and not when all is there: what follows the content may bring fields that pass for the header's.
    if (folded_) return write(around_.api.refuse(Problem::malformed, "a field of the header goes on in the next line"));
    if (const char* wrong = ambiguity(request)) return write(around_.api.refuse(Problem::malformed, wrong));
    if (request.count(http::field::content_encoding) > 0) return refuse(Problem::wrong_type);
    if (api_ == nullptr) return write(around_.api.refuse(Problem::not_found, kNoCampaign));
    const std::size_t limit = row_ == nullptr ? 0 : row_->body;
    if (const auto length = parser_->content_length(); length && *length > limit) {
      // Nobody reads what nobody takes. A path that is not there is said to be so.
      return row_ == nullptr ? answer() : refuse(Problem::too_large);
    }
    // What has no room now is refused before it is sent; but only what is there takes room.
    const auto announced = static_cast<std::size_t>(parser_->content_length().value_or(limit));
    if (announced > kMostReport) {
      if (!around_.api.contents().has(address_, announced, exempt())) return refuse(Problem::busy);
      if (const auto refused = around_.api.too_much(address_, announced)) return write(*refused);
    }
    parser_->body_limit(limit);
    parser_->eager(true);
    expire(around_.options.body_seconds);
    const bool waits = request.version() == 11 && beast::iequals(request[http::field::expect], "100-continue");
    if (waits && !parser_->is_done() && buffer_.size() == 0) {
      return send(kGoOn, &Connection::read_rest);
    }
    read_rest();
  }

  void read_rest() {
    if (const Code code = parse()) return failed(code);
    if (!make_room()) return refuse(Problem::busy);
    if (parser_->is_done()) return answer();
    receive(std::min<std::uint64_t>(kRead, parser_->content_length_remaining().value_or(kRead)),
            &Connection::read_rest);
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
    if (std::exchange(waiting_, false)) begun_ = Clock::now();
    if (code == http::error::header_limit) return refuse(Problem::headers_too_large);
    if (code == http::error::body_limit || code == http::error::buffer_overflow) return refuse(Problem::too_large);
    if (code.category() == make_error_code(http::error::bad_method).category()) return refuse(Problem::malformed);
    // Gone, or too slow: there is nobody to tell.
    return code == net::error::eof ? close() : stream_.close();
  }

  void refuse(Problem problem) { write(around_.api.refuse(problem)); }

  void answer() {
    request_.body = std::move(parser_->get().body());
    if (!parser_->is_done()) unread_ = true;
    stream_.expires_never();  // the disk takes what it takes
    api_->handle(std::move(request_), [self = shared_from_this()](Response response) {
      net::dispatch(self->stream_.get_executor(), [self, response = std::move(response)] { self->write(response); });
    });
  }

  void release() {
    if (parser_) std::string().swap(parser_->get().body());  // what was refused goes before its place does
    around_.api.contents().give_back(address_, std::exchange(reserved_, 0));
  }

  void write(const Response& response) {
    release();
    keep_ = parser_->is_done() && parser_->get().keep_alive() && !response.close && !unread_ && !around_.api.stopping();
    reply_ = "HTTP/1.1 " + std::to_string(response.status) + ' ';
    reply_ += view(http::obsolete_reason(http::int_to_status(response.status)));
    const auto say = [&](std::string_view name, std::string_view value) {
      reply_.append("\r\n").append(name).append(": ").append(value);
    };
    if (!response.type.empty()) say("Content-Type", response.type);
    say("Access-Control-Allow-Origin", "*");
    say("X-Content-Type-Options", "nosniff");
    say("Cache-Control", "no-store");
    if (tls_) say("Strict-Transport-Security", "max-age=31536000");
    for (const auto& [name, value] : response.headers) say(name, value);
    if (!keep_) say("Connection", "close");
    if (response.status != 204) say("Content-Length", std::to_string(response.body.size()));
    reply_ += "\r\n\r\n";
    if (parser_->get().method() != http::verb::head) reply_ += response.body;  // its length is said all the same
    note(response.status);
    expire(around_.options.body_seconds);
    send(reply_, &Connection::replied);
  }
  void replied() {
    answered_ = true;
    std::string().swap(reply_);  // assigned to, it would keep its memory
    return keep_ ? next() : close();
  }
  // The next request, unless the server began to stop meanwhile: then nobody else ends this.
  void next() {
    if (around_.api.stopping()) return close();
    read_header();
  }

  void note(unsigned status) {
    const double seconds = std::chrono::duration<double>(Clock::now() - begun_).count();
    const std::string_view route = row_ == nullptr ? "none" : row_->name;
    (api_ == nullptr ? around_.api : *api_).count(route, status, seconds);
    if (!around_.options.log_requests || !around_.options.log) return;
    std::array<char, 32> took{};
    const auto end = std::to_chars(took.data(), took.data() + took.size(), seconds * 1000, std::chars_format::fixed, 3);
    around_.options.log(std::string(row_ == nullptr ? "other" : row_->method) + ' ' + std::string(route) + ' ' +
                        std::to_string(status) + ' ' + std::string(took.data(), end.ptr) + " ms");
  }

  // Says that nothing follows, and reads a little of what is still on its way: else the answer is lost with the connection.
  void close() {
    expire(1);
    if (!tls_) return linger(0);
    tls_->async_shutdown([self = shared_from_this()](Code) { self->linger(0); });
  }
  void linger(std::size_t dropped) {
    Code ignored;
    if (dropped == 0) stream_.socket().shutdown(net::ip::tcp::socket::shutdown_send, ignored);
    buffer_.clear();
    stream_.async_read_some(buffer_.prepare(kRead), [self = shared_from_this(), dropped](Code code, std::size_t size) {
      if (!code && dropped < kLinger) self->linger(dropped + size);
    });
  }

  Stream stream_;
  std::optional<net::ssl::stream<Stream&>> tls_;
  std::string address_;
  Surroundings around_;
  beast::flat_buffer buffer_{std::size_t{4} * kMostHeader};  // content goes elsewhere
  std::optional<http::request_parser<ArrivingBody>> parser_;
  std::string reply_;
  Request request_;
  Api* api_ = nullptr;             // of the campaign that the request is for
  const RouteRow* row_ = nullptr;  // of it there
  Clock::time_point begun_ = Clock::now();
  std::size_t header_ = 0;    // bytes of it
  std::size_t reserved_ = 0;  // bytes of content
  bool folded_ = false;       // some field of it
  bool line_begins_ = false;  // with its next byte
  bool waiting_ = false;      // for a request
  bool answered_ = false;     // one of them
  bool keep_ = false;         // the connection, after this answer
  bool unread_ = false;       // there is content that nobody will read
};

}  // namespace

std::shared_ptr<Session> make_session(Stream stream, std::string address, const Surroundings& surroundings) {
  return std::make_shared<Connection>(std::move(stream), std::move(address), surroundings);
}

}  // namespace ppgnn::collector
