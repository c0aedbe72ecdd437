// The one command of ppgnn-serve.
#include "command.hpp"

namespace ppgnn::app {

void add_commands(CLI::App& app, Action& action) {
  add_serve(app, action);
}

}  // namespace ppgnn::app
