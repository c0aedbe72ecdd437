#include "ppgnn/client/file_storage.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <system_error>
#include <vector>

#include "ppgnn/client/client.hpp"
#include "support/plans.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::client {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::uint8_t>;
using Clock = std::chrono::steady_clock;

std::string plan_text(const std::string& campaign) {
  ldp::PlanRequest request = test::bucket_request({1, 2}, 6, 6, 2);
  request.campaign->name = campaign;
  return test::plan_of(request).text();
}

struct Outcome {
  Bytes bytes{};
  bool fresh = false;
  std::string error{};
};

// What an application does, from the start.
Outcome submit(const std::string& plan, const fs::path& file) {
  Client client = Client::make(plan).value();
  client.set_person("ana");
  if (!client.agree({.report = 10, .lifetime = 1e6, .reports = 1000}).ok()) return {.error = "not agreed"};
  Result<Ledger> ledger = Ledger::open(file_storage(file.string()).value(), client.largest_report());
  if (!ledger) return {.error = ledger.error().message};
  Bytes out(client.largest_report());
  const Result<Sent> sent = client.report(ldp::Level{1}, ldp::Row::ones({}), 0, *ledger, out);
  if (!sent) return {.error = sent.error().message};
  out.resize(sent->size);
  return {.bytes = out, .fresh = sent->fresh};
}

// Runs `body` in a child that it may take down; what it returns arrives here.
class Child {
 public:
  explicit Child(const std::function<Bytes()>& body) {
    EXPECT_EQ(pipe(ends_), 0);
    pid_ = fork();
    if (pid_ != 0) {
      close(ends_[1]);
      return;
    }
    const Bytes said = body();
    _exit(write(ends_[1], said.data(), said.size()) == static_cast<ssize_t>(said.size()) ? 0 : 1);
  }
  ~Child() { close(ends_[0]); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  Bytes finish() {
    Bytes said(4096);
    const ssize_t size = read(ends_[0], said.data(), said.size());
    said.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    int status = 0;
    waitpid(pid_, &status, 0);
    return said;
  }

 private:
  int ends_[2] = {-1, -1};
  pid_t pid_ = -1;
};

Bytes as_bytes(const std::string& text) {
  return {text.begin(), text.end()};
}
std::string as_text(const Bytes& bytes) {
  return {bytes.begin(), bytes.end()};
}

TEST(FileStorage, KeepsAReportForTheNextStart) {
  const test::TemporaryFolder folder;
  const std::string plan = plan_text("spring");
  const Outcome first = submit(plan, folder / "ledger");
  ASSERT_TRUE(first.fresh) << first.error;
  const Outcome again = submit(plan, folder / "ledger");
  EXPECT_FALSE(again.fresh);
  EXPECT_EQ(again.bytes, first.bytes);
  struct stat status {};
  ASSERT_EQ(stat((folder / "ledger").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0600u);
  EXPECT_FALSE(fs::exists(folder / "ledger.part"));
}

// A .part that somebody left is no ledger; a link in its place is not followed.
TEST(FileStorage, IgnoresWhatAnotherLeftHalfDone) {
  const test::TemporaryFolder folder;
  test::write_content(folder / "victim", "untouched");
  fs::create_symlink(folder / "victim", folder / "ledger.part");
  EXPECT_TRUE(submit(plan_text("spring"), folder / "ledger").fresh);
  EXPECT_EQ(test::content_of(folder / "victim"), "untouched");
  test::write_content(folder / "ledger.part", "half");
  EXPECT_TRUE(submit(plan_text("autumn"), folder / "ledger").fresh);
}

TEST(FileStorage, RefusesWithASentence) {
  const test::TemporaryFolder folder;
  const std::string plan = plan_text("spring");
  EXPECT_FALSE(file_storage(""));
  EXPECT_FALSE(file_storage("folder/"));
  const auto error = [&](const fs::path& file) { return submit(plan, file).error; };
  EXPECT_EQ(error(folder / "missing/ledger"),
            "ledger: cannot be locked (No such file or directory); no report leaves without it");
  fs::create_directory(folder / "taken");
  EXPECT_EQ(error(folder / "taken"), "ledger: cannot be read (not a regular file); no report leaves without it");
  test::write_content(folder / "empty", "");
  EXPECT_EQ(error(folder / "empty"), "ledger: cannot be read (the file is empty); no report leaves without it");
  test::write_content(folder / "damaged", "ppgnn-ledger 1\nand then nothing of the kind that follows in a ledger");
  EXPECT_NE(error(folder / "damaged").find("ledger: it is damaged"), std::string::npos);
}

TEST(FileStorage, AFullDiskLetsNothingLeave) {
  const test::TemporaryFolder folder;
  const std::string plan = plan_text("spring");
  Child child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{100, 100};  // bytes that a file may have: less than a ledger
    if (setrlimit(RLIMIT_FSIZE, &small) != 0) return as_bytes("no limit");
    return as_bytes(submit(plan, folder / "ledger").error);
  });
  EXPECT_EQ(as_text(child.finish()), "ledger: cannot be written (File too large); no report leaves without it");
  EXPECT_FALSE(fs::exists(folder / "ledger"));
  EXPECT_FALSE(fs::exists(folder / "ledger.part"));
  EXPECT_TRUE(submit(plan, folder / "ledger").fresh);
}

TEST(FileStorage, AReadOnlyFolderLetsNothingLeave) {
  const test::TemporaryFolder folder;
  const std::string plan = plan_text("spring");
  fs::permissions(folder.path(),
                  fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec);
  Child child([&] {
    // Root may write anywhere: be nobody.
    if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0) return as_bytes("still root");
    return as_bytes(submit(plan, folder / "ledger").error);
  });
  EXPECT_EQ(as_text(child.finish()), "ledger: cannot be locked (Permission denied); no report leaves without it");
  fs::permissions(folder.path(), fs::perms::owner_all);
}

TEST(FileStorage, ProcessesAtTheSameTimeSendTheSameReport) {
  const test::TemporaryFolder folder;
  const std::string plan = plan_text("spring");
  std::vector<std::unique_ptr<Child>> children;
  for (int i = 0; i < 8; ++i) {
    children.push_back(std::make_unique<Child>([&] { return submit(plan, folder / "ledger").bytes; }));
  }
  const Bytes stored = children.front()->finish();
  ASSERT_FALSE(stored.empty());
  for (std::size_t i = 1; i < children.size(); ++i) EXPECT_EQ(children[i]->finish(), stored);
}

// Whatever the moment: what was sent is what the ledger has, nothing is damaged, and no campaign is lost. How many
// moments: PPGNN_KILLS, or 20; the seed is printed.
TEST(FileStorage, KilledAtAnyMomentThereIsOneReport) {
  const char* wanted = std::getenv("PPGNN_KILLS");
  const int kills = wanted != nullptr ? std::atoi(wanted) : 20;
  const unsigned seed = std::random_device()();
  std::mt19937 random(seed);
  const test::TemporaryFolder folder;
  const fs::path file = folder / "ledger";

  // How long a whole one takes, as a child.
  const auto start = Clock::now();
  Child whole([&, plan = plan_text("whole")] { return submit(plan, file).bytes; });
  ASSERT_FALSE(whole.finish().empty());
  const auto usual = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start).count();

  int before = 0;   // nothing was stored yet
  int between = 0;  // stored, and not sent
  int after = 0;
  for (int i = 0; i < kills; ++i) {
    const std::string plan = plan_text("c" + std::to_string(i));
    Child child([&] { return submit(plan, file).bytes; });
    usleep(static_cast<useconds_t>(random() % static_cast<unsigned>(usual + usual / 4)));
    kill(child.pid(), SIGKILL);
    const Bytes sent = child.finish();
    const Outcome again = submit(plan, file);
    ASSERT_TRUE(again.error.empty()) << again.error << ", seed " << seed << ", kill " << i;
    if (!sent.empty()) {
      ASSERT_EQ(again.bytes, sent) << "seed " << seed << ", kill " << i;
      ASSERT_FALSE(again.fresh);
    }
    ++(again.fresh ? before : sent.empty() ? between : after);
    const Outcome third = submit(plan, file);
    ASSERT_FALSE(third.fresh);
    ASSERT_EQ(third.bytes, again.bytes);
  }
  Ledger ledger = Ledger::open(file_storage(file.string()).value(), 0).value();
  EXPECT_EQ(ledger.spending()->reports, static_cast<std::uint64_t>(kills) + 1);
  printf("killed %d times, seed %u: %d before it was stored, %d between, %d after it was sent\n", kills, seed, before,
         between, after);
}

// A ledger that is there and may not be read says nothing about what was reported: it is not taken for none.
TEST(FileStorage, ALedgerThatMayNotBeReadLetsNothingLeave) {
  const test::TemporaryFolder folder;
  const std::string spring = plan_text("spring");
  const std::string autumn = plan_text("autumn");
  fs::permissions(folder.path(), fs::perms::all);
  Child child([&] {
    // Root may read anything: be nobody.
    if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0) return as_bytes("still root");
    if (!submit(spring, folder / "ledger").fresh) return as_bytes("no ledger");
    if (chmod((folder / "ledger").c_str(), 0) != 0) return as_bytes("still readable");
    return as_bytes(submit(autumn, folder / "ledger").error);
  });
  EXPECT_EQ(as_text(child.finish()), "ledger: cannot be read (Permission denied); no report leaves without it");
}

// A program that an application starts gets neither the lock nor the ledger.
TEST(FileStorage, ChildrenInheritNoDescriptor) {
  const test::TemporaryFolder folder;
  const Storage storage = file_storage((folder / "ledger").string()).value();
  ASSERT_EQ(storage.lock(storage.host), 0);
  int open_here = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code none;
    if (!fs::read_symlink(entry.path(), none).string().starts_with(folder.path().string())) continue;
    ++open_here;
    EXPECT_NE(fcntl(std::stoi(entry.path().filename().string()), F_GETFD) & FD_CLOEXEC, 0);
  }
  EXPECT_EQ(open_here, 1);
  storage.unlock(storage.host);
  storage.release(storage.host);
}

}  // namespace
}  // namespace ppgnn::client
