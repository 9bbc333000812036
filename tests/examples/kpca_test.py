#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Runs the program kpca and checks files, numbers, messages and exit codes.

    kpca_test.py KPCA DATA [CLASS]

KPCA is the program, DATA the directory of the bundled data, CLASS one of the classes below. Only
Python's standard library is used: kernels and centring are computed here anew.
"""

import array
import ast
import json
import math
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import unittest

KPCA, DATA = "", pathlib.Path()


# --- Files -------------------------------------------------------------------------------------

def write_npy(path, rows, descr="<f8"):
    shape = f"({len(rows)}, {len(rows[0]) if rows else 4})"
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    body = array.array("d", [value for row in rows for value in row]).tobytes()
    path.write_bytes(b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header + body)
    return path


def read_npy(path):
    """Rows of a 2-D array, or the values of a 1-D array."""
    data = path.read_bytes()
    length = int.from_bytes(data[8:10], "little")
    header = ast.literal_eval(data[10:10 + length].decode())
    assert not header["fortran_order"]
    values = array.array({"<f8": "d", "<f4": "f"}[header["descr"]], data[10 + length:]).tolist()
    shape = header["shape"]
    if len(shape) == 1:
        assert len(values) == shape[0]
        return values
    assert len(values) == shape[0] * shape[1]
    return [values[i * shape[1]:(i + 1) * shape[1]] for i in range(shape[0])]


def write_csv(path, rows):
    path.write_text("".join(",".join(repr(v) for v in row) + "\n" for row in rows))
    return path


def write_svm(path, rows):
    lines = (" ".join(f"{j + 1}:{v!r}" for j, v in enumerate(row) if v) for row in rows)
    path.write_text("".join(f"0 {line}\n" for line in lines))
    return path


def iris():
    lines = (DATA / "iris.csv").read_text().split()[1:]
    return [[float(v) for v in line.split(",")] for line in lines]


# --- Kernels -----------------------------------------------------------------------------------

def dot(x, y):
    return math.fsum(a * b for a, b in zip(x, y))


def squares(x, y):
    return math.fsum((a - b) ** 2 for a, b in zip(x, y))


def arc_cosine(order):
    def kernel(x, y):
        nx, ny = math.sqrt(dot(x, x)), math.sqrt(dot(y, y))
        u, v = [a / nx for a in x], [b / ny for b in y]
        t = 2 * math.atan2(math.sqrt(squares(u, v)), math.sqrt(squares(u, [-b for b in v])))
        j = [math.pi - t, math.sin(t) + (math.pi - t) * math.cos(t),
             3 * math.sin(t) * math.cos(t) + (math.pi - t) * (1 + 2 * math.cos(t) ** 2)][order]
        return (nx * ny) ** order * j / math.pi
    return kernel


def matern(x, y, length):
    t = math.sqrt(3 * squares(x, y)) / length
    return (1 + t) * math.exp(-t)


# Options of kpca, the kernel they stand for, and whether kpca takes sparse samples for it.
KERNELS = {
    "linear": ("linear", dot, True),
    "polynomial": ("polynomial --gamma 0.5 --coef0 2 --degree 2",
                   lambda x, y: (0.5 * dot(x, y) + 2) ** 2, True),
    "polynomial by default": ("polynomial", lambda x, y: (dot(x, y) / 4 + 1) ** 3, True),
    "gaussian": ("gaussian --sigma 1.5", lambda x, y: math.exp(-squares(x, y) / 4.5), True),
    "gaussian by gamma": ("gaussian --gamma 0.3", lambda x, y: math.exp(-0.3 * squares(x, y)), True),
    "laplacian": ("laplacian --gamma 0.4",
                  lambda x, y: math.exp(-0.4 * math.fsum(abs(a - b) for a, b in zip(x, y))), False),
    "cauchy": ("cauchy",
               lambda x, y: math.prod(1 / (1 + (a - b) ** 2 / 16) for a, b in zip(x, y)), False),
    "rational-quadratic": ("rational-quadratic --alpha 2 --length 1.5",
                           lambda x, y: (1 + squares(x, y) / 9) ** -2, True),
    "matern": ("matern --nu 1.5 --length 2", lambda x, y: matern(x, y, 2), True),
    "sigmoid": ("sigmoid --gamma 0.01 --coef0 -1",
                lambda x, y: math.tanh(0.01 * dot(x, y) - 1), True),
    "exponential-dot": ("exponential-dot --gamma 0.05",
                        lambda x, y: math.exp(0.05 * dot(x, y)), True),
    "inverse-dot": ("inverse-dot --gamma 0.005", lambda x, y: 1 / (1 - 0.005 * dot(x, y)), True),
    "exponential-semigroup": (
        "exponential-semigroup --beta 0.2",
        lambda x, y: math.exp(-0.2 * math.fsum(math.sqrt(a + b) for a, b in zip(x, y))), False),
    "reciprocal-semigroup": ("reciprocal-semigroup --scale 2",
                             lambda x, y: math.prod(2 / (a + b + 2) for a, b in zip(x, y)), False),
    "arc-cosine 0": ("arc-cosine --order 0", arc_cosine(0), True),
    "arc-cosine 1": ("arc-cosine", arc_cosine(1), True),
    "arc-cosine 2": ("arc-cosine --order 2", arc_cosine(2), True),
    "cosine": ("cosine", lambda x, y: dot(x, y) / math.sqrt(dot(x, x) * dot(y, y)), True),
    "additive-chi-square": ("additive-chi-square",
                            lambda x, y: math.fsum(2 * a * b / (a + b) for a, b in zip(x, y)), False),
    "chi-square": ("chi-square --gamma 0.5", lambda x, y: math.exp(
        -0.5 * math.fsum((a - b) ** 2 / (a + b) for a, b in zip(x, y))), False),
    "intersection": ("intersection", lambda x, y: math.fsum(map(min, x, y)), False),
}
INDEFINITE = {"sigmoid"}


def centred(rows, training):
    """Kernel values with the mean of the training samples subtracted in feature space."""
    n = len(training)
    means = [math.fsum(row) / n for row in training]
    mean = math.fsum(means) / n
    out = []
    for row in rows:
        own = math.fsum(row) / n
        out.append([value - own - means[j] + mean for j, value in enumerate(row)])
    return out


# --- Running kpca ------------------------------------------------------------------------------

class Runs(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = pathlib.Path(directory.name)
        self.out = self.dir / "out"

    def run_kpca(self, *arguments, path=os.environ["PATH"], **settings):
        words = [KPCA, *map(str, arguments)]
        if "--out" not in words:
            words += ["--out", str(self.out)]
        # Tests run side by side, so one thread each.
        environment = {**os.environ, "PATH": path, "OMP_NUM_THREADS": "1"}
        return subprocess.run(words, capture_output=True, text=True, cwd=self.dir, env=environment,
                              **settings)

    def run_well(self, *arguments, **settings):
        done = self.run_kpca(*arguments, **settings)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def report(self):
        return json.loads((self.out / "report.json").read_text())

    def assert_mistake(self, arguments, *parts, **settings):
        """Exit code 2, one line on standard error with all parts, no results."""
        done = self.run_kpca(*arguments, **settings)
        with self.subTest(arguments=[str(a) for a in arguments]):
            self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
            self.assertEqual(done.stdout, "")
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertTrue(done.stderr.startswith("kpca: "), done.stderr)
            for part in parts:
                self.assertIn(str(part), done.stderr)
            self.assertFalse((self.out / "report.json").exists())


class Results(Runs):
    def test_linear_kernel_is_pca(self):
        # The shares of variance of Iris as they are in many textbooks and manuals.
        self.run_well(DATA / "iris.csv", "--kernel", "linear", "--components", 4)
        expected = [0.92461872, 0.05306648, 0.01710261, 0.00521218]
        ratios = self.report()["explained_variance_ratio"]
        self.assertEqual(len(ratios), 4)
        for ratio, value in zip(ratios, expected):
            self.assertAlmostEqual(ratio, value, delta=5.1e-9)

    def test_report(self):
        done = self.run_well(DATA / "iris.csv", "--components", 3, "--threads", 1, "--seed", 7,
                             "--labels", DATA / "iris_species.csv")
        report = self.report()
        expected = {"status": "converged", "solver": "exact", "kernel": "gaussian", "n": 150, "d": 4,
                    "components": 3, "components_requested": 3, "precision": "double",
                    "storage": "stored", "threads": 1, "seed": 7, "centered": True, "iterations": 0}
        self.assertEqual({key: report[key] for key in expected}, expected)
        for key in ["fit_seconds", "kernel_products", "reason", "trace", "bytes", "mercer_version",
                    "negative_eigenvalues", "input"]:
            self.assertIn(key, report)
        self.assertEqual(read_npy(self.out / "eigenvalues.npy"), report["eigenvalues"])
        self.assertEqual(len(report["residuals"]), 3)
        self.assertLess(max(report["residuals"]), 1e-12 * report["eigenvalues"][0])
        self.assertIn("cumulative", done.stdout)
        self.assertIn(f"{report['eigenvalues'][0]:.6g}", done.stdout)
        self.assertEqual(done.stderr, "")

    def test_median_and_percentile(self):
        rows = iris()
        distances = sorted(math.sqrt(squares(x, y)) for i, x in enumerate(rows) for y in rows[:i])
        for text, percent in [("median", 50), ("p20", 20), ("p12.5", 12.5)]:
            rank = (len(distances) - 1) * percent / 100
            low = math.floor(rank)
            value = distances[low] + (rank - low) * (distances[low + 1] - distances[low])
            for kernel, name in [("gaussian", "sigma"), ("matern", "length")]:
                self.run_well(DATA / "iris.csv", "--kernel", kernel, f"--{name}", text)
                self.assertAlmostEqual(self.report()["parameters"][name], value, delta=1e-12)

    def test_components(self):
        # Four dimensions have four components, however many are asked for.
        done = self.run_well(DATA / "iris.csv", "--kernel", "linear", "--components", 20)
        self.assertEqual(self.report()["components"], 4)
        self.assertIn("20 components asked for, 4 have variance", done.stdout)
        self.run_well(DATA / "iris.csv", "--kernel", "linear", "--components", "0.95")
        self.assertEqual(self.report()["components"], 2)
        self.run_well(DATA / "iris.csv", "--components", 150)
        self.run_well(write_npy(self.dir / "six.npy", iris()[::30]), "--no-center")
        self.assertEqual(self.report()["components"], 5)

    def test_single_precision(self):
        self.run_well(DATA / "iris.csv", "--sigma", 1.5, "--components", 3)
        double = read_npy(self.out / "eigenvalues.npy")
        self.run_well(DATA / "iris.csv", "--sigma", 1.5, "--components", 3, "--precision", "single")
        single = read_npy(self.out / "eigenvalues.npy")
        self.assertEqual(self.report()["precision"], "single")
        self.assertNotEqual(single, double)
        for a, b in zip(single, double):
            self.assertAlmostEqual(a, b, delta=1e-4 * double[0])

    def test_one_sample_without_centring(self):
        self.run_well(write_npy(self.dir / "one.npy", [[3.0, 4.0]]), "--no-center", "--kernel",
                      "linear")
        self.assertEqual(read_npy(self.out / "eigenvalues.npy"), [25.0])
        self.assertEqual(read_npy(self.out / "scores.npy"), [[5.0]])

    def test_help_and_version(self):
        done = self.run_well("--help")
        for word in ["--kernel", "reciprocal-semigroup", "--sigma", "median", "--project", "1/d"]:
            self.assertIn(word, done.stdout)
        self.assertRegex(self.run_well("--version").stdout, r"^\d+\.\d+\.\d+\n$")


class Kernels(Runs):
    """Eigenpairs and projections against Gram matrices computed here."""

    def check(self, name, kernel, gram, cross):
        """cross holds the kernel values of new samples, gram those of the training samples."""
        n = len(gram)
        k, q = centred(gram, gram), centred(cross, gram)
        mu = read_npy(self.out / "eigenvalues.npy")
        scores = read_npy(self.out / "scores.npy")
        projected = read_npy(self.out / "projected.npy")
        tolerance = 1e-11 * mu[0]
        self.assertEqual(mu, sorted(mu, reverse=True))
        columns = list(zip(*scores))
        for i, column in enumerate(columns):
            for j in range(i + 1):
                self.assertAlmostEqual(dot(column, columns[j]), mu[i] if i == j else 0,
                                       delta=tolerance)
            for row, score in zip(k, column):
                self.assertAlmostEqual(dot(row, column), mu[i] * score,
                                       delta=tolerance * math.sqrt(mu[i]))
        trace = math.fsum(k[i][i] for i in range(n))
        self.assertAlmostEqual(self.report()["trace"], trace, delta=1e-11 * abs(trace))
        if name not in INDEFINITE:
            # No component is missing.
            self.assertAlmostEqual(math.fsum(mu), trace, delta=1e-10 * trace)
        else:
            self.assertGreater(self.report()["negative_eigenvalues"], 0)
        for row, values in zip(q, projected):
            # Dividing by small eigenvalues would only compare rounding errors.
            for i in range(sum(value > 1e-4 * mu[0] for value in mu)):
                expected = dot(row, columns[i]) / mu[i]
                self.assertAlmostEqual(values[i], expected, delta=1e-8 * max(1, math.sqrt(mu[0])))

    def test_all_kernels(self):
        training = iris()[::3]
        new = [[a + 0.05 * i for i, a in enumerate(row)] for row in iris()[1::15]]
        files = [(write_npy(self.dir / "x.npy", training), write_csv(self.dir / "new.csv", new)),
                 (write_svm(self.dir / "x.svm", training), write_svm(self.dir / "new.svm", new))]
        for name, (options, kernel, sparse) in KERNELS.items():
            gram = [[kernel(x, y) for y in training] for x in training]
            cross = [[kernel(x, y) for y in training] for x in new]
            for x, fresh in files if sparse else files[:1]:
                with self.subTest(kernel=name, file=x.name):
                    self.run_well(x, "--project", fresh, "--components", len(training), "--kernel",
                                  *options.split(), path="")
                    self.check(name, kernel, gram, cross)

    def test_precomputed(self):
        training, new = iris()[::3], iris()[1::15]
        kernel = KERNELS["gaussian"][1]
        gram = [[kernel(x, y) for y in training] for x in training]
        cross = [[kernel(x, y) for y in training] for x in new]
        self.run_well(write_npy(self.dir / "gram.npy", gram), "--kernel", "precomputed",
                      "--components", len(training),
                      "--project", write_npy(self.dir / "cross.npy", cross))
        self.check("precomputed", kernel, gram, cross)


class Files(Runs):
    def picture(self, *arguments):
        self.run_well(*arguments)
        text = (self.out / "scores.svg").read_text()
        self.assertTrue(text.rstrip().endswith("</svg>"))
        return text

    def test_files_are_complete(self):
        for _ in range(2):  # the second time they are replaced
            self.run_well(DATA / "iris.csv", "--project", DATA / "iris.csv")
            self.assertEqual({path.name for path in self.out.iterdir()} - {"scores.svg"},
                             {"scores.npy", "eigenvalues.npy", "projected.npy", "report.json"})
        scores, projected = (read_npy(self.out / f"{f}.npy") for f in ["scores", "projected"])
        for score, other in zip(scores, projected):
            for a, b in zip(score, other):
                self.assertAlmostEqual(a, b, delta=1e-12)

    def test_without_gnuplot(self):
        done = self.run_well(DATA / "iris.csv", path=str(self.dir))
        self.assertEqual(done.stderr, "kpca: scores.svg was not drawn: gnuplot is not installed\n")
        self.assertFalse((self.out / "scores.svg").exists())
        self.assertTrue((self.out / "scores.npy").exists())

    def test_gnuplot_that_fails(self):
        for script in ["exit 1", "cat >/dev/null; exit 3"]:
            (self.dir / "gnuplot").write_text(f"#!/bin/sh\n{script}\n")
            (self.dir / "gnuplot").chmod(0o755)
            done = self.run_well(DATA / "iris.csv", path=f"{self.dir}:/usr/bin:/bin")
            self.assertEqual(done.stderr, "kpca: scores.svg was not drawn: gnuplot failed\n")
            self.assertEqual([p.name for p in self.out.glob("*.svg*")], [])

    @unittest.skipUnless(any((pathlib.Path(p) / "gnuplot").exists()
                             for p in os.environ["PATH"].split(":")), "gnuplot is not installed")
    def test_pictures(self):
        species = self.picture(DATA / "iris.csv", "--labels", DATA / "iris_species.csv")
        for word in ["setosa", "versicolor", "virginica", "component 1 (", "component 2 ("]:
            self.assertIn(word, species)
        numbers = self.dir / "numbers.txt"
        numbers.write_text("".join(f"{i / 10}\n" for i in range(150)))
        self.assertIn("label", self.picture(DATA / "iris.csv", "--labels", numbers))
        words = self.dir / "it's 100 \"words\".txt"
        words.write_text("".join(f"\"it's\" {i % 40} {{x}}_2\n" for i in range(150)))
        self.assertIn("other", self.picture(DATA / "iris.csv", "--labels", words))
        self.assertIn("row", self.picture(DATA / "iris.csv", "--components", 1))


class Mistakes(Runs):
    def test_options(self):
        x = DATA / "iris.csv"
        for arguments, parts in [
                ([], ["INPUT"]),
                ([x, "--nonsense"], ["--nonsense"]),
                ([x, x], ["iris.csv"]),
                ([x, "--kernel", "gauss"], ["--kernel", "gauss", "gaussian", "precomputed"]),
                ([x, "--solver", "lanczoss"], ["--solver", "lanczoss", "exact"]),
                ([x, "--precision", "half"], ["--precision", "half", "single"]),
                ([x, "--sigma", "-1"], ["--sigma", "-1"]),
                ([x, "--sigma", "0"], ["--sigma", "0"]),
                ([x, "--sigma", "nan"], ["--sigma", "nan"]),
                ([x, "--sigma", "1x"], ["--sigma", "1x"]),
                ([x, "--sigma", "p101"], ["--sigma", "p101"]),
                ([x, "--sigma", "mean"], ["--sigma", "mean", "median"]),
                ([x, "--sigma"], ["--sigma"]),
                ([x, "--sigma", "1", "--sigma", "2"], ["--sigma"]),
                ([x, "--sigma", "1", "--gamma", "1"], ["--sigma", "--gamma"]),
                ([x, "--gamma", "-0.5"], ["--gamma", "-0.5"]),
                ([x, "--gamma", "inf"], ["--gamma", "inf"]),
                ([x, "--gamma", "1e999"], ["--gamma", "1e999"]),
                ([x, "--kernel", "linear", "--gamma", "1"], ["--gamma", "linear"]),
                ([x, "--kernel", "laplacian", "--sigma", "1"], ["--sigma", "laplacian", "--gamma"]),
                ([x, "--kernel", "polynomial", "--degree", "0"], ["--degree", "0"]),
                ([x, "--kernel", "polynomial", "--degree", "2.5"], ["--degree", "2.5"]),
                ([x, "--kernel", "polynomial", "--coef0", "-1"], ["polynomial", "coef0", "-1"]),
                ([x, "--kernel", "matern", "--nu", "60"], ["--nu", "60"]),
                ([x, "--kernel", "matern", "--length", "0"], ["--length", "0"]),
                ([x, "--kernel", "rational-quadratic", "--alpha", "0"], ["--alpha", "0"]),
                ([x, "--kernel", "arc-cosine", "--order", "3"], ["--order", "3"]),
                ([x, "--kernel", "reciprocal-semigroup", "--scale", "-2"], ["--scale", "-2"]),
                ([x, "--kernel", "exponential-semigroup", "--beta", "0"], ["--beta", "0"]),
                ([x, "--components", "0"], ["--components", "0"]),
                ([x, "--components", "-3"], ["--components", "-3"]),
                ([x, "--components", "1.5"], ["--components", "1.5"]),
                ([x, "--components", "many"], ["--components", "many"]),
                ([x, "--components", ""], ["--components"]),
                ([x, "--components", "151"], ["--components", "151", "150", "iris.csv"]),
                ([x, "--threads", "0"], ["--threads", "0"]),
                ([x, "--threads", "two"], ["--threads", "two"]),
                ([x, "--seed", "-1"], ["--seed", "-1"]),
        ]:
            self.assert_mistake(arguments, *parts)

    def test_unreadable_input(self):
        whole = write_npy(self.dir / "whole.npy", iris()).read_bytes()
        (self.dir / "header.npy").write_bytes(whole[:20])
        (self.dir / "short.npy").write_bytes(whole[:-8])
        (self.dir / "empty.npy").write_bytes(b"")
        (self.dir / "empty.csv").write_text("")
        (self.dir / "ragged.csv").write_text("1,2\n3,4,5\n")
        (self.dir / "word.csv").write_text("a,b\n1,2\n3,four\n")
        (self.dir / "nan.csv").write_text("1,2\n3,nan\n")
        (self.dir / "order.svm").write_text("1 1:2 2:3\n1 2:1 1:1\n")
        (self.dir / "plain.csv.gz").write_text("1,2\n")
        (self.dir / "samples.xlsx").write_text("1,2\n")
        write_npy(self.dir / "complex.npy", iris()[:10], descr="<c16")
        write_npy(self.dir / "none.npy", [])
        rows = iris()
        rows[7][2] = math.nan
        write_npy(self.dir / "nan.npy", rows)
        rows[7][2] = -math.inf
        write_npy(self.dir / "inf.npy", rows)
        for name, parts in {
                "missing.csv": [], ".": [], "header.npy": [], "short.npy": ["4800", "4792"],
                "empty.npy": [], "empty.csv": ["empty"], "ragged.csv": ["line 2"],
                "word.csv": ["line 3", "column 2", "four"], "nan.csv": ["line 2", "column 2"],
                "order.svm": ["line 2"], "plain.csv.gz": ["gzip"], "samples.xlsx": [".xlsx", ".npy"],
                "complex.npy": ["c16"], "none.npy": ["0 x 4"],
                "nan.npy": ["nan", "row 7", "column 2"], "inf.npy": ["-inf", "row 7", "column 2"],
        }.items():
            self.assert_mistake([name], name, *parts)
            if name != "none.npy":
                self.assert_mistake([DATA / "iris.csv", "--project", name], name, *parts)
        self.assert_mistake([DATA / "iris.csv", "--labels", "missing.txt"], "missing.txt")

    def test_files_that_do_not_belong_together(self):
        x = DATA / "iris.csv"
        (self.dir / "labels.txt").write_text("a\n" * 149)
        self.assert_mistake([x, "--labels", "labels.txt"], "labels.txt", "149", "150")
        (self.dir / "three.csv").write_text("1,2,3\n")
        self.assert_mistake([x, "--project", "three.csv"], "three.csv", "3", "4")
        (self.dir / "wide.svm").write_text("0 5:1\n")
        self.assert_mistake([x, "--project", "wide.svm"], "wide.svm", "5", "4")

    def test_samples_outside_of_the_domain(self):
        negative = [[1.0, 2.0], [3.0, -4.0]]
        write_npy(self.dir / "negative.npy", negative)
        write_npy(self.dir / "positive.npy", [[1.0, 2.0], [3.0, 4.0]])
        for kernel in ["chi-square", "additive-chi-square", "intersection", "exponential-semigroup",
                       "reciprocal-semigroup"]:
            self.assert_mistake(["negative.npy", "--kernel", kernel], "negative.npy", "row 1",
                                "column 1", "-4")
        self.assert_mistake(["positive.npy", "--kernel", "chi-square", "--project", "negative.npy"],
                            "negative.npy", "row 1", "column 1", "-4")
        self.assert_mistake(["positive.npy", "--kernel", "inverse-dot", "--gamma", 0.1],
                            "positive.npy", "row 1")
        write_svm(self.dir / "sparse.svm", [[1.0, 2.0], [3.0, 4.0]])
        for kernel in ["laplacian", "cauchy", "chi-square", "precomputed"]:
            self.assert_mistake(["sparse.svm", "--kernel", kernel], "sparse.svm", "sparse", kernel)

    def test_samples_without_variance(self):
        constant = write_npy(self.dir / "constant.npy", [[1.0, 2.0]] * 5)
        self.assert_mistake([constant], "constant.npy", "coincide")
        self.assert_mistake([constant, "--sigma", 1], "constant.npy", "no component")
        one = write_npy(self.dir / "one.npy", [[1.0, 2.0]])
        self.assert_mistake([one, "--sigma", 1], "one.npy", "one sample")
        self.assert_mistake([one], "one.npy")

    def test_precomputed(self):
        write_npy(self.dir / "oblong.npy", [[1.0, 0.5, 0.0], [0.5, 1.0, 0.0]])
        self.assert_mistake(["oblong.npy", "--kernel", "precomputed"], "oblong.npy", "2 x 3")
        write_npy(self.dir / "skew.npy", [[1.0, 0.5], [0.4, 1.0]])
        self.assert_mistake(["skew.npy", "--kernel", "precomputed"], "skew.npy", "0.4", "0.5")

    def test_output_directory(self):
        x = DATA / "iris.csv"
        (self.dir / "file").write_text("")
        for out in ["file", "file/below", "/proc/nowhere", ""]:
            self.assert_mistake([x, "--out", out], "--out", out)
        (self.dir / "taken" / "scores.npy").mkdir(parents=True)
        self.assert_mistake([x, "--out", "taken"], "--out", "taken/scores.npy")

    def test_not_enough_memory(self):
        many = write_npy(self.dir / "many.npy", [[float(i % 97)] for i in range(60000)])
        limit = 6 << 30
        self.assert_mistake(
            [many, "--sigma", 1, "--threads", 1], "many.npy", "memory", "60000", "28.8 GB",
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))


if __name__ == "__main__":
    KPCA, DATA = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
