#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""mercer's transform of new rows beside scikit-learn's, on the same data, in one run.

usage: transform.py PROGRAM [--data X.npy] [--repeat 3]

PROGRAM is mercer_compare_transform. 10000 rows are transformed by a model of 8000 others with 50
components: of X.npy (shuffled, fixed seed), or without --data of a Gaussian mixture in 112
dimensions. The two take turns; medians are printed, with the largest difference of the scores.
"""

import argparse
import os
import subprocess
import tempfile
import time

import numpy as np
from sklearn.decomposition import KernelPCA

from rivals import mixture


def run_mercer(program, files, gamma, k, scores):
    out = subprocess.run([program, *files, repr(gamma), str(k), scores], check=True,
                         capture_output=True, text=True).stdout.split()
    seconds, before, after = map(float, out)
    return seconds, after - before, np.load(scores)


def run_sklearn(train, new, gamma, k):
    model = KernelPCA(k, kernel="rbf", gamma=gamma, eigen_solver="arpack", random_state=0).fit(train)
    begin = time.perf_counter()
    scores = model.transform(new)
    return time.perf_counter() - begin, scores


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--data")
    parser.add_argument("--repeat", type=int, default=3)
    args = parser.parse_args()
    x, k = mixture(18000, 112), 50
    if args.data:
        x = np.load(args.data).astype(float)
        x = x[np.random.default_rng(1).permutation(len(x))]
    train, new = x[:8000], x[8000:18000]
    gamma = 1.0 / (train.shape[1] * train.var())

    ours, theirs = [], []
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.join(folder, name) for name in ("train.npy", "new.npy", "scores.npy")]
        np.save(files[0], train)
        np.save(files[1], new)
        for _ in range(args.repeat):
            theirs.append(run_sklearn(train, new, gamma, k))
            ours.append(run_mercer(args.program, files[:2], gamma, k, files[2]))

    mine, other = (np.median([run[0] for run in runs]) for runs in (ours, theirs))
    scores, reference = ours[0][-1], theirs[0][-1]
    signs = np.sign((scores * reference).sum(0))
    difference = np.abs(scores * signs - reference).max()
    title = f"transform, {len(new)} rows against {len(train)} x {x.shape[1]}, k = {k}"
    print(f"{title:<52} mercer {mine:8.3f} s   scikit-learn {other:8.3f} s   ratio {other / mine:5.2f}")
    print(f"{'':<52} scores differ by {difference:.1e}; it took {max(run[1] for run in ours):.1f} MiB, "
          f"its result {scores.nbytes / 2**20:.1f}")


if __name__ == "__main__":
    main()
