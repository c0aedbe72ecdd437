#include "ppgnn/graph/plain.hpp"

#include <gtest/gtest.h>

#include "support/arrays.hpp"
#include "support/dense_features.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::graph {
namespace {

Result<Dataset> parse_texts(const std::string& edges, const std::optional<std::string>& labels = {},
                            const std::optional<std::string>& features = {}) {
  PlainFiles files{{"edges", edges}, {}, {}};
  if (labels) files.labels = io::NamedBytes{"labels", *labels};
  if (features) files.features = io::NamedBytes{"features", *features};
  return parse_plain(files, "p");
}

std::string plain_message(const std::string& edges, const std::optional<std::string>& labels = {},
                          const std::optional<std::string>& features = {}) {
  const auto dataset = parse_texts(edges, labels, features);
  return dataset ? std::string("accepted") : dataset.error().message;
}

std::vector<std::int32_t> labels_of(const Dataset& dataset) {
  return {dataset.labels.begin(), dataset.labels.end()};
}

TEST(Plain, EdgesAloneKeepTheirNumbers) {
  const auto dataset = parse_texts("# a SNAP list\n9 4000000000000\n9 7\n");
  ASSERT_TRUE(dataset) << dataset.error().message;
  ASSERT_TRUE(check(*dataset));
  EXPECT_EQ(dataset->num_nodes(), 3u);
  EXPECT_EQ(dataset->nodes.name(0), "7");
  EXPECT_EQ(dataset->nodes.find("4000000000000"), 2u);
  EXPECT_EQ(dataset->graph.row(1).size(), 2u);
  EXPECT_EQ(dataset->labels[0], kUnknown);
}

TEST(Plain, NumberedNodesHaveNoNamesOfTheirOwn) {
  const auto dataset = parse_texts("source,target\n0,1\n2,1\n");
  ASSERT_TRUE(dataset);
  EXPECT_TRUE(dataset->nodes.names().empty());
  EXPECT_EQ(dataset->num_nodes(), 3u);
}

TEST(Plain, LabelsAndFeaturesAreJoinedByName) {
  const auto dataset = parse_texts("from\tto\nann\tbob\nbob\tcy\n", "node,class\nbob,red\nann,\ncy,blue\n",
                                   "node,age,member\nann,30,1\ncy,0,0\nbob,20,1\n");
  ASSERT_TRUE(dataset) << dataset.error().message;
  ASSERT_TRUE(check(*dataset));
  EXPECT_EQ(dataset->nodes.name(0), "bob");
  EXPECT_EQ(labels_of(*dataset), (std::vector<std::int32_t>{1, -1, 0}));
  EXPECT_EQ(dataset->class_names[0], "blue");
  EXPECT_EQ(dataset->features.schema().names[0], "age");
  EXPECT_EQ(test::dense(dataset->features, FeatureScale::raw), (std::vector<float>{20, 1, 30, 1, 0, 0}));
  EXPECT_EQ(dataset->graph.row(0).size(), 2u);
}

TEST(Plain, ReadsNumpyLabelsAndFeatures) {
  const std::string labels = test::npy_list<std::int64_t>("<i8", {5, -1, 2});
  for (const bool by_row : {true, false}) {
    const std::string features = by_row ? test::npy<float>("<f4", "(3, 2)", {1, 0, 0, .5F, 0, 0})
                                        : test::npy<float>("<f4", "(3, 2)", {1, 0, 0, 0, .5F, 0}, "True");
    const auto dataset = parse_texts("0,1\n", labels, features);
    ASSERT_TRUE(dataset) << dataset.error().message;
    EXPECT_EQ(labels_of(*dataset), (std::vector<std::int32_t>{1, -1, 0}));
    EXPECT_EQ(dataset->class_names[1], "5");
    EXPECT_EQ(test::dense(dataset->features, FeatureScale::raw), (std::vector<float>{1, 0, 0, .5F, 0, 0}));
  }
}

TEST(Plain, ClassesAreThoseThatOccur) {
  for (const std::string& labels :
       {std::string("node,class\n0,4000000000\n1,\n2,1\n"), test::npy_list<std::int64_t>("<i8", {4000000000, -1, 1})}) {
    const auto dataset = parse_texts("0,1\n", labels);
    ASSERT_TRUE(dataset) << dataset.error().message;
    EXPECT_EQ(labels_of(*dataset), (std::vector<std::int32_t>{1, -1, 0}));
    ASSERT_EQ(dataset->num_classes(), 2u);
    EXPECT_EQ(dataset->class_names[0], "1");
    EXPECT_EQ(dataset->class_names[1], "4000000000");
  }
}

TEST(Plain, FeaturesAloneNameTheNodes) {
  const auto dataset = parse_texts("a b\n", std::nullopt, "node,x\nb,1\na,0\n");
  ASSERT_TRUE(dataset) << dataset.error().message;
  EXPECT_EQ(dataset->nodes.find("a"), 1u);
}

TEST(Plain, ErrorsNameFileAndLine) {
  EXPECT_EQ(plain_message("0 1\n0 x\n"),
            "edges:2: not two whole numbers (only a labels or features file can name nodes by text)");
  EXPECT_EQ(plain_message("0 1\n0\n"), "edges:2: not two nodes");
  EXPECT_EQ(plain_message("0 1 2\n"),
            "edges:1: 3 fields, and no header says which two are the nodes: call them source and target");
  EXPECT_EQ(plain_message("source,target,weight\n0,1\n"), "edges:2: not 3 fields, as the first line has");
  EXPECT_EQ(plain_message("h,h\na,b\n", "node,class\na,1\n"), "edges:2: 'b' is no node");
  EXPECT_EQ(plain_message("a,b\n", "node,class\na,1\n"), "edges:1: 'b' is no node");
  EXPECT_EQ(plain_message("a,a\n", "node,class\na,1\na,2\n"), "labels:3: node 'a' occurs twice");
  EXPECT_EQ(plain_message("a,a\n", "node,class\na\n"), "labels:2: it has 1 fields, the header 2");
  EXPECT_EQ(plain_message("a,a\n", "node\na\n"), "labels:1: the header needs a node and at least one more field");
  EXPECT_EQ(plain_message("a,a\n", ""), "labels:1: the header is missing");
  EXPECT_EQ(plain_message("a,a\n", "node,class\na,1\n", "node,x\na,?\n"), "features:2: column 'x' is no number");
  EXPECT_EQ(plain_message("a,a\n", "node,class\na,1\n", "node,x\nb,1\n"), "features: node 'b' has no label line");
  EXPECT_EQ(plain_message("a,a\n", "node,class\na,1\n", "node,x\na,1\nb,1\n"),
            "features: it has 2 rows for 1 labelled nodes");
  EXPECT_NE(plain_message("0,1\n", std::nullopt, test::npy_list<float>("<f4", {1})).find("matrix"), std::string::npos);
  EXPECT_NE(plain_message("0,1\n", test::npy<float>("<f4", "(1, 1)", {1})).find("one dimension"), std::string::npos);
  EXPECT_NE(plain_message("0,0\n", test::npy<float>("<f4", "(1,)", {.5F})).find("no class number"), std::string::npos);
  EXPECT_NE(plain_message("a,a\n", "node,class\na,1\n", "node,x\na,1e300\n").find("not a finite number"),
            std::string::npos);
}

TEST(Plain, WeightedAndIndexedEdges) {
  const auto read = [](const std::string& edges) { return parse_plain({{"edges.csv", edges}, {}, {}}, "a"); };
  const std::string note = " of edges.csv was not read (every edge counts the same)";
  const std::vector<std::pair<std::string, std::string>> lists{
      {"source,target,weight\n0,1,.5\n1,2,3\n", "weight" + note},
      {",source,target\n0,0,1\n1,1,2\n", "the index" + note},
      {",a,b\n0,0,1\n1,1,2\n", "the index" + note},
      {"id\tfrom\tto\n7\t0\t1\n8\t1\t2\n", "id" + note},
      {"0 1 {}\n1 2 {'weight': 3, 'since': 4}\n", "attributes" + note},
  };
  for (const auto& [list, said] : lists) {
    const auto dataset = read(list);
    ASSERT_TRUE(dataset) << list << dataset.error().message;
    EXPECT_EQ(dataset->num_nodes(), 3u) << list;
    EXPECT_EQ(dataset->graph.nonzeros(), 4u) << list;
    EXPECT_EQ(dataset->notes, std::vector<std::string>{said}) << list;
  }
}

TEST(Plain, ColumnsAfterTheClassAreNamed) {
  const auto dataset = parse_texts("a,a\n", "node,class,split,age\na,1,train,30\n");
  ASSERT_TRUE(dataset) << dataset.error().message;
  EXPECT_EQ(dataset->notes,
            (std::vector<std::string>{"age and split of labels were not read (its first two columns are)"}));
  EXPECT_TRUE(parse_texts("a,a\n", "node,class\na,1\n")->notes.empty());
}

TEST(Plain, ReadsFiles) {
  const test::TemporaryFolder folder;
  test::write_content(folder / "town/edges.txt", "0 1\n");
  test::write_content(folder / "town/labels.csv", "node,class\n0,a\n1,b\n");
  test::write_content(folder / "town/features.npy", test::npy<float>("<f4", "(2, 1)", {1, 0}));
  const auto dataset =
      read_plain({folder / "town/edges.txt", folder / "town/labels.csv", folder / "town/features.npy"}, "town");
  ASSERT_TRUE(dataset) << dataset.error().message;
  EXPECT_EQ(dataset->name, "town");
  EXPECT_EQ(dataset->features.nonzeros(), 1u);
  EXPECT_EQ(dataset->num_classes(), 2u);
  EXPECT_NE(read_plain({folder / "town/edges.csv", {}, {}}, "town").error().message.find("edges.csv"),
            std::string::npos);
}

}  // namespace
}  // namespace ppgnn::graph
