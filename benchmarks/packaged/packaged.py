#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""What programs lose that are compiled for all x86-64 processors, as packages are.

usage: packaged.py [--compiler g++] [--repeat 5] [--blas] [N [D]]

Builds packaged.cpp three times: header-only with -O2, with mercer::compiled and -O2, and with
mercer::compiled, -O3 and -march=native. The three take turns; the medians are printed, and their
ratios to -march=native. With --blas, products and eigenproblems are left to BLAS and LAPACK.
"""

import argparse
import pathlib
import statistics
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
WAYS = {
    "header-only, -O2": ("-O2 -DNDEBUG", "OFF"),
    "companion, -O2": ("-O2 -DNDEBUG", "ON"),
    "companion, -O3 -march=native": ("-O3 -march=native -DNDEBUG", "ON"),
}


def build(folder, compiler, flags, companion, blas):
    options = {"CMAKE_CXX_COMPILER": compiler, "CMAKE_BUILD_TYPE": "Release",
               "CMAKE_CXX_FLAGS_RELEASE": flags, "WITH_COMPANION": companion,
               "WITH_BLAS": "ON" if blas else "OFF"}
    subprocess.run(["cmake", "-S", HERE, "-B", folder, *(f"-D{k}={v}" for k, v in options.items())],
                   check=True, capture_output=True)
    subprocess.run(["cmake", "--build", folder, "-j", "2", "--target", "packaged"], check=True,
                   capture_output=True)
    return folder / "packaged"


def run(program, sizes):
    out = subprocess.run([program, *sizes], check=True, capture_output=True, text=True).stdout
    first, *rows = (line.split(maxsplit=1) for line in out.splitlines())
    return first[1], {name: float(seconds) for name, seconds in rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--blas", action="store_true")
    parser.add_argument("sizes", nargs="*")
    args = parser.parse_args()
    root = HERE.parent.parent / "build" / ("packaged_blas" if args.blas else "packaged")
    programs = {way: build(root / f"{i}", args.compiler, flags, companion, args.blas)
                for i, (way, (flags, companion)) in enumerate(WAYS.items())}
    runs = {way: [] for way in programs}
    for _ in range(args.repeat):
        for way, program in programs.items():
            loops, seconds = run(program, args.sizes)
            runs[way].append(seconds)
            runs[way][-1]["loops"] = loops
    best = list(programs)[-1]
    for task in (name for name in runs[best][0] if name != "loops"):
        base = statistics.median(r[task] for r in runs[best])
        print(task)
        for way, results in runs.items():
            seconds = statistics.median(r[task] for r in results)
            print(f"  {way:30} {seconds:8.3f} s  {seconds / base:6.2f}   loops {results[0]['loops']}")


if __name__ == "__main__":
    main()
