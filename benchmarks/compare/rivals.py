#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""What solvers.py runs in processes of its own: data, the reference, and fits by scikit-learn.

usage: rivals.py prepare FILE OUT.npy ROWS DIVISOR STANDARDISE
       rivals.py reference DATA.npy SIGMA COMPONENTS
       rivals.py fit DATA.npy SIGMA COMPONENTS NAME PARAMETER

Each prints one line of JSON. Only the fit itself is timed.
"""

import gzip
import json
import re
import sys
import time

import numpy as np


def mixture(n, d):
    """n points around 10 centres in d dimensions; more rows continue fewer."""
    rng = np.random.default_rng(1)
    centres = 2 * rng.standard_normal((10, d))
    noise = np.random.default_rng(2).standard_normal((n, d))
    return centres[np.random.default_rng(3).integers(10, size=n)] + noise


def load(file):
    if size := re.fullmatch(r"mixture-(\d+)x(\d+)", file):
        return mixture(int(size[1]), int(size[2]))
    kind = re.sub(r"\.gz$", "", file).rsplit(".", 1)[-1]
    if kind == "svm":
        from sklearn.datasets import load_svmlight_file
        return load_svmlight_file(file)[0].toarray()
    if kind == "csv":
        return np.genfromtxt(file, delimiter=",")
    with (gzip.open if file.endswith(".gz") else open)(file, "rb") as stream:
        return np.load(stream)


def bandwidth(x):
    """The 20th percentile of the distances between 2000 rows (fixed seed)."""
    from scipy.spatial.distance import pdist
    rows = np.random.default_rng(4).permutation(len(x))[:2000]
    return float(np.percentile(pdist(x[rows]), 20))


def prepare(file, out, rows, divisor, standardise):
    x = load(file)
    x = (x[: int(rows)] if int(rows) else x) / float(divisor)
    if standardise == "True":
        x = (x - x.mean(axis=0)) / x.std(axis=0)
    np.save(out, np.ascontiguousarray(x))
    return {"n": x.shape[0], "d": x.shape[1], "sigma": bandwidth(x)}


def centred_gram(x, sigma):
    """The centred Gram matrix, in place and by rows: it is the only thing of its size in memory."""
    n = len(x)
    squares = np.einsum("ij,ij->i", x, x)
    gram = np.empty((n, n))
    for begin in range(0, n, 1000):
        rows = slice(begin, begin + 1000)
        block = squares[rows, None] + squares[None, :] - 2 * (x[rows] @ x.T)
        gram[rows] = np.exp(np.maximum(block, 0) * (-0.5 / sigma**2))
    means = gram.mean(axis=1)
    for begin in range(0, n, 1000):
        rows = slice(begin, begin + 1000)
        gram[rows] += (means.mean() - means)[None, :] - means[rows, None]
    return gram


def reference(data, sigma, components):
    from scipy.sparse.linalg import eigsh
    gram = centred_gram(np.load(data), float(sigma))
    start = np.random.default_rng(5).standard_normal(len(gram))
    values = eigsh(gram, int(components), which="LA", tol=0, v0=start, return_eigenvectors=False)
    return {"eigenvalues": sorted(map(float, values), reverse=True)}


def timed_fit(model, x, eigenvalues):
    begin = time.perf_counter()
    model.fit(x)
    seconds = time.perf_counter() - begin
    return {"fit_seconds": seconds, "eigenvalues": list(map(float, eigenvalues(model)))}


def fit(data, sigma, components, name, parameter):
    from sklearn.decomposition import PCA, KernelPCA
    from sklearn.kernel_approximation import Nystroem
    from sklearn.pipeline import make_pipeline
    x = np.load(data)
    gamma, k = 0.5 / float(sigma) ** 2, int(components)
    if name == "nystroem":
        approximation = Nystroem(gamma=gamma, n_components=int(parameter), random_state=0)
        model = make_pipeline(approximation, PCA(k, random_state=0))
        return timed_fit(model, x, lambda m: m[-1].explained_variance_ * (len(x) - 1))
    options = {"tol": float(parameter)} if name == "arpack" else {}
    if name == "randomized":
        options = {"iterated_power": parameter if parameter == "auto" else int(parameter)}
    model = KernelPCA(k, kernel="rbf", gamma=gamma, eigen_solver=name, random_state=0, **options)
    return timed_fit(model, x, lambda m: m.eigenvalues_)


if __name__ == "__main__":
    tasks = {"prepare": prepare, "reference": reference, "fit": fit}
    print(json.dumps(tasks[sys.argv[1]](*sys.argv[2:])))
