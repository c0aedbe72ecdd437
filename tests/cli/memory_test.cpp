// Out of memory is an answer: status 7 and a sentence, whatever the command was about to do.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "support/temporary_folder.hpp"

namespace ppgnn {
namespace {

struct Limited {
  int status = -1;
  std::string out;
  std::string error;
};

// Runs the command with so many kB of address space.
Limited run_within(std::size_t kilobytes, const std::string& arguments) {
  const test::TemporaryFolder folder;
  const std::string command = "ulimit -v " + std::to_string(kilobytes) + " && cd " + folder.path().string() + " && " +
                              PPGNN_BINARY + " " + arguments + " >out 2>error </dev/null";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, test::content_of(folder / "out"),
          test::content_of(folder / "error")};
}

TEST(OutOfMemory, IsAStatusAndASentenceWithTheAmount) {
  for (const char* command :
       {"data info synthetic:social,nodes=4000000000", "run --data synthetic:social,nodes=1000000000",
        "attack --data synthetic:social,nodes=1000000000"}) {
    const Limited result = run_within(1000000, command);
    EXPECT_EQ(result.status, 7) << command << ": " << result.error;
    EXPECT_EQ(result.out, "") << command;
    EXPECT_TRUE(result.error.starts_with("ppgnn: out of memory: the system does not give ")) << result.error;
    EXPECT_NE(result.error.find(" GB\n"), std::string::npos) << result.error;
  }
}

// In the middle of a training, inside the tasks of a pool: one array after the other is given until one is not.
TEST(OutOfMemory, ArrivesFromThePoolToo) {
  const Limited result = run_within(700000,
                                    "run --method strict --data synthetic:social,nodes=60000 --hidden 4096 --runs 2 "
                                    "--epochs 1 --scale raw --threads 2");
  EXPECT_EQ(result.status, 7) << result.error;
  EXPECT_NE(result.error.find("ppgnn: out of memory: "), std::string::npos) << result.error;
}

TEST(OutOfMemory, HelpSaysSo) {
  const Limited help = run_within(4000000, "--help");
  EXPECT_EQ(help.status, 0);
  std::string words = help.out;
  std::replace(words.begin(), words.end(), '\n', ' ');
  EXPECT_NE(words.find("7 out of memory"), std::string::npos) << help.out;
}

}  // namespace
}  // namespace ppgnn
