#include "ppgnn/io/base64url.hpp"

#include <gtest/gtest.h>

namespace ppgnn::io {
namespace {

TEST(Base64, OneSpellingOnly) {
  for (std::size_t size = 0; size < 40; ++size) {
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(i * 89 + size);
    EXPECT_EQ(from_base64url(to_base64url(bytes)), bytes);
  }
  EXPECT_EQ(to_base64url("\xfb\xff\xfe"), "-__-");
  for (const char* bad : {"A", "AB", "AAB", "A=", "A+AA", "AA A"}) EXPECT_EQ(from_base64url(bad), std::nullopt) << bad;
}

}  // namespace
}  // namespace ppgnn::io
