// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/threads.hpp>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <stdexcept>
#include <vector>

#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace threads_test {

using namespace mercer;

TEST_CASE("threads: every task runs once", "[core]") {
  const Index count = GENERATE(0, 1, 2, 1000);
  std::vector<int> runs(static_cast<std::size_t>(count), 0);
  parallel_for(count, [&](Index i) { ++runs[static_cast<std::size_t>(i)]; });
  CHECK(std::accumulate(runs.begin(), runs.end(), 0) == count);
  CHECK((count == 0 || *std::min_element(runs.begin(), runs.end()) == 1));
}

TEST_CASE("threads: an exception reaches the caller, and later tasks are skipped", "[core]") {
  std::atomic<int> runs = 0;
  CHECK_THROWS_AS(parallel_for(100000,
                               [&](Index) {
                                 ++runs;
                                 throw std::runtime_error("stop");
                               }),
                  std::runtime_error);
  CHECK(runs >= 1);
  CHECK(runs < 100000);
}

TEST_CASE("threads: the count is checked and kept", "[core]") {
  const int before = thread_count();
  CHECK(before >= 1);
  CHECK(core_count() >= 1);
  CHECK_THROWS_AS(set_thread_count(0), InvalidArgument);
  CHECK(most_threads() >= (std::max)(1024, core_count()));
  CHECK_THROWS_AS(set_thread_count(most_threads() + 1), InvalidArgument);
  CHECK(thread_count() == before);
#if defined(_OPENMP)
  omp_set_num_threads(most_threads() + 1);  // as OMP_NUM_THREADS may say
  CHECK(thread_count() == most_threads());
#endif
  set_thread_count(1);
  CHECK(thread_count() == 1);
  set_thread_count(before);
  CHECK(thread_count() == before);
}

}  // namespace threads_test
