#include "ppgnn/study/setting.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ppgnn/core/names.hpp"
#include "ppgnn/core/number.hpp"
#include "ppgnn/nn/backbones.hpp"

namespace ppgnn::study {

namespace {

using Budgets = MethodEntry::Budgets;

constexpr std::string_view kOwn = "own";
constexpr std::string_view kBest = "best";
// Epochs without a better validation loss after which training on clean features ends, as the graph's own models end.
constexpr std::size_t kPooledPatience = 60;
constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();

struct Named {
  std::string_view name;
};
struct NamedContent {
  std::string_view name;
  population::Content content;
};
constexpr std::array kContents{NamedContent{"features", population::Content::features},
                               NamedContent{"nothing", population::Content::nothing},
                               NamedContent{"shuffled", population::Content::shuffled}};
constexpr std::array kAnswers{Named{"no"}, Named{"yes"}};
struct NamedHint {
  std::string_view name;
  ldp::HintKind kind;
};
constexpr std::array kHints{NamedHint{"coarse", ldp::HintKind::coarse}, NamedHint{"full", ldp::HintKind::full}};

Error wrong(std::string_view factor, std::string_view value, std::string_view must) {
  return {ErrorCode::invalid_argument,
          std::string(factor) + ": must be " + std::string(must) + ", but is " + std::string(value)};
}

// Reads the values of one setting; the first that a factor cannot have is kept, and what follows changes nothing.
class Values {
 public:
  explicit Values(const Setting& setting) : setting_(setting) {}

  [[nodiscard]] const std::optional<Error>& error() const noexcept { return error_; }
  [[nodiscard]] std::string text(std::string_view factor) const { return value_of(setting_, factor); }
  [[nodiscard]] bool has(std::string_view factor) const { return text(factor) != kOwn; }

  void refuse(std::string_view factor, std::string_view must) {
    if (!error_) error_ = wrong(factor, text(factor), must);
  }
  void keep(const Error& error) {
    if (!error_) error_ = error;
  }

  double number(std::string_view factor, double low, double high, std::string_view must) {
    const std::optional<double> number = parse_number(text(factor));
    if (number && *number >= low && *number <= high) return *number;
    refuse(factor, must);
    return low;
  }
  double number(std::string_view factor, double low, double high) {
    return number(factor, low, high, "a number between " + format_number(low) + " and " + format_number(high));
  }

  std::uint64_t count(std::string_view factor, std::uint64_t low, std::uint64_t high) {
    const auto number = parse_unsigned(text(factor));
    if (number && *number >= low && *number <= high) return *number;
    refuse(factor, "a whole number from " + std::to_string(low) + (high == kAny ? "" : " to " + std::to_string(high)));
    return low;
  }

  // A row of a table by its name; the first where there is none.
  template <class Rows>
  const auto& row(std::string_view factor, const Rows& rows) {
    const auto* found = find_named(rows, text(factor));
    if (found == nullptr) refuse(factor, listed(rows));
    return found == nullptr ? *std::begin(rows) : *found;
  }

  // "1,2,4".
  std::vector<double> list(std::string_view factor) {
    std::vector<double> numbers;
    const std::string all = text(factor);
    for (std::size_t start = 0; start <= all.size();) {
      const std::size_t end = std::min(all.find(',', start), all.size());
      const std::optional<double> number = parse_number(all.substr(start, end - start));
      if (!number) {
        refuse(factor, "numbers with commas between them");
        return {1};
      }
      numbers.push_back(*number);
      start = end + 1;
    }
    return numbers;
  }

 private:
  const Setting& setting_;
  std::optional<Error> error_;
};

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

void fill_budgets(Values& values, Experiment& out) {
  const bool personal = out.method->budgets == Budgets::personal;
  const bool mean = values.text("method") != out.method->name;
  const double epsilon = values.number("epsilon", ldp::kMinBudget, ldp::kMaxBudget);
  const std::size_t levels = values.count("h", 1, ldp::kMaxLevels);
  if (values.has("budgets")) {
    out.level_budgets = values.list("budgets");
    if (mean) values.refuse("budgets", "own with @mean");
  } else if (personal || out.method->campaign) {  // campaigns share whom they start with
    const bool one_more = values.text("reading") == "print" && out.method->is_paper();  // up to 2^h epsilon
    Result<std::vector<double>> doubled = ldp::doubling_budgets(epsilon, levels + (one_more ? 1 : 0));
    if (!doubled) return values.keep(doubled.error());
    out.level_budgets = std::move(doubled).value();
  } else {
    out.level_budgets = {mean ? epsilon * mean_budget(out.levels, levels) : epsilon};
  }
  out.budgets = out.level_budgets;
  if (!personal) out.budgets.resize(1);
}

// Splits, levels and noise.
void fill_draw(Values& values, Experiment& out) {
  const std::string levels = values.text("levels");
  if (const auto* row = find_named(population::kLevelChoices, levels)) {
    out.levels = row->choice;
  } else {
    out.levels_file = levels;
  }
  out.split_seed = out.noise_seed = values.count("seed", 0, kMaxSeed);
  if (values.has("split_seed")) out.split_seed = values.count("split_seed", 0, kAny);
  if (values.has("noise_seed")) out.noise_seed = values.count("noise_seed", 0, kAny);
}

// What the paper leaves open.
void fill_reading(Values& values, Experiment& out) {
  out.reading = values.row("reading", ldp_research::kPaperReadings).reading;
  if (out.reading == ldp_research::PaperReading::authors && !out.method->is_paper() &&
      matters(*find_named(kFactors, "reading"), *out.method, true)) {
    values.refuse("reading", "ours or print with method " + std::string(out.method->name));
  }
  out.pipeline.training.keep_by_three = out.reading == ldp_research::PaperReading::authors;
  if (values.has("delta")) out.delta = values.number("delta", 1e-15, std::nextafter(.5, 0), "from 1e-15 and below 0.5");
  if (!values.has("m")) return;
  const bool paper = out.method->mechanism != "strict";  // strict plans have the best number anyway
  out.best_sampled = paper && values.text("m") == kBest;
  if (!out.best_sampled) out.sampled = static_cast<std::uint32_t>(values.count("m", 1, ldp::kMaxColumns));
}

// What the server gets to see.
void fill_source(Values& values, Experiment& out) {
  const MethodEntry& method = *out.method;
  out.mechanism = method.mechanism;
  out.averages = method.averages;
  out.secrecy = method.secrecy;
  out.content = method.is_control() ? method.content : values.row("content", kContents).content;
  fill_budgets(values, out);
  if (values.has("level_budget")) out.level_budget = values.number("level_budget", ldp::kMinBudget, ldp::kMaxBudget);
  if (values.has("gamma")) out.gamma = values.number("gamma", 0, 1);
  fill_reading(values, out);
  if (values.has("operator")) out.averaging = values.row("operator", calibrate::kOperators).kind;
  out.structure.all_labels = values.row("labels", teach::kLabelChoices).all;
  const double least = std::numeric_limits<double>::denorm_min();
  out.response = values.number("response", least, 1, "above 0 and at most 1");
  out.pilots = values.row("pilots", kAnswers).name == "yes";
  out.liars = values.number("liars", 0, 1);
  out.lie = values.row("lie", simulate::kLies).lie;
  out.defence = values.row("defence", kAnswers).name == "yes";
  out.hint = values.row("hint", kHints).kind;
  out.hint_friends = values.count("hint_friends", 0, kMaxSeed);
  out.attack.targets = values.count("targets", 2, kAny);
}

void fill_pipeline(Values& values, server::PipelineOptions& pipeline) {
  constexpr double kMost = std::numeric_limits<double>::max();
  pipeline.hops = values.count("hops", 0, server::kMaxHops);
  Result<std::vector<double>> scales = server::scales_named(values.text("scale"));
  if (!scales) return values.keep(scales.error());
  pipeline.scales = std::move(scales).value();
  train::TrainOptions& training = pipeline.training;
  training.network.backbone = nn::backbone_named(values.row("backbone", nn::backbones()).name);
  training.network.hidden = values.count("hidden", 4, nn::kMaxHidden);
  if (training.network.hidden % 4 != 0) values.refuse("hidden", "a multiple of 4");
  training.adam.learning_rate = values.number("learning_rate", 0, kMost, "a number from 0");
  training.adam.weight_decay = values.number("weight_decay", 0, kMost, "a number from 0");
  training.dropout = values.number("dropout", 0, std::nextafter(1.0, 0.0), "at least 0 and below 1");
  training.epochs = values.count("epochs", 1, train::kMaxEpochs);
  training.threads = 1;
}

// A number has one spelling however it was written; a whole one has all its digits.
std::string spelled(const Factor& factor, const std::string& value) {
  if (factor.name == "data") return value;
  if (const auto whole = parse_unsigned(value)) return std::to_string(*whole);
  const auto number = parse_number(value);
  return number ? format_number(*number) : value;
}

}  // namespace

std::string value_of(const Setting& setting, std::string_view factor) {
  if (const auto found = setting.find(factor); found != setting.end()) return found->second;
  const Factor* known = find_named(kFactors, factor);
  if (known == nullptr) return {};
  if (known->name == "scale") {
    if (const MethodEntry* method = method_named(value_of(setting, "method"))) return std::string(method->scale);
  }
  return std::string(known->fallback);
}

Result<Experiment> experiment_of(const Setting& setting) {
  Values values(setting);
  Experiment out;
  out.method = method_named(values.text("method"));
  if (out.method == nullptr) {
    return wrong("method", values.text("method"),
                 "one of " + listed(methods(), ", ") + ", or a one-budget method with @mean");
  }
  out.trains = values.row("task", kTasks).name == kTasks.front().name;
  if (!out.trains && out.method->campaign) {
    values.refuse("task", std::string(kTasks.front().name) + " with method " + std::string(out.method->name));
  }
  fill_draw(values, out);
  fill_source(values, out);
  if (!out.trains && out.content == population::Content::shuffled) {
    values.refuse("content", "features or nothing where people are attacked");
  }
  fill_pipeline(values, out.pipeline);
  if (out.method->pools) out.pipeline.training.patience = kPooledPatience;
  if (values.error()) return *values.error();
  return out;
}

Result<Setting> canonical(const Setting& setting) {
  for (const auto& [name, value] : setting) {
    if (find_named(kFactors, name) == nullptr) return wrong("factor", name, "one of " + listed(kFactors, ", "));
  }
  const Result<Experiment> made = experiment_of(setting);
  if (!made) return made.error();
  // A record says nothing of a file's content, and a seed must be exact wherever it is written.
  if (!made->levels_file.empty()) return wrong("levels", made->levels_file, listed(population::kLevelChoices));
  for (const std::uint64_t seed : {made->split_seed, made->noise_seed}) {
    if (seed > kMaxSeed) return wrong("seed", std::to_string(seed), "at most " + std::to_string(kMaxSeed));
  }
  const MethodEntry& method = *made->method;
  Setting out;
  for (const Factor& factor : kFactors) {
    if (!matters(factor, method, made->trains)) continue;
    const std::string value = spelled(factor, value_of(setting, factor.name));
    if (!factor.optional || value != factor.fallback) out[std::string(factor.name)] = value;
  }
  out["method"] = method.name;
  if (!out.contains("liars")) out.erase("lie");  // nobody tells it
  if (out.contains("budgets") && method.budgets == Budgets::personal) {
    out.erase("epsilon");
    out.erase("h");
    std::string& list = out["budgets"] = {};
    for (const double budget : made->budgets) list += (list.empty() ? "" : ",") + format_number(budget);
  } else if (out.contains("epsilon")) {
    out.erase("budgets");
    out["epsilon"] = format_number(made->budgets.front());
  }
  return out;
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
