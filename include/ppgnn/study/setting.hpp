#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/population/levels.hpp"
#include "ppgnn/simulate/campaign.hpp"
#include "ppgnn/simulate/run.hpp"

/// What a study varies, by name: factors, and the methods among them.
namespace ppgnn::study {

/// A factor of a study. To add one: its row in kFactors, what it means in config_of, and in `matters` if it is not
/// for every method.
struct Factor {
  std::string_view name;
  std::string_view fallback;  ///< value when a study does not name the factor
  std::string_view title;     ///< on axes and in tables
  bool training = false;  ///< changes nothing of what the server gets to see: settings that differ in it share reports
  bool chosen = false;    ///< its value may be chosen by validation
};

inline constexpr std::array kFactors{
    Factor{"task", "classify", "task"},  // a name of kTasks
    Factor{"data", "synthetic:social", "data set"},
    Factor{"method", "ppgnn", "method"},  // a name of methods()
    Factor{"epsilon", "1", "epsilon (strictest person's budget)"},
    Factor{"levels", "uniform", "levels"},                 // a name of population::kLevelChoices
    Factor{"h", "5", "levels h"},                          // budgets epsilon * {1, 2, ..., 2^(h-1)}
    Factor{"gamma", "own", "gamma", false, true},          // share of the budget for the level report
    Factor{"m", "own", "sampled columns m", false, true},  // own: the method's default
    Factor{"operator", "own", "averaging", false, true},   // or a name of calibrate::kOperators
    Factor{"labels", "train", "labels spread"},            // of campaigns: a name of teach::kLabelChoices
    Factor{"seed", "0", "seed"},                           // of splits, levels, noise and training
    Factor{"backbone", "gcn", "backbone", true, false},    // a name of nn::backbones()
    Factor{"hops", "4", "hops K", true, true},
    Factor{"scale", "common", "scale", true, true},  // as server::scales_named takes it
    Factor{"learning_rate", "0.01", "learning rate", true, true},
    Factor{"weight_decay", "0.001", "weight decay", true, true},
    Factor{"dropout", "0.5", "dropout", true, true},
    Factor{"epochs", "500", "epochs", true, true},
};

inline constexpr std::uint64_t kMaxSeed = std::uint64_t{1} << 53;  // exact as a number in TOML and JSON

/// What a run does.
struct Task {
  std::string_view name;
};
inline constexpr std::array kTasks{Task{"classify"}, Task{"infer"}};  // infer: attributes and levels

/// What stands in for the data set "lastfm" where its features are not at hand.
inline constexpr const char* kLastfmSubset = "lastfm-subset";

/// One value per factor, as text; a factor that is not there has its fallback.
using Setting = std::map<std::string, std::string, std::less<>>;

[[nodiscard]] std::string value_of(const Setting& setting, std::string_view factor);
/// Factor::training of the factor of this name.
[[nodiscard]] bool only_training_sees(std::string_view factor) noexcept;

/// A method of a study: what `run` calls method, protocol, mechanism and secrecy, under one name.
struct MethodEntry {
  std::string_view name;
  std::string_view title;
  std::string_view about;
  simulate::Method method;
  simulate::Protocol protocol = simulate::Protocol::strict;
  std::string_view mechanism = {};
  ldp::LevelSecrecy secrecy = ldp::LevelSecrecy::protected_level;
  enum class Budgets { none, one, personal } budgets = Budgets::personal;
  bool dense = false;     ///< reports every column: costly, tuned on one data set only
  std::size_t style = 0;  ///< of its line in every figure: which of the line styles; no two methods share one
  bool campaign = false;  ///< teaches and asks; the others average reports over the graph
  simulate::Taught taught = simulate::Taught::reports;  ///< of a campaign
};

/// All methods. "<one-budget method>@mean" is that method at the mean budget of the personal ones.
[[nodiscard]] std::span<const MethodEntry> methods() noexcept;
/// The entry behind a name, with or without "@mean"; nullptr for any other.
[[nodiscard]] const MethodEntry* method_named(std::string_view name) noexcept;
[[nodiscard]] std::string method_title(std::string_view name);

/// The same experiment in its one spelling: factors that do not matter to the method or task are left out, "@mean" is
/// resolved, all others are there but a seed of 0 (records from before there were seeds have none). Two settings with the same canonical form give the same numbers.
///
/// Errors  invalid_argument, naming the factor, for an unknown factor or a value it cannot have.
[[nodiscard]] Result<Setting> canonical(const Setting& setting);

/// What `run` would be told. Data is not part of it.
[[nodiscard]] Result<simulate::RunConfig> config_of(const Setting& setting);

/// "name=value name=value", in the order of the factors.
[[nodiscard]] std::string text_of(const Setting& setting);

}  // namespace ppgnn::study
