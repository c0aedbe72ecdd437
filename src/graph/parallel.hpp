#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <cstddef>
#include <limits>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PPGNN_OWN_THREADS
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>
#endif
#endif

namespace ppgnn::graph {

/// Calls body(index) for every index below `count`, in blocks of about `grain`, in any order, on the threads of the
/// caller's TBB arena. Returns when all are done. What `body` throws arrives at the caller, once; blocks that have not
/// begun may then be left out.
///
/// The thread sanitizer cannot see how Debian's libtbb, which is not instrumented, hands work from thread to
/// thread, and would report every hand-over as a race. Under it the same blocks go to plain threads, so that races
/// in `body` are found.
template <class Body>
void for_each_index(std::size_t count, std::size_t grain, const Body& body) {
  const auto run = [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i != last; ++i) body(i);
  };
#ifdef PPGNN_OWN_THREADS
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  std::exception_ptr thrown;
  std::mutex mutex;
  const auto take_blocks = [&]() noexcept {
    try {
      for (std::size_t first = next.fetch_add(grain); first < count && !failed; first = next.fetch_add(grain)) {
        run(first, count - first < grain ? count : first + grain);
      }
    } catch (...) {
      failed = true;
      const std::lock_guard lock(mutex);
      if (!thrown) thrown = std::current_exception();
    }
  };
  const auto wanted = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()) - 1;
  std::vector<std::thread> others;
  others.reserve(wanted);
  try {
    while (others.size() < wanted) others.emplace_back(take_blocks);
  } catch (const std::system_error&) {  // those that there are do the work
  } catch (const std::bad_alloc&) {
  }
  take_blocks();
  for (std::thread& other : others) other.join();
  if (thrown) std::rethrow_exception(thrown);
#else
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, grain),
                    [&](const auto& range) { run(range.begin(), range.end()); });
#endif
}

inline constexpr std::size_t kNoIndex = std::numeric_limits<std::size_t>::max();

/// The smallest index below `count` for which `holds`, or kNoIndex; the same one for any number of threads.
template <class Predicate>
std::size_t first_index(std::size_t count, std::size_t grain, const Predicate& holds) {
  std::atomic<std::size_t> first{kNoIndex};
  for_each_index(count, grain, [&](std::size_t i) {
    std::size_t best = first.load(std::memory_order_relaxed);
    if (i >= best || !holds(i)) return;
    while (i < best && !first.compare_exchange_weak(best, i, std::memory_order_relaxed)) {
    }
  });
  return first.load();
}

}  // namespace ppgnn::graph
