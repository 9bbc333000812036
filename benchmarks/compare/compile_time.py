#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Seconds to compile short programs with mercer, beside one that runs Eigen's eigensolver.

Each program is compiled as it is, and as one that links mercer::compiled compiles it. Prints the
median of the processor seconds of each, the ratio to Eigen's in the same run, and the largest memory
that the compiler took.

usage: compile_time.py [--compiler g++] [--flags "-O2"] [--repeat 3]
"""

import argparse
import os
import pathlib
import shlex
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

EIGEN = """
#include <Eigen/Dense>
Eigen::VectorXd eigenvalues(const Eigen::MatrixXd& a) {
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(a).eigenvalues();
}
"""

NOTHING = """
#include <mercer/mercer.hpp>
"""

EXACT = """
#include <mercer/mercer.hpp>
Eigen::MatrixXd scores(const Eigen::MatrixXd& x) {
  return mercer::KernelPca{mercer::Gaussian{1.5}, mercer::Exact{}, {.components = 3}}.fit(x).transform(x);
}
"""

# The ten lines of the README, with the default solver.
TEN_LINES = """
#include <iostream>
#include <mercer/mercer.hpp>
int main() {
  const Eigen::MatrixXd x = mercer::io::read_npy<double>("digits.npy");
  const mercer::KernelPca pca{mercer::Gaussian{mercer::median_distance(x)}, mercer::Auto{}, {.components = 20}};
  const auto model = pca.fit(x);
  std::cout << model.eigenvalues().transpose() << model.transform(x).row(0);
}
"""

NYSTROM_PCA = """
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/solvers/nystrom/nystrom.hpp>
Eigen::MatrixXd scores(const Eigen::MatrixXd& x) {
  const mercer::Nystrom solver{mercer::RpCholesky{}, {.landmarks = 50}};
  return mercer::KernelPca{mercer::Gaussian{1.0}, solver, {.components = 3}}.fit(x).transform(x);
}
"""

NYSTROM_CCA = """
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_cca.hpp>
#include <mercer/solvers/nystrom/nystrom.hpp>
Eigen::MatrixXd scores(const Eigen::MatrixXd& x, const Eigen::MatrixXd& y) {
  const mercer::Nystrom solver{mercer::RpCholesky{}, {.landmarks = 50}};
  return mercer::KernelCca{mercer::Gaussian{1.0}, mercer::Gaussian{1.0}, solver, {.components = 3}}
      .fit(x, y).transform_x(x);
}
"""

PROGRAMS = {"mercer.hpp, nothing used": NOTHING, "Exact": EXACT, "ten lines with Auto": TEN_LINES,
            "KernelPca by Nystrom": NYSTROM_PCA, "KernelCca by Nystrom": NYSTROM_CCA}
COMPILED = ["-DMERCER_COMPILED", "-DMERCER_COMPILED_WITH_BLAS=0", "-DMERCER_COMPILED_WITH_OPENMP=0"]


def eigen_include():
    """Where Eigen is, from pkg-config, or the compiler's own path."""
    found = subprocess.run(["pkg-config", "--cflags-only-I", "eigen3"], capture_output=True, text=True)
    return shlex.split(found.stdout.replace("-I", "-isystem ")) if found.returncode == 0 else []


def compile_once(command):
    """Processor seconds, and the peak memory of its largest process in bytes."""
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"{shlex.join(command)}: failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--flags", default="-O2")
    parser.add_argument("--repeat", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        commands = {}

        def add(key, text, options):
            source = pathlib.Path(folder) / f"{len(commands)}.cpp"
            source.write_text(text)
            commands[key] = [args.compiler, "-std=c++20", *shlex.split(args.flags), *eigen_include(),
                             f"-I{ROOT / 'include'}", *options, "-c", str(source), "-o", f"{source}.o"]

        add("eigen", EIGEN, [])
        for name, text in PROGRAMS.items():
            add((name, "header-only"), text, [])
            add((name, "compiled"), text, COMPILED)
        runs = {key: [] for key in commands}
        for _ in range(args.repeat):
            for key, command in commands.items():
                runs[key].append(compile_once(command))
    seconds = {key: statistics.median(s for s, _ in values) for key, values in runs.items()}
    memory = {key: max(m for _, m in values) for key, values in runs.items()}
    print(f"{args.compiler} {args.flags}: Eigen's eigensolver {seconds['eigen']:.1f} s")
    print(f"{'program':28} {'':12} {'seconds':>8} {'ratio':>6} {'GiB':>6}")
    for name in PROGRAMS:
        for way in ("header-only", "compiled"):
            key = (name, way)
            print(f"{name:28} {way:12} {seconds[key]:8.1f} {seconds[key] / seconds['eigen']:6.2f} "
                  f"{memory[key] / 2**30:6.2f}")


if __name__ == "__main__":
    main()
