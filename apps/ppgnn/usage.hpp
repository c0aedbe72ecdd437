#pragma once

#include <CLI/App.hpp>
#include <CLI/Error.hpp>
#include <string>
#include <vector>

/// What is said of command lines that are wrong.
namespace ppgnn::app {

/// `help run` is `run --help`, and `help` alone is `--help`.
[[nodiscard]] std::vector<std::string> without_help_word(int argc, char** argv);

/// The command that was named, as far as there is one.
[[nodiscard]] const CLI::App& named_command(const CLI::App& app);

/// Whether a command was named that has commands, and none of these.
[[nodiscard]] bool lacks_command(const CLI::App& app);

/// What is wrong, in one sentence, with the name that may have been meant.
[[nodiscard]] std::string said_of(const CLI::App& app, const CLI::ParseError& error);

}  // namespace ppgnn::app
