#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "ppgnn/collector/api.hpp"
#include "ppgnn/core/result.hpp"

namespace ppgnn::collector {

/// Where connections arrive.
struct Listening {
  std::string address = "127.0.0.1";  ///< of this machine; 0.0.0.0 or :: for all
  std::uint16_t port = 8080;          ///< 0: any that is free
  int socket = -1;                    ///< one that listens already, instead of both; whoever made it may keep it open
};

struct ServerOptions : Listening {
  std::optional<Listening> inside;  ///< the administrator's paths are answered here and nowhere else; none: everywhere
  std::filesystem::path certificate;       ///< PEM, with the chain; TLS 1.3 if given
  std::filesystem::path key;               ///< PEM; refused where others may read it
  bool without_tls = false;                ///< also where other machines reach the address: tokens go in the clear
  std::size_t threads = 1;                 ///< that read and answer; writing has its own
  std::size_t connections = 4096;          ///< at a time; more are closed at once
  std::size_t address_connections = 3000;  ///< of them from one address, unless it is exempt; many people may share one
  double idle_seconds = 30;                ///< until the header of the next request is there
  double body_seconds = 15;                ///< until its content is there, and until an answer is taken
  double drain_seconds = 10;               ///< for what is under way when it stops
  double look_seconds = .2;                ///< between two looks whether somebody made a step of the campaign
  /// The campaigns by their names, under /v1/campaigns/NAME; with more than one the other paths under /v1 are none. Not owned; none:
  /// the one that the server is made for has no name.
  std::map<std::string, Api*> campaigns;
  /// A line for the log: never a token, a name, an address, or anything of a report.
  std::function<void(const std::string& line)> log;
  bool log_requests = false;  ///< a line each: method, route, status, milliseconds
};

/// An address as limits know it: of version 6 only the first half, the rest is a network's own. Nothing for what is none.
[[nodiscard]] std::optional<std::string> limited_address(const std::string& text);

/// Which campaign a request is for; its target becomes what it is for one that is alone: of /v1/campaigns/NAME/plan /v1/plan, of
/// /v1/campaigns/NAME/metrics /metrics. Nullptr: there is none.
[[nodiscard]] Api* campaign_for(Api& only, const std::map<std::string, Api*>& campaigns, std::string& target);

/// Speaks HTTP/1.1 for an Api, with or without TLS.
///
/// Errors  io where the address cannot be had or the certificate not be read; invalid_argument without TLS on an address that is not
///         this machine's own, unless that is allowed, and for a key that others may read.
/// Source  RFC 9112; what is refused or cut off, and after how long: docs/operations.md.
class HttpServer {
 public:
  /// Listens from now on; answers once it runs.
  [[nodiscard]] static Result<std::unique_ptr<HttpServer>> make(Api& api, ServerOptions options);
  virtual ~HttpServer() = default;

  [[nodiscard]] virtual std::uint16_t port() const = 0;
  /// Of the administrator's listener; 0 where there is none.
  [[nodiscard]] virtual std::uint16_t inside_port() const = 0;
  /// As it listens, which a socket that was handed over says itself.
  [[nodiscard]] virtual std::string address() const = 0;
  /// Answers until `stop`, then finishes what is under way.
  virtual void run() = 0;
  /// Reads certificate and key again, for connections from now on; those that are open keep theirs. Where they cannot be used, nothing
  /// changes. From any thread.
  [[nodiscard]] virtual Result<void> renew_tls() = 0;
  /// From any thread, or a handler of signals that posts: takes no more connections or requests.
  virtual void stop() = 0;
};

}  // namespace ppgnn::collector
