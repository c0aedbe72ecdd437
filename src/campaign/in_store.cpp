#include "ppgnn/campaign/in_store.hpp"

#include <algorithm>
#include <utility>

#include "ppgnn/admission/admission.hpp"
#include "ppgnn/io/files.hpp"
#include "ppgnn/ldp/mechanism.hpp"
#include "ppgnn/server/people_list.hpp"
#include "ppgnn/teach/rounds.hpp"

namespace ppgnn::campaign {

namespace {

Result<ldp::Plan> plan_of(const store::Round& round, const std::string& where) {
  Result<ldp::Plan> plan = ldp::Plan::parse(round.plan);
  if (!plan) return Error{plan.error().code, where + ": " + plan.error().message};
  return plan;
}

Result<std::optional<Decisions>> read_decisions(store::Store& store) {
  Result<std::optional<std::string>> model = store.kept(kModelText);
  if (!model) return model.error();
  if (!*model) return std::optional<Decisions>();
  const Result<std::optional<std::string>> lift = store.kept(kLiftText);
  if (!lift) return lift.error();
  const Result<std::optional<std::string>> withdrawn = store.kept(kWithdrawnText);
  if (!withdrawn) return withdrawn.error();
  Decisions decisions;
  if (Result<void> read = decisions.read_lift(lift->value_or("")); !read) return read.error();
  decisions.model = std::move(**model);
  decisions.withdrawn = withdrawn->has_value();
  return std::optional(std::move(decisions));
}

// The rounds that a step reads: the last, and those before it that asked by the same model.
struct Wanted {
  std::uint32_t number = 0;
  ldp::Plan plan;
  bool everybody = false;
};

Result<std::vector<Wanted>> wanted_rounds(const store::Campaign& campaign, const std::string& where) {
  std::vector<Wanted> wanted;
  for (auto number = static_cast<std::uint32_t>(campaign.rounds.size()); number-- > 0;) {
    const store::Round& round = campaign.rounds[number];
    Result<ldp::Plan> plan = plan_of(round, where);
    if (!plan) return plan.error();
    if (!wanted.empty() && !plan->tables().model) break;
    wanted.push_back({number, std::move(plan).value(), round.people.empty()});
  }
  return wanted;
}

// What the store knows of everybody in the data, by node.
Result<std::vector<store::Standing>> read_standings(store::Store& store, const graph::Dataset& dataset) {
  constexpr std::size_t kAtATime = 1000;
  std::vector<store::Standing> all;
  std::vector<std::string> names;
  for (std::uint32_t first = 0; first < dataset.num_nodes(); first += kAtATime) {
    names.clear();
    for (std::uint32_t node = first; node < std::min<std::size_t>(first + kAtATime, dataset.num_nodes()); ++node) {
      names.push_back(dataset.nodes.name(node));
    }
    auto standings = store.standings(std::vector<std::string_view>(names.begin(), names.end()));
    if (!standings) return standings.error();
    std::move(standings->begin(), standings->end(), std::back_inserter(all));
  }
  return all;
}

// Adds the reports of one round, each admitted.
Result<void> read_reports(store::Store& store, const graph::Dataset& dataset, const Wanted& round, bool allow_seeded,
                          const std::vector<store::Standing>& standings, Admitted& into) {
  std::optional<Error> wrong;
  const auto refuse = [&](ErrorCode code, const std::string& what) {
    wrong = Error{code, store.where() + ": " + what};
    return false;
  };
  const auto take = [&](std::string_view name, std::span<const std::uint8_t> bytes) {
    const auto node = dataset.nodes.find(name);
    if (!node) return refuse(ErrorCode::mismatch, "there is a report of somebody who is not in the data");
    const store::Standing& standing = standings[*node];
    admission::Person person{round.everybody || standing.round == round.number, {}, standing.level};
    if (!into.questions.empty() && into.questions[*node]) person.question = into.questions[*node]->digest();
    admission::Verdict verdict = admission::admit({&round.plan, round.number, true, allow_seeded}, person, bytes);
    if (verdict.reason == admission::Reason::seeded) verdict.why += " (--allow-seeded takes it all the same)";
    if (!verdict) return refuse(ErrorCode::malformed, "there is a report that is not admitted: " + verdict.why);
    into.reports.push_back({*node, std::move(*verdict.report)});
    return true;
  };
  if (Result<void> read = store.each_report(round.number, take); !read) return read;
  if (wrong) return *wrong;
  return {};
}

}  // namespace

Result<InStore> InStore::open(const std::string& where, store::Opening opening, bool allow_seeded) {
  Result<std::unique_ptr<store::Store>> store = store::open(where, opening);
  if (!store) return store.error();
  return InStore(std::move(store).value(), allow_seeded);
}

Result<store::Campaign> InStore::campaign() {
  Result<std::optional<store::Campaign>> found = store_->campaign();
  if (!found) return found.error();
  if (!*found || (*found)->rounds.empty()) {
    return Error{ErrorCode::mismatch, where() + ": there is no campaign in it (ppgnn campaign start)"};
  }
  return std::move(**found);
}

Result<State> InStore::load() {
  const Result<store::Campaign> campaign = this->campaign();
  if (!campaign) return campaign.error();
  const Result<store::Counts> counts = store_->counts();
  if (!counts) return counts.error();
  Result<std::optional<Decisions>> published = read_decisions(*store_);
  if (!published) return io::in_file(where(), published.error());
  State state{campaign->name, {}, campaign->concluded, counts->enrolled, counts->erased};
  for (std::size_t number = 0; number < campaign->rounds.size(); ++number) {
    const store::Round& round = campaign->rounds[number];
    Result<ldp::Plan> plan = plan_of(round, where());
    if (!plan) return plan.error();
    const auto& part = plan->tables().campaign;
    const auto role = part ? std::optional(part->role) : std::nullopt;
    state.rounds.push_back({role, std::move(plan).value(), round.open,
                            round.people.empty() ? counts->enrolled : server::PeopleList::count(round.people),
                            counts->reports[number]});
  }
  state.published = std::move(published).value();
  return state;
}

Result<Admitted> InStore::admit(const graph::Dataset& dataset) {
  const Result<store::Campaign> campaign = this->campaign();
  if (!campaign) return campaign.error();
  const std::size_t last = campaign->rounds.size() - 1;
  if (campaign->rounds[last].open) {
    const std::string number = std::to_string(last);
    return Error{ErrorCode::mismatch,
                 where() + ": round " + number + " is open: ppgnn campaign close --round " + number};
  }
  const Result<std::vector<Wanted>> rounds = wanted_rounds(*campaign, where());
  if (!rounds) return rounds.error();
  const Result<std::vector<store::Standing>> standings = read_standings(*store_, dataset);
  if (!standings) return standings.error();
  Admitted admitted{rounds->front().plan, {}, {}, {}, {}, {}};
  if (!campaign->split.empty()) {
    Result<graph::Split> split = graph::parse_split({where() + ": split", campaign->split}, dataset);
    if (!split) return split.error();
    admitted.split = std::move(split).value();
  }
  const auto& model = admitted.plan.tables().model;
  const auto levels = static_cast<std::uint32_t>(admitted.plan.levels().size());
  Result<std::optional<std::string>> note = store_->kept(kHomeNote);
  if (!note) return note.error();
  admitted.note = std::move(note).value().value_or("");
  for (const store::Standing& one : *standings) {
    admitted.took_part.push_back(one.round ? 1 : 0);
    admitted.erased.push_back(one.erased ? 1 : 0);
    if (admitted.plan.tables().secrecy == ldp::LevelSecrecy::public_level) {
      admitted.levels.push_back(ldp::Level{std::min(one.level.value_or(levels), levels)});
    }
    if (!model) continue;
    auto& question = admitted.questions.emplace_back();
    if (one.erased || !one.round || *one.round < rounds->back().number) continue;
    Result<ldp::Question> read = ldp::Question::parse(*model, one.question);
    if (!read) return Error{read.error().code, where() + ": " + read.error().message};
    question = std::move(read).value();
  }
  for (const Wanted& round : *rounds) {
    if (Result<void> read = read_reports(*store_, dataset, round, allow_seeded_, *standings, admitted); !read)
      return read.error();
  }
  admitted.sort_reports();
  reported_.assign(dataset.num_nodes(), 0);
  for (const ldp::NodeReport& report : admitted.reports) reported_[report.node] = 1;
  return admitted;
}

Result<std::optional<std::vector<graph::NodeId>>> InStore::erased(const graph::Dataset& dataset) {
  const Result<std::vector<std::string>> names = store_->erased();
  if (!names) return names.error();
  std::vector<graph::NodeId> nodes;
  for (const std::string& name : *names) {
    const auto node = dataset.nodes.find(name);
    if (!node) continue;
    if (!reported_.empty() && reported_[*node] != 0) return std::optional<std::vector<graph::NodeId>>();
    nodes.push_back(*node);
  }
  std::sort(nodes.begin(), nodes.end());
  return std::optional(std::move(nodes));
}

Result<bool> InStore::publish(const graph::Dataset& dataset, Publication& round) {
  const ldp::Campaign& part = *round.plan.tables().campaign;
  if (round.split) {
    Result<void> begun = store_->begin(part.name, graph::split_text(dataset, *round.split));
    if (!begun) return begun.error();
  }
  bool kept = false;
  const Result<void> published = alone([&]() -> Result<void> {
    const auto gone = erased(dataset);
    if (!gone) return gone.error();
    if (!*gone) return {};
    std::erase_if(round.people,
                  [&](graph::NodeId person) { return std::binary_search((*gone)->begin(), (*gone)->end(), person); });
    const Result<server::PeopleList> list = server::PeopleList::make(part.name, part.role, dataset.nodes, round.people);
    if (!list) return list.error();
    const Result<ldp::Plan> plan = teach::with_people(round.plan, list->digest());
    if (!plan) return plan.error();
    std::uint32_t number = 0;
    if (!round.split) {
      const Result<store::Campaign> campaign = this->campaign();
      if (!campaign) return campaign.error();
      number = static_cast<std::uint32_t>(campaign->rounds.size());
    }
    std::vector<store::Asked> asked;
    for (const graph::NodeId node : round.people) {
      store::Asked& one = asked.emplace_back(store::Asked{dataset.nodes.name(node), {}});
      if (!round.questions.empty()) one.question = round.questions[node]->bytes();
    }
    kept = true;
    if (!round.note.empty()) {
      if (Result<void> noted = store_->keep(kHomeNote, round.note); !noted) return noted;
    }
    return store_->publish(number, {plan->text(), list->text(), true}, asked);
  });
  if (!published) return published.error();
  return kept;
}

Result<bool> InStore::conclude(const graph::Dataset& dataset, const server::ClassTable& table) {
  const std::string text = server::predictions_text(dataset.nodes, table);
  bool kept = false;
  const Result<void> concluded = alone([&]() -> Result<void> {
    const auto gone = erased(dataset);
    if (!gone) return gone.error();
    kept = gone->has_value();
    return kept ? store_->conclude(text) : Result<void>();
  });
  if (!concluded) return concluded.error();
  return kept;
}

Result<bool> InStore::publish_model(const graph::Dataset& dataset, const Decisions& decisions,
                                    const std::vector<ldp::Hint>& hints) {
  bool kept = false;
  const Result<void> published = alone([&]() -> Result<void> {
    const auto gone = erased(dataset);
    if (!gone) return gone.error();
    if (!*gone) return {};
    kept = true;
    std::vector<store::Asked> told;
    for (std::uint32_t node = 0; node < hints.size(); ++node) {
      if (std::binary_search((*gone)->begin(), (*gone)->end(), node)) continue;
      told.push_back({dataset.nodes.name(node), hints[node].bytes()});
    }
    Result<void> written = store_->hint(told);
    if (written) written = store_->keep(kLiftText, decisions.lift_text());
    if (written && decisions.withdrawn) written = withdraw();
    return written ? store_->keep(kModelText, decisions.model) : written;
  });
  if (!published) return published.error();
  return kept;
}

Result<void> InStore::start_one_round(const std::string& name, const ldp::Plan& plan) {
  if (plan.tables().campaign) {
    return Error{ErrorCode::mismatch,
                 "the plan is one of a campaign with roles: it is made by ppgnn campaign start itself"};
  }
  const bool plain =
      !name.empty() && name.size() <= 64 &&
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_") == std::string::npos;
  if (!plain)
    return Error{ErrorCode::invalid_argument, "campaign: must be 1 to 64 letters, digits, dots, dashes, underscores"};
  if (Result<void> begun = store_->begin(name, ""); !begun) return begun;
  return store_->publish(0, {plan.text(), "", true}, {});
}

}  // namespace ppgnn::campaign
