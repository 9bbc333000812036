// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/machine/freed_memory.hpp>

#include <mercer/core/types.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/glibc_malloc.hpp>

#if defined(__linux__)
#include <sys/resource.h>
#endif

namespace freed_memory_test {

#if defined(MERCER_TEST_GLIBC_MALLOC) && defined(__linux__)
TEST_CASE("freed memory: buffers that are allocated again and again have their pages", "[core]") {
  const auto faults = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
  };
  const auto use_buffers = [] {
    // As products do; 1 MiB in all are 256 pages.
    for (int product = 0; product < 100; ++product) {
      const mercer::Matrix<double> a = mercer::Matrix<double>::Constant(256, 256, product),
                                   b = mercer::Matrix<double>::Constant(256, 256, product);
      CHECK(a(5, 5) + b(7, 7) == 2 * product);
    }
  };
  mercer::detail::keep_freed_memory();
  use_buffers();
  const auto before = faults();
  use_buffers();
  CHECK(faults() - before < 100 * 256 / 10);
}
#endif

TEST_CASE("freed memory: it can be asked for any number of times", "[core]") {
  mercer::detail::keep_freed_memory();
  mercer::detail::keep_freed_memory();
  CHECK(mercer::Matrix<double>::Ones(2000, 2000).sum() == 4e6);
}

}  // namespace freed_memory_test
