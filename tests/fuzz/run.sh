#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors

# run.sh SECONDS [NAME...]
#
# Builds the fuzzers with clang++ and the address and undefined-behaviour sanitizers, and runs each
# for so many seconds: all of them, or those that are named. What it found is kept in
# build/fuzz/<name>-found; the corpus in build/fuzz/corpus grows from run to run. If KPCA is the
# path of kpca, models and states that it saves are among the first inputs. Ends with the number of executions;
# the exit status is 1 if a fuzzer found something.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
if (($# == 0)) || [[ ! $1 =~ ^[0-9]+$ ]]; then
  echo "usage: run.sh SECONDS [NAME...]" >&2
  exit 2
fi
seconds=$1
shift
names=("$@")
if ((${#names[@]} == 0)); then names=(npy npz csv libsvm matrix_market gzip labels archive checkpoint); fi

build=build/fuzz
mkdir -p "$build"
python3 tests/fuzz/make_corpus.py "$build/corpus" ${KPCA:+"$KPCA"}

found=0
executions=0
for name in "${names[@]}"; do
  echo "== $name: building"
  clang++ -std=c++20 -O1 -g1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
    -fsanitize-ignorelist=tests/support/sanitizers.txt \
    -DMERCER_HAS_CEREAL -I. -Iinclude -isystem "${EIGEN:-/usr/include/eigen3}" \
    "tests/fuzz/$name.cpp" -o "$build/$name" -lz
  mkdir -p "$build/$name-found"
  echo "== $name: running for $seconds seconds"
  status=0
  "$build/$name" "$build/corpus/$name" -max_total_time="$seconds" -max_len=4096 -timeout=10 \
    -rss_limit_mb=2048 -artifact_prefix="$build/$name-found/" -print_final_stats=1 \
    >"$build/$name.log" 2>&1 || status=$?
  rm -f /dev/shm/mercer_fuzz_*
  count=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$name.log")
  executions=$((executions + ${count:-0}))
  if ((status != 0)); then
    found=1
    echo "== $name: found something, see $build/$name.log and $build/$name-found"
    grep -m 3 -E 'broken:|ERROR|runtime error|SUMMARY' "$build/$name.log" || true
  fi
done
echo "$executions executions"
exit "$found"
