#include "ppgnn/study/share.hpp"

#include <charconv>
#include <map>

#include "ppgnn/core/names.hpp"
#include "ppgnn/core/sha256.hpp"
#include "ppgnn/study/experiment.hpp"

namespace ppgnn::study {

Result<Share> parse_share(std::string_view text) {
  Share share;
  const char* end = text.data() + text.size();
  const auto number = std::from_chars(text.data(), end, share.number);
  if (number.ec == std::errc() && number.ptr != end && *number.ptr == '/') {
    const auto count = std::from_chars(number.ptr + 1, end, share.count);
    if (count.ec == std::errc() && count.ptr == end && share.number >= 1 && share.number <= share.count &&
        share.count <= kMaxShares) {
      return share;
    }
  }
  return Error{ErrorCode::invalid_argument, "share: must be K/N with 1 <= K <= N <= " + std::to_string(kMaxShares) +
                                                ", for example 3/16, but is " + std::string(text)};
}

std::string shared_text(const Setting& setting, std::uint64_t run) {
  Setting shared = setting;
  const bool campaign = method_named(value_of(setting, "method"))->campaign;
  std::erase_if(shared, [&](const auto& entry) {
    const Part part = find_named(kFactors, entry.first)->part;
    return part == Part::training || (campaign && part != Part::draw);
  });
  return std::to_string(run) + (campaign ? " campaign " : " ") + text_of(shared);
}

std::string unit_of(const Cell& cell, std::uint64_t run, const Declaration& declaration) {
  const std::string chosen = chosen_with(cell, declaration.select, declaration.factors);
  return chosen.empty() ? shared_text(cell.canonical, run) : "chosen " + chosen;
}

std::set<std::string> units_of(const std::vector<PlannedStudy>& studies, const Share& share) {
  std::map<Digest, std::string> all;
  for (const PlannedStudy& study : studies) {
    for (const Cell& cell : study.cells) {
      for (std::uint64_t run = 0; run < cell.runs; ++run) {
        std::string unit = unit_of(cell, run, study.declaration);
        all.emplace(sha256(unit), std::move(unit));
      }
    }
  }
  std::set<std::string> mine;
  std::size_t at = 0;
  for (auto& [digest, unit] : all) {
    if (at++ % share.count + 1 == share.number) mine.insert(std::move(unit));
  }
  return mine;
}

}  // namespace ppgnn::study
