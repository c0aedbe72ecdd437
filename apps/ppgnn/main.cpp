// ppgnn <command> [options]: parses, calls the library, prints.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>

#include "command.hpp"
#include "memory.hpp"
#include "ppgnn/core/text.hpp"
#include "ppgnn/core/version.hpp"

namespace {

int run(int argc, char** argv) {
  using ppgnn::app::Status;
  CLI::App app{"Personalised, locally private graph learning, from the device to the trained model.", "ppgnn"};
  app.set_version_flag("--version", ppgnn::version());
  app.set_help_all_flag("--help-all", "Print the help of every command and exit");
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 success; 1 what was checked does not hold; 2 wrong option or parameter;\n"
      "3 malformed or foreign input; 4 a file or address cannot be read or written; 5 internal error;\n"
      "6 stopped by a signal, and what was done is kept; 7 out of memory.\n\n"
      "Example:\n  ppgnn audit --epsilon 1");

  ppgnn::app::Action action;
  ppgnn::app::add_commands(app, action);

  if (argc > 1 && argv[1][0] != '-' &&
      app.get_subcommands([&](const CLI::App* command) { return command->get_name() == argv[1]; }).empty()) {
    ppgnn::app::say(std::string("there is no command ") + argv[1] + "; see ppgnn --help");
    return static_cast<int>(Status::usage);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Help goes out as it is; what repeats an argument is said line by line, so that nothing in it is hidden.
    std::ostringstream out;
    std::ostringstream wrong;
    const bool fine = app.exit(error, out, wrong) == 0;
    fmt::print("{}", out.str());
    std::istringstream lines(wrong.str());
    for (std::string line; std::getline(lines, line);) fmt::print(stderr, "{}\n", ppgnn::escape_hidden(line));
    if (std::fflush(stdout) != 0) throw std::system_error(errno, std::generic_category());
    return static_cast<int>(fine ? Status::success : Status::usage);
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
