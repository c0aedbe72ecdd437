// ppgnn completion: what a shell offers behind ppgnn and a tab, made from the same tree as --help.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "help.hpp"

namespace ppgnn::app {

namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

// Cases of a shell's `case`, for a command and those below it: "ppgnn run": its commands and options; and
// "ppgnn run --backbone": its choices. What takes any other value falls to the shell's names of files.
void add_cases(const CLI::App& command, const std::string& name, std::string& words, std::string& values) {
  std::vector<std::string> all;
  const bool is_help = command.get_name() == kHelp;  // of any command
  for (const CLI::App* one : commands_of(is_help ? *command.get_parent() : command)) {
    all.push_back(one->get_name());
    if (!is_help) add_cases(*one, name + ' ' + one->get_name(), words, values);
  }
  for (const CLI::Option* option :
       command.get_options([](const CLI::Option* one) { return !one->get_group().empty(); })) {
    if (option->get_positional()) continue;
    for (const std::string& long_name : option->get_lnames()) {
      all.push_back("--" + long_name);
      if (option->get_type_size() == 0) continue;
      values += fmt::format("    '{} --{}') echo '{}' ;;\n", name, long_name, joined(choices_of(*option)));
    }
  }
  words += fmt::format("    '{}') echo '{}' ;;\n", name, joined(all));
}

constexpr const char* kTables = R"sh(# Completion of ppgnn, made by `ppgnn completion`.
# What may follow the command $1; fails for what is no command.
_ppgnn_words() {{
  case $1 in
{0}    *) return 1 ;;
  esac
}}
# The choices of an option; fails for what is no option with a value.
_ppgnn_values() {{
  case $1 in
{1}    *) return 1 ;;
  esac
}}
# What may follow these words.
_ppgnn_candidates() {{
  local command=ppgnn last= word
  shift
  for word in "$@"; do
    last=$word
    if _ppgnn_words "$command $word" >/dev/null; then command="$command $word"; fi
  done
  _ppgnn_values "$command $last" || _ppgnn_words "$command"
}}
)sh";

constexpr const char* kBash = R"sh(_ppgnn() {
  local cur=${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=($(compgen -W "$(_ppgnn_candidates "${COMP_WORDS[@]:0:COMP_CWORD}")" -- "$cur"))
}
complete -o bashdefault -o default -F _ppgnn ppgnn
)sh";

constexpr const char* kZsh = R"sh(_ppgnn() {
  local -a found
  found=(${=$(_ppgnn_candidates "${(@)words[1,CURRENT-1]}")})
  compadd -- $found || _files
}
if [ "${funcstack[1]}" = _ppgnn ]; then _ppgnn "$@"; else compdef _ppgnn ppgnn; fi
)sh";

}  // namespace

void add_completion(CLI::App& app, Action& action) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* completion = app.add_subcommand("completion", "Print what makes bash or zsh complete ppgnn's words");
  completion->add_option("shell", *shell, "bash or zsh")->required()->transform(one_of({"bash", "zsh"}));
  completion->footer(
      "Installed with the command. Without that, for one shell:\n  . <(ppgnn completion bash)\n\n"
      "Examples:\n  ppgnn completion bash\n  ppgnn completion zsh");
  completion->callback([&app, shell, &action] {
    action = [&app, shell] {
      std::string words;
      std::string values;
      add_cases(app, app.get_name(), words, values);
      const bool zsh = *shell == "zsh";
      fmt::print("{}{}{}", zsh ? "#compdef ppgnn\n" : "", fmt::format(kTables, words, values), zsh ? kZsh : kBash);
      return Status::success;
    };
  });
}

}  // namespace ppgnn::app
