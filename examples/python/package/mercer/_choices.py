# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""What the estimators share: kernels and solvers by name, samples and numbers for the module."""

import contextlib
import numbers
import sys
from typing import TYPE_CHECKING, Any, Callable, Optional, Union

import numpy as np
import numpy.typing as npt
import scipy.sparse
from sklearn.utils import check_random_state

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # scikit-learn before 1.6

    def validate_data(estimator, *args, **options):
        return estimator._validate_data(*args, **options)


from . import _mercer

# Names of scikit-learn. Ours stand beside them.
SKLEARN_KERNELS = {"poly": "polynomial", "rbf": "gaussian"}
SKLEARN_SOLVERS = {"dense": "exact", "arpack": "lanczos", "randomized": "block-krylov"}
ARPACK_TOLERANCE = 1e-10  # for tol=0, which asks ARPACK for components right to rounding

REAL = [np.float64, np.float32]

# One sample per row.
if TYPE_CHECKING:
    Samples = Union[npt.ArrayLike, scipy.sparse.spmatrix, scipy.sparse.sparray]
else:  # scipy before 1.11 has no sparray
    Samples = Union[npt.ArrayLike, scipy.sparse.spmatrix]
# Of the phase, the steps done and the steps in all; False ends the fit.
Progress = Callable[[str, int, int], Optional[bool]]


@contextlib.contextmanager
def features_of_before(estimator):
    """After an error, what validate_data() has set is that of the fit before: the model is, too."""
    names = ("n_features_in_", "feature_names_in_")
    before = {name: getattr(estimator, name) for name in names if hasattr(estimator, name)}
    try:
        yield
    except BaseException:
        for name in names:
            estimator.__dict__.pop(name, None)
        estimator.__dict__.update(before)
        raise


def kernels() -> list[dict[str, Any]]:
    """The kernels: a list of dicts with name, description (the formula) and parameters."""
    return _mercer.kernel_list()


def solvers() -> list[dict[str, Any]]:
    """The solvers: a list of dicts with name, description and parameters."""
    return _mercer.solver_list()


def entry_of(kind, table, translation, name):
    """The entry of this name, of scikit-learn or of mercer."""
    if isinstance(name, str):
        for entry in table:
            if entry["name"] == translation.get(name, name):
                return entry
    known = list(translation) + [entry["name"] for entry in table]
    raise ValueError(f"{kind} must be one of {', '.join(known)}, got {name!r}")


def number(name, value, kind=numbers.Real, none=False):
    """A parameter as a number of Python. Arrays of one number are none, as in scikit-learn."""
    if none and value is None:
        return None
    if not isinstance(value, kind):
        what = "a whole number" if kind is numbers.Integral else "a number"
        raise ValueError(f"{name} must be {what}{' or None' if none else ''}, got {value!r}")
    return int(value) if isinstance(value, numbers.Integral) else float(value)


def settings_of(params):
    """Parameters by name: words, and numbers of Python."""
    return {name: value if isinstance(value, str) else number(name, value)
            for name, value in dict(params or {}).items()}


def choose_kernel(name, X, *, gamma, degree, coef0, params, seed, threads, weights=None):
    """The name and all settings of a kernel for these samples."""
    entry = entry_of("kernel", kernels(), SKLEARN_KERNELS, name)
    given = {"gamma": number("gamma", gamma, none=True), "degree": number("degree", degree),
             "coef0": number("coef0", coef0)}
    replaced = {p["instead_of"] for p in entry["parameters"]} - {""}
    settings = settings_of(params)
    for p in entry["parameters"]:
        name = p["name"]
        if name == "gamma" and gamma is not None and not settings.keys().isdisjoint(
                {name, p["instead_of"]}):
            raise ValueError("gamma: kernel_params has the width, too; give one of them")
        if name in settings or p["instead_of"] in settings or name in replaced:
            continue
        if given.get(name) is not None:
            settings[name] = given[name]
        elif name == "gamma" or p["suggestion"] == "inverse dimension":
            settings[name] = 1 / X.shape[1]
        elif p["suggestion"] == "distance":
            settings[name] = _mercer.median_distance(X, seed, weights, threads)
    return entry["name"], settings


def choose_solver(name, *, params, tol=0, max_iter=None):
    """The name and the settings of a solver."""
    entry = entry_of("eigen_solver", solvers(), SKLEARN_SOLVERS, name)
    names = {p["name"] for p in entry["parameters"]}
    settings = settings_of(params)
    tol = number("tol", tol)
    max_iter = number("max_iter", max_iter, numbers.Integral, none=True)
    if not tol >= 0:  # nor a number
        raise ValueError(f"tol must not be negative, got {tol}")
    if max_iter is not None and max_iter < 1:
        raise ValueError(f"max_iter must be at least 1, got {max_iter}")
    if tol == 0 and name == "arpack":
        tol = ARPACK_TOLERANCE
    if tol > 0 and "tolerance" in names:
        settings.setdefault("tolerance", tol)
    if max_iter is not None:
        for setting in ("iterations", "epochs"):
            if setting in names:
                settings.setdefault(setting, max_iter)
    return entry["name"], settings


def seed_of(random_state):
    """A seed for mercer. None is the same one each time."""
    if random_state is None:
        return 1
    if isinstance(random_state, numbers.Integral) and random_state >= 0:
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31))


def threads_of(n_jobs):
    """The number of threads; 0 for as many as there are anyway."""
    n_jobs = number("n_jobs", n_jobs, numbers.Integral, none=True)
    if n_jobs is None:
        return 0
    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0")
    return n_jobs if n_jobs > 0 else max(1, _mercer.core_count() + 1 + n_jobs)


def budget_of(memory_budget):
    """Bytes; 0 for what mercer takes by default."""
    memory_budget = number("memory_budget", memory_budget, none=True)
    if memory_budget is not None and memory_budget < 1:
        raise ValueError(f"memory_budget must be at least 1 byte, got {memory_budget}")
    return int(memory_budget or 0)


def print_progress(phase, done, total):
    """One line on stderr that is written over."""
    part = f"{100 * done / total:3.0f} %" if total > 0 else f"{done}"
    print(f"\r{phase}: {part}\033[K", end="\n" if done == total > 0 else "", file=sys.stderr,
          flush=True)


def callback_of(progress):
    if progress is True:
        return print_progress
    if progress is None or progress is False or callable(progress):
        return progress or None
    raise ValueError("progress must be None, True, or a function of phase, done and total, got "
                     f"{progress!r}")


def for_module(X):
    """The samples in a form that the module reads without a copy, if they are not so already."""
    if not scipy.sparse.issparse(X):
        followed = all(step >= 0 and step % X.itemsize == 0 for step in X.strides)
        return X if followed and X.dtype.isnative else np.ascontiguousarray(X, X.dtype.newbyteorder("="))
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    if X.indices.dtype != np.int32 or X.indptr.dtype != np.int32:
        if max(X.nnz, *X.shape) >= 2**31:
            raise ValueError(f"sparse samples must have fewer than 2^31 values, got {X.nnz}")
        X = scipy.sparse.csr_matrix(
            (X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)
    return X
