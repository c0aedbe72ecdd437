#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/dataset.hpp"
#include "ppgnn/io/named_bytes.hpp"
#include "ppgnn/kernels/threads.hpp"
#include "ppgnn/ldp/asked.hpp"
#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/ldp/report.hpp"
#include "ppgnn/ldp/row.hpp"
#include "ppgnn/ldp_research/feature_mechanism.hpp"
#include "ppgnn/server/question_files.hpp"
#include "ppgnn/server/report_files.hpp"

/// A population of simulated devices: the perturbation code of a real one, with seeded randomness.
namespace ppgnn::simulate {

/// The features of a data set as a plan's schema: neighbouring columns alike become one group.
///
/// Errors  invalid_argument for no columns, or a column whose range is one point (see graph::derive_schema).
[[nodiscard]] Result<std::vector<ldp::ColumnGroup>> columns_of(const graph::FeatureSchema& schema);

/// One person's row.
[[nodiscard]] ldp::Row row_of(const graph::Features& features, std::size_t node);

/// How people choose their levels.
enum class LevelChoice {
  uniform,  ///< each level as likely
  strict,   ///< everybody the strictest
  relaxed,  ///< everybody the most relaxed
  bimodal,  ///< the strictest or the most relaxed, as likely
};
struct LevelChoiceRow {
  std::string_view name;
  LevelChoice choice;
};
inline constexpr std::array kLevelChoices{
    LevelChoiceRow{"uniform", LevelChoice::uniform}, LevelChoiceRow{"strict", LevelChoice::strict},
    LevelChoiceRow{"relaxed", LevelChoice::relaxed}, LevelChoiceRow{"bimodal", LevelChoice::bimodal}};

/// One level per person. Person i's depends on the seed, the run and i only.
[[nodiscard]] std::vector<ldp::Level> choose_levels(LevelChoice choice, std::size_t people, std::size_t levels,
                                                    std::uint64_t seed, std::uint64_t run);

/// Reads `node,level` lines: every node once.
///
/// Errors  malformed, naming file and line; a level out of range is refused without naming it.
[[nodiscard]] Result<std::vector<ldp::Level>> parse_levels(const io::NamedBytes& file, const graph::Dataset& dataset,
                                                           std::size_t levels);
/// parse_levels of the file at `path`.
[[nodiscard]] Result<std::vector<ldp::Level>> read_levels(const std::filesystem::path& path,
                                                          const graph::Dataset& dataset, std::size_t levels);

/// Everybody's level as somebody names them: a LevelChoice, or a file for read_levels.
[[nodiscard]] Result<std::vector<ldp::Level>> levels_for(const std::string& choice_or_file,
                                                         const graph::Dataset& dataset, std::size_t levels,
                                                         std::uint64_t seed, std::uint64_t run);

/// What the devices hold.
enum class Content {
  features,  ///< the people's features
  nothing,   ///< the midpoint of every column: reports of the same form that carry no information (the control)
};

/// People's rows as the devices of a plan take them. Where the data and the plan mean different values by a column that
/// a row does not list, rows list every column.
class PlanRows {
 public:
  /// The features must have the plan's columns.
  PlanRows(const graph::Features& features, const ldp::Plan& plan);

  /// Lives as long as `buffer` is not used again.
  [[nodiscard]] ldp::Row row(std::size_t person, std::vector<float>& buffer) const;

  /// Columns with values out of the plan's range, which devices clamp.
  [[nodiscard]] std::vector<std::uint32_t> clamped_columns() const;

 private:
  const graph::Features* features_;
  const ldp::Plan* plan_;
  bool in_full_ = false;
};

/// What is public about everybody when reports of a plan are made: salts from the names that the server knows, and
/// questions where the plan asks some.
class Asking {
 public:
  Asking(const ldp::Plan& plan, const graph::NodeNames& names, server::Questions questions = {});

  [[nodiscard]] ldp::Asked asked(std::size_t person) const noexcept {
    return {salts_[person], questions_.empty() || !questions_[person] ? nullptr : &*questions_[person]};
  }
  /// Whether the person is to report: of a plan that asks a question, whoever has one.
  [[nodiscard]] bool is_asked(std::size_t person) const noexcept {
    return questions_.empty() || questions_[person].has_value();
  }

 private:
  std::vector<std::uint64_t> salts_;
  server::Questions questions_;
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
};

/// Every person's strict report, in the order of the people. Who is not asked or does not report has an empty one.
///
/// Determinism  Person i's report depends on the seed, the run and i only, not on threads.
[[nodiscard]] std::vector<ldp::Report> simulate_reports(const ldp::Plan& plan, const Devices& devices,
                                                        const kernels::Threads& threads);

/// The same as bytes, of those who are asked.
[[nodiscard]] std::vector<server::EncodedReport> seeded_reports(const ldp::Plan& plan, const Devices& devices,
                                                                const kernels::Threads& threads);

/// The bytes of everybody who is asked and reports (`reporting` as in Devices) through the client that devices use, with OS randomness: no two calls give the
/// same. People go by the names that the server knows.
[[nodiscard]] Result<std::vector<server::EncodedReport>> device_reports(
    const ldp::Plan& plan, const PlanRows& rows, const graph::NodeNames& names, std::span<const ldp::Level> levels,
    const server::Questions& questions = {}, std::span<const std::uint8_t> reporting = {}, std::uint64_t round = 0);

/// The same for any mechanism: what the server makes of every person's values.
[[nodiscard]] std::vector<ldp_research::NoisyRow> simulate_rows(const ldp_research::FeatureMechanism& mechanism,
                                                                const Devices& devices,
                                                                const kernels::Threads& threads);

}  // namespace ppgnn::simulate
