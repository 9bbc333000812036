#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors

# run.sh SECONDS [NAME...]
#
# Builds the fuzzers with clang++ and the address and undefined-behaviour sanitizers, and runs each
# for so many seconds: all of them, or those that are named. What it found is kept in
# build/fuzz/found; the inputs in build/fuzz/corpus grow from run to run. Ends with the number of
# executions of each fuzzer; the exit status is 1 if one of them found something.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
if (($# == 0)) || [[ ! $1 =~ ^[0-9]+$ ]]; then
  echo "usage: run.sh SECONDS [NAME...]" >&2
  exit 2
fi
seconds=$1
shift
names=("$@")
if ((${#names[@]} == 0)); then
  names=(npy npz csv libsvm matrix_market gzip labels archive checkpoint options solvers)
fi

build=build/fuzz
corpus=$build/corpus
targets=(mercer_fuzz mercer_io_tests)
if [[ " ${names[*]} " == *" solvers "* ]]; then targets+=(mercer_fuzz_solvers); fi
mkdir -p "$build/found"
echo "== building"
# Of the tests, those that put archives together by hand: each is a first input.
cmake --preset asan-ubsan -B "$build" "-DMERCER_TEST_FILES=^io/archive/" >"$build/build.log"
if ! cmake --build "$build" --target "${targets[@]}" >>"$build/build.log" 2>&1; then
  tail -n 40 "$build/build.log"
  exit 1
fi
python3 tests/fuzz/make_corpus.py "$corpus"
MERCER_FUZZ_SEEDS=$corpus/golden "$build/tests/mercer_io_tests" "archive: golden*" >/dev/null

# A smaller quarantine of freed memory makes most fuzzers a third faster.
export ASAN_OPTIONS=quarantine_size_mb=16:thread_local_quarantine_size_kb=64:detect_leaks=0
export OMP_NUM_THREADS=1
found=0
total=0
for name in "${names[@]}"; do
  program=("$build/tests/fuzz/mercer_fuzz" "--fuzzer=$name")
  if [[ $name == solvers ]]; then program=("$build/tests/fuzz/mercer_fuzz_solvers"); fi
  inputs=("$corpus/$name")
  if [[ $name == archive || $name == checkpoint ]]; then inputs+=("$corpus/golden"); fi
  status=0
  "${program[@]}" "${inputs[@]}" -max_total_time="$seconds" -max_len=4096 -timeout=20 \
    -rss_limit_mb=2048 -close_fd_mask=1 -artifact_prefix="$build/found/$name-" \
    -print_final_stats=1 >"$build/$name.log" 2>&1 || status=$?
  rm -f /dev/shm/mercer_fuzz_*
  count=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$name.log")
  total=$((total + ${count:-0}))
  echo "$name: ${count:-0} executions"
  if ((status != 0)); then
    found=1
    echo "$name: found something, see $build/$name.log and $build/found"
    grep -m 3 -E 'broken:|ERROR|runtime error|SUMMARY' "$build/$name.log" || true
  fi
done
echo "$total executions"
exit "$found"
