#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "ppgnn/core/sha256.hpp"
#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/ldp/report.hpp"

/// Is this a report of this plan, this round, this person, this question? The one answer for a collector, for files and
/// for simulated people, in the same words.
namespace ppgnn::admission {

/// What the reports of a round must be like.
struct Round {
  const ldp::Plan* plan = nullptr;
  std::optional<std::uint64_t> number = {};  ///< that a report must name; nothing: any
  bool declared = false;      ///< people declared their levels; where they are public, a report must state that one
  bool allow_seeded = false;  ///< also reports made from a seed, for research
};

/// What is known of a person in that round.
struct Person {
  bool asked = true;
  Digest question{};                        ///< of the bytes of the person's question; zeros: there is none
  std::optional<std::uint32_t> level = {};  ///< as declared
};

/// Why a report is not admitted.
enum class Reason {
  bad_report,   ///< it is no report of this plan, or not the person's: the level or the question is another
  not_asked,    ///< the round is not for this person
  other_round,  ///< it names another round
  seeded,       ///< it was made from a seed
};

/// A report that is admitted, or why it is not.
struct Verdict {
  std::optional<ldp::Report> report;
  Reason reason = Reason::bad_report;
  std::string why;  ///< names the field, never its content

  explicit operator bool() const noexcept { return report.has_value(); }
};

[[nodiscard]] Verdict admit(const Round& round, const Person& person, std::span<const std::uint8_t> bytes);

}  // namespace ppgnn::admission
