// ppgnn help, and man pages with the words of --help.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "help.hpp"
#include "ppgnn/core/version.hpp"
#include "ppgnn/io/files.hpp"

namespace ppgnn::app {

namespace {

// Text that troff shows as it is.
std::string plain(const std::string& text) {
  std::string out;
  bool starts = true;
  for (const char letter : text) {
    if (starts && (letter == '.' || letter == '\'')) out += "\\&";
    starts = letter == '\n';
    if (letter == '\\')
      out += "\\e";
    else if (letter == '-')
      out += "\\-";
    else
      out += letter;
  }
  return out;
}

std::string page_of(const CLI::App& command, const std::string& name) {
  std::string title = name;
  for (char& letter : title) letter = letter == ' ' ? '-' : letter;
  std::string page = fmt::format(".TH \"{}\" 1 \"\" \"ppgnn {}\"\n.SH NAME\n{} \\- {}\n", plain(title), version(),
                                 plain(title), plain(command.get_description()));
  const std::vector<const CLI::App*> commands = commands_of(command);
  page += fmt::format(".SH SYNOPSIS\n.B {}\n{}[OPTIONS]\n", plain(name), commands.empty() ? "" : "COMMAND ");
  if (!commands.empty()) page += ".SH COMMANDS\n";
  for (const CLI::App* one : commands) {
    page += fmt::format(".TP\n.B {}\n{}\n", plain(one->get_name()), plain(one->get_description()));
  }
  for (const OptionGroup& group : option_groups(command)) {
    page += fmt::format(".SH {}\n", group.title == "Options" ? "OPTIONS" : group.title);
    for (const CLI::Option* option : group.options) {
      page += fmt::format(".TP\n.B {}\n{}\n", plain(head_of(*option)), plain(about(*option)));
    }
  }
  if (!command.get_footer().empty()) page += ".SH NOTES\n.nf\n" + plain(command.get_footer()) + "\n.fi\n";
  return page;
}

// A page for every command: ppgnn.1, ppgnn-run.1, ppgnn-data-info.1.
Result<void> write_pages(const CLI::App& command, const std::string& name, const std::filesystem::path& folder) {
  std::string file = name + ".1";
  for (char& letter : file) letter = letter == ' ' ? '-' : letter;
  if (Result<void> done = io::write_text(folder / file, page_of(command, name)); !done) return done;
  for (const CLI::App* one : commands_of(command)) {
    // What another program does stands in that program's pages.
    const bool elsewhere = one->get_help_ptr() == nullptr;
    if (elsewhere) continue;
    if (Result<void> done = write_pages(*one, name + ' ' + one->get_name(), folder); !done) return done;
  }
  return {};
}

}  // namespace

void add_help(CLI::App& app, Action& action) {
  const auto folder = std::make_shared<std::string>();
  CLI::App* help = app.add_subcommand(kHelp, "Say what a command does: ppgnn help COMMAND");
  help->add_option("--man", *folder, "Folder to write a man page of every command into, instead")->required();
  help->footer("Examples:\n  ppgnn help audit\n  ppgnn help --man man");
  help->callback([&app, folder, &action] {
    action = [&app, folder]() -> Status {
      std::error_code failed;
      std::filesystem::create_directories(*folder, failed);
      if (failed) return fail({ErrorCode::io, *folder + ": cannot be made: " + failed.message()});
      const Result<void> written = write_pages(app, app.get_name(), *folder);
      return written ? Status::success : fail(written.error());
    };
  });
}

}  // namespace ppgnn::app
