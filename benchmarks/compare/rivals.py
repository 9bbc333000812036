#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""What solvers.py runs in processes of its own: data, the reference, and fits by scikit-learn and numpy.

usage: rivals.py prepare FILE OUT.npy ROWS DIVISOR STANDARDISE
       rivals.py reference DATA.npy SIGMA COMPONENTS
       rivals.py fit DATA.npy SIGMA COMPONENTS NAME PARAMETER
       rivals.py arithmetic DATA.npy LANDMARKS PRODUCTS

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


def fit_float32(x, sigma, k, tolerance):
    """The centred Gram matrix in single precision, and ARPACK on it."""
    from scipy.sparse.linalg import eigsh
    begin = time.perf_counter()
    x = (x - x.mean(axis=0)).astype(np.float32)  # large squares would cost digits of their differences
    squares = np.einsum("ij,ij->i", x, x)
    gram = x @ x.T
    gram *= 2
    gram -= squares[:, None]
    gram -= squares[None, :]
    np.minimum(gram, 0, out=gram)
    gram *= np.float32(0.5 / sigma**2)
    np.exp(gram, out=gram)
    means = gram.mean(axis=1, dtype=np.float64)
    gram -= means.astype(np.float32)[:, None]
    gram += (means.mean() - means).astype(np.float32)[None, :]
    start = np.random.default_rng(5).standard_normal(len(x)).astype(np.float32)
    values, _ = eigsh(gram, k, which="LA", tol=tolerance, v0=start)
    seconds = time.perf_counter() - begin
    return {"fit_seconds": seconds, "eigenvalues": sorted(map(float, values), reverse=True),
            "precision": "single"}


def fit_rp_cholesky(x, sigma, k, landmarks):
    """Randomly pivoted Cholesky in blocks with rejection (Epperly, Tropp, Webber, 2024), in double precision, and the
    principal components of its factor."""
    from scipy.linalg import solve_triangular
    begin = time.perf_counter()
    rng = np.random.default_rng(0)
    n, block = len(x), max(1, landmarks // 10)
    squares = np.einsum("ij,ij->i", x, x)

    def columns(rows):
        distances = squares[:, None] + squares[None, rows] - 2 * (x @ x[rows].T)
        return np.exp(np.maximum(distances, 0) * (-0.5 / sigma**2))

    factor, size, residual = np.zeros((n, landmarks), order="F"), 0, np.ones(n)
    while size < landmarks and residual.sum() > n * np.finfo(float).eps:
        rows = rng.choice(n, size=block, p=residual / residual.sum())
        left = columns(rows)[rows] - factor[rows, :size] @ factor[rows, :size].T
        before, accepted = left.diagonal().copy(), []
        for j in range(block):
            if before[j] * rng.random() < left[j, j] and size + len(accepted) < landmarks:
                accepted.append(j)
                left[j:, j] /= np.sqrt(left[j, j])
                left[j + 1:, j + 1:] -= np.outer(left[j + 1:, j], left[j + 1:, j])
        if not accepted:
            break
        rows = rows[accepted]
        new = columns(rows) - factor[:, :size] @ factor[rows, :size].T
        lower = np.tril(left[np.ix_(accepted, accepted)])
        end = size + len(accepted)
        factor[:, size:end] = solve_triangular(lower, new.T, lower=True).T
        residual = np.maximum(residual - np.einsum("ij,ij->i", factor[:, size:end], factor[:, size:end]), 0)
        residual[rows] = 0
        size = end
    factor = factor[:, :size] - factor[:, :size].mean(axis=0)
    values, vectors = np.linalg.eigh(factor.T @ factor)
    scores = factor @ vectors[:, :-k - 1:-1]  # part of what a fit delivers
    seconds = time.perf_counter() - begin
    return {"fit_seconds": seconds, "eigenvalues": list(map(float, values[:-k - 1:-1])), "shape": scores.shape}


def least_seconds(task):
    seconds = []
    for _ in range(3):
        begin = time.perf_counter()
        task()
        seconds.append(time.perf_counter() - begin)
    return min(seconds)


def arithmetic(data, landmarks, products):
    """Seconds of the products of a fit alone, by BLAS in single precision and into memory that is there already.

    With landmarks: their kernel values, their choice and one sum of squares, n m d + n m^2 / 2 + n m^2 / 2
    multiplications. Else the lower triangle of the Gram matrix, and its products with so many vectors.
    """
    from scipy.linalg.blas import ssymm, ssyrk
    x = np.load(data).astype(np.float32)
    n, m, products = len(x), int(landmarks), int(products)
    if m:
        values = np.empty((n, m), np.float32, order="F")
        other, half = np.empty((n, m), np.float32, order="F"), np.ones((m // 2, m), np.float32)
        at_landmarks = np.ascontiguousarray(x[:m].T)
        return {"seconds": least_seconds(lambda: np.matmul(x, at_landmarks, out=values))
                + least_seconds(lambda: np.matmul(values[:, :m // 2], half, out=other))
                + least_seconds(lambda: ssyrk(1, values, trans=1))}
    gram = np.zeros((n, n), np.float32, order="F")
    by_column = np.asfortranarray(x.T)
    vectors, sums = np.ones((n, products), np.float32, order="F"), np.zeros((n, products), np.float32, order="F")
    return {"seconds": least_seconds(lambda: ssyrk(1, by_column, trans=1, lower=1, c=gram, overwrite_c=1))
            + least_seconds(lambda: ssymm(1, gram, vectors, lower=1, c=sums, overwrite_c=1))}


def fit(data, sigma, components, name, parameter):
    if name == "float32":
        return fit_float32(np.load(data), float(sigma), int(components), float(parameter))
    if name == "rpcholesky":
        return fit_rp_cholesky(np.load(data), float(sigma), int(components), int(parameter))
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
    tasks = {"prepare": prepare, "reference": reference, "fit": fit, "arithmetic": arithmetic}
    print(json.dumps(tasks[sys.argv[1]](*sys.argv[2:])))
