#include "ppgnn/core/names.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ppgnn {

namespace {

struct Alias {
  std::string_view name;  // as `folded` writes it
  std::string_view stands_for;
};
constexpr std::array kAliases{Alias{"graphsage", "sage"},
                              Alias{"graphconvolution", "gcn"},
                              Alias{"graphattention", "gat"},
                              Alias{"ppgnn", "paper"},
                              Alias{"ppm", "paper"},
                              Alias{"laplace", "lp"},
                              Alias{"gaussian", "gm"},
                              Alias{"onebit", "1b"},
                              Alias{"multibit", "lpgnn"},
                              Alias{"graphalone", "teach-control"},
                              Alias{"teachandask", "teach"},
                              Alias{"decidedathome", "home"},
                              Alias{"nonprivate", "nonpriv"},
                              Alias{"withoutprivacy", "clean"},
                              Alias{"lastfmasia", "lastfm"},
                              Alias{"crocodile", "wikipedia"},
                              Alias{"synthetic", "synthetic:social"}};

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

// In small letters, without what stands between words.
std::string folded(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    if (letter != '-' && letter != '_' && letter != ' ') out += lower(letter);
  }
  return out;
}

// The fewest letters to put in, take out, replace or swap with the next one (optimal string alignment).
std::size_t edits(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before(to.size() + 1), last(to.size() + 1), now(to.size() + 1);
  for (std::size_t j = 0; j <= to.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (from[i - 1] == to[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1]) {
        now[j] = std::min(now[j], before[j - 2] + 1);
      }
    }
    before.swap(last);
    last.swap(now);
  }
  return last[to.size()];
}

}  // namespace

std::string meant(const std::vector<std::string>& names, std::string_view text) {
  if (std::find(names.begin(), names.end(), text) != names.end()) return std::string(text);
  const std::string given = folded(text);
  const auto alias =
      std::find_if(kAliases.begin(), kAliases.end(), [&](const Alias& one) { return one.name == given; });
  for (const std::string& name : names) {
    if (folded(name) == given || (alias != kAliases.end() && name == alias->stands_for)) return name;
  }
  return {};
}

std::string did_you_mean(const std::vector<std::string>& names, std::string_view text) {
  constexpr std::size_t kLongest = 64;  // of what may be a name
  const std::string given = folded(text.substr(0, kLongest));
  std::string nearest;
  std::size_t fewest = 1 + std::max<std::size_t>(1, given.size() / 3);
  for (const std::string& name : names) {
    const std::size_t distance = edits(given, folded(name));
    if (distance < fewest) {
      fewest = distance;
      nearest = name;
    }
  }
  return nearest.empty() ? nearest : "; did you mean " + nearest + "?";
}

}  // namespace ppgnn
