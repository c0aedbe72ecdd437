// ppgnn serve: the collector.
#include <fmt/core.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "budget_options.hpp"
#include "command.hpp"
#include "ppgnn/collector/http_server.hpp"
#include "ppgnn/core/version.hpp"
#include "ppgnn/io/files.hpp"

namespace ppgnn::app {

namespace {

struct ServeOptions {
  std::string store;
  std::string keys;
  std::string admin_token;
  std::string listen = "127.0.0.1:8080";
  std::string page;
  std::vector<std::string> exempt;
  collector::ApiOptions api;
  collector::ServerOptions server;
  bool json = false;
};

// HOST:PORT, [HOST]:PORT for addresses of version 6.
Result<void> read_listen(const std::string& text, collector::ServerOptions& options) {
  const std::size_t colon = text.rfind(':');
  const std::string port = colon == std::string::npos ? "" : text.substr(colon + 1);
  const bool digits = !port.empty() && port.size() <= 5 && port.find_first_not_of("0123456789") == std::string::npos;
  if (!digits || std::stoul(port) > 65535) {
    return Error{ErrorCode::invalid_argument, "--listen: must be ADDRESS:PORT, such as 127.0.0.1:8080 or [::1]:8080"};
  }
  options.address = text.substr(0, colon);
  if (options.address.starts_with('[') && options.address.ends_with(']')) {
    options.address = options.address.substr(1, options.address.size() - 2);
  }
  options.port = static_cast<std::uint16_t>(std::stoul(port));
  return {};
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

Status run_serve(const ServeOptions& options) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file at its limit is a full disk, not the end
  std::signal(SIGPIPE, SIG_IGN);
  const std::atomic<bool>& stop = stop_on_signals();
  collector::ServerOptions server_options = options.server;
  if (Result<void> read = read_listen(options.listen, server_options); !read) return fail(read.error());
  if (server_options.certificate.empty() != server_options.key.empty()) {
    return fail({ErrorCode::invalid_argument, "--tls-certificate and --tls-key go together"});
  }
  collector::ApiOptions api_options = options.api;
  Result<collector::Keys> keys = collector::Keys::read(options.keys);
  if (!keys) return fail(keys.error());
  api_options.keys = std::move(keys).value();
  if (!options.admin_token.empty()) {
    const Result<collector::Secret> secret = collector::Secret::read(options.admin_token);
    if (!secret) return fail(secret.error());
    api_options.administrator = *secret;
  }
  Result<std::string> page = read_page(options.page);
  if (!page) return fail(page.error());
  if (page->empty() && options.page != "none") log_line("note: there is no page for participants (--page)");
  api_options.page = std::move(page).value();
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
  server_options.log = log_line;
  if (options.api.allow_seeded) log_line("note: reports made from a seed are taken: for research, they protect nobody");
  const bool tls = !server_options.certificate.empty();
  const std::string address = server_options.address;
  const Result<std::unique_ptr<collector::HttpServer>> server =
      collector::HttpServer::make(**api, std::move(server_options));
  if (!server) return fail(server.error());
  const bool six = address.find(':') != std::string::npos;
  const std::string url =
      fmt::format("{}://{}{}{}:{}", tls ? "https" : "http", six ? "[" : "", address, six ? "]" : "", (*server)->port());
  if (options.json) {
    print_json({{"url", url}, {"store", options.store}, {"version", version()}});
  } else {
    fmt::print("{}\n", url);
  }
  std::fflush(stdout);

  std::atomic<bool> over = false;
  std::thread watch([&] {
    while (!stop && !over) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (!stop) return;
    log_line("stopping: what is under way is finished");
    (*server)->stop();
  });
  (*server)->run();
  over = true;
  watch.join();
  return Status::success;
}

}  // namespace

void add_serve(CLI::App& app, Action& action) {
  auto options = std::make_shared<ServeOptions>();
  CLI::App* serve = app.add_subcommand("serve", "Collect reports over HTTP, one a person and campaign");
  serve->add_option("--store", options->store, "Where the campaign is: sqlite:PATH")->required();
  serve->add_option("--keys", options->keys, "Keys of people's tokens (ppgnn enrol)")->required();
  serve->add_option("--admin-token", options->admin_token,
                    "File with the administrator's token, one line; default: nobody is administrator");
  serve->add_option("--listen", options->listen, "ADDRESS:PORT; port 0 takes a free one")->capture_default_str();
  serve->add_option("--tls-certificate", options->server.certificate,
                    "PEM file with the certificate and its chain: TLS 1.3");
  serve->add_option("--tls-key", options->server.key, "PEM file with its key");
  serve->add_option(
      "--page", options->page,
      "HTML file for participants, served at /; none: no page; default: the one that was built or installed");
  options->server.threads = std::max(1U, std::thread::hardware_concurrency());
  serve
      ->add_option("--threads", options->server.threads,
                   "That read and answer; writing has one more. Default: one per core")
      ->capture_default_str();
  serve->add_option("--connections", options->server.connections, "At a time; more are closed at once")
      ->capture_default_str();
  serve->add_option("--address-connections", options->server.address_connections, "Of them from one address")
      ->capture_default_str();
  serve->add_option("--idle", options->server.idle_seconds, "Seconds until the next request's header must be there")
      ->capture_default_str()
      ->check(CLI::Range(.01, 3600.0));
  serve->add_option("--timeout", options->server.body_seconds, "Seconds until a request's content must be there")
      ->capture_default_str()
      ->check(CLI::Range(.01, 3600.0));
  serve->add_option("--drain", options->server.drain_seconds, "Seconds for what is under way when it stops")
      ->capture_default_str()
      ->check(CLI::Range(.01, 3600.0));
  serve
      ->add_option("--waiting", options->api.writer.waiting,
                   "Reports that may wait for the disk; more are refused with 503")
      ->capture_default_str();
  serve->add_option("--person-rate", options->api.person_a_second, "Requests a second with one token; 0: no limit")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e6));
  serve->add_option("--address-rate", options->api.address_a_second, "Requests a second from one address; 0: no limit")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e6));
  serve
      ->add_option("--person-burst", options->api.person_burst,
                   "Requests at once with one token, before that rate counts")
      ->capture_default_str()
      ->check(CLI::Range(1.0, 1e6));
  serve->add_option("--address-burst", options->api.address_burst, "Likewise from one address")
      ->capture_default_str()
      ->check(CLI::Range(1.0, 1e6));
  serve->add_option("--exempt", options->exempt, "Addresses without such limits, such as a gateway's");
  serve->add_flag("--open-metrics", options->api.open_metrics, "Metrics without the administrator's token");
  serve->add_flag("--allow-seeded", options->api.allow_seeded,
                  "Also take reports made from a seed: for research, they protect nobody");
  serve->add_flag("--log-requests", options->server.log_requests,
                  "A line a request: method, route, status, milliseconds; never a token, name or address");
  whole_numbers(*serve, {{"--threads", 64},
                         {"--connections", 1'000'000},
                         {"--address-connections", 1'000'000},
                         {"--waiting", 10'000'000}});
  serve->add_flag("--json", options->json, "Print one JSON object once it listens");
  serve->footer(
      "Prints its address once it listens; SIGTERM or SIGINT stops it after what is under way (docs/operations.md).\n\n"
      "Example (after ppgnn campaign start --store and ppgnn enrol):\n"
      "  ppgnn serve --store sqlite:spring.db --keys spring.keys --admin-token spring.admin --listen 127.0.0.1:8080");
  serve->callback([options, &action] { action = [options] { return run_serve(*options); }; });
}

}  // namespace ppgnn::app
