#include "ppgnn/graph/musae.hpp"

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace ppgnn::graph {
namespace {

constexpr const char* kEdges = "id_1,id_2\n0,1\n1,2\n2,2\n1,0\n";
constexpr const char* kTarget = "id,page,type\n2,\"a, \"\"b\"\"\",tv\n0,中国,company\n1,x,tv\n";
constexpr const char* kFeatures = R"({"1": [3, 0], "0": []})";

Result<Dataset> parse_texts(const char* edges, const char* target, const char* features) {
  return parse_musae({{"e.csv", edges}, {"t.csv", target}, io::NamedBytes{"f.json", features}}, "m");
}

std::string musae_message(const char* edges, const char* target, const char* features) {
  const auto dataset = parse_texts(edges, target, features);
  return dataset ? std::string("accepted") : dataset.error().message;
}

TEST(Musae, ReadsTheThreeFiles) {
  const auto dataset = parse_texts(kEdges, kTarget, kFeatures);
  ASSERT_TRUE(dataset) << dataset.error().message;
  ASSERT_TRUE(check(*dataset));
  EXPECT_EQ(std::vector(dataset->labels.begin(), dataset->labels.end()), (std::vector<std::int32_t>{0, 1, 1}));
  EXPECT_EQ(dataset->class_names[1], "tv");
  EXPECT_EQ(dataset->graph.nonzeros(), 5u);  // 0-1, 1-2 both ways, the loop once
  EXPECT_EQ(dataset->features.cols(), 4u);
  EXPECT_EQ(dataset->features.nonzeros(), 2u);
  EXPECT_TRUE(dataset->features.values().empty());
  EXPECT_EQ(dataset->features.schema().origin, SchemaOrigin::declared);
}

TEST(Musae, ClassesAreThoseThatOccur) {
  const auto dataset = parse_texts(kEdges, "id,class\n0,4000000000\n1,\n2,1\n", kFeatures);
  ASSERT_TRUE(dataset) << dataset.error().message;
  EXPECT_EQ(std::vector(dataset->labels.begin(), dataset->labels.end()), (std::vector<std::int32_t>{1, -1, 0}));
  ASSERT_EQ(dataset->num_classes(), 2u);
  EXPECT_EQ(dataset->class_names[0], "1");
}

TEST(Musae, EdgesWithoutAHeaderLoseNothing) {
  const auto dataset = parse_texts("0,1\n1,2\n", kTarget, kFeatures);
  ASSERT_TRUE(dataset) << dataset.error().message;
  EXPECT_EQ(dataset->graph.nonzeros(), 4u);
}

TEST(Musae, FeaturesMayBeMissing) {
  const auto dataset = parse_musae({{"e.csv", kEdges}, {"t.csv", kTarget}, std::nullopt}, "m");
  ASSERT_TRUE(dataset);
  EXPECT_EQ(dataset->features.cols(), 0u);
  EXPECT_TRUE(check(*dataset));
}

TEST(Musae, ReadsFiles) {
  const test::TemporaryFolder folder;
  test::write_content(folder / "e.csv", kEdges);
  test::write_content(folder / "t.csv", kTarget);
  test::write_content(folder / "f.json", kFeatures);
  EXPECT_TRUE(read_musae({folder / "e.csv", folder / "t.csv", folder / "f.json"}, "m"));
  EXPECT_NE(read_musae({folder / "e.csv", folder / "t.csv", folder / "g.json"}, "m").error().message.find("g.json"),
            std::string::npos);
}

TEST(Musae, ErrorsNameFileAndLine) {
  EXPECT_EQ(musae_message("a,b\n0,1\n0,3\n", kTarget, kFeatures), "e.csv:3: not two node numbers below 3");
  EXPECT_EQ(musae_message("a,b\n0,1,2\n", kTarget, kFeatures), "e.csv:2: not two node numbers below 3");
  EXPECT_EQ(musae_message("a,b\n0,-1\n", kTarget, kFeatures), "e.csv:2: not two node numbers below 3");
  EXPECT_EQ(musae_message(kEdges, "id,type\n0,a\n0,b\n", kFeatures),
            "t.csv:3: node 0 is not below the number of lines (2) or occurs twice");
  EXPECT_EQ(musae_message(kEdges, "id,type\n4000000000,a\n", kFeatures),
            "t.csv:2: node 4000000000 is not below the number of lines (1) or occurs twice");
  EXPECT_EQ(musae_message(kEdges, "id,type\n0\n", kFeatures), "t.csv:2: not 2 fields that start with a node number");
  EXPECT_EQ(musae_message(kEdges, "id\n0\n", kFeatures), "t.csv:1: the header needs at least a node and a class");
  EXPECT_EQ(musae_message(kEdges, "id,type\n0,\"a\n", kFeatures), "t.csv:2: a quoted field never ends");
}

TEST(Musae, RefusesOtherJson) {
  EXPECT_EQ(musae_message(kEdges, kTarget, R"({"1": [3, )"), "f.json: byte 11: this is not JSON");
  for (const char* json : {"",
                           "[]",
                           "1",
                           "null",
                           R"({"1": 1})",
                           R"({"1": {"a": 1}})",
                           R"({"1": [[1]]})",
                           R"({"1": [-1]})",
                           R"({"1": [1.5]})",
                           R"({"1": ["1"]})",
                           R"({"3": [1]})",
                           R"({"x": [1]})",
                           R"({"1": [1], "1": [2]})",
                           R"({"1": [1, 1]})",
                           R"({"1": [null]})",
                           R"({"1": [true]})",
                           R"({"1": [99999]})",
                           R"({"1": [18446744073709551616]})",
                           R"({"1": [1]} x)",
                           "{\"1\xff\": [1]}"}) {
    const std::string error = musae_message(kEdges, kTarget, json);
    EXPECT_TRUE(error.starts_with("f.json: ")) << json << ": " << error;
  }
  EXPECT_EQ(musae_message(kEdges, kTarget, "{}"), "accepted");
}

TEST(Musae, NestingCannotExhaustTheStack) {
  const std::string deep = R"({"1": )" + std::string(1000000, '[');
  EXPECT_NE(musae_message(kEdges, kTarget, deep.c_str()), "accepted");
}

}  // namespace
}  // namespace ppgnn::graph
