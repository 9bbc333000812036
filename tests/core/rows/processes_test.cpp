// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <tests/support/catch.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/rows/processes.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/testing/thread_processes.hpp>
#include <tests/support/row_parts.hpp>

namespace processes_test {

namespace {

using Catch::Matchers::ContainsSubstring;
using mercer::Index;
using mercer::InvalidArgument;
using mercer::Matrix;
using mercer::Processes;
using mercer::RowSpace;
using mercer::Vector;
using mercer::test::on_processes;
using mercer::test::process_counts;

}  // namespace

TEST_CASE("processes: sums, maxima, broadcasts, gathers and exchanges", "[core][rows]") {
  for (const Index count : process_counts) {
    std::vector<std::vector<double>> found(static_cast<std::size_t>(count));
    mercer::run_as_processes(count, [&](const Processes& processes) {
      const Index rank = processes.rank();
      const auto number = static_cast<double>(rank);
      double added = number + 1, top = -number, told = number;
      std::int64_t whole = rank + 1;
      processes.sum({&added, 1});
      processes.sum({&whole, 1});
      processes.maximum({&top, 1});
      processes.broadcast({&told, 1}, count - 1);
      const auto from_all = processes.gather({std::byte(rank), std::byte(7)});
      const Index next = (rank + 1) % count, before = (rank + count - 1) % count;
      const auto letter = processes.start_exchange(next, before, {std::byte(rank)})->finish();
      found[static_cast<std::size_t>(rank)] = {added,
                                               static_cast<double>(whole),
                                               top,
                                               told,
                                               static_cast<double>(from_all.size()),
                                               static_cast<double>(letter.at(0)),
                                               static_cast<double>(processes.size_on_machine())};
    });
    const auto total = static_cast<double>(count * (count + 1) / 2);
    for (Index rank = 0; rank < count; ++rank) {
      const std::vector<double> expected{total,
                                         total,
                                         0,
                                         static_cast<double>(count - 1),
                                         rank == 0 ? 2.0 * static_cast<double>(count) : 0.0,
                                         static_cast<double>((rank + count - 1) % count),
                                         static_cast<double>(count)};
      CHECK(found[static_cast<std::size_t>(rank)] == expected);
    }
  }
}

TEST_CASE("processes: the rows of a space are ranges of whole tiles that cover all",
          "[core][rows]") {
  for (const Index n : {1, 256, 257, 5000})
    for (const Index count : process_counts) {
      Index next = 0;
      for (const Vector<double>& range :
           on_processes(count, n, mercer::RowSums::OrderFree, [](const RowSpace& rows) {
             return Vector<double>(Eigen::Vector2d(static_cast<double>(rows.first()),
                                                   static_cast<double>(rows.local())));
           })) {
        CHECK(static_cast<Index>(range(0)) == next);
        if (range(1) > 0) CHECK(next % 256 == 0);
        next += static_cast<Index>(range(1));
      }
      CHECK(next == n);
    }
}

TEST_CASE("processes: an error of one of them is thrown by all, with its sentence",
          "[core][rows]") {
  constexpr Index count = 4;
  std::vector<std::string> sentences(count);
  std::vector<bool> invalid(count);
  mercer::run_as_processes(count, [&](const Processes& processes) {
    const auto rank = static_cast<std::size_t>(processes.rank());
    try {
      mercer::detail::together(processes, [&] {
        if (rank >= 2) mercer::detail::fail("process ", processes.rank(), " has no file");
      });
    } catch (const InvalidArgument& error) {
      sentences[rank] = error.what();
      invalid[rank] = true;
    }
  });
  for (std::size_t rank = 0; rank < count; ++rank) {
    CHECK(invalid[rank]);
    CHECK(sentences[rank] == "process 2 has no file");
  }
}

TEST_CASE("processes: an exception outside of a common phase ends all of them", "[core][rows]") {
  CHECK_THROWS_WITH(mercer::run_as_processes(3,
                                             [](const Processes& processes) {
                                               if (processes.rank() == 1)
                                                 mercer::detail::fail("lost");
                                               double value = 0;
                                               processes.sum({&value, 1});
                                             }),
                    ContainsSubstring("lost"));
  CHECK_THROWS_WITH(mercer::run_as_processes(0, [](const Processes&) {}),
                    ContainsSubstring("the number of processes"));
}

}  // namespace processes_test
