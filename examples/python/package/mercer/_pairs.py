# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""What KernelCCA and KernelSIR share."""

import numbers
import warnings

from sklearn.exceptions import ConvergenceWarning

from ._choices import (budget_of, callback_of, choose_kernel, choose_solver, for_module, number,
                       seed_of, threads_of)


def check_components(count, n):
    if not isinstance(count, numbers.Integral) or count < 1:
        raise ValueError(f"n_components must be a whole number of at least 1, got {count!r}")
    return min(int(count), n)


def rank_of(rank):
    """The size of a basis: a number, a share of the variance, or None."""
    return number("rank", rank, none=True)


def kernel_of(estimator, X, kernel, gamma, params):
    return choose_kernel(kernel, for_module(X), gamma=gamma, degree=estimator.degree,
                         coef0=estimator.coef0, params=params,
                         seed=seed_of(estimator.random_state),
                         threads=threads_of(estimator.n_jobs))


def fit_options(estimator):
    """Those of the bases of the views."""
    return {
        "solver": choose_solver(estimator.eigen_solver, params=estimator.solver_params),
        "rank": rank_of(estimator.rank),
        "memory_budget": budget_of(estimator.memory_budget),
        "max_iterations": None,
        "seed": seed_of(estimator.random_state),
        "threads": threads_of(estimator.n_jobs),
        "callback": callback_of(estimator.progress),
    }


def warn_not_converged(report):
    if report["status"] == "not converged":
        warnings.warn("the bases of the views are not converged", ConvergenceWarning)
