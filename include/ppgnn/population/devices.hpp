#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/kernels/threads.hpp"
#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/ldp/question.hpp"
#include "ppgnn/ldp/report.hpp"
#include "ppgnn/population/rows.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"
#include "ppgnn/wire/report_format.hpp"

/// A population of simulated devices: the perturbation code of a real one, with seeded randomness.
namespace ppgnn::population {

/// What the devices hold.
enum class Content {
  features,  ///< the people's features
  nothing,   ///< the midpoint of every column: reports of the same form that carry no information (the control)
  shuffled,  ///< those of somebody drawn by chance, each of one: features as usual that say nothing of their holder
};

/// Whose features each device holds. Everybody's own, or drawn anew in each run.
[[nodiscard]] std::vector<std::uint32_t> holders(Content content, std::size_t people, std::uint64_t seed,
                                                 std::uint64_t run);

/// What is public about everybody when reports of a plan are made: salts from the names that the server knows, and
/// questions where the plan asks some.
class Asking {
 public:
  Asking(const ldp::Plan& plan, const graph::NodeNames& names, ldp::Questions questions = {});

  [[nodiscard]] ldp::Asked asked(std::size_t person) const noexcept {
    return {salts_[person], questions_.empty() || !questions_[person] ? nullptr : &*questions_[person]};
  }
  /// Whether the person is to report: of a plan that asks a question, whoever has one.
  [[nodiscard]] bool is_asked(std::size_t person) const noexcept {
    return questions_.empty() || questions_[person].has_value();
  }

 private:
  std::vector<std::uint64_t> salts_;
  ldp::Questions questions_;
};

struct Devices {
  const graph::Features* features = nullptr;
  std::span<const ldp::Level> levels;  ///< one per person
  std::uint64_t seed = 0;
  std::uint64_t run = 0;
  Content content = Content::features;
  const Asking* asking = nullptr;                ///< needed for plans of a campaign
  std::span<const std::uint8_t> reporting = {};  ///< one per person, 0 for who sends nothing; empty: everybody reports
  std::uint64_t round = 0;                       ///< that reports name; no noise depends on it
  std::span<const std::uint64_t> keys = {};      ///< one per person: what noise depends on instead of run and place
};

/// Calls `make` for everybody who reports, each with the person's own row and stream; `row_at` is what a person has.
///
/// Threads  `make` is called from several at a time.
void for_each_device(
    const Devices& devices, const kernels::Threads& threads,
    const std::function<ldp::Row(std::size_t person, std::vector<float>& buffer)>& row_at,
    const std::function<void(std::size_t person, const ldp::Row& row, seeded::SeededStream& bits)>& make);

/// Every person's strict report, in the order of the people. Who is not asked or does not report has an empty one.
///
/// Determinism  Person i's report depends on the seed, the run and i only, not on threads.
[[nodiscard]] std::vector<ldp::Report> simulate_reports(const ldp::Plan& plan, const Devices& devices,
                                                        const kernels::Threads& threads);

/// The same as bytes, of those who are asked.
[[nodiscard]] std::vector<wire::EncodedReport> seeded_reports(const ldp::Plan& plan, const Devices& devices,
                                                              const kernels::Threads& threads);

/// The bytes of everybody who is asked and reports (`reporting` as in Devices) through the client that devices use, with OS randomness: no two calls give the
/// same. People go by the names that the server knows.
[[nodiscard]] Result<std::vector<wire::EncodedReport>> device_reports(
    const ldp::Plan& plan, const PlanRows& rows, const graph::NodeNames& names, std::span<const ldp::Level> levels,
    const ldp::Questions& questions = {}, std::span<const std::uint8_t> reporting = {}, std::uint64_t round = 0);

}  // namespace ppgnn::population
