# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Kernel sliced inverse regression."""

import numbers
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_consistent_length, check_is_fitted

from . import _mercer
from ._choices import (REAL, Progress, Samples, features_of_before, for_module, is_precomputed,
                       number, threads_of, validate_data)
from ._pairs import check_components, fit_options, kernel_of, warn_of_bases

TARGETS = ("auto", "classes", "slices", "outputs")


class KernelSIR(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Kernel sliced inverse regression: the functions of X that tell y.

    Parameters
    ----------
    n_components : int
        Number of functions. Classes have at most one less than there are.
    kernel, gamma, degree, coef0, kernel_params
        As of mercer.KernelPCA, by name only.
    regularization : float
        The ridge in units of the variance in feature space. None: 1 / n_samples.
    target : str
        What y is. "classes"; "slices": one number, whose range is cut into slices; "outputs":
        several numbers. "auto": outputs if y has columns, slices if it is of floats, else classes.
    n_slices : int
        Number of slices, of nearly equal size; 30 to 100 if a regression is to follow.
    rank : int, float in (0, 1) or None
        Size of the basis of X: a number, or a share of the variance. None: all.
    eigen_solver, solver_params, random_state, n_jobs, memory_budget, progress
        As of mercer.KernelPCA. Of this class alone, "ridge-cholesky" finds the functions of "dense"
        many times sooner; it needs a ridge and rank=None. "features" is for many samples: the time
        for each is quadratic in the number of features.

    Attributes
    ----------
    eigenvalues_ : array of shape (n_components,)
        The share of the variance of each function that lies between the slices.
    report_ : dict
        How the fit went: status, the basis, error bounds, time.
    """

    def __init__(self, n_components: int = 2, *, kernel: str = "rbf",
                 gamma: Optional[float] = None, degree: int = 3, coef0: float = 1,
                 kernel_params: Optional[dict[str, Any]] = None,
                 regularization: Optional[float] = None, target: str = "auto", n_slices: int = 10,
                 rank: Union[int, float, None] = None, eigen_solver: str = "dense",
                 solver_params: Optional[dict[str, Any]] = None,
                 random_state: Union[int, np.random.RandomState, None] = None,
                 n_jobs: Optional[int] = None, memory_budget: Optional[int] = None,
                 progress: Union[bool, Progress, None] = None) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.regularization = regularization
        self.target = target
        self.n_slices = n_slices
        self.rank = rank
        self.eigen_solver = eigen_solver
        self.solver_params = solver_params
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory_budget = memory_budget
        self.progress = progress

    def fit(self, X: Samples, y: npt.ArrayLike) -> "KernelSIR":
        """Fits to the rows of X, an array or a CSR matrix, and their responses y. After an error,
        the model is that of before."""
        with features_of_before(self):
            self._fit(X, y)
        return self

    def _fit(self, X, y):
        X = validate_data(self, X, accept_sparse="csr", dtype=REAL, ensure_min_samples=2)
        responses, target = self._responses(y)
        check_consistent_length(X, responses)
        options = fit_options(self, X.dtype, response=True)
        model = _mercer.fit_sir(for_module(X), for_module(responses), {
            **options,
            "kernel": kernel_of(self, X, self.kernel, self.gamma, self.kernel_params),
            "components": check_components(self.n_components, X.shape[0]),
            "centered": True,
            "regularization": number("regularization", self.regularization, none=True),
            "target": target,
            "slices": number("n_slices", self.n_slices, numbers.Integral),
        })
        warn_of_bases(model.report, options["solver"], "X")
        self._model = model
        self.eigenvalues_ = model.values
        self.report_ = model.report
        self._dtype = X.dtype

    def transform(self, X: Samples) -> np.ndarray:
        """The functions at the rows of X, n_samples x n_components."""
        check_is_fitted(self, "eigenvalues_")
        X = validate_data(self, X, accept_sparse="csr", dtype=self._dtype, reset=False)
        return self._model.transform(for_module(X), 0, threads_of(self.n_jobs))

    def _responses(self, y):
        """Numbers by column, and what they are."""
        if self.target not in TARGETS:
            raise ValueError(f"target must be one of {', '.join(TARGETS)}, got {self.target!r}")
        if y is None:
            raise ValueError("KernelSIR requires y to be passed, but the target y is None")
        y = check_array(y, dtype=None, ensure_2d=False)
        if y.dtype.kind == "O":  # as columns of pandas may be
            y = np.array(y.tolist())
        target = self.target
        if target == "auto":
            several = y.ndim == 2 and y.shape[1] > 1
            target = "outputs" if several else "slices" if y.dtype.kind == "f" else "classes"
        if target != "outputs":
            y = y.reshape(len(y), -1)
            if y.shape[1] != 1:
                raise ValueError(f"{target} need one column of responses, got {y.shape[1]}")
        if target == "classes":
            y = np.unique(y, return_inverse=True)[1]
        return y.reshape(len(y), -1).astype(np.float64), target

    @property
    def _n_features_out(self):
        return len(self.eigenvalues_)

    def _more_tags(self):
        return {"preserves_dtype": [np.float64, np.float32], "requires_y": True,
                "pairwise": self._is_pairwise()}

    def __sklearn_tags__(self):  # scikit-learn 1.6 and later
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.target_tags.required = True
        tags.input_tags.pairwise = self._is_pairwise()
        tags.input_tags.sparse = True
        return tags

    def _is_pairwise(self):
        return is_precomputed(self.kernel)
