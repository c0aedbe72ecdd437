#include "ppgnn/client/client.hpp"

#include <string>

#include "ppgnn/ldp/answer_response.hpp"
#include "ppgnn/ldp/perturb.hpp"
#include "ppgnn/ldp/words.hpp"
#include "ppgnn/wire/report_format.hpp"

namespace ppgnn::client {

Result<Client> Client::make(std::string_view plan_text) {
  Result<ldp::Plan> plan = ldp::Plan::parse(plan_text);
  if (!plan) return plan.error();
  return Client(std::move(plan).value());
}

void Client::set_person(std::string_view name) {
  const auto& campaign = plan_.tables().campaign;
  salt_ = ldp::salt_of(campaign ? std::string_view(campaign->name) : std::string_view(), name);
}

Result<void> Client::set_question(std::span<const std::uint8_t> bytes) {
  Result<ldp::Question> question = ldp::question_of(plan_.tables(), bytes);
  if (!question) return question.error();
  question_ = std::move(question).value();
  return {};
}

std::string Client::missing(ldp::Level level) const {
  if (!plan_.has(level)) return "level: must be between 1 and " + std::to_string(plan_.levels().size());
  if (plan_.tables().campaign && !salt_) return "person: a campaign's plan needs the name the server knows";
  if (plan_.tables().model && !question_) return "question: the plan asks one, and there is none";
  return {};
}

Result<std::string> Client::preview(ldp::Level level) const {
  if (std::string problem = missing(level); !problem.empty()) {
    return Error{ErrorCode::invalid_argument, std::move(problem)};
  }
  const std::size_t index = static_cast<std::uint32_t>(level) - 1;
  std::string words = ldp::words_for(plan_, index);
  if (question_) {
    const std::uint32_t choices = plan_.levels()[index].outcomes / plan_.tables().model->confidences();
    words += " " + ldp::words_of(plan_.tables(), *question_, choices) + " " + ldp::introduction_to(plan_);
  }
  return words;
}

Result<std::vector<std::uint8_t>> Client::report(ldp::Level level, const ldp::Row& features, std::uint64_t round) {
  if (std::string problem = missing(level); !problem.empty()) {
    return Error{ErrorCode::invalid_argument, std::move(problem)};
  }
  const std::uint32_t dim = plan_.schema().dim();
  if (!features.fits(dim)) {
    // One sentence for all of it: which part of it was not kept is the person's.
    const std::string most = std::to_string(dim);
    return Error{ErrorCode::invalid_argument, "features: listed columns must ascend without repeats and be below " +
                                                  most + ", with one value each; a dense row must have at most " +
                                                  most + " values"};
  }
  ldp::Report report;
  report.round = round;
  const ldp::Asked asked{salt_.value_or(0), question_ ? &*question_ : nullptr};
  ldp::perturb(plan_, level, features, asked, bits_, report);
  return wire::encode(plan_, report);
}

}  // namespace ppgnn::client
