// Any bytes as a checkpoint: the whole file's content, and the state of a trainer behind its identity, each sealed
// right: refused, or a state that is written again as it was read. The seeds are contents of either kind.
#include <cstdlib>
#include <string>

#include "people.hpp"
#include "ppgnn/calibrate/calibrated_input.hpp"
#include "ppgnn/graph/split.hpp"
#include "ppgnn/io/sealed_bytes.hpp"
#include "ppgnn/train/trainer.hpp"
#include "server/checkpoint.hpp"

namespace {

namespace calibrate = ppgnn::calibrate;
namespace graph = ppgnn::graph;
namespace train = ppgnn::train;

// What a trainer points to.
struct Material {
  graph::Csr graph = *calibrate::simple_graph(ppgnn::fuzz::people().graph);
  std::optional<calibrate::CalibratedInput> input;
  graph::Split split = *graph::make_split(ppgnn::fuzz::people(), 1, 0);

  Material() {
    const auto view = ppgnn::fuzz::people().features.pattern().view();
    const std::vector<float> ones(view.nonzeros(), 1.0F);
    auto features = std::make_shared<const calibrate::FeatureMatrix>(*calibrate::FeatureMatrix::make(view, ones));
    auto propagation = *calibrate::Propagation::make(graph, {.kind = calibrate::Operator::kprop, .hops = 1});
    input =
        *calibrate::CalibratedInput::make(std::move(features), std::move(propagation), {}, ppgnn::kernels::Threads(1));
  }
};

train::Trainer make_trainer() {
  static const Material kMaterial;
  train::TrainOptions options;
  options.network.hidden = 4;
  options.epochs = 3;
  options.threads = 1;
  return *train::Trainer::make({.input = &*kMaterial.input,
                                .graph = kMaterial.graph.view(),
                                .labels = ppgnn::fuzz::people().labels,
                                .classes = ppgnn::fuzz::people().num_classes(),
                                .train = kMaterial.split.train,
                                .validation = kMaterial.split.validation,
                                .test = kMaterial.split.test},
                               options);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace io = ppgnn::io;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  static_cast<void>(ppgnn::server::decode_checkpoint(bytes));
  const std::string file = io::seal("PPGNNSCL", 1, bytes);
  if (const auto found = ppgnn::server::decode_checkpoint(file)) {
    io::Writer writer;
    for (const std::string& text : {found->graph, found->features, found->settings}) writer.text(text);
    writer.number(std::uint64_t{found->trainers.size()});
    for (const std::string& trainer : found->trainers) writer.text(trainer);
    if (writer.bytes() != bytes) std::abort();
  }

  static train::Trainer trainer = make_trainer();
  static const std::string kState = trainer.encode_checkpoint();
  constexpr std::size_t kHeader = 8 + 4 + 8;         // docs/formats/sealed.md
  constexpr std::size_t kIdentity = 8 + 3 + 8 + 64;  // and the backbone before it, gcn
  const std::string_view state(kState);
  std::uint32_t version = 0;
  std::memcpy(&version, state.data() + 8, sizeof version);
  std::string content(state.substr(kHeader, kIdentity));
  content += bytes;
  const std::string sealed = io::seal(state.substr(0, 8), version, content);
  if (trainer.decode_checkpoint(sealed) && trainer.encode_checkpoint() != sealed) std::abort();
  return 0;
}
