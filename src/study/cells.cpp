#include <algorithm>

#include "ppgnn/study/declaration.hpp"

// The combinations that a declaration means.
namespace ppgnn::study {

namespace {

void replace(Grid& grid, const Grid& with) {
  for (const auto& [factor, values] : with) {
    const auto found =
        std::find_if(grid.begin(), grid.end(), [&, name = factor](const auto& entry) { return entry.first == name; });
    if (found != grid.end()) {
      found->second = values;
    } else {
      grid.emplace_back(factor, values);
    }
  }
}

// Whether a grid has more than kMaxCombinations, without making them.
bool is_too_large(const Grid& grid) {
  std::size_t count = 1;
  for (const auto& [factor, values] : grid) {
    count *= values.size();
    if (count > kMaxCombinations) return true;
  }
  return false;
}

// Memory and time follow the combinations: a few lines must not ask for more than there can be.
Result<void> check_sizes(const Declaration& declaration) {
  const auto refuse = [&](const std::string& what) {
    return Error{ErrorCode::invalid_argument,
                 declaration.id + ": " + what + ": more than " + std::to_string(kMaxCombinations) + " combinations"};
  };
  if (is_too_large(declaration.factors)) return refuse("factors");
  // At most what every rule together offers.
  Match offered{declaration.select.grid};
  for (const Selection::Rule& rule : declaration.select.rules) {
    for (const auto& [factor, values] : rule.grid) {
      const auto found = std::find_if(offered.values.begin(), offered.values.end(),
                                      [&, name = factor](const auto& entry) { return entry.first == name; });
      if (found == offered.values.end() || found->second.size() < values.size()) {
        replace(offered.values, {{factor, values}});
      }
    }
  }
  if (is_too_large(offered.values)) return refuse("select");
  for (const Claim& claim : declaration.claims) {
    if (is_too_large(claim.worse.values)) return refuse("claim: worse");
  }
  for (const PrintedValue& printed : declaration.printed) {
    if (is_too_large(printed.where.values)) return refuse("printed: where");
  }
  return {};
}

}  // namespace

std::vector<Setting> combinations(const Grid& grid) {
  std::vector<Setting> all{{}};
  for (const auto& [factor, values] : grid) {
    std::vector<Setting> more;
    for (const Setting& one : all) {
      for (const std::string& value : values) {
        more.push_back(one);
        more.back()[factor] = value;
      }
    }
    all = std::move(more);
  }
  return all;
}

bool Match::operator()(const Setting& setting) const {
  return std::all_of(values.begin(), values.end(), [&](const auto& entry) {
    const std::string value = value_of(setting, entry.first);
    return std::find(entry.second.begin(), entry.second.end(), value) != entry.second.end();
  });
}

Match Match::with(const Match& more) const {
  Match both = *this;
  replace(both.values, more.values);
  return both;
}

void apply(const Overrides& overrides, Declaration& declaration) {
  replace(declaration.factors, overrides.values);
  for (const auto& [factor, values] : overrides.values) {
    std::erase_if(declaration.rules,
                  [&, name = factor](const Rule& rule) { return rule.unsaid && rule.set.contains(name); });
    auto& tuned_on = declaration.select.dense_on;
    if (factor == "data" && tuned_on && std::find(values.begin(), values.end(), *tuned_on) == values.end())
      tuned_on.reset();
  }
  if (!overrides.runs) return;
  declaration.runs = *overrides.runs;
  for (Rule& rule : declaration.rules) rule.runs.reset();
}

Result<std::vector<Cell>> expand(const Declaration& declaration) {
  if (Result<void> small = check_sizes(declaration); !small) return small.error();
  std::vector<Cell> cells;
  for (const Setting& combination : combinations(declaration.factors)) {
    Cell cell{combination, {}, declaration.runs};
    Setting setting = combination;
    bool skip = false;
    for (const Rule& rule : declaration.rules) {
      if (!rule.when(combination)) continue;
      skip = skip || rule.skip;
      if (rule.runs) cell.runs = *rule.runs;
      for (const auto& [factor, value] : rule.set) {
        setting[factor] = value;
        cell.given.push_back(factor);
      }
    }
    if (skip) continue;
    Result<Setting> spelled = canonical(setting);
    if (!spelled) return Error{spelled.error().code, declaration.id + ": " + spelled.error().message};
    cell.canonical = std::move(spelled).value();
    cells.push_back(std::move(cell));
  }
  return cells;
}

}  // namespace ppgnn::study
