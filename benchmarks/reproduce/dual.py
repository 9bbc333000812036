#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""The experiments of Tonin et al., Extending kernel PCA through dualization, ICML 2023, run anew.

usage: dual.py PROGRAM [--data NAME=FILE]... [--iris FILE] [options]

PROGRAM is mercer_reproduce_dual; FILE is .npy, one sample a row. Synthetic samples need no file.
Prints a table beside the published times; writes CSV files and pictures (SVG, by gnuplot) to the
folder of --out. Needs NumPy and SciPy; scikit-learn's randomised solver runs where it is installed.
"""

import argparse
import os
import sys
import tempfile
import time

import numpy as np
from scipy.sparse.linalg import eigsh

from spgd import plot, run, say, write_csv

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
OURS = ["lanczos", "block-krylov", "dual", "dual-sketch"]


def first_within(rows, optimum):
    """The first row whose sum of eigenvalues is within DELTA of the optimum, with its delta."""
    for row in rows:
        row["delta"] = 1 - row["sum"] / optimum
        if row["delta"] <= DELTA:
            return row
    return None


def rungs(solve, settings, repeat):
    """Times of a solver of Python's at each setting. A generator: later ones run on demand."""
    for setting in settings:
        begin = time.perf_counter()
        for _ in range(repeat):
            values = solve(setting)
        seconds = (time.perf_counter() - begin) / repeat
        yield {"tolerance": setting, "seconds": seconds, "sum": float(np.sum(values)),
               "iterations": "", "products": "", "estimate": ""}


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


def ours(args, **values):
    """Rungs of a method of the program's, each run on demand."""
    command = values.pop("command", "ladder")
    for tolerance in values.pop("tolerances", TOLERANCES):
        yield from run(args, command, args.threads, tolerances=tolerance, repeat=args.repeat,
                       **values)


class Problem:
    """Samples with their Gram matrix on file, and its sum of leading eigenvalues."""

    def __init__(self, args, name, path, kernel, width, folder):
        self.args, self.name, self.path = args, name, path
        self.kernel = {"kernel": kernel, "width": width}
        self.gram = os.path.join(folder, name + "-gram.npy")
        say(f"{name}: Gram matrix")
        (about,) = run(args, "form", args.threads, data=path, out=self.gram, **self.kernel)
        self.n, self.seconds = about["n"], about["seconds"]

    def optimum(self, k):
        if self.n <= self.args.dense_rows:
            (row,) = run(self.args, "ladder", self.args.threads, gram=self.gram, k=k,
                         method="exact", tolerances=0, repeat=1)
            return row["sum"], row["seconds"]
        (row,) = run(self.args, "ladder", self.args.threads, gram=self.gram, k=k,
                     method="block-krylov", tolerances=1e-10, repeat=1)
        return row["sum"], None

    def times(self, k):
        """{method: row} of the first rung within DELTA; rows have seconds, delta, products."""
        args = self.args
        best, exact = self.optimum(k)
        result = {"exact": exact and {"seconds": exact, "delta": 0.0, "products": ""}}
        gram = np.load(self.gram, mmap_mode=None)
        say(f"{self.name}: k = {k}, ARPACK")
        result["arpack"] = first_within(rungs(arpack(gram, k), [*TOLERANCES, 0], args.repeat), best)
        if _randomized_eigsh is not None:
            say(f"{self.name}: k = {k}, randomised")
            result["randomised"] = first_within(
                rungs(randomised(gram, k), POWERS, args.repeat), best)
        del gram
        for method in OURS:
            say(f"{self.name}: k = {k}, {method}")
            tolerances = [DELTA, DELTA / 3, DELTA / 10] if "dual" in method else TOLERANCES
            result[method] = first_within(ours(args, gram=self.gram, k=k, method=method,
                                               tolerances=tolerances), best)
        result["dual without a matrix"] = first_within(
            ours(args, command="free", data=self.path, k=k, **self.kernel,
                 tolerances=[DELTA, DELTA / 3, DELTA / 10]), best)
        return result


def table(args, problems):
    rows = []
    print(f"Seconds to an objective within {DELTA:g}, k = {args.components}; the Gram matrix is "
          "given but for the last method")
    for problem in problems:
        results = problem.times(args.components)
        paper = PAPER.get(problem.name)
        print(f"\n{problem.name}, n = {problem.n} (Gram matrix formed in {problem.seconds:.2f} s)")
        published = dict(zip(["exact", "arpack", "randomised", "dual"], paper[1:])) if paper else {}
        if paper and paper[0] != problem.n:
            print(f"  the paper's times are for n = {paper[0]}")
        print(f"  {'method':24}{'seconds':>10}{'delta':>10}{'products':>10}{'paper':>10}")
        for method, row in results.items():
            told = published.get(method)
            told = f"{told:10.2f}" if told else f"{'':10}"
            if row is None:
                print(f"  {method:24}{'-':>10}{'':20}{told}")
                continue
            print(f"  {method:24}{row['seconds']:10.3f}{row['delta']:10.1e}"
                  f"{row['products']:>10}{told}")
            rows.append({"data": problem.name, "n": problem.n, "k": args.components,
                         "method": method, **{key: row[key] for key in
                                              ["seconds", "delta", "products"]}})
    write_csv(args, "dual-seconds", rows)


def over_components(args, problem):
    """Time against the number of components."""
    rows, curves = [], {}
    for k in args.over:
        for method, row in problem.times(k).items():
            if row is None or method == "exact":
                continue
            rows.append({"data": problem.name, "n": problem.n, "k": k, "method": method,
                         "seconds": row["seconds"], "delta": row["delta"]})
            curves.setdefault(method, ([], "linespoints"))[0].append((k, row["seconds"]))
    write_csv(args, "dual-components", rows)
    plot(args, "dual-components", f"{problem.name}, n = {problem.n}: within {DELTA:g}",
         ("components", "seconds"), curves)


def losses(args, name, path, clean, title, choices):
    """Paths of losses {loss: (k, values)}: reconstruction errors and sparsity. Values are parts of
    kappa_max and of epsilon_max."""
    rows, errors, shares = [], {}, {}
    for loss, k, parts in choices:
        given = {"data": path, "kernel": "gaussian", "width": "median", "k": k, "loss": loss,
                 "clean": clean, "starts": 10}
        (about, *_) = run(args, "path", args.threads, values=1.0, **given)
        largest = about["kappa_max" if loss.startswith("huber") else "epsilon_max"]
        values = [part * largest for part in parts]
        _, *path_rows = run(args, "path", args.threads,
                            values=",".join(map(repr, values)), **given)
        label = f"{loss}, k = {k}"
        for row, part in zip(path_rows, parts):
            rows.append({"loss": loss, "k": k, "part": part, **row,
                         "pca_clean_error": about["clean_error"]})
            errors.setdefault(label, ([], "linespoints"))[0].append((part, row["clean_error"]))
            shares.setdefault(label, ([], "linespoints"))[0].append((part, row["zero_rows"]))
        errors[f"kernel PCA, k = {k}"] = ([(parts[0], about["clean_error"]),
                                           (parts[-1], about["clean_error"])], "lines")
    write_csv(args, name, rows)
    unit = "kappa / kappa_max" if choices[0][0].startswith("huber") else "epsilon / epsilon_max"
    plot(args, name + "-error", title, (unit, "reconstruction error"), errors, log="")
    if not choices[0][0].startswith("huber"):
        plot(args, name + "-zero-rows", title, (unit, "samples without weight"), shares, log="")


def contaminated(samples, share, rng):
    """Standardised samples, of which a share is replaced by N(0, 25 I) and moved to the end."""
    x = (samples - samples.mean(0)) / samples.std(0)
    bad = rng.permutation(len(x))[:round(share * len(x))]
    return np.vstack([np.delete(x, bad, axis=0), 5 * rng.standard_normal((len(bad), x.shape[1]))])


def iris(args, folder):
    samples = np.load(args.iris)
    rng = np.random.default_rng(0)
    for share in [0.02, 0.05, 0.1]:
        x = contaminated(samples, share, rng)
        path = os.path.join(folder, "iris.npy")
        np.save(path, x)
        name = f"dual-iris-{round(100 * share)}"
        say(name)
        parts = [1, 0.8, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]
        losses(args, name, path, len(x) - round(share * len(x)),
               f"Iris, {round(100 * share)} % replaced by noise: error of the others",
               [("huber-l2", 2, parts), ("huber-l1", 2, parts)])


def sparse(args, path, n):
    parts = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    losses(args, "dual-sparse", path, n, "two groups: error and sparsity",
           [(loss, k, parts) for loss in ["eps-linf", "eps-l2"] for k in [2, 5, 10]])


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="mercer_reproduce_dual")
    parser.add_argument("--data", action="append", default=[], metavar="NAME=FILE",
                        help="samples with the Gaussian kernel of median width; NAME of "
                             f"{', '.join(sorted(PAPER))} for the paper's times beside them")
    parser.add_argument("--synthetic", type=int, default=7000, help="samples of the synthetic data")
    parser.add_argument("--iris", metavar="FILE", help="150 x 4, for the robust losses")
    parser.add_argument("--components", type=int, default=20)
    parser.add_argument("--over", type=int, nargs="*", default=[5, 10, 20, 50, 100])
    parser.add_argument("--dense-rows", type=int, default=15000, help="no LAPACK above")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--out", default="dual")
    return parser.parse_args()


def main():
    args = arguments()
    os.makedirs(args.out, exist_ok=True)
    if _randomized_eigsh is None:
        say("scikit-learn is not installed: no randomised solver")
    with tempfile.TemporaryDirectory() as folder:
        rng = np.random.default_rng(0)
        x = rng.standard_normal((args.synthetic, 256))
        x -= x.mean(0)
        path = os.path.join(folder, "synthetic.npy")
        np.save(path, x)
        synthetic = Problem(args, "synthetic", path, "exponential",
                            float(0.01 * 256 * x.var()), folder)
        problems = [synthetic]
        for spec in args.data:
            name, equals, path = spec.partition("=")
            if not equals:
                sys.exit(f"--data {spec}: not of the form NAME=FILE")
            problems.append(Problem(args, name, path, "gaussian", "median", folder))
        table(args, problems)
        if args.over:
            over_components(args, problems[-1])
        if args.iris:
            iris(args, folder)
        groups = rng.standard_normal((300, 2))
        groups[:150] += 3
        path = os.path.join(folder, "groups.npy")
        np.save(path, groups)
        sparse(args, path, len(groups))


if __name__ == "__main__":
    main()
