#include "usage.hpp"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "command.hpp"
#include "help.hpp"
#include "ppgnn/core/names.hpp"

namespace ppgnn::app {

namespace {

std::string whole_name(const CLI::App& command) {
  return (command.get_parent() == nullptr ? "" : whole_name(*command.get_parent()) + ' ') + command.get_name();
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const OptionGroup& group : option_groups(command)) {
    for (const CLI::Option* option : group.options) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  }
  return names;
}

std::vector<std::string> command_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* one : commands_of(command)) names.push_back(one->get_name());
  return names;
}

bool is(const CLI::ParseError& error, CLI::ExitCodes code) {
  return error.get_exit_code() == static_cast<int>(code);
}

// CLI11's sentences, where a shorter one says more.
std::string in_words(const CLI::ParseError& error) {
  const std::string said = error.what();
  const std::string_view convert = "Could not convert: ";
  const std::size_t value = said.find(" = ");
  if (is(error, CLI::ExitCodes::ConversionError) && said.starts_with(convert) && value != std::string::npos) {
    return said.substr(convert.size(), value - convert.size()) + ": must be a number, but is " + said.substr(value + 3);
  }
  const std::size_t missing = said.find(": 1 required ");
  if (is(error, CLI::ExitCodes::ArgumentMismatch) && missing != std::string::npos) {
    return said.substr(0, missing) + ": needs a value";
  }
  return said;
}

}  // namespace

std::vector<std::string> without_help_word(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty() || words.front() != kHelp) return words;
  if (words.size() > 1 && words[1].rfind('-', 0) == 0) return words;
  words.erase(words.begin());
  words.emplace_back("--help");
  return words;
}

const CLI::App& named_command(const CLI::App& app) {
  const std::vector<CLI::App*> named = app.get_subcommands();
  return named.empty() ? app : named_command(*named.front());
}

bool lacks_command(const CLI::App& app) {
  return !commands_of(named_command(app)).empty();
}

std::string said_of(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = named_command(app);
  const std::string name = whole_name(command);
  const std::string see = " (see " + name + " --help)";
  const std::vector<std::string> unknown = app.remaining(true);
  if (unknown.empty() || (!lacks_command(app) && !is(error, CLI::ExitCodes::ExtrasError))) {
    return in_words(error) + see;
  }
  const std::string& first = unknown.front();
  const bool top = command.get_parent() == nullptr;
  const std::string short_name = top ? name : name.substr(name.find(' ') + 1);
  if (first.rfind('-', 0) == 0) {
    const std::string option = first.substr(0, first.find('='));
    return short_name + " has no option " + option + did_you_mean(option_names(command), option) + see;
  }
  if (!lacks_command(app)) return short_name + " takes no '" + first + "'" + see;
  return "there is no command " + (top ? first : short_name + ' ' + first) +
         did_you_mean(command_names(command), first) + see;
}

CLI::Validator one_of(std::vector<std::string> names) {
  std::string description;
  for (const std::string& name : names) description += (description.empty() ? "{" : ",") + name;
  return {[names](std::string& text) -> std::string {
            std::string known = meant(names, text);
            if (known.empty()) {
              std::string all;
              for (std::size_t i = 0; i < names.size(); ++i) {
                all += (i == 0 ? "" : i + 1 < names.size() ? ", " : " or ") + names[i];
              }
              return "must be " + all + ", but is " + text + did_you_mean(names, text);
            }
            text = std::move(known);
            return {};
          },
          description + "}"};
}

}  // namespace ppgnn::app
