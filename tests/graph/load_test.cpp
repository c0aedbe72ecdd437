#include "ppgnn/graph/load.hpp"

#include <gtest/gtest.h>

#include "ppgnn/graph/stored_graph.hpp"
#include "support/arrays.hpp"
#include "support/datasets.hpp"
#include "support/pickles.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::graph {
namespace {

TEST(Load, TakesEveryFormByPath) {
  const test::TemporaryFolder folder;
  ASSERT_TRUE(write_stored_graph(test::small_dataset(), folder / "small.ppgraph"));
  test::write_content(folder / "plain/edges.csv", "0,1\n1,2\n");
  test::write_content(folder / "musae/town_edges.csv", "a,b\n0,1\n");
  test::write_content(folder / "musae/town_target.csv", "id,class\n0,x\n1,y\n");
  test::write_content(folder / "musae/town.json", R"({"0": [1]})");
  test::write_content(folder / "planetoid/ind.t.allx", test::matrix_pickle(1, 1, {0, 1}, {0}, {1}));
  test::write_content(folder / "planetoid/ind.t.ally", test::label_pickle(1, 2, {1, 0}));
  test::write_content(folder / "planetoid/ind.t.tx", test::matrix_pickle(1, 1, {0, 0}, {}, {}));
  test::write_content(folder / "planetoid/ind.t.ty", test::label_pickle(1, 2, {0, 1}));
  test::write_content(folder / "planetoid/ind.t.graph", test::graph_pickle({{1}, {0}}));
  test::write_content(folder / "planetoid/ind.t.test.index", "1\n");
  test::write_content(folder / "a.npz", test::zip_archive({{"adj_data.npy", test::npy_list<float>("<f4", {1})},
                                                           {"adj_indices.npy", test::npy_list<float>("<f4", {1})},
                                                           {"adj_indptr.npy", test::npy_list<float>("<f4", {0, 1, 1})},
                                                           {"adj_shape.npy", test::npy_list<float>("<f4", {2, 2})}},
                                                          ZIP_CM_STORE));
  const std::pair<const char*, std::size_t> expected[] = {
      {"small.ppgraph", 4}, {"plain", 3}, {"musae", 2}, {"planetoid", 2}, {"a.npz", 2}};
  for (const auto& [name, nodes] : expected) {
    const auto dataset = load((folder / name).string(), {});
    ASSERT_TRUE(dataset) << name << ": " << dataset.error().message;
    EXPECT_EQ(dataset->num_nodes(), nodes) << name;
  }
  EXPECT_EQ(load((folder / "musae").string(), {})->name, "town");
}

TEST(Load, MissingFeaturesAreRefusedUnlessAccepted) {
  const test::TemporaryFolder folder;
  test::write_content(folder / "town_edges.csv", "a,b\n0,0\n");
  test::write_content(folder / "town_target.csv", "id,class\n0,x\n");
  EXPECT_FALSE(load((folder / "").string(), {}));
  const auto accepted = load((folder / "").string(), {{}, MissingFeatures::accept});
  ASSERT_TRUE(accepted) << accepted.error().message;
  EXPECT_EQ(accepted->notes.size(), 1u);
}

std::vector<std::string> notes_of(const std::filesystem::path& folder) {
  const auto dataset = load(folder.string(), {{}, MissingFeatures::accept});
  return dataset ? dataset->notes : std::vector<std::string>{dataset.error().message};
}

TEST(Load, MusaeFilesNeedNoPrefix) {
  const test::TemporaryFolder folder;
  test::write_content(folder / "town/edges.csv", "a,b\n0,1\n");
  test::write_content(folder / "town/target.csv", "id,class\n0,x\n1,y\n");
  EXPECT_NE(load((folder / "town").string(), {}).error().message.find("features are missing"), std::string::npos);
  test::write_content(folder / "town/features.json", R"({"0": [1]})");
  const auto dataset = load((folder / "town/").string(), {});
  ASSERT_TRUE(dataset) << dataset.error().message;
  EXPECT_EQ(dataset->name, "town");
  EXPECT_EQ(dataset->num_classes(), 2u);
  EXPECT_EQ(dataset->features.cols(), 2u);
  EXPECT_TRUE(dataset->notes.empty());
  // Files of the plain form go before.
  test::write_content(folder / "town/labels.csv", "node,class\n0,p\n1,q\n");
  const auto plain = load((folder / "town").string(), {});
  ASSERT_TRUE(plain) << plain.error().message;
  EXPECT_EQ(plain->class_names[0], "p");
  EXPECT_EQ(plain->notes, (std::vector<std::string>{"features.json and target.csv were not read (the plain form takes "
                                                    "edges, labels and features)"}));
}

TEST(Load, MusaeFeaturesAreFoundByTheirName) {
  const test::TemporaryFolder folder;
  test::write_content(folder / "town_edges.csv", "a,b\n0,1\n");
  test::write_content(folder / "town_target.csv", "id,class\n0,x\n1,y\n");
  test::write_content(folder / "a.json", "{}");
  test::write_content(folder / "z.json", "{}");
  EXPECT_EQ(notes_of(folder.path()),
            (std::vector<std::string>{"features are missing: " + folder.path().string() +
                                          " has town_edges.csv and town_target.csv, but no .json file, or several",
                                      "a.json and z.json were not read (the MUSAE form takes one each of *_edges.csv, "
                                      "*_target.csv and *.json)"}));
  test::write_content(folder / "town_features.json", R"({"0": [1]})");
  const auto dataset = load(folder.path().string(), {});
  ASSERT_TRUE(dataset) << dataset.error().message;
  EXPECT_EQ(dataset->name, "town");
  EXPECT_EQ(dataset->features.cols(), 2u);
  EXPECT_EQ(dataset->notes.size(), 1u);
}

TEST(Load, SaysWhatAFolderHoldsBesides) {
  const test::TemporaryFolder folder;
  test::write_content(folder / "edges.csv", "0,1\n");
  for (const char* about : {".hidden", "README", "readme.txt", "LICENSE.txt", "notes.md"}) {
    test::write_content(folder / about, "");
  }
  EXPECT_TRUE(notes_of(folder.path()).empty());
  test::write_content(folder / "edges.txt", "");
  EXPECT_EQ(notes_of(folder.path()),
            (std::vector<std::string>{"edges.txt was not read (the plain form takes edges, labels and features)"}));
  test::write_content(folder / "label.csv", "");
  test::write_content(folder / "old/labels.csv", "");
  test::write_content(folder / "target.json", "");
  test::write_content(folder / "x.csv", "");
  EXPECT_EQ(notes_of(folder.path()), (std::vector<std::string>{"edges.txt, label.csv, old/ and 2 more were not read "
                                                               "(the plain form takes edges, labels and features)"}));
}

TEST(Load, PlanetoidRepeatsAreNotMissed) {
  const test::TemporaryFolder folder;
  test::write_content(folder / "ind.t.allx", test::matrix_pickle(1, 1, {0, 1}, {0}, {1}));
  test::write_content(folder / "ind.t.ally", test::label_pickle(1, 2, {1, 0}));
  test::write_content(folder / "ind.t.tx", test::matrix_pickle(1, 1, {0, 0}, {}, {}));
  test::write_content(folder / "ind.t.ty", test::label_pickle(1, 2, {0, 1}));
  test::write_content(folder / "ind.t.graph", test::graph_pickle({{1}, {0}}));
  test::write_content(folder / "ind.t.test.index", "1\n");
  test::write_content(folder / "ind.t.x", "");
  test::write_content(folder / "ind.t.y", "");
  EXPECT_TRUE(notes_of(folder.path()).empty());
  test::write_content(folder / "ind.u.x", "");
  EXPECT_EQ(notes_of(folder.path()),
            (std::vector<std::string>{"ind.u.x was not read (the Planetoid form takes ind.t.*)"}));
}

TEST(Load, GeneratesByName) {
  EXPECT_EQ(load("synthetic:social,nodes=50", {})->num_nodes(), 50u);
  EXPECT_EQ(load("synthetic:social,nodes=-1", {}).error().code, ErrorCode::invalid_argument);
}

TEST(Load, SaysWhatItKnows) {
  const auto unknown = load("corra", {});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message,
            "'corra' is neither a data set (cora, citeseer, pubmed, lastfm, facebook, wikipedia, lastfm-subset, "
            "synthetic:social) nor a path; did you mean cora?");
  EXPECT_EQ(load("cora", {}).error().message, "cora needs a data folder: set PPGNN_DATA or pass --data-dir");
  const test::TemporaryFolder folder;
  EXPECT_NE(load((folder / "").string(), {}).error().message.find("holds no data set"), std::string::npos);
  EXPECT_NE(load("cora", {folder / "", MissingFeatures::accept}).error().message.find("ind.cora.allx is missing"),
            std::string::npos);
}

TEST(Load, FilesByTheirEnding) {
  const test::TemporaryFolder folder;
  test::write_content(folder / "club.edgelist", "0 1 {}\n1 2 {'weight': 2}\n");
  test::write_content(folder / "club.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n");
  for (const char* file : {"club.edgelist", "club.mtx"}) {
    const auto dataset = load((folder / file).string(), {});
    ASSERT_TRUE(dataset) << dataset.error().message;
    EXPECT_EQ(dataset->name, "club");
    EXPECT_EQ(dataset->graph.nonzeros(), 4u);
  }
  test::write_content(folder / "club.graphml", "<graphml/>");
  const auto refused = load((folder / "club.graphml").string(), {});
  ASSERT_FALSE(refused);
  EXPECT_TRUE(
      refused.error().message.ends_with("club.graphml: a GraphML file, which is not read here; in Python, "
                                        "ppgnn.Graph.from_networkx takes what networkx reads of it"))
      << refused.error().message;
}

TEST(Load, LabelsThatSayTheyAreMissingAreNotedAndNotKnown) {
  const test::TemporaryFolder folder;
  test::write_content(folder / "edges.csv", "0,1\n1,2\n2,3\n3,4\n4,5\n");
  test::write_content(folder / "labels.csv", "node,class\n0,10\n1,NaN\n2,9\n3,?\n4,NaN\n5,\n");
  const std::string path = (folder / "").string();
  const auto unknown = load(path, {{}, MissingFeatures::accept});
  ASSERT_TRUE(unknown) << unknown.error().message;
  const auto labels = unknown->labels.span();
  EXPECT_EQ(std::vector<std::int32_t>(labels.begin(), labels.end()), (std::vector<std::int32_t>{1, -1, 0, -1, -1, -1}));
  EXPECT_EQ(unknown->class_names.list(), (std::vector<std::string>{"9", "10"}));  // numbers again, in their order
  ASSERT_EQ(unknown->notes.size(), 1u);
  EXPECT_EQ(unknown->notes[0],
            "3 labels are written as '?', 'NaN' and taken as not known; --missing class makes a class of them");
  const auto as_class = load(path, {{}, MissingFeatures::accept, MissingLabels::as_class});
  ASSERT_TRUE(as_class);
  EXPECT_EQ(as_class->class_names.list(), (std::vector<std::string>{"10", "9", "?", "NaN"}));
  EXPECT_EQ(as_class->notes, (std::vector<std::string>{"3 labels are written as '?', 'NaN', which counts as a class"}));
}

TEST(Load, TakesNamesInAnyCaseAndOffersTheNearest) {
  const auto folder = load("Cora", {});
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().message, "cora needs a data folder: set PPGNN_DATA or pass --data-dir");
  const std::string unknown = load("corra", {}).error().message;
  EXPECT_NE(unknown.find("; did you mean cora?"), std::string::npos) << unknown;
}

}  // namespace
}  // namespace ppgnn::graph
