#include "ppgnn/kernels/threads.hpp"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <thread>

// The thread sanitizer cannot see how Debian's libtbb, which is not instrumented, hands work from thread to thread, and
// would report every hand-over as a race. Under it the same tasks go to plain threads, so that races in them are found.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PPGNN_OWN_THREADS
#include <atomic>
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
  if (count_ == 0) count_ = 1;
  if (count_ > 1) arena_ = std::make_unique<Arena>(static_cast<int>(count_));
}

Threads::~Threads() = default;
Threads::Threads(Threads&&) noexcept = default;
Threads& Threads::operator=(Threads&&) noexcept = default;

#ifdef PPGNN_OWN_THREADS

void Threads::run(std::size_t tasks, Call call_body, const void* body) const noexcept {
  std::atomic<std::size_t> next{0};
  const auto take_tasks = [&] {
    for (std::size_t task = next++; task < tasks; task = next++) call_body(body, task);
  };
  std::vector<std::thread> others(count_ - 1);
  for (std::thread& other : others) other = std::thread(take_tasks);
  take_tasks();
  for (std::thread& other : others) other.join();
}

#else

void Threads::run(std::size_t tasks, Call call_body, const void* body) const noexcept {
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
