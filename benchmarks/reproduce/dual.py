#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""The experiments of Tonin et al., Extending kernel PCA through dualization, ICML 2023, run anew.

usage: dual.py PROGRAM [--data NAME=FILE]... [--matrix-free NAME=FILE] [--iris FILE] [options]

PROGRAM is mercer_reproduce_dual; FILE is .npy, .csv or LIBSVM text, one sample a row. Synthetic
samples need no file.
Prints a table beside the published times; writes CSV files and pictures (SVG, by gnuplot) to the
folder of --out. Needs NumPy and SciPy; scikit-learn's randomised solver runs where it is installed.
"""

import argparse
import itertools
import os
import statistics
import sys
import tempfile
import time

import numpy as np
from scipy.sparse.linalg import eigsh

from support import plot, run, say, write_csv

try:
    from sklearn.utils.extmath import _randomized_eigsh
except ImportError:
    _randomized_eigsh = None

DELTA = 1e-2
# Seconds in the paper, of n samples: LAPACK, ARPACK, randomised, dual.
PAPER = {"synthetic": (7000, 96.73, 0.85, 1.97, 0.53), "protein": (14895, 868.64, 3.46, 6.70, 1.07),
         "rcv1": (20242, None, 6.04, 12.50, 2.12), "cifar10": (60000, None, 48.10, 123.89, 13.51)}
# From loose to tight: the first that reaches DELTA counts.
TOLERANCES = [1.0, 0.3, 0.1, 0.03, 1e-2, 3e-3, 1e-3, 1e-4, 1e-6, 1e-8]
POWERS = [0, 1, 2, 3, 4, 5, 7, 10]
# The dual's ladder is one of line searches, as in the paper, whose runs have ten iterations.
LINES = [*range(1, 9), 10, 12, 14, 16, 20, 25, 30, 40]
DUALS = ["dual", "dual-sketch"]
OURS = ["lanczos", "block-krylov", *DUALS]


def first_within(rows, optimum):
    """The first row whose sum of eigenvalues is within DELTA of the optimum, or else the last, with
    its delta."""
    row = None
    for row in rows:
        row["delta"] = 1 - row["sum"] / optimum
        if row["delta"] <= DELTA:
            break
    return row


def within(row):
    return row is not None and row["delta"] <= DELTA


def rungs(solve, settings, repeat):
    """Times of a solver of Python's at each setting. A generator: later ones run on demand."""
    for setting in settings:
        seconds = []
        for _ in range(repeat):
            begin = time.perf_counter()
            values = solve(setting)
            seconds.append(time.perf_counter() - begin)
        yield {"seconds": statistics.median(seconds), "sum": float(np.sum(values)), "products": ""}


def arpack(gram, k):
    def solve(tolerance):
        # With a basis of 2 k + 1 vectors, its default, all tolerances of 1e-1 and more are alike.
        values, vectors = eigsh(gram, k=k, tol=tolerance, v0=np.ones(len(gram)))
        return np.einsum("ij,ij->j", vectors, gram @ vectors) if tolerance >= 0.1 else values
    return solve


def randomised(gram, k):
    def solve(powers):
        return _randomized_eigsh(gram, k, n_iter=powers, random_state=0, selection="module")[0]
    return solve


def ours(args, method, command="ladder", **values):
    """Rungs of a method of the program's, each run on demand."""
    name, ladder = ("lines", LINES) if method in DUALS else ("tolerances", TOLERANCES)
    for rung in ladder:
        yield from run(args, command, args.threads, method=method, repeat=args.repeat,
                       **{name: rung}, **values)


class Problem:
    """Samples with their Gram matrix on file, and its sum of leading eigenvalues."""

    def __init__(self, args, name, path, kernel, width, folder):
        self.args, self.name = args, name
        self.samples = {"data": path, "kernel": kernel, "width": width}
        self.gram = os.path.join(folder, name + "-gram.npy")
        say(f"{name}: Gram matrix")
        (about,) = run(args, "form", args.threads, out=self.gram, **self.samples)
        self.n, self.formation = about["n"], about["seconds"]

    def discard(self):
        os.remove(self.gram)

    def optimum(self, k):
        """The best sum of k eigenvalues, and the seconds of LAPACK where it was affordable."""
        dense = self.n <= self.args.dense_rows
        (row,) = run(self.args, "ladder", self.args.threads, gram=self.gram, k=k,
                     method="exact" if dense else "block-krylov", tolerances=0 if dense else 1e-10,
                     repeat=1)
        return row["sum"], row["seconds"] if dense else None

    def rivals(self, k, published):
        """(name, rungs) of the other libraries' solvers; \p published: at their defaults too."""
        gram = np.load(self.gram)
        if published:
            yield "arpack, defaults", rungs(arpack(gram, k), [0], self.args.repeat)
        yield "arpack", rungs(arpack(gram, k), [*TOLERANCES, 0], self.args.repeat)
        if _randomized_eigsh is None:
            return
        if published:
            yield "randomised, defaults", rungs(randomised(gram, k), ["auto"], self.args.repeat)
        yield "randomised", rungs(randomised(gram, k), POWERS, self.args.repeat)

    def times(self, k, published=False):
        """{method: row} of the first rung within DELTA; rows have seconds, delta, products and
        with_matrix, the seconds with those that the Gram matrix took."""
        args = self.args
        best, exact = self.optimum(k)
        result = {"exact": {"seconds": exact, "delta": 0.0, "products": ""}} if exact else {}
        for method, steps in self.rivals(k, published):
            say(f"{self.name}: k = {k}, {method}")
            result[method] = first_within(steps, best)
        for method in OURS:
            say(f"{self.name}: k = {k}, {method}")
            result[method] = first_within(ours(args, method, gram=self.gram, k=k), best)
        for method in DUALS if published else []:
            result[f"{method}, told delta"] = first_within(
                run(args, "ladder", args.threads, method=method, tolerances=DELTA,
                    repeat=args.repeat, gram=self.gram, k=k), best)
        for row in result.values():
            row["with_matrix"] = row["seconds"] + self.formation
        return {**result, **matrix_free(args, self.samples, k, best)}


def matrix_free(args, samples, k, best):
    """Rows of methods that evaluate the kernel in every product."""
    result = {}
    for method in ["block-krylov", "dual-sketch"]:
        name = f"{method}, no matrix"
        say(f"{os.path.basename(samples['data'])}: k = {k}, {name}")
        row = first_within(ours(args, method, command="free", k=k, **samples), best)
        result[name] = {**row, "with_matrix": row["seconds"]}
    return result


def show(results, published):
    """Prints rows of methods; the duals are the units of the ratios."""
    print(f"  {'method':26}{'seconds':>9}{'with matrix':>12}{'delta':>10}{'products':>9}"
          f"{'/ dual':>8}{'/ sketch':>9}{'paper':>9}{'/ dual':>8}")
    units = [results[method]["seconds"] if within(results.get(method)) else None
             for method in DUALS]
    for method, row in results.items():
        given = row["with_matrix"] != row["seconds"]
        ratios = [f"{row['seconds'] / unit:.2f}" if unit and given else "" for unit in units]
        told = published.get(method)
        paper = f"{told:9.2f}{told / published['dual']:8.2f}" if told else ""
        print(f"  {method:26}{row['seconds']:9.3f}{row['with_matrix']:12.3f}{row['delta']:9.1e}"
              f"{' ' if within(row) else '>'}{row['products']:>9}{ratios[0]:>8}{ratios[1]:>9}{paper}"
              .rstrip())


def published_times(name):
    """The paper's row, under the names of the methods as it ran them."""
    if name not in PAPER:
        return {}
    return dict(zip(["exact", "arpack, defaults", "randomised, defaults", "dual"], PAPER[name][1:]))


def table(args, problem):
    results = problem.times(args.components, published=True)
    print(f"\n{problem.name}, n = {problem.n}, Gram matrix formed in {problem.formation:.2f} s",
          end="")
    paper = PAPER.get(problem.name)
    print(f"; the paper's n = {paper[0]}" if paper and paper[0] != problem.n else "")
    show(results, published_times(problem.name))
    sys.stdout.flush()
    return [{"data": problem.name, "n": problem.n, "k": args.components, "method": method,
             **{key: row[key] for key in ["seconds", "with_matrix", "delta", "products"]}}
            for method, row in results.items()]


def line_searches(args, folder):
    """How many line searches of the dual an accuracy takes: two mixtures of two normals."""
    print("\nLine searches of the dual: relative error delta of the objective")
    for n, d, shift, k in [(400, 6, 1.5, 5), (2000, 8, 1, 20)]:
        x = np.random.default_rng(0).standard_normal((n, d))
        x[:n // 2] += shift
        path = os.path.join(folder, "mixture.npy")
        np.save(path, x)
        problem = Problem(args, f"mixture-{n}", path, "gaussian", "median", folder)
        best, _ = problem.optimum(k)
        print(f"  n = {n}, k = {k}: " + ", ".join(
            f"{row['lines']}: {abs(1 - row['sum'] / best):.1e}" for row in
            run(args, "ladder", args.threads, gram=problem.gram, k=k, method="dual", repeat=1,
                tolerances="1e-1,1e-2,1e-3,1e-6,1e-10")))
        problem.discard()


def without_matrix(args, name, path):
    """Methods that need no Gram matrix, where there is no room for one."""
    samples = {"data": path, "kernel": "gaussian", "width": "median"}
    say(f"{name}: optimum")
    (row,) = run(args, "free", args.threads, method="block-krylov", k=args.components,
                 tolerances=1e-5, repeat=1, **samples)
    print(f"\n{name}, without a Gram matrix")
    show(matrix_free(args, samples, args.components, row["sum"]), {})


def over_components(args, problem):
    """Time against the number of components."""
    rows, curves = [], {}
    for k in args.over:
        for method, row in problem.times(k).items():
            if method == "exact" or not within(row):
                continue
            rows.append({"data": problem.name, "n": problem.n, "k": k, "method": method,
                         "seconds": row["seconds"], "delta": row["delta"]})
            curves.setdefault(method, ([], "linespoints"))[0].append((k, row["seconds"]))
    write_csv(args.out, "dual-components", rows)
    plot(args.out, "dual-components", f"{problem.name}, n = {problem.n}: within {DELTA:g}",
         ("components", "seconds"), curves)


def loss_path(args, k, loss, parts, starts=10, **samples):
    """What kernel PCA makes of samples, and rows of a loss at parts of its largest parameter."""
    about, *rows = run(args, "path", args.threads, k=k, loss=loss, starts=starts,
                       parts=",".join(map(repr, parts)), **samples)
    return about, rows


def contaminated(samples, share, rng):
    """Standardised samples, of which a share is replaced by N(0, 25 I) and moved to the end."""
    x = (samples - samples.mean(0)) / samples.std(0)
    bad = rng.permutation(len(x))[:round(share * len(x))]
    return np.vstack([np.delete(x, bad, axis=0), 5 * rng.standard_normal((len(bad), x.shape[1]))])

HUBER = ["huber-l2", "huber-l1", "huber-linf"]


def iris(args, folder):
    """Errors of the clean rows, in units of the error that kernel PCA of them alone leaves."""
    samples = np.load(args.iris)
    kernels = [("gaussian", "median"), ("linear", None)]
    parts = [1, 0.8, 0.6, 0.4, 0.3, 0.2, 0.1, 0.05, 0.02]
    rows, curves = [], {}
    print("\nIris, contaminated: reconstruction error of the clean rows over that without "
          f"outliers, medians of {args.draws} draws\n"
          f"  {'kernel':12}{'replaced':>9}{'k':>3}{'kernel PCA':>12}   best kappa / kappa_max")
    for share, (kernel, width), k in itertools.product([0.02, 0.05, 0.1], kernels, [1, 2]):
        errors = {}
        for seed in range(args.draws):
            x = contaminated(samples, share, np.random.default_rng(seed))
            path = os.path.join(folder, "iris.npy")
            np.save(path, x)
            for loss in HUBER:
                about, found = loss_path(args, k, loss, parts, data=path, kernel=kernel,
                                         width=width, clean=len(x) - round(share * len(x)))
                unit = about["uncontaminated"]
                errors.setdefault(("kernel PCA", 1), []).append(about["clean_error"] / unit)
                for row in found:
                    key = (loss, row["part"])
                    errors.setdefault(key, []).append(row["clean_error"] / unit)
                    rows.append({"replaced": share, "kernel": kernel, "k": k, "seed": seed,
                                 "loss": loss, **row, **{f"pca_{name}": value for name, value
                                                         in about.items()}})
        medians = {key: statistics.median(values) for key, values in errors.items()}
        best = [min((value, key) for key, value in medians.items() if key[0] == loss)
                for loss in HUBER]
        print(f"  {kernel:12}{share:9g}{k:3}{medians['kernel PCA', 1]:12.3f}   "
              + "   ".join(f"{loss} {value:.3f} at {part:g}" for value, (loss, part) in best))
        if share == 0.1 and k == 2:
            for loss in HUBER:
                curves[f"{kernel}, {loss}"] = ([(part, medians[loss, part]) for part in parts],
                                               "linespoints")
            curves[f"{kernel}, kernel PCA"] = ([(part, medians["kernel PCA", 1])
                                                for part in (parts[0], parts[-1])], "lines")
    write_csv(args.out, "dual-iris", rows)
    plot(args.out, "dual-iris", "Iris, 10 % replaced by noise, k = 2",
         ("kappa / kappa_max", "error of the other rows over that without noise"), curves)


def groups(folder):
    """Three groups of 100 samples, the first the narrowest."""
    rng = np.random.default_rng(0)
    centres = np.repeat([[0, 0], [4, 0], [0, 4]], 100, axis=0)
    x = centres + np.repeat([0.3, 0.6, 1.0], 100)[:, None] * rng.standard_normal((300, 2))
    path = os.path.join(folder, "groups.npy")
    np.save(path, x)
    return {"data": path, "kernel": "gaussian", "width": 0.7, "clean": len(x)}


def sparse(args, samples):
    """Reconstruction error and sparsity over epsilon."""
    parts = [0, 0.1, 0.3, 0.5, 0.7, 0.9]
    rows, errors, shares = [], {}, {}
    print("\nThree groups of 100 samples: error over that of kernel PCA, shares of zero rows and "
          "entries, at epsilon / epsilon_max\n  " + " " * 17
          + "".join(f"{part:<18g}" for part in parts[1:]))
    for loss, k in itertools.product(["eps-l2", "eps-linf", "eps-l1"], [3, 5, 10]):
        about, found = loss_path(args, k, loss, parts, **samples)
        ratios = [row["error"] / about["error"] for row in found]
        label = f"{loss}, k = {k}"
        print(f"  {label:17}" + "".join(
            f"{ratio:4.2f}{100 * row['zero_rows']:4.0f} %{100 * row['zero_entries']:4.0f} %  "
            for ratio, row in zip(ratios[1:], found[1:])))
        rows += [{"loss": loss, "k": k, **row, "pca_error": about["error"]} for row in found]
        errors[label] = (list(zip(parts, ratios)), "linespoints")
        shares[label] = ([(row["part"], row["zero_rows"]) for row in found], "linespoints")
    write_csv(args.out, "dual-sparse", rows)
    for name, curves, axis in [("error", errors, "reconstruction error / that of kernel PCA"),
                               ("zero-rows", shares, "samples without weight")]:
        plot(args.out, f"dual-sparse-{name}", "three groups", ("epsilon / epsilon_max", axis),
             curves, log="")


def named(spec):
    name, equals, path = spec.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{spec} is not of the form NAME=FILE")
    return name, path


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="mercer_reproduce_dual")
    parser.add_argument("--data", action="append", default=[], metavar="NAME=FILE", type=named,
                        help="samples with the Gaussian kernel of median width; NAME of "
                             f"{', '.join(sorted(PAPER))} for the paper's times beside them")
    parser.add_argument("--matrix-free", action="append", default=[], metavar="NAME=FILE",
                        type=named, help="samples for the methods that need no Gram matrix")
    parser.add_argument("--synthetic", type=int, default=7000,
                        help="samples of the synthetic data; 0 for none")
    parser.add_argument("--iris", metavar="FILE", help="150 x 4, for the robust losses")
    parser.add_argument("--draws", type=int, default=5, help="of the noise in Iris")
    parser.add_argument("--components", type=int, default=20)
    parser.add_argument("--over", type=int, nargs="*", default=[5, 10, 20, 50, 100],
                        help="components of the curve of seconds, on the first data set")
    parser.add_argument("--dense-rows", type=int, default=15000, help="no LAPACK above")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--out", default="dual")
    return parser.parse_args()


def problems(args, folder):
    """Samples with a Gram matrix, one after the other: each is discarded before the next."""
    if args.synthetic > 0:
        x = np.random.default_rng(0).standard_normal((args.synthetic, 256))
        x -= x.mean(0)
        path = os.path.join(folder, "synthetic.npy")
        np.save(path, x)
        yield Problem(args, "synthetic", path, "exponential", float(0.01 * 256 * x.var()), folder)
    for name, path in args.data:
        yield Problem(args, name, path, "gaussian", "median", folder)


def main():
    args = arguments()
    os.makedirs(args.out, exist_ok=True)
    if _randomized_eigsh is None:
        say("scikit-learn is not installed: no randomised solver")
    with tempfile.TemporaryDirectory() as folder:
        print(f"Seconds to an objective within {DELTA:g} (> beside those that miss it), "
              f"k = {args.components}")
        rows = []
        for problem in problems(args, folder):
            if args.over and not rows:
                over_components(args, problem)
            rows += table(args, problem)
            problem.discard()
        if rows:
            write_csv(args.out, "dual-seconds", rows)
        line_searches(args, folder)
        for name, path in args.matrix_free:
            without_matrix(args, name, path)
        if args.iris:
            iris(args, folder)
        sparse(args, groups(folder))


if __name__ == "__main__":
    main()
