// The one command of ppgnn-serve.
#include "command.hpp"
#include "help.hpp"

namespace ppgnn::app {

void add_commands(CLI::App& app, Action& action) {
  add_serve(app, action);
  add_help(app, action);
}

}  // namespace ppgnn::app
