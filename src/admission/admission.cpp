#include "ppgnn/admission/admission.hpp"

#include <utility>

#include "ppgnn/ldp/mechanism.hpp"
#include "ppgnn/wire/report_format.hpp"

namespace ppgnn::admission {

namespace {

Verdict refuse(Reason reason, std::string why) {
  return {std::nullopt, reason, std::move(why)};
}

}  // namespace

Verdict admit(const Round& round, const Person& person, std::span<const std::uint8_t> bytes) {
  const ldp::Plan& plan = *round.plan;
  Result<ldp::Report> report = wire::decode(plan, bytes);
  if (!report) return refuse(Reason::bad_report, report.error().message);
  if (!person.asked) return refuse(Reason::not_asked, "not asked in this round");
  if (round.number && report->round != *round.number) {
    return refuse(Reason::other_round, "round: must be " + std::to_string(*round.number));
  }
  if (report->seeded && !round.allow_seeded) {
    return refuse(Reason::seeded, "made from a seed, for research: it protects nobody");
  }
  if (ldp::asks(plan.kind()) && person.question != report->question) {
    return refuse(Reason::bad_report, "question: an answer to another one");
  }
  const bool stated = round.declared && plan.tables().secrecy == ldp::LevelSecrecy::public_level;
  if (stated && (!person.level || static_cast<std::int64_t>(*person.level) != report->reported_level)) {
    return refuse(Reason::bad_report, "level: not the one that was declared");
  }
  return {std::move(report).value(), {}, {}};
}

}  // namespace ppgnn::admission
