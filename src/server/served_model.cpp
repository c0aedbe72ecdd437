#include "ppgnn/server/served_model.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "ppgnn/core/number.hpp"
#include "ppgnn/core/text.hpp"
#include "ppgnn/core/version.hpp"
#include "ppgnn/io/files.hpp"
#include "ppgnn/kernels/instruction_set.hpp"
#include "ppgnn/ldp/estimate.hpp"
#include "server/notes.hpp"

namespace ppgnn::server {

namespace {

std::string notes_of(const ServedModel& model) {
  std::vector<std::string> classes;
  classes.reserve(model.classes.size());
  for (const std::string& name : model.classes) classes.push_back(to_utf8(name));
  return NotesWriter()
      .add("plan_hash", model.plan_hash)
      .add("hops", std::uint64_t{model.hops})
      .add("factor", model.factor)
      .add("scale", model.scale)
      .add("classes", classes)
      .add("data", to_utf8(model.data))
      .add("seed", model.seed)
      .add("run", model.run)
      .add("instruction_set", model.instruction_set)
      .add("version", model.version)
      .text();
}

// Fills in the fields behind the notes, or says what is wrong with them.
std::string read_notes(const std::string& text, ServedModel& model) {
  const std::optional<Notes> notes = Notes::parse(text);
  if (!notes) return "not a model of ppgnn train";
  std::string problem;
  const auto take = [&](const char* key, auto found, auto& into, const std::string& must) {
    if (!problem.empty()) return;
    if (found) {
      into = std::move(*found);
    } else {
      problem = std::string(key) + ": not " + must;
    }
  };
  const std::uint64_t hops = notes->whole("hops").value_or(kMaxHops + 1);
  if (hops > kMaxHops) return "hops: not a whole number up to " + std::to_string(kMaxHops);
  model.hops = hops;
  take("plan_hash", notes->text("plan_hash"), model.plan_hash, "a text");
  take("factor", notes->number("factor"), model.factor, "a finite number");
  model.scale = notes->number("scale").value_or(-1);
  if (!(model.scale >= 0 && model.scale <= kMaxScale))
    return "scale: not a number from 0 to " + format_number(kMaxScale);
  take("classes", notes->texts("classes"), model.classes, "a list of names");
  take("data", notes->text("data"), model.data, "a text");
  take("seed", notes->whole("seed"), model.seed, "a whole number");
  take("run", notes->whole("run"), model.run, "a whole number");
  take("instruction_set", notes->text("instruction_set"), model.instruction_set, "a text");
  take("version", notes->text("version"), model.version, "a text");
  if (problem.empty() && model.classes.size() != model.network.classes) return "classes: not one name per class";
  for (std::string& name : model.classes) name = from_utf8(name);
  model.data = from_utf8(model.data);
  return problem;
}

// Before a network of the model's shape is made.
Result<void> check_shape(const train::Model& model, std::size_t columns) {
  if (model.inputs != columns) {
    return Error{ErrorCode::mismatch, "model: takes " + std::to_string(model.inputs) + " columns, the reports give " +
                                          std::to_string(columns)};
  }
  const Result<std::size_t> size = nn::parameter_count(model.network, model.inputs, model.classes);
  if (!size) return size.error();
  if (*size != model.parameters.size()) {
    return Error{ErrorCode::mismatch, "model: has " + std::to_string(model.parameters.size()) +
                                          " parameters, its shape needs " + std::to_string(*size)};
  }
  return {};
}

}  // namespace

ServedModel served_model(const graph::Dataset& dataset, const ldp::Plan& plan, const PipelineOptions& pipeline,
                         const Trained& trained, std::uint64_t seed, std::uint64_t run) {
  ServedModel model;
  const std::size_t columns = ldp::Estimator(plan.tables()).columns();
  model.network = {pipeline.training.network, columns, dataset.num_classes(), trained.parameters, {}};
  model.plan_hash = to_hex(plan.hash());
  model.hops = pipeline.hops;
  model.factor = trained.factor;
  model.scale = trained.scale.value_or(0);
  model.classes = dataset.class_names.list();
  model.data = dataset.name;
  model.seed = seed;
  model.run = run;
  model.instruction_set = kernels::instruction_set();
  model.version = version();
  return model;
}

Result<void> write_served_model(const ServedModel& model, const std::filesystem::path& path) {
  train::Model file = model.network;
  file.notes = notes_of(model);
  return train::write_model(file, path);
}

std::string encode_served_model(const ServedModel& model) {
  train::Model file = model.network;
  file.notes = notes_of(model);
  return train::encode_model(file);
}

Result<ServedModel> decode_served_model(std::string_view bytes) {
  Result<train::Model> network = train::decode_model(bytes);
  if (!network) return network.error();
  ServedModel model;
  model.network = std::move(network).value();
  if (const std::string problem = read_notes(model.network.notes, model); !problem.empty()) {
    return Error{ErrorCode::malformed, problem};
  }
  return model;
}

Result<ServedModel> read_served_model(const std::filesystem::path& path) {
  const Result<std::string> bytes = io::read_file(path);
  if (!bytes) return bytes.error();
  Result<ServedModel> model = decode_served_model(*bytes);
  if (!model) return io::in_file(path.string(), model.error());
  return model;
}

Result<graph::Dataset> for_prediction(const ServedModel& model, graph::Dataset dataset) {
  for (std::size_t i = 0; i < dataset.num_classes(); ++i) {
    const std::string name(dataset.class_names[i]);
    if (std::find(model.classes.begin(), model.classes.end(), name) == model.classes.end()) {
      return Error{ErrorCode::mismatch, "the data has a class '" + name + "', the model has none"};
    }
  }
  dataset.class_names = graph::StringList(model.classes);
  dataset.labels = graph::SharedArray<std::int32_t>(std::vector<std::int32_t>(dataset.num_nodes(), graph::kUnknown));
  return dataset;
}

Result<train::Predictions> apply_network(const train::Model& model, std::size_t hops, double factor,
                                         const Problem& problem, const calibrate::Collected& collected,
                                         std::size_t thread_count) {
  if (model.classes != problem.classes()) {
    return Error{ErrorCode::mismatch, "model: has " + std::to_string(model.classes) + " classes, the data " +
                                          std::to_string(problem.classes())};
  }
  const kernels::Threads threads(thread_count);
  const auto input = calibrated(problem, collected, hops, {}, threads, factor);
  if (!input) return input.error();
  if (Result<void> fits = check_shape(model, input->columns()); !fits) return fits.error();
  auto network = nn::Network::make(*input, problem.graph().view(), problem.classes(), model.network);
  if (!network) return network.error();
  if (Result<void> loaded = train::load_parameters(model, *network); !loaded) return loaded.error();
  return in_original_order(problem, train::predict(*network, threads));
}

Result<train::Predictions> predict(const ServedModel& model, const Problem& problem, const ldp::Plan& plan,
                                   std::span<const ldp::NodeReport> reports, std::size_t thread_count) {
  if (model.plan_hash != to_hex(plan.hash())) {
    return Error{ErrorCode::mismatch, "the model was trained with reports of another plan"};
  }
  const Result<calibrate::Collected> collected = calibrate::collect(problem.order(), plan, reports);
  if (!collected) return collected.error();
  return apply_network(model.network, model.hops, model.factor, problem, *collected, thread_count);
}

}  // namespace ppgnn::server
