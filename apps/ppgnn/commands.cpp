// Every command, in the order that --help lists them.
#include <memory>

#include "command.hpp"
#include "ppgnn/population/rows.hpp"
#include "run_options.hpp"
#include "submit_link.hpp"

namespace ppgnn::app {

namespace {

ColumnsSource columns_of_data() {
  const auto data = std::make_shared<DataChoice>();
  return {[data](CLI::App& command) { data->add_to(command); },
          [data](const std::vector<NamedFile>& outputs) { return data->check_apart(outputs); },
          [data](std::string& note) -> Result<std::vector<ldp::ColumnGroup>> {
            const Result<graph::Dataset> dataset = data->load(graph::MissingFeatures::refuse);
            if (!dataset) return dataset.error();
            print_notes(*dataset);
            if (dataset->features.schema().origin == graph::SchemaOrigin::derived) {
              note = "column ranges were read off the data: for research only";
            }
            return population::columns_of(dataset->features.schema());
          }};
}

}  // namespace

void add_commands(CLI::App& app, Action& action) {
  add_run(app, action);
  add_forecast(app, action);
  add_plan(app, action, columns_of_data());
  add_perturb(app, action);
  add_submit(app, action, collector_link());
  add_train(app, action);
  add_predict(app, action);
  add_campaign(app, action);
  add_enrol(app, action);
  add_serve(app, action);
  add_study(app, action);
  add_audit(app, action);
  add_attack(app, action);
  add_data(app, action);
}

}  // namespace ppgnn::app
