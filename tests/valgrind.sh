#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors

# Runs the test programs under valgrind, which sees values that are used and were never set. Takes
# hours.
#
# usage: tests/valgrind.sh [MODULE...]    as core, kernels, solvers; all of them if none is named
#
# Valgrind computes in double where the processor has 80 bits, so that tests of `long double` fail:
# they are no errors here. Exit status 1 if valgrind has found an error; what it says of a program is
# in build/valgrind/MODULE.txt.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export OMP_NUM_THREADS=1

modules=("$@")
targets=(all)
if ((${#modules[@]} > 0)); then
  targets=("${modules[@]/#/mercer_}")
  targets=("${targets[@]/%/_tests}")
fi
cmake --preset valgrind
cmake --build --preset valgrind -j "$(nproc)" --target "${targets[@]}"
cd build/valgrind

if ((${#modules[@]} == 0)); then
  for program in tests/mercer_*_tests; do
    module=${program#tests/mercer_}
    modules+=("${module%_tests}")
  done
fi

errors=0
for module in "${modules[@]}"; do
  # Processes that tests start have files of their own.
  rm -f "$module".txt "$module".*.valgrind
  valgrind -q --leak-check=no --fair-sched=yes --num-callers=30 --error-limit=no \
    --log-file="$module.%p.valgrind" "tests/mercer_${module}_tests" '~[slow]' || true
  cat "$module".*.valgrind >"$module.txt"
  rm -f "$module".*.valgrind
  if [[ -s $module.txt ]]; then
    errors=$((errors + 1))
    echo "$module: errors, see build/valgrind/$module.txt"
  else
    echo "$module: no errors"
  fi
done
echo "${#modules[@]} programs, $errors with errors"
((errors == 0))
