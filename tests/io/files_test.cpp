#include "ppgnn/io/files.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/temporary_folder.hpp"

namespace ppgnn::io {
namespace {

namespace fs = std::filesystem;

std::span<const std::uint8_t> bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

TEST(Files, AppearCompleteOrNotAtAll) {
  const test::TemporaryFolder folder;
  const fs::path path = folder / "deep/er/file";
  {
    auto file = AtomicFile::create(path);
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_TRUE(file->write(bytes("half")));
    EXPECT_FALSE(fs::exists(path));
  }
  EXPECT_TRUE(fs::is_empty(folder / "deep/er"));
  auto file = AtomicFile::create(path);
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->write(bytes("whole")));
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(test::content_of(path), "whole");
}

TEST(Files, LinksAreFollowedAndOnlyFilesReplaced) {
  const test::TemporaryFolder folder;
  test::write_content(folder / "file", "before");
  fs::create_symlink(folder / "file", folder / "link");
  fs::create_symlink(folder / "none", folder / "dangling");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  auto file = AtomicFile::create(folder / "link");
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_TRUE(file->write(bytes("after")));
  ASSERT_TRUE(file->commit());
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(test::content_of(folder / "file"), "after");
  for (const char* name : {"pipe", "dangling", "."}) {
    const auto refused = AtomicFile::create(folder / name);
    ASSERT_FALSE(refused) << name;
    EXPECT_EQ(refused.error().code, ErrorCode::io);
  }
  EXPECT_TRUE(fs::is_fifo(folder / "pipe"));
}

TEST(Files, ErrorsNameThePath) {
  const test::TemporaryFolder folder;
  test::write_content(folder / "file", "x");
  EXPECT_EQ(read_file(folder / "none").error().code, ErrorCode::io);
  EXPECT_NE(read_file(folder / "none").error().message.find("none: No such file"), std::string::npos);
  EXPECT_NE(read_file(folder / "").error().message.find("not a regular file"), std::string::npos);
  EXPECT_FALSE(AtomicFile::create(folder / "file/below"));
  EXPECT_FALSE(MappedFile::open("/dev/zero"));
}

TEST(Files, MapsEmptyFiles) {
  const test::TemporaryFolder folder;
  test::write_content(folder / "empty", "");
  const auto file = MappedFile::open(folder / "empty");
  ASSERT_TRUE(file);
  EXPECT_TRUE((*file)->bytes().empty());
}

TEST(Files, ReadsSeveralInOrder) {
  const test::TemporaryFolder folder;
  test::write_content(folder / "a", "1");
  test::write_content(folder / "b", "2");
  const fs::path both[] = {folder / "b", folder / "a"};
  const auto files = read_files(both);
  ASSERT_TRUE(files);
  EXPECT_EQ((*files)[0].bytes, "2");
  const fs::path missing[] = {folder / "a", folder / "c"};
  EXPECT_FALSE(read_files(missing));
}

}  // namespace
}  // namespace ppgnn::io
