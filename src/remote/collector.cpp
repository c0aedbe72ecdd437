#include "ppgnn/remote/collector.hpp"

#include <arpa/inet.h>
#include <curl/curl.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <utility>

#include "ppgnn/core/sha256.hpp"
#include "ppgnn/io/base64url.hpp"

namespace ppgnn::remote {

namespace {

using nlohmann::json;

constexpr std::size_t kMostAnswer = std::size_t{16} << 20;

struct FreeList {
  void operator()(curl_slist* list) const noexcept { curl_slist_free_all(list); }
};

std::size_t take(char* data, std::size_t one, std::size_t count, void* into) {
  auto& body = *static_cast<std::string*>(into);
  if (body.size() + one * count > kMostAnswer) return 0;
  body.append(data, one * count);
  return one * count;
}

bool is_this_machine(std::string_view host) {
  in_addr address{};
  const bool number = inet_pton(AF_INET, std::string(host).c_str(), &address) == 1;
  return host == "localhost" || host == "[::1]" || (number && ntohl(address.s_addr) >> 24 == 127);
}

}  // namespace

struct Collector::State {
  struct FreeCurl {
    void operator()(CURL* one) const noexcept { curl_easy_cleanup(one); }
  };
  std::unique_ptr<CURL, FreeCurl> handle;
  std::string url;
  double patience = 0;
  std::string body;

  // One try: the status; 0 where nobody answered.
  long exchange(const char* method, const std::string& path, std::string_view token, std::string_view content);
  // Tries again while it makes sense.
  Result<long> insist(const char* method, const std::string& path, std::string_view token, std::string_view content);
  [[nodiscard]] Error refusal(long status) const;
};

long Collector::State::exchange(const char* method, const std::string& path, std::string_view token,
                                std::string_view content) {
  CURL* curl = handle.get();
  body.clear();
  std::unique_ptr<curl_slist, FreeList> headers;
  const auto add = [&](const std::string& line) { headers.reset(curl_slist_append(headers.release(), line.c_str())); };
  add("Expect:");
  if (!token.empty()) add("Authorization: Bearer " + std::string(token));
  if (!content.empty()) add("Content-Type: application/cbor");
  const std::string whole = url + path;
  curl_easy_setopt(curl, CURLOPT_URL, whole.c_str());
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
  if (content.empty()) {
    curl_easy_setopt(curl, CURLOPT_HTTPGET, 1L);
  } else {
    curl_easy_setopt(curl, CURLOPT_POST, 1L);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, content.data());
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(content.size()));
  }
  curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &body);
  const CURLcode code = curl_easy_perform(curl);
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, nullptr);
  long status = 0;
  if (code == CURLE_OK) curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  if (code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE) status = -1;
  return status;
}

Result<long> Collector::State::insist(const char* method, const std::string& path, std::string_view token,
                                      std::string_view content) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(patience);
  for (double wait = .05;; wait = std::min(2 * wait, 5.0)) {
    const long status = exchange(method, path, token, content);
    if (status == -1) return Error{ErrorCode::io, url + ": its certificate is not to be trusted"};
    if (status != 0 && status != 429 && status != 503) return status;
    curl_off_t asked = 0;
    if (status != 0) curl_easy_getinfo(handle.get(), CURLINFO_RETRY_AFTER, &asked);
    const double pause = std::max(wait, static_cast<double>(asked));
    if (Clock::now() + std::chrono::duration<double>(pause) > end) {
      return status == 0 ? Error{ErrorCode::io, url + ": cannot be reached"} : refusal(status);
    }
    std::this_thread::sleep_for(std::chrono::duration<double>(pause));
  }
}

Error Collector::State::refusal(long status) const {
  const json problem = json::parse(body, nullptr, false);
  std::string what = url + ": refused (" + std::to_string(status) + ")";
  std::string type;
  if (problem.is_object() && problem.value("title", json()).is_string()) {
    what += ": " + problem["title"].get<std::string>();
    if (problem.value("detail", json()).is_string()) what += ": " + problem["detail"].get<std::string>();
    if (problem.value("type", json()).is_string()) type = problem["type"];
  }
  const bool again = status == 429 || status >= 500;
  return {type.ends_with(":different-report") ? ErrorCode::reported
          : again                             ? ErrorCode::io
                                              : ErrorCode::mismatch,
          what};
}

Collector::Collector(std::unique_ptr<State> state) : state_(std::move(state)) {}
Collector::Collector(Collector&&) noexcept = default;
Collector& Collector::operator=(Collector&&) noexcept = default;
Collector::~Collector() = default;

Result<Collector> Collector::make(const std::string& url, const std::string& authorities, double patience) {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  std::string base = url;
  while (base.ends_with('/')) base.pop_back();
  const bool secure = base.starts_with("https://");
  const std::string_view host = std::string_view(base).substr(std::min(base.size(), base.find("//") + 2));
  const std::string_view name =
      host.starts_with('[') ? host.substr(0, host.find(']') + 1) : host.substr(0, host.find(':'));
  if (!secure && !(base.starts_with("http://") && is_this_machine(name))) {
    return Error{ErrorCode::invalid_argument,
                 "server: must be https://HOST[:PORT], or http:// of this machine: a token does not "
                 "travel in the clear"};
  }
  if (host.empty() || host.find('/') != std::string_view::npos || host.find('@') != std::string_view::npos) {
    return Error{ErrorCode::invalid_argument, "server: must be https://HOST[:PORT] and nothing more"};
  }
  auto state = std::make_unique<State>();
  state->handle.reset(ready == CURLE_OK ? curl_easy_init() : nullptr);
  if (!state->handle) return Error{ErrorCode::io, "the HTTP client cannot be started"};
  state->url = base;
  state->patience = patience;
  CURL* curl = state->handle.get();
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, secure ? "https" : "http");
  if (!secure) curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");  // to this machine, and nobody between
  curl_easy_setopt(curl, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_3));
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, 10L);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT, 60L);
  curl_easy_setopt(curl, CURLOPT_TCP_NODELAY, 1L);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
  if (!authorities.empty()) curl_easy_setopt(curl, CURLOPT_CAINFO, authorities.c_str());
  return Collector(std::move(state));
}

Result<std::string> Collector::plan() {
  const Result<long> status = state_->insist("GET", "/v1/plan", {}, {});
  if (!status) return status.error();
  if (*status != 200) return state_->refusal(*status);
  return state_->body;
}

Result<Question> Collector::question(std::string_view token) {
  const Result<long> status = state_->insist("GET", "/v1/question", token, {});
  if (!status) return status.error();
  if (*status != 200) return state_->refusal(*status);
  const json body = json::parse(state_->body, nullptr, false);
  Question found;
  const auto bytes = body.is_object() && body.value("question", json()).is_string()
                         ? from_hex(body["question"].get<std::string>())
                         : std::optional(std::vector<std::uint8_t>());
  // Whose token it is, it says itself: names are any bytes, and JSON has none.
  const std::optional<std::string> person = io::from_base64url(token.substr(0, token.find('.')));
  if (!body.is_object() || !person || !body.value("round", json()).is_number_unsigned() ||
      !body.value("plan", json()).is_string() || !body.value("asked", json()).is_boolean() ||
      !body.value("reported", json()).is_boolean() || !bytes) {
    return Error{ErrorCode::malformed, state_->url + ": not the answer of a collector"};
  }
  found.person = *person;
  found.plan = body["plan"];
  found.round = body["round"];
  found.asked = body["asked"];
  found.reported = body["reported"];
  if (body.value("level", json()).is_number_unsigned()) found.level = body["level"].get<std::uint32_t>();
  found.question = *bytes;
  return found;
}

Result<bool> Collector::report(std::string_view token, std::span<const std::uint8_t> bytes) {
  const Result<long> status =
      state_->insist("POST", "/v1/reports", token, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!status) return status.error();
  if (*status != 200 && *status != 201) return state_->refusal(*status);
  return *status == 201;
}

Result<void> on_connections(const std::string& url, const std::string& authorities, std::size_t connections,
                            std::size_t count, const std::function<Result<void>(Collector&, std::size_t)>& action,
                            const std::function<void(std::size_t)>& progress, const std::atomic<bool>* stop) {
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> failed = false;
  std::mutex mutex;
  std::optional<Error> first;
  std::size_t done = 0;
  const auto work = [&] {
    Result<Collector> remote = Collector::make(url, authorities);
    while (!failed && !(stop != nullptr && *stop)) {
      const std::size_t item = next++;
      if (item >= count) return;
      const Result<void> made = remote ? action(*remote, item) : Result<void>(remote.error());
      const std::lock_guard lock(mutex);
      if (!made) {
        if (!first) first = made.error();
        failed = true;
      }
      progress(++done);
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < std::max<std::size_t>(1, std::min(connections, count)); ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  if (first) return *first;
  return {};
}

Result<HandedIn> hand_in(const std::string& url, const std::string& authorities, std::size_t connections,
                         const std::vector<Report>& reports, const std::function<void(std::size_t)>& progress,
                         const std::atomic<bool>* stop) {
  HandedIn counts;
  std::mutex mutex;
  const auto action = [&](Collector& remote, std::size_t item) -> Result<void> {
    const Result<bool> stored = remote.report(reports[item].token, reports[item].bytes);
    if (!stored && stored.error().code == ErrorCode::io) return stored.error();
    const std::lock_guard lock(mutex);
    ++(!stored ? counts.refused : *stored ? counts.stored : counts.repeated);
    return {};
  };
  if (Result<void> made = on_connections(url, authorities, connections, reports.size(), action, progress, stop);
      !made) {
    return made.error();
  }
  return counts;
}

}  // namespace ppgnn::remote
