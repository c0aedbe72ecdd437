// Every command, in the order that --help lists them.
#include <memory>

#include "campaign_options.hpp"
#include "command.hpp"
#include "help.hpp"
#include "ppgnn/population/rows.hpp"
#include "run_options.hpp"
#include "submit_link.hpp"

namespace ppgnn::app {

namespace {

ColumnsSource columns_of_data() {
  const auto data = std::make_shared<DataChoice>();
  return {[data](CLI::App& command) { data->add_to(command); }, [data] { return data->given(); },
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

PlansSource plans_of_campaign() {
  const auto place = std::make_shared<PlaceChoice>();
  return {[place](CLI::App& command) { place->add_to(command); }, [place] { return place->given(); },
          [place]() -> Result<std::vector<ldp::Plan>> {
            const Result<std::unique_ptr<campaign::Place>> opened = place->open();
            if (!opened) return opened.error();
            Result<campaign::State> state = (*opened)->load();
            if (!state) return state.error();
            std::vector<ldp::Plan> plans;
            for (campaign::RoundState& round : state->rounds) plans.push_back(std::move(round.plan));
            return plans;
          }};
}

}  // namespace

void add_commands(CLI::App& app, Action& action) {
  auto group = [&, done = std::size_t{0}](const char* title) mutable {
    const std::vector<CLI::App*> all = app.get_subcommands({});
    for (; done < all.size(); ++done) all[done]->group(title);
  };
  add_run(app, action);
  add_forecast(app, action);
  add_study(app, action);
  group("See what private features would give");
  add_campaign(app, action);
  add_enrol(app, action);
  add_serve(app, action);
  add_train(app, action);
  add_predict(app, action);
  group("Run a campaign");
  add_plan(app, action, columns_of_data());
  add_submit(app, action, collector_link());
  add_decide(app, action);
  add_perturb(app, action);
  group("Make plans and reports");
  add_audit(app, action, columns_of_data(), plans_of_campaign());
  add_attack(app, action);
  group("Judge privacy");
  add_data(app, action);
  add_help(app, action);
  add_completion(app, action);
  group("Data and help");
}

}  // namespace ppgnn::app
