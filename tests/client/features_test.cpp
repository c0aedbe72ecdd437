#include "ppgnn/client/features.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ppgnn/client/ppgnn_client.h"
#include "ppgnn/core/sha256.hpp"
#include "support/feature_cases.hpp"

namespace ppgnn::client {
namespace {

const nlohmann::json& cases() {
  static const nlohmann::json kCases =
      test::feature_cases(std::string(PPGNN_SOURCE_DIR) + "/tests/client/feature_cases.json");
  return kCases;
}

// The bytes of a case: text, often repeated, or hexadecimal digits.
std::string bytes_of(const nlohmann::json& one) {
  if (one.contains("hex")) {
    const auto bytes = from_hex(one.at("hex").get<std::string>());
    return {bytes.value().begin(), bytes.value().end()};
  }
  std::string bytes;
  for (int i = one.value("times", 1); i > 0; --i) bytes += one.at("text").get<std::string>();
  return bytes;
}

TEST(Features, AreReadAsTheCasesSay) {
  const auto plans = test::feature_plans(cases());
  for (const auto& one : cases().at("cases")) {
    SCOPED_TRACE(one.dump());
    const auto read = read_features(bytes_of(one), plans.at(one.at("plan")).schema());
    if (one.contains("error")) {
      EXPECT_EQ(read ? "read" : read.error().message, one.at("error").get<std::string>());
      continue;
    }
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->columns, one.at("columns").get<std::vector<std::uint32_t>>());
    EXPECT_EQ(read->values, one.at("values").get<std::vector<float>>());
  }
}

TEST(Features, ComeThroughTheCInterfaceInBuffersOfTheCaller) {
  const auto plans = test::feature_plans(cases());
  const std::string& plan = plans.at("many").text();
  ppgnn_client* client = nullptr;
  ASSERT_EQ(ppgnn_open(plan.data(), plan.size(), &client, nullptr, 0), PPGNN_OK);
  const auto read = [&](const std::string& file, std::uint32_t* columns, float* values, std::size_t capacity,
                        std::size_t* count) {
    return ppgnn_read_features(client, file.data(), file.size(), columns, values, capacity, count);
  };
  std::size_t count = 7;
  std::uint32_t columns[3] = {};
  float values[3] = {};
  EXPECT_EQ(read("age,41\nword.3,1\nheight,180", nullptr, nullptr, 0, &count), PPGNN_TOO_SMALL);
  EXPECT_EQ(count, 3u);
  EXPECT_EQ(read("age,41\nword.3,1\nheight,180", columns, values, 2, &count), PPGNN_TOO_SMALL);
  EXPECT_EQ(columns[0] + columns[1], 0u);
  EXPECT_EQ(read("age,41\nword.3,1\nheight,180", columns, values, 3, &count), PPGNN_OK);
  EXPECT_EQ(std::vector<std::uint32_t>(columns, columns + 3), (std::vector<std::uint32_t>{3, 100, 101}));
  EXPECT_EQ(std::vector<float>(values, values + 3), (std::vector<float>{1, 41, 180}));
  EXPECT_EQ(read("[]", nullptr, nullptr, 0, &count), PPGNN_OK);
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(read("[1", columns, values, 3, &count), PPGNN_MALFORMED);
  EXPECT_STREQ(ppgnn_error(client), "line 1: this is not JSON");
  EXPECT_EQ(ppgnn_read_features(client, nullptr, 0, columns, values, 3, &count), PPGNN_INVALID_ARGUMENT);
  ppgnn_close(client);
}

// No value, and no name that stands in the file, is in any sentence.
TEST(Features, SentencesHoldNothingOfTheFile) {
  const auto plans = test::feature_plans(cases());
  for (const std::string file :
       {"secret,77\nheight,1\n", "column,value\nage,77secret\n", "age,secret,height\n77,77,77\n", "{\"secret\": 77}",
        "{\"age\": \"77secret\"}", "77secret", "77;secret;77\n77;77;77\n"}) {
    const auto read = read_features(file, plans.at("many").schema());
    ASSERT_FALSE(read) << file;
    EXPECT_EQ(read.error().message.find("secret"), std::string::npos) << read.error().message;
    EXPECT_EQ(read.error().message.find("77"), std::string::npos) << read.error().message;
  }
}

// Cut anywhere, a file is read or refused.
TEST(Features, AreReadOrRefusedWhereverAFileEnds) {
  const auto plans = test::feature_plans(cases());
  for (const auto& one : cases().at("cases")) {
    const std::string bytes = bytes_of(one).substr(0, 200);
    const ldp::Schema& schema = plans.at(one.at("plan")).schema();
    for (std::size_t size = 0; size <= bytes.size(); ++size) {
      const auto read = read_features(bytes.substr(0, size), schema);
      EXPECT_TRUE(read ? read->row().fits(schema.dim()) : !read.error().message.empty());
    }
  }
}

}  // namespace
}  // namespace ppgnn::client
