#include "ppgnn/train/model.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "ppgnn/nn/backbones.hpp"
#include "ppgnn/train/history.hpp"
#include "ppgnn/train/predict.hpp"
#include "support/dense_operator.hpp"
#include "support/graphs.hpp"

namespace ppgnn::train {
namespace {

TEST(Model, WritesReadsAndPredictsTheSame) {
  const auto graph = test::random_graph(40, 100, 1);
  const test::DenseOperator input(test::random_matrix(40, 7, 2));
  auto network = nn::Network::make(input, graph.view(), 3, {.backbone = nn::backbone_named("sage"), .hidden = 8});
  network->initialise(4);
  const auto expected = predict(*network, kernels::Threads(1));
  const Model model{.network = network->options(),
                    .inputs = 7,
                    .classes = 3,
                    .parameters = {network->parameters().begin(), network->parameters().end()},
                    .notes = R"({"seed":4})"};
  const auto path = std::filesystem::temp_directory_path() / "ppgnn_model_test" / "model.ppmodel";
  ASSERT_TRUE(write_model(model, path).ok());
  const auto read = read_model(path);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->notes, model.notes);
  EXPECT_EQ(read->parameters, model.parameters);

  auto other = nn::Network::make(input, graph.view(), 3, read->network);
  ASSERT_TRUE(load_parameters(*read, *other).ok());
  EXPECT_EQ(predict(*other, kernels::Threads(1)).probabilities, expected.probabilities);
  EXPECT_EQ(expected.classes.size(), 40u);

  auto wrong = nn::Network::make(input, graph.view(), 4, read->network);
  const auto refused = load_parameters(*read, *wrong);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::mismatch);
  std::filesystem::remove_all(path.parent_path());
  EXPECT_FALSE(read_model(path).ok());
}

Model tiny_model() {
  Model model{.network = {.hidden = 4}, .inputs = 2, .classes = 2, .parameters = {}, .notes = "{}"};
  model.parameters.assign(nn::parameter_count(model.network, 2, 2).value(), .5F);
  return model;
}

// Under a seal that fits: whoever writes a model file can compute a checksum.
TEST(Model, HostileNumbersAreRefusedBeforeMemoryFollows) {
  const auto refused = [](const Model& model) {
    const auto decoded = decode_model(encode_model(model));
    return !decoded.ok() && decoded.error().code == ErrorCode::malformed;
  };
  ASSERT_FALSE(refused(tiny_model()));
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  for (const std::size_t size : {std::size_t{0}, std::size_t{8}, std::size_t{1} << 62, kMost - 3, kMost}) {
    Model model = tiny_model();
    model.network.hidden = size;
    EXPECT_TRUE(refused(model)) << "hidden " << size;
    model = tiny_model();
    model.inputs = size;
    EXPECT_TRUE(refused(model)) << "inputs " << size;
    model = tiny_model();
    model.classes = size;
    EXPECT_TRUE(refused(model)) << "classes " << size;
    model = tiny_model();
    model.network.heads = size == 8 ? 17 : size;
    EXPECT_TRUE(refused(model)) << "heads " << size;
  }
  Model model = tiny_model();
  model.parameters.pop_back();
  EXPECT_TRUE(refused(model)) << "a parameter less";
  for (const float value : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    model = tiny_model();
    model.parameters.back() = value;
    EXPECT_TRUE(refused(model)) << value;
  }
  model = tiny_model();
  model.notes = "\xff";
  EXPECT_TRUE(refused(model)) << "notes that are not UTF-8";
}

TEST(Model, EveryTruncationAndFlippedByteIsRefused) {
  const Model model = tiny_model();
  const std::string good = encode_model(model);
  ASSERT_TRUE(decode_model(good).ok());
  for (std::size_t length = 0; length < good.size(); ++length) EXPECT_FALSE(decode_model(good.substr(0, length)).ok());
  for (std::size_t place = 0; place < good.size(); ++place) {
    std::string flipped = good;
    flipped[place] = static_cast<char>(flipped[place] ^ 0x10);
    EXPECT_FALSE(decode_model(flipped).ok()) << place;
  }
  EXPECT_FALSE(decode_model(good + "x").ok());
  std::string newer = good;
  newer[8] = 2;
  EXPECT_NE(decode_model(newer).error().message.find("version 2, this program reads 1"), std::string::npos);
}

TEST(History, IsCsvAndJson) {
  const std::vector<EpochRecord> history{{0, 1.5, 0.25, 1.25, 0.5}, {1, 0.1, 1, 0.2, 0.75}};
  EXPECT_EQ(history_csv(history),
            "epoch,train_loss,train_accuracy,validation_loss,validation_accuracy\n"
            "0,1.5,0.25,1.25,0.5\n"
            "1,0.1,1,0.2,0.75\n");
  EXPECT_EQ(history_json(history),
            R"([{"epoch":0,"train_loss":1.5,"train_accuracy":0.25,"validation_loss":1.25,"validation_accuracy":0.5},)"
            "\n"
            R"({"epoch":1,"train_loss":0.1,"train_accuracy":1,"validation_loss":0.2,"validation_accuracy":0.75}])"
            "\n");
  EXPECT_EQ(history_json({}), "[]\n");
}

}  // namespace
}  // namespace ppgnn::train
