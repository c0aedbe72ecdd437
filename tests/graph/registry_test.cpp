#include "ppgnn/graph/registry.hpp"

#include <gtest/gtest.h>

#include <set>

#include "ppgnn/graph/statistics.hpp"
#include "support/datasets.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::graph {
namespace {

struct Table1Row {
  const char* name;
  std::size_t nodes, edges_paper, self_loops, features, nonzeros, classes, unlabelled;
};

// The paper's Table 1, with the nonzero counts of the published files.
constexpr Table1Row kTable1[] = {{"cora", 2708, 5278, 0, 1433, 49216, 7, 0},
                                 {"citeseer", 3327, 4552, 0, 3703, 105165, 6, 15},
                                 {"pubmed", 19717, 44324, 0, 500, 988031, 3, 0},
                                 {"facebook", 22470, 170912, 179, 4714, 314583, 4, 0},
                                 {"wikipedia", 11631, 170845, 145, 13183, 874200, 2, 0},
                                 {"lastfm-subset", 2488, 7738, 0, 600, 78314, 5, 0}};

TEST(Registry, EveryFileIsKnownByDigest) {
  std::set<std::string_view> names;
  for (const PublishedDataset& dataset : published_datasets()) {
    names.insert(dataset.name);
    for (const PublishedFile& file : dataset.files) {
      EXPECT_EQ(file.digest.size(), file.kind == DigestKind::sha256 ? 64u : 40u) << file.path;
      EXPECT_EQ(file.repository.empty(), dataset.name == "lastfm-subset") << file.path;
    }
  }
  EXPECT_EQ(names, (std::set<std::string_view>{"cora", "citeseer", "pubmed", "lastfm", "facebook", "wikipedia",
                                               "lastfm-subset"}));
  EXPECT_EQ(find_published("cora")->files[0].address(),
            "https://raw.githubusercontent.com/kimiyoung/planetoid/master/data/ind.cora.allx");
  EXPECT_EQ(find_published("lastfm")->files[2].address("http://localhost:1"),
            "http://localhost:1/benedekrozemberczki/FEATHER/master/new_node_level_dataset/features/"
            "lastfm_asia_features.json");
  EXPECT_EQ(find_published("reddit"), nullptr);
}

TEST(Registry, DataSetsEqualTable1) {
  PPGNN_NEEDS_DATA();
  for (const Table1Row& row : kTable1) {
    const auto dataset = read_published(*find_published(row.name), *test::data_folder());
    ASSERT_TRUE(dataset) << dataset.error().message;
    ASSERT_TRUE(check(*dataset)) << row.name;
    const Statistics s = statistics(*dataset);
    EXPECT_EQ(s.nodes, row.nodes) << row.name;
    EXPECT_EQ(s.edges_paper, row.edges_paper) << row.name;
    EXPECT_EQ(s.self_loops, row.self_loops) << row.name;
    EXPECT_EQ(s.edges, row.edges_paper - row.self_loops / 2) << row.name;
    EXPECT_EQ(s.features, row.features) << row.name;
    EXPECT_EQ(s.nonzeros, row.nonzeros) << row.name;
    EXPECT_EQ(s.classes, row.classes) << row.name;
    EXPECT_EQ(s.unlabelled, row.unlabelled) << row.name;
    EXPECT_EQ(dataset->features.values().empty(), std::string(row.name) != "pubmed") << row.name;
  }
}

// What a data set reads as may not change unseen: results name it by this. Pubmed's files are not the same everywhere.
TEST(Registry, ChecksumsStay) {
  PPGNN_NEEDS_DATA();
  const std::pair<const char*, const char*> expected[] = {
      {"cora", "a4fe8eae86ca2851e1d991a584d6642ab5076b832f9ae647feca91997c12d831"},
      {"citeseer", "aa5cc8603886eb92d33bd0630cc1a2b9ecea303592586031029c5d02d22a5fd9"},
      {"facebook", "1db7fb406e638e7beca32ba4cfd14d4729e9e64a8572b113971b4611c8f77a5e"},
      {"wikipedia", "afb1eafd6058d0bb8a22ef69adb9bcc66305211123593ca5ec78c59d8a92a074"},
      {"lastfm-subset", "006fc594513768889b4a313b3c54e65cf0f6268c87d8b5c7a89ca49b9cc9be9d"}};
  for (const auto& [name, digest] : expected) {
    const auto dataset = read_published(*find_published(name), *test::data_folder());
    ASSERT_TRUE(dataset) << dataset.error().message;
    EXPECT_EQ(to_hex(checksum(*dataset)), digest) << name;
  }
}

// Published data sets share folders: what is beside a data set is not left out of it.
TEST(Registry, NeighboursAreNotNoted) {
  PPGNN_NEEDS_DATA();
  for (const PublishedDataset& published : published_datasets()) {
    const auto dataset = read_published(published, *test::data_folder(), MissingFeatures::accept);
    ASSERT_TRUE(dataset) << dataset.error().message;
    for (const std::string& note : dataset->notes) {
      EXPECT_EQ(note.find("not read ("), std::string::npos) << published.name << ": " << note;
    }
  }
}

TEST(Registry, DetailsOfTheDataSets) {
  PPGNN_NEEDS_DATA();
  const auto pubmed = read_published(*find_published("pubmed"), *test::data_folder());
  ASSERT_TRUE(pubmed);
  const auto& values = pubmed->features.values();
  EXPECT_NEAR(*std::max_element(values.begin(), values.end()), 1.26331, 1e-5);
  EXPECT_EQ(pubmed->features.schema().origin, SchemaOrigin::derived);

  const auto wikipedia = read_published(*find_published("wikipedia"), *test::data_folder());
  ASSERT_TRUE(wikipedia);
  EXPECT_EQ(std::count(wikipedia->labels.begin(), wikipedia->labels.end(), 1), 3315);
  EXPECT_EQ(std::count(wikipedia->labels.begin(), wikipedia->labels.end(), 0), 8316);

  const auto facebook = read_published(*find_published("facebook"), *test::data_folder());
  ASSERT_TRUE(facebook);
  EXPECT_EQ(facebook->class_names[0], "company");
  EXPECT_EQ(facebook->class_names[3], "tvshow");
  EXPECT_EQ(facebook->features.schema().origin, SchemaOrigin::declared);

  const auto citeseer = read_published(*find_published("citeseer"), *test::data_folder());
  ASSERT_TRUE(citeseer);
  for (std::size_t node = 0; node < citeseer->num_nodes(); ++node) {
    if (citeseer->labels[node] != kUnknown) continue;
    EXPECT_TRUE(citeseer->features.pattern().row(node).empty());
    EXPECT_FALSE(citeseer->graph.row(node).empty());  // they are left out of tx and ty, but not isolated
  }
}

TEST(Registry, LastfmWithoutFeaturesSaysSo) {
  PPGNN_NEEDS_DATA();
  const PublishedDataset& lastfm = *find_published("lastfm");
  if (std::filesystem::exists(*test::data_folder() / lastfm.files[2].path)) GTEST_SKIP() << "the features are here";
  const auto refused = read_published(lastfm, *test::data_folder());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::io);
  EXPECT_NE(refused.error().message.find("lastfm/lastfm_asia_features.json is missing"), std::string::npos);
  EXPECT_NE(refused.error().message.find("ppgnn data get lastfm"), std::string::npos);
  const auto accepted = read_published(lastfm, *test::data_folder(), MissingFeatures::accept);
  ASSERT_TRUE(accepted) << accepted.error().message;
  const Statistics s = statistics(*accepted);
  EXPECT_EQ(s.nodes, 7624u);
  EXPECT_EQ(s.edges_paper, 27806u);
  EXPECT_EQ(s.classes, 18u);
  EXPECT_EQ(s.features, 0u);
  ASSERT_EQ(accepted->notes.size(), 1u);
  EXPECT_NE(accepted->notes[0].find("features are missing"), std::string::npos);
}

// The published LastFM features file has the subset's form: when it is put in its place, it is read.
TEST(Registry, LastfmTakesItsFeaturesWhenTheyAreThere) {
  PPGNN_NEEDS_DATA();
  const test::TemporaryFolder folder;
  const auto subset = *test::data_folder() / "lastfm/subset";
  std::filesystem::create_directories(folder / "lastfm");
  for (const char* file : {"lastfm_asia_edges.csv", "lastfm_asia_target.csv", "lastfm_asia_features.json"}) {
    std::filesystem::copy_file(subset / file, folder / (std::string("lastfm/") + file));
  }
  const auto dataset = read_published(*find_published("lastfm"), folder / "");
  ASSERT_TRUE(dataset) << dataset.error().message;
  EXPECT_EQ(dataset->features.nonzeros(), 78314u);
  EXPECT_TRUE(dataset->notes.empty());
}

TEST(Registry, VerifyTellsPublishedFromCopies) {
  PPGNN_NEEDS_DATA();
  for (const PublishedDataset& dataset : published_datasets()) {
    const auto checks = verify(dataset, *test::data_folder());
    ASSERT_TRUE(checks);
    for (const FileCheck& check : *checks) {
      if (check.file->kind == DigestKind::git_blob) {
        EXPECT_NE(check.state, FileState::different) << check.file->path;
      } else {
        EXPECT_EQ(check.state, FileState::published) << check.file->path;
      }
    }
  }
}

TEST(Registry, VerifyFindsMissingAndDifferentFiles) {
  const test::TemporaryFolder folder;
  const PublishedDataset& facebook = *find_published("facebook");
  test::write_content(folder / std::string(facebook.files[1].path), "id,type\n0,x\n");
  const auto checks = verify(facebook, folder / "");
  ASSERT_TRUE(checks);
  EXPECT_EQ((*checks)[0].state, FileState::missing);
  EXPECT_EQ((*checks)[1].state, FileState::different);
}

}  // namespace
}  // namespace ppgnn::graph
