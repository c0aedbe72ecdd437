#include "ppgnn/study/setting.hpp"

#include <algorithm>
#include <cmath>

#include "ppgnn/core/names.hpp"
#include "ppgnn/core/number.hpp"
#include "ppgnn/nn/backbones.hpp"
#include "ppgnn/teach/structure.hpp"

namespace ppgnn::study {

namespace {

using Budgets = MethodEntry::Budgets;
using simulate::Method;
using simulate::Protocol;
using simulate::Taught;
constexpr auto kPublic = ldp::LevelSecrecy::public_level;
constexpr auto kProtected = ldp::LevelSecrecy::protected_level;

constexpr std::array kMethods{
    MethodEntry{"nonpriv", "NonPriv", "clean features, no averaging", Method::nonpriv, {}, {}, {}, Budgets::none},
    MethodEntry{"base", "BASE", "multi-bit reports, no averaging", Method::base, {}, {}, {}, Budgets::one, false, 3},
    MethodEntry{
        "lpgnn", "LPGNN (MB)", "multi-bit reports and KProp", Method::lpgnn, {}, {}, {}, Budgets::one, false, 2},
    MethodEntry{"1b", "1B", "one bit of every column, KProp", Method::lpgnn, {}, "1b", {}, Budgets::one, true, 6},
    MethodEntry{"lp", "LP", "Laplace noise on every column, KProp", Method::lpgnn, {}, "lp", {}, Budgets::one, true, 7},
    MethodEntry{
        "gm", "GM", "Gaussian noise on every column, KProp", Method::lpgnn, {}, "gm", {}, Budgets::one, true, 8},
    MethodEntry{"ppgnn-paper", "PPGNN paper (PPM)", "the paper's protocol and FlexProp; the level is NOT protected",
                Method::ppgnn, Protocol::paper, "ppm", kProtected, Budgets::personal, false, 1},
    MethodEntry{"ppm*", "PPM*", "Laplace inside the paper's protocol, FlexProp; the level is NOT protected",
                Method::ppgnn, Protocol::paper, "ppm*", kProtected, Budgets::personal, false, 9},
    MethodEntry{"ppgnn", "PPGNN strict", "strict reports with protected levels", Method::ppgnn, Protocol::strict,
                "strict", kProtected, Budgets::personal, false, 0},
    MethodEntry{"ppgnn-public", "PPGNN public", "strict reports, levels public", Method::ppgnn, Protocol::strict,
                "strict", kPublic, Budgets::personal, false, 4},
    MethodEntry{"strictest", "All strictest", "strict reports, everybody at the strictest budget", Method::ppgnn,
                Protocol::strict, "strict", kProtected, Budgets::one, false, 5},
    MethodEntry{"control", "Control", "strict reports that carry no information: what the graph alone gives",
                Method::control, Protocol::strict, "strict", kProtected, Budgets::personal},
    MethodEntry{"teach", "Teach and ask", "labelled people teach, the others answer, levels protected", Method::ppgnn,
                Protocol::strict, "strict", kProtected, Budgets::personal, false, 10, true},
    MethodEntry{"teach-public", "Teach and ask, public", "labelled people teach, the others answer, levels public",
                Method::ppgnn, Protocol::strict, "strict", kPublic, Budgets::personal, false, 11, true},
    MethodEntry{"teach-control", "Graph alone", "a campaign whose reports carry no information", Method::control,
                Protocol::strict, "strict", kPublic, Budgets::personal, false, 12, true},
    MethodEntry{"teach-marked", "Oracle of true words",
                "an oracle marks true teaching reports and takes the best estimator, levels public; NOT private",
                Method::ppgnn, Protocol::strict, "strict", kPublic, Budgets::personal, false, 13, true, Taught::marked},
    MethodEntry{"teach-counted", "Oracle of all words",
                "the same as if every teacher had sent every favoured word, levels public; NOT private", Method::ppgnn,
                Protocol::strict, "strict", kPublic, Budgets::personal, false, 15, true, Taught::counted},
    MethodEntry{"teach-clean", "Clean teachers",
                "the same campaign taught by clean features, levels public: the ceiling; NOT private", Method::ppgnn,
                Protocol::strict, "strict", kPublic, Budgets::personal, false, 14, true, Taught::clean},
};

constexpr std::string_view kMeanSuffix = "@mean";

Error wrong(std::string_view factor, std::string_view value, std::string_view must) {
  return {ErrorCode::invalid_argument,
          std::string(factor) + ": must be " + std::string(must) + ", but is " + std::string(value)};
}

// Whether a factor can change the numbers of this method in this task.
bool matters(std::string_view factor, const MethodEntry& method, bool training) {
  if (factor == "labels") return method.campaign;
  if (method.campaign && (only_training_sees(factor) || factor == "gamma" || factor == "m" || factor == "operator")) {
    return false;
  }
  if (!training && (only_training_sees(factor) || factor == "operator")) return false;
  if (factor == "epsilon") return method.budgets != Budgets::none;
  if (factor == "h" || factor == "levels") return method.budgets == Budgets::personal;
  if (factor == "gamma") return method.budgets == Budgets::personal;
  if (factor == "m") return method.budgets != Budgets::none && !method.dense;
  if (factor == "hops" || factor == "operator") return method.budgets != Budgets::none && method.method != Method::base;
  return true;
}

Result<double> number_of(const Setting& setting, std::string_view factor, double low, double high) {
  const std::string text = value_of(setting, factor);
  const std::optional<double> number = parse_number(text);
  if (number && *number >= low && *number <= high) return *number;
  return wrong(factor, text, "a number between " + format_number(low) + " and " + format_number(high));
}

Result<std::size_t> count_of(const Setting& setting, std::string_view factor, std::size_t low, std::size_t high) {
  const std::string text = value_of(setting, factor);
  const auto number = parse_unsigned(text);
  if (number && *number >= low && *number <= high) return static_cast<std::size_t>(*number);
  return wrong(factor, text, "a whole number from " + std::to_string(low) + " to " + std::to_string(high));
}

// Values that are names must be known ones.
Result<void> check_names(const Setting& setting) {
  const std::string method = value_of(setting, "method");
  if (method_named(method) == nullptr) {
    return wrong("method", method, "one of " + listed(kMethods, ", ") + ", or a one-budget method with @mean");
  }
  const auto check = [&](std::string_view factor, const auto& rows, std::string_view also) -> Result<void> {
    const std::string value = value_of(setting, factor);
    if (find_named(rows, value) != nullptr || (!also.empty() && value == also)) return {};
    return wrong(factor, value, (also.empty() ? "" : std::string(also) + ", ") + listed(rows));
  };
  if (Result<void> known = check("task", kTasks, ""); !known) return known;
  if (method_named(method)->campaign && value_of(setting, "task") != kTasks.front().name) {
    return wrong("task", value_of(setting, "task"), std::string(kTasks.front().name) + " with method " + method);
  }
  if (Result<void> known = check("labels", teach::kLabelChoices, ""); !known) return known;
  if (Result<void> known = check("levels", population::kLevelChoices, ""); !known) return known;
  if (Result<void> known = check("operator", calibrate::kOperators, "own"); !known) return known;
  return check("backbone", nn::backbones(), "");
}

// The mean over people of epsilon * {1, 2, ..., 2^(levels - 1)}, in units of epsilon.
double mean_budget(population::LevelChoice choice, std::size_t levels) {
  const double top = std::exp2(static_cast<double>(levels) - 1);
  switch (choice) {
    case population::LevelChoice::strict:
      return 1;
    case population::LevelChoice::relaxed:
      return top;
    case population::LevelChoice::bimodal:
      return (1 + top) / 2;
    case population::LevelChoice::uniform:
      break;
  }
  return (2 * top - 1) / static_cast<double>(levels);
}

Result<void> fill_budgets(const Setting& setting, simulate::RunConfig& config) {
  const std::string name = value_of(setting, "method");
  const Result<double> epsilon = number_of(setting, "epsilon", ldp::kMinBudget, ldp::kMaxBudget);
  if (!epsilon) return epsilon.error();
  const Result<std::size_t> levels = count_of(setting, "h", 1, ldp::kMaxLevels);
  if (!levels) return levels.error();
  config.budgets = {*epsilon};
  if (method_named(name)->budgets == Budgets::personal) {
    Result<std::vector<double>> budgets = ldp::doubling_budgets(*epsilon, *levels);
    if (!budgets) return budgets.error();
    config.budgets = std::move(budgets).value();
  }
  if (name.ends_with(kMeanSuffix)) config.budgets[0] = *epsilon * mean_budget(config.levels, *levels);
  return {};
}

// What the server gets to see.
Result<void> fill_source(const Setting& setting, simulate::RunConfig& config) {
  const MethodEntry& method = *method_named(value_of(setting, "method"));
  config.method = method.method;
  config.protocol = method.protocol;
  config.mechanism = method.mechanism;
  config.secrecy = method.secrecy;
  config.levels = find_named(population::kLevelChoices, value_of(setting, "levels"))->choice;
  const Result<std::size_t> seed = count_of(setting, "seed", 0, kMaxSeed);
  if (!seed) return seed.error();
  config.split_seed = config.noise_seed = *seed;
  if (Result<void> filled = fill_budgets(setting, config); !filled) return filled;
  if (value_of(setting, "gamma") != "own") {
    const Result<double> gamma = number_of(setting, "gamma", 0, 1);
    if (!gamma) return gamma.error();
    config.gamma = *gamma;
  }
  if (value_of(setting, "m") != "own") {
    const Result<std::size_t> sampled = count_of(setting, "m", 1, ldp::kMaxColumns);
    if (!sampled) return sampled.error();
    config.sampled = static_cast<std::uint32_t>(*sampled);
  }
  if (const auto* row = find_named(calibrate::kOperators, value_of(setting, "operator"))) config.averaging = row->kind;
  return {};
}

Result<void> fill_pipeline(const Setting& setting, server::PipelineOptions& pipeline) {
  const Result<std::size_t> hops = count_of(setting, "hops", 0, server::kMaxHops);
  if (!hops) return hops.error();
  pipeline.hops = *hops;
  Result<std::vector<double>> scales = server::scales_named(value_of(setting, "scale"));
  if (!scales) return scales.error();
  pipeline.scales = std::move(scales).value();
  train::TrainOptions& training = pipeline.training;
  training.network.backbone = nn::backbone_named(value_of(setting, "backbone"));
  const auto fill = [&](std::string_view factor, double most, double& into) -> Result<void> {
    const Result<double> number = number_of(setting, factor, 0, most);
    if (!number) return number.error();
    into = *number;
    return {};
  };
  if (Result<void> filled = fill("learning_rate", 10, training.adam.learning_rate); !filled) return filled;
  if (Result<void> filled = fill("weight_decay", 10, training.adam.weight_decay); !filled) return filled;
  if (Result<void> filled = fill("dropout", .999, training.dropout); !filled) return filled;
  const Result<std::size_t> epochs = count_of(setting, "epochs", 1, train::kMaxEpochs);
  if (!epochs) return epochs.error();
  training.epochs = *epochs;
  training.threads = 1;
  return {};
}

}  // namespace

std::string value_of(const Setting& setting, std::string_view factor) {
  if (const auto found = setting.find(factor); found != setting.end()) return found->second;
  const Factor* known = find_named(kFactors, factor);
  return known == nullptr ? std::string() : std::string(known->fallback);
}

bool only_training_sees(std::string_view factor) noexcept {
  const Factor* known = find_named(kFactors, factor);
  return known != nullptr && known->training;
}

std::span<const MethodEntry> methods() noexcept {
  return kMethods;
}

const MethodEntry* method_named(std::string_view name) noexcept {
  const bool mean = name.ends_with(kMeanSuffix);
  if (mean) name.remove_suffix(kMeanSuffix.size());
  const MethodEntry* found = find_named(kMethods, name);
  return found == nullptr || (mean && found->budgets != Budgets::one) ? nullptr : found;
}

std::string method_title(std::string_view name) {
  const MethodEntry* entry = method_named(name);
  if (entry == nullptr) return std::string(name);
  return std::string(entry->title) + (name.ends_with(kMeanSuffix) ? " at the mean budget" : "");
}

Result<Setting> canonical(const Setting& setting) {
  for (const auto& [name, value] : setting) {
    if (find_named(kFactors, name) == nullptr) return wrong("factor", name, "one of " + listed(kFactors, ", "));
  }
  const Result<simulate::RunConfig> config = config_of(setting);
  if (!config) return config.error();
  const MethodEntry& method = *method_named(value_of(setting, "method"));
  const bool training = value_of(setting, "task") == "classify";
  Setting out;
  for (const Factor& factor : kFactors) {
    if (!matters(factor.name, method, training)) continue;
    if (factor.name == "seed" && config->noise_seed == 0) continue;
    std::string value = value_of(setting, factor.name);
    if (factor.name == "seed") {
      value = std::to_string(config->noise_seed);  // all digits, always
    } else if (const auto number = parse_number(value); number && factor.name != "data") {
      value = format_number(*number);
    }
    out[std::string(factor.name)] = value;
  }
  out["method"] = method.name;
  if (out.contains("epsilon")) out["epsilon"] = format_number(config->budgets.front());
  return out;
}

Result<simulate::RunConfig> config_of(const Setting& setting) {
  if (Result<void> known = check_names(setting); !known) return known.error();
  simulate::RunConfig config;
  if (Result<void> filled = fill_source(setting, config); !filled) return filled.error();
  if (Result<void> filled = fill_pipeline(setting, config.pipeline); !filled) return filled.error();
  return config;
}

std::string text_of(const Setting& setting) {
  std::string text;
  for (const Factor& factor : kFactors) {
    const auto found = setting.find(factor.name);
    if (found == setting.end()) continue;
    text += (text.empty() ? "" : " ") + found->first + '=' + found->second;
  }
  return text;
}

}  // namespace ppgnn::study
