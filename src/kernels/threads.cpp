#include "ppgnn/kernels/threads.hpp"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <thread>

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

}  // namespace ppgnn::kernels
