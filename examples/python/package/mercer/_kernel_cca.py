# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Kernel canonical correlation analysis."""

import warnings
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_consistent_length, check_is_fitted

from . import _mercer
from ._choices import (REAL, Progress, features_of_before, flag, for_module, has_width, kernel_entry,
                       number, settings_of, threads_of, validate_data)
from ._pairs import check_components, fit_options, kernel_of, warn_of_bases


class KernelCCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Kernel canonical correlation analysis: functions of two views that are correlated most.

    fit_transform() returns a pair of arrays, as that of scikit-learn's CCA: in a Pipeline, this
    class can only be the last step, and the step before must give X.

    Parameters
    ----------
    n_components : int
    kernel, gamma, degree, coef0, kernel_params
        As of mercer.KernelPCA, by name only.
    kernel_y, gamma_y, kernel_params_y
        The same of y. kernel_y=None takes kernel for both, and then also kernel_params unless
        kernel_params_y is given, and gamma unless gamma_y or a width in kernel_params_y is. Two
        matrices of kernel values cannot be cross-validated: scikit-learn cuts
        the columns of X alone.
    regularization : float
        The ridge in units of the variance in feature space. None: 1 / n_samples, which is a guess;
        choose it by cross-validation with score().
    regularization_y : float
        Of y, if it is to have another one.
    rank : int, float in (0, 1) or None
        Size of the basis of each view: a number, or a share of the variance. None: all.
    center : bool
    holdout : float in [0, 1)
        Share of the pairs to hold out, whose correlations are then in `holdout_correlations_`.
    eigen_solver, solver_params, random_state, n_jobs, memory_budget, progress
        As of mercer.KernelPCA; solvers over features are not for this class.

    Attributes
    ----------
    correlations_ : of the fit, with the ridge. They go to 1 as the ridge vanishes.
    holdout_correlations_ : of pairs that were held out; these tell something of the data.
    report_ : dict
    """

    def __init__(self, n_components: int = 2, *, kernel: str = "rbf",
                 gamma: Optional[float] = None, degree: int = 3, coef0: float = 1,
                 kernel_params: Optional[dict[str, Any]] = None, kernel_y: Optional[str] = None,
                 gamma_y: Optional[float] = None, kernel_params_y: Optional[dict[str, Any]] = None,
                 regularization: Optional[float] = None, regularization_y: Optional[float] = None,
                 rank: Union[int, float, None] = None, center: bool = True, holdout: float = 0.0,
                 eigen_solver: str = "dense", solver_params: Optional[dict[str, Any]] = None,
                 random_state: Union[int, np.random.RandomState, None] = None,
                 n_jobs: Optional[int] = None, memory_budget: Optional[int] = None,
                 progress: Union[bool, Progress, None] = None) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.kernel_y = kernel_y
        self.gamma_y = gamma_y
        self.kernel_params_y = kernel_params_y
        self.regularization = regularization
        self.regularization_y = regularization_y
        self.rank = rank
        self.center = center
        self.holdout = holdout
        self.eigen_solver = eigen_solver
        self.solver_params = solver_params
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory_budget = memory_budget
        self.progress = progress

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> "KernelCCA":
        """Fits to pairs: the rows of X and of y. After an error, the model is that of before."""
        with features_of_before(self):
            self._fit(X, y)
        return self

    def _fit(self, X, y):
        if y is None:
            raise ValueError("KernelCCA requires y to be passed, but the target y is None")
        X = validate_data(self, X, dtype=REAL, ensure_min_samples=2)
        y = self._view_y(y, X.dtype)
        check_consistent_length(X, y)
        options = fit_options(self, X.dtype)
        kernel_x = kernel_of(self, X, self.kernel, self.gamma, self.kernel_params)
        model = _mercer.fit_cca(for_module(X), for_module(y), {
            **options,
            "kernel": kernel_x,
            "kernel_y": self._kernel_on_y(y),
            "components": check_components(self.n_components, len(X)),
            "centered": flag("center", self.center),
            "regularization": number("regularization", self.regularization, none=True),
            "regularization_y": number("regularization_y", self.regularization_y, none=True),
            "holdout": number("holdout", self.holdout),
        })
        warn_of_bases(model.report, options["solver"], "Xy")
        for name, view in zip("Xy", model.report["views"]):
            if view["rank"] == 0:
                warnings.warn(f"the view {name} has no variance, so there are no components",
                              stacklevel=3)
        self._model = model
        self.correlations_ = model.values
        self.report_ = model.report
        self.holdout_correlations_ = np.array(self.report_["holdout_correlations"])
        self._dtype = X.dtype

    def _kernel_on_y(self, y):
        """The name and settings of the kernel of y, with what it shares with that of X."""
        same = self.kernel_y is None
        kernel = self.kernel if same else self.kernel_y
        kernel_name = "kernel" if same else "kernel_y"
        params, params_name = self.kernel_params_y, "kernel_params_y"
        gamma, gamma_name = self.gamma_y, "gamma_y"
        if same and gamma is None and not has_width(kernel_entry(kernel), settings_of(params)):
            gamma, gamma_name = self.gamma, "gamma"
        if same and params is None:
            params, params_name = self.kernel_params, "kernel_params"
        return kernel_of(self, y, kernel, gamma, params,
                         names=(kernel_name, gamma_name, params_name))

    def transform(self, X: npt.ArrayLike, y: Optional[npt.ArrayLike] = None
                  ) -> Union[np.ndarray, tuple[np.ndarray, np.ndarray]]:
        """Scores of X, or of X and of y as a pair of arrays."""
        check_is_fitted(self, "correlations_")
        X = validate_data(self, X, dtype=self._dtype, reset=False)
        scores = self._model.transform(for_module(X), 0, threads_of(self.n_jobs))
        if y is None:
            return scores
        y = self._view_y(y, self._dtype)
        check_consistent_length(X, y)
        return scores, self._model.transform(for_module(y), 1, threads_of(self.n_jobs))

    def fit_transform(self, X: npt.ArrayLike, y: npt.ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Scores of X and of y, after a fit to both."""
        return self.fit(X, y).transform(X, y)

    def correlations(self, X: npt.ArrayLike, y: npt.ArrayLike) -> np.ndarray:
        """The correlation of each component over these pairs."""
        f, g = (np.asarray(scores) for scores in self.transform(X, y))
        f, g = f - f.mean(axis=0), g - g.mean(axis=0)
        scale = np.sqrt((f**2).sum(axis=0) * (g**2).sum(axis=0))
        return np.divide((f * g).sum(axis=0), scale, where=scale > 0, out=np.zeros_like(scale))

    def score(self, X: npt.ArrayLike, y: npt.ArrayLike) -> float:
        """The mean of correlations(X, y), for a choice of parameters by cross-validation. 0 without
        components."""
        found = self.correlations(X, y)
        return float(found.mean()) if found.size else 0.0

    @staticmethod
    def _view_y(y, dtype):
        y = check_array(y, dtype=dtype, ensure_2d=False)
        return y.reshape(-1, 1) if y.ndim == 1 else y

    @property
    def _n_features_out(self):
        return len(self.correlations_)

    def _more_tags(self):
        pair = "fit_transform() returns the scores of both views"
        return {"preserves_dtype": [np.float64, np.float32], "requires_y": True,
                "_xfail_checks": {"check_transformer_data_not_an_array": pair,
                                  "check_transformer_general": pair}}

    def __sklearn_tags__(self):  # scikit-learn 1.6 and later
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.target_tags.required = True
        return tags
