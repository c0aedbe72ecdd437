#include "ppgnn/simulate/campaign.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ppgnn/admission/admission.hpp"
#include "ppgnn/campaign/steps.hpp"
#include "ppgnn/ldp/planner.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"
#include "ppgnn/server/training.hpp"
#include "ppgnn/simulate/oracle.hpp"

namespace ppgnn::simulate {

namespace {

// Whether somebody who is asked reports: by chance, whoever it is.
bool responds(const CampaignStart& start, double share, std::uint32_t person) {
  seeded::SeededStream bits(start.seed, seeded::Purpose::respond, start.run << 32 | person);
  return std::ldexp(static_cast<double>(bits.next() >> 11), -53) < share;
}

// People whose devices report as soon as a round is published; what they send is admitted as anybody's is.
class SimulatedPeople : public campaign::Place {
 public:
  SimulatedPeople(const CampaignConfig& config, const CampaignStart& start, population::Content content)
      : config_(&config), start_(&start), content_(content), spent_(start.levels.size(), 0) {}

  [[nodiscard]] std::string where() const override { return kSimulatedCampaign; }
  [[nodiscard]] bool repeatable() const override { return false; }
  [[nodiscard]] Result<campaign::State> load() override {
    campaign::State state{kSimulatedCampaign, {}, false, {}, {}};
    for (const campaign::Publication& round : rounds_) {
      state.rounds.push_back(
          {round.plan.tables().campaign->role, round.plan.kind(), round.plan.hash(), false, round.people.size(), {}});
    }
    return state;
  }
  [[nodiscard]] Result<campaign::Admitted> admit(const graph::Dataset& dataset) override {
    const campaign::Publication& last = rounds_.back();
    const bool asks = last.plan.tables().model.has_value();
    campaign::Admitted admitted{last.plan, start_->split, {}, {}, {}, {}};
    if (config_->secrecy == ldp::LevelSecrecy::public_level) admitted.levels = start_->levels;
    for (std::size_t i = rounds_.size(); i-- > 0;) {
      const campaign::Publication& round = rounds_[i];
      if (asks && !round.plan.tables().model) break;
      if (Result<void> added = add(dataset, round, sent_[i], admitted); !added) return added.error();
      if (!asks) break;
    }
    admitted.sort_reports();
    return admitted;
  }
  [[nodiscard]] Result<void> publish(const graph::Dataset& dataset, const campaign::Publication& round) override {
    std::vector<std::uint8_t> reporting(dataset.num_nodes(), 0);
    for (const std::uint32_t person : round.people) {
      reporting[person] = static_cast<std::uint8_t>(responds(*start_, config_->response, person));
    }
    const population::Asking asking(round.plan, dataset.nodes, round.questions);
    const population::Devices devices{.features = &dataset.features,
                                      .levels = start_->levels,
                                      .seed = start_->seed,
                                      .run = start_->run,
                                      .content = content_,
                                      .asking = &asking,
                                      .reporting = reporting,
                                      .round = rounds_.size()};
    sent_.push_back(population::seeded_reports(round.plan, devices, kernels::Threads(1)));
    for (const wire::EncodedReport& report : sent_.back()) {
      const std::size_t level = static_cast<std::uint32_t>(start_->levels[report.node]) - 1;
      spent_[report.node] = content_ == population::Content::nothing ? 0 : round.plan.certificate().features[level];
    }
    rounds_.push_back(round);
    return {};
  }
  [[nodiscard]] Result<void> conclude(const graph::Dataset&, const server::ClassTable&) override { return {}; }
  [[nodiscard]] Result<std::optional<std::string>> predictions() override { return std::optional<std::string>(); }

  [[nodiscard]] const std::vector<double>& spent() const noexcept { return spent_; }
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
      person.level = static_cast<std::uint32_t>(start_->levels[report.node]);
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
  std::vector<campaign::Publication> rounds_;
  std::vector<std::vector<wire::EncodedReport>> sent_;  // by round
  std::vector<double> spent_;
};

// The first round.
Result<void> teach_round(const graph::Dataset& dataset, const CampaignConfig& config, const CampaignStart& start,
                         SimulatedPeople& people) {
  Result<std::vector<ldp::ColumnGroup>> columns = population::columns_of(dataset.features.schema());
  if (!columns) return columns.error();
  ldp::PlanRequest request;
  request.columns = std::move(columns).value();
  request.budgets = config.budgets;
  request.secrecy = config.secrecy;
  request.level_budget = config.level_budget;
  return campaign::start(people, dataset, start.split, kSimulatedCampaign, std::move(request));
}

// The models to play with: one, or those among which an oracle takes the best.
Result<std::vector<NamedModel>> models_of(const graph::Dataset& dataset, const CampaignConfig& config,
                                          const CampaignStart& start, const campaign::Admitted& lessons,
                                          CampaignOutcome& outcome) {
  std::vector<NamedModel> models;
  if (config.taught == Taught::reports || config.taught == Taught::marked) {
    Result<teach::TaughtModel> model = teach::learn(lessons.plan, lessons.reports, dataset.nodes, dataset.labels.span(),
                                                    dataset.num_classes(), config.teaching);
    if (!model) return model.error();
    models.push_back({"reports", std::move(model).value()});
    if (config.taught == Taught::reports) return models;
  }
  Result<teach::TaughtModel> clean = clean_model(dataset, start.split, lessons.plan);
  if (!clean) return clean.error();
  if (config.taught == Taught::clean) return std::vector<NamedModel>{{"clean", std::move(clean).value()}};
  const Result<std::vector<MarkedReport>> marked =
      config.taught == Taught::marked ? marked_reports(dataset, lessons.plan, start.levels, lessons.reports)
                                      : all_reports(dataset, lessons.plan, start.levels, start.split.train);
  if (!marked) return marked.error();
  outcome.marked = static_cast<std::size_t>(
      std::count_if(marked->begin(), marked->end(), [](const MarkedReport& one) { return one.column.has_value(); }));
  for (NamedModel& model : marked_models(dataset, lessons.plan, start.levels, *marked, *clean)) {
    models.push_back(std::move(model));
  }
  return models;
}

// The rounds of questions about one model: who is asked, what they answer, what that changes.
Result<CampaignOutcome> answer_rounds(const graph::Dataset& dataset, const CampaignConfig& config,
                                      const CampaignStart& start, const teach::TaughtModel& model,
                                      SimulatedPeople people, CampaignOutcome outcome) {
  const campaign::Structure structure = [&](const graph::Split&) -> Result<teach::Beliefs> { return start.structure; };
  campaign::AskOptions options{.pilots = config.pilots_first, .all_labels = start.all_labels, .seed = start.seed};
  options.without_reports = true;
  options.teacher = [&](const campaign::Admitted&) -> Result<teach::TaughtModel> { return model; };
  Result<campaign::Asked> asked = campaign::ask(people, dataset, structure, options);
  if (asked && config.pilots_first) {
    options.pilots = false;
    asked = campaign::ask(people, dataset, structure, options);
  }
  if (!asked) return asked.error();
  Result<campaign::Concluded> concluded = campaign::conclude(people, dataset, structure, start.all_labels);
  if (!concluded) return concluded.error();
  outcome.answered = concluded->answers;
  outcome.spent = people.spent();
  outcome.beliefs = std::move(concluded->conclusion.beliefs);
  outcome.used = concluded->conclusion.used;
  outcome.spread = concluded->conclusion.spread;
  return outcome;
}

}  // namespace

Result<CampaignStart> start_campaign(const graph::Dataset& dataset, const server::Problem& problem,
                                     const DrawConfig& draw, teach::StructureOptions options, std::size_t levels,
                                     std::uint64_t run, const train::Hooks& hooks) {
  CampaignStart start{run, draw.noise_seed, levels_of(dataset, draw, levels, run), {}, {}, options.all_labels};
  Result<graph::Split> split = graph::make_split(dataset, draw.split_seed, run);
  if (!split) return split.error();
  start.split = std::move(split).value();
  options.training.seed = server::training_seed(draw.noise_seed, run);
  options.training.threads = 1;
  Result<teach::Beliefs> structure = teach::structure_beliefs(problem, start.split, options, hooks);
  if (!structure) return structure.error();
  start.structure = std::move(structure).value();
  return start;
}

Result<CampaignOutcome> play_campaign(const graph::Dataset& dataset, const CampaignConfig& config,
                                      const CampaignStart& start, population::Content content) {
  if (!(config.response > 0 && config.response <= 1)) {
    return Error{ErrorCode::invalid_argument, "response: must be above 0 and at most 1"};
  }
  if (config.taught != Taught::reports && content != population::Content::features) {
    return Error{ErrorCode::invalid_argument, "taught: devices that hold nothing have nothing else to teach"};
  }
  const double begun = server::thread_seconds();
  CampaignOutcome common;
  SimulatedPeople people(config, start, content);
  if (Result<void> taught = teach_round(dataset, config, start, people); !taught) return taught.error();
  common.teachers = people.teachers();
  const Result<campaign::Admitted> lessons = people.admit(dataset);
  if (!lessons) return lessons.error();
  const Result<std::vector<NamedModel>> models = models_of(dataset, config, start, *lessons, common);
  if (!models) return models.error();
  std::optional<CampaignOutcome> best;
  std::vector<Tried> tried;
  for (const auto& [name, model] : *models) {
    Result<CampaignOutcome> outcome = answer_rounds(dataset, config, start, model, people, common);
    if (!outcome) return outcome.error();
    if (models->size() > 1) {
      // By the test people, whom nobody may ask: it can only make the oracle better than it could be.
      tried.push_back({name, teach::quality_of(outcome->beliefs, dataset.labels.span(), start.split.test).log_loss});
      const bool better = std::all_of(tried.begin(), tried.end() - 1,
                                      [&](const Tried& other) { return tried.back().log_loss < other.log_loss; });
      if (!better) continue;
    }
    best = std::move(outcome).value();
  }
  best->tried = std::move(tried);
  best->seconds = server::thread_seconds() - begun;
  return std::move(*best);
}

}  // namespace ppgnn::simulate
