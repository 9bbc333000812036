// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Independent tasks on several cores: with OpenMP if the compiler has it switched on, else one
/// thread.

#ifndef MERCER_CORE_THREADS_HPP
#define MERCER_CORE_THREADS_HPP

#include <algorithm>
#include <concepts>
#include <exception>
#include <memory>
#include <type_traits>

#if defined(_OPENMP)
#include <omp.h>
#endif

#include <mercer/core/errors.hpp>
#include <mercer/core/machine/cpu_quota.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

/// The number of cores that this process may use; more threads bring no gain. On Linux not more
/// than the CPU quota of its container or service, rounded up. 1 without OpenMP.
[[nodiscard]] inline int core_count() {
#if defined(_OPENMP)
  return (std::min)(omp_get_num_procs(), detail::quota_threads());
#else
  return 1;
#endif
}

/// The most threads that a loop can have: 1024, or one for each processor of the machine if it has
/// more. A number far above that of the processors is a mistake, for which the runtime of OpenMP
/// would end the process.
[[nodiscard]] inline int most_threads() {
#if defined(_OPENMP)
  return (std::max)(1024, omp_get_num_procs());
#else
  return 1024;
#endif
}

namespace detail {

/// What the calling thread has asked for with set_thread_count(); 0 for nothing.
inline int& asked_threads() {
  thread_local int threads = 0;
  return threads;
}

}  // namespace detail

/// The number of threads that the next parallel loop of the calling thread will use: what OpenMP
/// says or, if that is all cores and nobody has asked for it, core_count(). Never more than
/// most_threads().
[[nodiscard]] inline int thread_count() {
#if defined(_OPENMP)
  const int threads = omp_get_max_threads();
  const bool by_default = threads == omp_get_num_procs() && detail::asked_threads() != threads;
  return by_default ? core_count() : (std::min)(threads, most_threads());
#else
  return 1;
#endif
}

/// Sets the number of threads for parallel loops started by the calling thread (OpenMP's own
/// setting). Without OpenMP there is always one thread. Results do not depend on it, to the last
/// bit.
/// Throws InvalidArgument unless 1 <= threads <= most_threads().
inline void set_thread_count(int threads) {
  if (threads < 1 || threads > most_threads())
    detail::fail("mercer::set_thread_count: need 1 to ", most_threads(), " threads, got ", threads);
#if defined(_OPENMP)
  omp_set_num_threads(threads);
  detail::asked_threads() = threads;
#endif
}

namespace detail {

/// The loop of parallel_for(): run(task, 0), ..., run(task, count - 1).
inline void run_tasks(Index count, void (*run)(void* task, Index), void* task) {
  const ParallelPart part(count > 1 && thread_count() > 1);
#if defined(_OPENMP)
  std::exception_ptr error;
  bool failed = false;
#pragma omp parallel num_threads(thread_count()) if (count > 1)
  {
    // Products inside a task stay on its thread. If Eigen split them, their sums would depend on
    // the number of threads.
    omp_set_num_threads(1);
#pragma omp for schedule(monotonic : dynamic, 1)
    for (Index i = 0; i < count; ++i) {
      bool skip;
#pragma omp atomic read
      skip = failed;
      if (skip) continue;
      try {
        run(task, i);
      } catch (...) {
#pragma omp critical(mercer_parallel_for)
        {
          if (!error) error = std::current_exception();
#pragma omp atomic write
          failed = true;
        }
      }
    }
  }
  if (error) std::rethrow_exception(error);
#else
  for (Index i = 0; i < count; ++i) run(task, i);
#endif
}

}  // namespace detail

/// Runs task(0), ..., task(count - 1), each once, in any order and on any thread. The first
/// exception thrown by a task is rethrown here. Tasks that have not begun by then are skipped.
template <std::invocable<Index> Task>
void parallel_for(Index count, Task&& task) {
  // Compilers take long for a loop of OpenMP: all tasks share one, which calls them by address.
  using Type = std::remove_reference_t<Task>;
  detail::run_tasks(
      count, [](void* object, Index i) { (*static_cast<Type*>(object))(i); },
      const_cast<void*>(static_cast<const void*>(std::addressof(task))));
}

}  // namespace mercer

#endif  // MERCER_CORE_THREADS_HPP
