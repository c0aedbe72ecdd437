#pragma once

#include <CLI/App.hpp>
#include <CLI/Formatter.hpp>
#include <string>
#include <vector>

#include "command.hpp"

/// What is said of commands and options, made from CLI11's tree: --help, man pages, completion.
namespace ppgnn::app {

/// Options under one heading.
struct OptionGroup {
  std::string title;
  std::vector<const CLI::Option*> options;
};

/// Of a command's options, hidden ones left out: in groups where there are many of them.
[[nodiscard]] std::vector<OptionGroup> option_groups(const CLI::App& command);

/// "-h, --help", "--epsilon FLOAT".
[[nodiscard]] std::string head_of(const CLI::Option& option);

/// What --help says of it, and its choices, limits and default.
[[nodiscard]] std::string about(const CLI::Option& option);

/// The names that an option takes, where they are few.
[[nodiscard]] std::vector<std::string> choices_of(const CLI::Option& option);

/// Subcommands that --help lists.
[[nodiscard]] std::vector<const CLI::App*> commands_of(const CLI::App& command);

/// Help as wide as the terminal.
class Help : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
};

/// `help` and `completion`.
inline constexpr const char* kHelp = "help";
void add_help(CLI::App& app, Action& action);
void add_completion(CLI::App& app, Action& action);

}  // namespace ppgnn::app
