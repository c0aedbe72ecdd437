#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "ppgnn/client/client.hpp"
#include "ppgnn/collector/api.hpp"
#include "ppgnn/ldp/planner.hpp"
#include "ppgnn/store/store.hpp"
#include "ppgnn/wire/report_format.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::test {

inline const std::string kAdministrator = "a-secret-of-the-administrator";

/// Plans of a small campaign: buckets first, then answers about two of three classes.
inline ldp::Plan teaching_plan(ldp::LevelSecrecy secrecy = ldp::LevelSecrecy::protected_level) {
  ldp::PlanRequest request;
  request.columns = {{"word", 60, ldp::ColumnKind::binary, 0, 1, 0}};
  request.budgets = {1, 4};
  request.secrecy = secrecy;
  request.kind = ldp::ReportKind::buckets;
  request.shape = {.sampled = 1, .outcomes = 30, .favoured = 3};
  request.campaign = ldp::Campaign{"spring", ldp::Role::teach, "some people", {}};
  return ldp::make_plan(request).value();
}

inline ldp::Plan answering_plan(ldp::LevelSecrecy secrecy = ldp::LevelSecrecy::protected_level) {
  ldp::PlanRequest request;
  request.columns = {{"word", 60, ldp::ColumnKind::binary, 0, 1, 0}};
  request.budgets = {1, 4};
  request.secrecy = secrecy;
  request.kind = ldp::ReportKind::answer;
  request.campaign = ldp::Campaign{"spring", ldp::Role::answer, "other people", {}};
  ldp::QuestionModel model;
  model.classes = {"chess", "rowing", "tea"};
  model.biases = {1, 2, 3};
  for (int i = 0; i < 180; ++i) model.weights.push_back(static_cast<std::int16_t>(i * 37 % 100 - 50));
  request.model = model;
  return ldp::make_plan(request).value();
}

inline ldp::Plan signs_plan(double gamma = 0) {
  ldp::PlanRequest request;
  request.columns = {{"word", 60, ldp::ColumnKind::binary, 0, 1, 0}};
  request.budgets = {1, 4};
  request.gamma = gamma;
  return ldp::make_plan(request).value();
}

/// A report with OS randomness.
inline std::vector<std::uint8_t> report_of(const ldp::Plan& plan, const std::string& person, std::uint32_t level = 1,
                                           const std::vector<std::uint8_t>& question = {}, std::uint64_t round = 0) {
  auto device = client::Client::make(plan.text()).value();
  device.set_person(person);
  if (!question.empty()) static_cast<void>(device.set_question(question));
  const std::vector<std::uint32_t> words{3, 17, 40};
  return device.report(ldp::Level{level}, ldp::Row::ones(words), round).value();
}

inline std::string text_of(const std::vector<std::uint8_t>& bytes) {
  return {bytes.begin(), bytes.end()};
}

/// A campaign in a store: people p0 .. p19, teachers the even ones; and an API on it.
class SmallCampaign {
 public:
  explicit SmallCampaign(ldp::LevelSecrecy secrecy = ldp::LevelSecrecy::protected_level, int people = 20)
      : secrecy_(secrecy), teaching(teaching_plan(secrecy)), answering(answering_plan(secrecy)) {
    store = std::move(store::open(where(), store::Opening::create)).value();
    static_cast<void>(store->begin("spring", ""));
    std::vector<store::Person> enrolled;
    std::vector<store::Asked> teachers;
    for (int i = 0; i < people; ++i) {
      const bool declared = secrecy == ldp::LevelSecrecy::public_level;
      enrolled.push_back({name(i), declared ? std::optional<std::uint32_t>(1 + i % 2) : std::nullopt});
      if (i % 2 == 0) teachers.push_back({name(i), {}});
    }
    static_cast<void>(store->enrol(enrolled));
    static_cast<void>(store->publish(0, {teaching.text(), "list", true}, teachers));
    question = ldp::Question::make(*answering.tables().model, {2, 0, 1}).value().bytes();
    people_ = people;
  }
  [[nodiscard]] std::string where() const { return "sqlite:" + (folder.path() / "c.db").string(); }
  [[nodiscard]] static std::string name(int i) { return "p" + std::to_string(i); }
  [[nodiscard]] std::string token(int i) const { return keys.token("spring", name(i)); }

  /// The second round, for the odd people.
  void ask() {
    static_cast<void>(store->close(0));
    std::vector<store::Asked> asked;
    for (int i = 1; i < people_; i += 2) asked.push_back({name(i), question});
    static_cast<void>(store->publish(1, {answering.text(), "other list", true}, asked));
    if (api) static_cast<void>(api->refresh());
  }

  /// Without limits of how often, unless changed.
  collector::ApiOptions options() const {
    collector::ApiOptions options;
    options.keys = keys;
    options.administrators.emplace("admin", kAdministrator);
    options.person_a_second = 0;
    options.address_a_second = 0;
    options.bytes_a_second = 0;
    options.failed_a_second = 0;
    options.page = "<!DOCTYPE html><title>page</title>";
    return options;
  }
  void serve(collector::ApiOptions options) {
    api = std::move(collector::Api::make(*store, std::move(options))).value();
  }
  void serve() { serve(options()); }

  /// Waits for the answer.
  collector::Response ask(collector::Request request) {
    struct Waiting {
      std::mutex mutex;
      std::condition_variable told;
      std::optional<collector::Response> response;
    };
    const auto waiting = std::make_shared<Waiting>();
    api->handle(std::move(request), [waiting](collector::Response response) {
      const std::lock_guard lock(waiting->mutex);
      waiting->response = std::move(response);
      waiting->told.notify_one();
    });
    std::unique_lock lock(waiting->mutex);
    waiting->told.wait(lock, [&] { return waiting->response.has_value(); });
    return *waiting->response;
  }
  collector::Response get(const std::string& target, const std::string& token = {}) {
    return ask({"GET", target, token.empty() ? "" : "Bearer " + token, "", "here", ""});
  }
  collector::Response post(int person, const std::vector<std::uint8_t>& report) {
    return ask({"POST", "/v1/reports", "Bearer " + token(person), "application/cbor", "here", text_of(report)});
  }

  ldp::LevelSecrecy secrecy_;
  TemporaryFolder folder;
  ldp::Plan teaching;
  ldp::Plan answering;
  std::vector<std::uint8_t> question;
  tokens::Keys keys = tokens::Keys::make();
  std::unique_ptr<store::Store> store;
  std::unique_ptr<collector::Api> api;

 private:
  int people_ = 0;
};

}  // namespace ppgnn::test
