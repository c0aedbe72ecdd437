#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "collector/support.hpp"

/// A small campaign to send fuzzed requests to. Words in an input stand for what chance would not find: T0 .. T9 for tokens of people,
/// TA for the administrator's, R0 .. R3 for reports, R4 for more than one report may have.
namespace ppgnn::fuzz {

class CollectorTarget {
 public:
  CollectorTarget() {
    for (int i = 0; i < 10; ++i) tokens_.push_back(campaign.token(i));
    tokens_.push_back(test::kAdministrator);
    reports_ = {test::text_of(test::report_of(campaign.teaching, "p0")),
                test::text_of(test::report_of(campaign.teaching, "p2")),
                test::text_of(test::report_of(campaign.answering, "p1", 1, campaign.question, 1)), "\x82\x62",
                std::string(9000, '{')};
    campaign.serve();
  }

  /// The campaign for the next input: its second round after some thousands, and a new one after some more, because inputs close
  /// rounds and erase people.
  static CollectorTarget& next() {
    static std::unique_ptr<CollectorTarget> target;
    static std::uint64_t count = 0;
    if (count++ % 20'000 == 0) target = std::make_unique<CollectorTarget>();
    if (count % 20'000 == 10'000) target->campaign.ask();
    if (count % 256 == 0 && !target->campaign.api->refresh()) std::abort();
    return *target;
  }

  /// The input with its words replaced.
  [[nodiscard]] std::string text(const std::uint8_t* data, std::size_t size) const {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    std::string text;
    for (std::size_t i = 0; i < input.size(); ++i) {
      const std::size_t which = i + 1 < input.size() ? kWords.find(input[i + 1]) : std::string_view::npos;
      const std::vector<std::string>* words = input[i] == 'T' ? &tokens_ : input[i] == 'R' ? &reports_ : nullptr;
      if (words == nullptr || which >= words->size()) {
        text += input[i];
        continue;
      }
      text += (*words)[which];
      ++i;
    }
    return text;
  }

  test::SmallCampaign campaign{ldp::LevelSecrecy::protected_level, 10};

 private:
  static constexpr std::string_view kWords = "0123456789A";
  std::vector<std::string> tokens_;
  std::vector<std::string> reports_;
};

/// Statuses that a collector may answer with.
inline bool is_known_status(unsigned status) {
  return status == 200 || status == 201 || status == 204 || (status >= 400 && status < 432) || status == 503;
}

}  // namespace ppgnn::fuzz
