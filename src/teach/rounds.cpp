#include "ppgnn/teach/rounds.hpp"

#include <initializer_list>
#include <utility>

#include "ppgnn/ldp/answer_response.hpp"
#include "ppgnn/teach/asking.hpp"
#include "ppgnn/teach/conclusion.hpp"

namespace ppgnn::teach {

namespace {

constexpr const char* kTeaches = "people whose class is known, who are to teach";
constexpr const char* kPilots =
    "people whose class is known and who did not teach: their answers show what answers are worth";
constexpr const char* kAnswers = "people who did not teach, and of whom the graph does not say enough";

// The same plan in another role.
Result<ldp::Plan> in_role(const ldp::Plan& plan, ldp::Role role, const char* rule) {
  ldp::PlanTables tables = plan.tables();
  tables.campaign->role = role;
  tables.campaign->rule = rule;
  tables.campaign->people = {};
  return ldp::Plan::make(std::move(tables));
}

// The questions of everybody whom none of these lists has, in the order of their numbers.
Result<ldp::Questions> questions_without(std::initializer_list<std::span<const graph::NodeId>> lists,
                                         const ldp::Plan& plan, const graph::Dataset& dataset,
                                         const graph::Split& split, const Beliefs& structure,
                                         std::span<const ldp::Level> levels) {
  std::vector<bool> left_out(dataset.num_nodes(), false);
  for (const auto list : lists) {
    for (const graph::NodeId person : list) left_out[person] = true;
  }
  std::vector<std::uint32_t> others;
  for (std::uint32_t person = 0; person < dataset.num_nodes(); ++person) {
    if (!left_out[person]) others.push_back(person);
  }
  return questions_for(plan, calibrated(structure, dataset.labels.span(), split), others, levels);
}

}  // namespace

Result<ldp::Plan> teaching_plan(ldp::PlanRequest request, const std::string& campaign, const Digest& people) {
  request.kind = ldp::teaching_kind(request.columns);
  request.campaign = ldp::Campaign{campaign, ldp::Role::teach, kTeaches, people};
  return ldp::make_plan(request);
}

Result<Asking> ask_about(const TaughtModel& taught, const graph::Dataset& dataset, const graph::Split& split,
                         const Beliefs& structure, const ldp::Plan& teaching, std::span<const ldp::NodeReport> lessons,
                         std::span<const ldp::Level> levels, std::uint64_t seed) {
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

  std::vector<graph::NodeId> taught_by;
  for (const auto& [person, report] : lessons) taught_by.push_back(person);
  Result<ldp::Questions> questions =
      questions_without({split.train, taught_by}, *plan, dataset, split, structure, levels);
  if (!questions) return questions.error();
  return Asking{std::move(plan).value(), std::move(questions).value()};
}

Result<Asking> ask_pilots(const Asking& asking, const graph::Split& split) {
  Result<ldp::Plan> plan = in_role(asking.plan, ldp::Role::pilot, kPilots);
  if (!plan) return plan.error();
  Asking pilots{std::move(plan).value(), ldp::Questions(asking.questions.size())};
  for (const graph::NodeId person : split.validation) pilots.questions[person] = asking.questions[person];
  return pilots;
}

Result<Asking> ask_others(const graph::Dataset& dataset, const graph::Split& split, const Beliefs& structure,
                          const ldp::Plan& pilots, std::span<const ldp::Level> levels) {
  Result<ldp::Plan> plan = in_role(pilots, ldp::Role::answer, kAnswers);
  if (!plan) return plan.error();
  Result<ldp::Questions> questions =
      questions_without({split.train, split.validation}, *plan, dataset, split, structure, levels);
  if (!questions) return questions.error();
  return Asking{std::move(plan).value(), std::move(questions).value()};
}

Result<ldp::Plan> with_people(const ldp::Plan& plan, const Digest& people) {
  ldp::PlanTables tables = plan.tables();
  tables.campaign->people = people;
  return ldp::Plan::make(std::move(tables));
}

}  // namespace ppgnn::teach
