#include "ppgnn/train/trainer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "ppgnn/calibrate/calibrated_input.hpp"
#include "ppgnn/graph/generator.hpp"
#include "ppgnn/graph/split.hpp"
#include "ppgnn/io/sealed_bytes.hpp"
#include "ppgnn/nn/backbones.hpp"
#include "support/allocations.hpp"
#include "support/graphs.hpp"

namespace ppgnn::train {
namespace {

// A small social network with clean features, calibrated over two hops.
struct Fixture {
  graph::Dataset data;
  graph::Csr graph;
  std::shared_ptr<const calibrate::FeatureMatrix> features;
  std::optional<calibrate::CalibratedInput> input;
  graph::Split split;

  explicit Fixture(float poison = 0) {
    data = *graph::generate_social({.nodes = 600, .attributes = 64});
    graph = *calibrate::simple_graph(data.graph);
    const auto view = data.features.pattern().view();
    std::vector<float> values(view.nonzeros(), 1.0F);
    if (poison != 0) values[0] = poison;
    features = std::make_shared<const calibrate::FeatureMatrix>(*calibrate::FeatureMatrix::make(view, values));
    auto propagation = *calibrate::Propagation::make(graph, {.kind = calibrate::Operator::kprop, .hops = 2});
    input = *calibrate::CalibratedInput::make(features, std::move(propagation),
                                              {.order = calibrate::Order::right_to_left}, kernels::Threads(1));
    split = *graph::make_split(data, 1, 0);
  }
  Task task() const {
    return {.input = &*input,
            .graph = graph.view(),
            .labels = data.labels,
            .classes = data.num_classes(),
            .train = split.train,
            .validation = split.validation,
            .test = split.test};
  }
};

TrainOptions options_of(const nn::Backbone* backbone, std::size_t epochs) {
  TrainOptions options;
  options.network.backbone = backbone;
  options.seed = 3;
  options.epochs = epochs;
  return options;
}

class EveryBackbone : public testing::TestWithParam<nn::Backbone> {};

TEST_P(EveryBackbone, LearnsAndKeepsTheBestEpoch) {
  const Fixture fixture;
  auto trainer = Trainer::make(fixture.task(), options_of(nn::backbone_named(GetParam().name), 80));
  ASSERT_TRUE(trainer.ok()) << trainer.error().message;
  const auto outcome = trainer->run();
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->end, End::finished);
  EXPECT_EQ(outcome->epochs, 80u);
  // Four classes: guessing gives 25%.
  EXPECT_GT(outcome->test.accuracy(), 0.6);
  double least = 1e300;
  std::size_t best = 0;
  for (const EpochRecord& record : trainer->history()) {
    if (record.validation_loss < least) {
      least = record.validation_loss;
      best = record.epoch;
    }
  }
  EXPECT_EQ(outcome->best_epoch, best);
  EXPECT_EQ(outcome->validation.mean, least);
  EXPECT_EQ(outcome->test.rows, fixture.split.test.size());
}

TEST_P(EveryBackbone, AllocatesNothingInsideAnEpoch) {
  const Fixture fixture;
  auto trainer = Trainer::make(fixture.task(), options_of(nn::backbone_named(GetParam().name), 20));
  ASSERT_TRUE(trainer.ok());
  bool all = true;
  const std::size_t found = test::count_allocations([&] {
    for (int i = 0; i < 10; ++i) all = trainer->step() && all;
  });
  EXPECT_TRUE(all);
  EXPECT_EQ(found, 0u);
  // The counter counts.
  EXPECT_EQ(test::count_allocations([] { kernels::Matrix(3, 3); }), 1u);
}

TEST_P(EveryBackbone, ResumedRunGivesTheSameBits) {
  const Fixture fixture;
  const TrainOptions options = options_of(nn::backbone_named(GetParam().name), 25);
  auto whole = Trainer::make(fixture.task(), options);
  const auto expected = whole->run();

  auto first = Trainer::make(fixture.task(), options);
  for (int i = 0; i < 9; ++i) ASSERT_TRUE(first->step());
  const std::string checkpoint = first->encode_checkpoint();
  auto second = Trainer::make(fixture.task(), options);
  const auto decoded = second->decode_checkpoint(checkpoint);
  ASSERT_TRUE(decoded.ok()) << decoded.error().message;
  EXPECT_EQ(second->epoch(), 9u);
  EXPECT_EQ(second->encode_checkpoint(), checkpoint);
  const auto found = second->run();
  EXPECT_TRUE(
      std::equal(whole->history().begin(), whole->history().end(), second->history().begin(), second->history().end()));
  EXPECT_TRUE(test::same_bits(whole->best_parameters(), second->best_parameters()));
  EXPECT_EQ(found->test.mean, expected->test.mean);
}

INSTANTIATE_TEST_SUITE_P(Layers, EveryBackbone, testing::ValuesIn(nn::backbones()),
                         [](const auto& given) { return std::string(given.param.name); });

TEST(Trainer, StopFlagLeavesAUsableCheckpointAndTheRunCanGoOn) {
  const Fixture fixture;
  const TrainOptions options = options_of(nn::backbone_named("gcn"), 30);
  auto whole = Trainer::make(fixture.task(), options);
  ASSERT_TRUE(whole->run().ok());

  std::string kept;
  std::atomic<bool> stop{false};
  Hooks hooks;
  hooks.stop = &stop;
  hooks.checkpoint = [&](const Trainer& trainer) -> Result<void> {
    kept = trainer.encode_checkpoint();
    return {};
  };
  hooks.progress = [&](const EpochRecord& record) { stop = record.epoch == 11; };
  auto stopped = Trainer::make(fixture.task(), options);
  const auto outcome = stopped->run(hooks);
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->end, End::stopped);
  EXPECT_EQ(outcome->epochs, 12u);

  auto resumed = Trainer::make(fixture.task(), options);
  ASSERT_TRUE(resumed->decode_checkpoint(kept).ok());
  ASSERT_TRUE(resumed->run().ok());
  EXPECT_TRUE(test::same_bits(whole->best_parameters(), resumed->best_parameters()));
  // The stopped object goes on too.
  ASSERT_TRUE(stopped->run().ok());
  EXPECT_TRUE(test::same_bits(whole->best_parameters(), stopped->best_parameters()));
}

TEST(Trainer, CheckpointsOfAnotherRunAndDamagedOnesAreRefused) {
  const Fixture fixture;
  auto trainer = Trainer::make(fixture.task(), options_of(nn::backbone_named("gcn"), 5));
  ASSERT_TRUE(trainer->step());
  const std::string good = trainer->encode_checkpoint();
  TrainOptions other = options_of(nn::backbone_named("gcn"), 5);
  other.dropout = 0.25;
  auto stranger = Trainer::make(fixture.task(), other);
  const auto refused = stranger->decode_checkpoint(good);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::mismatch);
  auto sage = Trainer::make(fixture.task(), options_of(nn::backbone_named("sage"), 5));
  EXPECT_EQ(sage->decode_checkpoint(good).error().message, "checkpoint is of backbone gcn, not of sage");
  for (std::size_t length = 0; length < good.size(); length += 997) {
    EXPECT_FALSE(trainer->decode_checkpoint(good.substr(0, length)).ok()) << length;
  }
  for (std::size_t place = 0; place < good.size(); place += 1009) {
    std::string flipped = good;
    flipped[place] = static_cast<char>(flipped[place] ^ 1);
    EXPECT_FALSE(trainer->decode_checkpoint(flipped).ok()) << place;
  }
  EXPECT_TRUE(trainer->decode_checkpoint(good).ok());
}

// Under a seal that fits: numbers that no training can have had.
TEST(Trainer, HostileCheckpointsAreRefused) {
  const Fixture fixture;
  auto trainer = Trainer::make(fixture.task(), options_of(nn::backbone_named("gcn"), 5));
  ASSERT_TRUE(trainer->step());
  const std::string good = trainer->encode_checkpoint();
  const std::string content(io::unseal("PPGNNCKP", 2, good).value());
  const std::size_t size = trainer->network().parameters().size();
  const std::size_t arrays = 8 + 3 + 8 + 64;  // after backbone and identity
  const std::size_t after = arrays + 4 * (8 + 4 * size);
  const auto refused = [&](std::size_t place, auto value) {
    std::string changed = content;
    std::memcpy(changed.data() + place, &value, sizeof value);
    const auto decoded = trainer->decode_checkpoint(io::seal("PPGNNCKP", 2, changed));
    return !decoded.ok() && decoded.error().code == ErrorCode::malformed;
  };
  ASSERT_TRUE(trainer->decode_checkpoint(io::seal("PPGNNCKP", 2, content)).ok());
  constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();
  for (std::size_t array = 0; array < 4; ++array) {
    const std::size_t start = arrays + array * (8 + 4 * size);
    for (const std::uint64_t count : {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{1} << 62}) {
      EXPECT_TRUE(refused(start, count)) << array << ' ' << count;
    }
    EXPECT_TRUE(refused(start + 8, kNotANumber)) << array;
  }
  EXPECT_TRUE(refused(8, 'x')) << "a backbone that nobody knows";
  EXPECT_TRUE(refused(arrays + 2 * (8 + 4 * size) + 8, -1.0F)) << "a second moment below zero";
  EXPECT_TRUE(refused(after, std::uint64_t{3})) << "best epoch that was not";
  EXPECT_TRUE(refused(after + 8, std::numeric_limits<double>::quiet_NaN())) << "best loss";
  for (const std::uint64_t epochs :
       {std::uint64_t{0}, std::uint64_t{2}, std::uint64_t{kMaxEpochs + 1}, ~std::uint64_t{0}}) {
    EXPECT_TRUE(refused(after + 16, epochs)) << epochs;
  }
  EXPECT_TRUE(refused(after + 24, std::numeric_limits<double>::infinity())) << "a training loss";
  EXPECT_TRUE(refused(after + 32, 1.5)) << "an accuracy";
  TrainOptions endless = options_of(nn::backbone_named("gcn"), kMaxEpochs + 1);
  EXPECT_EQ(Trainer::make(fixture.task(), endless).error().code, ErrorCode::invalid_argument);
}

TEST(Trainer, ALossThatIsNotFiniteStopsWithEpochAndCauseAndKeepsTheLastGoodModel) {
  // An infinite input reaches the logits at once.
  const Fixture broken(std::numeric_limits<float>::infinity());
  auto trainer = Trainer::make(broken.task(), options_of(nn::backbone_named("gcn"), 10));
  ASSERT_TRUE(trainer.ok());
  const auto outcome = trainer->run();
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->end, End::failed);
  EXPECT_NE(outcome->cause.find("loss is not finite in epoch "), std::string::npos) << outcome->cause;

  // A learning rate that explodes after some good epochs: the best of them stays.
  const Fixture fixture;
  TrainOptions wild = options_of(nn::backbone_named("gcn"), 200);
  wild.adam.learning_rate = 4.5e17;
  auto exploding = Trainer::make(fixture.task(), wild);
  const std::vector<float> initial(exploding->network().parameters().begin(), exploding->network().parameters().end());
  const auto ended = exploding->run();
  EXPECT_EQ(ended->end, End::failed);
  ASSERT_TRUE(ended->best_epoch);
  EXPECT_FALSE(test::same_bits<float>(exploding->best_parameters(), initial));
  EXPECT_NE(ended->cause.find("training loss is not finite in epoch "), std::string::npos) << ended->cause;
  for (const float parameter : exploding->best_parameters()) ASSERT_TRUE(std::isfinite(parameter));

  // One that explodes at once is found by the evaluation.
  wild.adam.learning_rate = 1e19;
  auto at_once = Trainer::make(fixture.task(), wild);
  EXPECT_EQ(at_once->run()->cause, "validation loss is not finite in epoch 0");
}

TEST(Trainer, PatienceEndsTheRun) {
  const Fixture fixture;
  TrainOptions options = options_of(nn::backbone_named("gcn"), 500);
  options.adam.learning_rate = 0.3;
  options.patience = 5;
  auto trainer = Trainer::make(fixture.task(), options);
  const auto outcome = trainer->run();
  EXPECT_EQ(outcome->end, End::patience);
  EXPECT_EQ(outcome->epochs, *outcome->best_epoch + 6);
}

TEST(Trainer, RefusesWhatDoesNotFit) {
  const Fixture fixture;
  const auto refused = [&](const auto& change) {
    Task task = fixture.task();
    TrainOptions options;
    graph::Split split = fixture.split;
    change(task, options, split);
    task.train = split.train;
    task.test = split.test;
    return !Trainer::make(task, options).ok();
  };
  EXPECT_FALSE(refused([](Task&, TrainOptions&, graph::Split&) {}));
  EXPECT_TRUE(refused([](Task&, TrainOptions& o, graph::Split&) { o.dropout = 1; }));
  EXPECT_TRUE(refused([](Task&, TrainOptions& o, graph::Split&) { o.adam.learning_rate = std::nan(""); }));
  EXPECT_TRUE(refused([](Task&, TrainOptions& o, graph::Split&) { o.adam.weight_decay = -1; }));
  EXPECT_TRUE(refused([](Task& t, TrainOptions&, graph::Split&) { t.classes = 1; }));
  EXPECT_TRUE(refused([](Task& t, TrainOptions&, graph::Split&) { t.labels = t.labels.first(3); }));
  EXPECT_TRUE(refused([](Task&, TrainOptions&, graph::Split& s) { s.train.clear(); }));
  EXPECT_TRUE(refused([](Task&, TrainOptions&, graph::Split& s) { s.test.push_back(600); }));
}

}  // namespace
}  // namespace ppgnn::train
