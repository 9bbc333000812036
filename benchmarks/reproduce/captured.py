#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""How much of the variance of new samples the functions of a fit capture, over seconds and memory.

usage: captured.py PROGRAM --data FILE [options]

PROGRAM is mercer_reproduce_captured. FILE is .npy, one sample a row; some rows, drawn at random, are the test
samples. Methods: principal components of Fourier features in one pass, Nystroem with uniform landmarks, and
doubly stochastic gradients. Kernel: Gaussian, the bandwidth the median distance; centred. Prints a table,
writes a CSV file and two pictures (SVG, by gnuplot) to the folder of --out.
"""

import argparse
import os
import subprocess
import tempfile

import numpy as np

from support import run, say, write_csv

COLOURS = {"Fourier features": "#0050a0", "Nystroem": "#008040", "doubly stochastic": "#c04000"}


def split(args, folder):
    """Paths of training and test samples."""
    x = np.load(args.data).astype(np.float32) / args.divide
    order = np.random.default_rng(args.seed).permutation(len(x))
    paths = {}
    for name, rows in (("train", order[args.test:]), ("test", order[:args.test])):
        paths[name] = os.path.join(folder, name + ".npy")
        np.save(paths[name], np.asfortranarray(x[np.sort(rows)]))
    return paths


def marks_to(last):
    marks = {1, last}
    while max(marks - {last}) * 2 < last:
        marks.add(max(marks - {last}) * 2)
    return ",".join(map(str, sorted(marks)))


def collect(args, common):
    """Rows of method, settings, seconds, MiB and the captured share."""
    rows = []

    def add(method, settings, results, most):
        for r in results:
            rows.append({"method": method, "settings": settings, "step": r.get("step", ""),
                         "seconds": r["seconds"], "MiB": r["bytes"] / 2 ** 20,
                         "captured": r["captured"] / most})
        say(f"  {method}, {settings}: {rows[-1]['seconds']:.1f} s, {rows[-1]['MiB']:.0f} MiB, "
            f"{rows[-1]['captured']:.5f}")

    (about,) = run(args, "reference", os.cpu_count(), **common)
    common = {**common, "sigma": repr(about["sigma"]), "seed": args.seed}
    say(f"{about['n']:.0f} x {about['d']:.0f}, sigma = {about['sigma']:.6g}; {args.components} "
        f"functions can capture {about['most'] / about['all']:.4f} of the variance")
    for count in args.features:
        add("Fourier features", f"{count} features",
            run(args, "features", os.cpu_count(), features=count, **common), about["most"])
    for count in args.landmarks:
        add("Nystroem", f"{count} landmarks",
            run(args, "nystrom", os.cpu_count(), landmarks=count, **common), about["most"])
    for count in args.stochastic:
        add("doubly stochastic", f"{count} features",
            run(args, "doubly-stochastic", os.cpu_count(), features=args.feature_batch,
                blocks=count // args.feature_batch, batch=args.data_batch, steps=args.steps,
                marks=marks_to(args.steps), step=args.step, decay=args.decay, **common),
            about["most"])
    return rows


def draw(args, rows, axis, title, name):
    lines = ["set terminal svg size 900,520 font 'sans,13' background '#ffffff'",
             f"set output '{os.path.join(args.out, name)}.svg'", "set logscale x", "set logscale y",
             "set format x '%g'", "set format y '%g'", "set grid lc rgb '#dddddd'",
             "set key outside right center vertical samplen 2", f"set xlabel '{title}'",
             "set ylabel 'share of the variance that is missed'"]
    curves = {}
    for row in rows:
        label = row["method"] + (f", {row['settings']}" if row["step"] != "" else "")
        curves.setdefault(label, []).append(row)
    if axis == "MiB":  # of a run, what it ends with
        curves = {label: points[-1:] if points[0]["step"] != "" else points
                  for label, points in curves.items()}
    plots = []
    for i, (label, points) in enumerate(curves.items()):
        lines += [f"$d{i} << EOD",
                  *(f"{p[axis]:.6g} {max(1 - p['captured'], 1e-9):.6g}" for p in points), "EOD"]
        plots.append(f"$d{i} with linespoints lw 2 pt 7 ps 0.6 dt {1 + i // 5} "
                     f"lc rgb '{COLOURS[points[0]['method']]}' title '{label}'")
    subprocess.run(["gnuplot"], input="\n".join([*lines, "plot " + ", ".join(plots)]), text=True,
                   check=True)


def main():
    def numbers(text):
        return [int(word) for word in text.split(",")]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="mercer_reproduce_captured")
    parser.add_argument("--data", required=True, help=".npy, one sample a row")
    parser.add_argument("--divide", type=float, default=1, help="the values by this")
    parser.add_argument("--test", type=int, default=10000, help="rows that are not trained with")
    parser.add_argument("--components", type=int, default=20)
    parser.add_argument("--features", type=numbers, default=[256, 512, 1024, 2048, 4096])
    parser.add_argument("--landmarks", type=numbers, default=[125, 250, 500, 1000, 2000, 4000])
    parser.add_argument("--stochastic", type=numbers, default=[4096, 16384, 65536],
                        help="features of the doubly stochastic runs")
    parser.add_argument("--steps", type=int, default=512, help="of each of those")
    parser.add_argument("--feature-batch", type=int, default=512)
    parser.add_argument("--data-batch", type=int, default=512)
    parser.add_argument("--step", type=float, help="th0 of the steps; default: 1 / eigenvalue 1")
    parser.add_argument("--decay", type=float, help="th1 of the steps")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", default="captured", help="folder for the table and the pictures")
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        rows = collect(args, {**split(args, folder), "components": args.components})
    write_csv(args.out, "captured", rows)
    draw(args, rows, "seconds", "seconds", "captured-seconds")
    draw(args, rows, "MiB", "memory of the fit, MiB", "captured-memory")
    print(f"share of the variance of {args.test} new samples that {args.components} functions "
          "capture, of what so many can")
    print(f"{'method':<18}{'settings':<18}{'step':>6}{'seconds':>10}{'MiB':>8}{'captured':>10}")
    for row in rows:
        print(f"{row['method']:<18}{row['settings']:<18}{row['step']:>6}{row['seconds']:>10.2f}"
              f"{row['MiB']:>8.0f}{row['captured']:>10.5f}")


if __name__ == "__main__":
    main()
