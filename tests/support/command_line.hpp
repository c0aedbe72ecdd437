#pragma once

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "support/temporary_folder.hpp"

namespace ppgnn::test {

struct CommandResult {
  int status = -1;
  std::string out;
  std::string error;
};

/// Runs the built ppgnn command as a person would, through the shell, in `directory`, fed with the file `input`.
inline CommandResult run_ppgnn(const std::string& arguments, const std::string& directory = ".",
                               const std::string& input = "/dev/null") {
  const TemporaryFolder folder;
  const std::string command = "cd " + directory + " && " + std::string(PPGNN_BINARY) + " " + arguments + " >" +
                              (folder / "out").string() + " 2>" + (folder / "error").string() + " <" + input;
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content_of(folder / "out"), content_of(folder / "error")};
}

/// Starts the command and leaves it running; the caller ends it with finish_ppgnn.
inline pid_t start_ppgnn(const std::string& arguments) {
  const std::string command = "exec " + std::string(PPGNN_BINARY) + " " + arguments + " </dev/null";
  const pid_t child = fork();
  if (child != 0) return child;
  execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
  _exit(127);
}

/// Sends `signal` (0: none) and waits: the exit status, or minus the signal that ended the command. A command that has not ended after
/// two minutes never will: it is killed (-9).
inline int finish_ppgnn(pid_t child, int signal) {
  if (signal != 0) kill(child, signal);
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > end) kill(child, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace ppgnn::test
