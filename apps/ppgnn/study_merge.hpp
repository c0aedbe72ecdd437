#pragma once

#include "command.hpp"

namespace ppgnn::app {

/// `ppgnn study merge`.
void add_study_merge(CLI::App& study, Action& action);

}  // namespace ppgnn::app
