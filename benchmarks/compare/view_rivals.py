#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""What two_views.py runs in processes of its own: data, and fits of two views by other libraries.

usage: view_rivals.py prepare FILE COLUMNS ROWS DIVISOR X.npy Y.npy
       view_rivals.py NAME X.npy Y.npy COMPONENTS SIGMA_X SIGMA_Y EPS

NAME is cca, pls-svd or pls-canonical (scikit-learn), numpy-kcca or mvlearn-kmcca. Each prints one
line of JSON. Only the fit itself is timed.
"""

import json
import sys
import time

import numpy as np

from rivals import load


def pairs(n):
    """n pairs of 12 and 8 coordinates that share three angles, and noise."""
    rng = np.random.default_rng(1)
    angles = rng.uniform(0, 2 * np.pi, (n, 3))
    mix = np.random.default_rng(2)
    x = np.hstack([np.cos(angles), np.sin(angles)]) @ mix.standard_normal((6, 12))
    y = np.hstack([np.cos(2 * angles), np.sin(angles)]) @ mix.standard_normal((6, 8))
    noise = np.random.default_rng(3)
    return (x + .5 * noise.standard_normal(x.shape), y + .5 * noise.standard_normal(y.shape))


def prepare(file, columns, rows, divisor, out_x, out_y):
    from scipy.spatial.distance import pdist
    rows = int(rows)
    if file == "pairs":
        views = pairs(rows)
    else:
        table = load(file)[:rows] / float(divisor)
        left = np.arange(table.shape[1]) % (2 * int(columns)) < int(columns)
        views = (table[:, left], table[:, ~left])
    widths = []
    for view, path in zip(views, (out_x, out_y)):
        np.save(path, np.ascontiguousarray(view, dtype=float))
        some = np.random.default_rng(4).permutation(len(view))[:2000]
        widths.append(float(np.median(pdist(view[some]))))
    return {"n": len(views[0]), "d": [view.shape[1] for view in views], "sigma": widths}


def gram(x, sigma):
    """The centred Gram matrix."""
    squares = np.einsum("ij,ij->i", x, x)
    k = squares[:, None] + squares[None, :] - 2 * (x @ x.T)
    np.maximum(k, 0, out=k)
    k *= -.5 / sigma ** 2
    np.exp(k, out=k)
    means = k.mean(axis=0)
    k -= means[None, :]
    k -= means[:, None]
    k += means.mean()
    return k


def numpy_kcca(x, y, components, sigmas, eps):
    """rho from the eigenvectors of both Gram matrices, as in a textbook, with ridge K^2 + n kappa K,
    n kappa = eps tr K."""
    bases = []
    for view, sigma in zip((x, y), sigmas):
        k = gram(view, sigma)
        values, vectors = np.linalg.eigh(k)
        kept = values > 1e-12 * values[-1]
        bases.append(vectors[:, kept] * np.sqrt(values[kept] / (values[kept] + eps * np.trace(k))))
    return np.linalg.svd(bases[0].T @ bases[1], compute_uv=False)[:components]


def mvlearn_kmcca(x, y, components, sigmas, eps):
    """The same by mvlearn. Its ridge is (1 - r) K^2 + r K, so r / (1 - r) = n kappa, and its
    eigenvalues are 1 + rho / ((1 - r_x) (1 - r_y))^(1/2)."""
    from mvlearn.embed import KMCCA
    ridges = [eps * trace for trace in traces((x, y), sigmas)]
    rates = [ridge / (1 + ridge) for ridge in ridges]
    model = KMCCA(components, kernel="rbf", kernel_params=[{"gamma": .5 / s ** 2} for s in sigmas],
                  regs=rates, sval_thresh=0, diag_mode="A")
    return timed(lambda: model.fit([x, y])), (model.evals_ - 1) * np.sqrt((1 - rates[0]) * (1 - rates[1]))


def timed(task):
    """Seconds of the wall clock, and of the processors."""
    begin = time.perf_counter(), time.process_time()
    task()
    return time.perf_counter() - begin[0], time.process_time() - begin[1]


def traces(views, sigmas):
    return [np.trace(gram(view, sigma)) for view, sigma in zip(views, sigmas)]


def by_sklearn(name, x, y, components):
    from sklearn.cross_decomposition import CCA, PLSSVD, PLSCanonical
    model = {"cca": lambda: CCA(components, max_iter=2000), "pls-svd": lambda: PLSSVD(
        components, scale=False), "pls-canonical": lambda: PLSCanonical(components, scale=False)}
    model = model[name]()
    seconds = timed(lambda: model.fit(x, y))
    u, v = model.transform(x, y)
    products = np.einsum("ij,ij->j", u - u.mean(axis=0), v - v.mean(axis=0))
    if name == "cca":
        return seconds, products / np.sqrt(u.var(axis=0) * v.var(axis=0)) / len(u)
    return seconds, products / len(u)


def fit(name, x, y, components, sigma_x, sigma_y, eps):
    x, y, components = np.load(x), np.load(y), int(components)
    sigmas, eps = (float(sigma_x), float(sigma_y)), float(eps)
    if name == "numpy-kcca":
        values = []
        seconds = timed(lambda: values.extend(numpy_kcca(x, y, components, sigmas, eps)))
    elif name == "mvlearn-kmcca":
        seconds, values = mvlearn_kmcca(x, y, components, sigmas, eps)
    else:
        seconds, values = by_sklearn(name, x, y, components)
    return {"fit_seconds": seconds[0], "fit_processor_seconds": seconds[1],
            "values": list(map(float, values))}


if __name__ == "__main__":
    if sys.argv[1] == "prepare":
        print(json.dumps(prepare(*sys.argv[2:])))
    else:
        print(json.dumps(fit(*sys.argv[1:])))
