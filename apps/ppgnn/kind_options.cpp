#include "kind_options.hpp"

#include <CLI/CLI.hpp>
#include <string_view>
#include <vector>

#include "command.hpp"
#include "ppgnn/ldp/mechanism.hpp"

namespace ppgnn::app {

namespace {

constexpr const char* kTeachingKind = "teach";

}  // namespace

void KindChoice::add_to(CLI::App& command) {
  std::vector<std::string> kinds{kTeachingKind};
  for (const ldp::ReportKind one : ldp::kReportKinds) {
    if (!ldp::asks(one)) kinds.emplace_back(ldp::option_of(one));
  }
  all.push_back(
      command
          .add_option("--kind", kind,
                      "signs: a sample of features; class: one class out of C; teach: a teaching report of a campaign, "
                      "of the kind that fits the columns (buckets for sparse ones, directions for dense ones); or one "
                      "of these two by name")
          ->transform(one_of(kinds))
          ->capture_default_str());
  all.push_back(command.add_option("--classes", classes, "Number of classes C of --kind class, at least 2")
                    ->check(CLI::Range(2U, ldp::kMaxClasses)));
  all.push_back(command.add_option("--campaign", campaign, "Name of the campaign, of which a device sends one report"));
}

Result<std::optional<std::vector<ldp::ColumnGroup>>> KindChoice::columns() const {
  const bool is_class = kind == ldp::CategoryResponse::kOption;
  if (is_class && classes == 0) return Error{ErrorCode::invalid_argument, "--kind class: needs --classes"};
  if (!is_class && classes > 0) return Error{ErrorCode::invalid_argument, "--classes: only with --kind class"};
  if (!is_class) return std::optional<std::vector<ldp::ColumnGroup>>{};
  return std::optional(std::vector<ldp::ColumnGroup>{{"class", 1, ldp::ColumnKind::category, 0, classes - 1.0, 0}});
}

Result<void> KindChoice::apply_to(ldp::PlanRequest& request) const {
  request.kind = kind == kTeachingKind ? ldp::teaching_kind(request.columns) : *ldp::kind_of_option(kind);
  if (campaign.empty() && !ldp::needs_campaign(request.kind)) return {};
  const std::string& name = campaign.empty() ? example : campaign;
  if (name.empty()) return Error{ErrorCode::invalid_argument, "--kind " + kind + ": needs --campaign"};
  request.campaign = ldp::Campaign{name, ldp::Role::teach, "everybody", {}};
  return {};
}

}  // namespace ppgnn::app
