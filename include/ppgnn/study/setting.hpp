#pragma once

#include <array>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/simulate/run.hpp"

/// What a study varies, by name: factors, and the methods among them.
namespace ppgnn::study {

/// A factor of a study. To add one: its line in kFactors, what it means in config_of, and in `matters` and
/// `only_training_sees` if it is not for everything.
struct Factor {
  std::string_view name;
  std::string_view fallback;  ///< value when a study does not name the factor
  std::string_view title;     ///< on axes and in tables
};

inline constexpr std::array<Factor, 16> kFactors{{
    {"task", "classify", "task"},  // classify, or infer: attribute and level inference
    {"data", "synthetic:social", "data set"},
    {"method", "ppgnn", "method"},  // a name of methods()
    {"epsilon", "1", "epsilon (strictest person's budget)"},
    {"levels", "uniform", "levels"},  // uniform, strict, relaxed, bimodal
    {"h", "5", "levels h"},           // budgets epsilon * {1, 2, ..., 2^(h-1)}
    {"gamma", "own", "gamma"},        // share of the budget for the level report; own: the method's default
    {"m", "own", "sampled columns m"},
    {"operator", "own", "averaging"},  // kprop, flexprop, convolution, mean
    {"backbone", "gcn", "backbone"},
    {"hops", "4", "hops K"},
    {"scale", "common", "scale"},  // raw, common (by validation), or a root mean square
    {"learning_rate", "0.01", "learning rate"},
    {"weight_decay", "0.001", "weight decay"},
    {"dropout", "0.5", "dropout"},
    {"epochs", "500", "epochs"},
}};

/// What stands in for the data set "lastfm" where its features are not at hand.
inline constexpr const char* kLastfmSubset = "lastfm-subset";

/// One value per factor, as text; a factor that is not there has its fallback.
using Setting = std::map<std::string, std::string, std::less<>>;

[[nodiscard]] const Factor* factor_named(std::string_view name) noexcept;
[[nodiscard]] std::string value_of(const Setting& setting, std::string_view factor);
/// Whether a factor changes nothing of what the server gets to see: settings that differ in these only share reports.
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
  bool dense = false;  ///< reports every column: costly, tuned on one data set only
};

/// All methods. "<one-budget method>@mean" is that method at the mean budget of the personal ones.
[[nodiscard]] std::span<const MethodEntry> methods() noexcept;
/// The entry behind a name, with or without "@mean"; nullptr for any other.
[[nodiscard]] const MethodEntry* method_named(std::string_view name) noexcept;
[[nodiscard]] std::string method_title(std::string_view name);

/// The same experiment in its one spelling: factors that do not matter to the method or task are left out, "@mean" is
/// resolved, all others are there. Two settings with the same canonical form give the same numbers.
///
/// Errors  invalid_argument, naming the factor, for an unknown factor or a value it cannot have.
[[nodiscard]] Result<Setting> canonical(const Setting& setting);

/// What `run` would be told. Data is not part of it.
[[nodiscard]] Result<simulate::RunConfig> config_of(const Setting& setting);

/// "name=value name=value", in the order of the factors.
[[nodiscard]] std::string text_of(const Setting& setting);

}  // namespace ppgnn::study
