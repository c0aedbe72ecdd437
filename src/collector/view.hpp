#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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
  /// Where devices decide, once it is published: the model's text, what pilots say that it is worth, and whether it was withdrawn.
  struct Published {
    std::string model;
    std::string lift;
    bool withdrawn = false;

    /// The model's own last line, without the word before it.
    [[nodiscard]] std::string_view hash() const {
      constexpr std::size_t kDigits = 64;
      return model.size() <= kDigits ? std::string_view()
                                     : std::string_view(model).substr(model.size() - kDigits - 1, kDigits);
    }
  };
  std::shared_ptr<const Published> published;

  /// The number of the open round.
  [[nodiscard]] std::optional<std::uint32_t> open() const {
    if (rounds.empty() || !rounds.back().open) return std::nullopt;
    return static_cast<std::uint32_t>(rounds.size() - 1);
  }
};

}  // namespace ppgnn::collector
