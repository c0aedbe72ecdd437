// Campaigns and models trained on reports.
#include "binding.hpp"
#include "ppgnn/api/campaign.hpp"
#include "ppgnn/api/training.hpp"

namespace ppgnn::python {

namespace {

using Reports = std::vector<std::pair<std::string, py::bytes>>;

std::vector<api::PersonReport> reports_of(const Reports& given) {
  std::vector<api::PersonReport> reports;
  reports.reserve(given.size());
  for (const auto& [person, report] : given) {
    const std::string_view bytes = report;
    reports.push_back({person, {bytes.begin(), bytes.end()}});
  }
  return reports;
}

py::list predictions_of(const std::vector<api::Prediction>& predictions) {
  py::list out;
  for (const api::Prediction& one : predictions) out.append(py::make_tuple(one.person, one.name, one.probability));
  return out;
}

// Work that says nothing on its way.
template <class Action>
auto quietly(const Action& action) {
  return must(aside(py::none(), [&](const std::atomic<bool>&, const Progress&) { return action(); }));
}

void bind_model(py::module_& module) {
  py::class_<api::Model>(module, "Model")
      .def_static(
          "train",
          [](const api::Data& data, const ldp::Plan& plan, const Reports& given, const std::string& backbone,
             std::size_t hops, const std::string& scale, std::size_t epochs, double learning_rate, double weight_decay,
             double dropout, std::size_t hidden, std::uint64_t seed, std::size_t threads, const py::object& show) {
            const std::vector<api::PersonReport> reports = reports_of(given);
            api::TrainingOptions options;
            options.backbone = backbone;
            options.hops = hops;
            options.scale = scale;
            options.epochs = epochs;
            options.learning_rate = learning_rate;
            options.weight_decay = weight_decay;
            options.dropout = dropout;
            options.hidden = hidden;
            options.seed = seed;
            options.threads = threads;
            return must(aside(show, [&](const std::atomic<bool>& stop, const Progress& progress) {
              options.stop = &stop;
              options.progress = progress;
              return api::Model::train(data, plan, reports, options);
            }));
          },
          py::arg("data"), py::arg("plan"), py::arg("reports"), py::kw_only(), py::arg("backbone"), py::arg("hops"),
          py::arg("scale"), py::arg("epochs"), py::arg("learning_rate"), py::arg("weight_decay"), py::arg("dropout"),
          py::arg("hidden"), py::arg("seed"), py::arg("threads"), py::arg("show"))
      .def_static("read", [](const std::string& path) { return must(api::Model::read(path)); })
      .def("write", [](const api::Model& model, const std::string& path) { must(model.write(path)); })
      .def("probabilities",
           [](const api::Model& model, const api::Data& data, const ldp::Plan& plan, const Reports& given) {
             const std::vector<api::PersonReport> reports = reports_of(given);
             return taken(quietly([&] { return model.probabilities(data, plan, reports); }));
           })
      .def_property_readonly("classes", &api::Model::classes)
      .def_property_readonly("test_accuracy", &api::Model::test_accuracy)
      .def(py::pickle([](const api::Model& model) { return py::bytes(model.encode()); },
                      [](const py::bytes& bytes) { return must(api::Model::decode(std::string(bytes))); }));
}

}  // namespace

void bind_campaigns(py::module_& module) {
  using api::Campaign;
  bind_model(module);
  py::class_<Campaign>(module, "Campaign")
      .def_static("in_folder", &Campaign::in_folder)
      .def_static("in_store", [](const std::string& where) { return must(Campaign::in_store(where)); })
      .def("rounds",
           [](const Campaign& campaign) {
             py::list out;
             for (const Campaign::Round& round : must(campaign.rounds())) {
               py::dict row;
               row["role"] = round.role;
               row["open"] = round.open;
               row["people"] = round.people;
               row["reports"] = round.reports;
               out.append(row);
             }
             return out;
           })
      .def("collected",
           [](const Campaign& campaign, const api::Data& data) {
             const Campaign::Collected collected = quietly([&] { return campaign.collected(data); });
             py::list reports;
             for (const api::PersonReport& one : collected.reports) {
               reports.append(py::make_tuple(one.person, to_bytes(one.bytes)));
             }
             return py::make_tuple(collected.plan, reports);
           })
      .def("start",
           [](Campaign& campaign, const api::Data& data, const std::string& name, std::vector<ldp::ColumnGroup> columns,
              std::vector<double> budgets, bool is_public, std::optional<double> level_budget, std::uint64_t seed) {
             ldp::PlanRequest request;
             request.columns = std::move(columns);
             request.budgets = std::move(budgets);
             request.secrecy = is_public ? ldp::LevelSecrecy::public_level : ldp::LevelSecrecy::protected_level;
             request.level_budget = level_budget;
             must(campaign.start(data, name, std::move(request), seed));
           })
      .def("ask",
           [](Campaign& campaign, const api::Data& data, bool pilots, std::uint64_t seed) {
             const Campaign::Asked asked = quietly([&] { return campaign.ask(data, pilots, seed); });
             py::dict out;
             out["helps"] = asked.helps;
             out["reports"] = asked.reports;
             out["asked"] = asked.asked;
             out["not_asked"] = asked.not_asked;
             return out;
           })
      .def("conclude",
           [](Campaign& campaign, const api::Data& data, std::uint64_t seed) {
             const Campaign::Concluded made = quietly([&] { return campaign.conclude(data, seed); });
             py::dict out;
             out["answers"] = made.answers;
             out["used"] = made.used;
             out["accuracy"] = made.accuracy;
             out["graph_alone"] = made.graph_alone;
             return out;
           })
      .def("predictions", [](const Campaign& campaign) { return predictions_of(must(campaign.predictions())); });
}

}  // namespace ppgnn::python
