#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ppgnn/collector/aside.hpp"
#include "ppgnn/collector/problems.hpp"
#include "ppgnn/collector/rate_limit.hpp"
#include "ppgnn/collector/screens.hpp"
#include "ppgnn/collector/shares.hpp"
#include "ppgnn/collector/writer.hpp"
#include "ppgnn/store/store.hpp"
#include "ppgnn/tokens/tokens.hpp"

namespace ppgnn::collector {

/// Where a request came in: where there is a listener for the administrator, everybody else's answers no path of theirs.
enum class Door { only, outside, inside };

/// What somebody sent, as far as the API looks at it.
struct Request {
  std::string method;
  std::string target;
  std::string authorization;
  std::string type;     ///< of the content
  std::string address;  ///< for limits only
  std::string body;
  Door door = Door::only;
};

struct Response {
  unsigned status = 200;
  std::string type;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  bool close = false;  ///< the connection, afterwards
};

/// Who may ask for something.
enum class Caller { anybody, person, monitor, administrator };  // the last may do what a monitor may

/// Everything the API has. `{}` stands for one part of a path.
struct RouteRow {
  std::string_view method;
  std::string_view path;
  Caller caller;
  std::size_t body;  ///< bytes of content, at most
  std::string_view name;
};
inline constexpr std::size_t kMostBatch = std::size_t{8} << 20;
inline constexpr std::size_t kMostReport = 8192;
inline constexpr std::array kRoutes{RouteRow{"GET", "/", Caller::anybody, 0, "page"},
                                    RouteRow{"GET", "/openapi.json", Caller::anybody, 0, "openapi"},
                                    RouteRow{"GET", "/healthz", Caller::anybody, 0, "health"},
                                    RouteRow{"GET", "/readyz", Caller::anybody, 0, "ready"},
                                    RouteRow{"GET", "/metrics", Caller::monitor, 0, "metrics"},
                                    RouteRow{"GET", "/v1/plan", Caller::anybody, 0, "plan"},
                                    RouteRow{"GET", "/v1/plans/{}", Caller::anybody, 0, "round_plan"},
                                    RouteRow{"GET", "/v1/model", Caller::anybody, 0, "model"},
                                    RouteRow{"GET", "/v1/hint", Caller::person, 0, "hint"},
                                    RouteRow{"GET", "/v1/question", Caller::person, 0, "question"},
                                    RouteRow{"POST", "/v1/reports", Caller::person, kMostReport, "report"},
                                    RouteRow{"DELETE", "/v1/reports", Caller::person, 0, "erase"},
                                    RouteRow{"POST", "/v1/reports/batch", Caller::anybody, kMostBatch, "batch"},
                                    RouteRow{"GET", "/v1/status", Caller::administrator, 0, "status"},
                                    RouteRow{"POST", "/v1/rounds/{}/close", Caller::administrator, 0, "close"},
                                    RouteRow{"DELETE", "/v1/people/{}", Caller::administrator, 0, "erase_person"}};

/// What may change while it answers.
struct Renewable {
  tokens::Keys keys;
  std::map<std::string, tokens::Secret>
      administrators;                     ///< by the name that the trail says; without any, nobody is one
  std::optional<tokens::Secret> monitor;  ///< reads metrics and nothing else
  std::string page;                       ///< the participant's page, as HTML; empty: there is none
};

struct ApiOptions : Renewable {
  bool allow_seeded = false;   ///< also reports made from a seed, for research
  bool open_metrics = false;   ///< metrics for anybody
  double person_a_second = 1;  ///< requests of one person; 0: no limit
  double person_burst = 20;
  double address_a_second = 50;  ///< requests from one address; 0: no limit
  double address_burst = 200;
  double bytes_a_second = 4 << 20;  ///< of batches from one address; 0: no limit
  double bytes_burst = 32 << 20;    ///< at least one batch
  double failed_a_second = 20;      ///< tokens that are none, from one address; 0: no limit
  double failed_burst = 1000;
  std::set<std::string> exempt;                           ///< addresses without a limit, such as a gateway's
  std::size_t largest_contents = std::size_t{128} << 20;  ///< bytes of batches in memory at a time
  std::size_t address_contents = std::size_t{32} << 20;   ///< of them from one address
  Writer::Limits writer;
};

/// Answers requests about one campaign. What it says was stored is on the disk.
///
/// Privacy  No answer says anything of a person but to that person's token or the administrator's; nothing is logged here.
/// Threads  Any. Answers may come from another thread.
/// Source   docs/operations.md, openapi.json
class Api {
 public:
  using Reply = std::function<void(Response response)>;

  /// Errors  Those of the store; mismatch where there is no campaign, malformed for a plan in it that is none.
  [[nodiscard]] static Result<std::unique_ptr<Api>> make(store::Store& store, ApiOptions options);

  /// The route, and who may take it; nullptr: there is none through this door, and `other_methods` says what there is instead.
  [[nodiscard]] static const RouteRow* route(std::string_view method, std::string_view target,
                                             std::string* other_methods = nullptr, Door door = Door::only);

  void handle(Request request, Reply reply);
  /// From now on by these; whatever is being answered keeps what it began with.
  void renew(Renewable renewed);
  /// Looks, aside, whether somebody made a step of the campaign. Until it is read, the state before it is served.
  void look();
  /// The same here and now.
  [[nodiscard]] Result<void> refresh();
  /// What is wrong with the store, as far as the last seconds show; empty: nothing.
  [[nodiscard]] std::string trouble() const;
  /// What was wrong with it since the last call, also where it is good again; empty: nothing.
  [[nodiscard]] std::string take_trouble();
  /// From now on: not ready. What still arrives is answered until `finish`.
  void stop() { stopping_ = true; }
  [[nodiscard]] bool stopping() const { return stopping_; }
  /// Writes what is waiting and answers; no answer comes afterwards.
  void finish() {
    writer_.finish();
    aside_.finish();
  }

  /// Whether reports are being written right now.
  [[nodiscard]] bool writing() const noexcept { return writer_.writing(); }

  /// A response to a request that never got so far, counted like the others.
  [[nodiscard]] Response refuse(Problem problem, std::string_view detail = {});
  /// Counts an answer: for metrics.
  void count(std::string_view route, unsigned status, double seconds);
  /// Whether limits by address leave this one alone.
  [[nodiscard]] bool exempts(const std::string& address) const { return options_.exempt.contains(address); }
  /// Room for the content of requests that are larger than one report, in bytes.
  [[nodiscard]] Shares& contents() { return contents_; }
  /// The refusal of content of this size, before it is read, where the address brought too much lately.
  [[nodiscard]] std::optional<Response> too_much(const std::string& address, std::size_t bytes);
  std::atomic<std::int64_t> connections = 0;
  std::atomic<std::uint64_t> refused_connections = 0;

 private:
  struct View;
  struct Known;
  struct Taken;
  class Items;

  Api(store::Store& store, ApiOptions options);
  [[nodiscard]] std::shared_ptr<const View> view() const;
  [[nodiscard]] std::shared_ptr<const Renewable> renewable() const;
  [[nodiscard]] Result<std::shared_ptr<const View>> load(const View* before);
  [[nodiscard]] Result<void> load_published(View& view);

  [[nodiscard]] std::optional<Response> too_often(const Request& request, const RouteRow* row);
  /// Counts a token that is none; the refusal where there were too many.
  [[nodiscard]] std::optional<Response> too_many_failed(const std::string& address);
  [[nodiscard]] Response unauthorised(const Request& request);
  [[nodiscard]] std::optional<std::string> person_of(const View& view, std::string_view authorization) const;
  /// The name of the administrator whose token it is.
  [[nodiscard]] std::optional<std::string> administrator_of(std::string_view token) const;
  [[nodiscard]] bool may_monitor(std::string_view token) const;
  void dispatch(const RouteRow& row, Request& request, Reply& reply);
  [[nodiscard]] Response plan();
  [[nodiscard]] Response round_plan(std::string_view number);
  [[nodiscard]] Response model();
  [[nodiscard]] Response hint(const std::string& person);
  [[nodiscard]] Response question(const std::string& person);
  [[nodiscard]] Response health() const;
  [[nodiscard]] Response status();
  [[nodiscard]] Response metrics();
  void add_store_metrics(class Samples& samples, const View& now);
  void report(const std::string& person, Request& request, Reply reply);
  void batch(Request& request, Reply reply);
  void take(std::shared_ptr<Items> items);
  [[nodiscard]] std::optional<std::pair<Problem, std::string>> check(const View& view, const Known& person,
                                                                     store::Submission& submission, Taken& taken) const;
  [[nodiscard]] bool read_people();
  /// `by`: for the trail.
  void erase(std::string person, std::string by, Reply reply);
  void close(std::string_view number, std::string by, Reply reply);

  store::Store& store_;
  ApiOptions options_;
  RateLimit by_person_;
  RateLimit by_address_;
  RateLimit bytes_;
  RateLimit failed_;
  mutable std::mutex view_mutex_;
  std::shared_ptr<const View> view_;
  std::string unread_;  // why the last step could not be read
  std::string untold_;  // why one could not since somebody asked
  mutable std::mutex renewable_mutex_;
  std::shared_ptr<const Renewable> renewable_;
  std::mutex refresh_mutex_;
  std::atomic<double> read_seconds_ = 0;  // for the last step
  std::atomic<bool> looking_ = false;
  std::atomic<bool> stopping_ = false;
  Shares contents_;

  static constexpr std::array kBounds{.001, .005, .01, .025, .05, .1, .25, .5, 1.0, 5.0};  // seconds
  mutable std::mutex figures_mutex_;
  std::map<std::pair<std::string, unsigned>, std::uint64_t> answered_;  // by route and status
  std::array<std::uint64_t, kBounds.size() + 1> took_{};
  double took_seconds_ = 0;
  std::array<std::uint64_t, 5> outcomes_{};  // by store::Outcome

  // Last: these go first, and what they do needs the rest.
  Aside aside_;
  Writer writer_;
};

}  // namespace ppgnn::collector
