#include "ppgnn/train/model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ppgnn/io/csv.hpp"
#include "ppgnn/io/files.hpp"
#include "ppgnn/io/sealed_bytes.hpp"
#include "ppgnn/nn/backbones.hpp"

namespace ppgnn::train {
namespace {

constexpr std::string_view kModelMagic = "PPGNNMDL";
constexpr std::uint32_t kModelVersion = 1;

}  // namespace

std::string encode_model(const Model& model) {
  io::Writer writer;
  writer.text(model.network.backbone->name);
  for (const std::size_t size :
       {model.network.hidden, model.network.heads, model.inputs, model.classes, model.parameters.size()}) {
    writer.number(std::uint64_t{size});
  }
  writer.array(std::span<const float>(model.parameters));
  writer.text(model.notes);
  return io::seal(kModelMagic, kModelVersion, writer.bytes());
}

Result<Model> decode_model(std::string_view bytes) {
  const auto content = io::unseal(kModelMagic, kModelVersion, bytes);
  if (!content) return content.error();
  io::Reader reader(*content);
  Model model;
  const nn::Backbone* backbone = nn::backbone_named(reader.text());
  model.network.hidden = reader.number<std::uint64_t>();
  model.network.heads = reader.number<std::uint64_t>();
  model.inputs = reader.number<std::uint64_t>();
  model.classes = reader.number<std::uint64_t>();
  const auto size = reader.number<std::uint64_t>();
  const auto malformed = [](const std::string& what) { return Error{ErrorCode::malformed, "model " + what}; };
  if (reader.failed() || backbone == nullptr) return malformed("does not have the documented form");
  model.network.backbone = backbone;
  // What the shape says must be what the file holds before any memory follows either.
  const Result<std::size_t> expected = nn::parameter_count(model.network, model.inputs, model.classes);
  if (!expected) return malformed("has a shape that no network has: " + expected.error().message);
  if (size != *expected) {
    return malformed("has " + std::to_string(size) + " parameters, its shape needs " + std::to_string(*expected));
  }
  model.parameters = reader.array<float>(size);
  model.notes = reader.text();
  if (reader.failed() || !reader.at_end()) return malformed("does not have the documented form");
  if (!std::all_of(model.parameters.begin(), model.parameters.end(),
                   [](float value) { return std::isfinite(value); })) {
    return malformed("has a parameter that is not a finite number");
  }
  if (io::find_invalid_utf8(model.notes) != std::string_view::npos) return malformed("has notes that are not UTF-8");
  return model;
}

Result<void> write_model(const Model& model, const std::filesystem::path& path) {
  return io::write_sealed(path, encode_model(model));
}

Result<Model> read_model(const std::filesystem::path& path) {
  const auto bytes = io::read_file(path);
  if (!bytes) return bytes.error();
  auto model = decode_model(*bytes);
  if (!model) return io::in_file(path.string(), model.error());
  return model;
}

Result<void> load_parameters(const Model& model, nn::Network& network) {
  const nn::NetworkOptions& options = network.options();
  if (model.network.backbone != options.backbone || model.network.hidden != options.hidden ||
      model.network.heads != options.heads || model.inputs != network.inputs() || model.classes != network.classes() ||
      model.parameters.size() != network.parameters().size()) {
    return Error{ErrorCode::mismatch, "model has another shape than the network: " + std::to_string(model.inputs) +
                                          " inputs and " + std::to_string(model.classes) + " classes, not " +
                                          std::to_string(network.inputs()) + " and " +
                                          std::to_string(network.classes())};
  }
  std::copy(model.parameters.begin(), model.parameters.end(), network.parameters().begin());
  return {};
}

}  // namespace ppgnn::train
