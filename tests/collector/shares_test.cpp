#include "ppgnn/collector/shares.hpp"

#include <gtest/gtest.h>

namespace ppgnn::collector {
namespace {

TEST(Shares, NobodyTakesWhatIsEverybodys) {
  Shares shares(10, 4);
  EXPECT_TRUE(shares.take("a", 3, false));
  EXPECT_FALSE(shares.take("a", 2, false));
  EXPECT_TRUE(shares.has("a", 1, false));
  EXPECT_FALSE(shares.has("a", 2, false));
  EXPECT_TRUE(shares.take("a", 1, false));
  EXPECT_TRUE(shares.take("b", 4, false));
  EXPECT_FALSE(shares.take("c", 3, false));  // of all
  EXPECT_TRUE(shares.take("c", 2, false));
  EXPECT_EQ(shares.taken(), 10U);
  shares.give_back("a", 4);
  EXPECT_TRUE(shares.take("b", 4, true));
  EXPECT_FALSE(shares.take("b", 1, true));
  shares.give_back("b", 5);
  EXPECT_FALSE(shares.take("b", 2, false));  // has 3
  EXPECT_TRUE(shares.take("b", 1, false));
  shares.give_back("b", 4);
  shares.give_back("c", 2);
  EXPECT_EQ(shares.taken(), 0U);
  EXPECT_TRUE(shares.take("d", 0, false));
  shares.give_back("d", 0);
  EXPECT_FALSE(shares.take("d", ~std::size_t{0}, true));
}

}  // namespace
}  // namespace ppgnn::collector
