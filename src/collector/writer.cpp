#include "ppgnn/collector/writer.hpp"

#include <chrono>
#include <exception>
#include <iterator>
#include <new>
#include <utility>

namespace ppgnn::collector {

Writer::Writer(store::Store& store, const Limits& limits)
    : store_(store), limits_(limits), thread_([this] { work(); }) {}

void Writer::finish() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  arrived_.notify_one();
  if (thread_.joinable()) thread_.join();
}

bool Writer::put(std::vector<store::Submission> reports, Done done) {
  {
    const std::lock_guard lock(mutex_);
    // One request alone is always taken, however large it is.
    if (stopping_ || (waiting_ > 0 && waiting_ + reports.size() > limits_.waiting)) return false;
    waiting_ += reports.size();
    jobs_.push_back({std::move(reports), std::move(done), {}});
  }
  arrived_.notify_one();
  return true;
}

bool Writer::run(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_ || tasks_ >= limits_.tasks) return false;
    jobs_.push_back({{}, {}, std::move(task)});
    ++tasks_;
  }
  arrived_.notify_one();
  return true;
}

Writer::Figures Writer::figures() const {
  const std::lock_guard lock(mutex_);
  Figures figures = figures_;
  figures.waiting = waiting_;
  figures.tasks = tasks_;
  return figures;
}

std::string Writer::failure() const {
  constexpr auto kTold = std::chrono::seconds(5);
  const std::lock_guard lock(mutex_);
  return std::chrono::steady_clock::now() - failed_at_ < kTold ? failure_ : std::string();
}

void Writer::work() {
  while (true) {
    try {
      std::vector<Job> group;
      if (!next_group(group)) return;
      if (group.front().task) {
        group.front().task();
      } else {
        write(group);
      }
    } catch (const std::bad_alloc&) {
      std::terminate();                // an answer lost halfway may lock its connection for ever
    } catch (const std::exception&) {  // people who wait are not answered, and ask again
      const std::lock_guard lock(mutex_);
      ++figures_.failed;
    }
  }
}

bool Writer::next_group(std::vector<Job>& group) {
  std::unique_lock lock(mutex_);
  arrived_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
  std::size_t reports = 0;
  while (!jobs_.empty()) {
    Job& next = jobs_.front();
    const bool alone = static_cast<bool>(next.task);
    const std::size_t size = next.reports.size();
    if (!group.empty() && (alone || reports + size > limits_.group)) break;
    group.push_back(std::move(next));
    jobs_.pop_front();
    reports += size;
    waiting_ -= size;
    tasks_ -= alone ? 1 : 0;
    if (alone) break;
  }
  return !group.empty();
}

void Writer::write(std::vector<Job>& group) {
  std::vector<store::Submission> together;
  for (Job& job : group) {
    std::move(job.reports.begin(), job.reports.end(), std::back_inserter(together));
  }
  const auto begun = std::chrono::steady_clock::now();
  const auto put = [&]() -> Result<std::vector<store::Outcome>> {
    try {
      return store_.put(together);
    } catch (const std::bad_alloc&) {
      return Error{ErrorCode::io, "out of memory"};
    }
  };
  writing_ = true;
  const Result<std::vector<store::Outcome>> outcomes = put();
  writing_ = false;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  {
    const std::lock_guard lock(mutex_);
    failure_ = outcomes ? "" : outcomes.error().message;
    if (!outcomes) untold_ = failure_;
    failed_at_ = std::chrono::steady_clock::now();
    if (outcomes) {
      ++figures_.groups;
      figures_.reports += together.size();
    } else {
      ++figures_.failed;
    }
    figures_.seconds += seconds;
  }
  std::size_t next = 0;
  for (Job& job : group) {
    if (!outcomes) {
      job.done(outcomes.error());
      continue;
    }
    const auto from = outcomes->begin() + static_cast<std::ptrdiff_t>(next);
    next += job.reports.size();
    job.done(std::vector<store::Outcome>(from, outcomes->begin() + static_cast<std::ptrdiff_t>(next)));
  }
}

}  // namespace ppgnn::collector
