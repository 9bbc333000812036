#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Times and memory of scikit-learn's KernelPCA and of mercer's, as a table for the README.

    compare.py [--repetitions 3] [--threads 1] [CASE...]

Each fit is a process of its own; the two libraries take turns. Times are those that the process
spends on the processor, over all threads, so that other programs disturb them little. Memory is
what it takes at its peak beyond what it held before the fit. Both are medians, and exclude the
start of Python and the making of samples.
"""

import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import time

import numpy as np
import scipy.sparse

# What is fitted, to which samples (n, d, scalar), and what follows the fit.
CASES = {
    "n = 1000, k = 8": dict(n=1000, d=20, k=8),
    "n = 4000, k = 8": dict(n=4000, d=20, k=8),
    "n = 10 000, k = 8": dict(n=10000, d=20, k=8),
    "n = 4000, k = 8, float32": dict(n=4000, d=20, k=8, scalar="float32"),
    "n = 2000, all components": dict(n=2000, d=20, k=None),
    "n = 4000 sparse, d = 2000, k = 8": dict(n=4000, d=2000, k=8, density=0.01),
    "transform 20 000 rows, n = 4000": dict(n=4000, d=20, k=8, rows=20000),
    "n = 100 000, k = 8": dict(n=100000, d=20, k=8, only="mercer", eigen_solver="nystrom",
                               solver_params={"landmarks": 1000}),
}


def samples_of(case, n, seed):
    """Twelve clouds of points, so that the leading eigenvalues are apart."""
    rng = np.random.default_rng(seed)
    scalar = case.get("scalar", "float64")
    if "density" in case:
        return scipy.sparse.random(n, case["d"], case["density"], "csr", scalar, seed)
    means = np.random.default_rng(0).normal(size=(12, case["d"]))
    return (means[rng.integers(12, size=n)] + 0.5 * rng.normal(size=(n, case["d"]))).astype(scalar)


def measure(library, name):
    """One fit in this process; prints a line of JSON."""
    case = CASES[name]
    if library == "mercer":
        from mercer import KernelPCA
    else:
        from sklearn.decomposition import KernelPCA
    X = samples_of(case, case["n"], 1)
    more = {key: case[key] for key in ("eigen_solver", "solver_params") if key in case}
    model = KernelPCA(case["k"], kernel="rbf", **more)
    KernelPCA(2, kernel="rbf").fit(X[:100])  # what libraries do once
    fresh = samples_of(case, case["rows"], 2) if "rows" in case else None
    if fresh is not None:
        model.fit(X)
    before = int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")
    begin = time.process_time()
    if fresh is None:
        model.fit(X)
    else:
        model.transform(fresh)
    seconds = time.process_time() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"seconds": seconds, "bytes": max(0, peak - before),
                      "values": [float(value) for value in model.eigenvalues_[:8]]}))


def run(library, name, threads):
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")
    out = subprocess.run([sys.executable, __file__, "--one", library, name], check=True,
                         stdout=subprocess.PIPE, text=True,
                         env={**os.environ, **dict.fromkeys(names, str(threads))}).stdout
    return json.loads(out)


def compare(name, repetitions, threads):
    """A row of the table."""
    case, runs = CASES[name], {"sklearn": [], "mercer": []}
    if "only" in case:
        del runs["sklearn"]
    for _ in range(repetitions):
        for library in runs:
            runs[library].append(run(library, name, threads))

    def median(library, what):
        return statistics.median(one[what] for one in runs[library])
    ours = f"{median('mercer', 'seconds'):.2f} s", f"{median('mercer', 'bytes') / 2**20:.0f} MiB"
    if "only" in case:
        return [name, "-", ours[0], "-", "-", ours[1], "-"]
    ratio = statistics.median(a["seconds"] / b["seconds"]
                              for a, b in zip(runs["sklearn"], runs["mercer"]))
    theirs, found = (np.array(runs[library][0]["values"]) for library in ("sklearn", "mercer"))
    return [name, f"{median('sklearn', 'seconds'):.2f} s", ours[0], f"{ratio:.1f}",
            f"{median('sklearn', 'bytes') / 2**20:.0f} MiB", ours[1],
            f"{np.abs(found - theirs).max() / theirs.max():.0e}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--one", nargs=2, metavar=("LIBRARY", "CASE"), help=argparse.SUPPRESS)
    parser.add_argument("cases", nargs="*", metavar="CASE", default=list(CASES))
    options = parser.parse_args()
    if options.one:
        return measure(*options.one)
    print("| fit | scikit-learn | mercer | ratio of times | memory, scikit-learn | memory, mercer "
          "| difference of eigenvalues |\n|---|---:|---:|---:|---:|---:|---:|")
    for name in options.cases:
        print("| " + " | ".join(compare(name, options.repetitions, options.threads)) + " |", flush=True)


if __name__ == "__main__":
    main()
