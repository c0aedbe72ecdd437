#include "ppgnn/graph/pairs.hpp"

#include <gtest/gtest.h>

#include "ppgnn/graph/load.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::graph {
namespace {

TEST(Pairs, AreReadByTheirPath) {
  const test::TemporaryFolder folder;
  test::write_content(folder / "club.pairs", "0 1\n1 2\n");
  const auto dataset = load((folder / "club.pairs").string(), {});
  ASSERT_TRUE(dataset) << dataset.error().message;
  EXPECT_EQ(dataset->num_nodes(), 3u);
  EXPECT_EQ(dataset->name, "club");
}

TEST(Pairs, ErrorsNameTheLine) {
  const auto refused = parse_pairs({"p.pairs", "0 1\n2\n"}, "p");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "p.pairs:2: not two nodes");
}

}  // namespace
}  // namespace ppgnn::graph
