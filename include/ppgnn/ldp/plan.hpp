#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/core/sha256.hpp"
#include "ppgnn/ldp/certificate.hpp"
#include "ppgnn/ldp/level_response.hpp"
#include "ppgnn/ldp/plan_level.hpp"
#include "ppgnn/ldp/question.hpp"
#include "ppgnn/ldp/report.hpp"
#include "ppgnn/ldp/schema.hpp"

namespace ppgnn::ldp {

/// A privacy level: 1 is the strictest. Tau in the paper. Private: it never appears in a message.
enum class Level : std::uint32_t {};

enum class LevelSecrecy {
  protected_level,  ///< the level is private too, within `level_budget`
  public_level,     ///< the level travels with the report
};

inline constexpr double kMinBudget = 1e-6;
inline constexpr double kMaxBudget = 512;
inline constexpr std::size_t kMaxLevels = 63;

/// What the people of a plan do in a campaign. One report a person and campaign: the roles are of different people.
enum class Role {
  teach,   ///< labelled people, whose reports teach the model
  pilot,   ///< labelled people, whose answers say how good it is
  answer,  ///< everybody else who is asked
};

inline constexpr std::array kRoles{Role::teach, Role::pilot, Role::answer};

/// What a plan belongs to. A device sends one report a campaign, in whichever role.
struct Campaign {
  std::string name;  ///< 1 to 64 of a-z, A-Z, 0-9, '.', '-', '_'
  Role role = Role::teach;
  std::string rule;  ///< who has this role, in words: 1 to 200 bytes of UTF-8 without hidden characters
  Digest people{};   ///< SHA-256 of the list of these people, which the server keeps (docs/formats/people.md)
};

/// The content of a plan, before it is known to be sound.
struct PlanTables {
  ReportKind kind = ReportKind::signs;
  Schema schema{};
  LevelSecrecy secrecy = LevelSecrecy::protected_level;
  double level_budget = 0;  ///< most a report tells about the level to somebody who knows the features; 0 if public
  double gamma = 0;         ///< share of the strictest budget that goes to a level report; 0: there is none
  std::vector<PlanLevel> levels{};
  std::optional<LevelResponse> level_response{};  ///< present iff gamma > 0
  std::optional<Campaign> campaign{};             ///< present where people have roles
  std::uint64_t codebook = 0;                     ///< key of the plan's public hashes
  std::optional<QuestionModel> model{};           ///< of an answer's plan

  [[nodiscard]] Shape shape(const PlanLevel& level) const noexcept;
};

/// How much of a plan there is: all of it, or what somebody asks the planner for.
enum class Stage { whole, request };

/// Whether every field is within its documented range; the first that is not is named. Says nothing about privacy.
[[nodiscard]] Result<void> validate(const PlanTables& tables, Stage stage = Stage::whole);

/// A public agreement between all devices and the server: schema, levels, and the integers that decide every
/// probability. Immutable; exists only with a certificate that holds.
class Plan {
 public:
  /// Validates and certifies.
  [[nodiscard]] static Result<Plan> make(PlanTables tables);
  /// Reads the canonical text; anything else is refused, down to the byte. Never plans anew.
  [[nodiscard]] static Result<Plan> parse(std::string_view text);

  /// Canonical text, docs/formats/plan.md; ends with its own hash.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  /// SHA-256 of the text before the hash line; reports carry it.
  [[nodiscard]] const Digest& hash() const noexcept { return hash_; }
  [[nodiscard]] const Certificate& certificate() const noexcept { return certificate_; }
  [[nodiscard]] const PlanTables& tables() const noexcept { return tables_; }

  [[nodiscard]] ReportKind kind() const noexcept { return tables_.kind; }
  [[nodiscard]] const Schema& schema() const noexcept { return tables_.schema; }
  [[nodiscard]] const std::vector<PlanLevel>& levels() const noexcept { return tables_.levels; }
  /// What the mechanism needs to know of a level, counted from 0, besides its entry.
  [[nodiscard]] Shape shape(std::size_t level) const noexcept { return tables_.shape(tables_.levels[level]); }
  /// Outcomes that the strictest level chooses from: the classes of a category plan.
  [[nodiscard]] std::uint32_t outcomes() const noexcept { return shape(0).outcomes; }
  /// Whether `level` is one of this plan's levels.
  [[nodiscard]] bool has(Level level) const noexcept {
    return static_cast<std::uint32_t>(level) - 1 < tables_.levels.size();
  }

 private:
  Plan() = default;

  PlanTables tables_;
  Certificate certificate_;
  std::string text_;
  Digest hash_{};
};

/// "protected", "public".
std::string_view to_text(LevelSecrecy secrecy) noexcept;
/// "teach", "pilot", "answer".
std::string_view to_text(Role role) noexcept;

}  // namespace ppgnn::ldp
