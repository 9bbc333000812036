# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Kernel canonical correlation analysis."""

from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _mercer
from ._choices import Progress, number
from ._pairs import TwoViews


class KernelCCA(TwoViews):
    """Kernel canonical correlation analysis: functions of two views that are correlated most.

    fit_transform() returns a pair of arrays, as that of scikit-learn's CCA: in a Pipeline, this
    class can only be the last step, and the step before must give X.

    Parameters
    ----------
    n_components : int
        Number of pairs of functions.
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
        Whether to subtract the means in feature space.
    holdout : float in [0, 1)
        Share of the pairs to hold out, whose correlations are then in `holdout_correlations_`.
    eigen_solver, solver_params, random_state, n_jobs, memory_budget, progress
        As of mercer.KernelPCA. "features" is for many samples: the time for each is quadratic in
        the number of features, of which each view has as many.

    Attributes
    ----------
    correlations_ : array of shape (n_components,)
        Of the fit, with the ridge. They go to 1 as the ridge vanishes.
    holdout_correlations_ : array of shape (n_components,)
        Of pairs that were held out; these tell something of the data. Empty without holdout.
    report_ : dict
        How the fit went: status, the bases of the views, error bounds, time.
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

    def _fit_module(self, X, y, options):
        return _mercer.fit_cca(X, y, {
            **options,
            "regularization": number("regularization", self.regularization, none=True),
            "regularization_y": number("regularization_y", self.regularization_y, none=True),
        })

    def _take(self, model):
        self.correlations_ = model.values

    def score(self, X: npt.ArrayLike, y: npt.ArrayLike) -> float:
        """The mean of correlations(X, y), for a choice of parameters by cross-validation. 0 without
        components."""
        found = self.correlations(X, y)
        return float(found.mean()) if found.size else 0.0
