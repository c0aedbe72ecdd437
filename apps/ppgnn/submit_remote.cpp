// ppgnn submit --server: a report over the network, of one person or of everybody in a data set.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "budget_options.hpp"
#include "command.hpp"
#include "ppgnn/core/version.hpp"
#include "ppgnn/graph/node_lines.hpp"
#include "ppgnn/io/files.hpp"
#include "ppgnn/population/devices.hpp"
#include "ppgnn/population/levels.hpp"
#include "ppgnn/population/rows.hpp"
#include "ppgnn/random/secure_source.hpp"
#include "ppgnn/remote/collector.hpp"
#include "run_options.hpp"
#include "submit_link.hpp"

namespace ppgnn::app {

namespace {

struct RemoteOptions {
  std::string server;
  std::string token_file;
  std::string authorities;
  DataChoice data;
  std::string tokens_file;
  std::string levels = "uniform";
  std::uint64_t connections = 8;
  std::uint64_t seed = 0;
  std::uint64_t run = 0;
  CLI::Option* simulate_option = nullptr;
  CLI::Option* seed_option = nullptr;
};

Result<std::string> read_token(const RemoteOptions& options) {
  if (options.token_file.empty()) return Error{ErrorCode::invalid_argument, "--token is missing"};
  Result<std::string> text = io::read_input(options.token_file);
  if (!text) return text;
  while (text->ends_with('\n') || text->ends_with('\r')) text->pop_back();
  return text;
}

Result<CollectorLink::Fetched> fetch(const RemoteOptions& options) {
  Result<remote::Collector> collector = remote::Collector::make(options.server, options.authorities);
  if (!collector) return collector.error();
  const Result<std::string> token = read_token(options);
  if (!token) return token.error();
  Result<remote::Question> question = collector->question(*token);
  if (!question) return question.error();
  Result<std::string> plan = collector->plan();
  if (!plan) return plan.error();
  if (!plan->ends_with("sha256 " + question->plan + "\n")) {
    return Error{ErrorCode::mismatch, options.server + ": another round has begun just now; try again"};
  }
  std::string address = options.server;
  while (address.ends_with('/')) address.pop_back();
  return CollectorLink::Fetched{std::move(plan).value(), std::move(question->person), std::move(question->question),
                                question->round,         question->level.value_or(0), question->asked,
                                question->reported,      std::move(address)};
}

Result<bool> send(const RemoteOptions& options, std::span<const std::uint8_t> report) {
  Result<remote::Collector> collector = remote::Collector::make(options.server, options.authorities);
  if (!collector) return collector.error();
  const Result<std::string> token = read_token(options);
  if (!token) return token.error();
  return collector->report(*token, report);
}

// Everybody's token, by node; empty where there is none.
Result<std::vector<std::string>> read_tokens(const RemoteOptions& options, const graph::Dataset& dataset) {
  std::vector<std::string> tokens(dataset.num_nodes());
  const Result<void> read = graph::read_node_lines(options.tokens_file, dataset.nodes, "token",
                                                   [&](graph::NodeId node, std::string_view value) {
                                                     tokens[node] = value;
                                                     return std::string();
                                                   });
  if (!read) return read.error();
  return tokens;
}

// Who is asked what, as the collector says to each.
struct Asked {
  std::vector<std::uint8_t> reporting;
  ldp::Questions questions;
  std::uint64_t round = 0;
  std::size_t reported = 0;  // before
};
Result<Asked> ask_everybody(const RemoteOptions& options, const ldp::Plan& plan,
                            const std::vector<std::string>& tokens) {
  std::vector<remote::Question> found(tokens.size());
  Progress progress("asking who is asked");
  const auto action = [&](remote::Collector& collector, std::size_t person) -> Result<void> {
    if (tokens[person].empty()) return {};
    Result<remote::Question> question = collector.question(tokens[person]);
    if (!question && question.error().code == ErrorCode::mismatch) return {};  // erased, or not enrolled: no report
    if (!question) return question.error();
    found[person] = std::move(question).value();
    return {};
  };
  const Result<void> made = remote::on_connections(
      options.server, options.authorities, options.connections, tokens.size(), action,
      [&](std::size_t done) { progress.update(static_cast<double>(done), static_cast<double>(tokens.size())); },
      &stop_on_signals());
  if (!made) return made.error();
  Asked asked;
  for (const remote::Question& one : found) {
    asked.reported += one.reported ? 1U : 0U;
    asked.round = std::max(asked.round, one.round);
    asked.reporting.push_back(one.asked && !one.reported ? 1 : 0);
    if (!plan.tables().model) continue;
    auto& question = asked.questions.emplace_back();
    if (asked.reporting.back() == 0) continue;
    Result<ldp::Question> read = ldp::Question::parse(*plan.tables().model, one.question);
    if (!read) return read.error();
    question = std::move(read).value();
  }
  return asked;
}

Result<std::vector<wire::EncodedReport>> reports_for(const RemoteOptions& options, const graph::Dataset& dataset,
                                                     const ldp::Plan& plan, const Asked& asked) {
  const bool seeded = options.seed_option->count() > 0;
  const Result<std::vector<ldp::Level>> levels =
      population::levels_for(options.levels, dataset, plan.levels().size(),
                             seeded ? options.seed : random::SecureSource().next(), options.run);
  if (!levels) return levels.error();
  if (!seeded) {
    const population::PlanRows rows(dataset.features, plan);
    return population::device_reports(plan, rows, dataset.nodes, *levels, asked.questions, asked.reporting,
                                      asked.round);
  }
  const population::Asking asking(plan, dataset.nodes, asked.questions);
  const population::Devices devices{
      &dataset.features, *levels,         options.seed, options.run, population::Content::features,
      &asking,           asked.reporting, asked.round};
  return population::seeded_reports(plan, devices, kernels::Threads(0));
}

Status simulate_everybody(const RemoteOptions& options, bool json) {
  if (options.tokens_file.empty()) return fail({ErrorCode::invalid_argument, "--tokens is missing"});
  const Result<graph::Dataset> dataset = options.data.load(graph::MissingFeatures::refuse);
  if (!dataset) return fail(dataset.error());
  print_notes(*dataset);
  const Result<std::vector<std::string>> tokens = read_tokens(options, *dataset);
  if (!tokens) return fail(tokens.error());
  Result<remote::Collector> collector = remote::Collector::make(options.server, options.authorities);
  if (!collector) return fail(collector.error());
  const Result<std::string> text = collector->plan();
  if (!text) return fail(text.error());
  const Result<ldp::Plan> plan = ldp::Plan::parse(*text);
  if (!plan) return fail(plan.error());
  if (dataset->features.cols() != plan->schema().dim()) {
    return fail({ErrorCode::mismatch,
                 fmt::format("the plan has {} columns, the data {}", plan->schema().dim(), dataset->features.cols())});
  }
  const Result<Asked> asked = ask_everybody(options, *plan, *tokens);
  if (!asked) return fail(asked.error());
  const auto reports = reports_for(options, *dataset, *plan, *asked);
  if (!reports) return fail(reports.error());
  std::vector<remote::Report> items;
  for (const wire::EncodedReport& report : *reports) items.push_back({(*tokens)[report.node], report.bytes});
  Progress progress("handing in");
  const Result<remote::HandedIn> made = remote::hand_in(
      options.server, options.authorities, options.connections, items,
      [&](std::size_t done) { progress.update(static_cast<double>(done), static_cast<double>(items.size())); },
      &stop_on_signals());
  if (!made) return fail(made.error());
  if (json) {
    print_json({{"server", options.server},
                {"plan_hash", to_hex(plan->hash())},
                {"round", asked->round},
                {"stored", made->stored},
                {"repeated", made->repeated},
                {"refused", made->refused},
                {"reported_before", asked->reported},
                {"version", version()}});
  } else {
    fmt::print("{}: round {}: {} reports stored, {} were there, {} refused; {} had reported before\n", options.server,
               asked->round, made->stored, made->repeated, made->refused, asked->reported);
  }
  if (stop_on_signals()) return Status::stopped;
  return made->refused == 0 ? Status::success : Status::refuted;
}

}  // namespace

CollectorLink collector_link() {
  const auto options = std::make_shared<RemoteOptions>();
  CollectorLink link;
  link.add_to = [options](CLI::App& command) {
    auto* server =
        command.add_option("--server", options->server,
                           "Collector to take plan and question from and to hand the report to: https://HOST[:PORT]");
    command.add_option("--token", options->token_file, std::string("File with the person's token") + kOrStandardInput)
        ->needs(server);
    command.add_option("--authorities", options->authorities, "Certificates to trust instead of the system's, PEM")
        ->needs(server);
    options->simulate_option = command
                                   .add_option("--simulate", options->data.name,
                                               "Play everybody in this data set, for trials and tests; without ledgers")
                                   ->needs(server);
    command.add_option("--data-dir", options->data.folder, "Folder of published data, for --simulate")
        ->envname("PPGNN_DATA");
    command.add_option("--tokens", options->tokens_file, "Their tokens, as ppgnn enrol wrote them")
        ->needs(options->simulate_option);
    command
        .add_option("--levels", options->levels,
                    "Their levels: uniform, strict, relaxed, bimodal, or a file of node,level lines")
        ->needs(options->simulate_option)
        ->capture_default_str();
    command.add_option("--connections", options->connections, "At a time")
        ->needs(options->simulate_option)
        ->capture_default_str();
    options->seed_option =
        command.add_option("--seed", options->seed, "Reproducible reports, for research only, marked as such")
            ->needs(options->simulate_option);
    command.add_option("--run", options->run, "Which run of ppgnn run to reproduce")->needs(options->seed_option);
    whole_numbers(command, {{"--connections", 1000}, "--seed", {"--run", kMaxRun}});
  };
  link.chosen = [options] { return !options->server.empty(); };
  link.simulates = [options] { return options->simulate_option->count() > 0; };
  link.fetch = [options] { return fetch(*options); };
  link.send = [options](std::span<const std::uint8_t> report) { return send(*options, report); };
  link.simulate = [options](bool json) { return simulate_everybody(*options, json); };
  return link;
}

}  // namespace ppgnn::app
