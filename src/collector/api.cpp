#include "ppgnn/collector/api.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <thread>

#include "collector/openapi.hpp"
#include "collector/responses.hpp"
#include "collector/view.hpp"
#include "ppgnn/core/text.hpp"
#include "ppgnn/wire/report_format.hpp"

namespace ppgnn::collector {

namespace {

using nlohmann::ordered_json;

// The path of a target, which may have the server's name before it.
std::string_view path_of(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!target.starts_with(scheme)) continue;
    target.remove_prefix(scheme.size());
    target.remove_prefix(std::min(target.find('/'), target.size()));
  }
  return target.substr(0, target.find('?'));
}

// The part of `path` that stands where the row has {}; nothing where it does not fit.
std::optional<std::string_view> fits(std::string_view pattern, std::string_view path) {
  const std::size_t hole = pattern.find("{}");
  if (hole == std::string_view::npos) return path == pattern ? std::optional(std::string_view()) : std::nullopt;
  const std::string_view before = pattern.substr(0, hole);
  const std::string_view after = pattern.substr(hole + 2);
  if (path.size() <= before.size() + after.size() || !path.starts_with(before) || !path.ends_with(after)) {
    return std::nullopt;
  }
  const std::string_view part = path.substr(before.size(), path.size() - before.size() - after.size());
  return part.find('/') == std::string_view::npos ? std::optional(part) : std::nullopt;
}

// %41 is A; nothing for a % that is not followed by two digits.
std::optional<std::string> unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    std::string digits(text.substr(i + 1, 2));
    for (char& digit : digits) digit = digit >= 'A' && digit <= 'F' ? static_cast<char>(digit - 'A' + 'a') : digit;
    const auto byte = from_hex(digits);
    if (digits.size() != 2 || !byte) return std::nullopt;
    out += static_cast<char>(byte->front());
    i += 2;
  }
  return out;
}

// The token after "Bearer", in any case, and one space or more.
std::string_view bearer(std::string_view authorization) {
  constexpr std::string_view kScheme = "bearer ";
  if (authorization.size() < kScheme.size()) return {};
  for (std::size_t i = 0; i < kScheme.size(); ++i) {
    const char sign = authorization[i];
    if ((sign >= 'A' && sign <= 'Z' ? static_cast<char>(sign - 'A' + 'a') : sign) != kScheme[i]) return {};
  }
  authorization.remove_prefix(kScheme.size());
  authorization.remove_prefix(std::min(authorization.find_first_not_of(' '), authorization.size()));
  return authorization;
}

// The refusal of somebody who has to wait so many seconds; nothing for 0.
std::optional<Response> refused_for(double wait, std::string_view why) {
  if (wait <= 0) return std::nullopt;
  Response response = problem_response(Problem::too_often, why);
  response.headers.emplace_back("Retry-After", std::to_string(std::llround(std::ceil(wait))));
  return response;
}

}  // namespace

Api::Api(store::Store& store, ApiOptions options)
    : store_(store),
      options_(std::move(options)),
      by_person_(options_.person_a_second, options_.person_burst),
      by_address_(options_.address_a_second, options_.address_burst),
      bytes_(options_.bytes_a_second, std::max(options_.bytes_burst, static_cast<double>(kMostBatch))),
      failed_(options_.failed_a_second, options_.failed_burst),
      renewable_(std::make_shared<const Renewable>(static_cast<Renewable&&>(options_))),
      contents_(options_.largest_contents, options_.address_contents),
      aside_([this] { return read_people(); }),
      writer_(store, options_.writer) {}

Result<std::unique_ptr<Api>> Api::make(store::Store& store, ApiOptions options) {
  std::unique_ptr<Api> api(new Api(store, std::move(options)));
  if (Result<void> loaded = api->refresh(); !loaded) return loaded.error();
  api->look();  // and people from now on
  return api;
}

std::shared_ptr<const Api::View> Api::view() const {
  const std::lock_guard lock(view_mutex_);
  return view_;
}

std::shared_ptr<const Renewable> Api::renewable() const {
  const std::lock_guard lock(renewable_mutex_);
  return renewable_;
}

void Api::renew(Renewable renewed) {
  auto now = std::make_shared<const Renewable>(std::move(renewed));
  const std::lock_guard lock(renewable_mutex_);
  renewable_.swap(now);
}

Result<std::shared_ptr<const Api::View>> Api::load(const View* before) {
  Result<std::optional<store::Campaign>> found = store_.campaign();
  if (!found) return found.error();
  if (!*found)
    return Error{ErrorCode::mismatch, store_.where() + ": there is no campaign in it (ppgnn campaign start)"};
  const store::Campaign& campaign = **found;
  auto made = std::make_shared<View>();
  made->name = campaign.name;
  made->generation = campaign.generation;
  made->concluded = campaign.concluded;
  for (std::size_t i = 0; i < campaign.rounds.size(); ++i) {
    const store::Round& round = campaign.rounds[i];
    View::Round& one = made->rounds.emplace_back();
    one.open = round.open;
    one.everybody = round.people.empty();
    constexpr std::ptrdiff_t kLinesBeforeNames = 4;  // docs/formats/people.md
    one.asked = static_cast<std::uint64_t>(
        std::max<std::ptrdiff_t>(0, std::count(round.people.begin(), round.people.end(), '\n') - kLinesBeforeNames));
    if (before != nullptr && i < before->rounds.size()) {  // plans never change
      one.plan = before->rounds[i].plan;
      one.screens = before->rounds[i].screens;
      continue;
    }
    Result<ldp::Plan> plan = ldp::Plan::parse(round.plan);
    if (!plan)
      return Error{plan.error().code, store_.where() + ": round " + std::to_string(i) + ": " + plan.error().message};
    one.plan = std::make_shared<const ldp::Plan>(std::move(plan).value());
    one.screens = std::make_shared<Screens>(*one.plan);
    Result<void> read = store_.each_report(static_cast<std::uint32_t>(i), [&](std::string_view person, auto bytes) {
      if (const auto report = wire::decode(*one.plan, bytes)) one.screens->add(*report, person);
      return true;
    });
    if (!read) return read.error();
  }
  if (Result<void> read = load_published(*made); !read) return read.error();
  // A round that ends changes nobody's; a new one has people to be read.
  const bool same = before != nullptr && before->rounds.size() == made->rounds.size();
  made->people = same ? before->people : std::make_shared<KnownPeople>();
  return std::shared_ptr<const View>(std::move(made));
}

Result<void> Api::refresh() {
  const std::lock_guard lock(refresh_mutex_);
  const std::shared_ptr<const View> before = view();
  const Result<std::uint64_t> generation = store_.generation();
  if (!generation) return generation.error();
  if (before && before->generation == *generation) return {};
  const auto begun = std::chrono::steady_clock::now();
  Result<std::shared_ptr<const View>> now = load(before.get());
  if (!now) return now.error();
  read_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  {
    const std::lock_guard view_lock(view_mutex_);
    view_ = std::move(now).value();
  }
  // To forget a million people takes a while: it is done here, and not by a thread that answers.
  while (before.use_count() > 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return {};
}

void Api::look() {
  if (looking_.exchange(true)) return;
  aside_.run([this] {
    const Result<void> seen = refresh();
    looking_ = false;
    const std::lock_guard lock(view_mutex_);
    unread_ = seen ? "" : seen.error().message;
    if (!seen) untold_ = unread_;
  });
}

bool Api::read_people() {
  const auto now = view();
  if (now == nullptr) return false;
  const Result<bool> more = now->people->read_more(store_);
  return more && *more;  // what could not be read is tried again after the next look
}

std::string Api::trouble() const {
  {
    const std::lock_guard lock(view_mutex_);
    if (!unread_.empty()) return unread_;
  }
  return writer_.failure();
}

std::string Api::take_trouble() {
  std::string written = writer_.take_failure();
  const std::lock_guard lock(view_mutex_);
  std::string read = std::exchange(untold_, {});
  return written.empty() ? read : written;
}

const RouteRow* Api::route(std::string_view method, std::string_view target, std::string* other_methods, Door door) {
  const std::string_view path = path_of(target);
  if (method == "HEAD") method = "GET";
  for (const RouteRow& row : kRoutes) {
    const bool inside = row.caller == Caller::administrator || row.caller == Caller::monitor;
    if ((inside && door == Door::outside) || !fits(row.path, path)) continue;
    if (row.method == method) return &row;
    if (other_methods != nullptr) *other_methods += (other_methods->empty() ? "" : ", ") + std::string(row.method);
  }
  return nullptr;
}

Response Api::refuse(Problem problem, std::string_view detail) {
  Response response = problem_response(problem, detail);
  response.close = true;
  return response;
}

std::optional<Response> Api::too_often(const Request& request, const RouteRow* row) {
  if ((row != nullptr && row->path.ends_with("z")) || exempts(request.address)) return std::nullopt;  // health
  return refused_for(by_address_.take(request.address, RateLimit::Clock::now()), "from this address");
}

std::optional<Response> Api::too_much(const std::string& address, std::size_t bytes) {
  if (exempts(address)) return std::nullopt;
  auto refused = refused_for(bytes_.take(address, RateLimit::Clock::now(), static_cast<double>(bytes)),
                             "too many bytes from this address");
  if (refused) refused->close = true;  // what was announced is not read
  return refused;
}

std::optional<Response> Api::too_many_failed(const std::string& address) {
  if (exempts(address)) return std::nullopt;
  return refused_for(failed_.take(address, RateLimit::Clock::now()), "too many tokens from this address that are none");
}

Response Api::unauthorised(const Request& request) {
  if (!bearer(request.authorization).empty()) {
    if (auto refused = too_many_failed(request.address)) return std::move(*refused);
  }
  return problem_response(Problem::unauthorised, {});
}

std::optional<std::string> Api::person_of(const View& view, std::string_view authorization) const {
  const std::string_view token = bearer(authorization);
  if (token.empty()) return std::nullopt;
  return renewable()->keys.person(view.name, token);
}

std::optional<std::string> Api::administrator_of(std::string_view token) const {
  std::optional<std::string> found;
  for (const auto& [name, secret] : renewable()->administrators) {  // all of them, whichever it is
    if (secret.is(token)) found = name;
  }
  return found;
}

bool Api::may_monitor(std::string_view token) const {
  const auto now = renewable();
  return options_.open_metrics || (now->monitor && now->monitor->is(token)) || administrator_of(token);
}

void Api::handle(Request request, Reply reply) {
  std::string allowed;
  const RouteRow* row = route(request.method, request.target, &allowed, request.door);
  if (std::optional<Response> refused = too_often(request, row)) {
    reply(std::move(*refused));
    return;
  }
  if (row == nullptr && !allowed.empty() && request.method == "OPTIONS") {
    // A page from elsewhere may ask: there are no cookies, only tokens that somebody hands over.
    reply({204,
           "",
           "",
           {{"Allow", allowed + ", OPTIONS"},
            {"Access-Control-Allow-Methods", allowed},
            {"Access-Control-Allow-Headers", "authorization, content-type"},
            {"Access-Control-Max-Age", "600"}},
           false});
    return;
  }
  if (row == nullptr) {
    Response response = problem_response(allowed.empty() ? Problem::not_found : Problem::wrong_method, {});
    if (!allowed.empty()) response.headers.emplace_back("Allow", allowed + ", OPTIONS");
    reply(std::move(response));
    return;
  }
  if (row->body == 0 && !request.body.empty()) {
    reply(problem_response(Problem::malformed, "content: none is expected"));
    return;
  }
  dispatch(*row, request, reply);
}

void Api::dispatch(const RouteRow& row, Request& request, Reply& reply) {
  const std::string_view part = *fits(row.path, path_of(request.target));
  std::string person;
  std::string by = "participant";
  if (row.caller == Caller::administrator) {
    const std::optional<std::string> name = administrator_of(bearer(request.authorization));
    if (!name) return reply(unauthorised(request));
    by = "token " + *name;
  } else if (row.caller == Caller::monitor) {
    if (!may_monitor(bearer(request.authorization))) return reply(unauthorised(request));
  } else if (row.caller == Caller::person) {
    std::optional<std::string> found = person_of(*view(), request.authorization);
    if (!found) return reply(unauthorised(request));
    person = std::move(*found);
    if (auto refused = refused_for(by_person_.take(person, RateLimit::Clock::now()), "with this token")) {
      return reply(std::move(*refused));
    }
  }
  if (row.name == "report") return report(person, request, std::move(reply));
  if (row.name == "batch") return batch(request, std::move(reply));
  if (row.name == "erase") return erase(person, std::move(by), std::move(reply));
  if (row.name == "close") return close(part, std::move(by), std::move(reply));
  if (row.name == "erase_person") {
    std::optional<std::string> name = unescaped(part);
    if (!name) return reply(problem_response(Problem::malformed, "the name: expected two digits after %"));
    return erase(std::move(*name), std::move(by), std::move(reply));
  }
  if (row.name == "question") return reply(question(person));
  if (row.name == "model") return reply(model());
  if (row.name == "hint") return reply(hint(person));
  if (row.name == "plan") return reply(plan());
  if (row.name == "round_plan") return reply(round_plan(part));
  if (row.name == "status") return reply(status());
  if (row.name == "metrics") return reply(metrics());
  if (row.name == "openapi") return reply({200, kJson, std::string(openapi_text()), {}, false});
  if (row.name == "health") return reply(health());
  if (row.name == "ready") {
    if (stopping_) return reply(problem_response(Problem::stopping, {}));
    if (!store_.generation() || !writer_.failure().empty()) return reply(problem_response(Problem::storage, {}));
    return reply(json_response(200, {{"status", "ready"}}));
  }
  const auto now = renewable();
  if (now->page.empty()) return reply(problem_response(Problem::not_found, "this collector has no page"));
  reply({200,
         "text/html; charset=utf-8",
         now->page,
         {{"Referrer-Policy", "no-referrer"},
          {"X-Frame-Options", "DENY"},
          {"Content-Security-Policy", "frame-ancestors 'none'"}},
         false});
}

namespace {

Response plan_response(const ldp::Plan& plan) {
  return {200, "text/plain; charset=utf-8", plan.text(), {{"ETag", '"' + to_hex(plan.hash()) + '"'}}, false};
}

}  // namespace

Response Api::plan() {
  const auto now = view();
  const auto open = now->open();
  if (!open) return problem_response(Problem::not_found, "no round is open");
  return plan_response(*now->rounds[*open].plan);
}

// Also of rounds that are closed: what people reported for stays open to inspection.
Response Api::round_plan(std::string_view number) {
  const auto now = view();
  const auto round = round_number(number);
  if (!round || *round >= now->rounds.size()) return problem_response(Problem::not_found, kNoSuchRound);
  return plan_response(*now->rounds[*round].plan);
}

Response Api::question(const std::string& person) {
  const auto now = view();
  const std::string_view name = person;
  const auto standings = store_.standings({&name, 1});
  if (!standings) return problem_response(Problem::storage, {});
  const store::Standing& standing = standings->front();
  if (!standing.enrolled) return problem_response(Problem::unauthorised, "not enrolled");
  if (standing.erased) return problem_response(Problem::erased, {});
  const Result<bool> reported = store_.reported(person);
  if (!reported) return problem_response(Problem::storage, {});
  const auto open = now->open();
  if (!open) return problem_response(Problem::not_found, "no round is open");
  const View::Round& round = now->rounds[*open];
  const bool asked = round.everybody || standing.round == *open;
  ordered_json body{{"campaign", now->name},     {"round", *open},      {"plan", to_hex(round.plan->hash())},
                    {"person", to_utf8(person)}, {"asked", asked},      {"reported", *reported},
                    {"level", nullptr},          {"question", nullptr}, {"classes", ordered_json::array()}};
  if (standing.level) body["level"] = *standing.level;
  const auto& model = round.plan->tables().model;
  if (asked && model) {
    body["question"] = to_hex(standing.question);
    const Result<ldp::Question> question = ldp::Question::parse(*model, standing.question);
    if (!question) return problem_response(Problem::internal, {});
    for (const std::uint16_t one : question->classes()) body["classes"].push_back(model->classes[one]);
  }
  return json_response(200, body);
}

}  // namespace ppgnn::collector
