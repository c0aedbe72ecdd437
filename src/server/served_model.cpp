#include "ppgnn/server/served_model.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "ppgnn/io/csv.hpp"
#include "ppgnn/io/files.hpp"
#include "ppgnn/server/training.hpp"

namespace ppgnn::server {

namespace {

using nlohmann::ordered_json;

std::string notes_of(const ServedModel& model) {
  const ordered_json notes{
      {"plan_hash", model.plan_hash}, {"hops", model.hops},       {"factor", model.factor},
      {"scale", model.scale},         {"classes", model.classes}, {"data", model.data},
      {"seed", model.seed},           {"run", model.run},         {"instruction_set", model.instruction_set},
      {"version", model.version}};
  return notes.dump();
}

// Fills in the fields behind the notes, or says what is wrong with them.
std::string read_notes(const std::string& text, ServedModel& model) {
  const ordered_json notes = ordered_json::parse(text, nullptr, false);
  if (!notes.is_object()) return "not a model of ppgnn train";
  try {
    const ordered_json& hops = notes.at("hops");
    if (!hops.is_number_unsigned() || hops.get<std::uint64_t>() > kMaxHops) {
      return "hops: not a whole number up to " + std::to_string(kMaxHops);
    }
    model.hops = hops.get<std::size_t>();
    model.plan_hash = notes.at("plan_hash");
    model.factor = notes.at("factor");
    model.scale = notes.at("scale");
    model.classes = notes.at("classes");
    model.data = notes.at("data");
    model.seed = notes.at("seed");
    model.run = notes.at("run");
    model.instruction_set = notes.at("instruction_set");
    model.version = notes.at("version");
  } catch (const ordered_json::exception&) {
    return "not a model of ppgnn train";
  }
  if (!std::isfinite(model.factor)) return "factor: not a finite number";
  if (model.classes.size() != model.network.classes) return "classes: not one name per class";
  return {};
}

}  // namespace

Result<void> write_served_model(const ServedModel& model, const std::filesystem::path& path) {
  train::Model file = model.network;
  file.notes = notes_of(model);
  return train::write_model(file, path);
}

Result<ServedModel> read_served_model(const std::filesystem::path& path) {
  Result<train::Model> file = train::read_model(path);
  if (!file) return file.error();
  ServedModel model;
  model.network = std::move(file).value();
  if (const std::string problem = read_notes(model.network.notes, model); !problem.empty()) {
    return io::in_file(path.string(), {ErrorCode::malformed, problem});
  }
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

Result<train::Predictions> predict(const ServedModel& model, const Problem& problem, const ldp::Plan& plan,
                                   std::span<const calibrate::NodeReport> reports, std::size_t thread_count) {
  if (model.plan_hash != to_hex(plan.hash())) {
    return Error{ErrorCode::mismatch, "the model was trained with reports of another plan"};
  }
  if (model.network.classes != problem.classes()) {
    return Error{ErrorCode::mismatch, "model: has " + std::to_string(model.network.classes) + " classes, the data " +
                                          std::to_string(problem.classes())};
  }
  const Result<calibrate::Collected> collected = calibrate::collect(problem.order(), plan, reports);
  if (!collected) return collected.error();
  const kernels::Threads threads(thread_count);
  const auto input = calibrated(problem, *collected, model.hops, {}, threads, model.factor);
  if (!input) return input.error();
  auto network = nn::Network::make(*input, problem.graph().view(), problem.classes(), model.network.network);
  if (!network) return network.error();
  if (Result<void> loaded = train::load_parameters(model.network, *network); !loaded) return loaded.error();
  return in_original_order(problem, train::predict(*network, threads));
}

}  // namespace ppgnn::server
