#include "graph/npy.hpp"

#include <gtest/gtest.h>

#include "support/arrays.hpp"

namespace ppgnn::graph {
namespace {

using test::npy;
using test::npy_file;
using test::npy_header;

std::string npy_message(const std::string& bytes) {
  const auto array = parse_npy({"a.npy", bytes});
  return array ? std::string("accepted") : array.error().message;
}

TEST(Npy, ReadsEveryType) {
  const auto values = [](const std::string& bytes) {
    const auto array = parse_npy({"a.npy", bytes});
    EXPECT_TRUE(array) << (array ? "" : array.error().message);
    return array->elements();
  };
  const std::vector<double> expected{1, 0, 3};
  EXPECT_EQ(values(npy<float>("<f4", "(3,)", {1, 0, 3})), expected);
  EXPECT_EQ(values(npy<double>("<f8", "(3,)", {1, 0, 3})), expected);
  EXPECT_EQ(values(npy<std::int64_t>("<i8", "(3,)", {1, 0, 3})), expected);
  EXPECT_EQ(values(npy<std::int32_t>("<i4", "(3,)", {1, 0, 3})), expected);
  EXPECT_EQ(values(npy<std::uint16_t>("<u2", "(3,)", {1, 0, 3})), expected);
  EXPECT_EQ(values(npy<std::int8_t>("|i1", "(3,)", {1, 0, 3})), expected);
  EXPECT_EQ(values(npy<std::uint8_t>("|b1", "(3,)", {1, 0, 3})), expected);
  EXPECT_EQ(values(npy<std::int8_t>("|i1", "(1,)", {-5})), (std::vector<double>{-5}));
}

TEST(Npy, ReadsShapesAndOrder) {
  const std::string bytes = npy<float>("<f4", "(2, 3)", std::vector<float>(6), "True");
  const auto matrix = parse_npy({"a.npy", bytes});
  ASSERT_TRUE(matrix);
  EXPECT_EQ(matrix->shape, (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(matrix->order, NpyOrder::column_major);
  EXPECT_EQ(npy_message(npy<float>("<f4", "()", {1})), "accepted");
  EXPECT_EQ(npy_message(npy<float>("<f4", "(0, 5)", {})), "accepted");
}

TEST(Npy, RefusesObjectsTextsAndOtherByteOrders) {
  for (const char* type : {"|O", "<U3", "|S3", ">f4", "<c8", "<f2", "f4", "", "<", "<f", "<f44"}) {
    EXPECT_NE(npy_message(npy<float>(type, "(1,)", {1})).find("is not read"), std::string::npos) << type;
  }
}

TEST(Npy, HoldsTheShapeAgainstTheFile) {
  EXPECT_NE(npy_message(npy<float>("<f4", "(2,)", {1})).find("needs more bytes"), std::string::npos);
  EXPECT_NE(npy_message(npy<float>("<f4", "(1,)", {1, 2})).find("differ"), std::string::npos);
  EXPECT_NE(npy_message(npy<float>("<f4", "(4294967296, 4294967296)", {1})).find("needs more bytes"),
            std::string::npos);
  EXPECT_NE(npy_message(npy<float>("<f4", "(99999999999999999999,)", {1})).find("header"), std::string::npos);
}

TEST(Npy, RefusesOtherHeaders) {
  for (const char* header :
       {"", "{}", "{'descr': '<f4'}", "[1]", "{'descr': '<f4', 'fortran_order': None, 'shape': (1,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 1, }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1, }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), } x", "{'descr", "{'shape': (", "{'shape': (1"}) {
    EXPECT_NE(npy_message(npy_file(header, "abcd")), "accepted") << header;
  }
  std::string version = npy<float>("<f4", "(1,)", {1});
  version[6] = 9;
  EXPECT_EQ(npy_message(version), "a.npy: byte 6: version 9 is not 1, 2 or 3");
}

TEST(Npy, EveryTruncationIsReported) {
  const std::string bytes = npy<float>("<f4", "(2,)", {1, 2});
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_NE(npy_message(bytes.substr(0, length)), "accepted");
}

}  // namespace
}  // namespace ppgnn::graph
