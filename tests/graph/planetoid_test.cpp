#include "ppgnn/graph/planetoid.hpp"

#include <gtest/gtest.h>

#include <map>

#include "support/datasets.hpp"
#include "support/dense_features.hpp"
#include "support/pickles.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::graph {
namespace {

// Five nodes: 0 and 1 in allx, 4 and 2 tested in this order, 3 left out of tx as in CiteSeer; 2 has no class.
std::map<std::string, std::string> tiny_planetoid() {
  return {{"allx", test::matrix_pickle(2, 3, {0, 2, 3}, {2, 0, 1}, {1, 1, 1})},
          {"ally", test::label_pickle(2, 2, {1, 0, 0, 1})},
          {"tx", test::matrix_pickle(2, 3, {0, 1, 2}, {1, 2}, {1, 1})},
          {"ty", test::label_pickle(2, 2, {0, 1, 0, 0})},
          {"graph", test::graph_pickle({{1, 1, 4}, {0}, {2, 0}, {}, {0}})},
          {"test.index", "4\n2\n"}};
}

Result<Dataset> parse_parts(const std::map<std::string, std::string>& files) {
  const auto file = [&](const char* part) { return io::NamedBytes{std::string("ind.t.") + part, files.at(part)}; };
  return parse_planetoid({file("allx"), file("ally"), file("tx"), file("ty"), file("graph"), file("test.index")}, "t");
}

std::string planetoid_message(const std::string& part, const std::string& bytes) {
  auto files = tiny_planetoid();
  files[part] = bytes;
  const auto dataset = parse_parts(files);
  return dataset ? std::string("accepted") : dataset.error().message;
}

TEST(Planetoid, PutsTheTestRowsInTheirPlaces) {
  const auto dataset = parse_parts(tiny_planetoid());
  ASSERT_TRUE(dataset) << dataset.error().message;
  ASSERT_TRUE(check(*dataset));
  EXPECT_EQ(std::vector(dataset->labels.begin(), dataset->labels.end()), (std::vector<std::int32_t>{0, 1, -1, -1, 1}));
  EXPECT_EQ(test::dense(dataset->features, FeatureScale::raw),
            (std::vector<float>{1, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}));
  EXPECT_EQ(dataset->graph.nonzeros(), 6u);  // 0-1, 0-4, 0-2; the loop at 2 is left out
  EXPECT_EQ(dataset->notes.size(), 1u);
  EXPECT_EQ(dataset->num_classes(), 2u);
}

TEST(Planetoid, AColumnThatNobodyHasIsNoClass) {
  auto files = tiny_planetoid();
  files["ally"] = test::label_pickle(2, 4, {0, 1, 0, 0, 0, 0, 0, 1});
  files["ty"] = test::label_pickle(2, 4, {0, 1, 0, 0, 0, 0, 0, 0});
  const auto dataset = parse_parts(files);
  ASSERT_TRUE(dataset) << dataset.error().message;
  EXPECT_EQ(std::vector(dataset->labels.begin(), dataset->labels.end()), (std::vector<std::int32_t>{0, 1, -1, -1, 0}));
  ASSERT_EQ(dataset->num_classes(), 2u);
  EXPECT_EQ(dataset->class_names[0], "1");
  EXPECT_EQ(dataset->class_names[1], "3");
}

TEST(Planetoid, ReadsAFolder) {
  const test::TemporaryFolder folder;
  for (const auto& [part, bytes] : tiny_planetoid()) test::write_content(folder / ("ind.t." + part), bytes);
  const auto dataset = read_planetoid(folder / "", "t");
  ASSERT_TRUE(dataset) << dataset.error().message;
  EXPECT_EQ(dataset->num_nodes(), 5u);
  std::filesystem::remove(folder / "ind.t.ty");
  EXPECT_NE(read_planetoid(folder / "", "t").error().message.find("ind.t.ty"), std::string::npos);
}

TEST(Planetoid, ErrorsNameTheFile) {
  EXPECT_EQ(planetoid_message("test.index", "4\nx\n"),
            "ind.t.test.index:2: not a test node from 2 to below 5, or a repeated one");
  EXPECT_EQ(planetoid_message("test.index", "4\n4\n"),
            "ind.t.test.index:2: not a test node from 2 to below 5, or a repeated one");
  EXPECT_EQ(planetoid_message("test.index", "4\n1\n"),
            "ind.t.test.index:2: not a test node from 2 to below 5, or a repeated one");
  EXPECT_EQ(planetoid_message("test.index", "4\n99999999999999\n"),
            "ind.t.test.index:2: not a test node from 2 to below 5, or a repeated one");
  EXPECT_NE(planetoid_message("test.index", "4\n").find("same nodes"), std::string::npos);
  EXPECT_NE(planetoid_message("allx", "garbage").find("ind.t.allx: byte 0"), std::string::npos);
  EXPECT_EQ(planetoid_message("allx", tiny_planetoid()["ally"]), "ind.t.allx: it does not hold a csr_matrix");
  EXPECT_EQ(planetoid_message("ally", tiny_planetoid()["allx"]), "ind.t.ally: it does not hold a matrix of labels");
  EXPECT_EQ(planetoid_message("graph", tiny_planetoid()["ally"]), "ind.t.graph: it does not hold a dict of neighbours");
  EXPECT_EQ(planetoid_message("ally", test::label_pickle(2, 2, {1, 1, 0, 1})), "ind.t.ally: row 0 is not one-hot");
  EXPECT_EQ(planetoid_message("ally", test::label_pickle(2, 2, {2, 0, 0, 1})), "ind.t.ally: row 0 is not one-hot");
  EXPECT_EQ(planetoid_message("graph", test::graph_pickle({{1}, {0}, {9}, {}, {}})),
            "ind.t.graph: entry 2 has a neighbour that is no node");
  EXPECT_EQ(planetoid_message("allx", test::matrix_pickle(2, 3, {0, 2, 1}, {2, 0, 1}, {1, 1, 1})),
            "ind.t.allx: row 1 of indptr is wrong");
  EXPECT_NE(planetoid_message("allx", test::matrix_pickle(2, 3, {0, 2, 3}, {2, 0, 3}, {1, 1, 1}))
                .find("row 1 has a column outside"),
            std::string::npos);
  EXPECT_NE(planetoid_message("allx", test::matrix_pickle(2, 2000000000, {0, 2, 3}, {2, 0, 1}, {1, 1, 1}))
                .find("larger than the file"),
            std::string::npos);
  EXPECT_NE(planetoid_message("allx", test::matrix_pickle(2, 3, {0, 2, 3}, {2, 2, 1}, {1, 1, 1})).find("occurs twice"),
            std::string::npos);
}

// A list that many entries share could make a small file large.
TEST(Planetoid, SharedListsAreBounded) {
  std::string code = "ccollections\ndefaultdict\nc__builtin__\nlist\n\x85R(";
  code += test::number(0) + "](";
  for (int i = 0; i < 300; ++i) code += "K\x01";
  code += "eq\x01";
  for (int node = 1; node < 300; ++node) code += test::number(node) + "h\x01";
  EXPECT_NE(planetoid_message("graph", test::whole(code + "u")).find("repeats a list too often"), std::string::npos);
}

}  // namespace
}  // namespace ppgnn::graph
