#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Molecules as kernel PCA and linear PCA see them, coloured by energy: a picture and a table.

usage: qm7.py KPCA --data COULOMB.npy --energy ENERGY.npy [options]

KPCA is the program kpca. COULOMB.npy has the sorted Coulomb matrix of a molecule in each row, ENERGY.npy
its energy in the first column. Kernel: Gaussian, the bandwidth the median distance. One half of the
molecules, drawn at random, is for training: bandwidth, components and linear functions come from it
alone. The other half is projected on the components. The table has, for 1, 2, 5, 10 and 20 components,
the share of the variance of the energy of this other half that a linear function of the scores explains.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

GAUSSIAN = ["--kernel", "gaussian", "--sigma", "median"]
COUNTS = [1, 2, 5, 10, 20]


def kinds_of(args):
    """Options of kpca for each kind of components."""
    stochastic = ["--solver", "doubly-stochastic", "--features", str(args.features),
                  "--feature-batch", str(args.feature_batch), "--data-batch", str(args.data_batch),
                  "--epochs", str(args.epochs)]
    return {"kernel PCA": [*GAUSSIAN, "--solver", args.solver],
            "doubly stochastic": [*GAUSSIAN, *stochastic],
            "linear PCA": ["--kernel", "linear"]}


def scores_of(args, options, folder, halves):
    """Scores of either half and the report of a fit to the first one."""
    names = []
    for name, half in zip(("train", "test"), halves):
        names.append(os.path.join(folder, name + ".npy"))
        np.save(names[-1], half)
    out = os.path.join(folder, "out")
    command = [args.program, names[0], "--project", names[1], *options, "--components",
               str(max(COUNTS)), "--out", out, "--seed", str(args.seed)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
    with open(os.path.join(out, "report.json"), encoding="utf-8") as file:
        report = json.load(file)
    return [np.load(os.path.join(out, name)).astype(float)
            for name in ("scores.npy", "projected.npy")], report


def explained(scores, energies, k):
    """1 - (mean square of what a linear fit to the training half leaves) / variance, on the other."""
    train, test = (np.column_stack([np.ones(len(half)), half[:, :k]]) for half in scores)
    weights = np.linalg.lstsq(train, energies[0], rcond=None)[0]
    return 1 - np.mean((energies[1] - test @ weights) ** 2) / np.var(energies[1])


def draw(path, panels, energy):
    lines = [f"set terminal svg size {600 * len(panels)},520 font 'sans,13' background '#ffffff'",
             f"set output '{path}'", f"set multiplot layout 1,{len(panels)}", "unset key",
             "set palette defined (0 '#352a87', 0.33 '#0f8fbf', 0.66 '#a5be6b', 1 '#f9d90e')",
             "set cblabel 'atomisation energy, kcal/mol'", "set format x '%g'", "set format y '%g'"]
    for i, (kind, (halves, report)) in enumerate(panels.items()):
        scores = np.concatenate(halves)
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
    parser.add_argument("--solver", default="auto", help="of kpca, for kernel PCA")
    parser.add_argument("--features", type=int, default=16384, help="doubly stochastic; as in the paper")
    parser.add_argument("--feature-batch", type=int, default=512, help="as in the paper")
    parser.add_argument("--data-batch", type=int, default=1024, help="as in the paper")
    parser.add_argument("--epochs", type=int, default=50,
                        help="passes over the training half; the paper's 4000 steps are more than 1000")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", default="qm7", help="folder for the picture")
    args = parser.parse_args()
    args.program = os.path.abspath(args.program)
    os.makedirs(args.out, exist_ok=True)
    samples = np.load(args.data)
    energy = np.atleast_2d(np.load(args.energy).T)[0].astype(float)
    if len(samples) != len(energy):
        sys.exit(f"{args.data} has {len(samples)} molecules, {args.energy} has {len(energy)}")
    order = np.random.default_rng(args.seed).permutation(len(energy))
    halves = order[::2], order[1::2]
    panels = {}
    for kind, options in kinds_of(args).items():
        with tempfile.TemporaryDirectory() as folder:
            panels[kind] = scores_of(args, options, folder, [samples[half] for half in halves])
    draw(os.path.join(args.out, "qm7.svg"), panels, energy[np.concatenate(halves)])
    print(f"share of the variance of the energy of {len(halves[1])} molecules that a linear function of "
          f"the scores explains; all is fitted to {len(halves[0])} others")
    print(f"{'components':<18}" + "".join(f"{k:>8}" for k in COUNTS) + f"{'fit':>10}")
    for kind, (scores, report) in panels.items():
        cells = "".join(f"{explained(scores, [energy[half] for half in halves], k):>8.3f}"
                        for k in COUNTS)
        print(f"{kind:<18}{cells}{report['fit_seconds']:>8.2f} s")
    print(f"picture in {os.path.join(args.out, 'qm7.svg')}")


if __name__ == "__main__":
    main()
