// A whole run gives the same bits on 1, 2 and 7 threads, alone or beside others.
#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>

#include <array>

#include "ppgnn/calibrate/calibrated_input.hpp"
#include "ppgnn/graph/generator.hpp"
#include "ppgnn/graph/split.hpp"
#include "ppgnn/nn/backbones.hpp"
#include "ppgnn/train/trainer.hpp"
#include "support/graphs.hpp"

namespace ppgnn::train {
namespace {

const tbb::global_control kSeven(tbb::global_control::max_allowed_parallelism, 7);

struct Fixture {
  // Large enough that every kernel has several tasks.
  graph::Dataset data = *graph::generate_social({.nodes = 5000, .attributes = 64});
  graph::Csr graph = *calibrate::simple_graph(data.graph);
  graph::Split split = *graph::make_split(data, 1, 0);
  std::shared_ptr<const calibrate::FeatureMatrix> features = std::make_shared<const calibrate::FeatureMatrix>(
      *calibrate::FeatureMatrix::of_features(data.features, graph::FeatureScale::unit));

  calibrate::CalibratedInput input(calibrate::Order order, const kernels::Threads& threads) const {
    auto propagation = *calibrate::Propagation::make(graph, {.kind = calibrate::Operator::mean, .hops = 3});
    return *calibrate::CalibratedInput::make(features, std::move(propagation),
                                             {.order = order, .root_mean_square = 0.1}, threads);
  }
  Task task(const kernels::LinearOperator& of) const {
    return {.input = &of,
            .graph = graph.view(),
            .labels = data.labels,
            .classes = data.num_classes(),
            .train = split.train,
            .validation = split.validation,
            .test = split.test};
  }
};

TEST(TrainThreads, OneTwoAndSevenGiveTheSameBits) {
  const Fixture fixture;
  for (const nn::Backbone& backbone : nn::backbones()) {
    for (const calibrate::Order order : {calibrate::Order::right_to_left, calibrate::Order::dense}) {
      std::string expected;
      for (const std::size_t threads : {1u, 2u, 7u}) {
        const auto input = fixture.input(order, kernels::Threads(threads));
        TrainOptions options;
        options.network.backbone = &backbone;
        options.threads = threads;
        auto trainer = Trainer::make(fixture.task(input), options);
        ASSERT_TRUE(trainer.ok());
        for (int i = 0; i < 4; ++i) ASSERT_TRUE(trainer->step());
        if (threads == 1) expected = trainer->encode_checkpoint();
        EXPECT_EQ(trainer->encode_checkpoint(), expected) << backbone.name << ' ' << threads;
      }
    }
  }
}

TEST(TrainThreads, RunsSideBySideGiveWhatEachGivesAlone) {
  const Fixture fixture;
  const auto input = fixture.input(calibrate::Order::right_to_left, kernels::Threads(1));
  constexpr std::size_t kRuns = 5;
  const auto test_loss = [&](std::size_t run) {
    TrainOptions options;
    options.seed = run;
    options.epochs = 4;
    return Trainer::make(fixture.task(input), options)->run()->test.mean;
  };
  std::array<double, kRuns> together{};
  kernels::Threads(3).for_each(kRuns, [&](std::size_t run) { together[run] = test_loss(run); });
  for (std::size_t run = 0; run < kRuns; ++run) EXPECT_EQ(together[run], test_loss(run)) << run;
}

}  // namespace
}  // namespace ppgnn::train
