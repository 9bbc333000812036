# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Kernel PCA with the interface of scikit-learn's class."""

import numbers
import os
from typing import Any, Callable, Optional, Union

import numpy as np
import numpy.typing as npt
import scipy.linalg
import scipy.sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils.validation import _check_sample_weight, check_array, check_is_fitted

from . import _mercer
from ._choices import (REAL, Progress, Samples, budget_of, callback_of, choose_kernel, choose_solver,
                       features_of_before, flag, for_module, is_precomputed, number,
                       requested_components, seed_of, shares_of_trace, threads_of,
                       validate_data, warn_not_converged)


class KernelPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Kernel principal component analysis.

    Parameters and attributes have the names, meanings and defaults of scikit-learn's KernelPCA,
    unless said otherwise here.

    Parameters
    ----------
    n_components : int, float in (0, 1) or None
        A float is the fraction of the variance to explain. None: all that are not zero.
    kernel : str or callable
        "linear", "poly", "rbf", "sigmoid", "cosine", "precomputed", or another of
        mercer.kernels(). A callable of two samples is evaluated for all pairs first.
    gamma, degree, coef0 : numbers
        Of the kernels that have them. gamma=None is 1 / n_features.
    kernel_params : dict
        Keyword arguments of a callable, or the parameters of another kernel of mercer by name.
        Lengths that are not given are the median distance between samples.
    alpha, fit_inverse_transform
        As in scikit-learn: ridge regression of the samples on their scores.
    eigen_solver : str
        "auto" (solver chosen by size, see report_["reason"]), "dense" (exact), "arpack" (lanczos),
        "randomized" (block-krylov, which iterates until it meets `tol`), or another of
        mercer.solvers(): "nystrom", "spgd", "features", "doubly-stochastic", "dual", ...
    tol : float
        Components are accepted with residuals up to tol times the largest eigenvalue. 0: 1e-6, or
        1e-10 for "arpack" and samples of float64. "dense" needs none.
    max_iter : int
        Bound of the iterations of solvers that iterate.
    iterated_power
        Has no effect; "randomized" takes as many steps as `tol` needs.
    remove_zero_eig : bool
        As in scikit-learn. Zero eigenvalues that are kept have zero columns in `eigenvectors_`.
    random_state : int, RandomState or None
        None gives the same result each time.
    copy_X : bool
        Whether the model keeps samples of its own for a callable kernel. For all others it always
        does, stored by column; `X` is read where it is, and never written to.
    n_jobs : int
        Number of threads, -1 for all cores. None: as many as OpenMP takes.
    solver_params : dict
        Parameters of the solver by name, e.g. {"landmarks": 500} for "nystrom".
    center : bool
        Whether to subtract the mean in feature space.
    memory_budget : int
        Bytes that a fit may hold beside the samples. None: a part of the memory there is.
    progress : None, True or callable
        True prints a line on stderr. A function is called with the phase, the steps done and the
        steps in all (0 if that is not known); if it returns False, the fit ends with what it has.

    Attributes
    ----------
    eigenvalues_, eigenvectors_, gamma_, dual_coef_, X_transformed_fit_, n_features_in_
        As in scikit-learn. With solvers over landmarks or features, and with weights,
        `eigenvectors_` are the scores of the training samples in units of the roots of the
        eigenvalues.
    X_fit_
        The points that components are expanded over, read-only: the training samples, without
        those of weight 0, or the landmarks; with a callable kernel all training samples. Solvers
        over features ("features", "doubly-stochastic") keep none.
    explained_variance_ratio_
        The share of each component in the variance.
    report_ : dict
        How the fit went: status, solver, reason, residuals, error bounds, memory, time.

    A fit can be ended by Ctrl-C. It lets other threads of Python run.
    """

    def __init__(self, n_components: Union[int, float, None] = None, *,
                 kernel: Union[str, Callable[..., float]] = "linear", gamma: Optional[float] = None,
                 degree: int = 3, coef0: float = 1, kernel_params: Optional[dict[str, Any]] = None,
                 alpha: float = 1.0, fit_inverse_transform: bool = False,
                 eigen_solver: str = "auto", tol: float = 0, max_iter: Optional[int] = None,
                 iterated_power: Union[int, str] = "auto", remove_zero_eig: bool = False,
                 random_state: Union[int, np.random.RandomState, None] = None, copy_X: bool = True,
                 n_jobs: Optional[int] = None, solver_params: Optional[dict[str, Any]] = None,
                 center: bool = True, memory_budget: Optional[int] = None,
                 progress: Union[bool, Progress, None] = None) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.alpha = alpha
        self.fit_inverse_transform = fit_inverse_transform
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.iterated_power = iterated_power
        self.remove_zero_eig = remove_zero_eig
        self.random_state = random_state
        self.copy_X = copy_X
        self.n_jobs = n_jobs
        self.solver_params = solver_params
        self.center = center
        self.memory_budget = memory_budget
        self.progress = progress

    def fit(self, X: Samples, y: object = None,
            sample_weight: Optional[npt.ArrayLike] = None) -> "KernelPCA":
        """Fits to the rows of X: an array or a CSR matrix, or with kernel="precomputed" the
        symmetric matrix of kernel values. y is not used.

        A sample with the weight 2 counts like two equal samples, and one with the weight 0 does
        not count; only the ratios matter. Scores are those of the repeated samples, eigenvalues
        theirs divided by the mean weight. So it is for a kernel whose parameters do not depend on
        the samples: in a length that is the median distance, each pair of samples counts as the
        product of its weights, and equal samples make no pair of distance 0. Not for "spgd", "kernel-hebbian",
        "doubly-stochastic" and their like. fit_inverse_transform takes all samples alike."""
        self._fit(X, sample_weight)
        return self

    def fit_transform(self, X: Samples, y: object = None,
                      sample_weight: Optional[npt.ArrayLike] = None) -> np.ndarray:
        """The scores of the samples that it fits to, n_samples x n_components."""
        return self._training_scores(self._fit(X, sample_weight))

    def transform(self, X: Samples) -> np.ndarray:
        """Scores of new samples; with kernel="precomputed", of their kernel values with the
        training samples."""
        check_is_fitted(self, "eigenvalues_")
        X = validate_data(self, X, accept_sparse="csr", dtype=self.eigenvalues_.dtype, reset=False)
        if self._callable is not None:
            X = self._evaluate(X, self._X_fit)
        return self._padded(self._model.transform(for_module(X), threads_of(self.n_jobs)))

    def inverse_transform(self, X: npt.ArrayLike) -> np.ndarray:
        """Samples whose scores are about X, by the ridge regression of fit_inverse_transform."""
        check_is_fitted(self, "eigenvalues_")
        if not hasattr(self, "dual_coef_"):
            raise NotFittedError("inverse_transform needs a fit with fit_inverse_transform=True")
        X = for_module(check_array(X, dtype=self.eigenvalues_.dtype))
        return self._score_kernel(X, self.X_transformed_fit_) @ self.dual_coef_

    def score(self, X: npt.ArrayLike, y: object = None) -> float:
        """Minus the mean squared distance of the rows of X to their pre-images, which are found from
        the scores alone: for a choice of kernel, width and n_components by cross-validation. y is
        not used.

        It is in the units of the samples, so that kernels can be compared; in feature space, the
        widest kernel would win. With as many components as columns, it still does. Pre-images are
        fixed points for "rbf"; for other kernels ridge regression with alpha, as of
        fit_inverse_transform. Not for given kernel values, sparse samples, and solvers over
        features."""
        check_is_fitted(self, "eigenvalues_")
        X = for_module(validate_data(self, X, dtype=self.eigenvalues_.dtype, reset=False))
        error = self._model.preimage_error(X, threads_of(self.n_jobs))
        if error is None:
            found = self._ridge_preimages(self.transform(X))
            error = ((X - found) ** 2).sum(axis=1, dtype=np.float64).mean()
        return -float(error)

    def save(self, path: Union[str, os.PathLike]) -> None:
        """Writes the components to a file that mercer.load(), the program kpca and C++ read. It is
        complete or not there.

        The file has no zero eigenvalues, and nothing of fit_inverse_transform. pickle keeps both."""
        check_is_fitted(self, "eigenvalues_")
        if self._callable is not None:
            raise ValueError("save: a callable kernel has no place in the file")
        self._model.save(os.fspath(path))

    @property
    def X_fit_(self) -> Union[np.ndarray, scipy.sparse.csr_matrix]:
        check_is_fitted(self, "eigenvalues_")
        if self._callable is not None:
            return self._X_fit
        points = self._model.points
        if points is None:
            raise AttributeError("a model over features has no X_fit_")
        if isinstance(points, tuple):
            arrays, shape = points
            return scipy.sparse.csr_matrix(arrays, shape=shape, copy=False)
        return points

    @property
    def eigenvectors_(self) -> np.ndarray:
        check_is_fitted(self, "eigenvalues_")
        scores = self._model.training_scores
        if scores is None:
            scores = self._feature_scores
        if scores is None:
            raise AttributeError("a model over features that was read from a file has no eigenvectors_")
        found = self.eigenvalues_[: scores.shape[1]]
        return self._padded(scores / np.sqrt(found))

    @property
    def explained_variance_ratio_(self) -> np.ndarray:
        check_is_fitted(self, "eigenvalues_")
        return shares_of_trace(self.eigenvalues_, self.report_)

    # ------------------------------------------------------------------------------------------

    def _fit(self, X, sample_weight):
        """Returns the samples as they were taken. After an error, the model is that of before."""
        with features_of_before(self):
            return self._fit_anew(X, sample_weight)

    def _fit_anew(self, X, sample_weight):
        self._check_parameters()
        if self.fit_inverse_transform and is_precomputed(self.kernel):
            raise ValueError("Cannot fit_inverse_transform with a precomputed kernel.")
        X = for_module(validate_data(self, X, accept_sparse="csr", dtype=REAL))
        if self.fit_inverse_transform and scipy.sparse.issparse(X):
            raise NotImplementedError("fit_inverse_transform takes no sparse samples")
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        seed = seed_of(self.random_state)
        function = (self.kernel, dict(self.kernel_params or {})) if callable(self.kernel) else None
        kernel, samples = self._kernel_on(X, seed, function, sample_weight)
        requested = requested_components(self.n_components)
        if isinstance(requested, int):
            requested = min(requested, X.shape[0])
        solver = choose_solver(self.eigen_solver, params=self.solver_params, dtype=X.dtype,
                               tol=self.tol, max_iter=self.max_iter)
        model = _mercer.fit_pca(for_module(samples), {
            "kernel": kernel,
            "solver": solver,
            "components": requested,
            "weights": sample_weight,
            "centered": self.center,
            "memory_budget": budget_of(self.memory_budget),
            "max_iterations": number("max_iter", self.max_iter, numbers.Integral, none=True),
            "seed": seed,
            "threads": threads_of(self.n_jobs),
            "callback": callback_of(self.progress),
        })
        report = model.report
        self._require_not_negative(report, requested)
        if report["status"] == "not converged":
            largest = model.eigenvalues[0] if len(model.eigenvalues) else 0
            warn_not_converged("the components", report, solver, (largest, "mu_1"),
                               "raise max_iter or tol")
        before = dict(self.__dict__)
        try:
            self._take(model, report, X, requested, function, kernel)
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
        return X

    def _check_parameters(self):
        """Throws for values that no other check looks at."""
        for name in ("fit_inverse_transform", "remove_zero_eig", "copy_X", "center"):
            flag(name, getattr(self, name))
        if not number("alpha", self.alpha) >= 0:
            raise ValueError(f"alpha must not be negative, got {self.alpha!r}")
        power = self.iterated_power
        if power != "auto" and number("iterated_power", power, numbers.Integral) < 0:
            raise ValueError(f'iterated_power must be "auto" or at least 0, got {power!r}')
        threads_of(self.n_jobs)  # before joblib takes it, for a callable

    def _take(self, model, report, X, requested, function, kernel):
        """Sets the attributes of a fit that has succeeded."""
        self._set_model(model, report, function, kernel, X.shape[1])
        if function:
            self._X_fit = X.copy() if self.copy_X else X[:]
            if not scipy.sparse.issparse(X):
                self._X_fit.flags.writeable = False
        if model.training_scores is None:
            self._feature_scores = model.transform(for_module(X), threads_of(self.n_jobs))
        for name in ("dual_coef_", "X_transformed_fit_"):  # of an earlier fit
            self.__dict__.pop(name, None)
        if self.fit_inverse_transform:
            scores = self._training_scores(X)
            self.dual_coef_ = self._ridge(scores, X)
            self.X_transformed_fit_ = scores

    def _set_model(self, model, report, function, kernel, dimension):
        """Sets the attributes that need no samples."""
        self._model = model
        self.report_ = report
        self.gamma_ = self._gamma_of(kernel[1], dimension)
        self._callable = function
        self._X_fit = None
        found = model.eigenvalues
        # Components that a solver did not look for, or shrank away, are not zero.
        zeros = report["zero_eigenvalues"]
        if self.remove_zero_eig or report["status"] == "cancelled":
            zeros = 0
        self.eigenvalues_ = np.concatenate([found, np.zeros(zeros, found.dtype)])
        self._feature_scores = None

    def _gamma_of(self, settings, dimension):
        """The gamma that the kernel took; the default where it has none."""
        if "gamma" in settings:
            return settings["gamma"]
        if "sigma" in settings:
            return 1 / (2 * settings["sigma"] ** 2)
        return 1 / dimension if self.gamma is None else self.gamma

    def _kernel_on(self, X, seed, function, weights):
        """The name and settings of the kernel, and what it is evaluated on."""
        if function is not None:
            return ("precomputed", {}), self._values(function, X)
        params = {} if is_precomputed(self.kernel) else self.kernel_params
        return choose_kernel(self.kernel, X, gamma=self.gamma, degree=self.degree,
                             coef0=self.coef0, params=params, seed=seed,
                             threads=threads_of(self.n_jobs), weights=weights), X

    def _evaluate(self, X, Y=None):
        """The values of the callable kernel of the fit."""
        return self._values(self._callable, X, Y)

    def _values(self, function, X, Y=None):
        kernel, params = function
        values = pairwise_kernels(X, Y, metric=kernel, filter_params=True, n_jobs=self.n_jobs, **params)
        values = np.asarray(values, dtype=X.dtype)
        bad = np.argwhere(~np.isfinite(values))
        if len(bad):
            i, j = bad[0]
            of = f"samples {i} and {j}" if Y is None else f"sample {i} and training sample {j}"
            raise ValueError(f"the kernel has the value {values[i, j]} for {of}, counted from 0")
        return values

    @staticmethod
    def _require_not_negative(report, requested):
        """Throws if an eigenvalue that was asked for is negative, and more than rounding."""
        negative, components = report["negative_eigenvalues"], report["components"]
        if negative == 0 or (requested is not None and
                             (not isinstance(requested, numbers.Integral) or
                              components == requested)):
            return
        if report["solver"] == "exact" and requested is not None:
            if requested <= report["samples"] - negative:  # the others are zero
                return
        raise ValueError(
            f"There are significant negative eigenvalues, the least of them "
            f"{report['most_negative_eigenvalue']}, and only {components} positive ones. The "
            f"kernel {report['kernel']} is not positive semidefinite; take fewer components")

    def _training_scores(self, X):
        scores = self._model.training_scores
        return self._padded(self._feature_scores if scores is None else scores)

    def _ridge_preimages(self, scores):
        """As inverse_transform(), without what a fit has made for it."""
        if self._callable is None and self.report_["kernel"] == "precomputed":
            raise ValueError("score needs samples, not kernel values")
        if self._callable is None and self._model.points is None:
            raise ValueError("score needs a solver that expands components over samples")
        points = self.X_fit_
        if scipy.sparse.issparse(points):
            raise ValueError("score takes no sparse samples")
        known = self.transform(points)
        return self._score_kernel(scores, known) @ self._ridge(known, points)

    def _ridge(self, scores, X):
        """The coefficients of the ridge regression of samples on their scores."""
        system = self._score_kernel(scores)
        system.flat[:: len(scores) + 1] += self.alpha
        return scipy.linalg.solve(system, X, assume_a="pos", overwrite_a=True)

    def _score_kernel(self, X, Y=None):
        """Values of the kernel on scores."""
        if self._callable is not None:
            return self._evaluate(X, Y)
        return self._model.kernel_values(X, X if Y is None else Y, threads_of(self.n_jobs))

    def _padded(self, columns):
        """With zero columns for the eigenvalues that are zero."""
        zeros = len(self.eigenvalues_) - columns.shape[1]
        return np.pad(columns, ((0, 0), (0, zeros))) if zeros > 0 else columns

    @property
    def _n_features_out(self):
        return len(self.eigenvalues_)

    def _more_tags(self):
        # The largest score of a component is positive, and the first of equal ones decides. The check shuffles
        # samples that lie symmetrically, so that it compares components with their negatives.
        return {"preserves_dtype": [np.float64, np.float32], "pairwise": self._is_pairwise(),
                "_xfail_checks": {"check_sample_weights_invariance":
                                  "signs of components of symmetric samples depend on their order"}}

    def __sklearn_tags__(self):  # scikit-learn 1.6 and later
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.input_tags.pairwise = self._is_pairwise()
        tags.input_tags.sparse = True
        return tags

    def _is_pairwise(self):
        return is_precomputed(self.kernel)


def load(path: Union[str, os.PathLike]) -> KernelPCA:
    """The model in a file of KernelPCA.save(), of the program kpca (--save), or of C++.

    Its parameters are those that the file tells: the kernel with its own, the number of components,
    the solver and center."""
    with open(path, "rb") as file:
        model = _mercer.load_pca(file.read(), os.fspath(path))
    report = model.report
    kernel, settings = model.kernel
    known = _mercer.solver_name(report["solver"])
    loaded = KernelPCA(report["components"] or None, kernel=kernel, kernel_params=settings or None,
                       eigen_solver=known or "auto", center=model.centered, remove_zero_eig=True)
    loaded.n_features_in_ = report["dimension"]
    loaded._set_model(model, report, None, (kernel, settings), report["dimension"])
    return loaded
