#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "support/temporary_folder.hpp"

namespace ppgnn::test {

struct CommandResult {
  int status = -1;
  std::string out;
  std::string error;
};

/// Runs the built ppgnn command as a person would, through the shell, in `directory`.
inline CommandResult run_ppgnn(const std::string& arguments, const std::string& directory = ".") {
  const TemporaryFolder folder;
  const std::string command = "cd " + directory + " && " + std::string(PPGNN_BINARY) + " " + arguments + " >" +
                              (folder / "out").string() + " 2>" + (folder / "error").string() + " </dev/null";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content_of(folder / "out"), content_of(folder / "error")};
}

}  // namespace ppgnn::test
