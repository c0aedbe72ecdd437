// ppgnn <command> [options]: parses, calls the library, prints.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "command.hpp"
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
      "3 malformed or foreign input; 4 a file or address cannot be read or written; 5 internal error.\n\n"
      "Example:\n  ppgnn audit --epsilon 1");

  ppgnn::app::Action action;
  ppgnn::app::add_run(app, action);
  ppgnn::app::add_plan(app, action);
  ppgnn::app::add_perturb(app, action);
  ppgnn::app::add_train(app, action);
  ppgnn::app::add_predict(app, action);
  ppgnn::app::add_study(app, action);
  ppgnn::app::add_audit(app, action);
  ppgnn::app::add_attack(app, action);
  ppgnn::app::add_data(app, action);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return static_cast<int>(app.exit(error) == 0 ? Status::success : Status::usage);
  }
  return static_cast<int>(action());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {  // out of memory, or a bug
    std::fprintf(stderr, "ppgnn: %s\n", error.what());
    return static_cast<int>(ppgnn::app::Status::internal);
  }
}
