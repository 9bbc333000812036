#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""mercer's spectral embedding and clustering beside scikit-learn's, on the same data, in one run.

usage: spectral.py PROGRAM [--rows 2000] [--repeat 3]

PROGRAM is mercer_compare_spectral. Data: two circles, scikit-learn's digits, and a Gaussian
mixture.
Each line has the median seconds, the adjusted Rand index with the known groups, that of the two
labellings with each other, and the largest sine between the spans of the eigenvectors.

scikit-learn leaves out the diagonal of the similarities. "hollow" is mercer on that same matrix,
"whole" on the kernel's own, which is what SpectralClustering takes by itself. The seconds of
clustering contain those of another embedding, on both sides.
"""

import argparse
import os
import subprocess
import tempfile
import time

import numpy as np
from scipy.linalg import subspace_angles
from sklearn.cluster import SpectralClustering
from sklearn.datasets import load_digits, make_blobs, make_circles
from sklearn.manifold import SpectralEmbedding
from sklearn.metrics import adjusted_rand_score, pairwise_distances


def datasets(rows):
    """Name, samples, groups and the width of the Gaussian."""
    x, y = make_circles(rows, factor=0.4, noise=0.04, random_state=0)
    yield "two circles", x, y, 0.08
    digits = load_digits()
    x = digits.data[:rows] / 16
    yield "digits", x, digits.target[:rows], np.percentile(pairwise_distances(x), 5)
    x, y = make_blobs(rows, 10, centers=8, cluster_std=1.5, random_state=0)
    yield "mixture", x, y, 0.5 * np.median(pairwise_distances(x))


def run_sklearn(x, clusters, sigma):
    gamma = 1 / (2 * sigma**2)
    begin = time.perf_counter()
    maps = SpectralEmbedding(clusters - 1, affinity="rbf", gamma=gamma, random_state=0)
    vectors = maps.fit_transform(x)
    embedded = time.perf_counter()
    model = SpectralClustering(clusters, gamma=gamma, random_state=0).fit(x)
    return embedded - begin, time.perf_counter() - embedded, vectors, model.labels_


def run_mercer(program, x, clusters, sigma, form):
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.join(folder, name) for name in ("x.npy", "vectors.npy", "labels.npy")]
        np.save(files[0], x)
        words = [program, files[0], repr(float(sigma)), str(clusters), form, *files[1:]]
        out = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
        labels = np.load(files[2]).ravel()
        return float(out[0]), float(out[1]), np.load(files[1]), labels


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--repeat", type=int, default=3)
    args = parser.parse_args()
    print(f"{'data':<12} {'n':>6}  {'method':<14} {'embed s':>8} {'cluster s':>9} {'Rand':>6} "
          f"{'agrees':>6} {'sine':>8}")
    for name, x, groups, sigma in datasets(args.rows):
        clusters = len(set(groups))
        runs = {"scikit-learn": [], "mercer hollow": [], "mercer whole": []}
        for _ in range(args.repeat):
            runs["scikit-learn"].append(run_sklearn(x, clusters, sigma))
            for form in ("hollow", "whole"):
                runs["mercer " + form].append(run_mercer(args.program, x, clusters, sigma, form))
        reference = runs["scikit-learn"][0]
        for method, results in runs.items():
            embed, cluster = (np.median([run[i] for run in results]) for i in range(2))
            vectors, labels = results[0][2:]
            sine = np.sin(subspace_angles(vectors, reference[2]).max())
            print(f"{name:<12} {len(x):>6}  {method:<14} {embed:8.3f} {cluster:9.3f} "
                  f"{adjusted_rand_score(groups, labels):6.3f} "
                  f"{adjusted_rand_score(reference[3], labels):6.3f} {sine:8.1e}")


if __name__ == "__main__":
    main()
