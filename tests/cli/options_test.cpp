#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "support/command_line.hpp"

namespace ppgnn {
namespace {

using nlohmann::json;
using test::CommandResult;
using test::run_ppgnn;

// What `run` can be told, each with a value that is not its default.
const std::map<std::string, std::string> kOptions{
    {"--data", "synthetic:social,nodes=140,attributes=24"},
    {"--epsilon", "3"},
    {"--budgets", "2,5"},
    {"--level-budget", "0.4"},
    {"--level-public", ""},
    {"--gamma", "0.3"},
    {"--sampled", "3"},
    {"--reading", "print"},
    {"--delta", "0.001"},
    {"--operator", "mean"},
    {"--levels", "bimodal"},
    {"--backbone", "sage"},
    {"--hops", "0"},
    {"--scale", "0.7"},
    {"--epochs", "6"},
    {"--lr", "0.2"},
    {"--weight-decay", "0.3"},
    {"--dropout", "0.1"},
    {"--hidden", "8"},
    {"--response", "0.5"},
    {"--pilots", ""},
    {"--spread", "all"},
    {"--hint", "full"},
    {"--hint-friends", "3"},
    {"--runs", "2"},
    {"--seed", "3"},
    {"--split-seed", "3"},
    {"--noise-seed", "3"},
    {"--no-reference", ""},
};
// What must not change a figure, or is tried by itself.
const std::set<std::string> kOthers{"--help",   "--help-all", "--data-dir", "--missing",
                                    "--method", "--threads",  "--out",      "--json"};

std::string shown(const std::string& method, const std::string& option, const std::string& more) {
  std::string arguments = "run --json --method '" + method + "' " + more;
  for (const auto& [name, value] :
       {std::pair("--data", "synthetic:social,nodes=120,attributes=24"), std::pair("--runs", "1")}) {
    if (option != name) arguments += std::string(" ") + name + ' ' + value;
  }
  // Training options of a campaign are of the row that --no-reference leaves out.
  const bool untrained = option == "--no-reference" && (method.rfind("teach", 0) == 0 || method.rfind("home", 0) == 0);
  if (option != "--epochs" && !untrained) arguments += " --epochs 3";
  return arguments;
}

// The figures: without what repeats the options, and without times.
json figures(const CommandResult& result) {
  json report = json::parse(result.out);
  for (const char* key : {"settings", "seed", "split_seed", "runs", "backbone", "hops", "order", "data",
                          "data_checksum", "seconds", "cpu_seconds_per_epoch", "campaign_seconds", "peak_rss_bytes"}) {
    EXPECT_EQ(report.erase(key), 1u) << key;
  }
  return report;
}

TEST(RunOptions, EveryOneIsTried) {
  const std::string help = run_ppgnn("run --help").out;
  static const std::regex kOption(R"re((?:^|\n)\s+(?:-h, )?(--[a-z-]+))re");
  std::set<std::string> listed;
  for (std::sregex_iterator it(help.begin(), help.end(), kOption), end; it != end; ++it) listed.insert((*it)[1]);
  std::set<std::string> tried = kOthers;
  for (const auto& [option, value] : kOptions) tried.insert(option);
  EXPECT_EQ(listed, tried);
}

// Every option with every method: either it changes a figure, or it is refused with the methods that it is for.
TEST(RunOptions, NoneIsWithoutEffect) {
  const json methods = json::parse(run_ppgnn("study list --json").out)["methods"];
  ASSERT_GE(methods.size(), 18u);
  std::size_t refused = 0;
  std::optional<std::set<std::string>> blocks;
  for (const auto& [method, about] : methods.items()) {
    std::map<std::string, json> without;
    for (const auto& [option, usual] : kOptions) {
      // Where the server cannot tell people apart, their weighted mean is the plain one.
      const bool strict = method.rfind("strict", 0) == 0 || method == "control";
      const std::string value = option == "--operator" && strict ? "kprop" : usual;
      const CommandResult with = run_ppgnn(shown(method, option, option + ' ' + value));
      if (with.status == 2) {
        ++refused;
        EXPECT_EQ(with.out, "");
        EXPECT_EQ(with.error.rfind("ppgnn: " + option + ": has no effect with --method " + method + "; it is for ", 0),
                  0u)
            << with.error;
        continue;
      }
      ASSERT_EQ(with.status, 0) << method << ' ' << option << ": " << with.error;
      const std::string base = shown(method, option == "--no-reference" ? option : "", "");
      if (!without.contains(base)) without[base] = figures(run_ppgnn(base));
      EXPECT_NE(figures(with), without[base]) << method << ' ' << option;
      // The same blocks, whatever is run.
      const json report = json::parse(with.out);
      std::set<std::string> keys;
      for (const auto& [key, block] : report.items()) keys.insert(key);
      if (!blocks) blocks = keys;
      EXPECT_EQ(keys, *blocks) << method << ' ' << option;
    }
  }
  EXPECT_GT(refused, 60u);
}

}  // namespace
}  // namespace ppgnn
