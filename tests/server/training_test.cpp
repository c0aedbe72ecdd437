#include "ppgnn/server/training.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>

#include "ppgnn/graph/generator.hpp"
#include "ppgnn/io/sealed_bytes.hpp"
#include "ppgnn/simulate/source.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::server {
namespace {

struct Collected {
  graph::Dataset data;
  Problem problem;
  calibrate::Collected collected;
  graph::Split split;
  PipelineOptions options;

  Collected() {
    graph::SocialOptions social;
    social.nodes = 200;
    data = graph::generate_social(social).value();
    problem = Problem::make(data).value();
    collected = simulate::clean(problem, data.features).value();
    split = graph::make_split(data, 1, 0).value();
    options.hops = 1;
    options.scales = {.1, 1};
    options.training.epochs = 12;
  }
  [[nodiscard]] Result<Trained> train(const CheckpointOptions& keep, const train::Hooks& hooks = {}) const {
    return calibrate_and_train(problem, collected, split, options, hooks, keep);
  }
};

// Stopped after every number of epochs in all, in either scale, and resumed.
TEST(Pipeline, StoppedAnywhereAndResumedGivesTheSameBits) {
  const Collected fixture;
  const Trained whole = fixture.train({}).value();
  for (int last = 1; last <= 24; ++last) {
    const test::TemporaryFolder folder;
    std::atomic<bool> stop = false;
    int done = 0;
    train::Hooks hooks;
    hooks.stop = &stop;
    hooks.progress = [&](const train::EpochRecord&) { stop = ++done == last; };
    CheckpointOptions keep{folder / "state", 0, false};
    const Trained stopped = fixture.train(keep, hooks).value();
    EXPECT_TRUE(stopped.stopped);
    EXPECT_EQ(done, last);
    EXPECT_EQ(stopped.predictions.classes.size(), 200u);
    keep.resume = true;
    const Trained resumed = fixture.train(keep).value();
    EXPECT_FALSE(resumed.stopped);
    EXPECT_EQ(resumed.parameters, whole.parameters) << last;
    EXPECT_EQ(resumed.predictions.probabilities, whole.predictions.probabilities) << last;
    EXPECT_EQ(resumed.history, whole.history) << last;
    EXPECT_EQ(resumed.scale, whole.scale) << last;
    EXPECT_EQ(resumed.epochs, 24u);
  }
}

TEST(Pipeline, NoFiniteLossIsAnErrorOfItsOwn) {
  Collected fixture;
  fixture.options.training.adam.learning_rate = 1e38;
  const Result<Trained> trained = fixture.train({});
  ASSERT_FALSE(trained.ok());
  EXPECT_EQ(trained.error().code, ErrorCode::diverged);
  EXPECT_TRUE(trained.error().message.starts_with("training: ")) << trained.error().message;
}

TEST(Pipeline, TheStateIsKeptEverySoManyEpochs) {
  const Collected fixture;
  const test::TemporaryFolder folder;
  std::vector<std::string> states;
  train::Hooks hooks;
  hooks.progress = [&](const train::EpochRecord&) { states.push_back(test::content_of(folder / "state")); };
  ASSERT_TRUE(fixture.train({folder / "state", 5, false}, hooks).ok());
  ASSERT_EQ(states.size(), 24u);
  for (std::size_t epoch = 1; epoch < 12; ++epoch) {
    EXPECT_EQ(states[epoch] != states[epoch - 1], epoch == 5 || epoch == 10) << epoch;
  }
}

TEST(Pipeline, DamagedCheckpointsAreRefused) {
  const Collected fixture;
  const test::TemporaryFolder folder;
  CheckpointOptions keep{folder / "state", 0, false};
  ASSERT_TRUE(fixture.train(keep).ok());
  const std::string good = test::content_of(folder / "state");
  keep.resume = true;
  const auto code_of = [&](const std::string& bytes) {
    test::write_content(folder / "state", bytes);
    const auto trained = fixture.train(keep);
    EXPECT_EQ(test::content_of(folder / "state") == bytes, !trained.ok());
    return trained.ok() ? ErrorCode::io : trained.error().code;
  };
  for (std::size_t length = 0; length < good.size(); length += 4999) {
    EXPECT_EQ(code_of(good.substr(0, length)), ErrorCode::malformed) << length;
  }
  for (std::size_t place = 0; place < good.size(); place += 5003) {
    std::string flipped = good;
    flipped[place] = static_cast<char>(flipped[place] ^ 1);
    EXPECT_EQ(code_of(flipped), ErrorCode::malformed) << place;
  }
  // More scales than there are, or a number of them that no file holds, under a seal that fits.
  const std::string content(io::unseal("PPGNNSCL", 1, good).value());
  io::Reader reader(content);
  std::size_t place = 0;
  for (int text = 0; text < 3; ++text) place += sizeof(std::uint64_t) + reader.text().size();
  for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{1000}, ~std::uint64_t{0}}) {
    std::string changed = content;
    std::memcpy(changed.data() + place, &count, sizeof count);
    EXPECT_EQ(code_of(io::seal("PPGNNSCL", 1, changed)), ErrorCode::malformed) << count;
  }
  test::write_content(folder / "state", good);
  EXPECT_TRUE(fixture.train(keep).ok());
}

}  // namespace
}  // namespace ppgnn::server
