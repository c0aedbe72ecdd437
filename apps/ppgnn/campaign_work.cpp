// ppgnn campaign request | work: steps that somebody asks for, carried out where graph and labels are.
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "campaign_options.hpp"
#include "campaign_store.hpp"
#include "ppgnn/core/version.hpp"
#include "ppgnn/store/store.hpp"

namespace ppgnn::app {

namespace {

using nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

// What can be asked for, as the words of a command.
struct Step {
  const char* name;
  std::vector<std::string> words;
};
const std::vector<Step>& steps() {
  static const std::vector<Step> all{{"ask", {"campaign", "ask"}},
                                     {"ask-pilots", {"campaign", "ask", "--pilots"}},
                                     {"train", {"train"}},
                                     {"calibrate", {"campaign", "calibrate"}},
                                     {"publish", {"campaign", "publish"}}};
  return all;
}

struct WorkOptions {
  std::string store;
  std::string step;
  bool once = false;
  bool json = false;
  std::vector<std::string> more;  // for the steps
};

constexpr auto kLook = std::chrono::milliseconds(200);
constexpr auto kTell = std::chrono::seconds(store::kSilence / 6);
constexpr int kLooksBetween = 10;  // at the store, where there is no work

Status request_step(const WorkOptions& options) {
  const Result<std::unique_ptr<store::Store>> store = open_as_user(options.store, store::Opening::existing);
  if (!store) return fail(store.error());
  if (!options.step.empty()) {
    const Result<std::uint64_t> number = (*store)->request(options.step);
    if (!number) return fail(number.error());
  }
  const Result<std::vector<store::Work>> all = (*store)->work();
  if (!all) return fail(all.error());
  ordered_json rows = ordered_json::array();
  for (const store::Work& one : *all) {
    rows.push_back({{"number", one.number}, {"step", one.step}, {"state", one.state}, {"progress", one.progress}});
    if (!options.json) {
      fmt::print("{}: {}, {}{}\n", one.number, one.step, one.state, one.progress.empty() ? "" : ": " + one.progress);
    }
  }
  if (options.json) print_json({{"requests", rows}, {"version", version()}});
  return Status::success;
}

// A step is a process of its own: it takes its memory with it, and ends with this one.
pid_t begin(const std::vector<std::string>& words, int said) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(1);
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (::dup2(nothing, 0) < 0 || ::dup2(nothing, 1) < 0 || ::dup2(said, 2) < 0) ::_exit(1);
  ::execv("/proc/self/exe", arguments.data());
  ::_exit(1);
}

// The last line that a step said, for people who wait for it.
std::string last_line(std::FILE* said) {
  std::rewind(said);
  std::string last;
  std::string line;
  for (int sign = std::fgetc(said); sign != EOF; sign = std::fgetc(said)) {
    if (sign != '\n') line += static_cast<char>(sign);
    if (sign == '\n') last = std::exchange(line, {});
  }
  return last.substr(0, 500);
}

// Carries one out. Whoever has it taken away by silence and comes back is refused, and has changed nothing that the other had not.
Result<bool> carry_out(store::Store& store, const store::Work& work, const WorkOptions& options,
                       const std::atomic<bool>& stop) {
  std::vector<std::string> words{"ppgnn"};
  for (const Step& step : steps()) {
    if (step.name == work.step) words.insert(words.end(), step.words.begin(), step.words.end());
  }
  words.insert(words.end(), {"--store", options.store});
  words.insert(words.end(), options.more.begin(), options.more.end());
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> said(std::tmpfile(), std::fclose);
  if (!said) return Error{ErrorCode::io, "no temporary file can be made"};
  const auto begun = Clock::now();
  auto told = begun;
  const pid_t child = begin(words, ::fileno(said.get()));
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, WNOHANG) == 0) {
    if (stop) ::kill(child, SIGTERM);
    if (Clock::now() - told > kTell) {
      told = Clock::now();
      const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(told - begun).count();
      // The database may be away for a while; the step goes on.
      static_cast<void>(store.tell_work(work.number, "working", fmt::format("for {} s", seconds)));
    }
    std::this_thread::sleep_for(kLook);
  }
  if (stop) return false;
  const bool done = child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  const std::string how = done ? "" : last_line(said.get());
  if (Result<void> ended = store.tell_work(work.number, done ? "done" : "failed", how); !ended) return ended.error();
  if (!options.json) fmt::print("{}: {}, {}{}\n", work.number, work.step, done ? "done" : "failed: ", how);
  std::fflush(stdout);
  return done;
}

Status work(const WorkOptions& options) {
  const std::atomic<bool>& stop = stop_on_signals();
  const Result<std::unique_ptr<store::Store>> store = open_as_user(options.store, store::Opening::existing);
  if (!store) return fail(store.error());
  std::size_t done = 0;
  std::size_t failed = 0;
  while (!stop) {
    const Result<std::optional<store::Work>> one = (*store)->take_work();
    if (!one && (options.once || one.error().code != ErrorCode::unavailable)) return fail(one.error());
    if (one && *one) {
      const Result<bool> well = carry_out(**store, **one, options, stop);
      if (!well) return fail(well.error());
      ++(*well ? done : failed);
      continue;
    }
    if (options.once) break;
    for (int i = 0; i < kLooksBetween && !stop; ++i) std::this_thread::sleep_for(kLook);
  }
  if (options.json) print_json({{"done", done}, {"failed", failed}, {"version", version()}});
  return failed == 0 || !options.once ? Status::success : Status::bad_input;
}

}  // namespace

void add_campaign_work(CLI::App& campaign, Action& action) {
  const auto options = std::make_shared<WorkOptions>();
  std::vector<std::string> names;
  for (const Step& step : steps()) names.emplace_back(step.name);
  CLI::App* request =
      campaign.add_subcommand("request", "Ask for a step that somebody else carries out; or list what was asked for");
  request->add_option("--store", options->store, "Where the campaign is: sqlite:PATH or postgres:service=NAME")
      ->required();
  request->add_option("--step", options->step, "The step; default: none, only list")->check(CLI::IsMember(names));
  request->add_flag("--json", options->json, "Print one JSON object");
  request->footer("Example:\n  ppgnn campaign request --store sqlite:spring.db --step train");
  request->callback([options, &action] { action = [options] { return request_step(*options); }; });

  CLI::App* worker =
      campaign.add_subcommand("work", "Carry out the steps that were asked for, where graph and labels are");
  worker->add_option("--store", options->store, "Where the campaign is: sqlite:PATH or postgres:service=NAME")
      ->required();
  worker->add_flag("--once", options->once, "Do what waits, and end; default: wait for more until SIGTERM");
  worker->add_flag("--json", options->json, "Print one JSON object at the end");
  worker->allow_extras();
  worker->footer(
      "All other options are those of the steps, which it runs: --data, --seed, --spread.\n"
      "It may be killed and run twice: a step is done as a whole or not at all, and a request whose worker said "
      "nothing for\n"
      "a minute is taken by the next one.\n\n"
      "Example:\n  ppgnn campaign work --store sqlite:spring.db --once --data synthetic:social,nodes=500");
  worker->callback([options, worker, &action] {
    options->more = worker->remaining();
    action = [options] { return work(*options); };
  });
}

}  // namespace ppgnn::app
