# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Kernel PCA of samples that come in batches."""

import numbers
import os
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _mercer
from ._choices import (REAL, Samples, choose_kernel, entry_of, feature_maps, features_of_before,
                       flag, for_module, is_precomputed, number, requested_components, seed_of,
                       shares_of_trace, threads_of, validate_data)


class Components:
    """The components of sums over samples, computed when they are first asked for: some batches
    may follow one another before."""

    def __init__(self, sums, requested):
        whole = isinstance(requested, int)
        self.sums, self.requested = sums, min(requested, sums.samples) if whole else requested
        self.model = None

    def __call__(self, threads):
        if self.model is None:
            self.model = self.sums.model(self.requested, threads)
        return self.model


class IncrementalKernelPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Kernel principal component analysis of samples that come in batches.

    To KernelPCA what scikit-learn's IncrementalPCA is to PCA: partial_fit() takes a batch, and
    transform() works at any time. No sample is kept. The model sums over features of the kernel,
    as KernelPCA with eigen_solver="features" does, so that the result is that of all samples at
    once: neither the order nor the size of the batches matters, but for rounding.

    The first batch chooses what all others are seen through: the lengths of the kernel that are
    not given, the landmarks of map="nystrom", and the largest norm of a sample, for maps that need
    it ("additive-threshold" clips larger entries). Take some thousand samples from all over the
    data, not the first rows of a sorted file.

    Parameters
    ----------
    n_components : int, float in (0, 1) or None
        A float is the fraction of the variance to explain. None: all that are not zero. There are
        fewer while fewer samples have been seen.
    features : int
        Number of features that the sums are over. Time for each sample and memory are quadratic
        in it. Some maps make a few more, and "exact" has as many as samples have columns;
        "nystrom" has at most one for each sample of the first batch.
    map : str or None
        As of mercer.KernelFeatures. None: the natural one of the kernel, or "nystrom" if it has
        none.
    kernel, gamma, degree, coef0, kernel_params
        As of mercer.KernelPCA, by name only. 1 / n_features is the default of gamma.
    center : bool
        Whether to subtract the mean in feature space.
    random_state, n_jobs
        As of mercer.KernelPCA.

    Attributes
    ----------
    n_samples_seen_ : int
        Over all batches since the last fit().
    eigenvalues_ : array of shape (n_components,)
        Of the centred Gram matrix of all samples seen; they grow with their number.
    explained_variance_ratio_ : array of shape (n_components,)
        The share of each component in the variance of the features.
    map_, kernel_ : str
        The map and the kernel, with their parameters.
    report_ : dict
        As of mercer.KernelPCA, without times.

    Examples
    --------
    >>> model = IncrementalKernelPCA(10, kernel="rbf", gamma=0.1)
    >>> for batch in batches:
    ...     model.partial_fit(batch)
    >>> scores = model.transform(X_new)
    """

    def __init__(self, n_components: Union[int, float, None] = None, *, features: int = 500,
                 map: Optional[str] = None, kernel: str = "rbf", gamma: Optional[float] = None,
                 degree: int = 3, coef0: float = 1, kernel_params: Optional[dict[str, Any]] = None,
                 center: bool = True,
                 random_state: Union[int, np.random.RandomState, None] = None,
                 n_jobs: Optional[int] = None) -> None:
        self.n_components = n_components
        self.features = features
        self.map = map
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.center = center
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Samples, y: object = None) -> "IncrementalKernelPCA":
        """Fits to the rows of X alone, which are the first batch. y is not used."""
        return self._add(X, first=True)

    def partial_fit(self, X: Samples, y: object = None) -> "IncrementalKernelPCA":
        """Adds the rows of X, an array or a CSR matrix. y is not used.

        After an error, or Ctrl-C, no row of X is added. Parameters that are set after the first
        batch have no effect, but for n_components and n_jobs."""
        return self._add(X, first=not hasattr(self, "n_samples_seen_"))

    def transform(self, X: Samples) -> np.ndarray:
        """Scores of samples, seen or not, n_samples x n_components."""
        check_is_fitted(self, "n_samples_seen_")
        X = validate_data(self, X, accept_sparse="csr", dtype=self._dtype, reset=False)
        return self._model().transform(for_module(X), threads_of(self.n_jobs))

    def save(self, path: Union[str, os.PathLike]) -> None:
        """Writes the components to a file that mercer.load(), the program kpca and C++ read. It is
        complete or not there. A model that is to see more batches is pickled instead."""
        self._model().save(os.fspath(path))

    @property
    def eigenvalues_(self) -> np.ndarray:
        return self._model().eigenvalues

    @property
    def explained_variance_ratio_(self) -> np.ndarray:
        return shares_of_trace(self.eigenvalues_, self.report_)

    @property
    def report_(self) -> dict[str, Any]:
        return self._model().report

    # ------------------------------------------------------------------------------------------

    def _add(self, X, first):
        with features_of_before(self):
            dtype = REAL if first else self._dtype
            X = for_module(validate_data(self, X, accept_sparse="csr", dtype=dtype, reset=first))
            threads = threads_of(self.n_jobs)
            sums = self._begun(X, threads) if first else self._sums
            requested = self._requested(sums)
            sums = sums.plus(X, threads)
        self._sums, self._dtype = sums, X.dtype
        self._components = Components(sums, requested)
        self.map_, self.kernel_ = sums.description
        self.n_samples_seen_ = sums.samples
        return self

    def _begun(self, X, threads):
        """Sums over no samples, and over features that are chosen for these."""
        if is_precomputed(self.kernel):
            raise ValueError("IncrementalKernelPCA needs a kernel that can be evaluated")
        count = number("features", self.features, numbers.Integral)
        if count < 1:
            raise ValueError(f"features must be at least 1, got {count}")
        name = ""
        if self.map is not None:
            name = entry_of("map", feature_maps(), _mercer.feature_map_name, self.map)["name"]
        seed = seed_of(self.random_state)
        kernel = choose_kernel(self.kernel, X, gamma=self.gamma, degree=self.degree,
                               coef0=self.coef0, params=self.kernel_params, seed=seed,
                               threads=threads)
        return _mercer.begin_sums(X, {"kernel": kernel, "map": name, "columns": count,
                                      "seed": seed, "threads": threads,
                                      "centered": flag("center", self.center)})

    def _requested(self, sums):
        requested = requested_components(self.n_components)
        if isinstance(requested, int) and requested > sums.columns:
            raise ValueError(f"n_components must be at most the {sums.columns} features, "
                             f"got {requested}")
        return requested

    def _model(self):
        check_is_fitted(self, "n_samples_seen_")
        return self._components(threads_of(self.n_jobs))

    @property
    def _n_features_out(self):
        return len(self.eigenvalues_)

    def _more_tags(self):
        return {"preserves_dtype": [np.float64, np.float32]}

    def __sklearn_tags__(self):  # scikit-learn 1.6 and later
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.input_tags.sparse = True
        return tags
