#include "ppgnn/graph/matrix_market.hpp"

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace ppgnn::graph {
namespace {

const std::string kSymmetric = "%%MatrixMarket matrix coordinate pattern symmetric\n% people\n3 3 3\n2 1\n3 2\n3 3\n";

std::string mtx_message(const std::string& text) {
  const auto dataset = parse_matrix_market({"a.mtx", text}, "a");
  return dataset ? std::string("accepted") : dataset.error().message;
}

TEST(MatrixMarket, EveryFieldIsAGraph) {
  const std::vector<std::string> same{
      kSymmetric, "%%MatrixMarket matrix coordinate real general\n\n3 3 4\n2 1 .5\n3 2 1e3\n 3\t3 -1\r\n1 3 0\n",
      "%%matrixmarket MATRIX coordinate complex hermitian\n3 3 4\n2 1 0 1\n3 2 1 0\n3 3 2 0\n1 3 0 0\n",
      "%%MatrixMarket matrix coordinate integer general\n3 3 3\n1 2 1\n2 3 1\n3 3 7\n"};
  for (const std::string& text : same) {
    const auto dataset = parse_matrix_market({"a.mtx", text}, "a");
    ASSERT_TRUE(dataset) << text << dataset.error().message;
    EXPECT_EQ(dataset->num_nodes(), 3u);
    EXPECT_EQ(dataset->graph.nonzeros(), 5u) << text;
    EXPECT_EQ(dataset->num_classes(), 0u);
    EXPECT_TRUE(check(*dataset));
  }
}

TEST(MatrixMarket, ErrorsNameTheLine) {
  const std::string head = "%%MatrixMarket matrix coordinate real general\n";
  EXPECT_EQ(mtx_message(""), "a.mtx:0: not %%MatrixMarket matrix coordinate FIELD SYMMETRY");
  EXPECT_EQ(mtx_message("1 2\n"), "a.mtx:1: not %%MatrixMarket matrix coordinate FIELD SYMMETRY");
  EXPECT_EQ(mtx_message("%%MatrixMarket matrix array real general\n2 2\n"),
            "a.mtx:1: found 'matrix array': only a sparse matrix, 'matrix coordinate', is a graph");
  EXPECT_EQ(mtx_message("%%MatrixMarket matrix coordinate text general\n"),
            "a.mtx:1: the field is none of real, integer, complex and pattern");
  EXPECT_EQ(mtx_message(head + "2 2\n"), "a.mtx:2: not rows, columns and entries");
  EXPECT_EQ(mtx_message(head + "2 3 0\n"), "a.mtx:2: the matrix has 2 rows but 3 columns: who knows whom is square");
  EXPECT_EQ(mtx_message(head + "2 2 99999\n"), "a.mtx:2: the sizes do not fit the file's length");
  EXPECT_EQ(mtx_message(head + "9999999999 9999999999 0\n"), "a.mtx:2: the sizes do not fit the file's length");
  EXPECT_EQ(mtx_message(head + "2 2 1\n1 3 1\n"),
            "a.mtx:3: an entry outside the matrix; rows and columns are counted from 1");
  EXPECT_EQ(mtx_message(head + "2 2 1\n0 1 1\n"),
            "a.mtx:3: an entry outside the matrix; rows and columns are counted from 1");
  EXPECT_EQ(mtx_message(head + "2 2 1\n1 2\n"), "a.mtx:3: not a row, a column and what the field needs");
  EXPECT_EQ(mtx_message(head + "2 2 1\n1 2 x\n"), "a.mtx:3: not a number");
  EXPECT_EQ(mtx_message(head + "2 2 2\n1 2 1\n"), "a.mtx:3: there are 1 entries, 2 were announced");
}

TEST(MatrixMarket, EveryTruncationIsReportedOrWhole) {
  for (std::size_t size = 0; size < kSymmetric.size(); ++size) {
    const auto dataset = parse_matrix_market({"a.mtx", std::string_view(kSymmetric).substr(0, size)}, "a");
    EXPECT_TRUE(!dataset || size + 1 >= kSymmetric.size()) << size;  // only the last line's end may be missing
  }
}

TEST(MatrixMarket, ReadsAFileAndItsName) {
  const test::TemporaryFolder folder;
  test::write_content(folder / "club.mtx", kSymmetric);
  const auto dataset = read_matrix_market(folder / "club.mtx");
  ASSERT_TRUE(dataset);
  EXPECT_EQ(dataset->name, "club");
}

}  // namespace
}  // namespace ppgnn::graph
