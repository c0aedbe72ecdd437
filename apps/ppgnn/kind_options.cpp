#include "kind_options.hpp"

#include <CLI/CLI.hpp>
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
}

Result<void> KindChoice::apply_to(ldp::PlanRequest& request) const {
  request.kind = kind == kTeachingKind ? ldp::teaching_kind(request.columns) : *ldp::kind_of_option(kind);
  if (campaign.empty()) {
    if (!ldp::needs_campaign(request.kind)) return {};
    return Error{ErrorCode::invalid_argument, "--kind " + kind + ": needs --campaign"};
  }
  request.campaign = ldp::Campaign{campaign, ldp::Role::teach, "everybody", {}};
  return {};
}

}  // namespace ppgnn::app
