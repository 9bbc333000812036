#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors

# Compiles mercer for Windows with MinGW: the headers but for those that need a library which is not
# there, some tests, the program of examples/consumer, and kpca by CMake. Runs them where wine is
# installed; kpca must find the eigenvalues of the Iris data, and read its own model. It takes some
# minutes, so it is no part of tests/run.sh.
#
#   tests/package/mingw.sh FOLDER EIGEN     FOLDER: for what is made; EIGEN: the headers of Eigen
#
# Debian packages: g++-mingw-w64-x86-64-posix, cmake, ninja-build, wine64 and wine; and the headers:
# catch2, libeigen3-dev, libcereal-dev, liblbfgspp-dev, libcli11-dev and nlohmann-json3-dev.

set -euo pipefail
mkdir -p "$1"
folder=$(cd "$1" && pwd)
eigen=$2
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
compiler=x86_64-w64-mingw32-g++-posix
if ! command -v "$compiler" >/dev/null; then
  echo "$compiler is not installed"
  exit 0
fi

# Libraries of headers alone serve every system; the rest of /usr/include does not. CMake finds them
# by packages that name their folder.
mkdir -p "$folder/include"
for library in catch2 cereal CLI LBFGS.h LBFGSpp nlohmann; do
  ln -sfn "/usr/include/$library" "$folder/include/$library"
done
package() {  # NAME TARGET INCLUDE
  mkdir -p "$folder/share/cmake/$1"
  cat >"$folder/share/cmake/$1/$1Config.cmake" <<END
add_library($2 INTERFACE IMPORTED)
target_include_directories($2 INTERFACE "$3")
END
}
package Eigen3 Eigen3::Eigen "$eigen"
package cereal cereal::cereal "$folder/include"
package CLI11 CLI11::CLI11 "$folder/include"
package nlohmann_json nlohmann_json::nlohmann_json "$folder/include"

warnings=(-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Werror)
flags=(-std=c++20 "${warnings[@]}"
  "-I$root" "-I$root/include" -isystem "$eigen" -isystem "$folder/include"
  -DMERCER_HAS_CEREAL -DMERCER_HAS_LBFGSPP)

echo "headers"
(cd "$root/include" &&
  find mercer -name '*.hpp' ! -name gzip.hpp ! -path '*/hdf5/*' ! -path '*/mpi/*' ! -path '*/slepc/*' |
  sort | sed 's/.*/#include <&>/') >"$folder/headers.cpp"
"$compiler" "${flags[@]}" -fsyntax-only "$folder/headers.cpp"

objects=()
for source in package/catch_main io/file_test io/from_chars_test io/npy/npy_stream_test \
  core/math/philox_test core/machine/memory_test; do
  echo "tests/$source.cpp"
  object=$folder/$(basename "$source").o
  "$compiler" "${flags[@]}" -c "$root/tests/$source.cpp" -o "$object"
  objects+=("$object")
done
"$compiler" -static "${objects[@]}" -o "$folder/tests.exe"
echo "examples/consumer"
"$compiler" "${flags[@]}" -O1 -Wa,-mbig-obj -static "$root/examples/consumer/main.cpp" \
  -o "$folder/consumer.exe"

# Without optimisation, its objects have more names than binutils 2.40 can write. With it, g++ 12 takes
# what Eigen does to align memory on Windows for a use after free.
echo "kpca"
cmake -S "$root" -B "$folder/build" -G Ninja -DCMAKE_SYSTEM_NAME=Windows \
  -DCMAKE_SYSTEM_PROCESSOR=x86_64 "-DCMAKE_CXX_COMPILER=$compiler" "-DCMAKE_FIND_ROOT_PATH=$folder" \
  -DCMAKE_FIND_ROOT_PATH_MODE_{INCLUDE,LIBRARY,PACKAGE}=ONLY -DCMAKE_EXE_LINKER_FLAGS=-static \
  -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG" \
  "-DCMAKE_CXX_FLAGS=${warnings[*]} -Wno-use-after-free" \
  "-DOpenMP_gomp_LIBRARY=$("$compiler" -print-file-name=libgomp.a)" \
  -DMERCER_BUILD_TESTS=OFF -DMERCER_EXAMPLES_SINGLE=OFF
cmake --build "$folder/build" --target mercer_kpca

if ! command -v wine >/dev/null; then
  echo "wine is not there: nothing was run"
  exit 0
fi
export WINEPREFIX=$folder/wine WINEDEBUG=-all
wine "$folder/tests.exe" "~*control groups*"  # Linux has these
wine "$folder/consumer.exe"

# Relative names mean the same to wine and to the programs.
cp "$root/examples/data/iris.csv" "$folder"
cd "$folder"
rm -rf fitted loaded iris.model
kpca=(wine build/examples/kpca.exe)
"${kpca[@]}" iris.csv --sigma 1 -n 3 --solver exact --save iris.model --project iris.csv --out fitted
"${kpca[@]}" --load iris.model --project iris.csv --out loaded
cmp fitted/projected.npy loaded/projected.npy
python3 - <<'END'
import pathlib
import struct
import sys

found = struct.unpack("<3d", pathlib.Path("fitted/eigenvalues.npy").read_bytes()[-24:])
# numpy.linalg.eigvalsh of the centred Gram matrix
expected = (42.01600494, 20.42725842, 10.34304402)
print("eigenvalues", *found)
if not all(abs(a - b) < 1e-7 for a, b in zip(found, expected)):
    sys.exit(f"they should be {expected}")
END
echo "all passed"
