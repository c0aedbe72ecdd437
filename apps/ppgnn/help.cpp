#include "help.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "terminal.hpp"

namespace ppgnn::app {

namespace {

// What options are about, by their names: the same in every command. Others are listed first, under "Options".
struct Subject {
  std::string_view title;
  std::string_view names;
};
constexpr std::array kSubjects{
    Subject{"Data",
            " --data --data-dir --missing --schema --features --plan --model --reports --people --questions --levels "},
    Subject{"Method",
            " --method --operator --sampled --reading --delta --kind --classes --response --pilots --spread "
            "--hint --hint-friends --targets --no-reference "},
    Subject{"Privacy", " --epsilon --budgets --level-budget --level-public --gamma "},
    Subject{"Training",
            " --backbone --hops --scale --epochs --lr --weight-decay --dropout --hidden --checkpoint "
            "--checkpoint-every --resume "},
    Subject{"Limits",
            " --connections --address-connections --idle --timeout --drain --waiting --person-rate "
            "--address-rate --person-burst --address-burst --address-bytes --failed-tokens --exempt "},
    Subject{"Runs", " --runs --seed --split-seed --noise-seed --trials --alpha "},
    Subject{"Output", " --out --json --force "}};
constexpr std::size_t kFew = 12;  // options that need no groups

std::string_view subject_of(const CLI::Option& option) {
  const std::string name = " " + option.get_name() + " ";
  for (const Subject& subject : kSubjects) {
    if (subject.names.find(name) != std::string_view::npos) return subject.title;
  }
  return "Options";
}

std::string_view title_of(const CLI::Option& option, bool grouped) {
  if (option.get_positional()) return "Arguments";
  return grouped ? subject_of(option) : "Options";
}

// What stands behind the type: "TEXT:{a,b}", "UINT:UINT in [2 - 9]".
std::string limits_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t start = type.find(" in [");
  if (start == std::string::npos) return {};
  std::string limits = type.substr(start + 5, type.find(']', start) - start - 5);
  const std::size_t dash = limits.find(" - ");
  return dash == std::string::npos ? limits : limits.replace(dash, 3, " to ");
}

bool says(const std::string& text, const std::vector<std::string>& choices) {
  return std::all_of(choices.begin(), choices.end(),
                     [&](const std::string& choice) { return text.find(choice) != std::string::npos; });
}

std::string together(const std::string& before, const std::set<CLI::Option*>& options) {
  std::string names;
  for (const CLI::Option* one : options) {
    if (!one->get_group().empty()) names += (names.empty() ? before : std::string(", ")) + one->get_name();
  }
  return names.empty() ? names : " [" + names + "]";
}

// Lines of at most `width`, indented; lines that `text` breaks itself stay broken.
std::string paragraphs(const std::string& text, std::size_t indent, std::size_t width) {
  std::string out;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string line = text.substr(start, end - start);
    const bool is_command = line.rfind("  ppgnn", 0) == 0;
    if (is_command && line.size() > width) {  // goes on after a backslash, so that it can be copied
      std::string broken = wrapped(std::string_view(line).substr(2), "      ", width - 2);
      for (std::size_t at = 0; (at = broken.find('\n', at)) != broken.size() - 1; at += 3)
        broken.replace(at, 1, " \\\n");
      out += broken.substr(4);
    } else if (line.empty()) {
      out += '\n';
    } else {
      const std::size_t own = line.find_first_not_of(' ');
      out += wrapped(std::string_view(line).substr(own), std::string(indent + own, ' '), width);
    }
    start = end + 1;
  }
  return out;
}

// A head, and its text beside it, or below where the head is long.
std::string entry(const std::string& head, const std::string& text, std::size_t column, std::size_t width) {
  std::string body = wrapped(text, std::string(column, ' '), width);
  if (body.empty()) body = "\n";
  const std::string shown = "  " + styled(STDOUT_FILENO, Style::cyan, head);
  if (head.size() + 4 > column) return shown + '\n' + body;
  return shown + std::string(column - head.size() - 2, ' ') + body.substr(std::min(column, body.size()));
}

std::string heading(const std::string& title) {
  return "\n" + styled(STDOUT_FILENO, Style::bold, title + ":") + "\n";
}

}  // namespace

std::vector<OptionGroup> option_groups(const CLI::App& command) {
  const std::vector<const CLI::Option*> all =
      command.get_options([](const CLI::Option* option) { return !option->get_group().empty(); });
  std::vector<OptionGroup> groups{{"Arguments", {}}, {"Options", {}}};
  for (const Subject& subject : kSubjects) groups.push_back({std::string(subject.title), {}});
  for (const CLI::Option* option : all) {
    const std::string_view title = title_of(*option, all.size() > kFew);
    std::find_if(groups.begin(), groups.end(), [&](const OptionGroup& group) {
      return group.title == title;
    })->options.push_back(option);
  }
  std::erase_if(groups, [](const OptionGroup& group) { return group.options.empty(); });
  return groups;
}

std::string head_of(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true);
  std::string head = option.get_name(false, true);
  for (std::size_t comma = 0; (comma = head.find(',', comma)) != std::string::npos; comma += 2) {
    head.replace(comma, 1, ", ");
  }
  const std::string type = option.get_type_name();
  if (option.get_type_size() == 0 || type.empty()) return head;
  head += ' ' + type.substr(0, type.find(':'));
  return option.get_expected_max() > 1 ? head + "..." : head;
}

std::string about(const CLI::Option& option) {
  std::string text = option.get_description();
  const std::vector<std::string> choices = choices_of(option);
  if (!says(text, choices)) {
    std::string names;
    for (const std::string& choice : choices) names += (names.empty() ? "" : ", ") + choice;
    text += " [" + names + "]";
  }
  if (const std::string limits = limits_of(option); !limits.empty() && text.find(limits) == std::string::npos) {
    text += " [" + limits + "]";
  }
  if (option.get_required()) text += " [required]";
  if (!option.get_default_str().empty()) text += " [default: " + option.get_default_str() + "]";
  if (!option.get_envname().empty()) text += " [or by " + option.get_envname() + "]";
  return text + together("with ", option.get_needs()) + together("not with ", option.get_excludes());
}

std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t start = type.find('{');
  const std::size_t end = type.find('}');
  std::vector<std::string> choices;
  if (start == std::string::npos || end == std::string::npos) return choices;
  for (std::size_t at = start + 1; at < end;) {
    const std::size_t comma = std::min(type.find(',', at), end);
    choices.push_back(type.substr(at, comma - at));
    at = comma + 1;
  }
  return choices;
}

std::vector<const CLI::App*> commands_of(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); });
}

std::string Help::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  const std::size_t width = line_width();
  const std::size_t column = width < 70 ? 8 : 26;
  std::string usage = "Usage: " + name;
  const std::vector<OptionGroup> options = option_groups(*app);
  if (options.front().title != "Arguments" || options.size() > 1) usage += " [OPTIONS]";
  const std::vector<const CLI::App*> commands = commands_of(*app);
  if (!commands.empty()) usage += " COMMAND";
  for (const CLI::Option* argument : app->get_options([](const CLI::Option* one) { return one->get_positional(); })) {
    usage += ' ' + make_option_usage(argument);
  }
  std::string out = paragraphs(app->get_description() + "\n" + usage, 0, width);
  std::vector<std::string> titles;
  for (const CLI::App* one : commands) {
    if (std::find(titles.begin(), titles.end(), one->get_group()) == titles.end()) titles.push_back(one->get_group());
  }
  for (const std::string& title : titles) {
    out += heading(title == "Subcommands" ? "Commands" : title);  // CLI11's name for those that nobody grouped
    for (const CLI::App* one : commands) {
      if (one->get_group() == title) out += entry(one->get_name(), one->get_description(), 15, width);
    }
  }
  for (const OptionGroup& group : options) {
    out += heading(group.title);
    for (const CLI::Option* option : group.options) out += entry(head_of(*option), about(*option), column, width);
  }
  if (!app->get_footer().empty()) out += '\n' + paragraphs(app->get_footer(), 0, width);
  if (mode == CLI::AppFormatMode::All) {
    for (const CLI::App* one : commands) out += "\n\n" + make_help(one, name + ' ' + one->get_name(), mode);
  }
  return out;
}

}  // namespace ppgnn::app
