#include "ppgnn/api/campaign.hpp"

#include <utility>

#include "api/structure.hpp"
#include "ppgnn/campaign/folder.hpp"
#include "ppgnn/campaign/in_store.hpp"
#include "ppgnn/campaign/steps.hpp"
#include "ppgnn/wire/report_format.hpp"

namespace ppgnn::api {

Campaign Campaign::in_folder(const std::string& folder, const std::vector<std::string>& reports) {
  return Campaign(std::make_shared<campaign::Folder>(folder, campaign::FolderReports{reports, {}, {}}));
}

Result<Campaign> Campaign::in_store(const std::string& where) {
  Result<campaign::InStore> place = campaign::InStore::open(where, store::Opening::create);
  if (!place) return place.error();
  return Campaign(std::make_shared<campaign::InStore>(std::move(place).value()));
}

Result<std::vector<Campaign::Round>> Campaign::rounds() const {
  const Result<campaign::State> state = place_->load();
  if (!state) return state.error();
  std::vector<Round> rounds;
  for (const campaign::RoundState& round : state->rounds) {
    rounds.push_back(
        {round.role ? std::string(to_text(*round.role)) : "everybody", round.open, round.people, round.reports});
  }
  return rounds;
}

Result<Campaign::Collected> Campaign::collected(const Data& data) const {
  const Result<campaign::State> state = place_->load();
  if (!state) return state.error();
  if (state->rounds.size() != 1 || state->rounds.front().role) {
    return Error{ErrorCode::mismatch, place_->where() + ": people have roles in it; ask and conclude read its reports"};
  }
  const Result<campaign::Admitted> admitted = place_->admit(data.dataset());
  if (!admitted) return admitted.error();
  Collected collected{admitted->plan.text(), {}};
  for (const ldp::NodeReport& report : admitted->reports) {
    collected.reports.push_back({data.person(report.node), wire::encode(admitted->plan, report.report)});
  }
  return collected;
}

Result<void> Campaign::start(const Data& data, const std::string& name, ldp::PlanRequest request, std::uint64_t seed) {
  const Result<graph::Split> split = graph::make_split(data.dataset(), seed, 0);
  if (!split) return split.error();
  return campaign::start(*place_, data.dataset(), *split, name, std::move(request));
}

Result<Campaign::Asked> Campaign::ask(const Data& data, bool pilots, std::uint64_t seed) {
  const Result<campaign::Asked> asked =
      campaign::ask(*place_, data.dataset(), structure_of(data, seed), {.pilots = pilots, .seed = seed});
  if (!asked) return asked.error();
  return Asked{asked->helps, asked->reports, asked->asked, asked->not_asked};
}

Result<Campaign::Concluded> Campaign::conclude(const Data& data, std::uint64_t seed) {
  const Result<campaign::Concluded> made = campaign::conclude(*place_, data.dataset(), structure_of(data, seed), false);
  if (!made) return made.error();
  Concluded concluded{made->answers, made->conclusion.used, {}, {}};
  if (made->test) concluded.accuracy = made->test->accuracy;
  if (made->graph_alone) concluded.graph_alone = made->graph_alone->accuracy;
  return concluded;
}

Result<std::vector<Prediction>> Campaign::predictions() const {
  const Result<std::optional<std::string>> text = place_->predictions();
  if (!text) return text.error();
  if (!*text) return Error{ErrorCode::mismatch, place_->where() + ": there are no predictions yet"};
  const Result<std::vector<server::Prediction>> lines = server::parse_predictions({place_->where(), **text});
  if (!lines) return lines.error();
  std::vector<Prediction> predictions;
  for (const server::Prediction& line : *lines) predictions.push_back({line.node, line.name, line.probability});
  return predictions;
}

}  // namespace ppgnn::api
