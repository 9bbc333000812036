#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors

# Installs what is missing (Debian, Ubuntu), builds and runs the tests twice: all of them with clang++
# under the address and undefined-behaviour sanitizers; and those of all that has inner loops with
# g++, optimised for this machine and without assertions, together with the examples, the packages
# and each header by itself. With --all, all of them a third time with g++ and assertions. Ends with
# "N passed, N failed, N skipped"; the exit status is 0 if none failed.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source cmake/install_packages.sh
source cmake/build_progress.sh

# The sanitizers' run-time library is a package of its own, or came with another clang.
sanitizers=(libclang-rt-dev)
if echo 'int main() {}' | clang++ -fsanitize=address,undefined -x c++ -o /dev/null - 2>/dev/null; then
  sanitizers=()
fi

install_packages "${sanitizers[@]}" \
  cmake=cmake ninja-build=ninja g++=g++ clang=clang++ \
  pkg-config=pkg-config python3=python3 \
  doxygen=doxygen codespell=codespell clang-format=clang-format \
  libeigen3-dev catch2 librapidcheck-dev \
  libopenblas-openmp-dev liblapacke-dev liblbfgspp-dev libcereal-dev libhdf5-dev \
  libopenmpi-dev openmpi-bin libmpich-dev mpich=mpirun.mpich libslepc-real-dev \
  valgrind=valgrind \
  libomp-dev zlib1g-dev libboost-dev libfast-float-dev libc++-dev libc++abi-dev \
  libcli11-dev nlohmann-json3-dev libgnuplot-iostream-dev gnuplot-nox=gnuplot
require_cmake

jobs=$(nproc)
passed=0
failed=0
skipped=0

# attribute NAME FILE: a count from the first line of a JUnit report.
attribute() { sed -n "s/^.*\b$1=\"\([0-9]*\)\".*$/\1/p" "$2" | head -n 1; }

# run_preset NAME: configures, builds, tests, and adds to the counts. A build that fails counts as
# one failure.
run_preset() {
  local preset=$1 log report
  mkdir -p "build/$preset"
  log=$PWD/build/$preset/build.log
  report=$PWD/build/$preset/tests.xml
  rm -f "$report"

  echo "== $(elapsed) $preset: building"
  if ! { cmake --preset "$preset" && cmake --build --preset "$preset" -j "$jobs"; } 2>&1 |
    tee "$log" | show_progress 30; then
    grep -E '(error|Error|FAILED|undefined reference).*:|CMake Error' -A 5 "$log" | head -n 60 ||
      tail -n 60 "$log"
    echo "== $(elapsed) $preset: the build failed, see $log"
    failed=$((failed + 1))
    return
  fi

  echo "== $(elapsed) $preset: testing"
  # One more than cores: tests of several processes and of kills wait most of their time.
  ctest --preset "$preset" -j $((jobs + 1)) --output-junit "$report" || true
  if [[ ! -s $report ]]; then
    echo "== $(elapsed) $preset: no report of the tests"
    failed=$((failed + 1))
    return
  fi
  local tests failures skips
  tests=$(attribute tests "$report")
  failures=$(attribute failures "$report")
  skips=$(attribute skipped "$report")
  passed=$((passed + tests - failures - skips))
  failed=$((failed + failures))
  skipped=$((skipped + skips))
}

run_preset gcc-native
run_preset asan-ubsan
if [[ ${1:-} == --all ]]; then run_preset gcc-debug; fi

echo "== $(elapsed) done"
echo "$passed passed, $failed failed, $skipped skipped"
((failed == 0))
