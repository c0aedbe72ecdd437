#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace ppgnn::collector {

/// Does what takes long on a thread of its own, so that nobody who answers waits for it: tasks in their order, and while there is
/// none, piece after piece of the work that is always there.
///
/// Threads  Any.
class Aside {
 public:
  /// `piece` does a little, without waiting; false: nothing is left until the next task was done.
  explicit Aside(std::function<bool()> piece);
  ~Aside() { finish(); }
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;

  /// Not done any more once this is finished.
  void run(std::function<void()> task);
  /// Does the tasks that wait, and no more pieces.
  void finish();

 private:
  void work();

  std::function<bool()> piece_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::function<void()>> tasks_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace ppgnn::collector
