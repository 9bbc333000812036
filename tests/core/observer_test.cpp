// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/observer.hpp>

#include <string>
#include <thread>
#include <vector>

#include <tests/support/catch.hpp>

namespace observer_test {

using mercer::Index;
using mercer::Observer;
using mercer::Progress;

TEST_CASE("observer: none lets everything go on", "[core]") {
  CHECK(mercer::detail::go_on({}, {"phase", 1, 2}));
  const Observer none;
  mercer::detail::LoopProgress progress(none, "phase", 1);
  progress.advance();
  CHECK_FALSE(progress.stopped());
}

TEST_CASE("observer: a loop tells of its tasks, and ends where the observer says so", "[core]") {
  std::vector<Index> steps;
  const Observer observer = [&](const Progress& now) {
    CHECK(std::string(now.phase) == "tasks");
    CHECK(now.total == 5);
    steps.push_back(now.step);
    return now.step < 3;
  };
  mercer::detail::LoopProgress progress(observer, "tasks", 5);
  progress.advance();
  // The tasks of other threads count, and do not call the observer.
  std::thread([&] { progress.advance(); }).join();
  CHECK_FALSE(progress.stopped());
  progress.advance();
  CHECK(progress.stopped());
  CHECK(steps == std::vector<Index>{1, 3});
}

}  // namespace observer_test
