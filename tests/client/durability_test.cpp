// What a ledger in a file flushes, and when, and what it opens: open, fsync and rename are played here, in the place of the
// system's.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <string>
#include <vector>

#include "ppgnn/client/client.hpp"
#include "ppgnn/client/file_storage.hpp"
#include "support/plans.hpp"
#include "support/temporary_folder.hpp"

namespace {

std::vector<std::string> calls;  // what was done, in order
int failing = -1;                // which call fails, counted from 0; -1: none
int inherited = 0;               // descriptors that a child would inherit
std::string closed;              // a file that cannot be opened...
int why_closed = 0;              // ...and errno of it

bool fails(const char* call) {
  calls.emplace_back(call);
  if (static_cast<int>(calls.size()) - 1 != failing) return false;
  errno = EIO;
  return true;
}

}  // namespace

extern "C" int fsync(int file) {
  struct stat status {};
  fstat(file, &status);
  inherited += (fcntl(file, F_GETFD) & FD_CLOEXEC) == 0 ? 1 : 0;
  return fails(S_ISDIR(status.st_mode) ? "flush folder" : "flush file") ? -1
                                                                        : static_cast<int>(syscall(SYS_fsync, file));
}
extern "C" int open(const char* path, int flags, ...) {
  if (why_closed != 0 && path == closed) {
    errno = why_closed;
    return -1;
  }
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}
extern "C" int rename(const char* from, const char* to) noexcept {
  return fails("rename") ? -1 : static_cast<int>(syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to));
}

namespace ppgnn::client {
namespace {

struct Device {
  Client client;
  std::string path;

  explicit Device(const std::string& ledger)
      : client(Client::make(test::plan_of(test::signs_request({1, 2}, 8)).text()).value()), path(ledger) {
    EXPECT_TRUE(client.agree({.report = 10, .lifetime = 1e6, .reports = 1000}));
  }
  // The report, or nothing where none may leave.
  std::vector<std::uint8_t> report() {
    auto ledger = Ledger::open(*file_storage(path), client.largest_report());
    if (!ledger) return {};
    std::vector<std::uint8_t> bytes(client.largest_report());
    const std::vector<std::uint32_t> ones{1};
    const auto sent = client.report(ldp::Level{1}, ldp::Row::ones(ones), 0, *ledger, bytes);
    if (!sent) return {};
    return bytes;
  }
};

TEST(Durability, FileThenNameThenFolder) {
  const test::TemporaryFolder folder;
  Device device((folder / "ledger").string());
  calls.clear();
  ASSERT_FALSE(device.report().empty());
  EXPECT_EQ(calls, (std::vector<std::string>{"flush file", "rename", "flush folder"}));
}

// Whatever fails, no report leaves; the next call makes it, or hands out the one that is kept, after the folder is flushed.
TEST(Durability, NothingLeavesThatIsNotFlushed) {
  for (int call = 0; call < 3; ++call) {
    const test::TemporaryFolder folder;
    Device device((folder / "ledger").string());
    calls.clear();
    failing = call;
    EXPECT_TRUE(device.report().empty()) << call;
    EXPECT_EQ(calls.size(), static_cast<std::size_t>(call) + 1);
    calls.clear();
    failing = -1;
    const std::vector<std::uint8_t> sent = device.report();
    ASSERT_FALSE(sent.empty()) << call;
    EXPECT_EQ(calls.back(), "flush folder") << call;
    EXPECT_EQ(device.report(), sent) << call;
  }
}

TEST(Durability, AStoredReportLeavesOnlyOnceItsNameIsFlushed) {
  const test::TemporaryFolder folder;
  Device device((folder / "ledger").string());
  const std::vector<std::uint8_t> sent = device.report();
  ASSERT_FALSE(sent.empty());
  calls.clear();
  failing = 0;
  EXPECT_TRUE(device.report().empty());
  failing = -1;
  EXPECT_EQ(device.report(), sent);
}

TEST(Durability, ALedgerIsNoLink) {
  const test::TemporaryFolder folder;
  ASSERT_EQ(symlink((folder / "elsewhere").c_str(), (folder / "ledger").c_str()), 0);
  Device device((folder / "ledger").string());
  EXPECT_TRUE(device.report().empty());
}

TEST(Durability, ChildrenInheritNoDescriptor) {
  const test::TemporaryFolder folder;
  Device device((folder / "ledger").string());
  calls.clear();
  inherited = 0;
  ASSERT_FALSE(device.report().empty());
  EXPECT_EQ(calls.size(), 3u);
  EXPECT_EQ(inherited, 0);
}

// Whatever the system says but that there is none: nobody knows what was reported, and nothing leaves.
TEST(Durability, OnlyAMissingFileIsNoLedger) {
  const test::TemporaryFolder folder;
  Device device((folder / "ledger").string());
  const std::vector<std::uint8_t> sent = device.report();
  ASSERT_FALSE(sent.empty());
  closed = device.path;
  for (const int why : {EACCES, EPERM, EMFILE, ENFILE, ENOMEM, EIO, ELOOP, ENOTDIR, ENODEV, ESTALE, EOVERFLOW}) {
    why_closed = why;
    EXPECT_TRUE(device.report().empty()) << why;
  }
  why_closed = ENOENT;
  EXPECT_FALSE(device.report().empty());
  why_closed = 0;
}

}  // namespace
}  // namespace ppgnn::client
