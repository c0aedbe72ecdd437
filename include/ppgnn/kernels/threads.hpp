#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

namespace ppgnn::kernels {

inline constexpr std::size_t kMaxThreads = 1024;

/// How many threads a call may use.
///
/// Determinism  Work is cut into tasks by the shape of the data alone, so the count never changes a result.
/// Cost         One thread runs a plain loop in the caller: no pool, no allocation, no synchronisation.
/// Threads      One object may be used by several callers at once.
/// Errors       What a task throws (std::bad_alloc, say) arrives at the caller, once, after the tasks that run have ended.
class Threads {
 public:
  /// `count` 0 means one per core; more than kMaxThreads are taken for that many.
  explicit Threads(std::size_t count = 1);
  ~Threads();
  Threads(Threads&&) noexcept;
  Threads& operator=(Threads&&) noexcept;

  [[nodiscard]] std::size_t count() const noexcept { return count_; }

  /// Calls body(task) for every task in 0 .. tasks-1, in any order, and returns when all are done. After a task has thrown,
  /// tasks that have not begun may be left out.
  template <class Body>
  void for_each(std::size_t tasks, const Body& body) const {
    if (count_ == 1 || tasks <= 1) {
      for (std::size_t task = 0; task < tasks; ++task) body(task);
      return;
    }
    run(tasks, &call<Body>, &body);
  }

 private:
  struct Arena;
  using Call = void (*)(const void* body, std::size_t task);

  template <class Body>
  static void call(const void* body, std::size_t task) {
    (*static_cast<const Body*>(body))(task);
  }
  void run(std::size_t tasks, Call call_body, const void* body) const;

  std::size_t count_;
  std::unique_ptr<Arena> arena_;
};

/// Rows per task of the kernels whose rows all cost the same.
inline constexpr std::size_t kRowsPerTask = 2048;

constexpr std::size_t tasks_of(std::size_t items, std::size_t per_task) noexcept {
  return items / per_task + (items % per_task == 0 ? 0 : 1);
}

/// Calls body(task, first, last) for blocks of kRowsPerTask rows.
template <class Body>
void for_row_blocks(std::size_t rows, const Threads& threads, const Body& body) {
  threads.for_each(tasks_of(rows, kRowsPerTask), [&](std::size_t task) {
    body(task, task * kRowsPerTask, std::min(rows, (task + 1) * kRowsPerTask));
  });
}

}  // namespace ppgnn::kernels
