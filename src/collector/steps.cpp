// What is done to the campaign through the API: erasures, and the end of a round. The writer's thread does both, between two groups of reports.
#include <memory>
#include <nlohmann/json.hpp>

#include "collector/responses.hpp"
#include "ppgnn/collector/api.hpp"

namespace ppgnn::collector {

namespace {

constexpr const char* kErasedNote =
    "The report, the declared level and the question are gone from the store, and the next training goes without them. "
    "What was "
    "computed from the report before is not undone: predictions until they are made anew, and a model that teaching "
    "reports "
    "taught, once questions about it were published. The privacy that the report cost is spent: it was sent.";
constexpr const char* kNoReportNote =
    "There was no report in the store to erase. Declared level and question are gone from it, and no report is taken "
    "in "
    "this campaign any more.";

}  // namespace

void Api::erase(std::string person, std::string by, Reply reply) {
  const auto shared = std::make_shared<Reply>(std::move(reply));
  const bool taken = writer_.run([this, shared, person = std::move(person), by = std::move(by)] {
    const Result<bool> reported = store_.reported(person);
    store_.act_as(by);  // only this thread takes steps
    const Result<std::optional<std::string>> receipt = store_.erase(person);
    if (!receipt) return (*shared)(problem_response(Problem::storage, "not erased for good yet, try again"));
    if (!*receipt) return (*shared)(problem_response(Problem::not_found, "nobody of this name is enrolled"));
    (*shared)(json_response(
        200,
        {{"erased", true}, {"receipt", **receipt}, {"note", reported && !*reported ? kNoReportNote : kErasedNote}}));
  });
  if (!taken) (*shared)(problem_response(Problem::busy, {}));
}

void Api::close(std::string_view text, std::string by, Reply reply) {
  const auto number = round_number(text);
  if (!number) return reply(problem_response(Problem::not_found, kNoSuchRound));
  const auto shared = std::make_shared<Reply>(std::move(reply));
  const bool taken = writer_.run([this, shared, round = *number, by = std::move(by)] {
    store_.act_as(by);
    Result<void> closed = store_.close(round);
    if (!closed && closed.error().code == ErrorCode::mismatch) {
      return (*shared)(problem_response(Problem::not_found, kNoSuchRound));
    }
    if (!closed) return (*shared)(problem_response(Problem::storage, {}));
    aside_.run([this, shared, round] {  // whoever is told finds it closed
      static_cast<void>(refresh());
      (*shared)(json_response(200, {{"round", round}, {"state", "closed"}}));
    });
  });
  if (!taken) (*shared)(problem_response(Problem::busy, {}));
}

}  // namespace ppgnn::collector
