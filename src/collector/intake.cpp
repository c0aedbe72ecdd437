// Reports on their way into the store: what is taken, and why not.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "collector/outcomes.hpp"
#include "collector/responses.hpp"
#include "collector/view.hpp"
#include "ppgnn/admission/admission.hpp"
#include "ppgnn/collector/api.hpp"
#include "ppgnn/collector/batch.hpp"
#include "ppgnn/wire/report_format.hpp"

namespace ppgnn::collector {

using nlohmann::ordered_json;

std::string problem_json(Problem problem, std::string_view detail) {
  const ProblemRow& row = row_of(problem);
  ordered_json body{
      {"type", "urn:ppgnn:problem:" + std::string(row.name)}, {"title", row.title}, {"status", row.status}};
  if (!detail.empty()) body["detail"] = detail;
  return body.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

// Whom a report is from.
struct Api::Known : KnownPeople::Person {};

// A report that was found to be one.
struct Api::Taken {
  std::size_t item = 0;
  std::string person;
  ldp::Report report;
  std::shared_ptr<Screens> screens;
};

// The reports of one request, on their way: what became of each, and whom to tell.
class Api::Items {
 public:
  Items(bool single, Reply reply) : single_(single), reply_(std::move(reply)) {}

  void add(std::string person, std::vector<std::uint8_t> bytes) {
    people.push_back(std::move(person));
    reports.push_back(std::move(bytes));
    results_.emplace_back();
  }
  void refuse(std::size_t item, Problem problem, std::string detail = {}) {
    results_[item] = {row_of(problem).status, problem, {}, std::move(detail)};
  }
  void settle(std::size_t item, store::Outcome outcome) {
    const OutcomeRow& row = kOutcomes[static_cast<std::size_t>(outcome)];
    results_[item] = {row.status, row.problem, row.name, {}};
  }
  [[nodiscard]] bool refused(std::size_t item) const { return results_[item].status != 0; }
  void fail(Problem problem, std::string_view detail) { reply_(problem_response(problem, detail)); }
  void answer(Response response) { reply_(std::move(response)); }
  void answer() {
    if (single_) {
      const Item& one = results_.front();
      reply_(one.problem ? problem_response(*one.problem, one.detail)
                         : json_response(one.status, {{"outcome", one.outcome}}));
      return;
    }
    std::string body = "{\"items\":[";
    for (const Item& one : results_) {
      if (body.back() == '}') body += ',';
      body += "{\"status\":" + std::to_string(one.status);
      if (one.problem) body += ",\"problem\":" + problem_json(*one.problem, one.detail);
      body += '}';
    }
    body += "]}";
    reply_({200, kJson, std::move(body), {}, false});
  }

  std::vector<std::string> people;  // empty: the token is none
  std::vector<std::vector<std::uint8_t>> reports;

 private:
  struct Item {
    unsigned status = 0;
    std::optional<Problem> problem;
    std::string_view outcome;
    std::string detail;
  };
  bool single_;
  Reply reply_;
  std::vector<Item> results_;
};

void Api::report(const std::string& person, Request& request, Reply reply) {
  if (request.type != "application/cbor") {
    return reply(problem_response(Problem::wrong_type, "expected application/cbor"));
  }
  const auto items = std::make_shared<Items>(true, std::move(reply));
  items->add(person, std::vector<std::uint8_t>(request.body.begin(), request.body.end()));
  take(items);
}

void Api::batch(Request& request, Reply reply) {
  const bool cbor = request.type == "application/cbor-seq";
  if (!cbor && request.type != "application/x-ndjson") {
    return reply(problem_response(Problem::wrong_type, "expected application/cbor-seq or application/x-ndjson"));
  }
  const auto items = std::make_shared<Items>(false, std::move(reply));
  const auto now = view();
  const auto by = renewable();
  std::optional<Response> stopped;  // by too many tokens that are none: whoever sends them does not have the rest read
  const auto take_item = [&](BatchItem item) {
    std::optional<std::string> person = by->keys.person(now->name, item.token);
    const bool known = person.has_value();
    items->add(known ? std::move(*person) : std::string(), std::move(item.report));
    const std::size_t last = items->people.size() - 1;
    if (!known) {
      items->refuse(last, Problem::unauthorised);
      stopped = too_many_failed(request.address);
    } else if (by_person_.take(items->people[last], RateLimit::Clock::now()) > 0) {
      items->refuse(last, Problem::too_often, "with this token");
    }
    return !stopped;
  };
  const Result<void> read =
      cbor ? parse_cbor_batch(request.body, take_item) : parse_json_batch(request.body, take_item);
  if (!read) return items->fail(Problem::malformed, read.error().message);
  if (stopped) return items->answer(std::move(*stopped));
  take(items);
}

std::optional<std::pair<Problem, std::string>> Api::check(const View& view, const Known& person,
                                                          store::Submission& submission, Taken& taken) const {
  if (!person.enrolled) return std::pair(Problem::unauthorised, "not enrolled");
  if (person.erased) return std::pair(Problem::erased, "");
  if (view.rounds.empty()) return std::pair(Problem::round_closed, "");
  const std::optional<Digest> plan = wire::plan_of(submission.bytes);
  submission.round = static_cast<std::uint32_t>(view.rounds.size() - 1);
  for (std::uint32_t i = 0; i < view.rounds.size(); ++i) {
    if (plan == view.rounds[i].plan->hash()) submission.round = i;
  }
  const View::Round& round = view.rounds[submission.round];
  admission::Verdict verdict = admission::admit(
      {round.plan.get(), submission.round, true, options_.allow_seeded},
      {round.everybody || person.round == submission.round, person.question, person.level}, submission.bytes);
  if (!verdict) {
    const bool asked = verdict.reason != admission::Reason::not_asked;
    return std::pair(asked ? Problem::bad_report : Problem::not_asked, std::move(verdict.why));
  }
  taken.report = std::move(*verdict.report);
  taken.screens = round.screens;
  return std::nullopt;
}

void Api::take(std::shared_ptr<Items> items) {
  const auto now = view();
  std::vector<std::string_view> names;
  std::vector<std::size_t> of;  // whose names
  for (std::size_t i = 0; i < items->people.size(); ++i) {
    if (items->refused(i)) continue;
    names.push_back(items->people[i]);
    of.push_back(i);
  }
  const auto people = now->people->find(store_, names);
  if (!people) return items->fail(Problem::storage, {});
  std::vector<store::Submission> submissions;
  const auto taken = std::make_shared<std::vector<Taken>>();
  for (std::size_t k = 0; k < of.size(); ++k) {
    const std::size_t i = of[k];
    store::Submission submission{std::move(items->people[i]), 0, std::move(items->reports[i])};
    Taken one{i, submission.name, {}, {}};
    if (auto problem = check(*now, {(*people)[k]}, submission, one)) {
      items->refuse(i, problem->first, std::move(problem->second));
      continue;
    }
    taken->push_back(std::move(one));
    submissions.push_back(std::move(submission));
  }
  if (submissions.empty()) return items->answer();
  const auto done = [this, items, taken](const Result<std::vector<store::Outcome>>& outcomes) {
    if (!outcomes) return items->fail(Problem::storage, {});
    {
      const std::lock_guard lock(figures_mutex_);
      for (const store::Outcome outcome : *outcomes) ++outcomes_[static_cast<std::size_t>(outcome)];
    }
    for (std::size_t i = 0; i < taken->size(); ++i) {
      const Taken& one = (*taken)[i];
      if ((*outcomes)[i] == store::Outcome::stored) one.screens->add(one.report, one.person);
      items->settle(one.item, (*outcomes)[i]);
    }
    items->answer();
  };
  if (!writer_.put(std::move(submissions), done)) items->fail(Problem::busy, {});
}

}  // namespace ppgnn::collector
