// The collector: what ppgnn serve does.
#include <fmt/core.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>
#include <thread>

#include "command.hpp"
#include "ppgnn/core/version.hpp"
#include "ppgnn/io/files.hpp"
#include "serve_memory.hpp"
#include "serve_options.hpp"
#include "serve_sockets.hpp"

namespace ppgnn::app {

namespace {

// HOST:PORT, [HOST]:PORT for addresses of version 6.
Result<void> read_listen(const std::string& option, const std::string& text, collector::Listening& where) {
  const std::size_t colon = text.rfind(':');
  const std::string port = colon == std::string::npos ? "" : text.substr(colon + 1);
  const bool digits = !port.empty() && port.size() <= 5 && port.find_first_not_of("0123456789") == std::string::npos;
  if (!digits || std::stoul(port) > 65535) {
    return Error{ErrorCode::invalid_argument, option + ": must be ADDRESS:PORT, such as 127.0.0.1:8080 or [::1]:8080"};
  }
  where.address = text.substr(0, colon);
  if (where.address.starts_with('[') && where.address.ends_with(']')) {
    where.address = where.address.substr(1, where.address.size() - 2);
  }
  where.port = static_cast<std::uint16_t>(std::stoul(port));
  return {};
}

Result<void> read_addresses(const ServeOptions& options, collector::ServerOptions& server) {
  Result<void> read = read_listen("--listen", options.listen, server);
  if (read && !options.admin_listen.empty()) {
    read = read_listen("--admin-listen", options.admin_listen, server.inside.emplace());
  }
  return read ? take_handed_sockets(server) : read;
}

std::string url_of(bool tls, const std::string& address, std::uint16_t port) {
  const bool six = address.find(':') != std::string::npos;
  return fmt::format("{}://{}{}{}:{}", tls ? "https" : "http", six ? "[" : "", address, six ? "]" : "", port);
}

// The page stands beside the binary, or where an installation puts it.
Result<std::string> read_page(const std::string& chosen) {
  if (chosen == "none") return std::string();
  if (!chosen.empty()) return io::read_file(chosen);
  std::error_code ignored;
  const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const char* place :
       {"participant.html", "../share/ppgnn/participant.html", "wasm/web/package/participant.html"}) {
    if (std::filesystem::is_regular_file(here / place, ignored)) return io::read_file(here / place);
  }
  return std::string();
}

// What SIGHUP reads again.
Result<collector::Renewable> read_renewable(const ServeOptions& options) {
  collector::Renewable read;
  Result<tokens::Keys> keys = tokens::Keys::read(options.keys);
  if (!keys) return keys.error();
  read.keys = std::move(keys).value();
  for (const std::string& path : options.admin_tokens) {
    const Result<tokens::Secret> found = tokens::Secret::read(path);
    if (!found) return found.error();
    const std::string name = std::filesystem::path(path).stem().string();
    if (!read.administrators.emplace(name, *found).second) {
      return Error{ErrorCode::invalid_argument, "--admin-token: two files are called " + name};
    }
  }
  if (!options.metrics_token.empty()) {
    const Result<tokens::Secret> found = tokens::Secret::read(options.metrics_token);
    if (!found) return found.error();
    read.monitor = *found;
  }
  Result<std::string> page = read_page(options.page);
  if (!page) return page.error();
  read.page = std::move(page).value();
  return read;
}

// Each connection is a descriptor: as many as the system lets us have.
void raise_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// The log's own disk may be the one that is full, its reader may be gone, and there may be no memory for a line: none of it ends the
// collector.
void log_line(const std::string& line) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  try {
    say(line);
  } catch (const std::exception&) {
    std::clearerr(stderr);
  }
}

std::atomic<bool> reload_requested = false;

// All of it or nothing: a file that is no good leaves everything as it was.
void reload(const ServeOptions& options, collector::Api& api, collector::HttpServer& server) {
  Result<collector::Renewable> read = read_renewable(options);
  const Result<void> renewed = read ? server.renew_tls() : read.error();
  if (!renewed) return log_line("not reloaded, all stays as it was: " + renewed.error().message);
  api.renew(std::move(read).value());
  log_line("reloaded: keys, tokens, certificate and page");
}

}  // namespace

Status run_serve(const ServeOptions& options) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file at its limit is a full disk, not the end
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGHUP, [](int) { reload_requested = true; });
  end_without_memory(nullptr);
  const std::atomic<bool>& stop = stop_on_signals();
  if (Result<void> room = has_address_space(); !room) {
    static_cast<void>(fail(room.error()));
    return Status::memory;
  }
  collector::ServerOptions server_options = options.server;
  if (Result<void> read = read_addresses(options, server_options); !read) return fail(read.error());
  if (server_options.certificate.empty() != server_options.key.empty()) {
    return fail({ErrorCode::invalid_argument, "--tls-certificate and --tls-key go together"});
  }
  collector::ApiOptions api_options = options.api;
  api_options.bytes_burst = 8 * api_options.bytes_a_second;
  api_options.failed_burst = 50 * api_options.failed_a_second;
  Result<collector::Renewable> renewable = read_renewable(options);
  if (!renewable) return fail(renewable.error());
  if (renewable->page.empty() && options.page != "none") {
    log_line("note: there is no page for participants (--page)");
  }
  static_cast<collector::Renewable&>(api_options) = std::move(renewable).value();
  for (const std::string& text : options.exempt) {
    const std::optional<std::string> address = collector::limited_address(text);
    if (!address) return fail({ErrorCode::invalid_argument, "--exempt: " + text + " is no address"});
    api_options.exempt.insert(*address);
  }

  raise_descriptors();
  const Result<std::unique_ptr<store::Store>> store = store::open(options.store, store::Opening::existing);
  if (!store) return fail(store.error());
  const Result<std::unique_ptr<collector::Api>> api = collector::Api::make(**store, std::move(api_options));
  if (!api) return fail(api.error());
  end_without_memory(api->get());
  server_options.log = log_line;
  if (options.api.allow_seeded) log_line("note: reports made from a seed are taken: for research, they protect nobody");
  const bool tls = !server_options.certificate.empty();
  const Result<std::unique_ptr<collector::HttpServer>> server =
      collector::HttpServer::make(**api, std::move(server_options));
  if (!server) return fail(server.error());
  const std::string url = url_of(tls, (*server)->address(), (*server)->port());
  if (options.json) {
    print_json(
        {{"url", url}, {"admin_port", (*server)->inside_port()}, {"store", options.store}, {"version", version()}});
  } else {
    fmt::print("{}\n", url);
  }
  std::fflush(stdout);

  {
    const std::jthread watch([&](const std::stop_token& over) {
      while (!stop && !over.stop_requested()) {
        if (reload_requested.exchange(false)) reload(options, **api, **server);
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
      }
      if (!stop) return;
      log_line("stopping: what is under way is finished");
      (*server)->stop();
    });
    (*server)->run();
  }
  end_without_memory(nullptr);
  return Status::success;
}

}  // namespace ppgnn::app
