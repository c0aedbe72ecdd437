// The collector: what ppgnn serve does.
#include <fmt/core.h>
#include <sys/resource.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <exception>
#include <filesystem>
#include <map>
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
Result<collector::Renewable> read_renewable(const ServeOptions& options, const std::string& campaign) {
  collector::Renewable read;
  std::error_code ignored;
  const std::filesystem::path given = options.keys;  // of all campaigns, or a folder with a file for each
  Result<tokens::Keys> keys =
      tokens::Keys::read(std::filesystem::is_directory(given, ignored) ? given / campaign : given);
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

// As JSON: time (UTC), level, message. What the collector says of its own trouble is a warning; a request that failed by its fault an error.
std::string as_json(const std::string& line) {
  std::array<char, 32> now{};
  const std::time_t seconds = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::strftime(now.data(), now.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  const bool request = line.ends_with(" ms");
  const bool fine = request || line.starts_with("note: ") || line.starts_with("reloaded") ||
                    line.starts_with("stopping") || line.starts_with("no more trouble");
  const char* level = request && line.find(" 500 ") != std::string::npos ? "error" : fine ? "info" : "warning";
  return nlohmann::ordered_json{{"time", now.data()}, {"level", level}, {"message", line}}.dump(
      -1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::atomic<bool> json_log = false;

// The log's own disk may be the one that is full, its reader may be gone, and there may be no memory for a line: none of it ends the
// collector.
void log_line(const std::string& line) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  try {
    if (json_log) {
      fmt::print(stderr, "{}\n", as_json(line));
    } else {
      say(line);
    }
  } catch (const std::exception&) {
    std::clearerr(stderr);
  }
}

std::atomic<bool> reload_requested = false;

// The campaigns of a place, each with its store.
struct Served {
  std::unique_ptr<store::Store> store;
  std::unique_ptr<collector::Api> api;
};

Result<std::map<std::string, Served>> serve_all(const ServeOptions& options, const collector::ApiOptions& common) {
  const Result<std::vector<std::string>> places = store::campaigns(options.store);
  if (!places) return places.error();
  std::map<std::string, Served> all;
  for (const std::string& place : *places) {
    Result<std::unique_ptr<store::Store>> store = store::open(place, store::Opening::existing);
    if (!store) return store.error();
    const Result<std::optional<store::Campaign>> campaign = (*store)->campaign();
    if (!campaign) return campaign.error();
    if (places->size() > 1 && (!*campaign || !(*campaign)->removed.empty())) continue;
    const std::string name = *campaign ? (*campaign)->name : "";
    collector::ApiOptions its = common;
    Result<collector::Renewable> renewable = read_renewable(options, name);
    if (!renewable) return renewable.error();
    static_cast<collector::Renewable&>(its) = std::move(renewable).value();
    Result<std::unique_ptr<collector::Api>> api = collector::Api::make(**store, std::move(its));
    if (!api) return api.error();
    all[name] = {std::move(store).value(), std::move(api).value()};
  }
  if (all.empty()) return Error{ErrorCode::mismatch, options.store + ": there is no campaign in it"};
  return all;
}

// All of it or nothing: a file that is no good leaves everything as it was.
void reload(const ServeOptions& options, const std::map<std::string, Served>& all, collector::HttpServer& server) {
  std::vector<std::pair<collector::Api*, collector::Renewable>> fresh;
  Result<void> renewed;
  for (const auto& [name, one] : all) {
    Result<collector::Renewable> read = read_renewable(options, name);
    if (renewed && !read) renewed = read.error();
    if (read) fresh.emplace_back(one.api.get(), std::move(read).value());
  }
  if (renewed) renewed = server.renew_tls();
  if (!renewed) return log_line("not reloaded, all stays as it was: " + renewed.error().message);
  for (auto& [api, read] : fresh) api->renew(std::move(read));
  log_line("reloaded: keys, tokens, certificate and page");
}

}  // namespace

Status run_serve(const ServeOptions& options) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file at its limit is a full disk, not the end
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGHUP, [](int) { reload_requested = true; });
  json_log = options.json_log;
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
  const Result<std::string> page = read_page(options.page);
  if (!page) return fail(page.error());
  if (page->empty() && options.page != "none") log_line("note: there is no page for participants (--page)");
  for (const std::string& text : options.exempt) {
    const std::optional<std::string> address = collector::limited_address(text);
    if (!address) return fail({ErrorCode::invalid_argument, "--exempt: " + text + " is no address"});
    api_options.exempt.insert(*address);
  }

  raise_descriptors();
  const Result<std::map<std::string, Served>> all = serve_all(options, api_options);
  if (!all) return fail(all.error());
  collector::Api& first = *all->begin()->second.api;
  end_without_memory(&first);
  for (const auto& [name, one] : *all) server_options.campaigns[name] = one.api.get();
  server_options.log = log_line;
  if (options.api.allow_seeded) log_line("note: reports made from a seed are taken: for research, they protect nobody");
  const bool tls = !server_options.certificate.empty();
  const Result<std::unique_ptr<collector::HttpServer>> server =
      collector::HttpServer::make(first, std::move(server_options));
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
        if (reload_requested.exchange(false)) reload(options, *all, **server);
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
