#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/store/store.hpp"

namespace ppgnn::collector {

/// Writes reports of many requests in one flush to the disk: whatever came while the last group was written is the next
/// group. A request is told only after its group is on the disk.
///
/// Threads  Any; `done` is called from the writer's own thread.
class Writer {
 public:
  using Done = std::function<void(Result<std::vector<store::Outcome>> outcomes)>;

  struct Limits {
    std::size_t waiting = 20'000;  ///< reports, before more are refused
    std::size_t group = 4'000;     ///< reports in one flush, unless one request has more
    std::size_t tasks = 10'000;    ///< that wait; reports do not take their places, nor they those of reports
  };
  /// What was done so far.
  struct Figures {
    std::uint64_t groups = 0;   ///< that were written
    std::uint64_t reports = 0;  ///< in them
    std::uint64_t failed = 0;   ///< groups that were not
    double seconds = 0;         ///< in the store
    std::size_t waiting = 0;    ///< reports, now
    std::size_t tasks = 0;      ///< erasures and closings that wait, now
  };

  Writer(store::Store& store, const Limits& limits);
  ~Writer() { finish(); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// False where too many wait: then nothing is taken and `done` is not called.
  [[nodiscard]] bool put(std::vector<store::Submission> reports, Done done);
  /// Runs `task` between two groups; false where too many tasks wait.
  [[nodiscard]] bool run(std::function<void()> task);

  /// Writes what is waiting and takes no more; no `done` is called afterwards.
  void finish();

  /// Whether a group is being written right now.
  [[nodiscard]] bool writing() const noexcept { return writing_; }
  [[nodiscard]] Figures figures() const;
  /// Why the last group could not be written; empty where it could, and after some seconds, so that somebody tries again.
  [[nodiscard]] std::string failure() const;
  /// Why a group could not be written since the last call, whatever came after it; empty: all were. For the log.
  [[nodiscard]] std::string take_failure() {
    const std::lock_guard lock(mutex_);
    return std::exchange(untold_, {});
  }

 private:
  struct Job {
    std::vector<store::Submission> reports;
    Done done;
    std::function<void()> task;
  };

  void work();
  /// Waits for some; false: there will be none.
  [[nodiscard]] bool next_group(std::vector<Job>& group);
  void write(std::vector<Job>& group);

  store::Store& store_;
  Limits limits_;
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Job> jobs_;
  std::size_t waiting_ = 0;
  std::size_t tasks_ = 0;  // of the jobs
  bool stopping_ = false;
  std::atomic<bool> writing_ = false;
  Figures figures_;
  std::string failure_, untold_;
  std::chrono::steady_clock::time_point failed_at_;
  std::thread thread_;
};

}  // namespace ppgnn::collector
