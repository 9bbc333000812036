#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""mercer's exact solver and transform beside scikit-learn's, on the same data, in one run.

usage: kernel_pca.py PROGRAM [--data X.npy] [--repeat 3]

PROGRAM is mercer_compare_kernel_pca. Without --data a Gaussian mixture of the sizes that the figures
are quoted for is made from a fixed seed; with it, rows of X.npy are taken (shuffled, fixed seed).
The two take turns; medians are printed, with the largest differences of the results beside them.
"""

import argparse
import os
import subprocess
import tempfile
import time

import numpy as np
from sklearn.decomposition import KernelPCA


def mixture(n, d, rng):
    """n points around 10 centres in d dimensions."""
    return rng.standard_normal((10, d))[rng.integers(10, size=n)] * 2 + rng.standard_normal((n, d))


def run_mercer(program, train, new, gamma, k, prefix):
    np.save(prefix + "train.npy", train)
    np.save(prefix + "new.npy", new)
    out = subprocess.run(
        [program, prefix + "train.npy", prefix + "new.npy", repr(gamma), str(k), prefix],
        check=True, capture_output=True, text=True).stdout.split()
    fit, transform, before, after = map(float, out)
    return fit, transform, after - before, np.load(prefix + "eigenvalues.npy"), np.load(prefix + "scores.npy")


def run_sklearn(train, new, gamma, k):
    model = KernelPCA(n_components=k, kernel="rbf", gamma=gamma, eigen_solver="dense")
    begin = time.perf_counter()
    model.fit(train)
    fitted = time.perf_counter()
    scores = model.transform(new)
    return fitted - begin, time.perf_counter() - fitted, model.eigenvalues_, scores


def scores_size(scores):
    """Size of the result itself, in MiB."""
    return scores.nbytes / 2**20


def compare(title, column, program, train, new, k, repeat, prefix):
    gamma = 1.0 / (train.shape[1] * train.var())
    ours, theirs = [], []
    for _ in range(repeat):
        theirs.append(run_sklearn(train, new, gamma, k))
        ours.append(run_mercer(program, train, new, gamma, k, prefix))
    mine = np.median([run[column] for run in ours])
    other = np.median([run[column] for run in theirs])
    eigen_error = np.abs(ours[0][3] / theirs[0][2] - 1).max()
    signs = np.sign((ours[0][4] * theirs[0][3]).sum(0))
    score_error = np.abs(ours[0][4] * signs - theirs[0][3]).max()
    print(f"{title:<52} mercer {mine:8.3f} s   scikit-learn {other:8.3f} s   ratio {other / mine:5.2f}")
    print(f"{'':<52} eigenvalues differ by {eigen_error:.1e} relative, scores by {score_error:.1e}"
          f"; transform took {max(run[2] for run in ours):.1f} MiB, its result {scores_size(ours[0][4]):.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--data")
    parser.add_argument("--repeat", type=int, default=3)
    args = parser.parse_args()
    rng = np.random.default_rng(1)
    if args.data:
        x = np.load(args.data).astype(float)
        x = x[rng.permutation(len(x))]
    else:
        x = mixture(18000, 112, rng)
    train, new = x[:8000], x[8000:18000]
    with tempfile.TemporaryDirectory() as folder:
        prefix = os.path.join(folder, "")
        small = x[:4000]
        compare(f"fit, dense solver, {len(small)} x {x.shape[1]}, k = 50", 0, args.program, small,
                small[:10], 50, args.repeat, prefix)
        compare(f"transform, {len(new)} rows against {len(train)} x {x.shape[1]}, k = 50", 1,
                args.program, train, new, 50, 1 if args.repeat < 2 else args.repeat, prefix)


if __name__ == "__main__":
    main()
