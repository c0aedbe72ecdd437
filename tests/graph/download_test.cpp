#include "ppgnn/graph/download.hpp"

#include <gtest/gtest.h>

#include "support/http_server.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::graph {
namespace {

namespace fs = std::filesystem;
using test::HttpServer;

constexpr const char* kContent = "hello\n";
constexpr const char* kPath = "/owner/name/master/data/hello.txt";

PublishedFile hello(DigestKind kind = DigestKind::sha256) {
  return {"town/hello.txt",
          "owner/name",
          "data/hello.txt",
          kind,
          kind == DigestKind::sha256 ? "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"
                                     : "ce013625030ba8dba906f756967f9e9ca394464a",
          "",
          ""};
}

std::size_t files_below(const fs::path& folder) {
  std::size_t count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) count += entry.is_regular_file() ? 1u : 0u;
  return count;
}

TEST(Download, FetchesChecksAndRenames) {
  const HttpServer server({{kPath, HttpServer::ok(kContent)}});
  for (const DigestKind kind : {DigestKind::sha256, DigestKind::git_blob}) {
    const test::TemporaryFolder folder;
    std::uint64_t received = 0;
    DownloadOptions options;
    options.publisher = server.address();
    options.progress = [&](const DownloadProgress& progress) { received = progress.received; };
    const auto done = download(hello(kind), folder / "", options);
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_EQ(test::content_of(folder / "town/hello.txt"), kContent);
    EXPECT_EQ(received, 6u);
    EXPECT_EQ(files_below(folder / ""), 1u);
  }
}

// Each of these leaves the file that was there before as it was, and nothing beside it.
TEST(Download, WhateverGoesWrongNothingAppears) {
  const std::pair<std::string, ErrorCode> cases[] = {
      {HttpServer::ok("HELLO\n"), ErrorCode::mismatch},                                               // other bytes
      {HttpServer::ok("hel", 6), ErrorCode::io},                                                      // cut connection
      {HttpServer::ok("", 6), ErrorCode::io},                                                         // cut at once
      {"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhel", ErrorCode::mismatch},                       // cut, no length
      {"HTTP/1.1 500 Oops\r\nConnection: close\r\nContent-Length: 6\r\n\r\nhello\n", ErrorCode::io},  // server error
      {"garbage", ErrorCode::io},
      {"", ErrorCode::io},
      {"HTTP/1.1 302 Found\r\nConnection: close\r\nLocation: file:///etc/hostname\r\nContent-Length: 0\r\n\r\n",
       ErrorCode::io},
      {"HTTP/1.1 302 Found\r\nConnection: close\r\nLocation: /gone\r\nContent-Length: 0\r\n\r\n", ErrorCode::io}};
  for (const auto& [answer, code] : cases) {
    const HttpServer server({{kPath, answer}});
    const test::TemporaryFolder folder;
    test::write_content(folder / "town/hello.txt", "before");
    const auto done = download(hello(), folder / "", {server.address(), {}});
    ASSERT_FALSE(done) << answer;
    EXPECT_EQ(done.error().code, code) << answer << ": " << done.error().message;
    EXPECT_EQ(test::content_of(folder / "town/hello.txt"), "before");
    EXPECT_EQ(files_below(folder / ""), 1u);
  }
}

TEST(Download, AFileWithoutEndIsRefused) {
  const HttpServer server({{kPath, HttpServer::ok(std::string(100000, 'x'))}});
  const test::TemporaryFolder folder;
  const auto done = download(hello(), folder / "", {server.address(), {}, 1000});
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("longer than 1000 bytes"), std::string::npos) << done.error().message;
}

TEST(Download, OfflineItSaysWhichFileGoesWhere) {
  std::string nowhere;
  { nowhere = HttpServer({}).address(); }  // nobody listens there any more
  const test::TemporaryFolder folder;
  const auto done = download(hello(), folder / "", {nowhere, {}});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::io);
  EXPECT_NE(done.error().message.find("cannot fetch " + nowhere + kPath), std::string::npos) << done.error().message;
  EXPECT_NE(done.error().message.find("put that file at " + (folder / "town/hello.txt").string() + " by hand"),
            std::string::npos);
}

TEST(Download, WhatIsNotPublishedIsNotFetched) {
  const test::TemporaryFolder folder;
  PublishedFile file = hello();
  file.repository = "";
  const auto done = download(file, folder / "");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace ppgnn::graph
