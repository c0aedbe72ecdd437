#include "ppgnn/graph/stored_graph.hpp"

#include <gtest/gtest.h>

#include "ppgnn/graph/generator.hpp"
#include "support/datasets.hpp"
#include "support/dense_features.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::graph {
namespace {

namespace fs = std::filesystem;

std::string stored(const Dataset& dataset) {
  const test::TemporaryFolder folder;
  const auto written = write_stored_graph(dataset, folder / "g.ppgraph");
  EXPECT_TRUE(written) << (written ? "" : written.error().message);
  return test::content_of(folder / "g.ppgraph");
}

TEST(StoredGraph, KeepsEverything) {
  const test::TemporaryFolder folder;
  const Dataset dataset = test::small_dataset();
  ASSERT_TRUE(write_stored_graph(dataset, folder / "g.ppgraph"));
  const auto opened = open_stored_graph(folder / "g.ppgraph");
  ASSERT_TRUE(opened) << opened.error().message;
  test::expect_equal(*opened, dataset);
  EXPECT_EQ(opened->nodes.find("mia"), 2u);
  EXPECT_EQ(opened->class_names[1], "yes");
  EXPECT_EQ(opened->features.schema().names[2], "age");
  EXPECT_EQ(test::dense(opened->features, FeatureScale::raw), test::dense(dataset.features, FeatureScale::raw));
  // The arrays outlive the file's name: they are its bytes.
  fs::remove(folder / "g.ppgraph");
  EXPECT_EQ(opened->graph.row(1)[1], 2u);
}

TEST(StoredGraph, KeepsGeneratedAndEmptyDataSets) {
  const test::TemporaryFolder folder;
  Dataset empty;
  empty.graph = *build_graph(0, {});
  empty.features = no_features(0);
  for (const Dataset& dataset : {*generate_social({}), empty}) {
    ASSERT_TRUE(write_stored_graph(dataset, folder / "g"));
    const auto opened = open_stored_graph(folder / "g");
    ASSERT_TRUE(opened) << opened.error().message;
    test::expect_equal(*opened, dataset);
  }
}

// The format of version 1 may not change: docs/formats/graph.md describes these bytes.
TEST(StoredGraph, KeepsItsBytes) {
  EXPECT_EQ(to_hex(sha256(stored(test::small_dataset()))),
            "f8ce134474d5dcf71829c0f1c6775bd93495bbfce5facf8eaa08b3de27a4cce0");
}

TEST(StoredGraph, EveryTruncationIsReported) {
  const test::TemporaryFolder folder;
  const std::string bytes = stored(test::small_dataset());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    test::write_content(folder / "cut", std::string_view(bytes).substr(0, length));
    const auto opened = open_stored_graph(folder / "cut");
    ASSERT_FALSE(opened) << length;
    EXPECT_EQ(opened.error().code, ErrorCode::malformed);
    EXPECT_NE(opened.error().message.find("byte "), std::string::npos) << opened.error().message;
  }
}

TEST(StoredGraph, EveryFlippedByteIsReported) {
  const test::TemporaryFolder folder;
  const std::string bytes = stored(test::small_dataset());
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const int flip : {0x01, 0x80, 0xFF}) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ flip);
      test::write_content(folder / "flipped", changed);
      const auto opened = open_stored_graph(folder / "flipped");
      ASSERT_FALSE(opened) << at;
      EXPECT_EQ(opened.error().code, ErrorCode::malformed);
    }
  }
}

TEST(StoredGraph, LongerFilesAndOtherFilesAreRefused) {
  const test::TemporaryFolder folder;
  test::write_content(folder / "longer", stored(test::small_dataset()) + "x");
  EXPECT_FALSE(open_stored_graph(folder / "longer"));
  test::write_content(folder / "text", "hello, this is a text of some length");
  EXPECT_NE(open_stored_graph(folder / "text").error().message.find("not a stored graph"), std::string::npos);
  EXPECT_EQ(open_stored_graph(folder / "none").error().code, ErrorCode::io);
  fs::create_directories(folder / "folder");
  EXPECT_EQ(open_stored_graph(folder / "folder").error().code, ErrorCode::io);
}

TEST(StoredGraph, ANewerVersionIsNamed) {
  const test::TemporaryFolder folder;
  std::string bytes = stored(test::small_dataset());
  bytes[8] = 2;
  test::write_content(folder / "newer", bytes);
  EXPECT_NE(open_stored_graph(folder / "newer").error().message.find("version 2"), std::string::npos);
}

TEST(StoredGraph, WritesAllOrNothing) {
  const test::TemporaryFolder folder;
  Dataset broken = test::small_dataset();
  broken.labels = std::vector<std::int32_t>{0};
  EXPECT_FALSE(write_stored_graph(broken, folder / "g"));
  EXPECT_FALSE(write_stored_graph(Dataset(), folder / "g"));
  EXPECT_FALSE(fs::exists(folder / "g"));
  // A folder in the way: the rename fails, and nothing is left behind.
  fs::create_directories(folder / "taken/inside");
  EXPECT_FALSE(write_stored_graph(test::small_dataset(), folder / "taken"));
  std::size_t entries = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder / ".")) ++entries;
  EXPECT_EQ(entries, 1u);
}

TEST(StoredGraph, ReplacesAFileThatIsMapped) {
  const test::TemporaryFolder folder;
  ASSERT_TRUE(write_stored_graph(test::small_dataset(), folder / "g"));
  const auto first = open_stored_graph(folder / "g");
  ASSERT_TRUE(first);
  ASSERT_TRUE(write_stored_graph(*generate_social({}), folder / "g"));
  test::expect_equal(*first, test::small_dataset());
  EXPECT_EQ(open_stored_graph(folder / "g")->num_nodes(), 2000u);
}

}  // namespace
}  // namespace ppgnn::graph
