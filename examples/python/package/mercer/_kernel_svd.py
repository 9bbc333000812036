# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Kernel singular value decomposition."""

from typing import Any, Optional, Union

import numpy as np

from . import _mercer
from ._choices import Progress
from ._pairs import TwoViews


class KernelSVD(TwoViews):
    """Kernel singular value decomposition: functions of two views of largest covariance.

    With linear kernels, it is partial least squares by SVD: scikit-learn's PLSSVD of samples that
    are not scaled. It needs no ridge, in difference to KernelCCA. fit_transform() returns a pair of
    arrays, as that of PLSSVD.

    Parameters
    ----------
    n_components : int
        Number of pairs of functions.
    kernel, gamma, degree, coef0, kernel_params, kernel_y, gamma_y, kernel_params_y
        As of mercer.KernelCCA, by name only.
    rank, center, holdout
        As of mercer.KernelCCA.
    eigen_solver, solver_params, random_state, n_jobs, memory_budget, progress
        As of mercer.KernelCCA.

    Attributes
    ----------
    singular_values_ : array of shape (n_components,)
        The covariance of the two functions of each component over the pairs of the fit. The
        functions have the norm 1 in feature space.
    dependence_ : float
        The sum of the squares of all singular values, found or not: with bases of full rank, the
        biased estimate of HSIC, the Hilbert-Schmidt independence criterion.
    explained_dependence_ratio_ : array of shape (n_components,)
        The share of each component in it.
    holdout_correlations_ : array of shape (n_components,)
        Of pairs that were held out; empty without holdout.
    report_ : dict
        As of mercer.KernelCCA.
    """

    def __init__(self, n_components: int = 2, *, kernel: str = "rbf",
                 gamma: Optional[float] = None, degree: int = 3, coef0: float = 1,
                 kernel_params: Optional[dict[str, Any]] = None, kernel_y: Optional[str] = None,
                 gamma_y: Optional[float] = None, kernel_params_y: Optional[dict[str, Any]] = None,
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
        return _mercer.fit_svd(X, y, options)

    def _take(self, model):
        self.singular_values_ = model.values
        self.dependence_, self.explained_dependence_ratio_ = model.dependence_ratio
