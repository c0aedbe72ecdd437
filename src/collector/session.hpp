#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/strand.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>  // before asio, whose headers lack it

#include "ppgnn/collector/api.hpp"
#include "ppgnn/collector/http_server.hpp"

namespace ppgnn::collector {

namespace net = boost::asio;
namespace beast = boost::beast;
using Strand = net::strand<net::io_context::executor_type>;
using Stream = beast::basic_stream<net::ip::tcp, Strand>;

inline std::chrono::milliseconds as_time(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

/// One connection: a request, its answer, the next request. Lives as long as something of it is under way.
class Session {
 public:
  virtual ~Session() = default;
  /// Reads the first request.
  virtual void start() = 0;
  enum class Patience { some, none };
  /// Ends it after the answer of the request that is under way. With some patience a first request is also waited for: who connected
  /// may have sent it already.
  virtual void drain(Patience patience) = 0;
};

/// What sessions need of their server.
struct Surroundings {
  Api& api;
  const ServerOptions& options;
  std::shared_ptr<net::ssl::context> tls;  ///< nullptr: none
  std::shared_ptr<void> place;             ///< of the connection, for as long as there is one
  Door door = Door::only;
};

std::shared_ptr<Session> make_session(Stream stream, std::string address, const Surroundings& surroundings);

}  // namespace ppgnn::collector
