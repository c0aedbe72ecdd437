#include "ppgnn/campaign/folder.hpp"

#include <algorithm>
#include <utility>

#include "ppgnn/io/csv.hpp"
#include "ppgnn/io/files.hpp"
#include "ppgnn/plan_files/plan_files.hpp"
#include "ppgnn/server/people_list.hpp"
#include "ppgnn/server/question_files.hpp"
#include "ppgnn/teach/rounds.hpp"

namespace ppgnn::campaign {

namespace {

using ldp::Role;

// A round that was published: its plan, and the people it is for.
struct Published {
  ldp::Plan plan;
  server::PeopleList list;
};

// In their order, those that are there.
Result<std::vector<Published>> read_rounds(const FolderFiles& files) {
  std::vector<Published> rounds;
  for (const Role role : ldp::kRoles) {
    if (!std::filesystem::exists(files.plan(role))) continue;
    Result<ldp::Plan> plan = plan_files::read_plan(files.plan(role));
    if (!plan) return plan.error();
    Result<server::PeopleList> list = server::PeopleList::read(files.people(role), *plan);
    if (!list) return list.error();
    rounds.push_back({std::move(plan).value(), std::move(list).value()});
  }
  if (rounds.empty()) {
    return Error{ErrorCode::mismatch, files.folder.string() + ": there is no campaign in it (ppgnn campaign start)"};
  }
  return rounds;
}

Result<void> check_disjoint(const std::vector<Published>& rounds) {
  std::vector<server::PeopleList> lists;
  for (const Published& round : rounds) lists.push_back(round.list);
  return server::check_disjoint(lists);
}

}  // namespace

Result<State> Folder::load() {
  const Result<std::vector<Published>> rounds = read_rounds(files_);
  if (!rounds) return rounds.error();
  State state{rounds->front().plan.tables().campaign->name, {}, std::filesystem::exists(files_.predictions()), {}, {}};
  for (const auto& [plan, list] : *rounds) {
    state.rounds.push_back({list.role(), plan, true, list.names().size(), {}});
  }
  if (std::filesystem::exists(files_.kept(kModelText))) {
    const Result<std::string> model = io::read_file(files_.kept(kModelText));
    if (!model) return model.error();
    const Result<std::string> lift = io::read_file(files_.kept(kLiftText));
    if (!lift) return lift.error();
    state.published.emplace();
    if (Result<void> read = state.published->read_lift(*lift); !read) {
      return io::in_file(files_.kept(kLiftText).string(), read.error());
    }
    state.published->model = *model;
    state.published->withdrawn = std::filesystem::exists(files_.kept(kWithdrawnText));
  }
  return state;
}

Result<std::size_t> Folder::public_levels() const {
  const Result<std::vector<Published>> rounds = read_rounds(files_);
  if (!rounds) return rounds.error();
  const ldp::Plan& plan = rounds->front().plan;
  if (plan.tables().secrecy == ldp::LevelSecrecy::public_level) return plan.levels().size();
  return Error{ErrorCode::invalid_argument, "levels are private in this campaign: nobody declares one"};
}

Result<Admitted> Folder::admit(const graph::Dataset& dataset) {
  Result<std::vector<Published>> rounds = read_rounds(files_);
  if (!rounds) return rounds.error();
  if (Result<void> disjoint = check_disjoint(*rounds); !disjoint) return disjoint.error();
  Result<graph::Split> split = graph::read_split(files_.split(), dataset);
  if (!split) return split.error();
  const ldp::Plan& last = rounds->back().plan;
  ldp::Questions questions;
  std::vector<server::FileRound> taken;
  for (const Published& round : *rounds) {
    const bool asks = round.plan.tables().model.has_value();
    if (!asks && &round != &rounds->back()) continue;
    if (asks) {
      const auto read = server::read_questions(files_.questions(round.list.role()), dataset, round.plan);
      if (!read) return read.error();
      questions.resize(dataset.num_nodes());
      for (std::size_t node = 0; node < questions.size(); ++node) {
        if ((*read)[node]) questions[node] = (*read)[node];
      }
    }
    const server::PeopleList& list = round.list;
    taken.push_back({&round.plan, !reports_.levels.empty(), [&](graph::NodeId node) {
                       admission::Person person;
                       person.asked = list.has(dataset.nodes.name(node));
                       if (!questions.empty() && questions[node]) person.question = questions[node]->digest();
                       if (!reports_.levels.empty()) person.level = static_cast<std::uint32_t>(reports_.levels[node]);
                       return person;
                     }});
  }
  for (const std::string& file : reports_.files) {
    if (Result<void> read = server::read_reports(file, dataset, taken, reports_.choice); !read) return read.error();
  }
  Admitted admitted{last, std::move(split).value(), std::move(questions), {}, reports_.levels, {}};
  for (std::size_t i = 0; i < taken.size(); ++i) {
    if (taken[i].reports.empty() && i + 1 < taken.size()) {
      return Error{ErrorCode::invalid_argument,
                   "reports: the pilots answered in a round of their own, and none of their reports is among these"};
    }
    std::move(taken[i].reports.begin(), taken[i].reports.end(), std::back_inserter(admitted.reports));
  }
  admitted.sort_reports();
  for (std::uint32_t node = 0; node < dataset.num_nodes(); ++node) {
    const std::string name = dataset.nodes.name(node);
    admitted.took_part.push_back(
        std::any_of(rounds->begin(), rounds->end(), [&](const Published& round) { return round.list.has(name); }) ? 1
                                                                                                                  : 0);
  }
  if (std::filesystem::exists(files_.kept(kHomeNote))) {
    Result<std::string> note = io::read_file(files_.kept(kHomeNote));
    if (!note) return note.error();
    admitted.note = std::move(note).value();
  }
  return admitted;
}

Result<bool> Folder::publish(const graph::Dataset& dataset, Publication& round) {
  const ldp::Campaign& campaign = *round.plan.tables().campaign;
  if (const auto plan = files_.plan(campaign.role); std::filesystem::exists(plan)) {
    return Error{ErrorCode::invalid_argument,
                 plan.string() + " exists: people may have reported for it, and report once per campaign"};
  }
  Result<server::PeopleList> list = server::PeopleList::make(campaign.name, campaign.role, dataset.nodes, round.people);
  if (!list) return list.error();
  const Result<ldp::Plan> plan = teach::with_people(round.plan, list->digest());
  if (!plan) return plan.error();
  Result<void> written = io::write_text(files_.people(campaign.role), list->text());
  if (written && round.split) written = graph::write_split(files_.split(), dataset, *round.split);
  if (written && !round.questions.empty()) {
    written = server::write_questions(files_.questions(campaign.role), dataset, round.questions);
  }
  if (written && !round.note.empty()) written = io::write_text(files_.kept(kHomeNote), round.note);
  if (written) written = io::write_text(files_.plan(campaign.role), plan->text());
  if (!written) return written.error();
  return true;
}

Result<bool> Folder::publish_model(const graph::Dataset& dataset, const Decisions& decisions,
                                   const std::vector<ldp::Hint>& hints) {
  if (std::filesystem::exists(files_.kept(kModelText))) {
    return Error{ErrorCode::invalid_argument,
                 files_.kept(kModelText).string() +
                     " exists: there is one model per campaign, and devices may have decided by it"};
  }
  std::string text = "node,hint\n";
  for (std::uint32_t node = 0; node < hints.size(); ++node) {
    text += io::csv_field(dataset.nodes.name(node)) + ',' + to_hex(hints[node].bytes()) + '\n';
  }
  Result<void> written = io::write_text(files_.hints(), text);
  if (written) written = io::write_text(files_.kept(kLiftText), decisions.lift_text());
  if (written && decisions.withdrawn) written = withdraw();
  if (written) written = io::write_text(files_.kept(kModelText), decisions.model);
  if (!written) return written.error();
  return true;
}

Result<void> Folder::withdraw() {
  return io::write_text(files_.kept(kWithdrawnText), "withdrawn\n");
}

Result<bool> Folder::conclude(const graph::Dataset& dataset, const server::ClassTable& table) {
  const Result<void> written = io::write_text(files_.predictions(), server::predictions_text(dataset.nodes, table));
  if (!written) return written.error();
  return true;
}

Result<std::optional<std::string>> Folder::predictions() {
  if (!std::filesystem::exists(files_.predictions())) return std::optional<std::string>();
  Result<std::string> text = io::read_file(files_.predictions());
  if (!text) return text.error();
  return std::optional(std::move(text).value());
}

}  // namespace ppgnn::campaign
