#include <algorithm>
#include <array>

#include "ppgnn/core/names.hpp"
#include "ppgnn/study/setting.hpp"

// The one table of methods.
namespace ppgnn::study {

namespace {

using Budgets = MethodEntry::Budgets;
using simulate::Taught;
constexpr auto kPublic = ldp::LevelSecrecy::public_level;
constexpr auto kNothing = population::Content::nothing;

constexpr std::array kMethods{
    MethodEntry{.name = "nonpriv",
                .title = "NonPriv",
                .about = "clean features, no averaging",
                .mechanism = {},
                .averages = false,
                .budgets = Budgets::none},
    MethodEntry{.name = "base",
                .title = "BASE",
                .about = "multi-bit reports, no averaging",
                .mechanism = "mb",
                .averages = false,
                .budgets = Budgets::one,
                .style = 3},
    MethodEntry{.name = "lpgnn",
                .title = "LPGNN (MB)",
                .about = "multi-bit reports and KProp",
                .mechanism = "mb",
                .budgets = Budgets::one,
                .style = 2},
    MethodEntry{.name = "1b",
                .title = "1B",
                .about = "one bit of every column, KProp",
                .mechanism = "1b",
                .budgets = Budgets::one,
                .dense = true,
                .style = 6},
    MethodEntry{.name = "lp",
                .title = "LP",
                .about = "Laplace noise on every column, KProp",
                .mechanism = "lp",
                .budgets = Budgets::one,
                .dense = true,
                .style = 7},
    MethodEntry{.name = "gm",
                .title = "GM",
                .about = "Gaussian noise on every column, KProp",
                .mechanism = "gm",
                .budgets = Budgets::one,
                .dense = true,
                .style = 8},
    MethodEntry{.name = "paper",
                .title = "PPGNN paper (PPM)",
                .about = "PPGNN as printed: PPM, FlexProp, raw scale; the level is NOT protected",
                .mechanism = "ppm",
                .scale = "raw",
                .style = 1},
    MethodEntry{.name = "ppm*",
                .title = "PPM*",
                .about = "Laplace inside the paper's protocol, FlexProp; the level is NOT protected",
                .mechanism = "ppm*",
                .style = 9},
    MethodEntry{.name = "ppm-pm",
                .title = "PPM-PM",
                .about = "the piecewise mechanism inside the paper's protocol, FlexProp; the level is NOT protected",
                .mechanism = "ppm-pm",
                .style = 16},
    MethodEntry{.name = "strict",
                .title = "PPGNN strict",
                .about = "strict reports with protected levels",
                .in_public = "strict-public",
                .style = 0},
    MethodEntry{.name = "strict-public",
                .title = "PPGNN public",
                .about = "strict reports, levels public",
                .secrecy = kPublic,
                .style = 4},
    MethodEntry{.name = "strictest",
                .title = "All strictest",
                .about = "strict reports, everybody at the strictest budget",
                .budgets = Budgets::one,
                .style = 5},
    MethodEntry{.name = "control",
                .title = "Control",
                .about = "strict reports that carry no information: what the graph alone gives",
                .content = kNothing},
    MethodEntry{.name = "teach",
                .title = "Teach and ask",
                .about = "labelled people teach, the others answer, levels protected",
                .in_public = "teach-public",
                .campaign = true,
                .decided = "home",
                .style = 10},
    MethodEntry{.name = "teach-public",
                .title = "Teach and ask, public",
                .about = "labelled people teach, the others answer, levels public",
                .secrecy = kPublic,
                .campaign = true,
                .decided = "home-public",
                .style = 11},
    MethodEntry{.name = "home",
                .title = "Decided at home",
                .about = "everybody teaches, devices decide by themselves, levels protected",
                .in_public = "home-public",
                .campaign = true,
                .at_home = true,
                .style = 19},
    MethodEntry{.name = "home-public",
                .title = "Decided at home, public",
                .about = "everybody teaches, devices decide by themselves, levels public",
                .secrecy = kPublic,
                .campaign = true,
                .at_home = true,
                .style = 17},
    MethodEntry{.name = "teach-control",
                .title = "Graph alone",
                .about = "what graph and labels say, calibrated; nobody reports: the control of every method",
                .content = kNothing,
                .secrecy = kPublic,
                .budgets = Budgets::none,
                .campaign = true,
                .style = 12},
    MethodEntry{.name = "clean",
                .title = "Without privacy",
                .about = "graph and labels with training on clean features, pooled by validation; NOT private",
                .mechanism = {},
                .averages = false,
                .budgets = Budgets::none,
                .campaign = true,
                .pools = true,
                .style = 18},
    MethodEntry{
        .name = "teach-marked",
        .title = "Oracle of true words",
        .about = "an oracle marks true teaching reports and takes the best estimator, levels public; NOT private",
        .averages = false,
        .secrecy = kPublic,
        .campaign = true,
        .taught = Taught::marked,
        .style = 13},
    MethodEntry{.name = "teach-counted",
                .title = "Oracle of all words",
                .about = "the same as if every teacher had sent every favoured word, levels public; NOT private",
                .secrecy = kPublic,
                .campaign = true,
                .taught = Taught::counted,
                .style = 15},
    MethodEntry{.name = "teach-clean",
                .title = "Clean teachers",
                .about = "the same campaign taught by clean features, levels public: the ceiling; NOT private",
                .secrecy = kPublic,
                .campaign = true,
                .taught = Taught::clean,
                .style = 14},
};

constexpr std::string_view kMeanSuffix = "@mean";

}  // namespace

bool MethodEntry::is_paper() const noexcept {
  return gamma() > 0;
}

double MethodEntry::gamma() const noexcept {
  const simulate::MechanismRow* row = find_named(simulate::mechanisms(), mechanism);
  return row == nullptr ? 0 : row->gamma;
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

std::string current_name(std::string_view method) {
  const FormerName* former = find_named(kFormerNames, method);
  return std::string(former == nullptr ? method : former->now);
}

bool matters(const Factor& factor, const MethodEntry& method, bool trains) {
  const std::string_view name = factor.name;
  const bool personal = method.budgets == Budgets::personal;
  const bool reports = method.budgets != Budgets::none && !method.campaign;  // that carry columns
  if (name == "epsilon" || name == "budgets") return method.budgets != Budgets::none;
  if (name == "h" || name == "levels") return personal;
  if (name == "level_budget") return personal && method.mechanism == "strict" && method.secrecy != kPublic;
  if (name == "gamma") return personal && reports;
  if (name == "m") return reports && !method.dense;
  if (name == "reading") return method.is_paper() || method.mechanism == "gm";
  if (name == "delta") return method.mechanism == "gm";
  if (name == "content") return method.budgets != Budgets::none && !method.is_control();
  if (name == "labels") return method.campaign;
  if (name == "pilots") return method.campaign && method.budgets != Budgets::none && !method.at_home;
  if (name == "response" || name == "liars" || name == "lie" || name == "defence") {
    return method.campaign && method.budgets != Budgets::none;
  }
  if (name == "hint" || name == "hint_friends") return method.at_home;
  if (name == "split_seed") return trains;
  if (name == "targets") return !trains;
  if (name == "operator" || name == "hops") return trains && method.averages && !method.campaign;
  return factor.part != Part::training || (trains && (!method.campaign || method.pools));
}

Setting control_of(Setting setting) {
  setting["method"] = "teach-control";
  setting.erase("content");
  return setting;
}

}  // namespace ppgnn::study
