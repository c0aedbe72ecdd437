#include "serve_sockets.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace ppgnn::app {

namespace {

constexpr int kFirst = 3;  // of the descriptors that are handed over

// Whatever stands there, to be read once: what this process starts is not meant.
std::string taken(const char* name) {
  const char* found = std::getenv(name);
  std::string text = found == nullptr ? "" : found;
  ::unsetenv(name);
  return text;
}

}  // namespace

Result<void> take_handed_sockets(collector::ServerOptions& options) {
  const std::string process = taken("LISTEN_PID");
  const std::string count = taken("LISTEN_FDS");
  const std::string names = taken("LISTEN_FDNAMES");
  if (process != std::to_string(::getpid())) return {};
  std::string_view rest = names;
  const int end = kFirst + std::atoi(count.c_str());
  for (int socket = kFirst; socket < end; ++socket) {
    const std::string_view name = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    ::fcntl(socket, F_SETFD, FD_CLOEXEC);
    if (name == "admin" && !options.inside) options.inside.emplace();
    collector::Listening& which = name == "admin" ? *options.inside : options;
    if (which.socket >= 0) {
      return Error{ErrorCode::invalid_argument, "LISTEN_FDS: one socket for everybody, and one that is called admin"};
    }
    which.socket = socket;
  }
  return {};
}

}  // namespace ppgnn::app
