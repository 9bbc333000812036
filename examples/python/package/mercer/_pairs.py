# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""What KernelCCA and KernelSIR share."""

import numbers

from ._choices import (budget_of, callback_of, choose_kernel, choose_solver, for_module, number,
                       seed_of, threads_of, warn_not_converged)


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


def fit_options(estimator, dtype):
    """Those of the bases of the views, for samples of this type."""
    return {
        "solver": choose_solver(estimator.eigen_solver, params=estimator.solver_params, dtype=dtype),
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
