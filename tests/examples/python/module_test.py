#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Tests of the Python module, beside those of scikit-learn."""

import contextlib
import copy
import inspect
import io
import multiprocessing
import os
import pathlib
import pickle
import signal
import tempfile
import threading
import time
import tracemalloc
import unittest
import warnings

import numpy as np
import scipy.sparse
import sklearn.decomposition
from sklearn.datasets import load_iris, make_circles
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils.estimator_checks import check_estimator

import mercer
from mercer import (IncrementalKernelPCA, KernelCCA, KernelFeatures, KernelICA, KernelPCA, KernelSIR,
                    KernelSVD)

SKLEARN = sklearn.decomposition.KernelPCA
DIGITS = 1e-8  # two exact eigensolvers in double precision, of well separated eigenvalues
SINGLE = 1e-3  # the same in single precision


def samples(n=60, d=4, seed=3):
    return np.random.default_rng(seed).normal(size=(n, d))


def mercer_settings(text):
    """The parameters in what a report says of a kernel: "matern(nu=1.5, length=2)"."""
    return {name: float(value) for name, _, value in
            (part.partition("=") for part in text.partition("(")[2].rstrip(")").split(", "))}


def close(a, b, tolerance=DIGITS):
    np.testing.assert_allclose(a, b, rtol=0, atol=tolerance * max(1, np.abs(b).max(initial=0)))


class Numbers(unittest.TestCase):
    """The same numbers as scikit-learn's dense solver."""

    KERNELS = [dict(kernel="linear"), dict(kernel="rbf"), dict(kernel="rbf", gamma=0.7),
               dict(kernel="poly", gamma=0.3, degree=2, coef0=0.5),
               dict(kernel="sigmoid", gamma=0.01, coef0=0.2), dict(kernel="cosine")]

    def test_scores_values_and_vectors(self):
        X, Q = samples(), samples(7, seed=4)
        for kernel in self.KERNELS:
            for solver in ("dense", "auto", "arpack", "randomized"):
                with self.subTest(kernel=kernel, solver=solver):
                    ours = KernelPCA(3, eigen_solver=solver, tol=1e-12, **kernel).fit(X)
                    theirs = SKLEARN(3, eigen_solver="dense", **kernel).fit(X)
                    close(ours.eigenvalues_, theirs.eigenvalues_)
                    close(np.abs(ours.eigenvectors_), np.abs(theirs.eigenvectors_))
                    close(np.abs(ours.transform(Q)), np.abs(theirs.transform(Q)))
                    close(np.abs(ours.fit_transform(X)), np.abs(theirs.fit_transform(X)))

    def test_all_components(self):
        X = samples(20, 3)
        ours, theirs = KernelPCA(kernel="linear").fit(X), SKLEARN(kernel="linear").fit(X)
        self.assertEqual(ours.eigenvalues_.shape, (3,))
        close(ours.eigenvalues_, theirs.eigenvalues_)
        close(ours.explained_variance_ratio_.sum(), 1)
        self.assertEqual(KernelPCA(3, kernel="rbf").fit(X).transform(X).shape, (20, 3))
        half = KernelPCA(0.5, kernel="rbf").fit(X)
        ratio = half.explained_variance_ratio_
        self.assertTrue(ratio.sum() >= 0.5 > ratio[:-1].sum())

    def test_inverse_transform(self):
        X = samples()
        options = dict(kernel="rbf", gamma=0.4, alpha=0.1, fit_inverse_transform=True)
        ours, theirs = KernelPCA(4, **options).fit(X), SKLEARN(4, **options).fit(X)
        signs = np.sign((ours.X_transformed_fit_ * theirs.X_transformed_fit_).sum(axis=0))
        close(ours.dual_coef_, theirs.dual_coef_)
        close(ours.inverse_transform(ours.transform(X)),
              theirs.inverse_transform(theirs.transform(X)))
        close(ours.X_transformed_fit_ * signs, theirs.X_transformed_fit_)
        with self.assertRaises(NotFittedError):
            KernelPCA(2).fit(X).inverse_transform(X[:, :2])

    def test_precomputed_and_callable(self):
        X, Q = samples(), samples(5, seed=9)
        direct = KernelPCA(3, kernel="rbf", gamma=0.2).fit(X)
        gram = sklearn.metrics.pairwise.rbf_kernel
        given = KernelPCA(3, kernel="precomputed").fit(gram(X, gamma=0.2))
        called = KernelPCA(3, kernel=lambda x, y, width: np.exp(-((x - y) ** 2).sum() * width),
                           kernel_params={"width": 0.2}).fit(X)
        close(np.abs(given.transform(gram(Q, X, gamma=0.2))), np.abs(direct.transform(Q)))
        close(np.abs(called.transform(Q)), np.abs(direct.transform(Q)))
        np.testing.assert_array_equal(called.X_fit_, X)
        self.assertFalse(called.X_fit_.flags.writeable)

    def test_no_variance(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = KernelPCA(2).fit(np.ones((5, 3)))
            np.testing.assert_array_equal(model.explained_variance_ratio_, [0, 0])

    def test_not_centred(self):
        X = samples()
        values = np.linalg.eigvalsh(X @ X.T)[::-1][:4]
        close(KernelPCA(4, center=False).fit(X).eigenvalues_, values)

    def test_zero_eigenvalues_are_kept_or_not(self):
        X = samples(10, 2)
        kept, removed = KernelPCA(4).fit(X), KernelPCA(4, remove_zero_eig=True).fit(X)
        self.assertEqual(kept.transform(X).shape, (10, 4))
        self.assertEqual(removed.transform(X).shape, (10, 2))
        np.testing.assert_array_equal(kept.eigenvalues_[2:], 0)
        np.testing.assert_array_equal(kept.transform(X)[:, 2:], 0)

    def test_what_was_not_searched_for_is_not_zero(self):
        X = samples(600, 8)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = KernelPCA(100, kernel="rbf", eigen_solver="arpack", max_iter=1).fit(X)
        self.assertEqual(model.report_["status"], "not converged")
        self.assertLess(len(model.eigenvalues_), 100)
        self.assertEqual(model.transform(X).shape[1], len(model.eigenvalues_))
        self.assertGreater(model.eigenvalues_.min(), 0)


class Samples(unittest.TestCase):
    """What goes in and what comes out."""

    def test_single_precision_stays(self):
        X = samples().astype(np.float32)
        ours = KernelPCA(3, kernel="rbf", fit_inverse_transform=True).fit(X)
        for found in (ours.eigenvalues_, ours.eigenvectors_, ours.X_fit_, ours.dual_coef_,
                      ours.transform(X), ours.transform(X.astype(np.float64)),
                      ours.fit_transform(X), ours.inverse_transform(ours.transform(X))):
            self.assertEqual(found.dtype, np.float32)
        double = KernelPCA(3, kernel="rbf").fit(X.astype(np.float64))
        self.assertEqual(double.eigenvalues_.dtype, np.float64)
        close(ours.eigenvalues_, double.eigenvalues_, SINGLE)

    def test_sparse(self):
        X = scipy.sparse.random(50, 12, 0.3, format="csr", random_state=5)
        for scalar in (np.float64, np.float32):
            sparse = KernelPCA(3, kernel="rbf").fit(X.astype(scalar))
            dense = KernelPCA(3, kernel="rbf").fit(X.toarray().astype(scalar))
            tolerance = DIGITS if scalar is np.float64 else SINGLE
            close(sparse.eigenvalues_, dense.eigenvalues_, tolerance)
            close(sparse.transform(X.toarray()), sparse.transform(X), tolerance)
            close(np.abs(sparse.transform(X)), np.abs(dense.transform(X)), tolerance)
            self.assertEqual(sparse.X_fit_.dtype, scalar)
            self.assertEqual((sparse.X_fit_ != X.astype(scalar)).nnz, 0)
        unsorted = X.copy()
        unsorted.indices, unsorted.data = unsorted.indices[::-1].copy(), unsorted.data[::-1].copy()
        unsorted.indptr = (X.nnz - X.indptr[::-1]).astype(np.int32)
        unsorted.has_sorted_indices = unsorted.has_canonical_format = False
        before = unsorted.indices.copy()
        close(KernelPCA(3, kernel="rbf").fit(unsorted).eigenvalues_,
              KernelPCA(3, kernel="rbf").fit(X).eigenvalues_)
        np.testing.assert_array_equal(unsorted.indices, before)  # what is given is not changed

    def test_damaged_sparse_samples_are_refused(self):
        X = scipy.sparse.random(20, 6, 0.4, format="csr", random_state=5)
        X.indices[0] = 77  # scikit-learn looks at values only
        X.has_sorted_indices = X.has_canonical_format = True
        with self.assertRaisesRegex(ValueError, "out of range"):
            KernelPCA(2).fit(X)

    def test_any_strides(self):
        X = samples(40, 6)
        expected = KernelPCA(2, kernel="rbf").fit_transform(X)
        wide = np.zeros((80, 13))
        wide[::2, 1::2] = X
        for same in (np.asfortranarray(X), wide[::2, 1::2], X[::-1][::-1], np.flip(np.flip(X))):
            np.testing.assert_array_equal(KernelPCA(2, kernel="rbf").fit_transform(same), expected)
        backwards = X[::-1]
        close(KernelPCA(2, kernel="rbf").fit(X).transform(backwards), expected[::-1])

    def test_any_form_with_a_kernel_that_has_a_length(self):
        X = samples()
        X[np.abs(X) < 0.5] = 0
        whole = KernelPCA(2, kernel="matern").fit(X)
        csr = scipy.sparse.csr_matrix(X)
        wide = scipy.sparse.csr_matrix((csr.data, csr.indices.astype(np.int64), csr.indptr.astype(np.int64)))
        for form in (np.ascontiguousarray(X[::-1])[::-1], np.asfortranarray(X), csr, csr.tocsc(), wide):
            close(np.abs(KernelPCA(2, kernel="matern").fit(form).transform(X)), np.abs(whole.transform(X)))
        model = KernelPCA(2, fit_inverse_transform=True).fit(X)
        scores = model.transform(X)
        close(model.inverse_transform(scores[::-1])[::-1], model.inverse_transform(scores))

    def test_callable_in_single_precision(self):
        X = samples().astype(np.float32)
        model = KernelPCA(2, kernel=lambda a, b: a @ b, fit_inverse_transform=True).fit(X)
        self.assertEqual(model.transform(X).dtype, np.float32)
        self.assertEqual(model.dual_coef_.dtype, np.float32)
        close(np.abs(model.transform(X)), np.abs(KernelPCA(2).fit_transform(X)), SINGLE)

    def test_arrays_are_read_where_they_are(self):
        # NumPy tells tracemalloc what it takes. The model's own samples are not from there.
        X = samples(20000, 50)
        model = KernelPCA(2, kernel="rbf", eigen_solver="nystrom",
                          solver_params={"landmarks": 20})
        streamed = KernelPCA(2, kernel="rbf", eigen_solver="features")
        for fitted in (model, streamed):
            fitted.fit(X[:500])
            tracemalloc.start()
            fitted.fit(X)
            fitted.transform(X)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            self.assertLess(peak, X.nbytes / 4)

    def test_points_are_views(self):
        X = samples()
        model = KernelPCA(2).fit(X)
        points = model.X_fit_
        self.assertFalse(points.flags.owndata or points.flags.writeable)
        X[:] = 0
        del model  # the view keeps the samples alive
        np.testing.assert_array_equal(points, samples())
        landmarks = KernelPCA(2, kernel="rbf", eigen_solver="nystrom",
                              solver_params={"landmarks": 10}).fit(samples())
        self.assertEqual(landmarks.X_fit_.shape, (10, 4))
        self.assertEqual(landmarks.eigenvectors_.shape, (60, 2))

    def test_mistakes(self):
        X = samples()
        for options, message in [
                (dict(n_components=0), "n_components"), (dict(n_components=1.5), "n_components"),
                (dict(kernel="rfb"), "kernel must be one of .*rbf.*got 'rfb'; did you mean rbf"),
                (dict(kernel="rbf", gamma=-1.0), "gamma must be a number greater than 0, got -1"),
                (dict(kernel="matern", kernel_params={"mu": 2}), "mu is not known; there is nu"),
                (dict(eigen_solver="lapack"), "eigen_solver must be one of"),
                (dict(eigen_solver="nystrom", solver_params={"landmarks": 61}), "at most the num"),
                (dict(tol=-1), "tol"), (dict(tol=float("nan")), "tol"), (dict(max_iter=0), "max_iter"),
                (dict(fit_inverse_transform=True, alpha=-1), "alpha"), (dict(memory_budget=0), "memory_budget"),
                (dict(kernel="rbf", gamma=1.0, kernel_params={"sigma": 2}), "gamma: kernel_params"),
                (dict(kernel="rbf", gamma=1.0, kernel_params={"gamma": 2}), "gamma: kernel_params"),
                (dict(kernel="rbf", eigen_solver="features",
                      solver_params={"map": "nystrom", "features": 61}), "61 landmarks are more than the 60"),
                (dict(progress=3), "progress"), (dict(n_jobs=0), "n_jobs"),
                (dict(n_jobs=10**6), "n_jobs must be at most"), (dict(n_jobs=2**40), "n_jobs must be at most"),
                (dict(kernel=lambda a, b: a @ b, n_jobs=10**6), "n_jobs must be at most"),
                (dict(fit_inverse_transform="no"), "fit_inverse_transform must be True or False"),
                (dict(copy_X="foo"), "copy_X"), (dict(center="no"), "center"),
                (dict(remove_zero_eig=None), "remove_zero_eig"), (dict(iterated_power="foo"), "iterated_power"),
                (dict(iterated_power=-1), "iterated_power"), (dict(alpha=float("inf")), "alpha"),
                (dict(random_state=2**70), "random_state"), (dict(max_iter=2**70), "max_iter"),
                (dict(eigen_solver="nystrom", solver_params={"landmarks": 2**70}), "landmarks"),
                (dict(kernel="poly", kernel_params={"degree": 2**70}), "degree"),
                *((dict(memory_budget=budget), "memory_budget")
                  for budget in (2**70, float("inf"), float("nan"))),
                (dict(kernel="additive-chi-square"), "negative")]:
            with self.subTest(options), self.assertRaisesRegex(ValueError, message):
                KernelPCA(**options).fit(X)
        with self.assertRaisesRegex(ValueError, "NaN|nan"):
            KernelPCA().fit(np.where(X > 2, np.nan, X))
        with self.assertRaisesRegex(ValueError, "symmetric"):
            KernelPCA(kernel="precomputed").fit(np.arange(16.0).reshape(4, 4))


    def test_values_of_a_callable_that_are_no_numbers(self):
        X = samples()
        kernel = lambda a, b: np.nan if a[0] * b[0] == X[2, 0] * X[5, 0] else a @ b
        with self.assertRaisesRegex(ValueError, "the kernel has the value nan for samples 2 and 5"):
            KernelPCA(2, kernel=kernel).fit(X)
        model = KernelPCA(2, kernel=lambda a, b: np.inf if a[0] == 7 else a @ b).fit(X)
        X[3, 0] = 7
        with self.assertRaisesRegex(ValueError, "the value inf for sample 3 and training sample 0"):
            model.transform(X)


class Choices(unittest.TestCase):
    """Names of scikit-learn, and ours."""

    def test_aliases(self):
        X = np.abs(samples())
        for table, parameter in ((mercer.kernels(), "kernel"), (mercer.solvers(), "eigen_solver")):
            for entry in table:
                for alias in entry["aliases"]:
                    if alias in ("gram", "tanh"):
                        continue
                    with self.subTest(alias):
                        scores = [KernelPCA(2, **{parameter: name}).fit_transform(X)
                                  for name in (entry["name"], alias, alias.upper().replace("-", "_"))]
                        tolerance = 1e-5 if alias == "arpack" else DIGITS  # it has a tolerance of its own
                        close(scores[0], scores[1], tolerance)
                        close(scores[1], scores[2])
        given = KernelPCA(2, kernel="gram")
        self.assertTrue(given._more_tags()["pairwise"])
        close(given.fit(X @ X.T).eigenvalues_, KernelPCA(2).fit(X).eigenvalues_)

    def test_single_precision_converges_by_all_names(self):
        X = samples(400, 6).astype(np.float32)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for name in ("auto", "dense", "arpack", "randomized"):
                with self.subTest(name):
                    model = KernelPCA(3, kernel="rbf", eigen_solver=name).fit(X)
                    self.assertEqual(model.report_["status"], "converged")
                    KernelSIR(2, eigen_solver=name, rank=20).fit(X, X[:, 0])

    def test_numbers_of_a_wrong_type(self):
        X = samples()
        for parameter in (dict(gamma=np.array(0.7)), dict(kernel="poly", coef0=np.array(0.7)), dict(tol="a"),
                          dict(max_iter=10.5), dict(n_jobs=2.0), dict(tol=None), dict(memory_budget="1G"),
                          dict(alpha="a", fit_inverse_transform=True)):
            name = [name for name in parameter if name not in ("kernel", "fit_inverse_transform")][0]
            with self.subTest(parameter=parameter), self.assertRaisesRegex(ValueError, name):
                KernelPCA(2, **{"kernel": "rbf", **parameter}).fit(X)
        # An array of one number is not cut to a whole one.
        for parameter in (dict(kernel="matern", kernel_params={"length": np.array(2.5)}),
                          dict(eigen_solver="spgd", solver_params={"lambda": np.array([0.5])})):
            name = list(parameter[list(parameter)[-1]])[0]
            with self.subTest(parameter=parameter), self.assertRaisesRegex(ValueError, name):
                KernelPCA(2, **{"kernel": "rbf", **parameter}).fit(X)
        for estimator, name in ((KernelCCA(regularization="auto"), "regularization"),
                                (KernelCCA(rank=np.array(0.5)), "rank"), (KernelSIR(n_slices=10.0), "n_slices")):
            with self.subTest(name=name), self.assertRaisesRegex(ValueError, name):
                estimator.fit(X, X[:, 0])

    def test_state_after_parameters_change_and_after_errors(self):
        X = samples()
        model = KernelPCA(2).fit(X)
        before = model.transform(X)
        model.set_params(kernel=lambda a, b: 0.0, fit_inverse_transform=True)
        close(model.transform(X), before)
        np.testing.assert_array_equal(model.X_fit_, X)
        with self.assertRaises(NotFittedError):
            model.inverse_transform(before)
        model.set_params(kernel="poly", coef0=-1, fit_inverse_transform=False)
        with self.assertRaises(ValueError):
            model.fit(samples(20, 8))
        self.assertEqual(model.n_features_in_, 4)
        close(model.transform(X), before)
        failing = KernelPCA(2, eigen_solver="features", kernel="rbf", fit_inverse_transform=True)
        with self.assertRaises(ValueError):
            failing.fit(X)
        with self.assertRaises(NotFittedError):
            failing.transform(X)

    def test_parameters_of_scikit_learn(self):
        def parameters(kind):
            return {name: p.default for name, p in inspect.signature(kind).parameters.items()}
        ours, theirs = parameters(KernelPCA), parameters(SKLEARN)
        self.assertEqual({name: ours[name] for name in theirs}, theirs)
        ours = set(vars(KernelPCA().fit(samples()))) | set(dir(KernelPCA))
        theirs = {name for name in vars(SKLEARN().fit(samples())) if not name.startswith("_")}
        self.assertLessEqual(theirs, ours)

    def test_solvers(self):
        X = samples(300)
        exact = KernelPCA(2, kernel="rbf", gamma=0.05, eigen_solver="dense").fit(X)
        self.assertEqual(exact.report_["solver"], "exact")
        names = {"arpack": "lanczos", "randomized": "block-krylov"}
        for name, solver in names.items():
            model = KernelPCA(2, kernel="rbf", gamma=0.05, eigen_solver=name).fit(X)
            self.assertEqual(model.report_["solver"], solver)
        approximate = {"nystrom": {"landmarks": 100}, "features": {"features": 2000},
                       "doubly-stochastic": {"features": 1024}, "spgd": {}, "dual": {},
                       "kernel-hebbian": {"epochs": 100}}
        for name, params in approximate.items():
            with self.subTest(name):
                model = KernelPCA(2, kernel="rbf", gamma=0.05, eigen_solver=name,
                                  solver_params=params, random_state=1).fit(X)
                # A tenth: random features and stochastic steps are that close in these fits.
                close(model.eigenvalues_, exact.eigenvalues_, 0.1)
                self.assertEqual(model.eigenvectors_.shape, (300, 2))
                again = pickle.loads(pickle.dumps(model))
                np.testing.assert_array_equal(again.transform(X), model.transform(X))
        self.assertEqual([s["name"] for s in mercer.solvers()][0], "auto")
        over_landmarks = KernelPCA(2, kernel="rbf", gamma=0.05, eigen_solver="features",
                                   solver_params={"map": "nystrom", "features": 100}).fit(X)
        close(over_landmarks.eigenvalues_, exact.eigenvalues_, 0.01)  # 100 of 300 samples lose little

    def test_kernels(self):
        X = np.abs(samples(30))
        for entry in mercer.kernels():
            if entry["name"] in ("precomputed", "sigmoid"):
                continue
            if entry["name"] == "inverse-dot":  # of samples inside the unit ball
                X = X / (2 * np.linalg.norm(X, axis=1).max())
            with self.subTest(entry["name"]):
                scores = KernelPCA(2, kernel=entry["name"]).fit_transform(X)
                self.assertTrue(np.isfinite(scores).all())
        report = KernelPCA(2, kernel="matern", kernel_params={"nu": 2.5, "length": 2}).fit(X).report_
        self.assertEqual(report["kernel"], "matern(nu=2.5, length=2)")

    def test_gamma_that_was_taken(self):
        X = samples()
        for options, gamma in ((dict(), 1 / 4), (dict(gamma=0.7), 0.7), (dict(kernel="matern"), 1 / 4),
                               (dict(kernel_params={"gamma": 0.5}), 0.5), (dict(kernel_params={"sigma": 2}), 1 / 8)):
            with self.subTest(options):
                self.assertEqual(KernelPCA(2, **{"kernel": "rbf", **options}).fit(X).gamma_, gamma)

    def test_seeds_and_threads(self):
        X = samples(400)
        options = dict(kernel="rbf", eigen_solver="nystrom", solver_params={"landmarks": 20})
        def scores(**more):
            return KernelPCA(2, **options, **more).fit_transform(X)
        np.testing.assert_array_equal(scores(), scores())
        np.testing.assert_array_equal(scores(random_state=5, n_jobs=1),
                                      scores(random_state=5, n_jobs=-1))
        self.assertFalse(np.array_equal(scores(random_state=5), scores(random_state=6)))
        np.testing.assert_array_equal(scores(random_state=np.random.RandomState(2)),
                                      scores(random_state=np.random.RandomState(2)))

    def test_limits(self):
        X = samples(600, 20)
        with self.assertWarnsRegex(ConvergenceWarning, "not converged: the largest residual is .* mu_1 after "
                                   "1 steps, the tolerance is 1e-13; raise max_iter or tol") as seen:
            KernelPCA(20, kernel="rbf", eigen_solver="arpack", tol=1e-13, max_iter=1).fit(X)
        self.assertEqual(seen.filename, __file__)
        with self.assertWarnsRegex(ConvergenceWarning, 'take more "landmarks" in solver_params'):
            KernelPCA(0.99, kernel="rbf", eigen_solver="nystrom", solver_params={"landmarks": 21}).fit(X)
        with self.assertRaisesRegex(ValueError, "negative eigenvalues"):
            KernelPCA(kernel="sigmoid", gamma=1, coef0=-2.0).fit(X)


class Runs(unittest.TestCase):
    """Reports, progress, Ctrl-C, pickles."""

    def test_report(self):
        report = KernelPCA(2, kernel="rbf", gamma=0.5).fit(samples()).report_
        self.assertEqual(report["status"], "converged")
        self.assertEqual(report["kernel"], "gaussian(sigma=1)")
        self.assertEqual((report["samples"], report["dimension"], report["components"]), (60, 4, 2))
        self.assertEqual(len(report["residuals"]), 2)
        self.assertIsNone(report["details"])
        self.assertIn("n = 60", report["reason"])

    def test_progress(self):
        calls = []
        options = dict(kernel="rbf", eigen_solver="arpack")
        KernelPCA(2, progress=lambda *call: calls.append(call), **options).fit(samples(600))
        self.assertIn("gram matrix", [phase for phase, done, total in calls])
        stopped = KernelPCA(2, progress=lambda phase, done, total: False, **options)
        stopped.fit(samples(600))
        self.assertEqual(stopped.report_["status"], "cancelled")
        with contextlib.redirect_stderr(io.StringIO()) as printed:
            KernelPCA(2, progress=True, **options).fit(samples(600))
        self.assertIn("\rgram matrix: ", printed.getvalue())
        def fails(*call):
            raise RuntimeError("from the callback")
        with self.assertRaisesRegex(RuntimeError, "from the callback"):
            KernelPCA(2, progress=fails, **options).fit(samples(600))

    def test_landmarks_of_features_are_chosen_in_the_fit(self):
        X = samples(3000)
        options = dict(kernel="rbf", eigen_solver="features",
                       solver_params={"map": "nystrom", "features": 1000})
        phases = []
        def first(phase, done, total):
            phases.append(phase)
            if len(phases) == 1:
                raise RuntimeError("stop")
        with self.assertRaisesRegex(RuntimeError, "stop"):
            KernelPCA(2, progress=first, **options).fit(X)
        self.assertEqual(phases, ["landmarks"])

    @unittest.skipUnless("fork" in multiprocessing.get_all_start_methods(), "there is no fork")
    def test_fork_after_a_fit(self):
        X = samples(2000)
        model = KernelPCA(2, kernel="rbf", n_jobs=4).fit(X)
        def in_child():
            again = KernelPCA(2, kernel="rbf", n_jobs=4).fit(X)
            np.testing.assert_array_equal(again.transform(X), model.transform(X))
        child = multiprocessing.get_context("fork").Process(target=in_child)
        child.start()
        child.join(120)
        if child.is_alive():
            child.kill()
        child.join()
        self.assertEqual(child.exitcode, 0)

    def endless(self):
        return KernelPCA(2, kernel="rbf", eigen_solver="kernel-hebbian",
                         solver_params={"epochs": 10**8})

    def test_ctrl_c(self):
        model = self.endless()
        timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            model.fit(samples(2000))  # no end of its own
        timer.join()
        with self.assertRaises(NotFittedError):
            model.transform(samples())

    def test_other_threads_run(self):
        ticks, go_on = [], [True]
        def stop_later(*_):
            return len(ticks) < 20
        model = self.endless().set_params(progress=stop_later)
        thread = threading.Thread(target=model.fit, args=(samples(2000),))
        thread.start()
        while thread.is_alive():
            ticks.append(time.monotonic())
            time.sleep(0.01)
        thread.join()
        self.assertGreaterEqual(len(ticks), 20)
        self.assertEqual(model.report_["status"], "cancelled")

    def test_pickles(self):
        X, Q = samples(), samples(5, seed=8)
        sparse = scipy.sparse.csr_matrix(np.where(X > 0, X, 0))
        for samples_ in (X, X.astype(np.float32), sparse, sparse.astype(np.float32)):
            for copy_of in (lambda m: pickle.loads(pickle.dumps(m)), copy.deepcopy):
                model = KernelPCA(3, kernel="laplacian", gamma=0.1).fit(samples_) \
                    if not scipy.sparse.issparse(samples_) else KernelPCA(3).fit(samples_)
                again = copy_of(model)
                np.testing.assert_array_equal(again.transform(Q), model.transform(Q))
                np.testing.assert_array_equal(again.eigenvectors_, model.eigenvectors_)
                self.assertEqual(again.report_, model.report_)
                self.assertEqual(again.get_params(), model.get_params())
        constant = KernelPCA().fit(np.ones((4, 2)))
        self.assertEqual(pickle.loads(pickle.dumps(constant)).transform(X[:, :2]).shape, (60, 0))
        with self.assertRaisesRegex(ValueError, "a pickled model"):
            type(KernelPCA().fit(X)._model).__new__(type(KernelPCA().fit(X)._model)).__setstate__(
                b"no archive")


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "a.model"

    def test_models_in_files(self):
        X, Q = np.abs(samples()), np.abs(samples(5, seed=8))
        sparse = scipy.sparse.csr_matrix(np.where(X > 0.5, X, 0))
        for samples_, options in (
                (X, dict(kernel="rbf", gamma=0.3)), (X.astype(np.float32), dict(kernel="matern")),
                (sparse, dict(center=False)), (X, dict(kernel="poly", degree=2, gamma=0.5, coef0=0.25)),
                (X, dict(kernel="reciprocal-semigroup", kernel_params={"scale": 0.7})),
                (X, dict(kernel="chi2")), (X, dict(kernel="rbf", eigen_solver="features", random_state=4)),
                (X, dict(kernel="rbf", eigen_solver="nystrom", solver_params={"landmarks": 20}))):
            with self.subTest(options):
                model = KernelPCA(3, **options).fit(samples_)
                model.save(self.path)
                loaded = mercer.load(self.path)
                np.testing.assert_array_equal(loaded.transform(Q), model.transform(Q))
                np.testing.assert_array_equal(loaded.eigenvalues_, model.eigenvalues_)
                self.assertEqual(loaded.report_, {**model.report_, "phases": []})
                close(loaded.gamma_, model.gamma_)
                self.assertEqual((loaded.n_features_in_, loaded.n_components), (4, 3))
                self.assertEqual(loaded.eigen_solver in ("features", "nystrom"), "eigen_solver" in options)
                again = sklearn.base.clone(loaded).set_params(eigen_solver="dense").fit(samples_)
                self.assertEqual(again.report_["kernel"], model.report_["kernel"])
                pickle.loads(pickle.dumps(loaded)).transform(Q)

    def test_files_that_are_no_models(self):
        X = samples()
        with self.assertRaises(FileNotFoundError):
            mercer.load(self.path)
        with self.assertRaises(OSError):
            KernelPCA(2).fit(X).save(self.path / "b")
        self.path.write_bytes(b"some bytes")
        with self.assertRaisesRegex(ValueError, "a.model: is not an archive"):
            mercer.load(self.path)
        with self.assertRaisesRegex(ValueError, "callable"):
            KernelPCA(2, kernel=lambda a, b: a @ b).fit(X).save(self.path)
        with self.assertRaises(NotFittedError):
            KernelPCA(2).save(self.path)
        features = KernelPCA(2, kernel="rbf", eigen_solver="features").fit(X)
        features.save(self.path)
        with self.assertRaisesRegex(AttributeError, "no eigenvectors_"):
            mercer.load(self.path).eigenvectors_


class Scores(unittest.TestCase):
    """The error of pre-images of samples that were held out."""

    def test_it_is_the_mean_squared_distance(self):
        X, Q = samples(), samples(9, seed=6)
        options = dict(kernel="poly", degree=2, alpha=0.3)
        model = KernelPCA(4, fit_inverse_transform=True, **options).fit(X)
        distances = ((model.inverse_transform(model.transform(Q)) - Q) ** 2).sum(axis=1)
        close(KernelPCA(4, **options).fit(X).score(Q), -distances.mean())
        called = KernelPCA(4, kernel=lambda a, b: (a @ b / 4 + 1) ** 2, alpha=0.3).fit(X)
        close(called.score(Q), -distances.mean())
        linear = KernelPCA(2, alpha=1e-8).fit(X - X.mean(axis=0))
        axes = np.linalg.svd(X - X.mean(axis=0))[2][2:]
        close(linear.score(Q - X.mean(axis=0)), -(((Q - X.mean(axis=0)) @ axes.T) ** 2).sum(axis=1).mean(), 1e-6)

    def test_a_grid_finds_the_width(self):
        from sklearn.model_selection import GridSearchCV
        rng = np.random.default_rng(0)
        t = rng.uniform(-1, 1, 200)
        X = np.column_stack([t, t**2]) + 0.02 * rng.normal(size=(200, 2))  # a curve in the plane
        for scalar in (np.float64, np.float32):
            search = GridSearchCV(KernelPCA(1, kernel="rbf"), {"gamma": [1e-4, 0.1, 5e3]}, cv=3).fit(X.astype(scalar))
            self.assertEqual(search.best_params_, {"gamma": 0.1})
            self.assertTrue(np.isfinite(search.cv_results_["mean_test_score"]).all())

    def test_what_has_no_score(self):
        X = samples()
        sparse = scipy.sparse.csr_matrix(X)
        for model, data, message in (
                (KernelPCA(2, kernel="precomputed"), X @ X.T, "not kernel values"),
                (KernelPCA(2, kernel="rbf", eigen_solver="features"), X, "over samples")):
            with self.subTest(message), self.assertRaisesRegex(ValueError, message):
                model.fit(data).score(data)
        with self.assertRaisesRegex(ValueError, "no sparse samples"):
            KernelPCA(2).fit(sparse).score(X)


class FeaturesOfKernels(unittest.TestCase):
    def test_inner_products_are_values_of_the_kernel(self):
        X = np.abs(samples(40)) / 4
        for name, kernel, count, tolerance in (
                # A few standard deviations of the mean of as many draws.
                ("random-fourier", "rbf", 20000, 0.05), ("orthogonal-fourier", "rbf", 8000, 0.05),
                ("exact", "linear", 7, 1e-12), ("tensor-sketch", "poly", 4000, 0.5), (None, "laplacian", 20000, 0.05),
                ("nystrom", "matern", 40, 1e-6), (None, "cosine", 40, 1e-6), ("homogeneous", "additive-chi2", 200, 1e-3)):
            with self.subTest(map=name, kernel=kernel):
                features = KernelFeatures(count, map=name, kernel=kernel, gamma=0.5 if kernel == "rbf" else None)
                Z = features.fit_transform(X)
                self.assertEqual(Z.shape[1], len(features.get_feature_names_out()))
                pca = KernelPCA(1, kernel=kernel, gamma=features.gamma, center=False).fit(X)
                close(Z @ Z.T, pca._model.kernel_values(X, X, 1), tolerance)

    def test_forms_and_pickles(self):
        X = np.abs(samples(70))
        for scalar in (np.float64, np.float32):
            for name in (None, "nystrom"):
                features = KernelFeatures(20, map=name, n_jobs=2, random_state=3).fit(X.astype(scalar))
                Z = features.transform(X)
                self.assertEqual(Z.dtype, scalar)
                np.testing.assert_array_equal(Z, pickle.loads(pickle.dumps(features)).transform(X))
                np.testing.assert_array_equal(Z, features.set_params(n_jobs=1).transform(np.asfortranarray(X)))
        sparse = scipy.sparse.csr_matrix(np.where(X > 1, X, 0))
        for name in (None, "nystrom"):
            Z = KernelFeatures(20, map=name).fit(sparse).transform(sparse)
            close(Z, KernelFeatures(20, map=name).fit_transform(sparse.toarray()))
        self.assertEqual(features.kernel_, "gaussian(sigma=1.4142135623730951)")
        self.assertIn("nystrom", features.map_)
        self.assertEqual(KernelFeatures(500, map="nystrom").fit(X).transform(X).shape[0], 70)

    def test_mistakes(self):
        X = samples()
        for options, message in ((dict(map="fourier"), "map must be one of .*random-fourier"),
                                 (dict(map="exact"), "exact has no features of the kernel gaussian; take random-"),
                                 (dict(n_components=0), "n_components"), (dict(n_components=2.5), "n_components"),
                                 (dict(kernel="precomputed"), "evaluated"), (dict(n_jobs=10**6), "n_jobs"),
                                 (dict(kernel="intersection"), "negative")):
            with self.subTest(options), self.assertRaisesRegex(ValueError, message):
                KernelFeatures(**options).fit(X)
        with self.assertRaisesRegex(ValueError, "negative"):
            KernelFeatures(kernel="intersection").fit(np.abs(X)).transform(X)

    def test_a_linear_model_of_features(self):
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        X, y = make_circles(400, factor=0.3, noise=0.05, random_state=0)
        model = make_pipeline(KernelFeatures(200, gamma=2), LogisticRegression()).fit(X[:200], y[:200])
        self.assertEqual(model.score(X[200:], y[200:]), 1)


class Batches(unittest.TestCase):
    """Samples that come in batches."""

    def test_the_batches_do_not_matter(self):
        X, Q = samples(5000), samples(7, seed=4)
        for scalar, tolerance in ((np.float64, DIGITS), (np.float32, SINGLE)):
            for kernel in (dict(gamma=0.1), dict(kernel="poly", degree=2), dict(kernel="linear", center=False)):
                with self.subTest(kernel=kernel, scalar=scalar):
                    x = X.astype(scalar)
                    whole = IncrementalKernelPCA(3, features=100, **kernel).fit(x)
                    parts = IncrementalKernelPCA(3, features=100, **kernel)
                    for batch in np.array_split(x, (1, 1500, 4000)):
                        parts.partial_fit(batch)
                        parts.transform(batch)
                    model = KernelPCA(3, eigen_solver="features", solver_params={"features": 100},
                                      **{"kernel": "rbf", **kernel}).fit(x)
                    for found in (parts, whole):
                        self.assertEqual((found.n_samples_seen_, found.transform(Q).dtype), (5000, scalar))
                        close(found.eigenvalues_, model.eigenvalues_, tolerance)
                        close(found.transform(Q), model.transform(Q), tolerance)
                        close(found.explained_variance_ratio_, model.explained_variance_ratio_, tolerance)

    def test_linear_is_incremental_pca(self):
        X = samples(400, 6)
        ours = IncrementalKernelPCA(3, kernel="linear")
        theirs = sklearn.decomposition.IncrementalPCA(6)  # with all components, it is exact
        for batch in np.array_split(X, 5):
            ours.partial_fit(batch)
            theirs.partial_fit(batch)
        close(np.abs(ours.transform(X)), np.abs(theirs.transform(X))[:, :3])
        close(ours.explained_variance_ratio_, theirs.explained_variance_ratio_[:3])

    def test_landmarks_are_of_the_first_batch(self):
        X = samples(3000, 2)
        model = IncrementalKernelPCA(3, map="nystrom", features=150, kernel="matern")
        for batch in np.array_split(X, 10):
            model.partial_fit(batch)
        self.assertIn("landmarks=150", model.map_)
        exact = KernelPCA(3, kernel="matern", kernel_params=mercer_settings(model.kernel_)).fit(X)
        # Landmarks of a tenth of the samples lose little of components that are this smooth.
        close(model.eigenvalues_, exact.eigenvalues_, 1e-3)
        close(np.abs(model.transform(X[:20])), np.abs(exact.transform(X[:20])), 1e-2)

    def test_few_samples_have_few_components(self):
        X = samples(30)
        model = IncrementalKernelPCA(5)
        self.assertEqual(model.partial_fit(X[:1]).transform(X).shape, (30, 0))
        self.assertEqual(model.partial_fit(X[1:4]).transform(X).shape, (30, 3))
        self.assertEqual(model.partial_fit(X[4:]).transform(X).shape, (30, 5))
        self.assertEqual(IncrementalKernelPCA(0.5).fit(X).transform(X).shape[0], 30)
        self.assertEqual(IncrementalKernelPCA().fit(X).transform(X).shape, (30, 29))
        constant = IncrementalKernelPCA(2, kernel="linear").fit(np.ones((4, 3)))
        self.assertEqual(constant.explained_variance_ratio_.size, 0)

    def test_sparse_batches(self):
        X = scipy.sparse.random(500, 30, 0.1, "csr", random_state=3)
        for name in (None, "nystrom"):
            sparse = IncrementalKernelPCA(2, map=name).fit(X[:200]).partial_fit(X[200:])
            dense = IncrementalKernelPCA(2, map=name).fit(X[:200].toarray()).partial_fit(X[200:].toarray())
            close(sparse.transform(X), dense.transform(X.toarray()))

    def test_a_batch_counts_as_a_whole_or_not_at_all(self):
        X = np.abs(samples(100))
        model = IncrementalKernelPCA(2, kernel="intersection").partial_fit(X)
        before = model.transform(X)
        bad = np.abs(samples(5000))
        bad[4000] = -1  # in another block of rows than the first ones
        for batch, message in ((bad, "negative"), (bad[:, :3], "3 features"), (bad * np.nan, "NaN")):
            with self.subTest(message), self.assertRaisesRegex(ValueError, message):
                model.partial_fit(batch)
            self.assertEqual((model.n_samples_seen_, model.n_features_in_), (100, 4))
            np.testing.assert_array_equal(model.transform(X), before)
        with self.assertRaises(ValueError):
            model.fit(bad)
        np.testing.assert_array_equal(model.transform(X), before)
        self.assertEqual(model.fit(X[:50]).n_samples_seen_, 50)

    def test_pickles_go_on(self):
        X = samples(300)
        for scalar in (np.float64, np.float32):
            x = X.astype(scalar)
            model = IncrementalKernelPCA(2, gamma=0.1).partial_fit(x[:100])
            again = pickle.loads(pickle.dumps(model))
            np.testing.assert_array_equal(again.transform(x), model.transform(x))
            for one in (model, again):
                one.partial_fit(x[100:])
            np.testing.assert_array_equal(again.transform(x), model.transform(x))
            self.assertEqual(again.n_samples_seen_, 300)

    def test_ctrl_c_adds_nothing(self):
        model = IncrementalKernelPCA(2, features=2000).fit(samples(2500, 10))
        X = np.tile(samples(5000, 10), (40, 1))
        scores = model.transform(X[:9])
        timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            model.partial_fit(X)  # takes many times as long
        timer.join()
        self.assertEqual(model.n_samples_seen_, 2500)
        np.testing.assert_array_equal(model.transform(X[:9]), scores)

    def test_copies_are_apart(self):
        X = samples(300)
        model = IncrementalKernelPCA(2).fit(X[:100])
        other = copy.copy(model)
        model.partial_fit(X[100:])
        np.testing.assert_array_equal(other.transform(X), IncrementalKernelPCA(2).fit(X[:100]).transform(X))
        self.assertEqual((other.n_samples_seen_, model.n_samples_seen_), (100, 300))

    def test_parameters_after_the_first_batch(self):
        X = samples(300)
        model = IncrementalKernelPCA(2, gamma=0.1).fit(X[:100])
        scores = model.transform(X)
        model.set_params(gamma=5.0, n_components=4)
        np.testing.assert_array_equal(model.transform(X), scores)
        close(model.partial_fit(X[100:]).transform(X), IncrementalKernelPCA(4, gamma=0.1).fit(X).transform(X))

    def test_files(self):
        X = samples(300)
        model = IncrementalKernelPCA(2, features=60).fit(X)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.model"
            model.save(path)
            loaded = mercer.load(path)
            with self.assertRaises(OSError):
                model.save(path / "b")
        np.testing.assert_array_equal(loaded.transform(X), model.transform(X))
        self.assertEqual((loaded.eigen_solver, loaded.n_components), ("features", 2))

    def test_mistakes(self):
        X = samples()
        for options, message in (
                (dict(n_components=0), "n_components"), (dict(n_components=1.5), "n_components"),
                (dict(n_components=11, features=10), "at most the 10 features, got 11"),
                (dict(features=0), "features"), (dict(features=2.5), "features"),
                (dict(map="fourier"), "map must be one of .*random-fourier"),
                (dict(map="exact"), "no features of the kernel gaussian"),
                (dict(kernel="precomputed"), "evaluated"), (dict(center="no"), "center"),
                (dict(n_jobs=0), "n_jobs")):
            with self.subTest(options), self.assertRaisesRegex(ValueError, message):
                IncrementalKernelPCA(**options).partial_fit(X)
        for use in (lambda m: m.transform(X), lambda m: m.eigenvalues_, lambda m: m.save("a")):
            with self.assertRaises(NotFittedError):
                use(IncrementalKernelPCA(2))
        self.assertFalse(hasattr(IncrementalKernelPCA(2), "eigenvalues_"))


class TwoViews(unittest.TestCase):
    """Kernel CCA, kernel SVD and kernel SIR."""

    def test_linear_cca(self):
        rng = np.random.default_rng(1)
        shared = rng.normal(size=(400, 1))
        X = np.hstack([shared, rng.normal(size=(400, 2))])
        Y = np.hstack([rng.normal(size=(400, 1)), -2 * shared + rng.normal(size=(400, 1))])
        cca = KernelCCA(2, kernel="linear", regularization=1e-10).fit(X, Y)
        # The correlations are the singular values of the product of orthonormal bases.
        q = [np.linalg.qr(view - view.mean(axis=0))[0] for view in (X, Y)]
        values = np.linalg.svd(q[0].T @ q[1], compute_uv=False)
        close(cca.correlations_, values, 1e-6)  # the ridge takes off about 1e-10 of the variance
        close(np.abs(cca.correlations(X, Y)), values, 1e-6)
        self.assertEqual([s.shape for s in cca.fit_transform(X, Y)], [(400, 2), (400, 2)])
        close(cca.score(X, Y), values.mean(), 1e-6)
        single = KernelCCA(2, kernel="linear").fit(X.astype(np.float32), Y[:, 1])
        self.assertEqual(single.transform(X).dtype, np.float32)
        again = pickle.loads(pickle.dumps(cca))
        np.testing.assert_array_equal(again.transform(X, Y)[1], cca.transform(X, Y)[1])

    def test_cca_is_a_transformer(self):
        X, Y = samples(), samples(seed=5)
        Y[:, 0] = X[:, 0]
        model = KernelCCA(2, kernel="matern", kernel_params={"nu": 1.5}, kernel_params_y={"nu": 2.5},
                          regularization=0.1)
        f, g = model.fit_transform(X, y=Y)
        close(f, model.transform(X))
        self.assertEqual(list(model.get_feature_names_out()), ["kernelcca0", "kernelcca1"])
        other = KernelCCA(2, kernel="matern", kernel_params={"nu": 1.5}, regularization=0.1).fit(X, Y)
        self.assertGreater(np.abs(other.transform(X, Y)[1] - g).max(), 1e-3)
        with self.assertRaisesRegex(ValueError, "requires y"):
            model.fit(X, None)
        for use in (model.transform, model.score):
            with self.assertRaisesRegex(ValueError, "inconsistent numbers of samples"):
                use(X, Y[:1])

    def test_linear_svd_is_partial_least_squares(self):
        from sklearn.cross_decomposition import PLSSVD
        X, Y = samples(200), samples(200, 3, seed=5)
        Y[:, 0] += X[:, 1]
        svd, pls = KernelSVD(2, kernel="linear").fit(X, Y), PLSSVD(2, scale=False).fit(X, Y)
        for ours, theirs in zip(svd.transform(X, Y), pls.transform(X, Y)):
            close(np.abs(ours), np.abs(theirs))
        covariance = (X - X.mean(axis=0)).T @ (Y - Y.mean(axis=0)) / 200
        values = np.linalg.svd(covariance, compute_uv=False)
        close(svd.singular_values_, values[:2])
        close(svd.dependence_, (values**2).sum())
        close(svd.explained_dependence_ratio_, values[:2] ** 2 / (values**2).sum())
        self.assertEqual(list(svd.get_feature_names_out()), ["kernelsvd0", "kernelsvd1"])

    def test_svd_has_the_dependence(self):
        X = samples(80)
        Y = X[:, :1] ** 2
        centred = np.eye(80) - 1 / 80
        k, l = (sklearn.metrics.pairwise.rbf_kernel(view, gamma=gamma) for view, gamma in ((X, 0.2), (Y, 0.7)))
        hsic = np.trace(k @ centred @ l @ centred) / 80**2
        for solver, params, tolerance in (("dense", {}, DIGITS), ("nystrom", {"landmarks": 70}, 1e-3),
                                          ("features", {"map": "nystrom", "features": 70}, 1e-3)):
            svd = KernelSVD(2, gamma=0.2, gamma_y=0.7, eigen_solver=solver, solver_params=params).fit(X, Y)
            close(svd.dependence_ / hsic, 1, tolerance)
            again = pickle.loads(pickle.dumps(svd))
            for ours, theirs in zip(again.transform(X, Y), svd.transform(X, Y)):
                np.testing.assert_array_equal(ours, theirs)
        held = KernelSVD(1, holdout=0.2).fit(X.astype(np.float32), Y)
        self.assertEqual((held.holdout_correlations_.shape, held.transform(X).dtype), ((1,), np.float32))
        with self.assertRaisesRegex(ValueError, "KernelSVD requires y"):
            KernelSVD().fit(X, None)

    def test_sir_of_numbers_in_objects_and_of_kernel_values(self):
        X = samples()
        y = X[:, 0] + 0.1 * X[:, 1]
        close(KernelSIR(2, regularization=0.1).fit(X, y.astype(object)).eigenvalues_,
              KernelSIR(2, regularization=0.1).fit(X, y).eigenvalues_)
        self.assertTrue(KernelSIR(kernel="precomputed")._more_tags()["pairwise"])

    def test_state_after_errors(self):
        X, y = samples(), samples(seed=5)[:, 0]
        for model in (KernelCCA(2, kernel="linear"), KernelSIR(2, kernel="linear")):
            before = model.fit(X, y).transform(X)
            model.set_params(regularization=-1)
            with self.assertRaises(ValueError):
                model.fit(samples(60, 8), y)
            self.assertEqual(model.n_features_in_, 4)
            close(model.transform(X), before)

    def test_widths_that_views_share(self):
        X = samples()
        Y = 3 * samples(seed=5)
        def kernels(**options):
            fitted = KernelCCA(2, kernel="rbf", regularization=0.1, **options).fit(X, Y)
            return [view["basis"]["kernel"] for view in fitted.report_["views"]]
        one, half = "gaussian(sigma=1)", "gaussian(sigma=0.5)"
        self.assertEqual(kernels(gamma=0.5), [one, one])
        self.assertEqual(kernels(gamma=0.5, gamma_y=2), [one, half])
        self.assertEqual(kernels(gamma=0.5, kernel_params_y={"sigma": 0.5}), [one, half])
        self.assertEqual(kernels(kernel_params={"sigma": 1}), [one, one])
        self.assertEqual(kernels(gamma=0.5, kernel_y="rbf")[1], "gaussian(sigma=1.4142135623730951)")
        for options, message in ((dict(kernel_params={"sigma": 2}, gamma_y=0.1), "^gamma_y: kernel_params has"),
                                 (dict(kernel_params_y={"sigma": 2}, gamma_y=0.1), "^gamma_y: kernel_params_y has"),
                                 (dict(kernel_params={"sigma": 2}, gamma=0.1), "^gamma: kernel_params has"),
                                 (dict(gamma_y="a"), "^gamma_y must be"), (dict(kernel_y="rfb"), "^kernel_y must be")):
            with self.subTest(options), self.assertRaisesRegex(ValueError, message):
                kernels(**options)

    def test_views_without_variance(self):
        X = samples()
        for x, y, name in ((np.ones_like(X), X, "X"), (X, np.ones_like(X), "y")):
            with self.assertWarnsRegex(UserWarning, f"the view {name} has no variance"):
                model = KernelCCA(2).fit(x, y)
            self.assertEqual(model.correlations_.size, 0)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                self.assertEqual(model.score(x, y), 0)

    def test_views_that_are_not_converged(self):
        X = samples(100, 20)
        options = dict(eigen_solver="kernel-hebbian", solver_params={"epochs": 1}, rank=3)
        for model, views in ((KernelCCA(2, **options), "Xy"), (KernelSIR(2, **options), "X")):
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                model.fit(X, X[:, 0])
            self.assertEqual(len(seen), len(views))
            for warning, view in zip(seen, views):
                self.assertEqual((warning.category, warning.filename), (ConvergenceWarning, __file__))
                self.assertRegex(str(warning.message), f"the view {view} are not converged: the largest residual is "
                                 '.* of the trace.*; raise "tolerance" in solver_params')

    def test_holdout_and_other_kernels(self):
        rng = np.random.default_rng(2)
        angle = rng.uniform(0, 2 * np.pi, 300)
        X = np.column_stack([np.cos(angle), np.sin(angle)])
        cca = KernelCCA(2, kernel="rbf", kernel_y="matern", regularization=1e-3, holdout=0.2)
        cca.fit(X, angle)
        self.assertEqual(cca.report_["holdout_samples"], 60)
        self.assertGreater(cca.holdout_correlations_[0], 0.95)
        self.assertEqual([v["basis"]["kernel"][:6] for v in cca.report_["views"]],
                         ["gaussi", "matern"])

    def test_sir(self):
        X, y = load_iris(return_X_y=True)
        sir = KernelSIR(2, kernel="rbf", gamma=0.2, regularization=1e-3).fit(X, y)
        self.assertGreater(sir.eigenvalues_[0], 0.9)
        names = np.array(["setosa", "versicolor", "virginica"])[y]
        np.testing.assert_array_equal(sir.transform(X), sir.fit(X, names).transform(X))
        number = X[:, 0] ** 2 + X[:, 1]
        slices = KernelSIR(1, regularization=1e-3, n_slices=30).fit(X[:, :2], number)
        f = slices.transform(X[:, :2])[:, 0]
        self.assertGreater(abs(np.corrcoef(f, number)[0, 1]), 0.9)
        outputs = KernelSIR(2, regularization=1e-3).fit(X[:, :2].astype(np.float32), X[:, 2:])
        self.assertEqual(outputs.transform(X[:, :2]).dtype, np.float32)
        again = pickle.loads(pickle.dumps(outputs))
        np.testing.assert_array_equal(again.transform(X[:, :2]), outputs.transform(X[:, :2]))

    def test_over_features(self):
        X = samples(1500, 3)
        y = X[:, 0] ** 2 + X[:, 1]
        Y = np.column_stack([y, X[:, 2]])
        # Landmarks of a tenth of the samples lose little of functions that are this smooth. Random features and
        # stochastic steps are that close in these fits.
        options = dict(regularization=1e-2, random_state=1)
        solvers = ((dict(features=150, map="nystrom"), "features", None, 1e-3), (dict(features=600), "features", None, 0.1),
                   (dict(features=512), "doubly-stochastic", 20, 0.1))
        sir, cca = KernelSIR(1, **options).fit(X, y), KernelCCA(2, gamma_y=1, **options).fit(X, Y)
        for params, solver, rank, tolerance in solvers:
            with self.subTest(params=params, solver=solver):
                more = dict(options, eigen_solver=solver, solver_params=params, rank=rank)
                other = KernelSIR(1, **more).fit(X, y)
                close(other.eigenvalues_, sir.eigenvalues_, tolerance)
                self.assertGreater(np.corrcoef(other.transform(X)[:, 0], sir.transform(X)[:, 0])[0, 1], 0.95)
                pair = KernelCCA(2, gamma_y=1, **more).fit(X, Y)
                close(pair.correlations_, cca.correlations_, tolerance)
                for model, data in ((other, (X,)), (pair, (X, Y))):
                    again = pickle.loads(pickle.dumps(model))
                    np.testing.assert_array_equal(again.transform(*data), model.transform(*data))
        single = KernelCCA(2, eigen_solver="features", **options).fit(X.astype(np.float32), Y)
        self.assertEqual(single.transform(X).dtype, np.float32)
        with self.assertRaisesRegex(ValueError, "1501 landmarks are more than the 1500 samples"):
            KernelSIR(eigen_solver="features", solver_params={"map": "nystrom", "features": 1501}).fit(X, y)

    def test_sir_by_one_factorisation(self):
        X = samples(300, 3)
        y = X[:, 0] ** 2 + X[:, 1]
        for data, tolerance in ((X, DIGITS), (X.astype(np.float32), SINGLE),
                                (scipy.sparse.csr_matrix(np.where(X > 0, X, 0)), DIGITS)):
            dense, sooner = (KernelSIR(2, regularization=1e-2, eigen_solver=name).fit(data, y)
                             for name in ("dense", "ridge-cholesky"))
            close(sooner.eigenvalues_, dense.eigenvalues_, tolerance)
            close(np.abs(sooner.transform(data)), np.abs(dense.transform(data)), 100 * tolerance)
            self.assertEqual(sooner.report_["views"][0]["basis"]["solver"], "ridge-cholesky")
            again = pickle.loads(pickle.dumps(sooner))
            np.testing.assert_array_equal(again.transform(data), sooner.transform(data))
        self.assertEqual(KernelSIR(2, eigen_solver="Cholesky").fit(X, y).transform(X).shape, (300, 2))
        with self.assertRaisesRegex(ValueError, "rank"):
            KernelSIR(2, eigen_solver="cholesky", rank=20).fit(X, y)
        with self.assertRaisesRegex(ValueError, "eigen_solver must be one of .*ridge-cholesky.*did you mean ridge"):
            KernelSIR(2, eigen_solver="ridge-cholesk").fit(X, y)
        for model in (KernelPCA(2, eigen_solver="ridge-cholesky"), KernelCCA(2, eigen_solver="ridge-cholesky")):
            with self.assertRaisesRegex(ValueError, "eigen_solver must be one of"):
                model.fit(X, y)
        # Not positive definite, to rounding: a warning, and no components.
        with self.assertWarnsRegex(ConvergenceWarning, "the view X"):
            failed = KernelSIR(2, kernel="sigmoid", gamma=2, coef0=-3, eigen_solver="cholesky").fit(X, y)
        self.assertEqual(failed.transform(X).shape, (300, 0))

    def test_features_are_of_the_kernel_of_each_view(self):
        X = np.abs(samples(200))
        model = KernelCCA(2, kernel="rbf", kernel_y="chi2", eigen_solver="features", regularization=0.1)
        self.assertGreater(model.fit(X, X).correlations_[0], 0.5)
        bases = [view["basis"]["kernel"][:8] for view in model.report_["views"]]
        self.assertEqual(bases, ["gaussian", "chi-squa"])

    def test_sir_of_sparse_samples(self):
        X = scipy.sparse.random(300, 20, 0.2, "csr", random_state=0)
        y = X[:, 0].toarray()[:, 0]
        for scalar, tolerance in ((np.float64, DIGITS), (np.float32, SINGLE)):
            for solver in ("dense", "features"):
                with self.subTest(scalar=scalar, solver=solver):
                    sparse, dense = (KernelSIR(1, target="outputs", regularization=0.01, eigen_solver=solver).fit(x, y)
                                     for x in (X.astype(scalar), X.toarray().astype(scalar)))
                    close(sparse.eigenvalues_, dense.eigenvalues_, tolerance)
                    self.assertEqual(sparse.transform(X).dtype, scalar)
                    close(sparse.transform(X), dense.transform(X), 10 * tolerance)
                    close(sparse.transform(X.toarray()), sparse.transform(X), tolerance)
                    again = pickle.loads(pickle.dumps(sparse))
                    np.testing.assert_array_equal(again.transform(X), sparse.transform(X))
        with self.assertRaisesRegex(ValueError, "takes no sparse samples"):
            KernelSIR(kernel="cauchy").fit(X, y)


class IndependentSources(unittest.TestCase):
    """Kernel ICA."""

    def mixed(self, n=1000):
        rng = np.random.default_rng(1)
        sources = np.column_stack([rng.uniform(-1, 1, n), rng.laplace(size=n),
                                   rng.choice([-1, 1], n) + 0.3 * rng.normal(size=n)])
        mixing = np.array([[2.0, -1, 0.5], [1, 1, 1], [0.3, -2, 1]])
        return sources / sources.std(axis=0), mixing, sources / sources.std(axis=0) @ mixing.T + [5, -3, 2]

    def test_sources_are_found(self):
        sources, mixing, X = self.mixed()
        for contrast in ("kgv", "kcca"):
            model = KernelICA(contrast=contrast).fit(X)
            # A permutation of the sources, and a tenth of the others: three deviations of correlations of 1000 samples.
            shares = np.abs(model.components_ @ mixing)
            self.assertEqual(sorted(shares.argmax(axis=1)), [0, 1, 2])
            close(np.sort(shares, axis=1)[:, 2], np.ones(3), 0.1)
            self.assertLess(np.sort(shares, axis=1)[:, :2].max(), 0.1)
            found = model.transform(X)
            close(found.std(axis=0), np.ones(3))
            close(model.mixing_ @ model.components_, np.eye(3))
            close(model.mean_, X.mean(axis=0))
            close(model.inverse_transform(found), X)
            self.assertEqual((model.report_["status"], model.report_["contrast"]), ("converged", contrast))
            self.assertEqual(model.n_iter_, model.report_["sweeps"])
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.transform(X), found)
        self.assertEqual(KernelICA().fit(X.astype(np.float32)).transform(X).dtype, np.float32)
        calls = []
        KernelICA(progress=lambda *call: calls.append(call), n_jobs=1).fit(X)
        self.assertTrue(calls)

    def test_mistakes(self):
        X = self.mixed(100)[2]
        for options, message in ((dict(contrast="kpca"), "contrast must be one of kgv, kcca, got 'kpca'"),
                                 (dict(sigma=0), "sigma"), (dict(regularization="a"), "regularization"),
                                 (dict(max_iter=0), "max_iter must be at least 1"), (dict(max_iter=2.5), "max_iter"), (dict(tol=0), "tol"),
                                 (dict(n_jobs=0), "n_jobs"), (dict(progress=3), "progress")):
            with self.subTest(options), self.assertRaisesRegex(ValueError, message):
                KernelICA(**options).fit(X)
        for data, message in ((X[:, :1], "minimum of 2 is required"), (X[:3], "more rows than columns"),
                              (X * [1, 0, 1], "variable 1 is constant"), (X[:, [0, 1, 1]], "singular")):
            with self.subTest(message), self.assertRaisesRegex(ValueError, message):
                KernelICA().fit(data)
        model = KernelICA().fit(X)
        before = model.transform(X)
        with self.assertRaises(ValueError):
            model.fit(X[:, :2] * 0)
        np.testing.assert_array_equal(model.transform(X), before)
        with self.assertWarnsRegex(ConvergenceWarning, "the last of 1 sweeps rotated .* raise max_iter or tol") as seen:
            KernelICA(max_iter=1).fit(X)
        self.assertEqual(seen.filename, __file__)
        with self.assertRaises(NotFittedError):
            KernelICA().inverse_transform(X)


class Weights(unittest.TestCase):
    def test_copies_of_samples(self):
        x, fresh = samples(), samples(20, 4, 5)
        weights = np.arange(60) % 4
        for settings in ({}, {"eigen_solver": "randomized", "tol": 1e-12},
                         {"eigen_solver": "features", "solver_params": {"features": 40}}):
            model = KernelPCA(3, kernel="rbf", **settings).fit(x, sample_weight=weights)
            other = KernelPCA(3, kernel="rbf", **settings).fit(np.repeat(x, weights, axis=0))
            close(model.transform(fresh), other.transform(fresh))
            close(model.explained_variance_ratio_, other.explained_variance_ratio_)
            scores = KernelPCA(3, kernel="rbf", **settings).fit_transform(x, sample_weight=weights)
            self.assertEqual(scores.shape, (60, 3))
            close(scores, model.transform(x))

    def test_wrong_weights(self):
        x = samples()
        for weights, part in ((-np.ones(60) + np.eye(60)[0], "negative"),
                              (np.zeros(60), "at least one weight")):
            with self.assertRaisesRegex(ValueError, part):
                KernelPCA(2).fit(x, sample_weight=weights)
        with self.assertRaisesRegex(ValueError, "takes no weights"):
            KernelPCA(2, kernel="rbf", eigen_solver="kernel-hebbian").fit(x, sample_weight=np.arange(60))


    def test_no_weight_is_no_sample(self):
        # Samples that lie symmetrically, in another order: components are the same up to signs. check_estimator
        # asks for equal signs too.
        x = np.repeat([[1.0, 3], [2, 1], [3, 3], [4, 1]], 4, axis=0)
        order = np.random.default_rng(0).permutation(32)
        twice, weights = np.vstack([x, x])[order], np.repeat([1.0, 0], 16)[order]
        # The length of the last one is the median distance.
        for kernel in ("linear", "rbf", "matern"):
            ours = KernelPCA(2, kernel=kernel).fit(twice, sample_weight=weights).transform(x)
            np.testing.assert_allclose(np.abs(ours), np.abs(KernelPCA(2, kernel=kernel).fit(x).transform(x)),
                                       atol=DIGITS)


class Estimators(unittest.TestCase):
    """What scikit-learn asks of estimators."""

    def test_check_estimator(self):
        for estimator in (KernelPCA(), KernelPCA(2, kernel="rbf"), KernelSIR(), KernelCCA(), KernelSVD(),
                          KernelFeatures(), KernelFeatures(map="nystrom"), IncrementalKernelPCA(),
                          IncrementalKernelPCA(2, map="nystrom"), KernelICA()):
            with self.subTest(estimator), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                check_estimator(estimator)

    def test_circles_in_a_pipeline(self):
        from sklearn.linear_model import LogisticRegression
        from sklearn.model_selection import GridSearchCV
        from sklearn.pipeline import make_pipeline
        X, y = make_circles(200, factor=0.3, noise=0.05, random_state=0)
        search = GridSearchCV(make_pipeline(KernelPCA(2, kernel="rbf"), LogisticRegression()),
                              {"kernelpca__gamma": [0.01, 2.0]}, cv=3, n_jobs=2).fit(X, y)
        self.assertEqual(search.best_params_, {"kernelpca__gamma": 2.0})
        self.assertEqual(search.best_score_, 1)


class Package(unittest.TestCase):
    def test_licence_is_installed(self):
        licence = pathlib.Path(mercer.__file__).parent / "LICENSE"
        self.assertTrue(licence.read_text().startswith("MIT License"))


if __name__ == "__main__":
    unittest.main()
