#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors

# Installs what is missing (Debian, Ubuntu), builds the examples and runs kernel PCA on Fisher's
# Iris: prints the table of eigenvalues, and says where the pictures are.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source cmake/install_packages.sh
source cmake/build_progress.sh

install_packages \
  cmake=cmake ninja-build=ninja g++=g++ \
  libeigen3-dev libopenblas-openmp-dev liblapacke-dev \
  liblbfgspp-dev libcereal-dev libhdf5-dev zlib1g-dev \
  libcli11-dev nlohmann-json3-dev gnuplot-nox=gnuplot
require_cmake

build=build/native
log=$build/build.log
mkdir -p "$build"
# Single precision is half of the code. A build that has it keeps it.
single=$(sed -n 's/^MERCER_EXAMPLES_SINGLE:BOOL=//p' "$build/CMakeCache.txt" 2>/dev/null || true)
echo "Building in $build (a few minutes the first time)"
if ! { cmake --preset native -DMERCER_EXAMPLES_SINGLE="${single:-OFF}" &&
  cmake --build --preset native -j "$(nproc)" --target mercer_kpca mercer_iris_kpca; } 2>&1 |
  tee "$log" | show_progress 5; then
  tail -n 40 "$log"
  echo "The build failed, see $log" >&2
  exit 1
fi

out=$build/iris
"$build/examples/kpca" examples/data/iris.csv --labels examples/data/iris_species.csv --out "$out"
echo
(cd "$out" && ../examples/iris_kpca)
echo
echo "Pictures: $PWD/$out/scores.svg"
echo "          $PWD/$out/iris_kpca.svg"
echo "Your own data: $build/examples/kpca FILE, all options: $build/examples/kpca --help"
if [[ ${single:-OFF} == OFF ]]; then
  echo "It has double precision alone. Single precision, too: cmake --preset native &&"
  echo "    cmake --build --preset native --target mercer_kpca"
fi
