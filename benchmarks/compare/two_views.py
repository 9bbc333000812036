#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""mercer's methods for two views beside those of scikit-learn, numpy and mvlearn, on the same data.

usage: two_views.py PROGRAM [--data FILE --columns C] [--rows 2000] [...]

PROGRAM is mercer_compare_two_views. The pairs are made up; or those of a table whose columns take
turns, C of the first view and C of the second (14 for the halves of images of 28 x 28 pixels).
Kernels: Gaussian, of median widths. Ridges: n kappa = --eps times the trace of the centred Gram
matrix of the view, in the form K^2 + n kappa K, for all that have one.

Rows of a table are one problem each: the same numbers are to come out. "difference" is the largest
one of the first --components values to those of the reference, which is dense linear algebra by
numpy: of a whole eigendecomposition for kernel CCA, of QR or of X^T Y for the linear methods.
"""

import argparse
import os
import statistics
import sys
import tempfile

import numpy as np

from solvers import blas_kernels, must, run, say

HERE = os.path.dirname(os.path.abspath(__file__))
RIVALS = os.path.join(HERE, "view_rivals.py")


def linear_references(x, y, components):
    """Canonical correlations, and singular values of the covariance."""
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)

    def span(view):
        left, values, _ = np.linalg.svd(view, full_matrices=False)
        return left[:, values > 1e-10 * values[0]]
    correlations = np.linalg.svd(span(x).T @ span(y), compute_uv=False)
    return {"cca": correlations[:components],
            "pls-svd": np.linalg.svd(x.T @ y / len(x), compute_uv=False)[:components]}


def missing_mvlearn(args):
    """Why mvlearn cannot run; empty if it can."""
    there = run([sys.executable, "-c", "import mvlearn.embed; print('{}')"], args)
    return f"not installed ({there['failed']})" if "failed" in there else ""


def contestants(args, data):
    """Problem, label, whether it is mercer's, command, and why it is left out, if it is."""
    common = [args.components, *map(repr, data["sigma"]), repr(args.eps)]

    def ours(method):
        return [args.program, *data["paths"], method, *common, args.landmarks]

    def theirs(name):
        return [sys.executable, RIVALS, name, *data["paths"], *common]

    dense = f"n > {args.dense_rows}" if data["n"] > args.dense_rows else ""
    many = f"m > n = {data['n']}" if args.landmarks > data["n"] else ""
    yield "cca", "mercer KernelCca, linear", True, ours("cca"), ""
    yield "cca", "sklearn CCA", False, theirs("cca"), ""
    yield "pls-svd", "mercer KernelSvd, linear", True, ours("pls-svd"), ""
    yield "pls-svd", "sklearn PLSSVD", False, theirs("pls-svd"), ""
    yield "pls-svd", "sklearn PLSCanonical", False, theirs("pls-canonical"), ""
    yield "kernel-cca", "mercer KernelCca, Exact", True, ours("kernel-cca"), dense
    yield "kernel-cca", "numpy, eigh of both", False, theirs("numpy-kcca"), dense
    yield ("kernel-cca", "mvlearn KMCCA", False, theirs("mvlearn-kmcca"),
           dense or args.no_mvlearn)
    yield ("kernel-cca", f"mercer Nystrom m={args.landmarks}", True, ours("kernel-cca-landmarks"),
           many)


def measure(args, data):
    """{(problem, label): (whether mercer's, results, why none)}, in turns."""
    rows = {(problem, label): (mine, command, [], skipped)
            for problem, label, mine, command, skipped in contestants(args, data)}
    for turn in range(args.repeat):
        for (_, label), (_, command, results, skipped) in rows.items():
            if skipped or any("failed" in result for result in results):
                continue
            results.append(run(command, args))
            last = results[-1]
            say(f"  {turn + 1}/{args.repeat} {label}: "
                + last.get("failed", f"{last.get('fit_seconds', 0):.3f} s"))
    return rows


def median(results, name):
    return statistics.median(result[name] for result in results)


def difference(values, reference):
    """Of the values that both have; PLSCanonical has another problem after the first pair."""
    count = min(len(values), len(reference))
    return max(abs(a - b) for a, b in zip(values[:count], reference[:count]))


def print_table(args, data, rows):
    x, y = (np.load(path) for path in data["paths"])
    references = linear_references(x, y, args.components)
    oracle = rows["kernel-cca", "numpy, eigh of both"][2]
    if oracle and "failed" not in oracle[0]:
        references["kernel-cca"] = oracle[0]["values"]
    print(blas_kernels())
    print(f"{data['name']}: n = {data['n']}, {data['d'][0]} and {data['d'][1]} columns, widths "
          f"{data['sigma'][0]:.4g} and {data['sigma'][1]:.4g}, eps = {args.eps:g}, "
          f"k = {args.components}, {args.threads} threads, medians of {args.repeat}\n"
          f"{'problem':<12} {'solver':<26} {'fit s':>9} {'cpu s':>8} {'peak MiB':>9} "
          f"{'difference':>10} {'sum':>9} {'ratio':>7}")
    best = {}
    for (problem, _), (mine, _, results, _) in rows.items():
        if not mine and results and "failed" not in results[0]:
            seconds = median(results, "fit_processor_seconds")
            best[problem] = min(seconds, best.get(problem, seconds))
    for (problem, label), (mine, _, results, skipped) in rows.items():
        failed = [result["failed"] for result in results if "failed" in result]
        if skipped or failed:
            print(f"{problem:<12} {label:<26} "
                  + (f"skipped: {skipped}" if skipped else f"failed: {failed[0]}"))
            continue
        seconds, processor = (median(results, name) for name in
                              ("fit_seconds", "fit_processor_seconds"))
        values = results[0]["values"]
        compared = values[:1] if label == "sklearn PLSCanonical" else values
        off = (f"{difference(compared, references[problem]):.1e}"
               if problem in references else "-")
        ratio = f"{best[problem] / processor:.2f}" if mine and problem in best else "-"
        print(f"{problem:<12} {label:<26} {seconds:>9.3f} {processor:>8.3f} "
              f"{max(result['peak_mib'] for result in results):>9.0f} {off:>10} "
              f"{sum(values):>9.4f} {ratio:>7}")
    print("fit s: wall clock; cpu s: of the processors, for the fit; ratio: cpu s of the fastest "
          "rival for the problem / mercer's")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="mercer_compare_two_views")
    parser.add_argument("--data", default="pairs", help=".npy, .npy.gz, .csv or .svm")
    parser.add_argument("--columns", type=int, default=1, help="of a view, in turns")
    parser.add_argument("--divide", type=float, default=1, help="the values by this")
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--components", type=int, default=5)
    parser.add_argument("--eps", type=float, default=1e-3)
    parser.add_argument("--landmarks", type=int, default=300)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--dense-rows", type=int, default=6000,
                        help="above this n, skip what decomposes n x n matrices")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--timeout", type=float, default=600, help="seconds for one fit")
    args = parser.parse_args()
    args.no_mvlearn = missing_mvlearn(args)
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("x.npy", "y.npy")]
        about = must(run([sys.executable, RIVALS, "prepare", args.data, args.columns, args.rows,
                          repr(args.divide), *paths], args), args.data)
        data = {**about, "paths": paths, "name": os.path.basename(args.data)}
        print_table(args, data, measure(args, data))


if __name__ == "__main__":
    main()
