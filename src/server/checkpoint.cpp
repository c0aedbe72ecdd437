#include "server/checkpoint.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

#include "ppgnn/core/number.hpp"
#include "ppgnn/core/sha256.hpp"
#include "ppgnn/io/files.hpp"
#include "ppgnn/io/sealed_bytes.hpp"

namespace ppgnn::server {

namespace {

constexpr std::string_view kMagic = "PPGNNSCL";
constexpr std::uint32_t kVersion = 1;

template <class Number>
void add(Sha256& hash, std::span<const Number> values) {
  const std::uint64_t size = values.size();
  hash.update({reinterpret_cast<const std::uint8_t*>(&size), sizeof size});
  hash.update({reinterpret_cast<const std::uint8_t*>(values.data()), values.size_bytes()});
}

void add(Sha256& hash, const CsrView& pattern) {
  add(hash, pattern.offsets);
  add(hash, pattern.columns);
}

}  // namespace

ScaleCheckpoint begin_checkpoint(const Problem& problem, const calibrate::Collected& collected,
                                 const PipelineOptions& options) {
  ScaleCheckpoint checkpoint;
  Sha256 graph;
  add(graph, problem.graph().view());
  checkpoint.graph = to_hex(graph.finish());

  Sha256 features;
  const calibrate::FeatureMatrix& estimates = *collected.estimates;
  add(features, estimates.sparse().pattern());
  add(features, estimates.sparse().numbers().values);
  add(features, std::span<const float>(estimates.dense().data, estimates.dense().size()));
  add(features, estimates.offset());
  add(features, std::span<const float>(collected.weights));
  const auto kind = static_cast<std::uint64_t>(collected.kind);
  add(features, std::span(&kind, 1));
  checkpoint.features = to_hex(features.finish());

  checkpoint.settings = "hops " + std::to_string(options.hops) + ", scale";
  for (const double scale : options.scales) checkpoint.settings += ' ' + format_number(scale);
  if (options.scales.empty()) checkpoint.settings += " raw";
  checkpoint.scales = std::max<std::size_t>(1, options.scales.size());
  return checkpoint;
}

Result<void> write_checkpoint(const ScaleCheckpoint& checkpoint, const std::filesystem::path& path) {
  io::Writer writer;
  writer.text(checkpoint.graph);
  writer.text(checkpoint.features);
  writer.text(checkpoint.settings);
  writer.number(std::uint64_t{checkpoint.trainers.size()});
  for (const std::string& trainer : checkpoint.trainers) writer.text(trainer);
  return io::write_sealed(path, io::seal(kMagic, kVersion, writer.bytes()));
}

Result<ScaleCheckpoint> decode_checkpoint(std::string_view bytes) {
  const Result<std::string_view> content = io::unseal(kMagic, kVersion, bytes);
  if (!content) return content.error();
  io::Reader reader(*content);
  ScaleCheckpoint found;
  found.graph = reader.text();
  found.features = reader.text();
  found.settings = reader.text();
  const auto count = reader.number<std::uint64_t>();
  for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) found.trainers.push_back(reader.text());
  if (reader.failed() || !reader.at_end()) {
    return Error{ErrorCode::malformed, "checkpoint does not have the documented form"};
  }
  return found;
}

Result<void> continue_checkpoint(ScaleCheckpoint& checkpoint, const std::filesystem::path& path) {
  const Result<std::string> bytes = io::read_file(path);
  if (!bytes) return bytes.error();
  Result<ScaleCheckpoint> decoded = decode_checkpoint(*bytes);
  if (!decoded) return io::in_file(path.string(), decoded.error());
  ScaleCheckpoint& found = *decoded;
  const auto in_file = [&](ErrorCode code, const std::string& what) {
    return io::in_file(path.string(), {code, what});
  };
  if (found.graph != checkpoint.graph) return in_file(ErrorCode::mismatch, "checkpoint is of another graph");
  if (found.features != checkpoint.features) return in_file(ErrorCode::mismatch, "checkpoint is of other reports");
  if (found.settings != checkpoint.settings) {
    return in_file(ErrorCode::mismatch, "checkpoint is of " + found.settings + ", not of " + checkpoint.settings);
  }
  if (found.trainers.size() > checkpoint.scales) {
    return in_file(ErrorCode::malformed, "checkpoint does not have the documented form");
  }
  checkpoint.trainers = std::move(found.trainers);
  return {};
}

}  // namespace ppgnn::server
