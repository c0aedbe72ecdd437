#include "ppgnn/io/files.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

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
  EXPECT_FALSE(WholeFile::read("/dev/zero"));
}

TEST(Files, PipesAreRefusedAndNotWaitedFor) {
  const test::TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  ::alarm(20);  // what waits for a writer ends here
  EXPECT_NE(read_file(folder / "pipe").error().message.find("not a regular file"), std::string::npos);
  EXPECT_NE(WholeFile::read(folder / "pipe").error().message.find("not a regular file"), std::string::npos);
  EXPECT_FALSE(read_input(folder / "pipe"));
  ::alarm(0);
}

TEST(Files, AFileThatShrinksChangesNothing) {
  const test::TemporaryFolder folder;
  const std::string content(100'000, 'x');
  test::write_content(folder / "file", content);
  const auto file = WholeFile::read(folder / "file");
  ASSERT_TRUE(file);
  ASSERT_EQ(::truncate((folder / "file").c_str(), 0), 0);
  const auto whole = (*file)->bytes();
  EXPECT_TRUE(std::equal(whole.begin(), whole.end(), content.begin(), content.end()));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(whole.data()) % 4096, 0u);
}

TEST(Files, ReadsStandardInputToItsEnd) {
  const std::string content(300'000, 'y');
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t writer = ::fork();
  if (writer == 0) {
    ::close(ends[0]);
    for (std::size_t at = 0; at < content.size();) {
      const ssize_t done = ::write(ends[1], content.data() + at, std::min<std::size_t>(content.size() - at, 7'000));
      if (done <= 0) ::_exit(1);
      at += static_cast<std::size_t>(done);
    }
    ::_exit(0);
  }
  ::close(ends[1]);
  const int before = ::dup(STDIN_FILENO);
  ::dup2(ends[0], STDIN_FILENO);
  ::close(ends[0]);
  const auto read = read_input("-");
  ::dup2(before, STDIN_FILENO);
  ::close(before);
  ::waitpid(writer, nullptr, 0);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, content);
  EXPECT_EQ(input_name("-"), "standard input");
  EXPECT_EQ(input_name("./-"), "./-");
}

mode_t mode_of(const fs::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

TEST(Files, ReplacingKeepsTheMode) {
  const test::TemporaryFolder folder;
  for (const mode_t mode : {0600u, 0640u, 0755u, 0444u, 0666u}) {
    test::write_content(folder / "file", "before");
    ASSERT_EQ(::chmod((folder / "file").c_str(), mode), 0);
    auto file = AtomicFile::create(folder / "file");
    ASSERT_TRUE(file);
    EXPECT_EQ(mode_of(file->temporary()) & ~mode, 0u) << "readable for more people than before";
    ASSERT_TRUE(file->write(bytes("after")));
    ASSERT_TRUE(file->commit());
    EXPECT_EQ(mode_of(folder / "file"), mode);
    EXPECT_EQ(test::content_of(folder / "file"), "after");
  }
  const mode_t mask = ::umask(027);
  ASSERT_TRUE(write_text(folder / "new", "x"));
  ::umask(mask);
  EXPECT_EQ(mode_of(folder / "new"), 0640u);
}

TEST(Files, TemporariesOfKilledProcessesGo) {
  const test::TemporaryFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    const auto file = AtomicFile::create(folder / "file");
    ::raise(SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  ASSERT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
  test::write_content(folder / ".file.ppgnn.part-not-one-of-ours", "");
  {
    const auto alive = AtomicFile::create(folder / "file");
    ASSERT_TRUE(alive);
    const auto other = AtomicFile::create(folder / "other");
    ASSERT_TRUE(other);
    EXPECT_TRUE(fs::exists(alive->temporary()));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 3);  // the two that live, and the stranger
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
  EXPECT_TRUE(fs::exists(folder / ".file.ppgnn.part-not-one-of-ours"));
}

TEST(Files, TheLongestNameCanBeWritten) {
  const test::TemporaryFolder folder;
  const std::string name(255, 'n');
  ASSERT_TRUE(write_text(folder / name, "x"));
  EXPECT_EQ(test::content_of(folder / name), "x");
}

TEST(Files, ReadsEmptyFiles) {
  const test::TemporaryFolder folder;
  test::write_content(folder / "empty", "");
  const auto file = WholeFile::read(folder / "empty");
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
