#pragma once

#include <string>
#include <vector>

#include "command.hpp"
#include "ppgnn/collector/http_server.hpp"

namespace ppgnn::app {

struct ServeOptions {
  std::string store;
  std::string keys;
  std::vector<std::string> admin_tokens;
  std::string metrics_token;
  std::string listen = "127.0.0.1:8080";
  std::string admin_listen;
  std::string page;
  std::vector<std::string> exempt;
  collector::ApiOptions api;
  collector::ServerOptions server;
  bool json = false;
  bool json_log = false;
};

/// The collector, until it is stopped.
[[nodiscard]] Status run_serve(const ServeOptions& options);

}  // namespace ppgnn::app
