// Graphs of people, and columns.
#include "binding.hpp"

namespace ppgnn::python {

namespace {

template <class T>
using Array = py::array_t<T, py::array::c_style>;
using Wide = Array<std::uint64_t>;
using Narrow = Array<std::uint32_t>;
using Floats = Array<float>;

py::tuple rows_of(const api::Rows& rows) {
  return py::make_tuple(shown(rows.offsets), shown(rows.columns), shown(rows.values));
}

api::Data make_data(const std::string& name, std::size_t people, const std::optional<std::pair<Wide, Narrow>>& friends,
                    const std::optional<Array<std::uint32_t>>& pairs, std::size_t columns,
                    const std::optional<std::tuple<Wide, Narrow, Floats>>& features,
                    std::vector<ldp::ColumnGroup> schema, const std::optional<Array<std::int32_t>>& labels,
                    std::vector<std::string> classes, std::vector<std::string> names, std::vector<std::string> notes) {
  api::DataParts parts;
  parts.name = name;
  parts.people = people;
  if (friends) parts.friends = {lent(friends->first), lent(friends->second), {}};
  if (pairs) {
    parts.pairs.reserve(static_cast<std::size_t>(pairs->size()) / 2);
    for (py::ssize_t i = 0; i + 1 < pairs->size(); i += 2)
      parts.pairs.push_back({pairs->data()[i], pairs->data()[i + 1]});
  }
  parts.columns = columns;
  if (features) {
    parts.features = {lent(std::get<0>(*features)), lent(std::get<1>(*features)), lent(std::get<2>(*features))};
  }
  parts.schema = std::move(schema);
  if (labels) parts.labels.assign(labels->data(), labels->data() + labels->size());
  parts.classes = std::move(classes);
  parts.names = std::move(names);
  parts.notes = std::move(notes);
  std::optional<Result<api::Data>> made;
  {
    const py::gil_scoped_release others_run;
    made.emplace(api::Data::make(std::move(parts)));
  }
  return must(std::move(*made));
}

ldp::ColumnKind kind_named(const std::string& name) {
  for (const auto kind : {ldp::ColumnKind::binary, ldp::ColumnKind::number, ldp::ColumnKind::category}) {
    if (name == ldp::to_text(kind)) return kind;
  }
  raise({ErrorCode::invalid_argument, "kind: must be binary, number or category, but is " + name});
}

void bind_column(py::module_& module) {
  using Column = ldp::ColumnGroup;
  py::class_<Column>(module, "Column", "Neighbouring columns of one kind, declared before any data is seen.")
      .def(py::init([](const std::string& name, std::uint32_t count, const std::string& kind, double low, double high,
                       double absent) { return Column{name, count, kind_named(kind), low, high, absent}; }),
           py::arg("name"), py::kw_only(), py::arg("count") = 1, py::arg("kind") = "binary", py::arg("low") = 0.0,
           py::arg("high") = 1.0, py::arg("absent") = 0.0)
      .def_readonly("name", &Column::name, "What the columns are called.")
      .def_readonly("count", &Column::count, "How many columns there are of it.")
      .def_property_readonly(
          "kind", [](const Column& column) { return std::string(ldp::to_text(column.kind)); },
          "binary, number or category.")
      .def_readonly("low", &Column::low, "Smallest value; smaller ones are clamped.")
      .def_readonly("high", &Column::high, "Largest value; larger ones are clamped.")
      .def_readonly("absent", &Column::absent, "What a column that a sparse row leaves out stands for.")
      .def(
          "__eq__",
          [](const Column& one, const Column& other) {
            return one.name == other.name && one.count == other.count && one.kind == other.kind &&
                   one.low == other.low && one.high == other.high && one.absent == other.absent;
          },
          py::is_operator())
      .def("__repr__",
           [](const Column& column) {
             return py::str("Column({!r}, count={}, kind={!r}, low={}, high={}, absent={})")
                 .format(column.name, column.count, std::string(ldp::to_text(column.kind)), column.low, column.high,
                         column.absent);
           })
      .def(py::pickle(
          [](const Column& column) {
            return py::make_tuple(column.name, column.count, std::string(ldp::to_text(column.kind)), column.low,
                                  column.high, column.absent);
          },
          [](const py::tuple& state) {
            return Column{
                state[0].cast<std::string>(), state[1].cast<std::uint32_t>(), kind_named(state[2].cast<std::string>()),
                state[3].cast<double>(),      state[4].cast<double>(),        state[5].cast<double>()};
          }));
}

}  // namespace

void bind_data(py::module_& module) {
  bind_column(module);
  py::class_<api::Data>(module, "Data")
      .def_static(
          "load",
          [](const std::string& name, const std::string& folder) {
            return must(aside(
                py::none(), [&](const std::atomic<bool>&, const Progress&) { return api::Data::load(name, folder); }));
          },
          py::arg("name"), py::arg("folder"))
      .def_static("make", &make_data, py::kw_only(), py::arg("name"), py::arg("people"),
                  py::arg("friends").noconvert() = py::none(), py::arg("pairs").noconvert() = py::none(),
                  py::arg("columns") = 0, py::arg("features").noconvert() = py::none(),
                  py::arg("schema") = std::vector<ldp::ColumnGroup>{}, py::arg("labels").noconvert() = py::none(),
                  py::arg("classes") = std::vector<std::string>{}, py::arg("names") = std::vector<std::string>{},
                  py::arg("notes") = std::vector<std::string>{})
      .def_property_readonly("name", &api::Data::name)
      .def_property_readonly("people", &api::Data::people)
      .def_property_readonly("friendships", &api::Data::friendships)
      .def_property_readonly("columns", &api::Data::columns)
      .def_property_readonly("classes", &api::Data::classes)
      .def_property_readonly("declared", &api::Data::declared)
      .def_property_readonly("notes", &api::Data::notes)
      .def_property_readonly("numbered", &api::Data::numbered)
      .def_property_readonly("names",
                             [](const api::Data& data) {
                               std::vector<std::string> names;
                               for (std::uint32_t i = 0; i < data.people(); ++i) names.push_back(data.person(i));
                               return names;
                             })
      .def("labels",
           [](const api::Data& data) {
             return shown(api::Lent<std::int32_t>{data.labels(), data.friends().offsets.owner});
           })
      .def("friends", [](const api::Data& data) { return rows_of(data.friends()); })
      .def("features", [](const api::Data& data) { return rows_of(data.features()); })
      .def("schema", [](const api::Data& data) { return must(data.schema()); });
}

}  // namespace ppgnn::python
