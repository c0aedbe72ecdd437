#include "ppgnn/collector/aside.hpp"

#include <chrono>
#include <exception>
#include <new>
#include <utility>

namespace ppgnn::collector {

namespace {

constexpr auto kAgain = std::chrono::milliseconds(50);  // after an exception, a bug

}  // namespace

Aside::Aside(std::function<bool()> piece) : piece_(std::move(piece)), thread_([this] { work(); }) {}

void Aside::run(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    tasks_.push_back(std::move(task));
  }
  arrived_.notify_one();
}

void Aside::finish() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  arrived_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Aside::work() {
  bool pieces = true;
  while (true) {
    try {
      std::function<void()> task;
      {
        std::unique_lock lock(mutex_);
        arrived_.wait(lock, [&] { return stopping_ || pieces || !tasks_.empty(); });
        if (tasks_.empty() && stopping_) return;
        if (!tasks_.empty()) {
          task = std::move(tasks_.front());
          tasks_.pop_front();
        }
      }
      if (task) task();
      pieces = task || piece_();
    } catch (const std::bad_alloc&) {
      std::terminate();  // an answer lost halfway may lock its connection for ever
    } catch (const std::exception&) {
      std::this_thread::sleep_for(kAgain);
    }
  }
}

}  // namespace ppgnn::collector
