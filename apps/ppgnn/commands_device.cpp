// The commands of a device-only build: what needs no graph.
#include "command.hpp"
#include "help.hpp"
#include "submit_link.hpp"

namespace ppgnn::app {

void add_commands(CLI::App& app, Action& action) {
  add_plan(app, action, std::nullopt);
  add_submit(app, action, std::nullopt);
  add_decide(app, action);
  add_audit(app, action, std::nullopt, std::nullopt);
  add_help(app, action);
  add_completion(app, action);
}

}  // namespace ppgnn::app
