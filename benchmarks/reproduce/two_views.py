#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""The experiments with two views of Xie, Liang, Song, Scale up nonlinear component analysis with
doubly stochastic gradients, 2015 (sections 7.2, 7.3 and 7.5), run anew.

usage: two_views.py PROGRAM [--images mnist.npy] [--arm NAME=STATES.npy,TORQUES.npy] [...]

PROGRAM is mercer_reproduce_two_views. Experiments (--experiments, all by default):
  halves    kernel CCA of the left and right halves of digits: the sum of the correlations of 50
            pairs of functions on images held out, over time
  deformed  the same with originals and deformed digits, which are made when they are read
  torques   kernel sliced inverse regression of an arm's torques: error of least squares on the
            functions over the number of features
  mixture   the weights and densities of a mixture of a Gaussian and a Gamma law
  cost      kernel CCA by landmarks beside kernel PCA of one view
  memory    of one pass of stochastic steps over more and more digits

What lacks its file is left out with a word. Prints tables; writes CSV files and pictures (SVG, by
gnuplot) to the folder of --out. Seconds are wall time; processor seconds are those of all threads,
which other programs on the machine change less.
"""

import argparse
import csv
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from blas_kernels import blas_kernels  # noqa: E402  (the path is set above)
from support import plot, run_measured, say, write_csv

# Total correlation and minutes, with 16 workers and 8.1 million deformed digits.
PAPER = {("linear", 0): (27.4, 1.1), ("stochastic", 20480): (43.5, 183.2),
         **{("fourier", size): row for size, row in
            {256: (25.2, 3.2), 512: (30.7, 7.0), 1024: (35.3, 13.9), 2048: (38.8, 54.3),
             4096: (41.5, 186.7)}.items()},
         **{("nystrom", size): row for size, row in
            {256: (30.4, 3.0), 512: (35.3, 5.1), 1024: (38.0, 10.1), 2048: (41.1, 27.0),
             4096: (42.7, 71.0)}.items()}}
NAMES = {"linear": "linear", "fourier": "Fourier features", "nystrom": "Nystroem features",
         "stochastic": "doubly stochastic", "paper": "paper"}
STYLES = {"linear": "points pt 5 ps 1 lc rgb '#808080'",
          "fourier": "linespoints lw 2 pt 7 ps 0.7 lc rgb '#0050a0'",
          "nystrom": "linespoints lw 2 pt 7 ps 0.7 lc rgb '#008040'",
          "stochastic": "linespoints lw 2 pt 7 ps 0.7 lc rgb '#c04000'"}


def run(args, command, **values):
    """What the program prints, and its peak memory in MiB."""
    words = [f"{name}={value!r}" if isinstance(value, float) else f"{name}={value}"
             for name, value in values.items()]
    lines, peak = run_measured([args.program, command, *words], args.threads)
    first = {**lines[0], "peak_mib": peak}
    parts = [f"{name} {first[name]:.5g}" for name in ("total", "error", "seconds") if name in first]
    say(f"  {command} {' '.join(words)}: {', '.join([*parts, f'{peak:.0f} MiB'])}")
    return first, lines[1:]


def parse_runs(text, what):
    """[(method, size, number)] of METHOD:SIZE:NUMBER,..."""
    try:
        return [(method, int(size), int(number)) for method, size, number in
                (word.split(":") for word in text.split(",") if word)]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text}: not METHOD:SIZE:{what},...") from None


def halves(args, name, runs):
    """One run for each of (method, size, images, steps)."""
    rows = []
    for method, size, images, steps in runs:
        found, _ = run(args, "halves", images=args.images, train=args.train, test=args.test,
                       n=images, method=method, size=size, eps=args.eps if steps == 0 else 0.,
                       components=args.components, seed=args.seed, batch=args.data_batch,
                       block=args.feature_batch, steps=steps)
        paper, minutes = PAPER.get((method, size), ("", ""))
        rows.append({"method": method, "size": size, "images": images, "steps": steps,
                     "total": found["total"], "deformed_total": found["deformed_total"],
                     "seconds": found["seconds"],
                     "processor_seconds": found["processor_seconds"],
                     "peak_mib": found["peak_mib"], "implicit_ridge": found["implicit_ridge"],
                     "paper_total": paper, "paper_minutes": minutes})
    if not rows:
        return
    write_csv(args.out, name, rows)
    print(f"\n{name}: sum of the correlations of {args.components} pairs on {args.test} images "
          f"held out, and on deformed versions of them; relative ridge {args.eps:g}, stochastic "
          "without")
    print(f"{'method':<18} {'size':>6} {'images':>8} {'steps':>6} {'total':>7} {'deformed':>9} "
          f"{'seconds':>8} {'cpu s':>8} {'MiB':>6} {'paper':>6} {'its min':>8}")
    for row in rows:
        print(f"{NAMES[row['method']]:<18} {row['size']:>6} {row['images']:>8} {row['steps']:>6} "
              f"{row['total']:>7.2f} {row['deformed_total']:>9.2f} {row['seconds']:>8.1f} "
              f"{row['processor_seconds']:>8.1f} {row['peak_mib']:>6.0f} {row['paper_total']:>6} "
              f"{row['paper_minutes']:>8}")
    curves = {}
    for row in rows:
        label = NAMES[row["method"]] + (f", {row['size']}" if row["steps"] else "")
        curves.setdefault(label, ([], STYLES[row["method"]]))[0].append(
            (row["processor_seconds"], row["total"]))
    curves["paper, 16 workers: 43.5"] = (
        [(x, 43.5) for x in (min(r["processor_seconds"] for r in rows),
                             max(r["processor_seconds"] for r in rows))],
        "lines dashtype 2 lc rgb 'black'")
    plot(args.out, name, f"halves of digits, {args.components} pairs of functions",
         ("processor seconds", "total correlation on new images"), curves, log="x")


def halves_of_originals(args):
    runs = [("linear", 0, args.train, 0)]
    runs += [(method, size, args.train, 0) for method in ("fourier", "nystrom")
             for size in getattr(args, method)]
    # Images in the order of the file come again in every pass.
    runs += [("stochastic", size, args.train, steps) for size, steps in args.stochastic]
    halves(args, "two-views-halves", runs)


def halves_of_deformed(args):
    runs = [(method, size, images, 0) for method, size, images in args.deformed]
    runs += [("stochastic", size, args.images_paper, steps)
             for size, steps in args.deformed_stochastic]
    halves(args, "two-views-deformed", runs)


def torques(args):
    rows = []
    for name, states, outputs, together in args.arm:
        common = {"states": states, "torques": outputs, "share": .8, "together": together,
                  "seed": args.seed, "batch": 1024}
        runs = [("linear", 0, 0)]
        runs += [(method, size, 0) for method in ("fourier", "nystrom") for size in args.arm_sizes]
        runs += [("stochastic", size, args.arm_steps) for size in args.arm_stochastic]
        for method, size, steps in runs:
            for eps in ([0.] if steps else args.arm_eps):
                found, _ = run(args, "torques", method=method, size=size, eps=eps, steps=steps,
                               **common)
                rows.append({"arm": name, "method": method, "size": size, "steps": steps,
                             "eps": eps, "error": found["error"],
                             "linear_error": found["linear_error"],
                             "variance": found["variance"], "train": found["train"],
                             "test": found["test"], "components": found["components"],
                             "seconds": found["seconds"],
                             "processor_seconds": found["processor_seconds"],
                             "implicit_ridge": found["implicit_ridge"]})
    write_csv(args.out, "two-views-torques", rows)
    for name in dict.fromkeys(row["arm"] for row in rows):
        some = [row for row in rows if row["arm"] == name]
        print(f"\ntorques of {name}: mean square error of least squares on "
              f"{some[0]['components']:.0f} functions, {some[0]['train']:.0f} states to fit to, "
              f"{some[0]['test']:.0f} to judge by; their variance {some[0]['variance']:.2f}, least "
              f"squares on the states {some[0]['linear_error']:.2f}")
        print(f"{'method':<18} {'size':>6} {'steps':>6} {'eps':>7} {'error':>8} {'seconds':>8} "
              f"{'cpu s':>7}")
        curves = {"least squares on the states": (
            [(x, some[0]["linear_error"]) for x in (min(args.arm_sizes), max(args.arm_sizes))],
            "lines dashtype 2 lc rgb '#808080'")}
        for row in some:
            print(f"{NAMES[row['method']]:<18} {row['size']:>6} {row['steps']:>6} "
                  f"{row['eps']:>7g} {row['error']:>8.3f} {row['seconds']:>8.2f} "
                  f"{row['processor_seconds']:>7.2f}")
            if row["size"] == 0:
                continue
            label = NAMES[row["method"]] + (f", eps {row['eps']:g}" if row["eps"] else "")
            style = STYLES[row["method"]]
            if row["eps"] and row["eps"] != args.arm_eps[-1]:
                style += f" dt {2 + args.arm_eps.index(row['eps'])}"
            curves.setdefault(label, ([], style))[0].append((row["size"], row["error"]))
        plot(args.out, f"two-views-torques-{name}", f"torques of {name}",
             ("features, frequencies or landmarks", "mean square error, new states"), curves)


GAUSSIAN = (-2., .6)
GAMMA_SHAPE = 1.2


def gaussian_density(x, mean, deviation):
    return (math.exp(-((x - mean) / deviation) ** 2 / 2) / (deviation * math.sqrt(2 * math.pi)))


def gamma_density(x):
    return x ** (GAMMA_SHAPE - 1) * math.exp(-x) / math.gamma(GAMMA_SHAPE) if x > 0 else 0.


def truths(x, sigma):
    """Densities of the Gaussian and the Gamma law at x, and of both plus N(0, sigma^2)."""
    smooth_gaussian = gaussian_density(x, GAUSSIAN[0], math.hypot(GAUSSIAN[1], sigma))
    # z = t^5 makes the integrand smooth at 0.
    count, last = 4000, 25 ** .2
    smooth_gamma = 0.
    for i in range(count):
        t = (i + .5) * last / count
        smooth_gamma += (gamma_density(t ** 5) * gaussian_density(x, t ** 5, sigma)
                         * 5 * t ** 4 * last / count)
    return (gaussian_density(x, *GAUSSIAN), gamma_density(x), smooth_gaussian, smooth_gamma)


def mixture(args):
    rows, pictures = [], None
    for method, size, samples in args.mixtures:
        found, grid = run(args, "mixture", samples=samples, method=method, size=size,
                          rank=args.rank, sigma=args.sigma, share=args.share, seed=args.seed)
        true = [truths(point["x"], args.sigma) for point in grid]
        width = grid[1]["x"] - grid[0]["x"]

        def distance(law, which):
            return sum(abs(point[law] - t[which]) for point, t in zip(grid, true)) * width
        rows.append({"method": method, "size": size, "samples": samples,
                     "weight_gaussian": found["weight_gaussian"],
                     "weight_gamma": found["weight_gamma"],
                     "mean_gaussian": found["mean_gaussian"], "mean_gamma": found["mean_gamma"],
                     "l1_gaussian": distance("gaussian", 2), "l1_gamma": distance("gamma", 3),
                     "l1_gaussian_unsmoothed": distance("gaussian", 0),
                     "l1_gamma_unsmoothed": distance("gamma", 1),
                     "sigma_2": found["sigma_2"], "sigma_3": found["sigma_3"],
                     "rank": found["rank"], "seconds": found["seconds"],
                     "processor_seconds": found["processor_seconds"],
                     "peak_mib": found["peak_mib"]})
        if method == "nystrom":
            pictures = (samples, grid, true)
    write_csv(args.out, "two-views-mixture", rows)
    print(f"\nmixture of N(-2, .6^2), share {args.share:g}, and Gamma(1.2), mean 1.2; Gaussian "
          f"kernel {args.sigma:g}; L1: distance to the true density plus N(0, {args.sigma:g}^2)")
    print(f"{'method':<18} {'size':>5} {'samples':>8} {'weights':>15} {'means':>15} {'L1':>13} "
          f"{'sigma_2, sigma_3':>17} {'seconds':>8} {'cpu s':>7} {'MiB':>6}")
    for row in rows:
        print(f"{NAMES[row['method']]:<18} {row['size']:>5} {row['samples']:>8} "
              f"{row['weight_gaussian']:>7.4f} {row['weight_gamma']:>7.4f} "
              f"{row['mean_gaussian']:>7.3f} {row['mean_gamma']:>7.3f} "
              f"{row['l1_gaussian']:>6.4f} {row['l1_gamma']:>6.4f} "
              f"{row['sigma_2']:>8.4f} {row['sigma_3']:>8.5f} {row['seconds']:>8.1f} "
              f"{row['processor_seconds']:>7.1f} {row['peak_mib']:>6.0f}")
    if not pictures:
        return
    samples, grid, true = pictures
    curves = {}
    for i, law in enumerate(("gaussian", "gamma")):
        points = [(point["x"], t[i]) for point, t in zip(grid, true)]
        curves[f"{law}, true"] = (points, "lines lw 5 lc rgb '#bbbbbb'")
        smooth = [(point["x"], t[2 + i]) for point, t in zip(grid, true)]
        curves[f"{law}, true, smoothed"] = (smooth, "lines dashtype 2 lc rgb 'black'")
        curves[f"{law}, found"] = ([(point["x"], point[law]) for point in grid],
                                   f"lines lw 2 lc {i + 1}")
    plot(args.out, "two-views-mixture", f"{samples} samples", ("x", "density"), curves, log="")
    with open(os.path.join(args.out, "two-views-densities.csv"), "w", newline="",
              encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["x", "gaussian", "gamma", "true_gaussian", "true_gamma",
                         "smoothed_gaussian", "smoothed_gamma"])
        for point, t in zip(grid, true):
            writer.writerow([point["x"], point["gaussian"], point["gamma"], *t])


def cost(args):
    rows = []
    for n, precision, repeat, budget in args.costs:
        found, _ = run(args, "cost", images=args.images, train=args.train, n=n, size=1000,
                       eps=args.eps, components=args.components, seed=args.seed,
                       precision=precision, repeat=repeat, budget=budget)
        rows.append({"pairs": n, "precision": precision, "budget": budget, **found})
    write_csv(args.out, "two-views-cost", rows)
    print("\nkernel CCA by 1000 landmarks a view beside kernel PCA of the left halves by as many")
    print(f"{'pairs':>8} {'precision':<9} {'PCA s':>8} {'CCA s':>8} {'ratio':>6} {'PCA cpu s':>10} "
          f"{'CCA cpu s':>10} {'ratio':>6} {'fit MiB':>8} {'peak MiB':>9}")
    for row in rows:
        print(f"{row['pairs']:>8} {row['precision']:<9} {row['pca_seconds']:>8.2f} "
              f"{row['cca_seconds']:>8.2f} {row['cca_seconds'] / row['pca_seconds']:>6.2f} "
              f"{row['pca_processor_seconds']:>10.2f} {row['cca_processor_seconds']:>10.2f} "
              f"{row['cca_processor_seconds'] / row['pca_processor_seconds']:>6.2f} "
              f"{row['cca_bytes'] / 2 ** 20:>8.0f} {row['peak_mib']:>9.0f}")


def memory(args):
    rows = []
    for n in args.memory:
        found, _ = run(args, "halves", images=args.images, train=args.train, test=args.test, n=n,
                       method="stochastic", size=args.memory_features, eps=0.,
                       components=args.components, seed=args.seed, batch=args.data_batch,
                       block=512, steps=0)
        rows.append({"pairs": n, **found})
    write_csv(args.out, "two-views-memory", rows)
    print(f"\none pass of doubly stochastic kernel CCA, {args.memory_features} features a view in "
          "blocks of 512")
    print(f"{'pairs':>8} {'steps':>6} {'total':>6} {'seconds':>8} {'cpu s':>8} {'run MiB':>8} "
          f"{'peak MiB':>9}")
    for row in rows:
        print(f"{row['pairs']:>8} {row['steps']:>6.0f} {row['total']:>6.2f} {row['seconds']:>8.1f} "
              f"{row['processor_seconds']:>8.1f} {row['bytes'] / 2 ** 20:>8.1f} "
              f"{row['peak_mib']:>9.0f}")


EXPERIMENTS = {"halves": halves_of_originals, "deformed": halves_of_deformed, "torques": torques,
               "mixture": mixture, "cost": cost, "memory": memory}


def numbers(text):
    return [int(word) for word in text.split(",") if word]


def number_pairs(text):
    return [tuple(map(int, word.split(":"))) for word in text.split(",") if word]


def arm(text):
    name, equals, files = text.partition("=")
    parts = files.split(",")
    if not equals or len(parts) not in (2, 3):
        raise argparse.ArgumentTypeError(f"{text}: not NAME=STATES,TORQUES[,TOGETHER]")
    return name, parts[0], parts[1], int(parts[2]) if len(parts) == 3 else 1


def costs(text):
    """PAIRS:PRECISION:REPEAT[:BUDGET], the budget in MiB; 0, the default: half of the free memory."""
    parts = [word.split(":") for word in text.split(",") if word]
    return [(int(n), precision, int(repeat), int(budget[0]) if budget else 0)
            for n, precision, repeat, *budget in parts]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], epilog=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("program", help="mercer_reproduce_two_views")
    add("--experiments", type=lambda text: text.split(","), default=list(EXPERIMENTS))
    add("--images", help=".npy, rows of 28 x 28 pixels from 0 to 255")
    add("--train", type=int, default=60000, help="first rows, the originals to fit to")
    add("--test", type=int, default=10000, help="next rows, to judge by")
    add("--eps", type=float, default=1e-5, help="relative ridge of both views")
    add("--components", type=int, default=50)
    add("--fourier", type=numbers, default=[256, 512, 1024, 2048])
    add("--nystrom", type=numbers, default=[256, 512, 1024, 2048, 4096])
    add("--stochastic", type=number_pairs, default=[(8192, 3000)], metavar="FEATURES:STEPS,...")
    add("--data-batch", type=int, default=1024, help="pairs of a stochastic step")
    add("--feature-batch", type=int, default=2048, help="features of a stochastic step")
    add("--images-paper", type=int, default=8100000, help="images of the stochastic runs")
    add("--deformed", type=lambda text: parse_runs(text, "IMAGES"),
        default=[("linear", 0, 8100000), ("nystrom", 256, 8100000), ("nystrom", 2048, 600000)],
        metavar="METHOD:SIZE:IMAGES,...")
    add("--deformed-stochastic", type=number_pairs, default=[(8192, 3000)],
        metavar="FEATURES:STEPS,...")
    add("--arm", type=arm, action="append", default=[], metavar="NAME=STATES,TORQUES[,TOGETHER]",
        help="rows that follow one another are divided TOGETHER at a time, 1 by default")
    add("--arm-sizes", type=numbers, default=[64, 128, 256, 512, 1024])
    add("--arm-stochastic", type=numbers, default=[512, 2048])
    add("--arm-steps", type=int, default=3000)
    add("--arm-eps", type=lambda text: [float(word) for word in text.split(",")],
        default=[1e-3, 1e-4, 1e-5], help="relative ridges")
    add("--mixtures", type=lambda text: parse_runs(text, "SAMPLES"),
        default=[("fourier", 64, 20000), ("nystrom", 100, 10000), ("nystrom", 100, 100000),
                 ("nystrom", 100, 1000000)], metavar="METHOD:SIZE:SAMPLES,...")
    add("--rank", type=int, default=30, help="of the basis for the mixture")
    add("--sigma", type=float, default=.3, help="width of the kernel for the mixture")
    add("--share", type=float, default=.5, help="of the Gaussian")
    add("--costs", type=costs, default=[(10000, "double", 5, 0), (100000, "single", 1, 0)],
        metavar="PAIRS:PRECISION:REPEAT[:BUDGET],...")
    add("--memory", type=numbers, default=[100000, 1000000], help="pairs")
    add("--memory-features", type=int, default=2048)
    add("--seed", type=int, default=1)
    add("--threads", type=int, default=len(os.sched_getaffinity(0)))
    add("--out", default="two-views")
    args = parser.parse_args()
    for name in args.experiments:
        if name not in EXPERIMENTS:
            parser.error(f"{name} is none of {', '.join(EXPERIMENTS)}")
    return args


def main():
    args = arguments()
    os.makedirs(args.out, exist_ok=True)
    print(f"{args.threads} threads; {blas_kernels()}")
    for name in args.experiments:
        if name in ("halves", "deformed", "cost", "memory") and not args.images:
            print(f"\n{name}: left out, as there is no --images")
        elif name == "torques" and not args.arm:
            print(f"\n{name}: left out, as there is no --arm")
        else:
            EXPERIMENTS[name](args)
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
