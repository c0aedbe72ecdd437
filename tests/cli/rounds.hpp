#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "support/collector_process.hpp"

namespace ppgnn::test {

/// Reports of the open round as hexadecimal digits, by name, for people who are asked; with the operating system's randomness.
inline std::map<std::string, std::string> reports_of_round(const CollectorProcess& network, int round) {
  std::ofstream(network.file("plan")) << RawConnection(network.port()).exchange(request_text("GET", "/v1/plan"))->body;
  std::string questions = "node,question\n";
  std::set<std::string> asked;
  RawConnection connection(network.port());
  bool asks = false;
  for (const auto& [name, token] : lines_of(network.file("tokens.csv"))) {
    const auto one = nlohmann::json::parse(connection.exchange(request_text("GET", "/v1/question", token))->body);
    if (!one.contains("asked") || one["asked"] == false) continue;  // erased, or for another round
    asked.insert(name);
    if (one["question"].is_null()) continue;
    asks = true;
    questions += name + ',' + one["question"].get<std::string>() + '\n';
  }
  std::ofstream(network.file("questions.csv")) << questions;
  const CommandResult made =
      run_ppgnn("perturb --force " + network.data() + "--plan " + network.file("plan") + " --out " +
                network.file("reports.csv") + (asks ? " --questions " + network.file("questions.csv") : ""));
  EXPECT_EQ(made.status, 0) << made.error;
  auto reports = lines_of(network.file("reports.csv"));
  std::erase_if(reports, [&](const auto& one) { return !asked.contains(one.first); });
  // The number of the round follows its key, after the version and the plan's hash.
  for (auto& [name, hex] : reports) hex[2 * 39 + 1] = static_cast<char>('0' + round);
  return reports;
}

/// Runs a command and kills it after a while, if it still runs.
inline void kill_during(const CollectorProcess& network, const std::string& command, const std::string& more,
                        int milliseconds) {
  const pid_t process = start_ppgnn(command + ' ' + network.store() + more + " >/dev/null 2>&1");
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  finish_ppgnn(process, SIGKILL);
}

}  // namespace ppgnn::test
