#include "graph/pickle.hpp"

#include <gtest/gtest.h>

#include "support/pickles.hpp"

namespace ppgnn::graph {
namespace {

using test::list_array;
using test::number;
using test::short_text;
using test::whole;

std::string pickle_message(const std::string& bytes) {
  const auto pickle = load_pickle({"p", bytes});
  return pickle ? std::string("accepted") : pickle.error().message;
}

TEST(Pickle, LoadsArrays) {
  const std::string bytes = whole(list_array<std::int32_t>("i4", {7, -1}));
  const auto pickle = load_pickle({"p", bytes});
  ASSERT_TRUE(pickle) << pickle.error().message;
  const PickleValue& root = (*pickle)[pickle->root];
  EXPECT_EQ(root.kind, PickleKind::array);
  EXPECT_EQ(root.shape, (std::vector<std::uint64_t>{2}));
  EXPECT_EQ(root.text.size(), 8u);
}

TEST(Pickle, RemembersAndRecalls) {
  const std::string bytes = whole("](K\x05q\x01h\x01r\x02" + std::string(3, '\0') + "e");
  const auto pickle = load_pickle({"p", bytes});
  ASSERT_TRUE(pickle) << pickle.error().message;
  const PickleValue& list = (*pickle)[pickle->root];
  ASSERT_EQ(list.items.size(), 2u);
  EXPECT_EQ(list.items[0], list.items[1]);
}

// What a hostile pickle would use to run code, and what it would need for it.
TEST(Pickle, RefusesOtherNamesByName) {
  EXPECT_EQ(pickle_message(whole("cos\nsystem\n" + short_text("id") + "\x85R")),
            "p: byte 2: the name 'os system' is not accepted");
  EXPECT_EQ(pickle_message(whole("c__builtin__\neval\n")), "p: byte 2: the name '__builtin__ eval' is not accepted");
  EXPECT_EQ(pickle_message(whole("cnumpy\nload\n")), "p: byte 2: the name 'numpy load' is not accepted");
  EXPECT_EQ(pickle_message(whole(std::string("c\x01\x02\nb\n"))), "p: byte 2: the name '?? b' is not accepted");
}

TEST(Pickle, RefusesOtherOpcodesByName) {
  const std::pair<char, const char*> refused[] = {
      {'i', "INST"},    {'o', "OBJ"},        {'P', "PERSID"}, {'\x93', "STACK_GLOBAL"},
      {'\x82', "EXT1"}, {'X', "BINUNICODE"}, {'I', "INT"},    {'\x95', "FRAME"},
      {'0', "POP"},     {'d', "DICT"},       {'s', "SETITEM"}};
  for (const auto& [opcode, name] : refused) {
    EXPECT_EQ(pickle_message(whole(std::string(1, opcode))),
              std::string("p: byte 2: opcode ") + name + " is not accepted");
  }
  EXPECT_EQ(pickle_message(whole("\xFE")), "p: byte 2: opcode number 254 is not accepted");
}

TEST(Pickle, RefusesCallsThatPlanetoidDoesNotMake) {
  const std::string list = "c__builtin__\nlist\n";
  EXPECT_NE(pickle_message(whole(list + ")R")).find("REDUCE of __builtin__ list"), std::string::npos);
  EXPECT_NE(pickle_message(whole("K\x01)R")).find("REDUCE of a value that is no name"), std::string::npos);
  EXPECT_NE(pickle_message(whole(list + ")\x81")).find("NEWOBJ"), std::string::npos);
  EXPECT_NE(pickle_message(whole("K\x01}b")).find("BUILD"), std::string::npos);
  EXPECT_NE(pickle_message(whole("cnumpy\ndtype\n" + short_text("O8") + "K\x01K\x01\x87R")).find("array type"),
            std::string::npos);
}

TEST(Pickle, HoldsDeclaredSizesAgainstTheFile) {
  EXPECT_NE(pickle_message(whole("T\xFF\xFF\xFF\x7F")).find("longer than the rest"), std::string::npos);
  const std::string huge = test::array("i4", number(2000000000) + number(2000000000) + "\x86", "abcd");
  EXPECT_NE(pickle_message(whole(huge)).find("larger than its bytes"), std::string::npos);
  const std::string negative = test::array("i4", number(-1) + "\x85", "abcd");
  EXPECT_NE(pickle_message(whole(negative)).find("no list of sizes"), std::string::npos);
  const std::string zero_then_huge = test::array("i4", "K" + std::string(1, '\0') + number(2000000000) + "\x86", "");
  EXPECT_EQ(pickle_message(whole(zero_then_huge)), "accepted");
}

TEST(Pickle, RefusesWhatIsNotOneWholePickle) {
  EXPECT_EQ(pickle_message(""), "p: byte 0: the file ends before its STOP");
  EXPECT_EQ(pickle_message("\x80\x03N."), "p: byte 0: only protocol 2 is accepted");
  EXPECT_EQ(pickle_message(whole("N") + "x"), "p: byte 4: bytes follow the STOP");
  EXPECT_EQ(pickle_message(whole("NN")), "p: byte 4: STOP finds more or less than one value");
  EXPECT_EQ(pickle_message(whole("")), "p: byte 2: STOP finds more or less than one value");
  for (const char* code :
       {"e", "u", "t", "a", "R", "b", "\x81", "\x85", "q\x01", "h\x01", "(e", "N(e", "}(Nu", "Na", "J\x01"}) {
    EXPECT_NE(pickle_message(whole(code)), "accepted") << code;
  }
}

TEST(Pickle, EveryTruncationIsReported) {
  const std::string bytes = test::graph_pickle({{1}, {0, 1}});
  EXPECT_EQ(pickle_message(bytes), "accepted");
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_NE(pickle_message(bytes.substr(0, length)), "accepted");
}

}  // namespace
}  // namespace ppgnn::graph
