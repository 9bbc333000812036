# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""What the estimators share: kernels and solvers by name, samples and numbers for the module."""

import contextlib
import math
import numbers
import os
import sys
import warnings
from typing import TYPE_CHECKING, Any, Callable, Optional, Union

import numpy as np
import numpy.typing as npt
import scipy.sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # scikit-learn before 1.6

    def validate_data(estimator, *args, **options):
        return estimator._validate_data(*args, **options)


from . import _mercer

# For tol=0, which asks ARPACK for components right to rounding. In single precision the default of
# the solver is about as much as rounding leaves.
ARPACK_TOLERANCE = 1e-10

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
    """The kernels: a list of dicts with name, aliases, description (the formula) and parameters."""
    return _mercer.kernel_list()


def solvers() -> list[dict[str, Any]]:
    """The solvers: a list of dicts with name, aliases, description and parameters."""
    return _mercer.solver_list()


def feature_maps() -> list[dict[str, Any]]:
    """The feature maps: a list of dicts with name, aliases, description and parameters."""
    return _mercer.feature_map_list()


def entry_of(kind, table, name_of, name):
    """The entry of this name or alias, which may be one of scikit-learn."""
    found = name_of(name) if isinstance(name, str) else None
    for entry in table:
        if entry["name"] == found:
            return entry
    known = [entry["name"] + (f" ({', '.join(entry['aliases'])})" if entry["aliases"] else "")
             for entry in table]
    words = [word for entry in table for word in (entry["name"], *entry["aliases"])]
    meant = _mercer.did_you_mean(name, words) if isinstance(name, str) else ""
    raise ValueError(f"{kind} must be one of {', '.join(known)}, got {name!r}{meant}")


def is_precomputed(kernel):
    """Whether this is a name of the kernel whose values are given."""
    return isinstance(kernel, str) and _mercer.kernel_name(kernel) == "precomputed"


def number(name, value, kind=numbers.Real, none=False):
    """A parameter as a number of Python that mercer can hold. Arrays of one number are none, as in
    scikit-learn."""
    if none and value is None:
        return None
    whole = isinstance(value, numbers.Integral)
    if not isinstance(value, kind) or not (whole or math.isfinite(value)):
        what = "a whole number" if kind is numbers.Integral else "a finite number"
        raise ValueError(f"{name} must be {what}{' or None' if none else ''}, got {value!r}")
    if abs(value) >= 2**63:
        raise ValueError(f"{name} must lie between -2^63 and 2^63, got {value!r}")
    return int(value) if whole else float(value)


def flag(name, value):
    """A parameter that is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def requested_components(value):
    """The parameter n_components as the module takes it: a number, a share of the variance, or
    None for all."""
    if value is None:
        return None
    if isinstance(value, numbers.Integral):
        if value < 1:
            raise ValueError(f"n_components must be at least 1, got {value}")
        return int(value)
    if not (isinstance(value, numbers.Real) and 0 < value < 1):
        raise ValueError("n_components must be a whole number, a fraction in (0, 1) or None, "
                         f"got {value!r}")
    return float(value)


def settings_of(params):
    """Parameters by name: words, and numbers of Python."""
    return {name: value if isinstance(value, str) else number(name, value)
            for name, value in dict(params or {}).items()}


def has_width(entry, settings):
    """Whether these are settings of a kernel that has a gamma, and set it or what it stands for."""
    return any(p["name"] == "gamma" and not settings.keys().isdisjoint({"gamma", p["instead_of"]})
               for p in entry["parameters"])


def kernel_entry(name, parameter="kernel"):
    return entry_of(parameter, kernels(), _mercer.kernel_name, name)


def choose_kernel(name, X, *, gamma, degree, coef0, params, seed, threads, weights=None,
                  names=("kernel", "gamma", "kernel_params")):
    """The name and all settings of a kernel for these samples. The names are those that the
    estimator has for the parameters."""
    entry = kernel_entry(name, names[0])
    given = {"gamma": number(names[1], gamma, none=True), "degree": number("degree", degree),
             "coef0": number("coef0", coef0)}
    replaced = {p["instead_of"] for p in entry["parameters"]} - {""}
    settings = settings_of(params)
    if gamma is not None and has_width(entry, settings):
        raise ValueError(f"{names[1]}: {names[2]} has the width, too; give one of them")
    for p in entry["parameters"]:
        name = p["name"]
        if name in settings or p["instead_of"] in settings or name in replaced:
            continue
        if given.get(name) is not None:
            settings[name] = given[name]
        elif name == "gamma" or p["suggestion"] == "inverse dimension":
            settings[name] = 1 / X.shape[1]
        elif p["suggestion"] == "distance":
            settings[name] = _mercer.median_distance(X, seed, weights, threads)
    return entry["name"], settings


def solver_entry(name, response):
    """response: whether it may be one of those that need the response of KernelSIR."""
    if not response:
        return entry_of("eigen_solver", solvers(), _mercer.solver_name, name)
    return entry_of("eigen_solver", solvers() + _mercer.response_solver_list(),
                    lambda one: _mercer.solver_name(one) or _mercer.response_solver_name(one), name)


def choose_solver(name, *, params, dtype, tol=0, max_iter=None, response=False):
    """The name and the settings of a solver for samples of this type."""
    entry = solver_entry(name, response)
    names = {p["name"] for p in entry["parameters"]}
    settings = settings_of(params)
    tol = number("tol", tol)
    max_iter = number("max_iter", max_iter, numbers.Integral, none=True)
    if not tol >= 0:  # nor a number
        raise ValueError(f"tol must not be negative, got {tol}")
    if max_iter is not None and max_iter < 1:
        raise ValueError(f"max_iter must be at least 1, got {max_iter}")
    if tol == 0 and name.lower() == "arpack" and dtype == np.float64:
        tol = ARPACK_TOLERANCE
    if tol > 0 and "tolerance" in names:
        settings.setdefault("tolerance", tol)
    if max_iter is not None:
        for setting in ("iterations", "epochs"):
            if setting in names:
                settings.setdefault(setting, max_iter)
    return entry["name"], settings


def shares_of_trace(values, report):
    """The share of each eigenvalue in the variance that a report tells."""
    trace = report["trace"]
    if trace == 0:  # no variance, of which there is no share
        return np.zeros_like(values)
    return values / values.dtype.type(trace)


def warn_not_converged(what, report, solver, unit, advice):
    """Warns of components that are not as good as they were to be, and says what can be done.

    report: of their fit. solver: its name and settings. unit: what residuals are told in, a number
    and its name.
    """
    parts = []
    if report["residuals"] and unit[0]:
        part = f"the largest residual is {max(report['residuals']) / unit[0]:.2g} {unit[1]}"
        if report["iterations"]:
            part += f" after {report['iterations']} steps"
        parts.append(part)
    name, settings = solver
    entry = solver_entry(name, response=True)
    defaults = {p["name"]: p["default"] for p in entry["parameters"]}
    tolerance = settings.get("tolerance", defaults.get("tolerance"))
    if isinstance(tolerance, float):
        parts.append(f"the tolerance is {tolerance:.2g}")
    if "tolerance" not in defaults:
        advice = 'take more "landmarks" in solver_params' if "landmarks" in defaults else ""
    details = "; ".join(filter(None, (", ".join(parts), advice)))
    warnings.warn(f"{what} are not converged{': ' if details else ''}{details}. ({report['reason']})",
                  ConvergenceWarning, stacklevel=5)


def seed_of(random_state):
    """A seed for mercer. None is the same one each time."""
    if random_state is None:
        return 1
    if isinstance(random_state, numbers.Integral) and random_state >= 0:
        return number("random_state", random_state)
    return int(check_random_state(random_state).randint(2**31))


class Threads:
    """What becomes of the threads of OpenMP when the process forks: a child has none of them, and
    a loop that waits for them would never end. So it does with one thread."""

    started = lost = False

    @classmethod
    def after_fork(cls):
        cls.lost = cls.lost or cls.started


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(after_in_child=Threads.after_fork)


def threads_of(n_jobs):
    """The number of threads; 0 for as many as there are anyway."""
    n_jobs = number("n_jobs", n_jobs, numbers.Integral, none=True)
    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0")
    if n_jobs is not None and n_jobs > _mercer.most_threads():
        raise ValueError(f"n_jobs must be at most {_mercer.most_threads()}, got {n_jobs}")
    if Threads.lost:
        return 1
    if n_jobs is not None and n_jobs < 0:
        n_jobs = max(1, _mercer.core_count() + 1 + n_jobs)
    Threads.started = Threads.started or n_jobs != 1
    return n_jobs or 0


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
