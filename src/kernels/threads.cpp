#include "ppgnn/kernels/threads.hpp"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <thread>

// The thread sanitizer cannot see how Debian's libtbb, which is not instrumented, hands work from thread to thread, and
// would report every hand-over as a race. Under it the same tasks go to plain threads, so that races in them are found.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PPGNN_OWN_THREADS
#include <atomic>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <vector>
#endif
#endif

namespace ppgnn::kernels {

struct Threads::Arena {
  explicit Arena(int slots) : arena(slots) {}
  tbb::task_arena arena;
};

Threads::Threads(std::size_t count) : count_(count) {
  if (count_ == 0) count_ = std::thread::hardware_concurrency();
  count_ = std::clamp<std::size_t>(count_, 1, kMaxThreads);
  if (count_ > 1) arena_ = std::make_unique<Arena>(static_cast<int>(count_));
}

Threads::~Threads() = default;
Threads::Threads(Threads&&) noexcept = default;
Threads& Threads::operator=(Threads&&) noexcept = default;

#ifdef PPGNN_OWN_THREADS

void Threads::run(std::size_t tasks, Call call_body, const void* body) const {
  std::atomic<std::size_t> next{0};
  std::exception_ptr thrown;
  std::mutex mutex;
  const auto take_tasks = [&]() noexcept {
    try {
      for (std::size_t task = next++; task < tasks; task = next++) call_body(body, task);
    } catch (...) {
      next = tasks;
      const std::lock_guard lock(mutex);
      if (!thrown) thrown = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  others.reserve(count_ - 1);
  try {
    while (others.size() < count_ - 1) others.emplace_back(take_tasks);
  } catch (const std::system_error&) {  // those that there are do the work
  } catch (const std::bad_alloc&) {
  }
  take_tasks();
  for (std::thread& other : others) other.join();
  if (thrown) std::rethrow_exception(thrown);
}

#else

void Threads::run(std::size_t tasks, Call call_body, const void* body) const {
  arena_->arena.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, tasks, 1),
        [&](const tbb::blocked_range<std::size_t>& range) {
          for (std::size_t task = range.begin(); task != range.end(); ++task) call_body(body, task);
        },
        tbb::simple_partitioner());
  });
}

#endif

}  // namespace ppgnn::kernels
