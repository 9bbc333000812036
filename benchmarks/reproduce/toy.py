#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""The toy of Schölkopf, Smola, Müller, Nonlinear component analysis as a kernel eigenvalue problem, 1998
(section 4.1), and what PCA costs in its three forms.

usage: toy.py KPCA [options]

KPCA is the program kpca.

1. toy: points (x, x^2 + noise), x uniform in (-1, 1), noise of deviation 0.2; contour lines of the first
   three components for the kernels (x.y)^p, p = 1 to 4. Their shares of the variance are printed.
2. costs: seconds of the processor and peak memory over n and d, for ten components, of PCA in input space
   (a d x d matrix), dual PCA (the Gram matrix of the linear kernel, n x n), and kernel PCA (Gaussian kernel).
   What starting the program and reading the samples takes is in all of them.

The folder of --out receives toy.svg, toy-costs.csv and toy-costs-{seconds,memory}.svg.
"""

import argparse
import json
import os
import subprocess
import tempfile

import numpy as np

from support import measured, plot, write_csv

DEGREES = [1, 2, 3, 4]
GRID = 41
FORMS = {"PCA": ["--kernel", "linear", "--solver", "features", "--map", "exact"],
         "dual PCA": ["--kernel", "linear", "--solver", "exact"],
         "kernel PCA": ["--kernel", "gaussian", "--solver", "exact"]}


def draw_toy(args, points, panels):
    """A row for each degree, with a panel for each component."""
    lines = [f"set terminal svg noenhanced size 900,{280 * len(panels)} font 'sans,12' background '#ffffff'",
             f"set output '{os.path.join(args.out, 'toy.svg')}'", f"set multiplot layout {len(panels)},3",
             "unset key", "unset colorbox", "set contour base", "set view map", "set cntrlabel onecolor",
             "set cntrparam levels auto 8", "set xrange [-1:1]", "set yrange [-0.6:1.4]",
             "$points << EOD", *(f"{x:.4f} {y:.4f} 0" for x, y in points), "EOD"]
    for degree, (grid, values, shares) in panels.items():
        for i, share in enumerate(shares):
            name = f"$c{degree}_{i}"
            rows = [f"{x:.4f} {y:.4f} {v:.5g}" for (x, y), v in zip(grid, values[:, i])]
            blocks = ["\n".join(rows[first:first + GRID]) for first in range(0, len(rows), GRID)]
            lines += [f"{name} << EOD", "\n\n".join(blocks), "EOD",
                      f"set title 'degree {degree}: component {i + 1}, {100 * share:.1f} %'",
                      f"splot {name} with lines lc rgb '#0072B2' nosurface, "
                      "$points with points pt 7 ps 0.3 lc rgb '#D55E00' nocontour"]
        lines += ["set multiplot next"] * (3 - len(shares))
    subprocess.run(["gnuplot"], input="\n".join(lines), text=True, check=True)


def toy(args, folder):
    rng = np.random.default_rng(args.seed)
    x = rng.uniform(-1, 1, args.points)
    points = np.column_stack([x, x ** 2 + 0.2 * rng.standard_normal(args.points)])
    axis = np.linspace(0, 1, GRID)
    grid = np.array([(2 * a - 1, 2 * b - 0.6) for a in axis for b in axis])
    names = [os.path.join(folder, name + ".npy") for name in ("points", "grid")]
    for name, samples in zip(names, (points, grid)):
        np.save(name, samples)
    panels = {}
    print("share of the variance of the first three components, percent")
    for degree in DEGREES:
        subprocess.run([args.kpca, names[0], "--project", names[1], "--kernel", "polynomial", "--degree",
                        str(degree), "--coef0", "0", "--gamma", "1", "--components", "3", "--solver", "exact",
                        "--pictures", "none", "--out", folder], check=True, stdout=subprocess.DEVNULL)
        with open(os.path.join(folder, "report.json"), encoding="utf-8") as file:
            shares = json.load(file)["explained_variance_ratio"]
        panels[degree] = grid, np.load(os.path.join(folder, "projected.npy")), shares
        print(f"degree {degree}: " + "  ".join(f"{100 * share:.1f}" for share in shares))
    draw_toy(args, points, panels)


def costs(args, folder):
    rng = np.random.default_rng(args.seed)
    name, rows = os.path.join(folder, "samples.npy"), []
    print(f"\n{'n':>6} {'d':>6}" + "".join(f"{form:>24}" for form in FORMS) + "  (seconds, MiB)")
    for n, d in [(n, args.dimensions[0]) for n in args.samples] + \
                [(args.samples[0], d) for d in args.dimensions[1:]]:
        # Falling variances, as of real samples.
        np.save(name, rng.standard_normal((n, d)) / np.sqrt(1 + np.arange(d)))
        cells = []
        for form, options in FORMS.items():
            runs = [measured([args.kpca, name, *options, "--components", 10, "--pictures", "none", "--threads",
                              1, "--out", folder], 1) for _ in range(args.repeat)]
            seconds, peak = min(run[2] for run in runs), min(run[1] for run in runs)
            rows.append({"form": form, "n": n, "d": d, "processor_seconds": seconds, "peak_mib": peak})
            cells.append(f"{seconds:.2f}, {peak:.0f}")
        print(f"{n:>6} {d:>6}" + "".join(f"{cell:>24}" for cell in cells), flush=True)
    write_csv(args.out, "toy-costs", rows)
    for column, label in (("processor_seconds", "seconds"), ("peak_mib", "memory")):
        plot(args.out, f"toy-costs-{label}", f"d = {args.dimensions[0]}, ten components", ("n", column),
             {form: ([(row["n"], row[column]) for row in rows
                      if row["form"] == form and row["d"] == args.dimensions[0]], "linespoints")
              for form in FORMS})


def counts(text):
    return [int(word) for word in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], epilog=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kpca", help="the program kpca")
    parser.add_argument("--points", type=int, default=100, help="of the toy")
    parser.add_argument("--samples", type=counts, default=[1000, 2000, 4000, 8000], metavar="N,N,...",
                        help="for the costs, of the first dimension")
    parser.add_argument("--dimensions", type=counts, default=[64, 256, 1024, 4096], metavar="D,D,...",
                        help="for the costs, of the first number of samples")
    parser.add_argument("--repeat", type=int, default=3, help="runs, of which the least counts")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", default="toy", help="folder for tables and pictures")
    args = parser.parse_args()
    args.kpca = os.path.abspath(args.kpca)
    os.makedirs(args.out, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        toy(args, folder)
        costs(args, folder)


if __name__ == "__main__":
    main()
