#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors

# Installs what is missing (Debian, Ubuntu), builds the benchmarks for this machine and prints the
# figures: Gram matrices beside Eigen's product, Fourier features beside their parts, solvers and
# transform beside scikit-learn, the phases of fits, compile time beside Eigen's.
# usage: benchmarks/run.sh [X.npy]   (rows for the comparison with scikit-learn)

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source cmake/install_packages.sh

install_packages \
  cmake=cmake ninja-build=ninja g++=g++ pkg-config=pkg-config python3 \
  libeigen3-dev libbenchmark-dev libopenblas-openmp-dev liblapacke-dev liblbfgspp-dev libspectra-dev zlib1g-dev \
  python3-sklearn
require_cmake

cmake --preset native -DMERCER_BUILD_BENCHMARKS=ON -DMERCER_BUILD_EXAMPLES=OFF >/dev/null
cmake --build --preset native -j "$(nproc)"

echo "== Gram matrices"
build/native/benchmarks/mercer_gram_benchmark --benchmark_repetitions=5 \
  --benchmark_enable_random_interleaving=true --benchmark_out=build/native/gram.json \
  --benchmark_out_format=json >/dev/null 2>&1
python3 benchmarks/gram_summary.py build/native/gram.json

echo "== Fourier features"
build/native/benchmarks/mercer_feature_benchmark --benchmark_counters_tabular=true 2>/dev/null

echo "== solvers beside scikit-learn's (more data and rivals: benchmarks/compare/README.md)"
# Debian's python, for Debian's scikit-learn.
data=mixture=mixture-4000x112
if [[ -n ${1:-} ]]; then data=data=$1:4000; fi
/usr/bin/python3 benchmarks/compare/solvers.py build/native/benchmarks/mercer_compare_solvers \
  --data "$data" --components 50 \
  --rivals arpack,randomized,dense,nystroem

echo "== where the time of a fit goes"
build/native/benchmarks/mercer_phases

echo "== transform beside scikit-learn's"
/usr/bin/python3 benchmarks/compare/transform.py build/native/benchmarks/mercer_compare_transform \
  ${1:+--data "$1"}

echo "== compile time"
python3 benchmarks/compare/compile_time.py
