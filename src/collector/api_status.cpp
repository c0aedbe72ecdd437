// What an operator sees: status and metrics. Nothing in them is about one person.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "collector/outcomes.hpp"
#include "collector/responses.hpp"
#include "collector/view.hpp"
#include "ppgnn/collector/api.hpp"
#include "ppgnn/core/number.hpp"
#include "ppgnn/core/version.hpp"
#include "ppgnn/ldp/mechanism.hpp"

namespace ppgnn::collector {

using nlohmann::ordered_json;

// Prometheus' text: one family of samples after the other.
class Samples {
 public:
  void family(std::string_view name, std::string_view type, std::string_view help) {
    name_ = "ppgnn_" + std::string(name);
    text_ += "# HELP " + name_ + ' ' + std::string(help) + "\n# TYPE " + name_ + ' ' + std::string(type) + '\n';
  }
  template <class Value>
  void add(Value value, const std::string& labels = {}, const char* ending = "") {
    text_ += name_ + ending + (labels.empty() ? "" : '{' + labels + '}') + ' ';
    if constexpr (std::is_floating_point_v<Value>) {
      text_ += format_number(value);
    } else {
      text_ += std::to_string(value);
    }
    text_ += '\n';
  }
  template <class Value>
  void one(std::string_view name, std::string_view type, std::string_view help, Value value) {
    family(name, type, help);
    add(value);
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string name_;
  std::string text_;
};

namespace {

// Of this process in memory; 0 where the system does not say.
std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::string label(std::string_view name, std::string_view value) {
  return std::string(name) + "=\"" + std::string(value) + '"';
}

}  // namespace

void Api::count(std::string_view route, unsigned status, double seconds) {
  const std::lock_guard lock(figures_mutex_);
  ++answered_[{std::string(route), status}];
  std::size_t bucket = 0;
  while (bucket < kBounds.size() && seconds > kBounds[bucket]) ++bucket;
  ++took_[bucket];
  took_seconds_ += seconds;
}

// Of the store only what is known without it: whoever asks whether the process lives does not wait for a disk.
Response Api::health() const {
  ordered_json body{{"status", "alive"}};
  if (!trouble().empty()) body["trouble"] = "the store cannot be written: the log and /v1/status say why";
  return json_response(200, body);
}

Response Api::status() {
  const auto now = view();
  const Result<store::Counts> counts = store_.counts();
  if (!counts) return refuse(Problem::storage);
  ordered_json rounds = ordered_json::array();
  bool alert = false;
  for (std::size_t i = 0; i < now->rounds.size(); ++i) {
    const View::Round& round = now->rounds[i];
    ordered_json screens = ordered_json::array();
    for (const Screen& screen : round.screens->screens()) {
      screens.push_back(
          {{"name", screen.name}, {"surprise", screen.surprise}, {"limit", kSurprise}, {"alert", screen.alert}});
      alert = alert || screen.alert;
    }
    const auto levels = round.screens->levels();
    rounds.push_back({{"round", i},
                      {"kind", ldp::to_text(round.plan->kind())},
                      {"plan", to_hex(round.plan->hash())},
                      {"state", round.open ? "open" : "closed"},
                      {"reports", i < counts->reports.size() ? counts->reports[i] : 0},
                      {"levels", levels ? ordered_json(*levels) : ordered_json(nullptr)},
                      {"screens", std::move(screens)}});
  }
  const std::string why = trouble();
  ordered_json outcomes;
  {
    const std::lock_guard lock(figures_mutex_);
    for (std::size_t i = 0; i < kOutcomes.size(); ++i) outcomes[std::string(kOutcomes[i].name)] = outcomes_[i];
  }
  ordered_json published;  // null: nothing is
  if (now->published != nullptr) {
    published = {{"model", now->published->hash()}, {"withdrawn", now->published->withdrawn}};
    std::istringstream lines(now->published->lift);
    std::string name;
    for (double value = 0; lines >> name >> value;) published[name] = value;
  }
  const ordered_json body{{"campaign", now->name},
                          {"concluded", now->concluded},
                          {"published", std::move(published)},
                          {"enrolled", counts->enrolled},
                          {"erased", counts->erased},
                          {"rounds", std::move(rounds)},
                          {"since_start", std::move(outcomes)},
                          {"waiting", writer_.figures().waiting},
                          {"trouble", why.empty() ? ordered_json(nullptr) : ordered_json(why)},
                          {"alert", alert},
                          {"version", version()}};
  return json_response(200, body);
}

// What has to be asked of the store; without an answer these are left out, and the alerts on writing tell why.
void Api::add_store_metrics(Samples& samples, const View& now) {
  const auto begun = std::chrono::steady_clock::now();
  const Result<store::Counts> counts = store_.counts();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  if (counts) {
    samples.one("store_answer_seconds", "gauge", "How long the store took to count for this answer.", seconds);
    samples.one("enrolled_people", "gauge", "People who may report.", counts->enrolled);
    samples.one("erased_people", "gauge", "People who were erased.", counts->erased);
    samples.family("received_reports", "gauge", "Reports in the store.");
    for (std::size_t i = 0; i < std::min(now.rounds.size(), counts->reports.size()); ++i) {
      samples.add(counts->reports[i], label("round", std::to_string(i)));
    }
    samples.family("expected_reports", "gauge", "People whom a round is for.");
    for (std::size_t i = 0; i < now.rounds.size(); ++i) {
      samples.add(now.rounds[i].everybody ? counts->enrolled : now.rounds[i].asked, label("round", std::to_string(i)));
    }
  }
  const std::filesystem::path file = store::file_of(store_.where());
  if (file.empty()) return;
  std::error_code wrong;
  const auto space = std::filesystem::space(std::filesystem::absolute(file).parent_path(), wrong);
  if (!wrong) samples.one("store_free_bytes", "gauge", "Left on the disk of a store that is a file.", space.available);
  const auto log = std::filesystem::file_size(file.string() + "-wal", wrong);
  if (!wrong) samples.one("store_log_bytes", "gauge", "Length of the log of a store that is a file.", log);
}

Response Api::metrics() {
  const auto now = view();
  const Writer::Figures writer = writer_.figures();
  Samples samples;
  samples.family("requests_total", "counter", "Requests by route and status.");
  std::unique_lock lock(figures_mutex_);
  for (const auto& [key, count] : answered_) {
    samples.add(count, label("route", key.first) + ',' + label("status", std::to_string(key.second)));
  }
  samples.family("request_seconds", "histogram", "From the end of a request's header to its answer.");
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < kBounds.size(); ++i) {
    samples.add(below += took_[i], label("le", format_number(kBounds[i])), "_bucket");
  }
  samples.add(below += took_.back(), label("le", "+Inf"), "_bucket");
  samples.add(took_seconds_, {}, "_sum");
  samples.add(below, {}, "_count");
  samples.family("reports_total", "counter", "Reports by what became of them.");
  for (std::size_t i = 0; i < kOutcomes.size(); ++i) samples.add(outcomes_[i], label("outcome", kOutcomes[i].name));
  lock.unlock();
  samples.one("commits_total", "counter", "Groups of reports written to the disk.", writer.groups);
  samples.one("commit_failures_total", "counter", "Groups that could not be written.", writer.failed);
  samples.one("commit_reports_total", "counter", "Reports in those groups.", writer.reports);
  samples.one("commit_seconds_total", "counter", "Time spent on them.", writer.seconds);
  samples.one("waiting_reports", "gauge", "Reports that wait to be written.", writer.waiting);
  samples.one("waiting_erasures", "gauge", "Erasures and closings that wait to be done.", writer.tasks);
  add_store_metrics(samples, *now);
  samples.one("state_read_seconds", "gauge", "How long reading the state after the last step took.",
              read_seconds_.load());
  samples.one("resident_bytes", "gauge", "Memory of the process.", resident_bytes());
  samples.family("build_info", "gauge", "Always 1.");
  samples.add(1, label("version", version()));
  samples.one("connections", "gauge", "Open connections.", connections.load());
  samples.one("refused_connections_total", "counter", "Connections over the limit.", refused_connections.load());
  samples.one("content_bytes", "gauge", "Batches in memory.", contents_.taken());
  samples.one("stopping", "gauge", "1 while the collector stops.", stopping_ ? 1 : 0);
  samples.family("round_open", "gauge", "1 while a round takes reports.");
  for (std::size_t i = 0; i < now->rounds.size(); ++i) {
    samples.add(now->rounds[i].open ? 1 : 0, label("round", std::to_string(i)));
  }
  samples.family("screen_surprise", "gauge",
                 "Minus the logarithm of the chance that honest devices send such reports.");
  for (std::size_t i = 0; i < now->rounds.size(); ++i) {
    for (const Screen& screen : now->rounds[i].screens->screens()) {
      samples.add(screen.surprise, label("round", std::to_string(i)) + ',' + label("screen", screen.name));
    }
  }
  samples.one("screen_limit", "gauge", "From here a screen raises the alarm.", kSurprise);
  return {200, "text/plain; version=0.0.4; charset=utf-8", samples.take(), {}, false};
}

}  // namespace ppgnn::collector
