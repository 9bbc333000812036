# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Features of kernels, for linear models."""

import numbers
from typing import Any, Optional, Union

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _mercer
from ._choices import (REAL, Samples, choose_kernel, entry_of, feature_maps, features_of_before, for_module,
                       is_precomputed, number, seed_of, threads_of, validate_data)


class KernelFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Features whose inner products are about the values of a kernel.

    A linear model of these features is about the model of the kernel, at the cost of a linear one.
    One class for what scikit-learn calls Nystroem, RBFSampler, PolynomialCountSketch and
    AdditiveChi2Sampler, and for other maps.

    Parameters
    ----------
    n_components : int
        Number of features. Some maps make a few more, and "exact" has as many as samples have
        columns; "nystrom" makes fewer where more add nothing, and at most one for each sample.
    map : str or None
        One of mercer.feature_maps(): "random-fourier", "orthogonal-fourier", "fastfood",
        "tensor-sketch", "homogeneous", "nystrom", ... It must have features of the kernel; "nystrom"
        has for all. None: the natural one of the kernel, or "nystrom" if it has none.
    kernel, gamma, degree, coef0, kernel_params
        As of mercer.KernelPCA, by name only.
    random_state, n_jobs
        As of mercer.KernelPCA.

    Attributes
    ----------
    map_, kernel_ : str
        The map and the kernel, with their parameters.
    """

    def __init__(self, n_components: int = 100, *, map: Optional[str] = None, kernel: str = "rbf",
                 gamma: Optional[float] = None, degree: int = 3, coef0: float = 1,
                 kernel_params: Optional[dict[str, Any]] = None,
                 random_state: Union[int, np.random.RandomState, None] = None,
                 n_jobs: Optional[int] = None) -> None:
        self.n_components = n_components
        self.map = map
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Samples, y: object = None) -> "KernelFeatures":
        """Draws the features for samples like the rows of X, an array or a CSR matrix. y is not
        used."""
        with features_of_before(self):
            X = for_module(validate_data(self, X, accept_sparse="csr", dtype=REAL))
            if is_precomputed(self.kernel):
                raise ValueError("KernelFeatures needs a kernel that can be evaluated")
            count = number("n_components", self.n_components, numbers.Integral)
            if count < 1:
                raise ValueError(f"n_components must be at least 1, got {count}")
            name = ""
            if self.map is not None:
                name = entry_of("map", feature_maps(), _mercer.feature_map_name, self.map)["name"]
            seed, threads = seed_of(self.random_state), threads_of(self.n_jobs)
            kernel = choose_kernel(self.kernel, X, gamma=self.gamma, degree=self.degree,
                                   coef0=self.coef0, params=self.kernel_params, seed=seed,
                                   threads=threads)
            self._model = _mercer.fit_features(X, {"kernel": kernel, "map": name, "columns": count,
                                                   "seed": seed, "threads": threads})
        self.map_, self.kernel_ = self._model.description
        self._dtype = X.dtype
        return self

    def transform(self, X: Samples) -> np.ndarray:
        """The features at the rows of X, an array of n_samples x n_components."""
        check_is_fitted(self, "map_")
        X = validate_data(self, X, accept_sparse="csr", dtype=self._dtype, reset=False)
        return self._model.transform(for_module(X), threads_of(self.n_jobs))

    @property
    def _n_features_out(self):
        return self._model.columns

    def _more_tags(self):
        return {"preserves_dtype": [np.float64, np.float32]}

    def __sklearn_tags__(self):  # scikit-learn 1.6 and later
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.input_tags.sparse = True
        return tags
