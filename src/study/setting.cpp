#include "ppgnn/study/setting.hpp"

#include <algorithm>
#include <cmath>

#include "ppgnn/core/number.hpp"

namespace ppgnn::study {

namespace {

using Budgets = MethodEntry::Budgets;
constexpr auto kPublic = ldp::LevelSecrecy::public_level;
constexpr auto kProtected = ldp::LevelSecrecy::protected_level;

constexpr std::array<MethodEntry, 12> kMethods{{
    {"nonpriv", "NonPriv", "clean features, no averaging", simulate::Method::nonpriv, {}, {}, {}, Budgets::none},
    {"base", "BASE", "multi-bit reports, no averaging", simulate::Method::base, {}, {}, {}, Budgets::one},
    {"lpgnn", "LPGNN (MB)", "multi-bit reports and KProp", simulate::Method::lpgnn, {}, {}, {}, Budgets::one},
    {"1b", "1B", "one bit of every column, KProp", simulate::Method::lpgnn, {}, "1b", {}, Budgets::one, true},
    {"lp", "LP", "Laplace noise on every column, KProp", simulate::Method::lpgnn, {}, "lp", {}, Budgets::one, true},
    {"gm", "GM", "Gaussian noise on every column, KProp", simulate::Method::lpgnn, {}, "gm", {}, Budgets::one, true},
    {"ppgnn-paper", "PPGNN paper (PPM)", "the paper's protocol and FlexProp; the level is NOT protected",
     simulate::Method::ppgnn, simulate::Protocol::paper, "ppm", kProtected, Budgets::personal},
    {"ppm*", "PPM*", "Laplace inside the paper's protocol, FlexProp; the level is NOT protected",
     simulate::Method::ppgnn, simulate::Protocol::paper, "ppm*", kProtected, Budgets::personal},
    {"ppgnn", "PPGNN strict", "strict reports with protected levels", simulate::Method::ppgnn,
     simulate::Protocol::strict, "strict", kProtected, Budgets::personal},
    {"ppgnn-public", "PPGNN public", "strict reports, levels public", simulate::Method::ppgnn,
     simulate::Protocol::strict, "strict", kPublic, Budgets::personal},
    {"strictest", "All strictest", "strict reports, everybody at the strictest budget", simulate::Method::ppgnn,
     simulate::Protocol::strict, "strict", kProtected, Budgets::one},
    {"control", "Control", "strict reports that carry no information: what the graph alone gives",
     simulate::Method::control, simulate::Protocol::strict, "strict", kProtected, Budgets::personal},
}};

constexpr std::string_view kMeanSuffix = "@mean";

Error wrong(std::string_view factor, std::string_view value, std::string_view must) {
  return {ErrorCode::invalid_argument,
          std::string(factor) + ": must be " + std::string(must) + ", but is " + std::string(value)};
}

// Whether a factor can change the numbers of this method in this task.
bool matters(std::string_view factor, const MethodEntry& method, bool training) {
  if (!training && (only_training_sees(factor) || factor == "operator")) return false;
  if (factor == "epsilon") return method.budgets != Budgets::none;
  if (factor == "h" || factor == "levels") return method.budgets == Budgets::personal;
  if (factor == "gamma") return method.budgets == Budgets::personal;
  if (factor == "m") return method.budgets != Budgets::none && !method.dense;
  if (factor == "hops" || factor == "operator")
    return method.budgets != Budgets::none && method.method != simulate::Method::base;
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

}  // namespace

const Factor* factor_named(std::string_view name) noexcept {
  const auto* const found =
      std::find_if(kFactors.begin(), kFactors.end(), [&](const Factor& factor) { return factor.name == name; });
  return found == kFactors.end() ? nullptr : found;
}

std::string value_of(const Setting& setting, std::string_view factor) {
  if (const auto found = setting.find(factor); found != setting.end()) return found->second;
  const Factor* known = factor_named(factor);
  return known == nullptr ? std::string() : std::string(known->fallback);
}

bool only_training_sees(std::string_view factor) noexcept {
  static constexpr std::array<std::string_view, 7> kTraining{"backbone",     "hops",    "scale", "learning_rate",
                                                             "weight_decay", "dropout", "epochs"};
  return std::find(kTraining.begin(), kTraining.end(), factor) != kTraining.end();
}

std::span<const MethodEntry> methods() noexcept {
  return kMethods;
}

const MethodEntry* method_named(std::string_view name) noexcept {
  const bool mean = name.ends_with(kMeanSuffix);
  if (mean) name.remove_suffix(kMeanSuffix.size());
  const auto* const found =
      std::find_if(kMethods.begin(), kMethods.end(), [&](const MethodEntry& entry) { return entry.name == name; });
  if (found == kMethods.end() || (mean && found->budgets != Budgets::one)) return nullptr;
  return found;
}

std::string method_title(std::string_view name) {
  const MethodEntry* entry = method_named(name);
  if (entry == nullptr) return std::string(name);
  return std::string(entry->title) + (name.ends_with(kMeanSuffix) ? " at the mean budget" : "");
}

Result<Setting> canonical(const Setting& setting) {
  for (const auto& [name, value] : setting) {
    if (factor_named(name) == nullptr) {
      std::string names;
      for (const Factor& factor : kFactors) names += (names.empty() ? "" : ", ") + std::string(factor.name);
      return wrong("factor", name, "one of " + names);
    }
  }
  const Result<simulate::RunConfig> config = config_of(setting);
  if (!config) return config.error();
  const MethodEntry& method = *method_named(value_of(setting, "method"));
  const bool training = value_of(setting, "task") == "classify";
  Setting out;
  for (const Factor& factor : kFactors) {
    if (!matters(factor.name, method, training)) continue;
    std::string value = value_of(setting, factor.name);
    if (const auto number = parse_number(value); number && factor.name != "data") value = format_number(*number);
    out[std::string(factor.name)] = value;
  }
  out["method"] = method.name;
  if (out.contains("epsilon")) out["epsilon"] = format_number(config->budgets.front());
  return out;
}

Result<simulate::RunConfig> config_of(const Setting& setting) {
  const std::string name = value_of(setting, "method");
  const MethodEntry* method = method_named(name);
  if (method == nullptr) {
    std::string names;
    for (const MethodEntry& entry : kMethods) names += (names.empty() ? "" : ", ") + std::string(entry.name);
    return wrong("method", name, "one of " + names + ", or a one-budget method with @mean");
  }
  simulate::RunConfig config;
  config.method = method->method;
  config.protocol = method->protocol;
  config.mechanism = method->mechanism;
  config.secrecy = method->secrecy;

  const Result<double> epsilon = number_of(setting, "epsilon", ldp::kMinBudget, ldp::kMaxBudget);
  if (!epsilon) return epsilon.error();
  const Result<std::size_t> levels = count_of(setting, "h", 1, ldp::kMaxLevels);
  if (!levels) return levels.error();
  config.budgets = {*epsilon};
  if (method->budgets == Budgets::personal) {
    Result<std::vector<double>> budgets = ldp::doubling_budgets(*epsilon, *levels);
    if (!budgets) return budgets.error();
    config.budgets = std::move(budgets).value();
  }
  const std::string choice = value_of(setting, "levels");
  const auto level_choice = simulate::level_choice_named(choice);
  if (!level_choice) return wrong("levels", choice, "uniform, strict, relaxed or bimodal");
  config.levels = *level_choice;
  if (name.ends_with(kMeanSuffix)) {
    // The mean over people of epsilon * {1, 2, ..., 2^(h-1)}.
    const double top = std::exp2(static_cast<double>(*levels) - 1);
    const double mean = config.levels == simulate::LevelChoice::strict    ? 1
                        : config.levels == simulate::LevelChoice::relaxed ? top
                        : config.levels == simulate::LevelChoice::bimodal
                            ? (1 + top) / 2
                            : (2 * top - 1) / static_cast<double>(*levels);
    config.budgets[0] = *epsilon * mean;
  }
  if (const std::string task = value_of(setting, "task"); task != "classify" && task != "infer") {
    return wrong("task", task, "classify or infer");
  }
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
  if (const std::string averaging = value_of(setting, "operator"); averaging != "own") {
    const auto* const found = std::find_if(calibrate::kOperators.begin(), calibrate::kOperators.end(),
                                           [&](const auto& entry) { return entry.name == averaging; });
    if (found == calibrate::kOperators.end()) {
      return wrong("operator", averaging, "own, kprop, flexprop, convolution or mean");
    }
    config.averaging = found->kind;
  }

  server::PipelineOptions& pipeline = config.pipeline;
  const Result<std::size_t> hops = count_of(setting, "hops", 0, 1000);
  if (!hops) return hops.error();
  pipeline.hops = *hops;
  if (const std::string scale = value_of(setting, "scale"); scale == "raw") {
    pipeline.scales = {};
  } else if (scale != "common") {
    const std::optional<double> number = parse_number(scale);
    if (!number || !(*number > 0 && *number <= 1e6)) return wrong("scale", scale, "raw, common or a number above 0");
    pipeline.scales = {*number};
  }
  const std::string backbone = value_of(setting, "backbone");
  const auto network = nn::backbone_named(backbone);
  if (!network) return wrong("backbone", backbone, "gcn, sage or gat");
  pipeline.training.network.backbone = *network;
  const Result<double> learning_rate = number_of(setting, "learning_rate", 0, 10);
  if (!learning_rate) return learning_rate.error();
  pipeline.training.adam.learning_rate = *learning_rate;
  const Result<double> weight_decay = number_of(setting, "weight_decay", 0, 10);
  if (!weight_decay) return weight_decay.error();
  pipeline.training.adam.weight_decay = *weight_decay;
  const Result<double> dropout = number_of(setting, "dropout", 0, .999);
  if (!dropout) return dropout.error();
  pipeline.training.dropout = *dropout;
  const Result<std::size_t> epochs = count_of(setting, "epochs", 1, 1000000);
  if (!epochs) return epochs.error();
  pipeline.training.epochs = *epochs;
  pipeline.training.threads = 1;
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
