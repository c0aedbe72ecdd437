#include "ppgnn/core/names.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ppgnn {
namespace {

const std::vector<std::string> kNames{"gcn", "sage", "gat", "strict-public", "lastfm", "ppm*"};

TEST(Names, AnyCaseAnyMarksAndUsualAliases) {
  EXPECT_EQ(meant(kNames, "gcn"), "gcn");
  EXPECT_EQ(meant(kNames, "GCN"), "gcn");
  EXPECT_EQ(meant(kNames, "GraphSAGE"), "sage");
  EXPECT_EQ(meant(kNames, "Graph-Sage"), "sage");
  EXPECT_EQ(meant(kNames, "Strict Public"), "strict-public");
  EXPECT_EQ(meant(kNames, "strict_public"), "strict-public");
  EXPECT_EQ(meant(kNames, "LastFM-Asia"), "lastfm");
  EXPECT_EQ(meant(kNames, "PPM*"), "ppm*");
}

TEST(Names, NothingElseIsMeant) {
  EXPECT_EQ(meant(kNames, "gc"), "");
  EXPECT_EQ(meant(kNames, ""), "");
  EXPECT_EQ(meant(kNames, "laplace"), "");  // an alias of a name that is not among these
  EXPECT_EQ(meant({}, "gcn"), "");
}

TEST(Names, TheNearestIsOffered) {
  EXPECT_EQ(did_you_mean(kNames, "gnc"), "; did you mean gcn?");  // two letters swapped are one edit
  EXPECT_EQ(did_you_mean(kNames, "sge"), "; did you mean sage?");
  EXPECT_EQ(did_you_mean(kNames, "LASTFN"), "; did you mean lastfm?");
  EXPECT_EQ(did_you_mean(kNames, "strict-pubic"), "; did you mean strict-public?");
  EXPECT_EQ(did_you_mean({"--epsilon", "--epochs"}, "--epslon"), "; did you mean --epsilon?");
}

TEST(Names, NothingIsOfferedThatIsFar) {
  EXPECT_EQ(did_you_mean(kNames, "transformer"), "");
  EXPECT_EQ(did_you_mean(kNames, ""), "");
  EXPECT_EQ(did_you_mean(kNames, std::string(100'000, 'x')), "");
  EXPECT_EQ(did_you_mean({}, "gcn"), "");
}

}  // namespace
}  // namespace ppgnn
