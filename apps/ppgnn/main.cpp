// ppgnn <command> [options]: parses, calls the library, prints.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "command.hpp"
#include "help.hpp"
#include "memory.hpp"
#include "ppgnn/core/version.hpp"
#include "usage.hpp"

namespace {

int run(int argc, char** argv) {
  using ppgnn::app::Status;
  CLI::App app{"Personalised, locally private graph learning, from device to trained model.", "ppgnn"};
  app.formatter(std::make_shared<ppgnn::app::Help>());
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.set_version_flag("--version", ppgnn::version());
  app.set_help_all_flag("--help-all", "Print the help of every command and exit");
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 success; 1 what was checked does not hold; 2 wrong option or parameter; 3 malformed or foreign "
      "input; 4 a file or address cannot be read or written; 5 internal error; 6 stopped by a signal, and what was "
      "done "
      "is kept; 7 out of memory.\n\n"
      "Examples:\n  ppgnn audit --epsilon 1\n  ppgnn help run");

  ppgnn::app::Action action;
  ppgnn::app::add_commands(app, action);

  try {
    std::vector<std::string> words = ppgnn::app::without_help_word(argc, argv);
    std::reverse(words.begin(), words.end());  // as CLI11 takes them
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    // A command that has commands lists them where none is named; --help does not hide that one is wrong.
    const bool asked = error.get_exit_code() == 0;
    const bool lists = ppgnn::app::lacks_command(app) && app.remaining(true).empty();
    if (lists || (asked && !ppgnn::app::lacks_command(app))) {
      std::ostringstream out;
      if (asked) app.exit(error, out, out);
      fmt::print("{}", asked ? out.str() : app.help());  // of the command that was named
      if (std::fflush(stdout) != 0) throw std::system_error(errno, std::generic_category());
      return static_cast<int>(Status::success);
    }
    ppgnn::app::say(ppgnn::app::said_of(app, error));
    return static_cast<int>(Status::usage);
  }
  const Status status = action();
  // What a full disk or a closed pipe kept back must not pass for success.
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) throw std::system_error(errno, std::generic_category());
  return static_cast<int>(status);
}

// What was asked for is too much for this machine: no allocation here.
int out_of_memory(const char* amount) {
  std::fprintf(stderr, "ppgnn: out of memory: the system does not give %s\n", amount);
  return static_cast<int>(ppgnn::app::Status::memory);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::resource_unavailable_try_again) return out_of_memory("another thread");
    std::fprintf(stderr, "ppgnn: cannot write the output: %s\n", error.code().message().c_str());
    return static_cast<int>(ppgnn::app::Status::unavailable);
  } catch (const std::bad_array_new_length&) {
    return out_of_memory("an array larger than memory can be");
  } catch (const std::length_error&) {  // of a container
    return out_of_memory("an array larger than memory can be");
  } catch (const std::bad_alloc&) {
    return out_of_memory(ppgnn::app::refused_memory());
  } catch (const std::exception& error) {  // a bug
    std::fprintf(stderr, "ppgnn: %s\n", error.what());
    return static_cast<int>(ppgnn::app::Status::internal);
  }
}
