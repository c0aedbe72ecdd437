// ppgnn plan: makes a plan file from a schema and budgets.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "budget_options.hpp"
#include "command.hpp"
#include "kind_options.hpp"
#include "output_files.hpp"
#include "ppgnn/core/version.hpp"
#include "ppgnn/io/files.hpp"
#include "ppgnn/ldp/estimate.hpp"
#include "ppgnn/ldp/planner.hpp"
#include "ppgnn/plan_files/plan_files.hpp"

namespace ppgnn::app {

namespace {

struct PlanOptions {
  std::optional<ColumnsSource> data;
  BudgetChoice budgets;
  KindChoice kind;
  std::string schema_file;
  std::string output;
  bool json = false;
};

Status run_plan(const PlanOptions& options) {
  const std::vector<NamedFile> outputs{{"--out", options.output}};
  if (Result<void> apart = check_apart({{"--schema", options.schema_file}}, outputs); !apart) {
    return fail(apart.error());
  }
  if (options.data) {
    if (Result<void> apart = options.data->check_apart(outputs); !apart) return fail(apart.error());
  }
  ldp::PlanRequest request;
  std::string note;
  const bool given = !options.schema_file.empty() || (options.data && options.data->given());
  const auto classes = options.kind.columns();
  if (!classes) return fail(classes.error());
  if (*classes && given)
    return fail(invalid("--kind class: its one column is the class; leave --schema and --data out"));
  if (!*classes && options.schema_file.empty() && !options.data) return fail(invalid("--schema is missing"));
  Result<std::vector<ldp::ColumnGroup>> columns = *classes ? **classes
                                                  : options.schema_file.empty()
                                                      ? options.data->read(note)
                                                      : plan_files::read_schema(options.schema_file);
  if (!columns) return fail(columns.error());
  request.columns = std::move(columns).value();
  if (Result<void> applied = options.budgets.apply_to(request); !applied) return fail(applied.error());
  if (Result<void> applied = options.kind.apply_to(request); !applied) return fail(applied.error());
  const Result<ldp::Plan> plan = ldp::make_plan(request);
  if (!plan) return fail(plan.error());
  if (Result<void> written = io::write_text(options.output, plan->text()); !written) return fail(written.error());
  if (options.json) {
    print_json({{"plan", options.output},
                {"plan_hash", to_hex(plan->hash())},
                {"columns", plan->schema().dim()},
                {"levels", plan->levels().size()},
                {"sampled", plan->levels().front().sampled},
                {"outcomes", plan->levels().front().outcomes},
                {"favoured", plan->levels().front().favoured},
                {"information", ldp::information_kept(plan->tables())},
                {"note", note},
                {"version", version()}});
  } else {
    fmt::print("{}: {} columns, {} levels, plan {}\n", options.output, plan->schema().dim(), plan->levels().size(),
               to_hex(plan->hash()));
    fmt::print("Information kept: {:.1f}% of what the same budgets give with public levels.\n",
               100 * ldp::information_kept(plan->tables()));
    fmt::print("Read what it guarantees: ppgnn audit --plan {}\n", options.output);
    if (!note.empty()) fmt::print("Note: {}.\n", note);
  }
  return Status::success;
}

}  // namespace

void add_plan(CLI::App& app, Action& action, std::optional<ColumnsSource> data) {
  auto options = std::make_shared<PlanOptions>();
  options->data = std::move(data);
  CLI::App* plan = app.add_subcommand("plan", "Make a plan file from a schema and budgets");
  plan->add_option("--schema", options->schema_file,
                   "CSV with the header name,count,kind,low,high,absent" +
                       std::string(options->data ? ", instead of --data" : "") + kOrStandardInput);
  if (options->data) options->data->add_to(*plan);
  options->budgets.add_to(*plan);
  options->kind.add_to(*plan);
  plan->add_option("--out", options->output, "Plan file to write")->required();
  plan->add_flag("--json", options->json, "Print one JSON object");
  plan->footer(
      options->data
          ? "Examples:\n  ppgnn plan --data synthetic:social,nodes=500 --epsilon 1 --out plan.txt\n"
            "  ppgnn plan --data synthetic:social,nodes=500 --kind teach --campaign spring --out teach.txt\n"
            "  ppgnn plan --kind class --classes 5 --epsilon 1 --out class.txt"
          : "Example, with a schema of your own:\n  ppgnn plan --schema schema.csv --epsilon 1 --out plan.txt");
  plan->callback([options, &action] { action = [options] { return run_plan(*options); }; });
}

}  // namespace ppgnn::app
