#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/ldp/question.hpp"
#include "ppgnn/ldp/report.hpp"
#include "ppgnn/ldp/row.hpp"

namespace ppgnn::audit {

/// Makes one report for a person: a device, or something that claims to be one.
using ReportSource = std::function<Result<ldp::Report>(ldp::Level, const ldp::Row&)>;

/// The person that reports are made for, as far as it is public: a name, and of a plan of answers the question about all
/// classes in their order.
struct Subject {
  std::uint64_t salt = 0;
  std::optional<ldp::Question> question;

  [[nodiscard]] ldp::Asked asked() const noexcept { return {salt, question ? &*question : nullptr}; }
};
[[nodiscard]] Subject subject_of(const ldp::Plan& plan);

struct FalsifierOptions {
  std::uint64_t trials = 100000;  ///< reports per input and level
  double alpha = 1e-6;            ///< probability that a correct device fails anything at all, at most
  /// Called now and then with the reports made and to be made; may be empty.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;
};

/// One attempt to show that a device does not do what its plan says.
struct Check {
  enum class Kind {
    loss,  ///< `found` is a lower confidence bound on a privacy loss that is claimed to be at most `claim`
    fit,   ///< `found` is a frequency that should be the probability `claim`
    form,  ///< yes or no
  };
  Kind kind = Kind::form;
  std::string name;
  double claim = 0;
  double found = 0;
  double p_value = 1;  ///< fit: probability of a frequency this far off; failed if below the check's share of alpha
  bool passed = true;
  bool tested = true;  ///< loss: whether so many reports could have shown a loss above the claim
};

struct FalsifierResult {
  std::vector<Check> checks;
  double alpha = 0;            ///< over all checks
  double alpha_per_check = 0;  ///< its share for one check
  std::uint64_t reports = 0;
  double visible = 0;               ///< no loss above can be shown by so many reports: such claims are not tested
  std::vector<std::string> inputs;  ///< that were tried, in words

  [[nodiscard]] bool falsified() const noexcept;
};

/// Tries to falsify every claim of a plan's certificate, and that reports are distributed as the plan says, by looking
/// at reports only.
///
/// Inputs  Every form of row that a device may have (dense, sparse, ones), equal and unequal columns, values out of range;
///         pairs that differ in one column and in all.
/// Losses  Half of the reports choose the event that separates two inputs best, the other half gives Clopper-Pearson
///         bounds of its two probabilities: the log-ratio of the bounds is above the claim with probability alpha at
///         most. A claim beyond what so many reports can show is not tested, and says so.
/// Fits    Level reports, signs (for every input, by reported level, by columns, and how many are plus) and the sampled
///         columns, whose law must not know the input: exact tests. They catch what no loss shows: a missing shift,
///         reused randomness, favourite columns.
/// Limits  Events rarer than about 50 / trials are invisible, and so are small differences at small budgets; the
///         certificate and the exact enumeration carry the guarantee, this looks for what they cannot see.
/// Cost    trials * inputs (15 for signs, 9 for categories, 8 for the others) * levels reports.
[[nodiscard]] Result<FalsifierResult> falsify(const ldp::Plan& plan, const ReportSource& source,
                                              const FalsifierOptions& options);

/// Whether two devices, made one after the other, send different things: as many reports as it takes for correct
/// ones to agree with probability below 2^-100. A device with a fixed seed does not pass. A plan whose reports
/// hardly vary passes untested.
[[nodiscard]] Result<bool> devices_differ(const ldp::Plan& plan,
                                          const std::function<Result<ReportSource>()>& make_device);

/// `falsify` for the product's own client, through its public interface and the wire format, with OS randomness; checks
/// also that two devices do not send the same.
[[nodiscard]] Result<FalsifierResult> falsify_client(const ldp::Plan& plan, const FalsifierOptions& options);

}  // namespace ppgnn::audit
