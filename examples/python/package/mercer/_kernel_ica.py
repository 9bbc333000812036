# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Kernel independent component analysis."""

import numbers
import warnings
from typing import Optional, Union

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_array, check_is_fitted

from . import _mercer
from ._choices import (REAL, Progress, callback_of, features_of_before, for_module, number,
                       threads_of, validate_data)

CONTRASTS = ("kgv", "kcca")


class KernelICA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Kernel independent component analysis: sources that are linear combinations of the columns.

    To be taken where scikit-learn's FastICA is, with its attributes. The contrast is a kernel
    measure of dependence, which assumes no law of the sources: it also separates those whose
    kurtosis is that of a normal law, and is less disturbed by outliers. A fit takes longer, in
    proportion to the number of samples and to the square of that of columns; a few thousand
    samples are enough.

    There are as many sources as columns. Reduce their number by PCA before, in a Pipeline.

    Parameters
    ----------
    contrast : str
        "kgv", of all kernel canonical correlations of two sources; "kcca", of the largest alone.
    sigma : float or None
        Width of the Gaussian on each source, whose variance is 1. None: 1 below 1000 samples, else
        1/2.
    regularization : float or None
        The ridge of the correlations. None: 0.02 below 1000 samples, else 0.002.
    max_iter : int
        Most sweeps over the pairs of sources.
    tol : float
        A sweep ends the fit if it rotates no pair by more than this, in radians.
    n_jobs, progress
        As of mercer.KernelPCA.

    Attributes
    ----------
    components_ : array of shape (n_features, n_features)
        What makes the sources of a centred sample, one in each row. The sources have the variance
        1, and come in the order of their share in the variance of the columns.
    mixing_ : array of shape (n_features, n_features)
        Its inverse: what each source adds to the columns, in its columns.
    mean_ : array of shape (n_features,)
    contrast_ : float
        Of the sources; small if they are independent.
    n_iter_ : int
        The number of sweeps.
    report_ : dict
        How the fit went: status, the parameters that were taken, sweeps, time.
    """

    def __init__(self, *, contrast: str = "kgv", sigma: Optional[float] = None,
                 regularization: Optional[float] = None, max_iter: int = 10, tol: float = 5e-3,
                 n_jobs: Optional[int] = None,
                 progress: Union[bool, Progress, None] = None) -> None:
        self.contrast = contrast
        self.sigma = sigma
        self.regularization = regularization
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.progress = progress

    def fit(self, X: npt.ArrayLike, y: object = None) -> "KernelICA":
        """Fits to the rows of X. y is not used. After an error, the model is that of before."""
        with features_of_before(self):
            X = validate_data(self, X, dtype=REAL, ensure_min_features=2, ensure_min_samples=2)
            if self.contrast not in CONTRASTS:
                raise ValueError(f"contrast must be one of {', '.join(CONTRASTS)}, "
                                 f"got {self.contrast!r}")
            sweeps, tol = number("max_iter", self.max_iter, numbers.Integral), number("tol", self.tol)
            if sweeps < 1:
                raise ValueError(f"max_iter must be at least 1, got {sweeps}")
            if not tol > 0:
                raise ValueError(f"tol must be greater than 0, got {tol}")
            found = _mercer.fit_ica(for_module(X), {
                "contrast": self.contrast,
                "sigma": number("sigma", self.sigma, none=True),
                "regularization": number("regularization", self.regularization, none=True),
                "sweeps": sweeps,
                "sweep_tolerance": tol,
                "threads": threads_of(self.n_jobs),
                "callback": callback_of(self.progress),
            })
        report = found["report"]
        if report["status"] == "not converged":
            warnings.warn(f"the sources are not converged: the last of {report['sweeps']} sweeps "
                          f"rotated them by up to {report['last_angle']:.2g}, tol is {self.tol:.2g}; "
                          "raise max_iter or tol", ConvergenceWarning, stacklevel=2)
        self.mean_, self.components_, self.mixing_ = (
            found[name].astype(X.dtype, copy=False) for name in ("mean", "unmixing", "mixing"))
        self.contrast_, self.report_, self.n_iter_ = found["contrast"], report, report["sweeps"]
        return self

    def transform(self, X: npt.ArrayLike) -> np.ndarray:
        """The sources of the rows of X, n_samples x n_features."""
        check_is_fitted(self, "components_")
        X = validate_data(self, X, dtype=self.components_.dtype, reset=False)
        return (X - self.mean_) @ self.components_.T

    def inverse_transform(self, X: npt.ArrayLike) -> np.ndarray:
        """The samples that have these sources."""
        check_is_fitted(self, "components_")
        X = check_array(X, dtype=self.components_.dtype)
        return X @ self.mixing_.T + self.mean_

    @property
    def _n_features_out(self):
        return len(self.components_)

    def _more_tags(self):
        return {"preserves_dtype": [np.float64, np.float32]}

    def __sklearn_tags__(self):  # scikit-learn 1.6 and later
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
