# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""What KernelCCA, KernelSVD and KernelSIR share."""

import numbers
import warnings
from typing import Optional, Union

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_consistent_length, check_is_fitted

from ._choices import (REAL, budget_of, callback_of, choose_kernel, choose_solver,
                       features_of_before, flag, for_module, has_width, kernel_entry, number,
                       seed_of, settings_of, threads_of, validate_data, warn_not_converged)


def check_components(count, n):
    if not isinstance(count, numbers.Integral) or count < 1:
        raise ValueError(f"n_components must be a whole number of at least 1, got {count!r}")
    return min(int(count), n)


def rank_of(rank):
    """The size of a basis: a number, a share of the variance, or None."""
    return number("rank", rank, none=True)


def kernel_of(estimator, X, kernel, gamma, params, **names):
    return choose_kernel(kernel, for_module(X), gamma=gamma, degree=estimator.degree,
                         coef0=estimator.coef0, params=params,
                         seed=seed_of(estimator.random_state),
                         threads=threads_of(estimator.n_jobs), **names)


def fit_options(estimator, dtype, response=False):
    """Those of the bases of the views, for samples of this type. response: as of solver_entry()."""
    return {
        "solver": choose_solver(estimator.eigen_solver, params=estimator.solver_params, dtype=dtype,
                                response=response),
        "rank": rank_of(estimator.rank),
        "memory_budget": budget_of(estimator.memory_budget),
        "max_iterations": None,
        "seed": seed_of(estimator.random_state),
        "threads": threads_of(estimator.n_jobs),
        "callback": callback_of(estimator.progress),
    }


def warn_of_bases(report, solver, names):
    """Warns of each view whose basis is not converged. names: of the views, in their order."""
    for name, view in zip(names, report["views"]):
        basis = view["basis"]
        if basis["status"] == "not converged":
            warn_not_converged(f"the components of the view {name}", basis, solver,
                               (basis["trace"], "of the trace"),
                               'raise "tolerance" in solver_params, or take another eigen_solver')


class TwoViews(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """The base of methods that find functions of two views.

    A method has parameters for the kernels, rank, center, holdout and those of a solver;
    _fit_module(X, y, options), which returns a model; and _take(model), which sets the attributes
    that no other method has.
    """

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> "TwoViews":
        """Fits to pairs: the rows of X and of y. After an error, the model is that of before."""
        with features_of_before(self):
            self._fit(X, y)
        return self

    def _fit(self, X, y):
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is "
                             "None")
        X = validate_data(self, X, dtype=REAL, ensure_min_samples=2)
        y = self._view_y(y, X.dtype)
        check_consistent_length(X, y)
        options = fit_options(self, X.dtype)
        model = self._fit_module(for_module(X), for_module(y), {
            **options,
            "kernel": kernel_of(self, X, self.kernel, self.gamma, self.kernel_params),
            "kernel_y": self._kernel_on_y(y),
            "components": check_components(self.n_components, len(X)),
            "centered": flag("center", self.center),
            "holdout": number("holdout", self.holdout),
        })
        warn_of_bases(model.report, options["solver"], "Xy")
        for name, view in zip("Xy", model.report["views"]):
            if view["rank"] == 0:
                warnings.warn(f"the view {name} has no variance, so there are no components",
                              stacklevel=3)
        self._take(model)
        self._model = model
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
        check_is_fitted(self, "report_")
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

    @staticmethod
    def _view_y(y, dtype):
        y = check_array(y, dtype=dtype, ensure_2d=False)
        return y.reshape(-1, 1) if y.ndim == 1 else y

    @property
    def _n_features_out(self):
        return self.report_["components"]

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
