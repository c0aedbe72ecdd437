#include "ppgnn/client/client.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <string>
#include <utility>

#include "ppgnn/client/words.hpp"
#include "ppgnn/core/text.hpp"
#include "ppgnn/core/wipe.hpp"
#include "ppgnn/ldp/answer_response.hpp"
#include "ppgnn/ldp/perturb.hpp"
#include "ppgnn/ldp/words.hpp"
#include "ppgnn/wire/report_format.hpp"

namespace ppgnn::client {

namespace {

// More than what drawing the largest report leaves below its caller: the scores and places of 1,024 directions, and the
// favoured ones.
constexpr std::size_t kStack = std::size_t{48} * 1024;

Error refuse(std::string problem) {
  return {ErrorCode::invalid_argument, std::move(problem)};
}

}  // namespace

Result<Client> Client::make(std::string_view plan_text) {
  Result<ldp::Plan> plan = ldp::Plan::parse(plan_text);
  if (!plan) return plan.error();
  return Client(std::move(plan).value());
}

Client::Client(ldp::Plan plan) : plan_(std::move(plan)) {
  // A report of each level, as long as one can be, gives every vector its room.
  for (std::uint32_t level = 1; level <= plan_.levels().size(); ++level) {
    largest_ = std::max(largest_, size_of(ldp::Level{level}, std::numeric_limits<std::uint64_t>::max()));
  }
}

std::size_t Client::size_of(ldp::Level level, std::uint64_t round) {
  const ldp::PlanTables& tables = plan_.tables();
  const auto number = static_cast<std::uint32_t>(level);
  const std::uint32_t sampled = tables.levels[number - 1].sampled;
  made_.round = round;
  made_.columns.resize(sampled);
  made_.signs.resize(sampled);
  made_.outcomes.resize(sampled);
  std::fill(made_.columns.begin(), made_.columns.end(), 0);
  std::fill(made_.signs.begin(), made_.signs.end(), 1);
  std::fill(made_.outcomes.begin(), made_.outcomes.end(), 0);
  if (tables.level_response) {
    made_.reported_level = tables.level_response->first();
  } else if (ldp::is_public(plan_)) {
    made_.reported_level = static_cast<std::int32_t>(number);
  }
  wire::encode(plan_, made_, bytes_);
  return bytes_.size();
}

void Client::set_person(std::string_view name) {
  salt_ = ldp::salt_of(campaign(), name);
}

Result<void> Client::set_question(std::span<const std::uint8_t> bytes) {
  Result<ldp::Question> question = ldp::question_of(plan_.tables(), bytes);
  if (!question) return question.error();
  question_ = std::move(question).value();
  return {};
}

std::string Client::missing(ldp::Level level) const {
  if (!plan_.has(level)) return filled("level: must be between 1 and {}", {plan_.levels().size()});
  if (plan_.tables().campaign && !salt_) return "person: a campaign's plan needs the name the server knows";
  if (plan_.tables().model && !question_) return "question: the plan asks one, and there is none";
  return {};
}

std::string Client::problem_with(ldp::Level level, const ldp::Row& features) const {
  std::string problem = missing(level);
  return problem.empty() ? misfit(features) : problem;
}

std::string Client::misfit(const ldp::Row& features) const {
  const std::uint32_t dim = plan_.schema().dim();
  if (features.fits(dim)) return {};
  // One sentence for all of it: which part of it was not kept is the person's.
  return filled(
      "features: listed columns must ascend without repeats and be below {}, with one value each; a dense row must "
      "have at most {} values",
      {dim, dim});
}

std::string_view Client::campaign() const noexcept {
  const auto& campaign = plan_.tables().campaign;
  return campaign ? std::string_view(campaign->name) : std::string_view();
}

Result<void> Client::set_recipient(std::string_view name) {
  if (!is_recipient(name)) {
    return refuse("recipient: must have 1 to 255 bytes of UTF-8 without control or bidirectional characters");
  }
  recipient_ = name;
  return {};
}

Result<void> Client::agree(const Limits& limits) {
  limits_.reset();
  if (Result<void> kept = check(limits, plan_); !kept) return kept;
  limits_ = limits;
  return {};
}

Result<std::string> Client::preview(ldp::Level level) const {
  if (std::string problem = missing(level); !problem.empty()) return refuse(std::move(problem));
  std::string words = ldp::words_for(plan_, static_cast<std::uint32_t>(level) - 1);
  if (question_) words += filled(" {} {}", {question_words(level).value(), ldp::introduction_to(plan_)});
  return words;
}

Result<std::string> Client::question_words(ldp::Level level) const {
  if (std::string problem = missing(level); !problem.empty()) return refuse(std::move(problem));
  if (!question_) return refuse("question: the plan asks none");
  const std::uint32_t outcomes = plan_.levels()[static_cast<std::uint32_t>(level) - 1].outcomes;
  return ldp::words_of(plan_.tables(), *question_, outcomes / plan_.tables().model->confidences());
}

Result<std::vector<std::uint8_t>> Client::example(ldp::Level level, std::uint64_t round) {
  return report(level, ldp::Row::ones({}), round);
}

[[gnu::noinline]] void Client::draw(ldp::Level level, const ldp::Row& features, std::uint64_t round) {
  made_.round = round;
  ldp::perturb(plan_, level, features, asked(), bits_, made_);
  wire::encode(plan_, made_, bytes_);
}

Result<std::vector<std::uint8_t>> Client::report(ldp::Level level, const ldp::Row& features, std::uint64_t round) {
  if (std::string problem = problem_with(level, features); !problem.empty()) return refuse(std::move(problem));
  draw(level, features, round);
  return bytes_;
}

Result<std::size_t> Client::report(ldp::Level level, const ldp::Row& features, std::uint64_t round,
                                   std::span<std::uint8_t> out) {
  if (out.size() < largest_) return refuse("report: the buffer is too small");
  if (std::string problem = problem_with(level, features); !problem.empty()) return refuse(std::move(problem));
  draw(level, features, round);
  std::copy(bytes_.begin(), bytes_.end(), out.begin());
  return bytes_.size();
}

Result<Sent> Client::report(ldp::Level level, const ldp::Row& features, std::uint64_t round, Ledger& ledger,
                            std::span<std::uint8_t> out) {
  if (!limits_) return refuse("limits: the person agreed to none");
  if (out.size() < largest_) return refuse("report: the buffer is too small");
  if (std::string problem = problem_with(level, features); !problem.empty()) return refuse(std::move(problem));
  LedgerEntry made = entry();
  made.features = ldp::spent(plan_, static_cast<std::uint32_t>(level) - 1);
  const Result<std::size_t> stored = ledger.begin(made, *limits_, out, permitted_);
  if (!stored) return stored.error();
  if (*stored > 0) return Sent{*stored, false};
  draw(level, features, round);
  scrub_stack<kStack>();
  bits_.forget();
  made.report = bytes_;
  Result<void> kept = ledger.keep(made);
  if (kept) std::copy(bytes_.begin(), bytes_.end(), out.begin());
  const std::size_t size = bytes_.size();
  wipe(bytes_.data(), size);  // one that was not kept is gone
  if (!kept) return kept.error();
  return Sent{size, true};
}

LedgerEntry Client::entry() const noexcept {
  return {.campaign = campaign(),
          .plan = plan_.hash(),
          .question = question_ ? question_->digest() : Digest{},
          .counted = largest_spend(plan_),
          .level = plan_.certificate().level_given_features,
          .recipient = recipient_};
}

Result<void> Client::note_not_asked(Ledger& ledger) const {
  return ledger.note_not_asked(campaign(), plan_.hash());
}

Result<std::optional<LedgerEntry>> Client::standing(Ledger& ledger) const {
  auto found = ledger.find(campaign(), plan_.hash());
  if (!found || !*found || (*found)->state != EntryState::reported) return found;
  LedgerEntry wanted = entry();
  if (!question_) wanted.question = (*found)->question;
  const Result<void> same = check_same(**found, wanted, permitted_);
  if (!same && same.error().code == ErrorCode::reported) return same.error();
  if (!same) (*found)->report = {};
  return found;
}

Result<std::span<const std::uint8_t>> Client::resend(Ledger& ledger) const {
  const auto found = standing(ledger);
  if (!found) return found.error();
  if (!*found || (*found)->state != EntryState::reported) return std::span<const std::uint8_t>();
  if ((*found)->report.empty()) return not_for_this_recipient();
  return (*found)->report;
}

Result<void> Client::set_model(std::string_view text, std::span<const std::uint8_t> hint) {
  hint_.reset();
  if (Result<void> read = model_.read(text, plan_); !read) return read;
  Result<ldp::Hint> parsed = ldp::Hint::parse(model_, hint);
  if (!parsed) return parsed.error();
  hint_ = std::move(parsed).value();
  return {};
}

Result<ldp::Decision> Client::decide(const ldp::Row& features, Ledger& ledger, std::span<std::uint32_t> probabilities,
                                     std::span<std::int32_t> groups) const {
  if (!hint_) return refuse("model: there is none");
  assert(probabilities.size() == model_.classes());
  assert(groups.empty() || groups.size() == plan_.schema().groups().size());
  if (std::string problem = misfit(features); !problem.empty()) return refuse(std::move(problem));
  if (Result<void> noted = ledger.note_decides(campaign(), model_.hash, hint_->bytes()); !noted) return noted.error();
  return ldp::decide(plan_.schema(), *plan_.tables().model, model_, *hint_, features, probabilities, groups);
}

Result<std::string> Client::ledger_words(ldp::Level level, Ledger& ledger) const {
  if (!plan_.has(level)) return refuse(missing(level));
  const auto spending = ledger.spending();
  if (!spending) return spending.error();
  const auto found = standing(ledger);
  if (!found && found.error().code != ErrorCode::reported) return found.error();
  const bool reported = !found || (*found && (*found)->state == EntryState::reported);
  std::string words =
      reported ? words_on(*spending) : words_on(*spending, plan_, static_cast<std::uint32_t>(level) - 1);
  if (limits_) words += words_on(*spending, *limits_);
  return words;
}

}  // namespace ppgnn::client
