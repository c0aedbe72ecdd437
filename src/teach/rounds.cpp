#include "ppgnn/teach/rounds.hpp"

#include <utility>

#include "ppgnn/ldp/answer_response.hpp"
#include "ppgnn/teach/asking.hpp"
#include "ppgnn/teach/conclusion.hpp"

namespace ppgnn::teach {

namespace {

constexpr const char* kTeaches = "people whose class is known, who are to teach";
constexpr const char* kAnswers = "people who did not teach, and of whom the graph does not say enough";

}  // namespace

Result<ldp::Plan> teaching_plan(ldp::PlanRequest request, const std::string& campaign, const Digest& people) {
  request.kind = ldp::teaching_kind(request.columns);
  request.campaign = ldp::Campaign{campaign, ldp::Role::teach, kTeaches, people};
  return ldp::make_plan(request);
}

Result<Asking> ask(const graph::Dataset& dataset, const graph::Split& split, const Beliefs& structure,
                   const ldp::Plan& teaching, std::span<const calibrate::NodeReport> lessons,
                   std::span<const ldp::Level> levels, std::uint64_t seed, const TeachOptions& options) {
  const Result<TaughtModel> taught =
      learn(teaching, lessons, dataset.nodes, dataset.labels.span(), dataset.num_classes(), options);
  if (!taught) return taught.error();
  return ask_about(*taught, dataset, split, structure, teaching, lessons, levels, seed);
}

Result<Asking> ask_about(const TaughtModel& taught, const graph::Dataset& dataset, const graph::Split& split,
                         const Beliefs& structure, const ldp::Plan& teaching,
                         std::span<const calibrate::NodeReport> lessons, std::span<const ldp::Level> levels,
                         std::uint64_t seed) {
  const auto labels = dataset.labels.span();
  const ldp::PlanTables& before = teaching.tables();
  ldp::PlanRequest request;
  request.columns = before.schema.groups();
  request.kind = ldp::AnswerResponse::kKind;
  for (const ldp::PlanLevel& level : before.levels) request.budgets.push_back(level.budget);
  request.secrecy = before.secrecy;
  if (before.secrecy == ldp::LevelSecrecy::protected_level) request.level_budget = before.level_budget;
  request.campaign = ldp::Campaign{before.campaign->name, ldp::Role::answer, kAnswers, {}};
  request.model = question_model(taught, dataset.class_names, teaching.shape(0).favoured, seed);
  Result<ldp::Plan> plan = ldp::make_plan(request);
  if (!plan) return plan.error();

  std::vector<bool> teaches(dataset.num_nodes(), false);
  for (const std::uint32_t person : split.train) teaches[person] = true;
  for (const auto& [person, report] : lessons) teaches[person] = true;
  std::vector<std::uint32_t> others;
  for (std::uint32_t person = 0; person < dataset.num_nodes(); ++person) {
    if (!teaches[person]) others.push_back(person);
  }
  Result<server::Questions> questions = questions_for(*plan, calibrated(structure, labels, split), others, levels);
  if (!questions) return questions.error();
  return Asking{std::move(plan).value(), std::move(questions).value()};
}

Result<ldp::Plan> with_people(const ldp::Plan& plan, const Digest& people) {
  ldp::PlanTables tables = plan.tables();
  tables.campaign->people = people;
  return ldp::Plan::make(std::move(tables));
}

}  // namespace ppgnn::teach
