#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/client/ledger.hpp"
#include "ppgnn/client/limits.hpp"
#include "ppgnn/core/result.hpp"
#include "ppgnn/ldp/decide.hpp"
#include "ppgnn/ldp/hint.hpp"
#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/ldp/published_model.hpp"
#include "ppgnn/ldp/question.hpp"
#include "ppgnn/ldp/report.hpp"
#include "ppgnn/ldp/row.hpp"
#include "ppgnn/random/secure_source.hpp"

namespace ppgnn::client {

/// A report that may leave the device.
struct Sent {
  std::size_t size = 0;  ///< bytes
  bool fresh = false;    ///< made now; else the one that was made before
};

/// A person's device: checks a plan, then makes reports of it. Sees no graph and no server; its randomness is the
/// operating system's and nothing can be put in its place.
///
/// Privacy  What `plan().certificate()` states, for each report. Two reports of one person cost the sum of both: an
///          application makes them with a ledger, which allows one a campaign. Such a report leaves neither key material
///          nor anything made from the features in memory, the report itself apart.
/// Errors   A plan that is not canonical or whose certificate does not hold is refused; a level the plan does not have
///          is refused without naming it. So is a row that does not fit the plan's schema (`ldp::Row::fits`): columns
///          out of order, repeated or too large, another number of values than columns, more values than columns there
///          are. A dense row that is too short is none of these: what it lacks is absent. A refusal draws nothing and
///          does not depend on the level or on any value.
/// Cost     Reports into the caller's memory allocate nothing.
/// Threads  One client per thread.
class Client {
 public:
  /// Verifies the plan's certificate from its integers; never plans.
  [[nodiscard]] static Result<Client> make(std::string_view plan_text);

  /// The name under which the server knows the person, from which the public salt follows; plans of a campaign need it.
  void set_person(std::string_view name);
  /// The person's question, docs/formats/question.md; a plan of answers needs it. Refused: bytes that are no question of
  /// this plan, or with fewer classes than a level chooses from.
  [[nodiscard]] Result<void> set_question(std::span<const std::uint8_t> bytes);
  /// Whom the report is for: the collector's address, or another name of 1 to 255 bytes. The ledger keeps it with the report and
  /// hands the report to nobody else. Nobody is named: only reports that were made for nobody are handed out.
  [[nodiscard]] Result<void> set_recipient(std::string_view name);
  /// What the person gave their word for, of ppgnn_permission; replaces what was permitted before.
  void permit(std::uint32_t permissions) noexcept { permitted_ = permissions; }
  /// Holds the plan to what the person agreed to; reports with a ledger need it.
  [[nodiscard]] Result<void> agree(const Limits& limits);
  [[nodiscard]] bool has_agreed() const noexcept { return limits_.has_value(); }

  /// What would leave the device at `level`, in words, with the question and the columns that weigh most in it.
  [[nodiscard]] Result<std::string> preview(ldp::Level level) const;
  /// Of that, the question alone.
  [[nodiscard]] Result<std::string> question_words(ldp::Level level) const;
  /// A report of somebody at `level` who has no feature at all: what one looks like. Costs nothing.
  [[nodiscard]] Result<std::vector<std::uint8_t>> example(ldp::Level level, std::uint64_t round);

  /// The campaign's one report, docs/formats/report.md, written to `out`, which has room for `largest_report()`: the one
  /// that the ledger has, whatever level, features and round are now, or a fresh one, which is in the ledger for good
  /// before this returns.
  ///
  /// Errors  Those of the client and of the ledger; nothing is in `out` then.
  [[nodiscard]] Result<Sent> report(ldp::Level level, const ldp::Row& features, std::uint64_t round, Ledger& ledger,
                                    std::span<std::uint8_t> out);
  /// Says in the ledger that this campaign did not ask the person.
  [[nodiscard]] Result<void> note_not_asked(Ledger& ledger) const;
  /// What the ledger knows of this campaign; of a report that was made for another recipient not its bytes, unless that is
  /// permitted.
  ///
  /// Errors  Those of the ledger; reported, where the report is of another plan, or to another question than the one set.
  [[nodiscard]] Result<std::optional<LedgerEntry>> standing(Ledger& ledger) const;
  /// The stored report, for sending again; empty: there is none. A view that is valid until the next call.
  ///
  /// Errors  Those of `standing`; not_permitted, where it was made for another recipient.
  [[nodiscard]] Result<std::span<const std::uint8_t>> resend(Ledger& ledger) const;
  /// What was spent, what this report would add at `level`, and the limits that were agreed to. Private: not for a log.
  [[nodiscard]] Result<std::string> ledger_words(ldp::Level level, Ledger& ledger) const;

  /// **An action that others can see is a report without a bound**: what an application does visibly because of a decision
  /// tells of the features whatever the decision was made of, and no certificate counts it. Decides by the campaign's
  /// published model and the person's hint, on the device; sends nothing and costs nothing. `probabilities` and `groups`
  /// as ldp::decide says. The ledger holds it to one model and one hint a campaign: whoever could hand in another, and see
  /// what follows, would ask question after question.
  ///
  /// Errors  invalid_argument without model or hint, and for a row that does not fit; those of Ledger::note_decides.
  [[nodiscard]] Result<ldp::Decision> decide(const ldp::Row& features, Ledger& ledger,
                                             std::span<std::uint32_t> probabilities,
                                             std::span<std::int32_t> groups) const;
  /// The campaign's published model, docs/formats/model.md, and what graph and labels say of the person,
  /// docs/formats/hint.md. Refused: a model that this plan, which is the pilots', does not ask about; then there is none.
  [[nodiscard]] Result<void> set_model(std::string_view text, std::span<const std::uint8_t> hint);
  /// The hash of the model that was set.
  [[nodiscard]] const Digest& model() const noexcept { return model_.hash; }

  /// A fresh report for `round`, counted by nobody: for audits and simulations. Applications use the one with a ledger.
  [[nodiscard]] Result<std::vector<std::uint8_t>> report(ldp::Level level, const ldp::Row& features,
                                                         std::uint64_t round);
  /// The same, into `out`, which has room for `largest_report()`: the size.
  [[nodiscard]] Result<std::size_t> report(ldp::Level level, const ldp::Row& features, std::uint64_t round,
                                           std::span<std::uint8_t> out);

  /// Bytes that every report of the plan fits in, at whichever level and in whichever round.
  [[nodiscard]] std::size_t largest_report() const noexcept { return largest_; }
  /// Bytes of a report; the same for every level where levels are protected.
  [[nodiscard]] std::size_t size_of(ldp::Level level, std::uint64_t round);
  [[nodiscard]] const ldp::Plan& plan() const noexcept { return plan_; }
  /// What is public about the person: salt and question.
  [[nodiscard]] ldp::Asked asked() const noexcept { return {salt_.value_or(0), question_ ? &*question_ : nullptr}; }
  /// Why no report of this row can be made; empty: nothing.
  [[nodiscard]] std::string problem_with(ldp::Level level, const ldp::Row& features) const;

 private:
  explicit Client(ldp::Plan plan);

  // Why no report can be made whatever the features are; empty: nothing.
  [[nodiscard]] std::string missing(ldp::Level level) const;
  [[nodiscard]] std::string_view campaign() const noexcept;
  // Why a row is none of the plan's; empty: it is one.
  [[nodiscard]] std::string misfit(const ldp::Row& features) const;
  // The ledger's entry for a report, without what is the person's.
  [[nodiscard]] LedgerEntry entry() const noexcept;
  // Leaves the report in bytes_.
  void draw(ldp::Level level, const ldp::Row& features, std::uint64_t round);

  ldp::Plan plan_;
  std::optional<std::uint64_t> salt_;
  std::optional<ldp::Question> question_;
  ldp::PlannedModel model_;
  std::optional<ldp::Hint> hint_;  // of the model; nothing: there is none
  std::optional<Limits> limits_;
  std::string recipient_;
  std::uint32_t permitted_ = 0;
  random::SecureSource bits_;
  // Room for a report, so that making one allocates nothing.
  ldp::Report made_;
  std::vector<std::uint8_t> bytes_;
  std::size_t largest_ = 0;
};

}  // namespace ppgnn::client
