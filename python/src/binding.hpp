// What every part of the binding uses: exceptions, arrays without copies, and work beside the interpreter.
#pragma once

#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ppgnn/api/data.hpp"
#include "ppgnn/core/result.hpp"

namespace ppgnn::python {

namespace py = pybind11;

/// Raises the exception of ppgnn.errors that belongs to the code, with the library's sentence.
[[noreturn]] inline void raise(const Error& error) {
  static constexpr const char* kNames[]{"InvalidArgument", "Malformed", "Mismatch", "CertificateError", "InputOutput",
                                        "Diverged",        "OverLimit", "Reported", "RolledBack",       "NotPermitted"};
  const py::object type = py::module_::import("ppgnn.errors").attr(kNames[static_cast<std::size_t>(error.code)]);
  PyErr_SetString(type.ptr(), error.message.c_str());
  throw py::error_already_set();
}

template <class T>
T must(Result<T> result) {
  if (!result) raise(result.error());
  return std::move(result).value();
}
inline void must(const Result<void>& result) {
  if (!result) raise(result.error());
}

/// The numbers of an array, which lives as long as they are used.
template <class T>
api::Lent<T> lent(const py::array_t<T, py::array::c_style>& array) {
  auto* kept = new py::object(array);
  std::shared_ptr<const void> owner(kept, [](const void* object) {
    const py::gil_scoped_acquire held;
    delete static_cast<const py::object*>(object);
  });
  return {{array.data(), static_cast<std::size_t>(array.size())}, std::move(owner)};
}

/// An array that shows the library's own numbers, and cannot be written to.
template <class T>
py::array_t<T> shown(const api::Lent<T>& lent) {
  auto* owner = new std::shared_ptr<const void>(lent.owner);
  const py::capsule base(owner, [](void* held) { delete static_cast<std::shared_ptr<const void>*>(held); });
  py::array_t<T> array(static_cast<py::ssize_t>(lent.values.size()), lent.values.data(), base);
  array.attr("setflags")(py::arg("write") = false);
  return array;
}

/// An array that takes over a vector.
template <class T>
py::array_t<T> taken(std::vector<T> values) {
  auto owner = std::make_shared<const std::vector<T>>(std::move(values));
  const std::span<const T> span(*owner);
  py::array_t<T> array = shown(api::Lent<T>{span, owner});
  return array;
}

inline py::bytes to_bytes(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline std::span<const std::uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

using Progress = std::function<void(double done, double total)>;

/// Long work on a thread of its own, so that Ctrl-C ends it and progress is shown by the interpreter's thread. `work`
/// is given what tells it to stop, and what it tells how far it is.
template <class Work>
auto aside(const py::object& show, const Work& work) {
  using Made = std::invoke_result_t<Work, const std::atomic<bool>&, const Progress&>;
  std::atomic<bool> stop = false;
  std::mutex mutex;
  std::condition_variable changed;
  bool finished = false;
  double done = 0, total = 0;
  std::optional<Made> made;
  std::exception_ptr failed;
  std::thread worker([&] {
    try {
      made.emplace(work(stop, [&](double now, double all) {
        const std::lock_guard lock(mutex);
        done = now;
        total = all;
      }));
    } catch (...) {
      failed = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    finished = true;
    changed.notify_all();
  });
  const auto wait = [&](bool for_good) {
    const py::gil_scoped_release others_run;
    std::unique_lock lock(mutex);
    if (for_good) {
      changed.wait(lock, [&] { return finished; });
    } else {
      changed.wait_for(lock, std::chrono::milliseconds(50), [&] { return finished; });
    }
    const bool ended = finished;
    lock.unlock();
    if (ended) worker.join();
    return ended;
  };
  try {
    double shown = -1;
    while (!wait(false)) {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      std::unique_lock lock(mutex);
      const double now = done, all = total;
      lock.unlock();
      if (!show.is_none() && all > 0 && now != shown) show(shown = now, all);
    }
    if (!show.is_none() && total > 0) show(total, total);
  } catch (...) {
    stop = true;
    if (worker.joinable()) wait(true);
    throw;
  }
  if (failed) std::rethrow_exception(failed);
  return std::move(*made);
}

void bind_data(py::module_& module);
void bind_devices(py::module_& module);
void bind_laboratory(py::module_& module);
void bind_campaigns(py::module_& module);

}  // namespace ppgnn::python
