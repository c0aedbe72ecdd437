#include "kind_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>
#include <vector>

#include "ppgnn/ldp/mechanism.hpp"

namespace ppgnn::app {

namespace {

constexpr const char* kTeachingKind = "teach";

}  // namespace

void KindChoice::add_to(CLI::App& command, bool with_classes) {
  std::vector<std::string> kinds{kTeachingKind};
  for (const ldp::ReportKind one : ldp::kReportKinds) {
    const std::string_view option = ldp::option_of(one);
    if (!ldp::asks(one) && (with_classes || option != ldp::CategoryResponse::kOption)) kinds.emplace_back(option);
  }
  std::vector<std::string> roles;
  roles.reserve(ldp::kRoles.size());
  for (const ldp::Role one : ldp::kRoles) roles.emplace_back(to_text(one));
  const std::string classes = with_classes ? "class: one class out of C; " : "";
  all.push_back(
      command
          .add_option("--kind", kind,
                      "signs: a sample of features; " + classes +
                          "teach: a teaching report of a campaign, of the kind that fits the columns (buckets "
                          "for sparse ones, directions for dense ones); or one of these two by name")
          ->check(CLI::IsMember(kinds))
          ->capture_default_str());
  all.push_back(command.add_option("--campaign", campaign, "Name of the campaign, of which a device sends one report"));
  all.push_back(command.add_option("--role", role, "What the people of this plan do in the campaign")
                    ->check(CLI::IsMember(roles))
                    ->capture_default_str());
  all.push_back(command.add_option("--rule", rule, "Who has this role, in words")->capture_default_str());
  all.push_back(
      command.add_option("--people", people, "SHA-256 of the list of these people, 64 digits; default: zeros"));
  all.push_back(
      command.add_option("--outcomes", outcomes, "Buckets or directions; default: what keeps most information")
          ->check(CLI::Range(2U, ldp::kMaxOutcomes)));
  all.push_back(command.add_option("--favoured", favoured, "How many of them stand for a person; default: likewise")
                    ->check(CLI::Range(1U, ldp::kMaxFavoured)));
  all.push_back(
      command.add_option("--sampled", sampled, "Columns, buckets or directions in a report; default: likewise")
          ->check(CLI::Range(1U, 512U)));
}

Result<void> KindChoice::apply_to(ldp::PlanRequest& request) const {
  request.kind = kind == kTeachingKind ? ldp::teaching_kind(request.columns) : *ldp::kind_of_option(kind);
  if (outcomes > 0) request.shape.outcomes = outcomes;
  if (favoured > 0) request.shape.favoured = favoured;
  if (sampled > 0) request.shape.sampled = sampled;
  if (campaign.empty()) {
    if (!ldp::needs_campaign(request.kind)) return {};
    return Error{ErrorCode::invalid_argument, "--kind " + kind + ": needs --campaign"};
  }
  ldp::Campaign named{campaign, {}, rule, {}};
  named.role =
      *std::find_if(ldp::kRoles.begin(), ldp::kRoles.end(), [&](ldp::Role one) { return to_text(one) == role; });
  if (!people.empty()) {
    const auto digest = from_hex(people);
    if (!digest || digest->size() != named.people.size()) {
      return Error{ErrorCode::invalid_argument, "--people: must be 64 hexadecimal digits"};
    }
    std::copy(digest->begin(), digest->end(), named.people.begin());
  }
  request.campaign = std::move(named);
  return {};
}

}  // namespace ppgnn::app
