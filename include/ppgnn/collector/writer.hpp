#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
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
  };
  /// What was done so far.
  struct Figures {
    std::uint64_t groups = 0;   ///< that were written
    std::uint64_t reports = 0;  ///< in them
    std::uint64_t failed = 0;   ///< groups that were not
    double seconds = 0;         ///< in the store
    std::size_t waiting = 0;    ///< reports, now
  };

  Writer(store::Store& store, const Limits& limits);
  ~Writer() { finish(); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// False where too many wait: then nothing is taken and `done` is not called.
  [[nodiscard]] bool put(std::vector<store::Submission> reports, Done done);
  /// Runs `task` between two groups; false as above.
  [[nodiscard]] bool run(std::function<void()> task);

  /// Writes what is waiting and takes no more; no `done` is called afterwards.
  void finish();

  [[nodiscard]] Figures figures() const;
  /// Why the last group could not be written; empty where it could, and after some seconds, so that somebody tries again.
  [[nodiscard]] std::string failure() const;

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
  bool stopping_ = false;
  Figures figures_;
  std::string failure_;
  std::chrono::steady_clock::time_point failed_at_;
  std::thread thread_;
};

}  // namespace ppgnn::collector
