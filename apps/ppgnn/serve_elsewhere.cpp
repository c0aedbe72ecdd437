// ppgnn serve in the command that has everything: another program takes its place, one that faces the network with less.
// It has the options, and their help.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include "command.hpp"

namespace ppgnn::app {

namespace {

Status become_ppgnn_serve() {
  std::error_code ignored;
  const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const std::string program = (here.parent_path() / "ppgnn-serve").string();
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string words{std::istreambuf_iterator<char>(file), {}};
  std::vector<char*> arguments;
  for (std::size_t at = 0; at < words.size(); at = words.find('\0', at) + 1) arguments.push_back(words.data() + at);
  arguments.push_back(nullptr);
  execv(program.c_str(), arguments.data());
  return fail({ErrorCode::io, program + ": cannot be started: " + std::generic_category().message(errno)});
}

}  // namespace

void add_serve(CLI::App& app, Action& action) {
  CLI::App* serve = app.add_subcommand("serve", kServeSummary);
  serve->set_help_flag();
  serve->prefix_command();
  serve->footer("ppgnn serve --help lists its options, which ppgnn-serve has.");
  serve->callback([&action] { action = become_ppgnn_serve; });
}

}  // namespace ppgnn::app
