#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Molecules as kernel PCA and linear PCA see them, coloured by energy: a picture and a table.

usage: qm7.py KPCA --data COULOMB.npy --energy ENERGY.npy [options]

KPCA is the program kpca. COULOMB.npy has the sorted Coulomb matrix of a molecule in each row, ENERGY.npy
its energy in the first column. Kernel: Gaussian, the bandwidth the median distance. The table has, for
1, 2, 5, 10 and 20 components of either kind, the share of the variance of the energy that a linear
function of the scores explains, on one half of the molecules, fitted to the other half.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

KINDS = {"kernel PCA": ["--kernel", "gaussian", "--sigma", "median"],
         "linear PCA": ["--kernel", "linear"]}
COUNTS = [1, 2, 5, 10, 20]


def scores_of(args, kind, out):
    """Scores and report of a fit to all molecules."""
    command = [args.program, args.data, *KINDS[kind], "--components", str(max(COUNTS)), "--out", out,
               "--solver", args.solver, "--seed", str(args.seed)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
    with open(os.path.join(out, "report.json"), encoding="utf-8") as file:
        report = json.load(file)
    return np.load(os.path.join(out, "scores.npy")).astype(float), report


def explained(scores, energy, train, test):
    """1 - (mean square of what a linear fit leaves) / variance, on the test half."""
    design = np.column_stack([np.ones(len(scores)), scores])
    weights = np.linalg.lstsq(design[train], energy[train], rcond=None)[0]
    rest = energy[test] - design[test] @ weights
    return 1 - np.mean(rest ** 2) / np.var(energy[test])


def draw(path, panels, energy):
    lines = ["set terminal svg size 1200,520 font 'sans,13' background '#ffffff'",
             f"set output '{path}'", "set multiplot layout 1,2", "unset key",
             "set palette defined (0 '#352a87', 0.33 '#0f8fbf', 0.66 '#a5be6b', 1 '#f9d90e')",
             "set cblabel 'atomisation energy, kcal/mol'", "set format x '%g'", "set format y '%g'"]
    for i, (kind, (scores, report)) in enumerate(panels.items()):
        ratio = report["explained_variance_ratio"]
        lines += [f"$d{i} << EOD",
                  *(f"{a:.5g} {b:.5g} {e:.5g}" for (a, b), e in zip(scores[:, :2], energy)), "EOD",
                  f"set title '{kind}'", f"set xlabel 'component 1 ({100 * ratio[0]:.1f} % of variance)'",
                  f"set ylabel 'component 2 ({100 * ratio[1]:.1f} % of variance)'",
                  f"plot $d{i} using 1:2:3 with points pt 7 ps 0.25 palette"]
    subprocess.run(["gnuplot"], input="\n".join(lines), text=True, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="kpca")
    parser.add_argument("--data", required=True, help="Coulomb matrices, n x d, .npy")
    parser.add_argument("--energy", required=True, help=".npy; the first column counts")
    parser.add_argument("--solver", default="auto", help="of kpca")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", default="qm7", help="folder for the picture")
    args = parser.parse_args()
    args.program = os.path.abspath(args.program)
    os.makedirs(args.out, exist_ok=True)
    energy = np.atleast_2d(np.load(args.energy).T)[0].astype(float)
    with tempfile.TemporaryDirectory() as folder:
        panels = {kind: scores_of(args, kind, os.path.join(folder, str(i)))
                  for i, kind in enumerate(KINDS)}
    draw(os.path.join(args.out, "qm7.svg"), panels, energy)
    order = np.random.default_rng(args.seed).permutation(len(energy))
    train, test = order[::2], order[1::2]
    print("share of the variance of the energy that a linear function of the scores explains")
    print(f"{'components':<12}" + "".join(f"{k:>8}" for k in COUNTS) + f"{'fit':>10}")
    for kind, (scores, report) in panels.items():
        cells = "".join(f"{explained(scores[:, :k], energy, train, test):>8.3f}" for k in COUNTS)
        print(f"{kind:<12}{cells}{report['fit_seconds']:>8.2f} s")
    print(f"picture in {os.path.join(args.out, 'qm7.svg')}")


if __name__ == "__main__":
    main()
