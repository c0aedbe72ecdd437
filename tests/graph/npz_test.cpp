#include "ppgnn/graph/npz.hpp"

#include <gtest/gtest.h>

#include "support/arrays.hpp"
#include "support/dense_features.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::graph {
namespace {

using test::Members;
using test::npy;
using test::npy_list;
using test::zip_archive;

// Three nodes: 0-1 and a stored zero at 1-2; two attributes.
Members tiny_npz() {
  return {{"adj_data.npy", npy_list<float>("<f4", {1, 1, 0})},
          {"adj_indices.npy", npy_list<std::int32_t>("<i4", {1, 0, 2})},
          {"adj_indptr.npy", npy_list<std::int32_t>("<i4", {0, 1, 3, 3})},
          {"adj_shape.npy", npy_list<std::int64_t>("<i8", {3, 3})},
          {"attr_data.npy", npy_list<double>("<f8", {.5, 2})},
          {"attr_indices.npy", npy_list<std::int32_t>("<i4", {1, 0})},
          {"attr_indptr.npy", npy_list<std::int32_t>("<i4", {0, 1, 1, 2})},
          {"attr_shape.npy", npy_list<std::int64_t>("<i8", {3, 2})},
          {"labels.npy", npy_list<std::int64_t>("<i8", {1, -1, 0})},
          {"class_names.npy", "a pickle that nobody opens"}};
}

Members with(const std::string& name, const std::string& bytes) {
  Members members = tiny_npz();
  for (auto& member : members) {
    if (member.first == name + ".npy") member.second = bytes;
  }
  return members;
}

std::string npz_message(const Members& members) {
  const auto dataset = parse_npz({"a.npz", zip_archive(members, ZIP_CM_DEFLATE)}, "a");
  return dataset ? std::string("accepted") : dataset.error().message;
}

TEST(Npz, ReadsStoredAndDeflated) {
  for (const zip_int32_t method : {ZIP_CM_STORE, ZIP_CM_DEFLATE}) {
    const std::string bytes = zip_archive(tiny_npz(), method);
    const auto dataset = parse_npz({"a.npz", bytes}, "a");
    ASSERT_TRUE(dataset) << dataset.error().message;
    EXPECT_EQ(dataset->num_nodes(), 3u);
    EXPECT_EQ(dataset->graph.nonzeros(), 2u);
    EXPECT_EQ(test::dense(dataset->features, FeatureScale::raw), (std::vector<float>{0, .5F, 0, 0, 2, 0}));
    EXPECT_EQ(std::vector(dataset->labels.begin(), dataset->labels.end()), (std::vector<std::int32_t>{1, -1, 0}));
    EXPECT_EQ(dataset->num_classes(), 2u);
  }
}

TEST(Npz, SaysWhichArraysWereNotRead) {
  const auto notes = [](const Members& members) {
    return parse_npz({"a.npz", zip_archive(members, ZIP_CM_STORE)}, "a")->notes;
  };
  Members members = tiny_npz();
  EXPECT_EQ(notes(members),
            (std::vector<std::string>{"class_names was not read (an archive's adj_*, attr_* and labels are)"}));
  members.emplace_back("x.npy", "");
  members.erase(members.begin() + 4);  // without attr_data, there is no matrix to its parts
  EXPECT_EQ(notes(members), (std::vector<std::string>{"attr_indices, attr_indptr, attr_shape and 2 more were not read "
                                                      "(an archive's adj_*, attr_* and labels are)"}));
  members = tiny_npz();
  members.pop_back();
  EXPECT_TRUE(notes(members).empty());
}

TEST(Npz, ReadsAFileAndItsName) {
  const test::TemporaryFolder folder;
  test::write_content(folder / "cora_ml.npz", zip_archive(tiny_npz(), ZIP_CM_DEFLATE));
  const auto dataset = read_npz(folder / "cora_ml.npz");
  ASSERT_TRUE(dataset);
  EXPECT_EQ(dataset->name, "cora_ml");
}

TEST(Npz, AttributesAndLabelsMayBeMissing) {
  Members members = tiny_npz();
  members.resize(4);
  const auto dataset = parse_npz({"a.npz", zip_archive(members, ZIP_CM_DEFLATE)}, "a");
  ASSERT_TRUE(dataset) << dataset.error().message;
  EXPECT_EQ(dataset->features.cols(), 0u);
  EXPECT_EQ(dataset->num_classes(), 0u);
  EXPECT_EQ(dataset->labels[0], kUnknown);
}

// Labels that start at 1, as MATLAB's do, have no class 0; and a class may have any number.
// As PyTorch Geometric has it: three nodes, two edges.
Members pyg_npz() {
  return {{"edge_index.npy", npy<std::int64_t>("<i8", "(2, 2)", {0, 1, 1, 2})},
          {"x.npy", npy<float>("<f4", "(3, 2)", {1, 0, 0, 1, 0, 0})},
          {"y.npy", npy<std::int64_t>("<i8", "(3, 1)", {4, -1, 7})},
          {"train_mask.npy", npy_list<std::int64_t>("<i8", {1, 0, 1})}};
}

TEST(Npz, ReadsThePartsOfPytorchGeometric) {
  const auto dataset = parse_npz({"a.npz", zip_archive(pyg_npz(), ZIP_CM_STORE)}, "a");
  ASSERT_TRUE(dataset) << dataset.error().message;
  EXPECT_EQ(dataset->graph.nonzeros(), 4u);
  EXPECT_EQ(test::dense(dataset->features, FeatureScale::raw), (std::vector<float>{1, 0, 0, 1, 0, 0}));
  EXPECT_EQ(dataset->class_names.list(), (std::vector<std::string>{"4", "7"}));
  EXPECT_EQ(dataset->labels[1], kUnknown);
  EXPECT_EQ(dataset->notes, std::vector<std::string>{"train_mask was not read (an archive's edge_index, x and y are)"});
  Members edges{pyg_npz().front()};
  EXPECT_EQ(parse_npz({"a.npz", zip_archive(edges, ZIP_CM_STORE)}, "a")->num_nodes(), 3u);
  Members wrong = pyg_npz();
  wrong[0].second = npy<std::int64_t>("<i8", "(2, 2)", {0, 1, 1, 9});
  EXPECT_NE(npz_message(wrong), "accepted");
  wrong[0].second = npy<std::int64_t>("<i8", "(2, 2)", {0, 1, 1, -2});
  EXPECT_EQ(npz_message(wrong), "a.npz: edge_index: edge 1 has an end that is no node");
  wrong[0].second = npy<std::int64_t>("<i8", "(4, 1)", {0, 1, 1, 2});
  EXPECT_EQ(npz_message(wrong), "a.npz: edge_index: its shape is not (2, edges)");
}

TEST(Npz, ReadsAMatrixOfScipy) {
  const Members csr{{"indices.npy", npy_list<std::int32_t>("<i4", {1, 0, 2})},
                    {"indptr.npy", npy_list<std::int32_t>("<i4", {0, 1, 3, 3})},
                    {"format.npy", "texts are not opened"},
                    {"shape.npy", npy_list<std::int64_t>("<i8", {3, 3})},
                    {"data.npy", npy_list<double>("<f8", {1, 1, .5})}};
  const Members coo{{"row.npy", npy_list<std::int32_t>("<i4", {0, 1, 1})},
                    {"col.npy", npy_list<std::int32_t>("<i4", {1, 0, 2})},
                    {"format.npy", "texts are not opened"},
                    {"shape.npy", npy_list<std::int64_t>("<i8", {3, 3})},
                    {"data.npy", npy_list<double>("<f8", {1, 1, .5})}};
  for (const Members& members : {csr, coo}) {
    const auto dataset = parse_npz({"a.npz", zip_archive(members, ZIP_CM_DEFLATE)}, "a");
    ASSERT_TRUE(dataset) << dataset.error().message;
    EXPECT_EQ(dataset->num_nodes(), 3u);
    EXPECT_EQ(dataset->graph.nonzeros(), 4u);
    EXPECT_TRUE(dataset->notes.empty());
    Members wide = members;
    wide[3].second = npy_list<std::int64_t>("<i8", {3, 4});
    EXPECT_EQ(npz_message(wide), "a.npz: shape: not a square matrix");
    Members small = members;
    small[3].second = npy_list<std::int64_t>("<i8", {2, 2});
    EXPECT_NE(npz_message(small), "accepted");
  }
  EXPECT_EQ(npz_message({csr[3]}), "a.npz: it has neither row, col and data nor indptr, indices and data");
}

TEST(Npz, ClassesAreThoseThatOccur) {
  const auto dataset = parse_npz(
      {"a.npz", zip_archive(with("labels", npy_list<std::int64_t>("<i8", {4000000000, -1, 1})), ZIP_CM_STORE)}, "a");
  ASSERT_TRUE(dataset) << dataset.error().message;
  EXPECT_EQ(std::vector(dataset->labels.begin(), dataset->labels.end()), (std::vector<std::int32_t>{1, -1, 0}));
  ASSERT_EQ(dataset->num_classes(), 2u);
  EXPECT_EQ(dataset->class_names[0], "1");
  EXPECT_EQ(dataset->class_names[1], "4000000000");
}

TEST(Npz, ErrorsNameTheMember) {
  Members members = tiny_npz();
  members.erase(members.begin());
  EXPECT_EQ(npz_message(members),
            "a.npz: adj_data is missing, and so are edge_index and shape: neither an archive of gnn-benchmark, nor the "
            "parts of PyTorch Geometric, nor a matrix of SciPy");
  members = tiny_npz();
  members.erase(members.begin() + 2);
  EXPECT_EQ(npz_message(members), "a.npz: adj_*: adj_indptr is missing");
  EXPECT_EQ(npz_message(with("adj_shape", npy_list<std::int64_t>("<i8", {3, 4}))),
            "a.npz: adj_*: the matrix has 3 rows but 4 columns");
  EXPECT_NE(npz_message(with("adj_shape", npy_list<std::int64_t>("<i8", {4, 3}))).find("shape"), std::string::npos);
  EXPECT_NE(npz_message(with("adj_indptr", npy_list<std::int32_t>("<i4", {0, 2, 1, 3}))).find("row 1 of indptr"),
            std::string::npos);
  EXPECT_NE(
      npz_message(with("adj_indices", npy_list<std::int32_t>("<i4", {1, 0, 3}))).find("row 1 has a column outside"),
      std::string::npos);
  EXPECT_NE(npz_message(with("adj_data", npy_list<float>("|O", {1, 1, 0})))
                .find("a.npz: adj_data: byte 10: element type '|O'"),
            std::string::npos);
  EXPECT_NE(npz_message(with("attr_shape", npy_list<std::int64_t>("<i8", {3, 4000000000}))).find("attr_*"),
            std::string::npos);
  EXPECT_NE(npz_message(with("labels", npy_list<std::int64_t>("<i8", {1, 0}))).find("label list"), std::string::npos);
  EXPECT_EQ(npz_message(with("labels", npy_list<double>("<f8", {1, .5, 0}))),
            "a.npz: labels: entry 1 is no class number");
}

// A hundred megabytes of zeros in a hundred kilobytes.
TEST(Npz, RefusesAnArchiveThatUnpacksWithoutBound) {
  const std::string error = npz_message(with("adj_data", std::string(100000000, '\0')));
  EXPECT_EQ(error, "a.npz: adj_data.npy: it unpacks to more than this archive may");
}

TEST(Npz, TruncatedOrFlippedBytesAreReportedOrHarmless) {
  const std::string bytes = zip_archive(tiny_npz(), ZIP_CM_DEFLATE);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const auto cut = parse_npz({"a.npz", std::string_view(bytes).substr(0, length)}, "a");
    EXPECT_FALSE(cut) << length;
  }
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    const auto flipped = parse_npz({"a.npz", changed}, "a");  // dates and unread members may differ without harm
    if (flipped) {
      EXPECT_TRUE(check(*flipped));
    }
  }
}

}  // namespace
}  // namespace ppgnn::graph
