#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""The synthetic experiment of Xie, Liang, Song, Scale up nonlinear component analysis with doubly
stochastic gradients, 2015 (section 7.1), run anew.

usage: hermite.py PROGRAM [--quick] [--rules oja,gha] [--out DIR] [...]

PROGRAM is mercer_reproduce_hermite. Samples x ~ N(0, 1), Gaussian kernel of width 1, whose
eigenfunctions are Hermite functions; not centred, three components. Prints a table; writes to the
folder of --out hermite.csv, for each rule hermite-RULE-functions.csv, and the pictures (by gnuplot)
hermite-potential.svg, hermite-eigenvalues.svg and hermite-RULE-functions.svg.
"""

import argparse
import csv
import os
import statistics
import sys

from support import plot, run_measured, slope

GOLDEN = (5 ** 0.5 - 1) / 2
TRUTH = [GOLDEN ** (2 * j + 1) for j in range(3)]
RATE = (-1.3, -0.75)  # slope of log potential over log t; the paper's rate is O(1/t)
FULL = {"samples": 1000000, "features": 262144, "steps": 4096}
QUICK = {"samples": 100000, "features": 65536, "steps": 640}


def has_features(rule):
    return not rule.startswith("kernel-")


def run(args, rule, seed):
    """Lines of the marks, lines of the curves, and peak memory in MiB."""
    names = ("samples", "data_batch", "steps", "step", "decay", "precision")
    if has_features(rule):
        names += ("features", "feature_batch")
    command = [args.program, rule, *(f"{name}={getattr(args, name)}" for name in names),
               f"seed={seed}"]
    lines, peak = run_measured(command, args.threads)
    marks = [line for line in lines if "t" in line]
    if not marks or marks[-1]["t"] != args.steps:
        sys.exit(f"{rule}: the steps diverged after {marks[-1]['t'] if marks else 0}")
    return marks, [line for line in lines if "x" in line], peak


def values(line, name):
    """Of the three components."""
    return [line[f"{name}_{i}"] for i in range(3)]


def errors(line):
    return [abs(value / truth - 1) for value, truth in zip(values(line, "eigenvalue"), TRUTH)]


def print_table(rule, lines, peak):
    print(f"\n{rule}: {lines[-1]['seconds']:.0f} s, peak memory {peak:.0f} MiB\n"
          f"{'t':>6} {'blocks':>6} {'potential':>10} "
          + " ".join(f"{f'ell_{i} off by':>12}" for i in range(3)) + "   |cos| with psi_0..2")
    for line in lines:
        print(f"{line['t']:>6} {line['blocks']:>6} {line['potential']:>10.2e} "
              + " ".join(f"{100 * error:>10.2f} %" for error in errors(line)) + "   "
              + " ".join(f"{cosine:.5f}" for cosine in values(line, "cosine")))


def rate(args, rule, runs):
    """Slope of the logarithm of the potential, the mean over the runs, over that of t, from the step
    from which steps fall like 1/t to the last one with fresh features, or of a rule without features
    with fresh samples. Beyond, the potential goes to that of these, which is not zero."""
    if args.decay <= 0:
        return None
    fresh = (args.features // args.feature_batch if has_features(rule)
             else args.samples // args.data_batch)
    first, last = 1 / args.decay, fresh
    points = [(lines[0]["t"], statistics.mean(line["potential"] for line in lines))
              for lines in zip(*runs) if first <= lines[0]["t"] <= last]
    return slope(points) if len(points) > 2 else None


def rate_error(args, rule, runs):
    """One standard error of the rate, by the jackknife over the runs."""
    rates = [rate(args, rule, runs[:i] + runs[i + 1:]) for i in range(len(runs))]
    return ((len(runs) - 1) * statistics.pvariance(rates)) ** 0.5


def judge(args, rule, runs):
    """One line for each goal. All but the slope are of the first run."""
    last, fall = runs[0][-1], rate(args, rule, runs)
    end = statistics.mean(lines[-1]["potential"] for lines in runs)
    print(f"{rule}: potential at the end {end:.2e} (mean of {len(runs)} runs)")
    goals = [("potential <= 1e-3", last["potential"] <= 1e-3),
             ("eigenvalues within 2 %", max(errors(last)) <= 0.02)]
    if fall is None:
        print(f"{rule}: no slope, as no steps with fresh features or samples fall like 1/t")
    else:
        doubt = f"{fall:.2f}" + (f" +- {rate_error(args, rule, runs):.2f}" if len(runs) > 1 else "")
        if has_features(rule):  # the rate is that of the method with features
            goals.append((f"slope of the potential in {RATE[0]}..{RATE[1]} ({doubt}, {len(runs)} "
                          "runs)", RATE[0] <= fall <= RATE[1]))
        else:
            print(f"{rule}: slope of the potential {doubt}")
    if rule.endswith("gha"):
        goals.append(("|cos| >= 0.999", min(values(last, "cosine")) >= 0.999))
    for goal, met in goals:
        print(f"{rule}: {goal}: {'yes' if met else 'NO'}")
    return all(met for _, met in goals)


def write_csv(args, name, rows):
    with open(os.path.join(args.out, name + ".csv"), "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def draw(args, setting, results):
    # Of one span, and so of one potential: the second rule would hide the first one's line.
    styles = dict(zip(results, ("lines lw 2", "points pt 6 ps 0.8", "lines lw 2 dashtype 4",
                                "points pt 2 ps 0.8")))
    curves = {rule: ([(line["t"], line["potential"]) for line in lines], styles[rule] + " lc 1")
              for rule, lines in results.items()}
    # The line 1/t through the potential after ten steps.
    first = next(line for line in next(iter(results.values())) if line["t"] >= 10)
    scale = first["potential"] * first["t"]
    curves["1/t"] = ([(t, scale / t) for t in (1, args.steps)], "lines dashtype 2 lc rgb 'black'")
    plot(args.out, "hermite-potential", setting, ("iterations", "potential"), curves)
    plot(args.out, "hermite-eigenvalues", setting, ("iterations", "relative error"),
         {f"{rule}, ell_{i}": ([(line["t"], max(errors(line)[i], 1e-6)) for line in lines],
                               f"{styles[rule]} lc {i + 1}")
          for rule, lines in results.items() for i in range(3)})


def draw_functions(args, setting, rule, points):
    """Estimates as points on the lines of the exact functions, in the same colours."""
    curves = {}
    for i in range(3):
        curves[f"psi_{i}, exact"] = (
            [(p["x"], p[f"exact_{i}"]) for p in points], f"lines lw 2 lc {i + 1}")
        curves[f"psi_{i}, {rule}"] = (
            [(p["x"], p[f"estimated_{i}"]) for p in points[::4]], f"points pt 7 ps 0.5 lc {i + 1}")
    plot(args.out, f"hermite-{rule}-functions", setting, ("x", "function"), curves, log="")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], epilog=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="mercer_reproduce_hermite")
    parser.add_argument("--quick", action="store_true", help="a reduced size")
    for name in ("samples", "features", "steps"):
        parser.add_argument(f"--{name}", type=int, help=f"default: {FULL[name]}, or {QUICK[name]}")
    parser.add_argument("--feature-batch", type=int, default=128, help="columns of a block")
    parser.add_argument("--data-batch", type=int, default=512)
    parser.add_argument("--step", type=float, default=1.2, help="th0 of th0 / (1 + th1 t)")
    parser.add_argument("--decay", type=float, default=0.02, help="th1")
    parser.add_argument("--precision", choices=("double", "single"), default="double")
    parser.add_argument("--rules", type=lambda text: text.split(","), default=["oja", "gha"],
                        help="of oja, gha, and kernel-oja and kernel-gha, which keep all samples in "
                             "place of features; their time is quadratic in --samples")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=10,
                        help="runs of each rule for the slope, with seeds SEED, SEED + 1, ...")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--out", default="hermite")
    args = parser.parse_args()
    for name, value in (QUICK if args.quick else FULL).items():
        if getattr(args, name) is None:
            setattr(args, name, value)
    return args


def main():
    args = arguments()
    os.makedirs(args.out, exist_ok=True)
    print(f"{args.samples} samples, {args.features} features ({args.precision} precision), batches "
          f"of {args.data_batch} samples and {args.feature_batch} features, {args.steps} steps "
          f"{args.step} / (1 + {args.decay} t), {args.threads} threads")
    setting = (f"{args.samples} samples, {args.features} features, batches of {args.data_batch} "
               f"and {args.feature_batch}")
    results, good = {}, True
    for rule in args.rules:
        results[rule], points, peak = run(args, rule, args.seed)
        print_table(rule, results[rule], peak)
        others = [run(args, rule, args.seed + i)[0] for i in range(1, args.repeat)]
        good &= judge(args, rule, [results[rule], *others])
        write_csv(args, f"hermite-{rule}-functions", points)
        draw_functions(args, setting, rule, points)
    write_csv(args, "hermite", [{"rule": rule, **line}
                                for rule, lines in results.items() for line in lines])
    draw(args, setting, results)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
