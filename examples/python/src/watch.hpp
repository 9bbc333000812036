// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Watches a fit for Python: the lock of the interpreter is free while it runs, Ctrl-C ends it, and
/// a function of the user's is told how far it is.

#ifndef MERCER_EXAMPLES_PYTHON_SRC_WATCH_HPP
#define MERCER_EXAMPLES_PYTHON_SRC_WATCH_HPP

#include <chrono>
#include <exception>
#include <string>
#include <utility>

#include <pybind11/pybind11.h>

#include <mercer/core/observer.hpp>
#include <mercer/core/threads.hpp>

namespace mercer_python {

namespace py = pybind11;

/// Asks Python at most every so often, as that takes its lock.
class Watch {
 public:
  /// \param callback  None, or called with the phase, the steps done and those in all, 0 if that is
  ///   not known. The fit is cancelled if it returns False.
  explicit Watch(py::object callback) : callback_(std::move(callback)) {}
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  [[nodiscard]] bool go_on(const mercer::Progress& progress) {
    const auto now = std::chrono::steady_clock::now();
    if (error_ || (progress.phase == phase_ && now - asked_ < interval)) return !error_;
    phase_ = progress.phase;
    asked_ = now;
    const py::gil_scoped_acquire lock;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (callback_.is_none()) return true;
      const py::object answer = callback_(phase_, progress.step, progress.total);
      return answer.is_none() || answer.cast<bool>();
    } catch (...) {  // not through the library: it is Python's
      error_ = std::current_exception();
      return false;
    }
  }

  /// Throws what stopped the fit, if it was not the user's function.
  void rethrow() {
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  static constexpr std::chrono::milliseconds interval{50};

  py::object callback_;
  std::string phase_;
  std::chrono::steady_clock::time_point asked_;
  std::exception_ptr error_;
};

/// So many threads for the loops of this thread, as long as the object lives; 0: as before.
class ThreadCount {
 public:
  explicit ThreadCount(int threads) : before_(mercer::thread_count()) {
    if (threads > 0) mercer::set_thread_count(threads);
  }
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;
  ~ThreadCount() { mercer::set_thread_count(before_); }

 private:
  int before_;
};

/// Calls \p work with an observer, without the lock of the interpreter.
/// Throws KeyboardInterrupt after Ctrl-C, and what the callback throws.
template <class Work>
auto run_watched(const py::object& callback, int threads, const Work& work) {
  Watch watch(callback);
  try {
    auto result = [&] {
      const ThreadCount count(threads);
      const py::gil_scoped_release free;
      return work([&watch](const mercer::Progress& progress) { return watch.go_on(progress); });
    }();
    watch.rethrow();
    return result;
  } catch (const std::exception&) {
    watch.rethrow();  // if a method has too little left to go on, that is why
    throw;
  }
}

}  // namespace mercer_python

#endif  // MERCER_EXAMPLES_PYTHON_SRC_WATCH_HPP
