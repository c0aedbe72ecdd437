#include "ppgnn/graph/ties.hpp"

#include <gtest/gtest.h>

#include "ppgnn/graph/load.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::graph {
namespace {

TEST(Ties, AFolderIsReadByItsFiles) {
  const test::TemporaryFolder folder;
  const std::string path = (folder / "club").string();
  test::write_content(folder / "club/ties.csv", "ana,ben\nben,cai\n");
  test::write_content(folder / "club/members.csv", "member,class\nana,chess\nben,rowing\ncai,\n");
  const auto dataset = load(path, {});
  ASSERT_TRUE(dataset) << dataset.error().message;
  EXPECT_EQ(dataset->num_nodes(), 3u);
  EXPECT_EQ(dataset->num_classes(), 2u);
  EXPECT_TRUE(dataset->notes.empty());
  // No output is written over them.
  EXPECT_EQ(files_of(path, {}).size(), 2u);
  test::write_content(folder / "club/more.csv", "");
  EXPECT_EQ(load(path, {})->notes.size(), 1u);
}

TEST(Ties, ErrorsNameFileAndLine) {
  const auto refused = parse_ties({{"ties.csv", "ana,ben\nana\n"}, {"members.csv", "member,class\nana,\nben,\n"}}, "t");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "ties.csv:2: not two nodes");
}

}  // namespace
}  // namespace ppgnn::graph
