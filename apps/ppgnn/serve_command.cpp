// ppgnn serve: the collector's options. What it does stands in serve_here.cpp, in a process of its own.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <thread>

#include "budget_options.hpp"
#include "command.hpp"
#include "serve_options.hpp"

namespace ppgnn::app {

void add_serve(CLI::App& app, Action& action) {
  auto options = std::make_shared<ServeOptions>();
  CLI::App* serve = app.add_subcommand("serve", kServeSummary);
  serve->add_option("--store", options->store, "Where the campaign is: sqlite:PATH or postgres:service=NAME")
      ->required();
  serve
      ->add_option("--keys", options->keys,
                   "Keys of people's tokens (ppgnn enrol), of all campaigns; or a folder with a file per campaign, "
                   "called as it is")
      ->required();
  serve->add_option(
      "--admin-token", options->admin_tokens,
      "File with an administrator's token, one line; the trail names it as the file, without its ending. May be "
      "given more than once; default: nobody is administrator");
  serve->add_option("--metrics-token", options->metrics_token,
                    "File with a token that reads /metrics and nothing else; default: only the administrator's does");
  serve->add_option("--listen", options->listen, "ADDRESS:PORT; port 0 takes a free one")->capture_default_str();
  serve->add_option(
      "--admin-listen", options->admin_listen,
      "ADDRESS:PORT where alone the administrator's paths and metrics are answered; default: at --listen");
  serve->add_option("--tls-certificate", options->server.certificate,
                    "PEM file with the certificate and its chain: TLS 1.3");
  serve->add_option("--tls-key", options->server.key, "PEM file with its key");
  serve->add_flag("--without-tls", options->server.without_tls,
                  "Also on an address that other machines reach, where everybody on the way reads tokens");
  serve->add_option(
      "--page", options->page,
      "HTML file for participants, served at /; none: no page; default: the one that was built or installed");
  options->server.threads = std::max(1U, std::thread::hardware_concurrency());
  serve
      ->add_option("--threads", options->server.threads,
                   "Threads that read and answer; writing has one more. Default: one per core")
      ->capture_default_str();
  serve->add_option("--connections", options->server.connections, "Open connections; further ones are closed at once")
      ->capture_default_str();
  serve->add_option("--address-connections", options->server.address_connections, "The same, from one address")
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
  serve->add_option("--person-rate", options->api.person_a_second, "Requests per second with one token; 0: no limit")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e6));
  serve
      ->add_option("--address-rate", options->api.address_a_second, "Requests per second from one address; 0: no limit")
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
  serve
      ->add_option("--address-bytes", options->api.bytes_a_second,
                   "Bytes of batches per second from one address, eight times as many at once; 0: no limit")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e12));
  serve
      ->add_option("--failed-tokens", options->api.failed_a_second,
                   "Invalid tokens per second from one address, fifty times as many at once; 0: no limit")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e6));
  serve->add_option("--exempt", options->exempt, "Addresses without such limits, such as a gateway's");
  serve->add_flag("--open-metrics", options->api.open_metrics, "Metrics without any token");
  serve->add_flag("--allow-seeded", options->api.allow_seeded,
                  "Also take reports made from a seed: for research, they protect nobody");
  serve->add_flag("--log-requests", options->server.log_requests,
                  "One line per request: method, route, status, milliseconds; never a token, name or address");
  serve->add_flag("--json-log", options->json_log, "The log as JSON, one object per line: time, level, message");
  whole_numbers(*serve, {{"--threads", 64},
                         {"--connections", 1'000'000},
                         {"--address-connections", 1'000'000},
                         {"--waiting", 10'000'000}});
  serve->add_flag("--json", options->json, "Print one JSON object once it listens");
  serve->footer(
      "Prints its address once it listens; SIGTERM or SIGINT stops it after what is under way (docs/operations.md).\n"
      "SIGHUP: keys, tokens, certificate and page are read again, and no connection ends. Keys and tokens are refused\n"
      "where others may read their files.\n"
      "Sockets that systemd hands over (LISTEN_FDS) take the place of --listen and, where one is called admin, of\n"
      "--admin-listen: a restart then refuses no connection.\n\n"
      "Example (after ppgnn campaign start --store and ppgnn enrol):\n"
      "  ppgnn serve --store sqlite:spring.db --keys spring.keys --admin-token spring.admin --listen 127.0.0.1:8080");
  serve->callback([options, &action] { action = [options] { return run_serve(*options); }; });
}

}  // namespace ppgnn::app
