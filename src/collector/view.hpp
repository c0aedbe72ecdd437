#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collector/known_people.hpp"
#include "ppgnn/collector/api.hpp"
#include "ppgnn/ldp/plan.hpp"

namespace ppgnn::collector {

/// The campaign as it was when somebody last looked.
struct Api::View {
  struct Round {
    std::shared_ptr<const ldp::Plan> plan;
    std::shared_ptr<Screens> screens;
    bool open = false;
    bool everybody = false;   ///< is asked who is enrolled
    std::uint64_t asked = 0;  ///< otherwise: how many people
  };

  std::string name;
  std::vector<Round> rounds;
  std::shared_ptr<KnownPeople> people;
  std::uint64_t generation = 0;
  bool concluded = false;

  /// The number of the open round.
  [[nodiscard]] std::optional<std::uint32_t> open() const {
    if (rounds.empty() || !rounds.back().open) return std::nullopt;
    return static_cast<std::uint32_t>(rounds.size() - 1);
  }
};

}  // namespace ppgnn::collector
