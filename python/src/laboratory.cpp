// Simulated runs, forecasts, attacks and studies.
#include "binding.hpp"
#include "ppgnn/api/attack.hpp"
#include "ppgnn/api/fit.hpp"
#include "ppgnn/api/forecast.hpp"

namespace ppgnn::python {

namespace {

using Levels = py::array_t<std::uint32_t, py::array::c_style>;

api::StudyOptions options_of(std::size_t runs, bool references, std::size_t threads, const std::atomic<bool>& stop,
                             const Progress& progress) {
  api::StudyOptions options;
  options.runs = runs;
  options.references = references;
  options.threads = threads;
  options.stop = &stop;
  options.progress = progress;
  return options;
}

void bind_fit(py::module_& module) {
  py::class_<api::Learned>(module, "Learned")
      .def_readonly("setting", &api::Learned::setting)
      .def_readonly("classes", &api::Learned::classes)
      .def_readonly("columns", &api::Learned::columns)
      .def_readonly("schema", &api::Learned::schema)
      .def_readonly("plan", &api::Learned::plan)
      .def("predict",
           [](const api::Learned& learned, const api::Data& people) {
             return taken(must(aside(py::none(), [&](const std::atomic<bool>&, const Progress&) {
               return api::predict(learned, people);
             })));
           })
      .def(py::pickle(
          [](const api::Learned& learned) {
            return py::make_tuple(learned.setting, learned.classes, learned.columns, learned.schema,
                                  taken(std::vector(learned.parameters)), learned.factor, learned.plan);
          },
          [](const py::tuple& state) {
            const auto parameters = state[4].cast<py::array_t<float, py::array::c_style>>();
            return api::Learned{state[0].cast<api::Setting>(),
                                state[1].cast<std::vector<std::string>>(),
                                state[2].cast<std::vector<std::uint32_t>>(),
                                state[3].cast<std::vector<ldp::ColumnGroup>>(),
                                {parameters.data(), parameters.data() + parameters.size()},
                                state[5].cast<double>(),
                                state[6].cast<std::string>()};
          }));
  module.def(
      "fit",
      [](const api::Data& data, const api::Setting& setting, double validation, double test,
         const std::optional<Levels>& levels, bool control, const py::object& show) {
        api::FitOptions options;
        options.validation = validation;
        options.test = test;
        if (levels) options.levels.assign(levels->data(), levels->data() + levels->size());
        options.control = control;
        api::Fitted fitted = must(aside(show, [&](const std::atomic<bool>& stop, const Progress& progress) {
          options.stop = &stop;
          options.progress = progress;
          return api::fit(data, setting, options);
        }));
        py::dict out;
        out["learned"] = std::move(fitted.learned);
        out["probabilities"] = taken(std::move(fitted.probabilities));
        out["levels"] = taken(std::move(fitted.levels));
        out["spent"] = taken(std::move(fitted.spent));
        out["plans"] = fitted.plans;
        out["metrics"] = fitted.metrics;
        out["control"] = fitted.control;
        return out;
      },
      py::arg("data"), py::arg("setting"), py::arg("validation"), py::arg("test"), py::arg("levels").noconvert(),
      py::arg("control"), py::arg("show"));
}

py::dict row_of(const api::StudyRow& row) {
  py::dict out;
  out["name"] = row.name;
  out["accuracy"] = row.accuracy;
  out["mean"] = row.mean;
  out["low"] = row.low;
  out["high"] = row.high;
  out["log_loss"] = row.log_loss;
  out["spent_mean"] = row.spent_mean;
  out["spent_most"] = row.spent_most;
  out["points"] = row.points;
  out["p_points"] = row.p_points;
  out["nats"] = row.nats;
  out["p_nats"] = row.p_nats;
  return out;
}

void bind_runs(py::module_& module) {
  module.def("run", [](const api::Data& data, const api::Setting& setting, std::size_t runs, bool references,
                       std::size_t threads, const py::object& show) {
    const auto rows = must(aside(show, [&](const std::atomic<bool>& stop, const Progress& progress) {
      return api::run(data, setting, options_of(runs, references, threads, stop, progress));
    }));
    py::list out;
    for (const api::StudyRow& row : rows) out.append(row_of(row));
    return out;
  });
  module.def("attack", [](const api::Data& data, const api::Setting& setting, std::size_t runs, std::size_t threads,
                          const py::object& show) {
    const auto found = must(aside(show, [&](const std::atomic<bool>& stop, const Progress& progress) {
      return api::attack(data, setting, options_of(runs, false, threads, stop, progress));
    }));
    py::dict out;
    out["mechanism"] = found.mechanism;
    out["spent_mean"] = found.spent_mean;
    out["metrics"] = found.metrics;
    out["level_success"] = found.level_success;
    out["level_bound"] = found.level_bound;
    return out;
  });
  module.def("forecast", [](const api::Data& data, std::vector<double> budgets, bool is_public, double response,
                            std::uint64_t seed) {
    api::ForecastRequest request;
    request.budgets = std::move(budgets);
    request.secrecy = is_public ? ldp::LevelSecrecy::public_level : ldp::LevelSecrecy::protected_level;
    request.response = response;
    request.seed = seed;
    const auto made = must(
        aside(py::none(), [&](const std::atomic<bool>&, const Progress&) { return api::forecast(data, request); }));
    py::dict out;
    out["control"] = made.control;
    out["points"] = made.points;
    out["low"] = made.low;
    out["high"] = made.high;
    out["nats"] = made.nats;
    out["asked"] = made.asked;
    return out;
  });
}

void bind_studies(py::module_& module) {
  module.def("run_study",
             [](const std::string& study, bool quick, const std::string& folder, const std::string& data_folder,
                const std::map<std::string, std::vector<std::string>, std::less<>>& only,
                std::optional<std::size_t> runs, std::size_t threads, const py::object& show) {
               const api::StudyChoice choice{study, quick, folder, data_folder, only, runs};
               const auto records = must(aside(show, [&](const std::atomic<bool>& stop, const Progress& progress) {
                 return api::run_study(choice, options_of(1, true, threads, stop, progress));
               }));
               py::list out;
               for (const api::StudyRecord& record : records) {
                 out.append(py::make_tuple(record.factors, record.chosen, record.run, record.metrics));
               }
               return out;
             });
  module.def("studies", &api::studies);
  module.def("factors", &api::factors);
  module.def("methods", [] {
    py::list out;
    for (const api::Method& method : api::method_table()) {
      py::dict row;
      row["name"] = method.name;
      row["title"] = method.title;
      row["about"] = method.about;
      row["colour"] = method.colour;
      row["campaign"] = method.campaign;
      row["personal"] = method.personal;
      row["has_control"] = method.has_control;
      out.append(row);
    }
    return out;
  });
}

}  // namespace

void bind_laboratory(py::module_& module) {
  bind_fit(module);
  bind_runs(module);
  bind_studies(module);
}

}  // namespace ppgnn::python
