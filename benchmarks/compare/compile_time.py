#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Seconds to compile a file that fits one mercer model, beside one that runs Eigen's eigensolver.

usage: compile_time.py [--compiler g++] [--flags "-O2"] [--repeat 5]
"""

import argparse
import pathlib
import shlex
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]

EIGEN = """
#include <Eigen/Dense>
Eigen::VectorXd eigenvalues(const Eigen::MatrixXd& a) {
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(a).eigenvalues();
}
"""

MERCER = """
#include <mercer/mercer.hpp>
Eigen::MatrixXd scores(const Eigen::MatrixXd& x) {
  return mercer::KernelPca{mercer::Gaussian{1.5}, mercer::Exact{}, {.components = 3}}.fit(x).transform(x);
}
"""


def eigen_include():
    """Where Eigen is, from pkg-config, or the compiler's own path."""
    found = subprocess.run(["pkg-config", "--cflags-only-I", "eigen3"], capture_output=True, text=True)
    return shlex.split(found.stdout.replace("-I", "-isystem ")) if found.returncode == 0 else []


def seconds(command):
    begin = time.perf_counter()
    subprocess.run(command, check=True)
    return time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--flags", default="-O2")
    parser.add_argument("--repeat", type=int, default=5)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        commands = {}
        for name, text in (("eigen", EIGEN), ("mercer", MERCER)):
            source = pathlib.Path(folder) / f"{name}.cpp"
            source.write_text(text)
            commands[name] = [args.compiler, "-std=c++20", *shlex.split(args.flags), *eigen_include(),
                              f"-I{ROOT / 'include'}", "-c", str(source), "-o", f"{source}.o"]
        runs = {name: [] for name in commands}
        for _ in range(args.repeat):
            for name, command in commands.items():
                runs[name].append(seconds(command))
    medians = {name: statistics.median(times) for name, times in runs.items()}
    print(f"{args.compiler} {args.flags}: Eigen's eigensolver {medians['eigen']:.2f} s, "
          f"mercer.hpp with one model {medians['mercer']:.2f} s, "
          f"ratio {medians['mercer'] / medians['eigen']:.2f}")


if __name__ == "__main__":
    main()
