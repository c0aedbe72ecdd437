#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "support/raw_http.hpp"

namespace ppgnn::test {

/// People of one round who hand in their reports, alone and in batches, to collectors that may break at any time; and what they were told.
class FaultLoad {
 public:
  struct Person {
    std::string name, token, hex, report;
  };
  struct Told {
    std::uint64_t stored = 0, repeated = 0, refused = 0, unanswered = 0, wrong = 0;
    Told& operator+=(const Told& other) {
      stored += other.stored;
      repeated += other.repeated;
      refused += other.refused;
      unanswered += other.unanswered;
      wrong += other.wrong;
      return *this;
    }
  };

  FaultLoad(std::vector<Person> people, unsigned seed) : people_(std::move(people)), seed_(seed) {}

  /// Everybody in this part of the people, again and again, and now and then somebody before them.
  void start(const std::vector<std::uint16_t>& ports, std::size_t from, std::size_t to) {
    stop_ = false;
    told_ = {};
    next_ = from;
    constexpr int kThreads = 4;
    for (int t = 0; t < kThreads; ++t) {
      threads_.emplace_back([this, t, from, to, port = ports[static_cast<std::size_t>(t) % ports.size()]] {
        work(t == 0, from, to, port, std::mt19937(seed_ + static_cast<unsigned>(t)));
      });
    }
    ++seed_;
  }
  /// What they were told since.
  Told stop() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    return told_;
  }

  /// The status of one report, sent alone; 0 without an answer.
  int send(RawConnection& connection, const Person& person) {
    const int status = connection.status(post(person));
    const std::lock_guard lock(mutex_);
    note(person, status);
    return status;
  }
  [[nodiscard]] std::set<std::string> acknowledged() {
    const std::lock_guard lock(mutex_);
    return acknowledged_;
  }
  /// People whose report was said to be new more than once.
  [[nodiscard]] int stored_twice() {
    const std::lock_guard lock(mutex_);
    int twice = 0;
    for (const auto& [name, times] : created_) twice += times > 1 ? 1 : 0;
    return twice;
  }
  [[nodiscard]] const std::vector<Person>& people() const { return people_; }

 private:
  static std::string post(const Person& person) {
    return request_text("POST", "/v1/reports", person.token, "application/cbor", person.report);
  }
  void note(const Person& person, int status) {
    if (status == 200 || status == 201) acknowledged_.insert(person.name);
    if (status == 201) ++created_[person.name];
    if (status == 201) ++told_.stored;
    if (status == 200 || status == 410) ++told_.repeated;
    if (status == 503) ++told_.refused;
    if (status == 0) ++told_.unanswered;
    if (status != 200 && status != 201 && status != 410 && status != 503 && status != 0) ++told_.wrong;
  }
  void work(bool batches, std::size_t from, std::size_t to, std::uint16_t port, std::mt19937 random) {
    constexpr int kPatience = 3000;
    auto connection = std::make_unique<RawConnection>(port);
    while (!stop_) {
      std::vector<const Person*> who;
      for (int i = 0; i < (batches ? 4 : 1); ++i) {
        const bool before = from > 0 && random() % 2 == 0;
        who.push_back(&people_[before ? random() % from : from + next_++ % (to - from)]);
      }
      std::string body;
      for (const Person* one : who) body += R"({"token":")" + one->token + R"(","report":")" + one->hex + "\"}\n";
      connection->send(batches ? request_text("POST", "/v1/reports/batch", {}, "application/x-ndjson", body)
                               : post(*who.front()));
      const auto answer = connection->receive(kPatience);
      {
        const std::lock_guard lock(mutex_);
        const auto items = batches && answer && answer->status == 200 ? nlohmann::json::parse(answer->body)["items"]
                                                                      : nlohmann::json::array();
        for (std::size_t i = 0; i < who.size(); ++i) {
          note(*who[i], items.empty() ? (answer ? answer->status : 0) : items[i]["status"].get<int>());
        }
      }
      if (!answer) connection = std::make_unique<RawConnection>(port);
      std::this_thread::sleep_for(std::chrono::milliseconds(random() % 16));
    }
  }

  std::vector<Person> people_;
  unsigned seed_;
  std::atomic<bool> stop_ = false;
  std::atomic<std::size_t> next_ = 0;
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  Told told_;
  std::set<std::string> acknowledged_;
  std::map<std::string, int> created_;
};

}  // namespace ppgnn::test
