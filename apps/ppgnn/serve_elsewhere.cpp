// ppgnn serve in the command that has everything: another program takes its place, one that faces the network with less.
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include "command.hpp"
#include "serve_options.hpp"

namespace ppgnn::app {

Status run_serve(const ServeOptions&) {
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

}  // namespace ppgnn::app
