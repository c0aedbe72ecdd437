#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "command.hpp"
#include "ppgnn/core/result.hpp"

namespace ppgnn::app {

/// How `submit` reaches a collector. A build for devices has none: it brings no HTTP.
struct CollectorLink {
  /// What the collector says to the person.
  struct Fetched {
    std::string plan;
    std::string person;
    std::vector<std::uint8_t> question;  ///< empty: the plan asks none
    std::uint64_t round = 0;
    std::uint32_t level = 0;  ///< as declared, where levels are public; 0: none was
    bool asked = false;
    bool reported = false;
    std::string address;  ///< the collector's, whom the report is for unless --recipient says otherwise
  };

  std::function<void(CLI::App& command)> add_to;  ///< adds its options
  std::function<bool()> chosen;                   ///< whether there is a --server
  std::function<bool()> simulates;                ///< whether all people of a data set are to be played
  std::function<Result<Fetched>()> fetch;
  /// Hands the report in; whether it was stored now.
  std::function<Result<bool>(std::span<const std::uint8_t> report)> send;
  std::function<Status(bool json)> simulate;
};

}  // namespace ppgnn::app
