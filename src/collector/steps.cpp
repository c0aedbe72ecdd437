#include "ppgnn/collector/steps.hpp"

#include <algorithm>
#include <utility>

#include "ppgnn/io/named_bytes.hpp"
#include "ppgnn/server/answers.hpp"
#include "ppgnn/wire/report_format.hpp"

namespace ppgnn::collector {

namespace {

Result<store::Campaign> campaign_in(store::Store& store) {
  Result<std::optional<store::Campaign>> found = store.campaign();
  if (!found) return found.error();
  if (!*found) return Error{ErrorCode::mismatch, store.where() + ": there is no campaign in it (ppgnn campaign start)"};
  return std::move(**found);
}

Result<void> read_reports(store::Store& store, const graph::Dataset& dataset, bool allow_seeded,
                          CollectedRound& round) {
  std::optional<Error> wrong;
  const auto take = [&](std::string_view name, std::span<const std::uint8_t> bytes) {
    if (wrong) return;
    const auto node = dataset.nodes.find(name);
    Result<ldp::Report> report = wire::decode(round.plan, bytes);
    if (!node) {
      wrong = Error{ErrorCode::mismatch, store.where() + ": there is a report of somebody who is not in the data"};
    } else if (!report) {
      wrong = Error{report.error().code, store.where() + ": " + report.error().message};
    } else if (report->seeded && !allow_seeded) {
      wrong = Error{ErrorCode::malformed, store.where() +
                                              ": there are reports made from a seed, for research: they protect "
                                              "nobody (--allow-seeded takes them all the same)"};
    } else {
      round.reports.push_back({*node, std::move(report).value()});
    }
  };
  if (Result<void> read = store.each_report(round.number, take); !read) return read;
  if (wrong) return *wrong;
  // Sums depend on the order, and the order of arrival is nobody's business.
  std::sort(round.reports.begin(), round.reports.end(),
            [](const auto& one, const auto& other) { return one.node < other.node; });
  return {};
}

Result<void> read_standings(store::Store& store, const graph::Dataset& dataset, CollectedRound& round) {
  const auto& model = round.plan.tables().model;
  const bool is_public = round.plan.tables().secrecy == ldp::LevelSecrecy::public_level;
  const auto most = static_cast<std::uint32_t>(round.plan.levels().size());
  constexpr std::size_t kAtATime = 1000;
  std::vector<std::string> names;
  for (std::uint32_t first = 0; first < dataset.num_nodes(); first += kAtATime) {
    names.clear();
    for (std::uint32_t node = first; node < std::min<std::size_t>(first + kAtATime, dataset.num_nodes()); ++node) {
      names.push_back(dataset.nodes.name(node));
    }
    const auto standings = store.standings(std::vector<std::string_view>(names.begin(), names.end()));
    if (!standings) return standings.error();
    for (const store::Standing& one : *standings) {
      round.erased.push_back(one.erased ? 1 : 0);
      if (is_public) round.levels.push_back(ldp::Level{std::min(one.level.value_or(most), most)});
      if (!model) continue;
      auto& question = round.questions.emplace_back();
      if (one.round != round.number || one.erased) continue;
      Result<ldp::Question> read = ldp::Question::parse(*model, one.question);
      if (!read) return Error{read.error().code, store.where() + ": " + read.error().message};
      question = std::move(read).value();
    }
  }
  return {};
}

}  // namespace

Result<void> start(store::Store& store, const graph::Dataset& dataset, const graph::Split& split,
                   const server::PeopleList& list, const ldp::Plan& plan) {
  if (Result<void> begun = store.begin(list.campaign(), graph::split_text(dataset, split)); !begun) return begun;
  std::vector<store::Asked> asked;
  for (const std::string& name : list.names()) asked.push_back({name, {}});
  return store.publish(0, {plan.text(), list.text(), true}, asked);
}

Result<void> start(store::Store& store, const std::string& campaign, const ldp::Plan& plan) {
  if (plan.tables().campaign) {
    return Error{ErrorCode::mismatch,
                 "the plan is one of a campaign with roles: it is made by ppgnn campaign start itself"};
  }
  const bool plain = !campaign.empty() && campaign.size() <= 64 &&
                     campaign.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_") ==
                         std::string::npos;
  if (!plain)
    return Error{ErrorCode::invalid_argument, "campaign: must be 1 to 64 letters, digits, dots, dashes, underscores"};
  if (Result<void> begun = store.begin(campaign, ""); !begun) return begun;
  return store.publish(0, {plan.text(), "", true}, {});
}

Result<void> ask(store::Store& store, std::uint32_t number, const graph::Dataset& dataset,
                 const server::PeopleList& list, const ldp::Plan& plan, const ldp::Questions& questions,
                 std::uint64_t erasures) {
  std::vector<store::Asked> asked;
  for (const std::string& name : list.names()) {
    const auto node = dataset.nodes.find(name);
    if (!node || !questions[*node]) return Error{ErrorCode::mismatch, "people: somebody on the list has no question"};
    asked.push_back({name, questions[*node]->bytes()});
  }
  return store.publish(number, {plan.text(), list.text(), true}, asked, erasures);
}

Result<CollectedRound> read_round(store::Store& store, const graph::Dataset& dataset,
                                  std::optional<std::uint32_t> number, bool allow_seeded) {
  const Result<store::Campaign> campaign = campaign_in(store);
  if (!campaign) return campaign.error();
  const std::uint32_t which = number.value_or(static_cast<std::uint32_t>(campaign->rounds.size()) - 1);
  const auto refuse = [&](const char* what) {
    return Error{ErrorCode::mismatch, store.where() + ": round " + std::to_string(which) + what};
  };
  if (which >= campaign->rounds.size()) return refuse(" is not there");
  if (campaign->rounds[which].open) {
    return refuse((" is open: ppgnn campaign close --round " + std::to_string(which)).c_str());
  }
  Result<ldp::Plan> plan = ldp::Plan::parse(campaign->rounds[which].plan);
  if (!plan) return Error{plan.error().code, store.where() + ": " + plan.error().message};
  CollectedRound round{which, campaign->erasures, std::move(plan).value(), {}, {}, {}, {}, {}};
  if (!campaign->split.empty()) {
    Result<graph::Split> split = graph::parse_split({store.where() + ": split", campaign->split}, dataset);
    if (!split) return split.error();
    round.split = std::move(split).value();
  }
  if (Result<void> read = read_reports(store, dataset, allow_seeded, round); !read) return read.error();
  if (Result<void> read = read_standings(store, dataset, round); !read) return read.error();
  return round;
}

Result<CollectedRound> read_answers(store::Store& store, const graph::Dataset& dataset, bool allow_seeded) {
  Result<CollectedRound> last = read_round(store, dataset, std::nullopt, allow_seeded);
  if (!last) return last;
  server::Answers answers;
  answers.add(last->questions, last->reports);
  for (std::uint32_t number = last->number; number-- > 0;) {
    const Result<CollectedRound> before = read_round(store, dataset, number, allow_seeded);
    if (!before) return before.error();
    if (!before->plan.tables().model) break;
    answers.add(before->questions, before->reports);
  }
  last->questions = std::move(answers.questions);
  last->reports = std::move(answers.reports);
  return last;
}

}  // namespace ppgnn::collector
