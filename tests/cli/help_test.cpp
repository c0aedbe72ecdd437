// What the command line says of itself, and of lines that are wrong.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "support/command_line.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn {
namespace {

using test::CommandResult;
using test::run_ppgnn;

const std::vector<std::string> kCommands{"",          "run",          "forecast",      "study",        "study list",
                                         "study run", "study report", "study compare", "campaign",     "campaign start",
                                         "enrol",     "serve",        "train",         "predict",      "plan",
                                         "submit",    "perturb",      "audit",         "attack",       "data",
                                         "data list", "data info",    "data convert",  "help --man x", "completion"};

std::size_t widest(const std::string& text) {
  std::istringstream lines(text);
  std::size_t most = 0;
  for (std::string line; std::getline(lines, line);) most = std::max(most, line.size());
  return most;
}

TEST(HelpOfCommands, FitsTheTerminal) {
  for (const std::string& command : kCommands) {
    const CommandResult help = run_ppgnn(command + " --help");
    EXPECT_EQ(help.status, 0) << command << help.error;
    EXPECT_LE(widest(help.out), 80u) << command << "\n" << help.out;
    EXPECT_EQ(help.out.find('\x1b'), std::string::npos) << command;  // no colour where no terminal is
  }
  // A long example goes on after a backslash, so that it can be copied.
  EXPECT_NE(run_ppgnn("run --help").out.find(" --method paper --runs 2 \\\n      --epochs 50\n"), std::string::npos);
}

TEST(HelpOfCommands, ThreeWaysToTheSame) {
  const std::string wanted = run_ppgnn("run --help").out;
  EXPECT_NE(wanted.find("--backbone"), std::string::npos);
  EXPECT_EQ(run_ppgnn("help run").out, wanted);
  EXPECT_EQ(run_ppgnn("run -h").out, wanted);
  EXPECT_EQ(run_ppgnn("help data info").out, run_ppgnn("data info --help").out);
  EXPECT_EQ(run_ppgnn("help serve").out, run_ppgnn("serve --help").out);
  const CommandResult alone = run_ppgnn("");
  EXPECT_EQ(alone.status, 0);
  EXPECT_EQ(alone.out, run_ppgnn("--help").out);
  EXPECT_EQ(run_ppgnn("help").out, alone.out);
  EXPECT_EQ(run_ppgnn("data").out, run_ppgnn("data --help").out);
}

TEST(HelpOfCommands, ListsCommandsAndOptionsInGroups) {
  const std::string commands = run_ppgnn("").out;
  for (const char* group : {"\nRun a campaign:\n", "\nJudge privacy:\n", "\nData and help:\n", "\nOptions:\n"}) {
    EXPECT_NE(commands.find(group), std::string::npos) << group;
  }
  const std::string options = run_ppgnn("run --help").out;
  for (const char* group : {"\nData:\n", "\nMethod:\n", "\nPrivacy:\n", "\nTraining:\n", "\nRuns:\n", "\nOutput:\n"}) {
    EXPECT_NE(options.find(group), std::string::npos) << group;
  }
  EXPECT_NE(options.find("[not with --budgets]"), std::string::npos);
}

TEST(WrongLines, OfferWhatWasMeant) {
  for (const auto& [line, said] : std::vector<std::pair<std::string, std::string>>{
           {"rnu", "there is no command rnu; did you mean run? (see ppgnn --help)"},
           {"rnu --help", "there is no command rnu; did you mean run? (see ppgnn --help)"},
           {"help rnu", "there is no command rnu; did you mean run? (see ppgnn --help)"},
           {"data inof", "there is no command data inof; did you mean info? (see ppgnn data --help)"},
           {"run --epslon 1", "run has no option --epslon; did you mean --epsilon? (see ppgnn run --help)"},
           {"run --epslon=1", "run has no option --epslon; did you mean --epsilon? (see ppgnn run --help)"},
           {"audit now", "audit takes no 'now' (see ppgnn audit --help)"},
           {"run --backbone gnc",
            "--backbone: must be gcn, sage or gat, but is gnc; did you mean gcn? (see ppgnn run --help)"},
           {"run --method stritc", "--method: there is no method stritc; did you mean strict? (see ppgnn run --help)"},
           {"data get corra", "'corra' is not a published data set; see ppgnn data list; did you mean cora?"},
           {"run --hops x", "--hops: must be a number, but is x (see ppgnn run --help)"},
           {"run --runs", "--runs: needs a value (see ppgnn run --help)"}}) {
    const CommandResult result = run_ppgnn(line);
    EXPECT_EQ(result.status, 2) << line;
    EXPECT_EQ(result.out, "") << line;
    EXPECT_EQ(result.error, "ppgnn: " + said + "\n") << line;
  }
  const CommandResult data = run_ppgnn("run --data corra");
  EXPECT_EQ(data.status, 2);
  EXPECT_NE(data.error.find("; did you mean cora?"), std::string::npos) << data.error;
}

TEST(WrongLines, HideNothing) {
  const CommandResult result = run_ppgnn("run $'--e\\nppgnn: fine'");
  EXPECT_EQ(result.error.find('\n'), result.error.size() - 1) << result.error;
}

TEST(Names, AreTakenInAnyCaseAndByAlias) {
  const std::string run = "run --runs 1 --epochs 2 --json --data synthetic:social,nodes=100 --method ";
  const CommandResult sage = run_ppgnn(run + "LPGNN --backbone GraphSAGE");
  EXPECT_EQ(sage.status, 0) << sage.error;
  EXPECT_NE(sage.out.find("\"backbone\": \"sage\""), std::string::npos);
  EXPECT_NE(sage.out.find("\"method\": \"lpgnn\""), std::string::npos);
}

TEST(UnknownStore, DoesNotExist) {
  for (const char* line : {"serve --keys none --store", "campaign status --store", "audit --store"}) {
    const CommandResult result = run_ppgnn(std::string(line) + " sqlite:nowhere.db");
    EXPECT_EQ(result.status, 4) << line << result.error;
  }
  const CommandResult result = run_ppgnn("audit --store sqlite:nowhere.db");
  EXPECT_EQ(result.error, "ppgnn: sqlite:nowhere.db: does not exist (ppgnn campaign start makes it)\n");
}

// The table of several methods: within 80 columns, intervals from three runs on, p corrected for the methods.
TEST(RunTable, SaysWhatItsNumbersAre) {
  const CommandResult three = run_ppgnn("run --data synthetic:social,nodes=1000 --runs 3 --epochs 5");
  ASSERT_EQ(three.status, 0) << three.error;
  for (const char* words : {"nats mean, most", "accuracy, %", " t interval over the splits", "number of methods",
                            "PPGNN paper (PPM): the level is not protected."}) {
    EXPECT_NE(three.out.find(words), std::string::npos) << words << three.out;
  }
  EXPECT_LE(widest(three.out), 80u) << three.out;
  EXPECT_NE(three.out.find('['), std::string::npos);
  const std::string run = "run --data synthetic:social,nodes=200 --runs 2 --epochs 5 --json ";
  const nlohmann::json two = nlohmann::json::parse(run_ppgnn(run).out);
  for (const nlohmann::json& row : two["rows"]) {
    EXPECT_TRUE(row["low"].is_null() && row["high"].is_null()) << row;
    EXPECT_TRUE(row["lift"].is_null() || row["lift"]["p_corrected"].is_null()) << row;
  }
}

// ---- terminals: `script` gives the command one.

std::string on_terminal(const std::string& environment, const std::string& line) {
  const test::TemporaryFolder folder;
  const std::string file = (folder / "out").string();
  const std::string command = "script -qec \"stty cols 72; env " + environment + " " + PPGNN_BINARY + " " + line +
                              "\" /dev/null >" + file + " 2>&1 </dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  return test::content_of(file);
}

TEST(OnATerminal, HelpIsAsWideAndColoured) {
  const std::string help = on_terminal("TERM=xterm", "run --help");
  EXPECT_NE(help.find("\x1b[1mPrivacy:\x1b[0m"), std::string::npos);
  const std::string plain = on_terminal("TERM=xterm NO_COLOR=1", "run --help");
  EXPECT_EQ(plain.find('\x1b'), std::string::npos);
  EXPECT_LE(widest(plain), 73u);  // a carriage return ends each line
  EXPECT_GT(widest(plain), 65u);
  EXPECT_EQ(on_terminal("TERM=dumb", "run --help").find('\x1b'), std::string::npos);
}

TEST(OnATerminal, ABarIsDrawnFromTheStart) {
  const std::string line = "run --runs 2 --epochs 5 --data synthetic:social,nodes=200 --method lpgnn";
  const std::string shown = on_terminal("TERM=xterm NO_COLOR=1", line);
  EXPECT_NE(shown.find("\rtraining [                        ]   0%"), std::string::npos) << shown;
  EXPECT_NE(shown.find("\r\x1b[K"), std::string::npos);  // and taken away
  EXPECT_EQ(on_terminal("TERM=dumb", line).find("0%\x1b"), std::string::npos);
  EXPECT_EQ(run_ppgnn(line).error, "");
}

// ---- completion and man pages.

std::string completed(const std::string& words) {
  const test::TemporaryFolder folder;
  const std::string out = (folder / "out").string();
  const std::string script = "bash -c '. <(" + std::string(PPGNN_BINARY) + " completion bash); COMP_WORDS=(" + words +
                             "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _ppgnn; echo ${COMPREPLY[@]}' >" + out +
                             " 2>&1";
  EXPECT_EQ(std::system(script.c_str()), 0);
  return test::content_of(out);
}

TEST(Completion, OffersCommandsOptionsAndNames) {
  EXPECT_EQ(completed("ppgnn au"), "audit\n");
  EXPECT_EQ(completed("ppgnn data in"), "info\n");
  EXPECT_EQ(completed("ppgnn run --eps"), "--epsilon\n");
  EXPECT_EQ(completed("ppgnn run --backbone s"), "sage\n");
  EXPECT_EQ(completed("ppgnn run --backbone sage --hop"), "--hops\n");
  EXPECT_EQ(completed("ppgnn help for"), "forecast\n");
  EXPECT_EQ(completed("ppgnn run --out ru"), "\n");  // a file, which bash completes itself
}

TEST(Completion, IsShell) {
  const test::TemporaryFolder folder;
  for (const char* shell : {"bash", "zsh"}) {
    const CommandResult script = run_ppgnn(std::string("completion ") + shell);
    ASSERT_EQ(script.status, 0);
    test::write_content(folder / shell, script.out);
    if (std::system((std::string("command -v ") + shell + " >/dev/null").c_str()) != 0) continue;
    EXPECT_EQ(std::system((std::string(shell) + " -n " + (folder / shell).string()).c_str()), 0) << shell;
  }
  EXPECT_EQ(run_ppgnn("completion fish").status, 2);
}

TEST(ManPages, OneForEveryCommand) {
  const test::TemporaryFolder folder;
  ASSERT_EQ(run_ppgnn("help --man " + folder.path().string()).status, 0);
  for (const char* page : {"ppgnn.1", "ppgnn-run.1", "ppgnn-data-info.1", "ppgnn-completion.1"}) {
    const std::string text = test::content_of(folder / page);
    EXPECT_EQ(text.rfind(".TH ", 0), 0u) << page;
    EXPECT_NE(text.find("\n.SH SYNOPSIS\n"), std::string::npos) << page;
  }
  EXPECT_NE(test::content_of(folder / "ppgnn-run.1").find("\\-\\-backbone TEXT"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder / "ppgnn-serve.1"));  // of the other program
}

}  // namespace
}  // namespace ppgnn
