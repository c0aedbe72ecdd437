#pragma once

#include <CLI/App.hpp>
#include <CLI/Validators.hpp>
#include <atomic>
#include <chrono>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "output_files.hpp"
#include "ppgnn/core/result.hpp"
#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/ldp/schema.hpp"

namespace ppgnn::app {

/// Exit statuses of every command; `ppgnn --help` lists them.
enum class Status : int {
  success = 0,
  refuted = 1,      ///< the command ran, and what it checks does not hold
  usage = 2,        ///< an option or parameter is wrong
  bad_input = 3,    ///< a file is malformed or belongs to something else
  unavailable = 4,  ///< a file or address could not be read or written
  internal = 5,     ///< a bug
  stopped = 6,      ///< by SIGINT or SIGTERM; what was done is kept
  memory = 7,       ///< there is not enough of it for what was asked
};

Status status_of(ErrorCode code) noexcept;

/// What the chosen command does after parsing.
using Action = std::function<Status()>;

/// Prints "ppgnn: message" to stderr, one line whatever names are in it: hidden characters are written out.
void say(const std::string& message);

/// The error of an option or parameter that is wrong.
Error invalid(std::string message);

/// The check of an option that takes one of these names, in any case or by a usual alias (core/names.hpp).
[[nodiscard]] CLI::Validator one_of(std::vector<std::string> names);

/// Says the error's message and returns the status of the error's code.
Status fail(const Error& error);

/// Adds --label-privacy and --graph-privacy, which are kept for a version that has them: given, the command refuses
/// them and exits with Status::usage.
void reserved_options(CLI::App& command);

/// Prints one JSON object to stdout. What is not UTF-8 in it becomes U+FFFD.
void print_json(const nlohmann::ordered_json& object);

/// "5 h 12 min", "3 min 20 s" or "45 s".
std::string show_duration(double seconds);

/// A bar on stderr with what is done and how long the rest will take; on a terminal only.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(double done, double total);

 private:
  void draw(double share, double elapsed);

  std::string what_;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point shown_;
  bool terminal_;
};

/// From now on the first SIGINT or SIGTERM asks for a stop, which the flag says; a second one does not wait.
const std::atomic<bool>& stop_on_signals();

/// Where `plan` and `audit` may take columns from: data, where there is a reader for it.
struct ColumnsSource {
  std::function<void(CLI::App& command)> add_to;  ///< adds its options
  std::function<bool()> given;                    ///< whether somebody named data
  /// Refuses outputs that are files of the data.
  std::function<Result<void>(const std::vector<NamedFile>& outputs)> check_apart;
  /// The columns, and what a person must know of where they come from.
  std::function<Result<std::vector<ldp::ColumnGroup>>(std::string& note)> read;
};

/// Where `audit` may take plans from besides a plan file: a campaign, where this build has them.
struct PlansSource {
  std::function<void(CLI::App& command)> add_to;  ///< adds its options
  std::function<bool()> given;                    ///< whether somebody named a campaign
  std::function<Result<std::vector<ldp::Plan>>()> read;
};

struct CollectorLink;  // submit_link.hpp
CollectorLink collector_link();

// One function per command: adds its options to `app` and sets `action` when it is chosen.
void add_attack(CLI::App& app, Action& action);
void add_audit(CLI::App& app, Action& action, std::optional<ColumnsSource> data, std::optional<PlansSource> campaign);
void add_campaign(CLI::App& app, Action& action);
void add_data(CLI::App& app, Action& action);
void add_decide(CLI::App& app, Action& action);
void add_enrol(CLI::App& app, Action& action);
void add_forecast(CLI::App& app, Action& action);
void add_perturb(CLI::App& app, Action& action);
void add_plan(CLI::App& app, Action& action, std::optional<ColumnsSource> data);
void add_predict(CLI::App& app, Action& action);
void add_run(CLI::App& app, Action& action);
/// In ppgnn-serve: the collector. In ppgnn: what becomes ppgnn-serve, which stands beside it.
void add_serve(CLI::App& app, Action& action);
inline constexpr const char* kServeSummary = "Collect reports over HTTP, one per person and campaign";
void add_study(CLI::App& app, Action& action);
void add_submit(CLI::App& app, Action& action, std::optional<CollectorLink> link);
void add_train(CLI::App& app, Action& action);

/// All that this build has: commands.cpp, or commands_device.cpp.
void add_commands(CLI::App& app, Action& action);

/// A paragraph broken at spaces so that lines stay within `width`, each indented.
[[nodiscard]] std::string wrapped(std::string_view text, std::string_view indent, std::size_t width = 100);

}  // namespace ppgnn::app
