// Plans, certificates, devices and the collector.
#include "ppgnn/api/devices.hpp"

#include "binding.hpp"
#include "ppgnn/audit/falsifier.hpp"
#include "ppgnn/client/client.hpp"
#include "ppgnn/client/features.hpp"
#include "ppgnn/client/file_storage.hpp"
#include "ppgnn/ldp/planner.hpp"
#include "ppgnn/ldp/words.hpp"

namespace ppgnn::python {

namespace {

using client::Client;
using Values = py::array_t<float, py::array::c_style>;
using Columns = py::array_t<std::uint32_t, py::array::c_style>;

template <class T>
std::span<const T> span_of(const py::array_t<T, py::array::c_style>& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

// A row as Python hands it over: dense values, or columns with or without values.
ldp::Row row_of(const std::optional<Columns>& columns, const std::optional<Values>& values) {
  if (!columns) return ldp::Row::dense(span_of(*values));
  if (!values) return ldp::Row::ones(span_of(*columns));
  return ldp::Row::sparse(span_of(*columns), span_of(*values));
}

ldp::Plan make_plan(std::vector<ldp::ColumnGroup> columns, std::vector<double> budgets, bool is_public,
                    std::optional<double> level_budget, double gamma, std::vector<double> prior) {
  ldp::PlanRequest request;
  request.columns = std::move(columns);
  request.budgets = std::move(budgets);
  request.secrecy = is_public ? ldp::LevelSecrecy::public_level : ldp::LevelSecrecy::protected_level;
  request.level_budget = level_budget;
  request.gamma = gamma;
  request.prior = std::move(prior);
  return must(ldp::make_plan(request));
}

py::dict certificate_of(const ldp::Plan& plan) {
  const ldp::Certificate& certificate = plan.certificate();
  py::dict out;
  out["features"] = certificate.features;
  out["level_report"] = certificate.level_report;
  out["level_given_features"] = certificate.level_given_features;
  out["pair_max"] = certificate.pair_max;
  out["pair_strictest"] = certificate.pair_strictest;
  return out;
}

void bind_plan(py::module_& module) {
  py::class_<ldp::Plan>(module, "Plan")
      .def_static("make", &make_plan, py::arg("columns"), py::arg("budgets"), py::arg("public"),
                  py::arg("level_budget"), py::arg("gamma"), py::arg("prior"))
      .def_static("parse", [](const std::string& text) { return must(ldp::Plan::parse(text)); })
      .def_property_readonly("text", &ldp::Plan::text)
      .def_property_readonly("hash", [](const ldp::Plan& plan) { return to_hex(plan.hash()); })
      .def_property_readonly("columns", [](const ldp::Plan& plan) { return plan.schema().groups(); })
      .def_property_readonly("dim", [](const ldp::Plan& plan) { return plan.schema().dim(); })
      .def_property_readonly("budgets",
                             [](const ldp::Plan& plan) {
                               std::vector<double> budgets;
                               for (const ldp::PlanLevel& level : plan.levels()) budgets.push_back(level.budget);
                               return budgets;
                             })
      .def_property_readonly("public", [](const ldp::Plan& plan) { return ldp::is_public(plan); })
      .def_property_readonly("level_budget", [](const ldp::Plan& plan) { return plan.tables().level_budget; })
      .def_property_readonly("campaign",
                             [](const ldp::Plan& plan) -> std::optional<std::pair<std::string, std::string>> {
                               const auto& campaign = plan.tables().campaign;
                               if (!campaign) return {};
                               return std::pair{campaign->name, std::string(ldp::to_text(campaign->role))};
                             })
      .def_property_readonly("title", [](const ldp::Plan& plan) { return ldp::title_of(plan); })
      .def_property_readonly("introduction", [](const ldp::Plan& plan) { return ldp::introduction_to(plan); })
      .def_property_readonly("notes", [](const ldp::Plan& plan) { return ldp::notes_on(plan); })
      .def("words", [](const ldp::Plan& plan, std::size_t level) { return ldp::words_for(plan, level); })
      .def("spent", [](const ldp::Plan& plan, std::size_t level) { return ldp::spent(plan, level); })
      .def("certificate", &certificate_of);
  module.def("surer", &ldp::surer);
  module.def("falsify", [](const ldp::Plan& plan, std::uint64_t trials, const py::object& show) {
    audit::FalsifierOptions options;
    options.trials = trials;
    const auto result = must(aside(show, [&](const std::atomic<bool>&, const Progress& progress) {
      options.progress = [&](std::uint64_t done, std::uint64_t total) {
        progress(static_cast<double>(done), static_cast<double>(total));
      };
      return audit::falsify_client(plan, options);
    }));
    py::list checks;
    for (const audit::Check& check : result.checks) {
      py::dict row;
      row["check"] = check.name;
      row["claim"] = check.claim;
      row["found"] = check.found;
      row["p_value"] = check.p_value;
      row["tested"] = check.tested;
      row["passed"] = check.passed;
      checks.append(row);
    }
    return py::make_tuple(checks, result.reports);
  });
}

client::Ledger open_ledger(const Client& client, const std::string& path) {
  return must(client::Ledger::open(must(client::file_storage(path)), client.largest_report()));
}

py::tuple report_with_ledger(Client& client, std::uint32_t level, const std::optional<Columns>& columns,
                             const std::optional<Values>& values, std::uint64_t round, const std::string& path) {
  client::Ledger ledger = open_ledger(client, path);
  std::vector<std::uint8_t> bytes(client.largest_report());
  const client::Sent sent = must(client.report(ldp::Level{level}, row_of(columns, values), round, ledger, bytes));
  return py::make_tuple(to_bytes(std::span(bytes).first(sent.size)), sent.fresh);
}

py::dict spending_of(const Client& client, const std::string& path) {
  client::Ledger ledger = open_ledger(client, path);
  const client::Spending spending = must(ledger.spending());
  py::dict out;
  out["reports"] = spending.reports;
  out["counted"] = spending.counted;
  out["features"] = spending.features;
  out["level"] = spending.level;
  return out;
}

void bind_client(py::module_& module) {
  py::class_<Client>(module, "Client")
      .def(py::init([](const std::string& plan) { return must(Client::make(plan)); }))
      .def("agree",
           [](Client& client, double report, double lifetime, std::uint64_t reports, bool level_disclosed) {
             must(client.agree({report, level_disclosed, lifetime, reports}));
           })
      .def("set_person", [](Client& client, const std::string& name) { client.set_person(name); })
      .def("set_question", [](Client& client, const std::string& bytes) { must(client.set_question(bytes_of(bytes))); })
      .def("set_recipient", [](Client& client, const std::string& name) { must(client.set_recipient(name)); })
      .def("permit", [](Client& client, std::uint32_t permissions) { client.permit(permissions); })
      .def("preview", [](const Client& client, std::uint32_t level) { return must(client.preview(ldp::Level{level})); })
      .def("example",
           [](Client& client, std::uint32_t level) { return to_bytes(must(client.example(ldp::Level{level}, 0))); })
      .def("report", &report_with_ledger, py::arg("level"), py::arg("columns").noconvert(),
           py::arg("values").noconvert(), py::arg("round"), py::arg("ledger"))
      .def(
          "report_uncounted",
          [](Client& client, std::uint32_t level, const std::optional<Columns>& columns,
             const std::optional<Values>& values, std::uint64_t round) {
            return to_bytes(must(client.report(ldp::Level{level}, row_of(columns, values), round)));
          },
          py::arg("level"), py::arg("columns").noconvert(), py::arg("values").noconvert(), py::arg("round"))
      .def("resend",
           [](const Client& client, const std::string& path) {
             client::Ledger ledger = open_ledger(client, path);
             return to_bytes(must(client.resend(ledger)));
           })
      .def("spending", &spending_of)
      .def("ledger_words",
           [](const Client& client, std::uint32_t level, const std::string& path) {
             client::Ledger ledger = open_ledger(client, path);
             return must(client.ledger_words(ldp::Level{level}, ledger));
           })
      .def("read_features",
           [](const Client& client, const std::string& bytes) {
             client::Features features = must(client::read_features(bytes, client.plan().schema()));
             return py::make_tuple(taken(std::vector(features.columns)), taken(std::vector(features.values)));
           })
      .def_property_readonly("largest_report", &Client::largest_report);
}

// Everybody's report, row by row, through one device after the other. Dense rows are read where they are.
py::list reports_of_rows(
    const ldp::Plan& plan, const std::optional<Values>& dense,
    const std::optional<std::tuple<py::array_t<std::uint64_t, py::array::c_style>, Columns, Values>>& sparse,
    const Columns& levels, const std::vector<std::string>& names, std::uint64_t round) {
  std::vector<std::vector<std::uint8_t>> made;
  const std::size_t people = static_cast<std::size_t>(levels.size());
  made.reserve(people);
  must(aside(py::none(), [&](const std::atomic<bool>& stop, const Progress&) -> Result<bool> {
    Result<Client> device = Client::make(plan.text());
    if (!device) return device.error();
    for (std::size_t person = 0; person < people && !stop; ++person) {
      if (!names.empty()) device->set_person(names[person]);
      const auto row = [&] {
        if (dense) return ldp::Row::dense(span_of(*dense).subspan(person * plan.schema().dim(), plan.schema().dim()));
        const auto& [offsets, columns, values] = *sparse;
        const std::size_t first = offsets.data()[person], count = offsets.data()[person + 1] - first;
        const auto listed = span_of(columns).subspan(first, count);
        return values.size() == 0 ? ldp::Row::ones(listed)
                                  : ldp::Row::sparse(listed, span_of(values).subspan(first, count));
      }();
      Result<std::vector<std::uint8_t>> report = device->report(ldp::Level{levels.data()[person]}, row, round);
      if (!report) return report.error();
      made.push_back(std::move(report).value());
    }
    return true;
  }));
  py::list reports(made.size());
  for (std::size_t i = 0; i < made.size(); ++i) reports[i] = to_bytes(made[i]);
  return reports;
}

void bind_collector(py::module_& module) {
  const auto call = [](const auto& action) {
    return must(aside(py::none(), [&](const std::atomic<bool>&, const Progress&) { return action(); }));
  };
  py::class_<api::Collector>(module, "Collector")
      .def(py::init([](const std::string& url, const std::string& authorities, double patience) {
        return must(api::Collector::make(url, authorities, patience));
      }))
      .def("plan", [call](api::Collector& collector) { return call([&] { return collector.plan(); }); })
      .def("standing",
           [call](api::Collector& collector, const std::string& token) {
             const api::Collector::Standing standing = call([&] { return collector.standing(token); });
             py::dict out;
             out["person"] = standing.person;
             out["plan"] = standing.plan;
             out["round"] = standing.round;
             out["asked"] = standing.asked;
             out["reported"] = standing.reported;
             out["level"] = standing.level;
             out["question"] = to_bytes(standing.question);
             return out;
           })
      .def("submit", [call](api::Collector& collector, const std::string& token, const std::string& report) {
        return call([&] { return collector.submit(token, bytes_of(report)); });
      });
}

}  // namespace

void bind_devices(py::module_& module) {
  bind_plan(module);
  bind_client(module);
  bind_collector(module);
  module.def("reports_of_rows", &reports_of_rows, py::arg("plan"), py::arg("dense").noconvert(),
             py::arg("sparse").noconvert(), py::arg("levels").noconvert(), py::arg("names"), py::arg("round"));
}

}  // namespace ppgnn::python
