#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ppgnn/admission/admission.hpp"
#include "ppgnn/campaign/place.hpp"
#include "ppgnn/ldp/planner.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"
#include "ppgnn/simulate/campaign.hpp"
#include "ppgnn/simulate/liars.hpp"

namespace ppgnn::simulate {

/// Whether somebody who is asked reports: by chance, whoever it is.
inline bool responds(const CampaignStart& start, double share, std::uint32_t person) {
  seeded::SeededStream bits(start.seed, seeded::Purpose::respond, start.run << 32 | person);
  return std::ldexp(static_cast<double>(bits.next() >> 11), -53) < share;
}

/// People whose devices report as soon as a round is published; what they send is admitted as anybody's is.
class SimulatedPeople : public campaign::Place {
 public:
  SimulatedPeople(const graph::Dataset& dataset, const CampaignConfig& config, const CampaignStart& start,
                  population::Content content)
      : config_(&config), start_(&start), content_(content), levels_(start.levels), spent_(start.levels.size(), 0) {
    if (config.liars > 0) liars_ = Liars(dataset, config.liars, config.lie, start.seed, start.run);
  }

  [[nodiscard]] std::string where() const override { return kSimulatedCampaign; }
  [[nodiscard]] bool repeatable() const override { return false; }
  [[nodiscard]] Result<campaign::State> load() override {
    campaign::State state{kSimulatedCampaign, {}, false, {}, {}};
    for (const campaign::Publication& round : rounds_) {
      state.rounds.push_back({round.plan.tables().campaign->role, round.plan, false, round.people.size(), {}});
    }
    return state;
  }
  [[nodiscard]] Result<campaign::Admitted> admit(const graph::Dataset& dataset) override {
    const campaign::Publication& last = rounds_.back();
    const bool asks = last.plan.tables().model.has_value();
    campaign::Admitted admitted{last.plan, start_->split, {}, {}, {}, {}};
    if (config_->secrecy == ldp::LevelSecrecy::public_level) admitted.levels = levels_;
    for (std::size_t i = rounds_.size(); i-- > 0;) {
      const campaign::Publication& round = rounds_[i];
      if (asks && !round.plan.tables().model) break;
      if (Result<void> added = add(dataset, round, sent_[i], admitted); !added) return added.error();
      if (!asks) break;
    }
    admitted.sort_reports();
    return admitted;
  }
  [[nodiscard]] Result<bool> publish(const graph::Dataset& dataset, campaign::Publication& round) override {
    if (rounds_.empty()) liars_.declare(round.people, levels_, config_->budgets.size());
    std::vector<std::uint8_t> reporting(dataset.num_nodes(), 0);
    for (const std::uint32_t person : round.people) {
      reporting[person] = static_cast<std::uint8_t>(responds(*start_, config_->response, person));
    }
    const population::Asking asking(round.plan, dataset.nodes, round.questions);
    const population::Devices devices{.features = &dataset.features,
                                      .levels = levels_,
                                      .seed = start_->seed,
                                      .run = start_->run,
                                      .content = content_,
                                      .asking = &asking,
                                      .reporting = reporting,
                                      .round = rounds_.size()};
    sent_.push_back(population::seeded_reports(round.plan, devices, kernels::Threads(config_->threads)));
    if (Result<void> told = liars_.tell(round.plan, round.questions, sent_.back()); !told) return told.error();
    for (const wire::EncodedReport& report : sent_.back()) {
      const std::size_t level = static_cast<std::uint32_t>(levels_[report.node]) - 1;
      spent_[report.node] = content_ == population::Content::nothing ? 0 : round.plan.certificate().features[level];
    }
    rounds_.push_back(round);
    return true;
  }
  [[nodiscard]] Result<bool> conclude(const graph::Dataset&, const server::ClassTable&) override { return true; }
  [[nodiscard]] Result<std::optional<std::string>> predictions() override { return std::optional<std::string>(); }

  [[nodiscard]] const std::vector<double>& spent() const noexcept { return spent_; }
  [[nodiscard]] const Liars& liars() const noexcept { return liars_; }
  [[nodiscard]] std::vector<ldp::Plan> plans() const {
    std::vector<ldp::Plan> plans;
    for (const campaign::Publication& round : rounds_) plans.push_back(round.plan);
    return plans;
  }
  /// How many people taught.
  [[nodiscard]] std::size_t teachers() const noexcept { return sent_.front().size(); }

 private:
  // Adds the questions and reports of one round.
  [[nodiscard]] Result<void> add(const graph::Dataset& dataset, const campaign::Publication& round,
                                 const std::vector<wire::EncodedReport>& sent, campaign::Admitted& into) const {
    const auto number = static_cast<std::uint64_t>(&round - rounds_.data());
    if (!round.questions.empty()) {
      into.questions.resize(dataset.num_nodes());
      for (const graph::NodeId person : round.people) into.questions[person] = round.questions[person];
    }
    for (const wire::EncodedReport& report : sent) {
      admission::Person person;
      person.level = static_cast<std::uint32_t>(levels_[report.node]);
      if (!round.questions.empty()) person.question = round.questions[report.node]->digest();
      admission::Verdict verdict = admission::admit({&round.plan, number, true, true}, person, report.bytes);
      if (!verdict) return Error{ErrorCode::mismatch, "simulated device: " + verdict.why};
      into.reports.push_back({report.node, std::move(*verdict.report)});
    }
    return {};
  }

  const CampaignConfig* config_;
  const CampaignStart* start_;
  population::Content content_;
  Liars liars_;
  std::vector<ldp::Level> levels_;  // as declared
  std::vector<campaign::Publication> rounds_;
  std::vector<std::vector<wire::EncodedReport>> sent_;  // by round
  std::vector<double> spent_;
};

/// What somebody asks the planner for the first round of a simulated campaign.
[[nodiscard]] Result<ldp::PlanRequest> teaching_request(const graph::Dataset& dataset, const CampaignConfig& config);

/// Plays a campaign whose devices decide.
[[nodiscard]] Result<CampaignOutcome> play_home(const graph::Dataset& dataset, const CampaignConfig& config,
                                                const CampaignStart& start, population::Content content);

}  // namespace ppgnn::simulate
