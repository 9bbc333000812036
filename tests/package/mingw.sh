#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors

# Compiles mercer for Windows with MinGW: every header, some tests and the program of
# examples/consumer. Runs the tests and the program where wine is installed. It takes minutes, so it
# is no part of tests/run.sh.
#
#   tests/package/mingw.sh FOLDER EIGEN     FOLDER: for what is made; EIGEN: the headers of Eigen
#
# Debian packages: g++-mingw-w64-x86-64-posix, wine64 and wine.

set -euo pipefail
folder=$1
eigen=$2
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
compiler=x86_64-w64-mingw32-g++-posix
if ! command -v "$compiler" >/dev/null; then
  echo "$compiler is not installed"
  exit 0
fi

# Libraries of headers alone serve every system; the rest of /usr/include does not.
mkdir -p "$folder/include"
for library in catch2 cereal LBFGS.h LBFGSpp; do
  ln -sfn "/usr/include/$library" "$folder/include/$library"
done
flags=(-std=c++20 -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Werror
  "-I$root" "-I$root/include" -isystem "$eigen" -isystem "$folder/include"
  -DMERCER_HAS_CEREAL -DMERCER_HAS_LBFGSPP)

echo "headers"
(cd "$root/include" && find mercer -name '*.hpp' ! -name gzip.hpp | sort |
  sed 's/.*/#include <&>/') >"$folder/headers.cpp"
"$compiler" "${flags[@]}" -fsyntax-only "$folder/headers.cpp"

objects=()
for source in package/catch_main io/file_test io/from_chars_test io/npy/npy_stream_test \
  core/math/philox_test core/memory_test; do
  echo "tests/$source.cpp"
  object=$folder/$(basename "$source").o
  "$compiler" "${flags[@]}" -c "$root/tests/$source.cpp" -o "$object"
  objects+=("$object")
done
"$compiler" -static "${objects[@]}" -o "$folder/tests.exe"
echo "examples/consumer"
"$compiler" "${flags[@]}" -O1 -Wa,-mbig-obj -static "$root/examples/consumer/main.cpp" \
  -o "$folder/consumer.exe"

if ! command -v wine >/dev/null; then
  echo "wine is not there: nothing was run"
  exit 0
fi
export WINEPREFIX=$folder/wine WINEDEBUG=-all
wine "$folder/tests.exe"
wine "$folder/consumer.exe"
