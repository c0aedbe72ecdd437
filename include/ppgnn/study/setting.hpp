#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/attack/attribute_attack.hpp"
#include "ppgnn/core/result.hpp"
#include "ppgnn/population/levels.hpp"
#include "ppgnn/simulate/campaign.hpp"
#include "ppgnn/simulate/one_run.hpp"

/// What a run is told, by name: factors, and the methods among them; and the same in types.
namespace ppgnn::study {

/// What of a run a factor can change. Settings that differ only in what comes later share what comes before.
enum class Part {
  draw,      ///< data, split, levels; of campaigns also what graph and labels say
  reports,   ///< what the server gets to see
  training,  ///< what the server makes of it
};

/// A factor of a study. To add one: its row in kFactors, what it means in experiment_of, and to whom in `matters`.
struct Factor {
  std::string_view name;
  std::string_view fallback;  ///< value when nobody names the factor
  std::string_view title;     ///< on axes and in tables
  Part part = Part::reports;
  bool chosen = false;    ///< its value may be chosen by validation
  bool optional = false;  ///< left out of records where it has its fallback: records from before it have none
};

inline constexpr std::array kFactors{
    Factor{.name = "task", .fallback = "classify", .title = "task", .part = Part::draw},  // a name of kTasks
    Factor{.name = "data", .fallback = "synthetic:social", .title = "data set", .part = Part::draw},
    Factor{.name = "method", .fallback = "strict", .title = "method"},  // a name of methods()
    Factor{.name = "epsilon", .fallback = "1", .title = "epsilon (strictest person's budget)"},
    // A name of population::kLevelChoices; of one cell also a file.
    Factor{.name = "levels", .fallback = "uniform", .title = "levels", .part = Part::draw},
    // Budgets epsilon * {1, 2, ..., 2^(h-1)}, or those named one by one: "1,2,4".
    Factor{.name = "h", .fallback = "5", .title = "levels h", .part = Part::draw},
    Factor{.name = "budgets", .fallback = "own", .title = "budgets", .part = Part::draw, .optional = true},
    Factor{.name = "level_budget", .fallback = "own", .title = "level budget", .optional = true},
    // Share of the budget for the level report, and sampled columns; own: the method's.
    Factor{.name = "gamma", .fallback = "own", .title = "gamma", .chosen = true},
    Factor{.name = "m", .fallback = "own", .title = "sampled columns m", .chosen = true},
    // Of ldp_research::kPaperReadings, what the paper leaves open; of the Gaussian mechanism the chance to fail.
    Factor{.name = "reading", .fallback = "ours", .title = "reading", .optional = true},
    Factor{.name = "delta", .fallback = "own", .title = "delta", .optional = true},
    Factor{.name = "operator", .fallback = "own", .title = "averaging", .chosen = true},  // of calibrate::kOperators
    // What devices hold: their person's features, or nothing, which makes a control of any method.
    Factor{.name = "content", .fallback = "features", .title = "content", .optional = true},
    // Of campaigns: a name of teach::kLabelChoices; share of people who report; whether pilots answer first.
    Factor{.name = "labels", .fallback = "train", .title = "labels spread", .part = Part::draw},
    Factor{.name = "response", .fallback = "1", .title = "share who respond", .optional = true},
    Factor{.name = "pilots", .fallback = "no", .title = "pilots first", .optional = true},
    // Of campaigns: share of people who lie, and how (simulate::kLies); whether the teacher holds out against it.
    Factor{.name = "liars", .fallback = "0", .title = "share of liars", .optional = true},
    Factor{.name = "lie", .fallback = "one-word", .title = "lie", .optional = true},
    Factor{.name = "defence", .fallback = "yes", .title = "defence", .optional = true},
    // Of devices that decide: what the graph tells them; friends with a label from which it tells anything of a person.
    Factor{.name = "hint", .fallback = "coarse", .title = "hints", .optional = true},
    Factor{.name = "hint_friends", .fallback = "0", .title = "least friends for a hint", .optional = true},
    // Of splits, levels, noise and training; own: the seed.
    Factor{.name = "seed", .fallback = "0", .title = "seed", .part = Part::draw, .optional = true},
    Factor{.name = "split_seed", .fallback = "own", .title = "split seed", .part = Part::draw, .optional = true},
    Factor{.name = "noise_seed", .fallback = "own", .title = "noise seed", .part = Part::draw, .optional = true},
    Factor{.name = "targets", .fallback = "200000", .title = "targets", .optional = true},  // of infer
    Factor{.name = "backbone", .fallback = "gcn", .title = "backbone", .part = Part::training},
    Factor{.name = "hops", .fallback = "4", .title = "hops K", .part = Part::training, .chosen = true},
    // As server::scales_named takes it; the fallback is the method's.
    Factor{.name = "scale", .fallback = "common", .title = "scale", .part = Part::training, .chosen = true},
    Factor{
        .name = "learning_rate", .fallback = "0.01", .title = "learning rate", .part = Part::training, .chosen = true},
    Factor{
        .name = "weight_decay", .fallback = "0.001", .title = "weight decay", .part = Part::training, .chosen = true},
    Factor{.name = "dropout", .fallback = "0.5", .title = "dropout", .part = Part::training, .chosen = true},
    Factor{.name = "epochs", .fallback = "500", .title = "epochs", .part = Part::training, .chosen = true},
    Factor{.name = "hidden", .fallback = "16", .title = "hidden", .part = Part::training, .optional = true},
};

inline constexpr std::size_t kLevels = 5;                          // h where nobody names it
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

/// A method: of `run`, `attack` and every study.
struct MethodEntry {
  std::string_view name;
  std::string_view title;
  std::string_view about;
  std::string_view mechanism = "strict";  ///< of simulate::mechanisms(); empty: clean features
  bool averages = true;                   ///< reports over the graph; campaigns do nothing of the kind
  population::Content content = population::Content::features;
  ldp::LevelSecrecy secrecy = ldp::LevelSecrecy::protected_level;
  enum class Budgets { none, one, personal } budgets = Budgets::personal;
  bool dense = false;                                   ///< reports every column: costly, tuned on one data set only
  std::string_view scale = "common";                    ///< where nobody names one
  std::string_view in_public = {};                      ///< the same with public levels, where there is one
  bool campaign = false;                                ///< teaches and asks; the others average reports over the graph
  bool at_home = false;                                 ///< of a campaign: everybody teaches, and devices decide
  std::string_view decided = {};                        ///< the same with devices that decide, where there is one
  simulate::Taught taught = simulate::Taught::reports;  ///< of a campaign
  bool pools = false;     ///< what graph and labels say with training on clean features: without privacy
  std::size_t style = 0;  ///< of its line in every figure: which of the line styles; no two methods share one

  /// Whether its levels are neither protected nor public, as in the paper.
  [[nodiscard]] bool is_paper() const noexcept;
  [[nodiscard]] bool is_control() const noexcept { return content == population::Content::nothing; }
  /// The share of the budget for the level report where nobody names one.
  [[nodiscard]] double gamma() const noexcept;
};

/// All methods. "<one-budget method>@mean" is that method at the mean budget of the personal ones.
[[nodiscard]] std::span<const MethodEntry> methods() noexcept;
/// The entry behind a name, with or without "@mean"; nullptr for any other.
[[nodiscard]] const MethodEntry* method_named(std::string_view name) noexcept;
[[nodiscard]] std::string method_title(std::string_view name);

/// A name that a method had before, as files, records and command lines may still have it.
struct FormerName {
  std::string_view name, now;
  std::string_view scale = "common";  ///< what went without saying
};
inline constexpr std::array kFormerNames{FormerName{.name = "ppgnn", .now = "strict"},
                                         FormerName{.name = "ppgnn-public", .now = "strict-public"},
                                         FormerName{.name = "ppgnn-paper", .now = "paper"}};
/// The name of today; of any other text the text.
[[nodiscard]] std::string current_name(std::string_view method);

/// Whether a factor can change the numbers of this method; `trains`: in classify, else in infer.
[[nodiscard]] bool matters(const Factor& factor, const MethodEntry& method, bool trains);

/// What graph and labels alone give on the same splits: one control for every method and every budget.
[[nodiscard]] Setting control_of(Setting setting);

/// A setting in types: everything that decides the numbers of a run, but what is in the data.
struct Experiment : simulate::SourceConfig, simulate::DrawConfig {
  const MethodEntry* method = nullptr;
  bool trains = true;                 ///< false: it is attacked
  std::vector<double> level_budgets;  ///< that people choose from; of them `budgets` are those that the method knows
  std::string levels_file;            ///< where levels are neither of a choice nor read yet
  server::PipelineOptions pipeline;
  teach::StructureOptions structure;  ///< of campaigns, as what follows
  double response = 1;
  bool pilots = false;
  double liars = 0;
  simulate::Lie lie = simulate::Lie::one_word;
  bool defence = true;
  ldp::HintKind hint = ldp::HintKind::coarse;
  std::size_t hint_friends = 0;
  attack::AttackOptions attack;
};

/// Errors  invalid_argument, naming the factor, for a value it cannot have.
[[nodiscard]] Result<Experiment> experiment_of(const Setting& setting);

/// The same experiment in its one spelling: factors that do not matter to the method or task are left out, "@mean" is
/// resolved, all others are there but optional ones at their fallback. Two settings with the same canonical form give
/// the same numbers.
///
/// Errors  invalid_argument, naming the factor, for an unknown factor or a value it cannot have.
[[nodiscard]] Result<Setting> canonical(const Setting& setting);

/// "name=value name=value", in the order of the factors.
[[nodiscard]] std::string text_of(const Setting& setting);

}  // namespace ppgnn::study
