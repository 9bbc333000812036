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
import base64
import gzip
import json
import math
import os
import pathlib
import platform
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.dom.minidom
import zipfile
import zlib

KPCA, DATA = "", pathlib.Path()

# An HDF5 file, compressed by zlib: the dataset "samples" of the rows in test_hdf5, in bytes with a sign
ROWS_IN_HDF5 = (
    "eNrr9HBx4+WS4mLm4GCAgf9Q8J0RwjeAii/NEfX193AJYlIo+MCWjYwrmISQNcIAFxMD0Ag2oBwjA3txYm5BTmrxYZgtTgxUAPOm"
    "z5gOdpIiupMkGBlVGBiYmBgZYR5jhtLofGYeBkYBDpAbIbKsQFczc3LIMDCwMEgwMDIxs7CyczBxMjIws7ExMXOysDOyMgFDaxvD"
    "EAXzbl+LBwCyYjkY")


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

# Feature maps of kpca, a kernel in KERNELS that each fits, its name in archives, and the columns
# that it makes of 400 for samples of dimension 4.
MAPS = {
    "exact": ("cosine", "exact-features", 4),
    "random-fourier": ("gaussian", "random-fourier", 400),
    "random-fourier-phase": ("matern", "random-fourier", 400),
    "quasi-random-fourier": ("laplacian", "random-fourier", 400),
    "orthogonal-fourier": ("rational-quadratic", "orthogonal-fourier", 400),
    "fastfood": ("gaussian by gamma", "fastfood", 400),
    "tensor-sketch": ("polynomial", "tensor-sketch", 400),
    "random-maclaurin": ("linear", "random-maclaurin", 400),
    "random-laplace": ("exponential-semigroup", "random-laplace", 400),
    "quasi-random-laplace": ("reciprocal-semigroup", "random-laplace", 400),
    "arc-cosine": ("arc-cosine 1", "arc-cosine-features", 400),
    "additive": ("additive-chi-square", "additive-features", 400),
    "additive-threshold": ("intersection", "additive-features", 400),
    "homogeneous": ("additive-chi-square", "homogeneous-kernel-map", 404),
    "chi-square": ("chi-square", "chi-square-features", 400),
    "nystrom": ("cauchy", "nystrom-features", 50),
}


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

def is_question(words):
    """Whether this command line asks the program about itself: all words behind may be names."""
    return any(word.split("=")[0] in ("-h", "--help", "--help-all", "--print", "--version")
               for word in words)


class Runs(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = pathlib.Path(directory.name)
        self.out = self.dir / "out"

    def run_kpca(self, *arguments, path=os.environ["PATH"], **settings):
        words = [KPCA, *map(str, arguments)]
        if not is_question(words) and "--out" not in words and "--partial-out" not in words:
            words += ["--out", str(self.out)]
        # Tests run side by side, so one thread each.
        environment = {**os.environ, "PATH": path, "OMP_NUM_THREADS": "1"}
        # Names of files come back as the bytes that they are.
        return subprocess.run(words, capture_output=True, text=True, errors="surrogateescape",
                              cwd=self.dir, env=environment, **settings)

    def iris_with_words(self):
        lines = (DATA / "iris.csv").read_text().splitlines()
        species = (DATA / "iris_species.csv").read_text().splitlines()
        species = species[-150:]
        rows = [f"{i},{line},{kind}" for i, (line, kind) in enumerate(zip(lines[1:], species), 1)]
        path = self.dir / "words.csv"
        path.write_text("\n".join([f"id,{lines[0]},species", *rows]) + "\n")
        return path, species

    def memory_of(self, *arguments):
        """The most memory of a run that ends well, in MiB."""
        words = [KPCA, *map(str, arguments), "--out", str(self.out)]
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL,
                                   env={**os.environ, "PATH": "", "OMP_NUM_THREADS": "1"})
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        return usage.ru_maxrss / 1024

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

    def assert_not_converged(self, arguments, *parts):
        """Exit code 3, results written, one line on standard error."""
        done = self.run_kpca(*arguments, path="")
        with self.subTest(arguments=[str(a) for a in arguments]):
            self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
            lines = [line for line in done.stderr.splitlines() if "scores.svg" not in line]
            self.assertEqual(len(lines), 1, done.stderr)
            for part in ["kpca: not converged: ", *parts]:
                self.assertIn(part, lines[0])
            report = self.report()
            self.assertEqual(report["status"], "not converged")
            self.assertEqual(read_npy(self.out / "eigenvalues.npy"), report["eigenvalues"])
            self.assertEqual(len(read_npy(self.out / "scores.npy")), report["n"])
            self.assertIn("not converged", done.stdout)



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
        expected = {"status": "converged", "solver": "exact", "solver_requested": "auto",
                    "kernel": "gaussian", "n": 150, "d": 4,
                    "components": 3, "components_requested": 3, "precision": "double",
                    "storage": "stored", "threads": 1, "seed": 7, "centered": True, "iterations": 0,
                    "landmarks": None, "residual_rows": None, "most_negative_eigenvalue": None}
        self.assertEqual({key: report[key] for key in expected}, expected)
        for key in ["trace_error", "sampling_evaluations", "lambda", "duality_gap", "zero_rows"]:
            self.assertNotIn(key, report)  # those of other solvers
        for key in ["fit_seconds", "kernel_products", "reason", "trace", "bytes", "memory_budget",
                    "mercer_version", "negative_eigenvalues", "input"]:
            self.assertIn(key, report)
        self.assertEqual(read_npy(self.out / "eigenvalues.npy"), report["eigenvalues"])
        self.assertNotIn("tolerance", report)  # the exact solver has none
        self.assertEqual(len(report["residuals"]), 3)
        self.assertEqual(len(report["eigenvalue_error_bounds"]), 3)
        self.assertLess(max(report["residuals"]), 1e-12 * report["eigenvalues"][0])
        self.assertIn("cumulative", done.stdout)
        self.assertIn(f"solver {report['solver_description']}: {report['reason']}\n", done.stdout)
        self.assertIn(f"{report['eigenvalues'][0]:.6g}", done.stdout)
        self.assertEqual(done.stderr, "")

    def test_phases(self):
        self.assert_mistake(["--load", self.dir / "x.model", "--project", DATA / "iris.csv",
                             "--verbose"], "--verbose", path="")
        done = self.run_well(DATA / "iris.csv", "--solver", "exact", "--threads", 1)
        self.assertNotIn("one thread", done.stdout)
        report = self.report()
        phases = {one["phase"]: one for one in report["phases"]}
        self.assertEqual(list(phases), ["samples prepared", "tiles", "products", "eigenproblems",
                                        "scores", "certificate"])
        self.assertLessEqual(sum(one["seconds"] for one in phases.values()),
                             report["fit_seconds"] + 1e-9)
        for one in phases.values():
            self.assertEqual(one["serial_seconds"], one["seconds"])
        self.assertEqual(phases["tiles"]["bytes"], 150 * 150 * 8)
        done = self.run_well(DATA / "iris.csv", "--solver", "exact", "--verbose")
        self.assertRegex(done.stdout, r"phase +seconds +share +one thread +bytes\n")
        self.assertRegex(done.stdout, r"\ntiles +0\.\d{4} +[\d.]+ % +[\d.]+ % +180 kB\n")
        self.assertRegex(done.stdout, r"\nnone of these +0\.\d{4} +[\d.]+ %\n")
        self.assertRegex(done.stdout, r"\npart of the run +seconds\n")
        laps = dict(re.findall(r"\n(input|columns|kernel|fit|files|pictures|all) +(\d+\.\d{4})(?=\n)",
                               done.stdout))
        self.assertEqual(list(laps), ["input", "columns", "kernel", "fit", "files", "pictures",
                                      "all"])
        self.assertAlmostEqual(float(laps.pop("all")), sum(map(float, laps.values())), delta=1e-3)
        run = self.report()["run_seconds"]
        self.assertEqual(sorted(run), ["columns", "fit", "input", "kernel"])
        for part, seconds in run.items():
            self.assertAlmostEqual(seconds, float(laps[part]), delta=1e-4)

    def test_waiting_threads_sleep(self):
        # A choice of the user's is left as it is, and one thread waits for none.
        asked = {name: value for name, value in os.environ.items()
                 if name not in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "LD_PRELOAD",
                                 "MERCER_STARTED_WITH_SETTINGS")}
        asked |= {"OMP_DISPLAY_ENV": "verbose", "OMP_NUM_THREADS": "2"}
        for given, sleeps in [({}, True), ({"OMP_WAIT_POLICY": "active"}, False),
                              ({"OMP_NUM_THREADS": "1"}, False)]:
            done = subprocess.run([KPCA, "--version"], capture_output=True, text=True,
                                  env={**asked, **given})
            spins = re.findall(r"GOMP_SPINCOUNT *= *'(\d+)'", done.stderr)
            if not spins:
                self.skipTest("this kpca has no OpenMP that shows how long its threads run on")
            self.assertEqual(done.returncode, 0)
            self.assertEqual(int(spins[-1]) == 0, sleeps, given)

    @unittest.skipUnless(platform.libc_ver(KPCA)[0] == "glibc" and os.path.isdir("/proc/self"),
                         "needs glibc and /proc")
    def test_memory_in_huge_pages(self):
        # The settings of a program that has begun, and waits for its samples.
        waiting = self.dir / "waiting.csv"
        os.mkfifo(waiting)
        name = "GLIBC_TUNABLES"
        asked = {key: value for key, value in os.environ.items()
                 if key not in (name, "LD_PRELOAD") and not key.startswith(("MALLOC_", "MERCER_"))}
        for given in [None, "glibc.malloc.arena_max=3"]:
            environment = asked | ({} if given is None else {name: given})
            with subprocess.Popen([KPCA, waiting, "--out", self.out], env=environment,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as kpca:
                samples, end = None, time.monotonic() + 60
                while samples is None and kpca.poll() is None and time.monotonic() < end:
                    try:  # fails until the program has opened it for reading
                        samples = os.open(waiting, os.O_WRONLY | os.O_NONBLOCK)
                    except OSError:
                        time.sleep(0.01)
                if samples is None:
                    kpca.kill()
                    self.fail(f"kpca does not read: {kpca.poll()}")
                settings = pathlib.Path(f"/proc/{kpca.pid}/environ").read_bytes().decode().split("\0")
                os.write(samples, b"1,2\n3,5\n4,4\n")
                os.close(samples)
                self.assertEqual(kpca.wait(timeout=60), 0)
            chosen = dict(s.split("=", 1) for s in settings if "=" in s).get(name)
            if given is None:
                self.assertIn("glibc.malloc.hugetlb=1", chosen)
            else:
                self.assertEqual(chosen, given)

    def test_settings_that_are_taken_away_do_not_start_it_for_ever(self):
        marked = {key: value for key, value in os.environ.items() if key != "GLIBC_TUNABLES"}
        marked["MERCER_STARTED_WITH_SETTINGS"] = "1"
        done = subprocess.run([KPCA, "--version"], capture_output=True, env=marked, timeout=60)
        self.assertEqual(done.returncode, 0)

    def test_more_threads_than_cores(self):
        done = self.run_well(DATA / "iris.csv", "--threads", 1024, path="")
        used = self.report()["threads"]
        self.assertLessEqual(used, os.cpu_count())
        self.assertIn(f"kpca: --threads 1024: only {used} can run at one time, and are used\n",
                      done.stderr)

    def test_samples_of_any_size(self):
        self.run_well(write_npy(self.dir / "x.npy", iris()), "--components", 2, "--kernel", "linear",
                      "--solver", "spgd", path="")
        expected = read_npy(self.out / "eigenvalues.npy")
        for exponent in [-500, 450]:
            scaled = [[math.ldexp(v, exponent) for v in row] for row in iris()]
            self.run_well(write_npy(self.dir / "scaled.npy", scaled), "--components", 2, "--kernel",
                          "linear", "--solver", "spgd", path="")
            for value, other in zip(read_npy(self.out / "eigenvalues.npy"), expected):
                self.assertAlmostEqual(math.ldexp(value, -2 * exponent), other, delta=1e-9 * other)

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

    def test_cross_validation(self):
        # Pairs in two places, and one sample in ten far away, each in a direction of its own: of
        # these widths only 1 sees the places as one component, whichever rows are held out.
        random.seed(3)
        rows = []
        for i in range(100):
            row = [random.gauss(0, 0.01) for _ in range(10)]
            if i % 10 == 9:
                row[i // 10] += 1000
            else:
                row[0] += i % 2 * 2 - 1
            rows.append(row)
        x = write_npy(self.dir / "x.npy", rows)
        done = self.run_well(x, "--sigma", "cv", "--components", 1, "--cv-grid", "1000,1,0.001")
        report = self.report()
        found = report["cross_validation"]
        self.assertEqual(found["grid"], [0.001, 1, 1000])
        self.assertEqual((found["parameter"], found["criterion"]), ("sigma", "feature-space"))
        self.assertEqual((found["best"], found["at_edge"]), (1, False))
        self.assertEqual(report["parameters"]["sigma"], 1)
        self.assertEqual(min(found["errors"]), found["errors"][1])
        self.assertEqual(done.stderr.replace(self.no_pictures, ""), "")
        scores = (self.out / "scores.npy").read_bytes()
        self.run_well(x, "--sigma", 1, "--components", 1, path="")
        self.assertEqual((self.out / "scores.npy").read_bytes(), scores)

    no_pictures = "kpca: the pictures were not drawn: gnuplot is not installed\n"

    def test_criteria_of_cross_validation(self):
        x, labels = DATA / "iris.csv", DATA / "iris_species.csv"
        sparse = write_svm(self.dir / "x.svm", iris())
        for options in [[x, "--cv-criterion", "labels", "--labels", labels],
                        [x, "--cv-criterion", "preimages"],
                        [x, "--kernel", "matern", "--length", "cv"],
                        [x, "--precision", "single", "--no-center", "--standardize"],
                        [sparse, "--kernel", "rational-quadratic", "--length", "cv"]]:
            with self.subTest(options=[str(o) for o in options]):
                if "--kernel" not in options:
                    options += ["--sigma", "cv"]
                self.run_well(*options, "--components", 2, path="")
                found = self.report()["cross_validation"]
                self.assertEqual(len(found["grid"]), 13)
                self.assertAlmostEqual(found["grid"][12] / found["grid"][0], 64, delta=1e-9)
                self.assertEqual(found["errors"][found["grid"].index(found["best"])],
                                 min(found["errors"]))
                self.assertTrue(all(0 < error < 1.2 for error in found["errors"]))
        done = self.run_well(x, "--sigma", "cv", "--cv-grid", "2", path="")
        self.assertNotIn("--cv-grid", done.stderr)  # one width has no edge
        # Many numbers are a response, not classes; a held-out class of its own is never learnt.
        numbers = self.dir / "third.txt"
        numbers.write_text("".join(f"{row[2]}\n" for row in iris()))
        for kind, low, high in [("auto", 0, 0.2), ("scale", 0, 0.2), ("classes", 0.8, 2)]:
            self.run_well(x, "--sigma", "cv", "--cv-grid", "2", "--components", 2, "--cv-criterion",
                          "labels", "--labels", numbers, "--label-kind", kind, path="")
            error = self.report()["cross_validation"]["errors"][0]
            self.assertTrue(low < error < high, (kind, error))
        done = self.run_well(x, "--sigma", "cv", "--cv-grid", "1,30", "--components", 3,
                             "--cv-criterion", "labels", "--labels", labels, path="")
        self.assertIn("kpca: --sigma cv: the best width is the smallest that was tried", done.stderr)

    def test_components_by_cross_validation(self):
        # Two directions of one size tell the quadrants apart; the others are small and say nothing.
        random.seed(4)
        rows = [[random.gauss(0, 1), random.gauss(0, 1)] + [random.gauss(0, 0.1) for _ in range(6)]
                for _ in range(200)]
        x = write_npy(self.dir / "x.npy", rows)
        labels = self.dir / "quadrants.txt"
        labels.write_text("".join(f"{'ab'[row[0] > 0]}{'cd'[row[1] > 0]}\n" for row in rows))
        command = [x, "--kernel", "linear", "--cv-criterion", "labels", "--labels", labels]
        done = self.run_well(*command, "--components", "cv", "--cv-components", "8,1,2", path="")
        report = self.report()
        found = report["cross_validation"]
        self.assertEqual(found["component_counts"], [1, 2, 8])
        self.assertEqual((found["best_components"], found["at_last_count"]), (2, False))
        self.assertEqual(len(found["errors"]), 1)
        self.assertEqual(min(found["errors"][0]), found["errors"][0][1])
        self.assertNotIn("parameter", found)
        self.assertEqual(report["components"], 2)
        self.assertNotIn("--cv-components", done.stderr)
        scores = (self.out / "scores.npy").read_bytes()
        self.run_well(x, "--kernel", "linear", "--components", 2, path="")
        self.assertEqual((self.out / "scores.npy").read_bytes(), scores)

        # With the width; and where more may be better.
        done = self.run_well(DATA / "iris.csv", "--sigma", "cv", "--cv-grid", "0.5,2", "--components", "cv",
                             "--cv-criterion", "preimages", path="")
        found = self.report()["cross_validation"]
        self.assertEqual((found["parameter"], found["grid"]), ("sigma", [0.5, 2]))
        self.assertEqual(found["component_counts"], list(range(1, 11)))
        self.assertEqual([len(row) for row in found["errors"]], [10, 10])
        row = found["errors"][found["grid"].index(found["best"])]
        self.assertEqual(row[found["best_components"] - 1], min(map(min, found["errors"])))
        self.assertEqual(self.report()["components"], found["best_components"])
        # A Gaussian by its other parameter has the same errors.
        for width in [["--sigma", 1], ["--gamma", 0.5]]:
            self.run_well(DATA / "iris.csv", *width, "--components", "cv", "--cv-components", "1,2",
                          "--cv-criterion", "preimages", path="")
            errors = self.report()["cross_validation"]["errors"]
            self.assertEqual(len(errors), 1)
            first = errors if width[0] == "--sigma" else first
            for a, b in zip(errors[0], first[0]):
                self.assertAlmostEqual(a, b, delta=1e-9)
        done = self.run_well(x, "--kernel", "linear", "--components", "cv", "--cv-components", "1,2",
                             "--cv-criterion", "labels", "--labels", labels, path="")
        self.assertIn("kpca: --components cv: the best number is the largest that was tried, 2",
                      done.stderr)
        # In one word.
        preimages, few = ["--cv-criterion", "preimages"], ["--cv-components", "1,2"]
        for selected, rest, same in [
                ("sigma,components", few, ["--sigma", "cv", "--components", "cv", *preimages]),
                ("sigma", ["--components", 3], ["--sigma", "cv"]),
                ("components", ["--sigma", 1, *few], ["--components", "cv", *preimages])]:
            self.run_well(DATA / "iris.csv", *same, *rest, path="")
            expected = self.report()["cross_validation"]
            self.run_well(DATA / "iris.csv", "--select", selected, *rest, path="")
            self.assertEqual(self.report()["cross_validation"], expected)
        # Both may be at their edge; and a number with a zero in front is not octal.
        done = self.run_well(DATA / "iris.csv", "--sigma", "cv", "--cv-grid", "1,30", "--components",
                             "cv", "--cv-components", "1,03", "--cv-criterion", "labels", "--labels",
                             DATA / "iris_species.csv", "--seed", "010", path="")
        self.assertEqual(self.report()["seed"], 10)
        self.assertEqual(self.report()["cross_validation"]["component_counts"], [1, 3])
        self.assertIn("--sigma cv: the best width is the smallest that was tried", done.stderr)
        self.assertIn("kpca: --components cv: the best number is the largest that was tried, 3",
                      done.stderr)

    def test_standardize(self):
        rows = iris()
        n = len(rows)
        means = [math.fsum(column) / n for column in zip(*rows)]
        deviations = [math.sqrt(math.fsum((v - m) ** 2 for v in column) / n)
                      for column, m in zip(zip(*rows), means)]
        by_hand = [[(v - m) / s for v, m, s in zip(row, means, deviations)] for row in rows]
        kernel = ["--kernel", "linear", "--components", 4]
        self.run_well(write_npy(self.dir / "x.npy", by_hand), *kernel, path="")
        expected, scores = self.report()["eigenvalues"], read_npy(self.out / "scores.npy")
        x = write_npy(self.dir / "x.npy", rows)
        self.run_well(x, *kernel, "--standardize", "--project", DATA / "iris.csv", path="")
        report = self.report()
        for value, known in zip(report["standardized"]["mean"], means):
            self.assertAlmostEqual(value, known, delta=1e-12)
        for value, known in zip(report["standardized"]["deviation"], deviations):
            self.assertAlmostEqual(value, known, delta=1e-12)
        for value, known in zip(report["eigenvalues"], expected):
            self.assertAlmostEqual(value, known, delta=1e-9 * expected[0])
        for row, known in zip(read_npy(self.out / "projected.npy"), scores):
            for value, one in zip(row, known):
                self.assertAlmostEqual(value, one, delta=1e-9 * expected[0])
        # The same of a file that is read piece by piece, and without the means of a sparse one.
        self.run_well(x, *kernel, "--standardize", "--solver", "features", path="")
        for value, known in zip(self.report()["eigenvalues"], expected):
            self.assertAlmostEqual(value, known, delta=1e-9 * expected[0])
        self.assertEqual(len(read_npy(self.out / "scores.npy")), n)
        sparse = write_svm(self.dir / "x.svm", rows)
        self.run_well(sparse, *kernel, "--scale-only", path="")
        self.assertNotIn("mean", self.report()["standardized"])
        for value, known in zip(self.report()["eigenvalues"], expected):
            self.assertAlmostEqual(value, known, delta=1e-9 * expected[0])
        self.assertNotIn("standardized", self.run_report(x, *kernel))
        shutil.rmtree(self.out)
        self.assert_mistake([sparse, "--standardize"], "x.svm", "--standardize", "zeros",
                            "--scale-only")

    def run_report(self, *arguments):
        self.run_well(*arguments, path="")
        return self.report()

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

    def test_what_single_precision_hides(self):
        far = write_npy(self.dir / "far.npy", [[1e9 + v for v in row] for row in iris()])
        large = write_npy(self.dir / "large.npy", [[1e155 * v for v in row] for row in iris()])
        self.run_well(far, path="")
        shutil.rmtree(self.out)
        advice = "; this is in single precision, take --precision double\n"
        if "double precision alone" in self.run_kpca(far, "--precision", "single").stderr:
            self.skipTest("built without single precision")
        for path in [far, large]:
            self.assert_mistake([path, "--precision", "single"], path, advice)

    def test_one_sample_without_centring(self):
        self.run_well(write_npy(self.dir / "one.npy", [[3.0, 4.0]]), "--no-center", "--kernel",
                      "linear")
        self.assertEqual(read_npy(self.out / "eigenvalues.npy"), [25.0])
        self.assertEqual(read_npy(self.out / "scores.npy"), [[5.0]])

    def test_short_help(self):
        for words in [["--help"], ["-h"], [DATA / "iris.csv", "--help"]]:
            text = self.run_well(*words).stdout
            self.assertLessEqual(text.count("\n"), 25)
            self.assertLessEqual(max(map(len, text.splitlines())), 80)
            self.assertEqual(len([line for line in text.splitlines() if line.startswith("  kpca ")]), 2)
            for word in ["--kernel", "--components", "--help-all", "Exit status", "130"]:
                self.assertIn(word, text)

    def test_help_on_one_thing(self):
        for name, parts in [("rbf", ["kernel gaussian (or rbf", "exp(-|x-y|^2", "--sigma", "median"]),
                            ("linear", ["x.y", "no parameters"]),
                            ("spgd", ["solver spgd", "--lambda", "--checkpoints"]),
                            ("memory-budget", ["--memory-budget SIZE", "1G"]),
                            ("step-offset", ["t0 of the steps"])]:
            text = self.run_well("--help", name).stdout
            for part in parts:
                self.assertIn(part, text)
        self.assertNotIn("--degree", self.run_well("--help", "gaussian").stdout)
        self.assert_mistake(["--help", "gaussin"], "'gaussin'", "did you mean gaussian?")
        for words in [["--help", "--sigma"], ["-h", "--sigma"], ["--help=--sigma"],
                      ["--help-all", "sigma"]]:
            self.assertEqual(self.run_well(*words).stdout, self.run_well("--help", "sigma").stdout)
        self.assertEqual(self.run_well("--help", "-n").stdout,
                         self.run_well("--help", "--components").stdout)
        for words in [["--help", "--no-such"], ["--help", "n"], ["--help-all", "foo"],
                      ["--help", "gaussian", "foo"]]:
            self.assert_mistake(words, f"'{words[-1]}'")
        self.assert_mistake(["--help", "--sigmas"], "'--sigmas'", "did you mean --sigma?")
        # Behind an input they are the rest of a command line that was edited.
        self.assertEqual(self.run_well(DATA / "iris.csv", "--help", "--sigma", 2).stdout,
                         self.run_well("--help").stdout)

    def test_help_on_several_things(self):
        several = self.run_well("--help", "gaussian", "matern", "--weights").stdout
        self.assertEqual(several, "\n".join(self.run_well("--help", name).stdout
                                            for name in ["gaussian", "matern", "weights"]))
        both = self.run_well("--help", "merge", "gaussian").stdout
        self.assertTrue(both.startswith(self.run_well("--help", "merge").stdout))
        self.assertIn("kernel gaussian", both)

    def test_manual_and_completions(self):
        options = set(re.findall(r"^  (?:-\w,)?(--[a-z0-9-]+)",
                                 self.run_well("--help-all").stdout, re.M))
        self.assertGreater(len(options), 50)
        page = self.run_well("--print", "man").stdout
        self.assertTrue(page.startswith('.TH KPCA 1 "" "mercer '))
        for section in ["NAME", "SYNOPSIS", "EXAMPLES", "OPTIONS", "EXIT STATUS", "ENVIRONMENT",
                        "SEE ALSO"]:
            self.assertIn(f".SH {section}\n", page)
        self.assertNotRegex(page, r"(?m)^'")
        forms = {"bash": page, **{shell: self.run_well("--print", f"{shell}-completion").stdout
                                  for shell in ["bash", "zsh", "fish"]}}
        for option in options:
            self.assertIn(option.replace("-", "\\-"), page)
            self.assertIn(option, forms["bash"])
            self.assertIn(option, forms["zsh"])
            self.assertIn(f" -l {option[2:]}", forms["fish"])
        for shell in ["bash", "zsh", "fish"]:
            self.assertIn("rational-quadratic", forms[shell])
            self.assertNotIn("--print", forms[shell])
            program = shutil.which(shell)
            if program:
                script = self.dir / shell
                script.write_text(forms[shell])
                checked = subprocess.run([program, "-n", script], capture_output=True, text=True)
                self.assertEqual((checked.returncode, checked.stderr), (0, ""))
        self.assert_mistake(["--print", "html"], "--print", "html", "man")

    @unittest.skipUnless(shutil.which("bash"), "bash is not installed")
    def test_bash_completes(self):
        script = self.dir / "complete"
        script.write_text(self.run_well("--print", "bash-completion").stdout)
        def complete(*words):
            asked = " ".join(["kpca", *words])
            done = subprocess.run(
                ["bash", "-c", f"compopt() {{ :; }}; source {script}; COMP_WORDS=({asked} '{words[-1]}');"
                 f" COMP_WORDS=(kpca {' '.join(words[:-1])} '{words[-1]}');"
                 f" COMP_CWORD={len(words)}; _kpca; echo \"${{COMPREPLY[@]}}\""],
                capture_output=True, text=True, cwd=self.dir)
            self.assertEqual(done.stderr, "")
            return done.stdout.split()
        self.assertEqual(complete("--kernel", "gau"), ["gaussian"])
        self.assertEqual(complete("-s", "la"), ["lanczos"])
        self.assertEqual(complete("--compo"), ["--components"])
        self.assertEqual(complete("--labels", "compl"), ["complete"])
        self.assertEqual(complete("--components", ""), [])

    def test_names_that_people_type(self):
        short = ["-k", "rbf", "-n3", "-s", "dense", "-j", 1]
        self.run_well(DATA / "iris.csv", *short, path="")
        report = self.report()
        self.assertEqual((report["kernel"], report["components"], report["solver"]),
                         ("gaussian", 3, "exact"))
        for alias, kernel in [("poly", "polynomial"), ("Laplacian", "laplacian"),
                              ("rational_quadratic", "rational-quadratic")]:
            self.run_well(DATA / "iris.csv", "--kernel", alias, path="")
            self.assertEqual(self.report()["kernel"], kernel)

    def test_help_and_version(self):
        done = self.run_well("--help-all")
        for word in ["--kernel", "reciprocal-semigroup", "--sigma", "median", "--project", "1/d",
                     "--solver", "block-krylov", "--tolerance", "--memory-budget", "--landmarks",
                     "--sampling", "rp-cholesky", "--trace-tolerance", "spgd", "--estimator", "--lambda",
                     "--checkpoints", "lambda is not added back", "kernel-hebbian", "--gain",
                     "--epochs", "--save", "--load", "--standardize", "--cv-criterion", *MAPS]:
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


class Solvers(Runs):
    """All solvers beside the exact one, on files small enough for it."""

    SAMPLINGS = ["uniform", "kmeans", "rp-cholesky", "greedy"]

    @staticmethod
    def six_hundred():
        return [[a + 0.03 * ((7 * i + 3 * j) % 11) for j, a in enumerate(row)]
                for i, row in enumerate(4 * iris())]

    def eigenvalues(self, *arguments):
        self.run_well(*arguments)
        return read_npy(self.out / "eigenvalues.npy")

    def assert_near(self, values, expected, relative):
        self.assertEqual(len(values), len(expected))
        for a, b in zip(values, expected):
            self.assertAlmostEqual(a, b, delta=relative * expected[0])

    def assert_same_as_exact(self, relative, *arguments):
        exact = self.eigenvalues(*arguments, "--solver", "exact")
        for solver in ["block-krylov", "lanczos"]:
            with self.subTest(solver=solver):
                mu = self.eigenvalues(*arguments, "--solver", solver, "--tolerance", relative)
                report = self.report()
                self.assertEqual(report["solver"], solver)
                self.assertNotIn("solver_requested", report)
                self.assertEqual(report["tolerance"], relative)
                self.assertGreater(report["kernel_products"], 0)
                # The error of an eigenvalue is at most its residual, and that at most the tolerance.
                self.assert_near(mu, exact, relative)
                self.assertLessEqual(max(report["residuals"]), relative * mu[0])

    def test_components_that_rounding_hides(self):
        for solver in ["auto", "exact", "block-krylov", "nystrom"]:
            for origin in [1e7, 1e8]:  # there is one component at most
                far = write_npy(self.dir / "far.npy", [[origin + a for a in row] for row in iris()])
                self.assert_not_converged([far, "--kernel", "linear", "--solver", solver],
                                          "far from the origin")
                shutil.rmtree(self.out)
            self.run_well(far, "--kernel", "linear", "--solver", solver, "--standardize", path="")
            self.assert_not_converged([write_npy(self.dir / "x.npy", iris()), "--sigma", 1e300, "--solver", solver],
                                      "take a smaller width")
            shutil.rmtree(self.out)

    def test_iterative_solvers(self):
        x = write_npy(self.dir / "x.npy", self.six_hundred())
        self.assert_same_as_exact(1e-9, x, "--components", 5)
        self.assert_same_as_exact(1e-9, x, "--components", 5, "--no-center")
        self.assert_same_as_exact(1e-9, x, "--components", "0.9")
        self.assert_same_as_exact(1e-4, x, "--components", 5, "--precision", "single")

    def test_sparse_and_precomputed(self):
        rows = self.six_hundred()
        self.assert_same_as_exact(1e-9, write_svm(self.dir / "x.svm", rows), "--sigma", 2)
        kernel = KERNELS["gaussian"][1]
        gram = [[kernel(x, y) for y in rows[:200]] for x in rows[:200]]
        self.assert_same_as_exact(1e-9, write_npy(self.dir / "gram.npy", gram), "--kernel",
                                  "precomputed")

    def test_indefinite_kernel(self):
        self.assert_same_as_exact(1e-9, DATA / "iris.csv", "--components", 2, "--kernel", "sigmoid",
                                  "--gamma", 0.01, "--coef0", -1)

    def test_projections(self):
        x = write_npy(self.dir / "x.npy", self.six_hundred())
        for solver in [["block-krylov"], ["nystrom", "--landmarks", 50],
                       ["nystrom", "--landmarks", 50, "--sampling", "kmeans"]]:
            self.run_well(x, "--project", x, "--components", 4, "--solver", *solver)
            scores, projected = (read_npy(self.out / f"{f}.npy") for f in ["scores", "projected"])
            tolerance = 1e-5 * math.sqrt(self.report()["eigenvalues"][0])
            for score, other in zip(scores, projected):
                for a, b in zip(score, other):
                    self.assertAlmostEqual(a, b, delta=tolerance)

    def test_projections_that_overflow(self):
        # What was fitted is written, and the samples without scores are named.
        train = write_npy(self.dir / "train.npy", iris())
        fresh = write_npy(self.dir / "fresh.npy", [iris()[0], [300.0] * 4, [1e200] * 4])
        (self.dir / "no").mkdir()
        saves = "built without" not in self.run_kpca("--load", "x", "--project", "x").stderr
        for solver in [["exact"], ["features", "--map", "nystrom", "--features", 40]]:
            save = ["--save", self.dir / "model"] if saves else []
            fit = [train, "--kernel", "exponential-dot", "--gamma", 1, "--components", 2,
                   "--solver", *solver]
            self.run_well(*fit, "--project", train, path="")
            done = self.run_kpca(*fit, "--project", fresh, *save, path="")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(f"kpca: {fresh}: the kernel's values overflow at row 2 and at 1 more, so there "
                          "are no projected samples", done.stderr)
            self.assertEqual(sorted(p.name for p in self.out.iterdir()),
                             ["eigenvalues.npy", "report.json", "scores.npy"])
            self.assertEqual(self.report()["projected_rows"], 0)
            self.assertNotIn("projected.npy", done.stdout)
            shutil.rmtree(self.out)
            if save:
                self.assert_mistake(["--load", self.dir / "model", "--project", fresh], fresh,
                                    "overflow at row 2")

    def test_nystrom(self):
        common = [DATA / "iris.csv", "--sigma", 1.5, "--components", 6]
        exact = self.eigenvalues(*common, "--solver", "exact")
        for sampling in self.SAMPLINGS:
            with self.subTest(sampling=sampling):
                nystrom = [*common, "--solver", "nystrom", "--sampling", sampling]
                # With all samples for landmarks nothing is lost.
                self.assert_near(self.eigenvalues(*nystrom, "--landmarks", 150), exact, 1e-9)
                mu = self.eigenvalues(*nystrom, "--landmarks", 20)
                report = self.report()
                self.assertEqual(report["solver"], "nystrom")
                self.assertLessEqual(report["landmarks"], 20)
                self.assertGreater(report["trace_error"], 1e-6 * exact[0])
                self.assertNotIn("tolerance", report)
                for value, true, bound in zip(mu, exact, report["eigenvalue_error_bounds"]):
                    self.assertLessEqual(abs(value - true), bound)
        self.eigenvalues(*common, "--solver", "nystrom")
        self.assertIn("rp-cholesky", self.report()["solver_description"])
        self.assertGreater(self.report()["sampling_evaluations"], 150)

    def test_landmarks_for_comparisons(self):
        common = [DATA / "iris.csv", "--sigma", 1.5, "--components", 6]
        exact = self.eigenvalues(*common, "--solver", "exact")
        for sampling in ["sequential", "diagonal", "column-norms"]:
            with self.subTest(sampling=sampling):
                mu = self.eigenvalues(*common, "--solver", "nystrom", "--sampling", sampling,
                                      "--landmarks", 20)
                report = self.report()
                self.assertLessEqual(report["landmarks"], 20)
                for value, true, bound in zip(mu, exact, report["eigenvalue_error_bounds"]):
                    self.assertLessEqual(abs(value - true), bound)

    def test_online_and_sparse(self):
        common = [DATA / "iris.csv", "--sigma", 1.5, "--components", 3]
        exact = self.eigenvalues(*common, "--solver", "exact")
        for arguments, near in [(["online-hebbian", "--threshold", 0.01, "--epochs", 20], 0.1),
                                (["sparse-likelihood", "--noise", 0.02], 0.1)]:
            with self.subTest(solver=arguments[0]):
                mu = self.eigenvalues(*common, "--solver", *arguments)
                report = self.report()
                self.assertEqual(report["solver"], arguments[0])
                self.assertLess(report["landmarks"], 150)
                self.assert_near(mu, exact, near)
                for value, true in zip(mu, exact):
                    self.assertLessEqual(value, true * (1 + 1e-9))

    def test_kernel_oja(self):
        common = [DATA / "iris.csv", "--sigma", 1.5, "--components", 3]
        exact = self.eigenvalues(*common, "--solver", "exact")
        mu = self.eigenvalues(*common, "--solver", "kernel-oja", "--data-batch", 15, "--epochs", 20,
                              "--rule", "gha")
        self.assertEqual(self.report()["solver"], "kernel-oja")
        self.assertNotIn("batches of all", self.report()["reason"])
        self.assert_near(mu, exact, 0.05)
        for value, true in zip(mu, exact):
            self.assertLessEqual(value, true * (1 + 1e-9))
        self.run_well(*common, "--solver", "kernel-oja", "--data-batch", 2000)
        self.assertIn("batches of all 150 samples", self.report()["reason"])

    def test_seed(self):
        runs = []
        for seed in [1, 1, 2]:
            runs.append(self.eigenvalues(DATA / "iris.csv", "--solver", "nystrom", "--landmarks", 15,
                                         "--sampling", "uniform", "--seed", seed))
        self.assertEqual(runs[0], runs[1])
        self.assertNotEqual(runs[0], runs[2])

    def test_trace_tolerance(self):
        for sampling in self.SAMPLINGS:
            self.run_well(DATA / "iris.csv", "--kernel", "linear", "--no-center", "--components", 2,
                          "--solver", "nystrom", "--sampling", sampling, "--landmarks", 3,
                          "--trace-tolerance", 1e-6)
            report = self.report()
            self.assertEqual(report["trace_tolerance"], 1e-6)
            self.assertLessEqual(report["trace_error"], 1e-6 * report["trace"])

    def test_auto(self):
        x = write_npy(self.dir / "x.npy", self.six_hundred())
        exact = self.eigenvalues(x, "--components", 3, "--solver", "exact")
        mu = self.eigenvalues(x, "--components", 3)
        report = self.report()
        expected = {"solver": "block-krylov", "solver_requested": "auto", "tolerance": 1e-6,
                    "status": "converged", "storage": "tiles stored"}
        self.assertEqual({key: report[key] for key in expected}, expected)
        self.assertIn("n = 600", report["reason"])
        self.assertLessEqual(max(report["residuals"]), 1e-6 * mu[0])
        self.assert_near(mu, exact, 1e-6)
        # Many components are found by the exact solver.
        self.run_well(x, "--components", 100)
        self.assertEqual(self.report()["solver"], "exact")

    def test_precision_of_tiles(self):
        x = write_npy(self.dir / "x.npy", self.six_hundred())
        for tolerance, precision in [(1e-4, "single"), (1e-10, "double")]:
            self.run_well(x, "--sigma", 2, "--components", 3, "--tolerance", tolerance)
            self.assertEqual(self.report()["precision"], precision)

    def test_memory_budget(self):
        x = write_npy(self.dir / "x.npy", self.six_hundred())
        for solver in ["block-krylov", "lanczos"]:
            common = [x, "--components", 3, "--solver", solver, "--tolerance", 1e-10]
            stored = self.eigenvalues(*common, "--memory-budget", "1G")
            self.assertEqual(self.report()["storage"], "tiles stored")
            self.assertEqual(self.report()["memory_budget"], 1 << 30)
            # Room for the vectors and a tile, and not for the six tiles of this matrix.
            recomputed = self.eigenvalues(*common, "--memory-budget", "2M")
            self.assertEqual(self.report()["storage"], "tiles recomputed")
            self.assert_near(recomputed, stored, 1e-13)
        # The matrix of doubles has 2.9 MB.
        self.run_well(x, "--components", 3, "--solver", "exact", "--memory-budget", "6M")
        shutil.rmtree(self.out)
        # In the words and sizes of options.
        self.assert_mistake([x, "--components", 3, "--solver", "block-krylov", "--memory-budget", "9k"],
                            f"kpca: {x}: --memory-budget: 9K is too small for --solver block-krylov",
                            "--components", "--landmarks")
        for components, budget in [(3, "2.7M"), (0.9, "2.7M"), (600, "6M")]:
            self.assert_mistake([x, "--components", components, "--solver", "exact",
                                 "--memory-budget", budget], "--memory-budget: the solver exact takes")
        self.assert_mistake([x, "--components", 3, "--solver", "exact", "--memory-budget", "100K"],
                            "the solver exact takes", " KiB for n = ")
        self.assert_mistake([x, "--solver", "sparse-likelihood", "--memory-budget", "16M"],
                            "--memory-budget: the solver sparse-likelihood takes")  # 17.3 MB
        # What an option asks for is not limited; it is shown.
        for solver, option, number in (("features", "--features", 500), ("nystrom", "--landmarks", 400)):
            for budget, shown in (("1M", True), ("1G", False)):
                out = self.run_well(x, "--solver", solver, option, number, "--memory-budget", budget).stdout
                self.assertEqual(f"more than --memory-budget; fewer {option} take less" in out, shown, out)
        for size, number in {"6000000": 6000000, "1.5G": 3 << 29, "1T": 1 << 40, "1GB": 1 << 30,
                             "1gib": 1 << 30, "500M": 500 << 20, "6000000B": 6000000}.items():
            self.run_well(x, "--memory-budget", size)
            self.assertEqual(self.report()["memory_budget"], number)
        # The help says what the code does.
        most = re.search(r"at\s+most\s+(\d+)G", self.run_well("--help-all").stdout)
        self.run_well(x, "--components", 3, path="")
        self.assertLessEqual(self.report()["memory_budget"], int(most[1]) << 30)
        if self.report()["memory_budget"] > 1 << 29:
            self.assertEqual(self.report()["memory_budget"], int(most[1]) << 30)

    def test_not_converged(self):
        self.assert_not_converged([DATA / "iris.csv", "--sigma", 0.1, "--components", 0.999,
                                   "--solver", "nystrom", "--landmarks", 20],
                                  "20 landmarks", "--landmarks", "block-krylov")
        # A chain of points has leading eigenvalues as close as those of a vibrating string.
        chain = write_npy(self.dir / "chain.npy", [[float(i)] for i in range(1500)])
        self.assert_not_converged([chain, "--sigma", 0.5, "--components", 8, "--tolerance", 1e-11],
                                  "mu_1", "1e-11", "--tolerance", "exact")


class Stochastic(Runs):
    """spgd and kernel-hebbian, on every third sample of Iris; the seed makes the runs repeatable."""

    def setUp(self):
        super().setUp()
        self.x = write_npy(self.dir / "x.npy", iris()[::3])
        self.n = 50

    def results(self, *arguments):
        """Eigenvalues and the report."""
        self.run_well(self.x, *arguments, path="")
        return read_npy(self.out / "eigenvalues.npy"), self.report()

    def exact_pairs(self, *arguments):
        """The eigenvalues, and u_i mu_i^(1/2) for each."""
        mu, _ = self.results(*arguments, "--components", self.n, "--solver", "exact")
        return mu, list(zip(*read_npy(self.out / "scores.npy")))

    def test_spgd_report(self):
        mu, report = self.results("--solver", "spgd", "--components", 3, "--features", 10,
                                  "--iterations", 12, "--step-offset", 1, "--max-rank", 6)
        expected = {"solver": "spgd", "status": "finished", "estimator": "random-fourier",
                    "features": 10, "iterations_requested": 12, "iterations": 12, "start": "zero",
                    "step_offset": 1, "max_rank": 6, "checkpoints": [], "components": len(mu)}
        self.assertEqual({key: report[key] for key in expected}, expected)
        self.assertEqual(len(report["ranks"]), 12)
        self.assertLessEqual(max(report["ranks"]), 6)
        self.assertGreater(report["expected_error"], 0)
        self.assertIsNone(report["error_bound"])  # with an offset there is no guarantee
        exact, _ = self.exact_pairs()
        # Half way between two eigenvalues of all samples, as there are few of them.
        self.assertAlmostEqual(report["lambda"], (exact[2] + exact[3]) / 2, delta=1e-9)
        for key in ["lambda", "ranks", "estimator", "tolerance"]:
            self.assertNotIn(key, self.report())  # that of the exact solver
        fraction, report = self.results("--solver", "spgd", "--components", 0.9, "--features", 10)
        self.assertGreater(len(fraction), 0)
        self.assertGreater(report["error_bound"], report["expected_error"])
        self.assertEqual(report["components_requested"], 0.9)

    def test_lambda_rule(self):
        exact, _ = self.exact_pairs()
        # Of all samples a tenth of the eigenvalues count; the largest relative fall is the elbow.
        elbow = max(range(1, self.n // 10 + 1), key=lambda i: exact[i - 1] / exact[i])
        _, report = self.results("--solver", "spgd", "--components", 1, "--features", 10,
                                 "--lambda-rule", "elbow")
        self.assertAlmostEqual(report["lambda"], (exact[elbow - 1] + exact[elbow]) / 2, delta=1e-9)
        self.assertEqual(report["lambda_rule"], "elbow")

    def test_estimators(self):
        sparse = write_svm(self.dir / "x.svm", iris()[::3])
        for kernel, chosen, named, estimator in [
                ("gaussian", self.x, [], "random-fourier"),
                ("matern", sparse, [], "random-fourier"),
                ("polynomial --degree 2", sparse, [], "random-maclaurin"),
                ("chi-square", self.x, [], "symmetric-columns"),
                ("gaussian", sparse, ["columns"], "columns"),
                ("linear", self.x, ["symmetric-columns"], "symmetric-columns")]:
            for precision in ["double", "single"]:
                with self.subTest(kernel=kernel, estimator=estimator, precision=precision):
                    common = ["--kernel", *kernel.split()]
                    exact, _ = self.exact_pairs(*common)
                    self.run_well(chosen, *common, "--precision", precision, "--solver", "spgd",
                                  "--components", 3, "--features", 40, "--iterations", 400,
                                  *[word for name in named for word in ["--estimator", name]],
                                  path="")
                    report = self.report()
                    self.assertEqual(report["estimator"], estimator)
                    self.assertEqual(report["precision"], precision)
                    mu = report["eigenvalues"]
                    self.assertGreater(len(mu), 0)
                    # Weyl: no eigenvalue is off by more than |Z - K^|_F, whose square was measured
                    # at 0.6 to 1.2 of the prediction; 4 leaves room for a single run. That is 2 % of
                    # mu_1 for Fourier features, and 12 % for columns, whose draws vary the most.
                    bound = 2 * self.n * math.sqrt(report["expected_error"])
                    self.assertLess(bound, 0.12 * exact[0])
                    # A matrix is off in all directions alike, and single eigenvalues by much less:
                    # 0.9 % of mu_1 at most were measured for these seeds.
                    bound = min(bound, 0.02 * exact[0])
                    for value, true in zip(mu, exact):
                        self.assertLessEqual(abs(value - true), bound)

    def test_a_large_residual_is_shown(self):
        few = [DATA / "iris.csv", "--components", 2, "--solver", "spgd", "--estimator", "columns"]
        rough = self.run_well(*few, "--features", 2)
        self.assertEqual(self.report()["status"], "finished")
        self.assertGreater(max(self.report()["residuals"]), 0.1 * self.report()["eigenvalues"][0])
        self.assertRegex(rough.stdout, r"finished in .*\nthe largest residual is 0\.\d+ mu_1")
        self.assertNotIn("largest residual", self.run_well(*few, "--features", 150).stdout)

    def test_columns_by_default_are_no_more_than_there_are(self):
        few = write_npy(self.dir / "few.npy", iris()[::10])
        self.run_well(few, "--kernel", "intersection", "--components", 2, "--solver", "spgd",
                      path="")
        self.assertEqual(self.report()["features"], 15)
        # All columns are K itself.
        mu = self.report()["eigenvalues"]
        self.run_well(few, "--kernel", "intersection", "--components", 2, "--solver", "exact",
                      path="")
        for value, true in zip(mu, self.report()["eigenvalues"]):
            self.assertAlmostEqual(value, true, delta=1e-10 * mu[0])

    def test_checkpoints(self):
        threshold = 0.3
        exact, scores = self.exact_pairs("--sigma", 1.5)
        kept = [(m - threshold, [s / math.sqrt(m) for s in u])
                for m, u in zip(exact, scores) if m > threshold]
        iterations, seeds = [40, 4], range(4)
        errors, expected = dict.fromkeys(iterations, 0), 0
        for seed in seeds:
            mu, report = self.results("--sigma", 1.5, "--solver", "spgd", "--lambda", threshold,
                                      "--features", 20, "--components", self.n, "--iterations", 40,
                                      "--checkpoints", "40,4", "--seed", seed)
            self.assertEqual(report["checkpoints"], iterations)
            expected += report["expected_error"] / len(seeds)
            for t in iterations:
                values = read_npy(self.out / f"iterate_{t}_values.npy")
                columns = list(zip(*read_npy(self.out / f"iterate_{t}_vectors.npy")))
                self.assertEqual(len(values), report["ranks"][t - 1])
                # |Z - K^|_F^2 from the products of their orthonormal eigenvectors.
                cross = math.fsum(s * m * dot(u, v) ** 2
                                  for s, u in zip(values, columns) for m, v in kept)
                squares_of_both = math.fsum(s * s for s in values + [m for m, _ in kept])
                errors[t] += (squares_of_both - 2 * cross) / self.n ** 2 / len(seeds)
            # Of the last iterate these are the eigenvalues, lambda added back.
            for s, m in zip(read_npy(self.out / "iterate_40_values.npy"), mu):
                self.assertAlmostEqual(s + threshold, m, delta=1e-12 * mu[0])
        # The error falls like 1/t. The prediction has one pair of draws to go by.
        self.assertLess(errors[40], errors[4] / 3)
        self.assertLess(errors[40], 3 * expected)
        self.assertGreater(errors[40], expected / 3)

    def test_lambda_of_zero(self):
        _, report = self.results("--solver", "spgd", "--lambda", 0, "--features", 5, "--iterations",
                                 3, "--components", 2)
        self.assertEqual(report["lambda"], 0)
        self.assertIn("lambda is 0", report["reason"])
        # Sines and cosines of 5 frequencies; the second step, of length 1, replaces the iterate,
        # and from there on nothing is lost.
        self.assertEqual(report["ranks"], [10, 10, 20])

    def test_start(self):
        exact, _ = self.exact_pairs("--sigma", 1.5)
        for landmarks in [[], ["--landmarks", self.n]]:
            mu, report = self.results("--sigma", 1.5, "--solver", "spgd", "--components", 4,
                                      "--start", "nystrom", *landmarks, "--iterations", 2)
            self.assertEqual(report["start"], "nystrom")
            self.assertEqual(report["start_landmarks"], self.n)
            # All samples are landmarks, so nothing is left to improve, and the steps are small.
            for value, true in zip(mu, exact[:4]):
                self.assertAlmostEqual(value, true, delta=1e-5 * exact[0])

    def test_projections(self):
        training, new = iris()[::3], iris()[1::15]
        kernel = KERNELS["gaussian"][1]
        gram = [[kernel(x, y) for y in training] for x in training]
        cross = centred([[kernel(x, y) for y in training] for x in new], gram)
        fresh = write_npy(self.dir / "new.npy", new)
        for solver in [["spgd", "--features", 10, "--iterations", 20],
                       ["spgd", "--features", 20, "--iterations", 20, "--estimator", "columns"],
                       ["kernel-hebbian", "--epochs", 20]]:
            with self.subTest(solver=solver):
                mu, _ = self.results("--sigma", 1.5, "--project", fresh, "--components", 2,
                                     "--solver", *solver)
                scores = list(zip(*read_npy(self.out / "scores.npy")))
                # Both solvers expand a component over all samples. Its coefficients are u / mu^1/2
                # for spgd; kernel-hebbian has others, which are so at the end of its way.
                near = 1e-9 if solver[0] == "spgd" else 0.05
                for row, values in zip(cross, read_npy(self.out / "projected.npy")):
                    for i, value in enumerate(values):
                        self.assertAlmostEqual(value, dot(row, scores[i]) / mu[i],
                                               delta=near * math.sqrt(mu[0]))

    def test_kernel_hebbian(self):
        exact, _ = self.exact_pairs("--sigma", 1.5)
        for gain in ["constant", "inverse-time", "et", "et-star", "smd"]:
            with self.subTest(gain=gain):
                mu, report = self.results("--sigma", 1.5, "--solver", "kernel-hebbian", "--gain",
                                          gain, "--epochs", 10, "--components", 2, "--tolerance",
                                          0.2, "--precision", "single" if gain == "et" else "double")
                expected = {"solver": "kernel-hebbian", "gain": gain, "epochs": 10,
                            "tolerance": 0.2, "iterations": 10 * self.n}
                self.assertEqual({key: report[key] for key in expected}, expected)
                self.assertNotIn("step", report)
                self.assertLessEqual(max(report["residuals"]), 0.2 * mu[0])
                for value, true in zip(mu, exact):
                    self.assertLessEqual(value, true * (1 + 1e-6))
                    # The error is at most the square of the residual over the gap, which is more
                    # than the residual here; so this is the weaker bound.
                    self.assertGreaterEqual(value, true - 0.2 * mu[0])
        _, report = self.results("--solver", "kernel-hebbian", "--step", 0.125, "--components", 2)
        self.assertEqual((report["step"], report["gain"], report["epochs"]), (0.125, "et-star", 50))
        self.assertIn("gain step 0.125", report["reason"])

    def test_features(self):
        exact, _ = self.exact_pairs("--sigma", 1.5)
        mu, report = self.results("--sigma", 1.5, "--solver", "features", "--features", 2000,
                                  "--components", 2)
        expected = {"solver": "features", "map": "random-fourier", "features": 2000,
                    "status": "converged", "n": self.n, "d": 4}
        self.assertEqual({key: report[key] for key in expected}, expected)
        for value, true in zip(mu, exact):
            # 1000 frequencies: entries of the Gram matrix are off by 0.02, mu_1 by a few of that.
            self.assertAlmostEqual(value, true, delta=0.1 * exact[0])
        scores = read_npy(self.out / "scores.npy")
        for value, column in zip(mu, zip(*scores)):
            self.assertAlmostEqual(dot(column, column), value, delta=1e-9 * mu[0])
        fraction, report = self.results("--solver", "features", "--components", 0.9)
        self.assertGreaterEqual(sum(fraction), 0.9 * report["trace"])

    def test_maps(self):
        """Each map against exact kernel PCA."""
        for name, (kernel, _, columns) in MAPS.items():
            with self.subTest(map=name):
                options = ["--kernel", *KERNELS[kernel][0].split(), "--components", 3]
                exact, _ = self.results(*options, "--solver", "exact")
                true = list(zip(*read_npy(self.out / "scores.npy")))[0]
                features = min(columns, self.n) if name == "nystrom" else 400
                mu, report = self.results(*options, "--solver", "features", "--map", name,
                                          "--features", features)
                self.assertEqual((report["map"], report["features"]), (name, columns))
                # Nothing is random in three of them. With 200 draws or more, entries of Z Z^T are
                # off by a twentieth of k(x, x) or so; all n^2 of these together are less than
                # 0.2 mu_1, and their spectral norm, which bounds the errors of eigenvalues, is less
                # than that.
                error = 1e-6 if name in ("exact", "homogeneous", "nystrom") else 0.2
                for value, expected in zip(mu, exact):
                    self.assertAlmostEqual(value, expected, delta=error * exact[0])
                # By the theorem of Davis and Kahan, the sine of the angle between components.
                scores = list(zip(*read_npy(self.out / "scores.npy")))[0]
                cosine = dot(scores, true) / math.sqrt(dot(scores, scores) * dot(true, true))
                self.assertLessEqual(math.sqrt(max(0, 1 - cosine ** 2)),
                                     2 * error / (1 - exact[1] / exact[0]))

    def test_natural_maps(self):
        for kernel, name in [("linear", "exact"), ("cosine", "exact"), ("cauchy", "random-fourier"),
                             ("polynomial", "tensor-sketch"), ("inverse-dot", "random-maclaurin"),
                             ("reciprocal-semigroup", "random-laplace"),
                             ("arc-cosine", "arc-cosine"), ("intersection", "additive"),
                             ("chi-square", "chi-square")]:
            for solver in ["features", "doubly-stochastic"]:
                options = [] if kernel != "inverse-dot" else ["--gamma", 0.005]
                _, report = self.results("--solver", solver, "--kernel", kernel, *options,
                                         "--features", 24)
                self.assertEqual((report["map"], report["features"]),
                                 (name, 4 if name == "exact" else 24))
                # As many by default as there can be.
                self.assertEqual(report["components_requested"], 4 if name == "exact" else 10)

    def test_columns_of_maps(self):
        """What there is, where it is not what was asked for."""
        for solver, name, kernel, asked, there in [
                ("features", "random-fourier", "gaussian", 31, 32),
                ("features", "additive", "intersection", 31, 32),
                ("features", "additive-threshold", "intersection", 31, 32),
                ("features", "homogeneous", "intersection", 31, 36),
                ("features", "nystrom", "linear", 31, 4),
                ("doubly-stochastic", "additive", "intersection", 130, 144),
                ("doubly-stochastic", "exact", "linear", 130, 4),
                ("doubly-stochastic", "nystrom", "gaussian", 31, 31)]:
            batch = ["--feature-batch", 20] if name == "additive" and asked == 130 else []
            _, report = self.results("--solver", solver, "--map", name, "--kernel", kernel,
                                     "--features", asked, *batch, "--components", 2)
            self.assertEqual(report["features"], there, name)
            self.assertEqual(report.get("feature_batch"), 24 if batch else None)
            told = self.run_well(self.x, "--solver", solver, "--map", name, "--kernel", kernel,
                                 "--features", asked, *batch, "--components", 2, path="").stderr
            self.assertEqual(f"kpca: --features {asked}: the map has only {there} here\n" in told,
                             there < asked, told)

    def test_maps_of_sparse_samples(self):
        # In memory both: of a stream, landmarks are chosen from its rows in another order.
        self.x = write_csv(self.dir / "x.csv", iris()[::3])
        sparse = write_svm(self.dir / "x.svm", iris()[::3])
        options = ["--solver", "features", "--features", 20, "--components", 2]
        for name in ["fastfood", "nystrom"]:
            dense, _ = self.results(*options, "--map", name)
            self.run_well(sparse, *options, "--map", name, path="")
            for value, expected in zip(read_npy(self.out / "eigenvalues.npy"), dense):
                self.assertAlmostEqual(value, expected, delta=1e-9 * dense[0])
        self.out = self.dir / "another"
        self.assert_mistake([sparse, *options, "--kernel", "intersection", "--map", "homogeneous"],
                            "x.svm", "sparse", "intersection", "dense")
        self.assert_mistake([sparse, *options, "--kernel", "intersection", "--map", "nystrom"],
                            "x.svm", "sparse", "intersection", "dense")

    def test_doubly_stochastic(self):
        exact, true = self.exact_pairs("--sigma", 1.5)
        arguments = ["--sigma", 1.5, "--solver", "doubly-stochastic", "--components", 2]
        for rule in ["oja", "gha"]:
            mu, report = self.results(*arguments, "--features", 1024, "--rule", rule)
            expected = {"solver": "doubly-stochastic", "rule": rule, "features": 1024,
                        "feature_batch": 128, "data_batch": 512, "epochs": 1, "iterations": 128,
                        "map": "random-fourier", "status": "finished", "n": self.n}
            self.assertEqual({key: report[key] for key in expected}, expected)
            self.assertIn(f"batches of all {self.n} samples; 128 passes in place of 1, for 128 steps",
                          report["reason"])
            self.assertEqual(len(mu), 2)
            # Entries of the Gram matrix of 512 frequencies have standard errors of (0.5 / 512)^(1/2),
            # 3 %, which the sums in an eigenvalue do not add to: 1.2 % and 0.7 % were measured, and
            # sin^2 of 2e-4 and 1.3e-3 between components. Each has its own bound.
            scores = list(zip(*read_npy(self.out / "scores.npy")))
            for value, column, exact_value, exact_column in zip(mu, scores, exact, true):
                self.assertAlmostEqual(value, exact_value, delta=0.03 * exact_value)
                self.assertAlmostEqual(dot(column, column), value, delta=1e-9 * value)
                cosine = dot(column, exact_column) / math.sqrt(exact_value * value)
                self.assertLess(1 - cosine ** 2, 5e-3)
        mu, report = self.results(*arguments, "--step", 0.5, "--data-batch", 20, "--epochs", 9,
                                  "--features", 20, "--feature-batch", 10)
        self.assertEqual((report["step"], report["data_batch"], report["epochs"]), (0.5, 20, 9))
        self.assertEqual(report["iterations"], 32)  # 16 for each of two blocks

    def test_streams(self):
        """A .npy file that is read in pieces gives what the same samples in memory give."""
        rows = [[math.sin(0.1 * i * (j + 1)) for j in range(3)] for i in range(5000)]
        in_memory, streamed = write_csv(self.dir / "y.csv", rows), write_npy(self.dir / "y.npy", rows)
        for solver in ["features", "doubly-stochastic"]:
            results = []
            for file in [in_memory, streamed]:
                self.run_well(file, "--gamma", 0.5, "--solver", solver, "--components", 2,
                              "--features", 32, "--project", self.dir / "y.csv")
                results.append([read_npy(self.out / f"{name}.npy")
                                for name in ["eigenvalues", "scores", "projected"]])
            self.assertEqual(results[0], results[1])
            self.assertEqual(results[0][1], results[0][2])
        # The width is from a part of the samples, the picture of the first of them.
        self.run_well(streamed, "--solver", "features", "--features", 16, "--labels",
                      write_csv(self.dir / "labels.csv", [[i % 2] for i in range(5000)]))
        self.assertTrue((self.out / "scores.svg").exists())

    def test_memory_of_streams(self):
        """64 MB of samples, never more than a few of them in memory."""
        one = [[math.sin(i * j) for j in range(1, 17)] for i in range(5000)]
        block = array.array("d", [value for row in one for value in row]).tobytes()
        header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (500000, 16), }\n"
        large = self.dir / "large.npy"
        with open(large, "wb") as file:
            file.write(b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header)
            for _ in range(100):
                file.write(block)
        memory = self.memory_of(large, "--solver", "features", "--features", 4, "--components", 2,
                                "--sigma", 2)
        self.assertLess(memory, 60)
        self.assertEqual(self.report()["n"], 500000)
        self.assertEqual((self.out / "scores.npy").stat().st_size, 128 + 500000 * 2 * 8)

    def test_seed(self):
        for solver in [["spgd", "--iterations", 3, "--features", 5],
                       ["kernel-hebbian", "--epochs", 2, "--tolerance", 1],
                       ["features", "--features", 20], ["doubly-stochastic", "--features", 20]]:
            runs = [self.results("--solver", *solver, "--components", 2, "--seed", seed)[0]
                    for seed in [1, 1, 2]]
            self.assertEqual(runs[0], runs[1])
            self.assertNotEqual(runs[0], runs[2])

    def test_not_converged(self):
        self.assert_not_converged([self.x, "--solver", "spgd", "--lambda", 51, "--iterations", 3],
                                  "no eigenvalue exceeds lambda = 51")
        self.assertEqual(self.report()["eigenvalues"], [])
        shutil.rmtree(self.out)
        done = self.run_kpca(self.x, "--solver", "spgd", "--lambda", 51, "--iterations", 3,
                             "--project", self.x, "--format", "csv", path="")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(self.report()["status"], "not converged")
        self.assertEqual((self.out / "eigenvalues.csv").read_text(), "eigenvalue\n")
        for name in ["scores.csv", "projected.csv"]:
            self.assertEqual((self.out / name).read_text(), "\n" * self.report()["n"])
        for solver, more in [("spgd", "--iterations"), ("doubly-stochastic", "--epochs")]:
            judged = [self.x, "--sigma", 1.5, "--solver", solver, "--components", 2, "--tolerance"]
            self.assert_not_converged([*judged, 1e-6], "the largest residual", "1e-06 mu_1", more)
            self.run_well(*judged, 0.5, path="")
            self.assertEqual(self.report()["status"], "converged")
            self.assertEqual(self.report()["tolerance"], 0.5)
        self.assert_not_converged([self.x, "--solver", "kernel-hebbian", "--gain", "constant",
                                   "--epochs", 1, "--components", 3, "--tolerance", 1e-6],
                                  "mu_1", "1e-06", "--epochs", "block-krylov")

    def test_memory_limit(self):
        # Room for the draws and a rank of 4: 50 (4 + 2 * 20) values of 8 bytes.
        growing = [self.x, "--solver", "spgd", "--features", 10, "--lambda", 0.01, "--iterations", 5]
        limited = [*growing, "--memory-budget", 17600]
        self.assert_not_converged(limited, "lambda = ", "a max_rank of 4 would fit")
        self.assertGreater(len(self.report()["eigenvalues"]), 4)
        self.run_well(*limited, "--max-rank", 4, path="")
        self.assert_not_converged([*growing, "--memory-budget", 15000], "draws of lower rank")


class Dual(Runs):
    """dual with all its losses, on every third sample of Iris."""

    def setUp(self):
        super().setUp()
        self.x = write_npy(self.dir / "x.npy", iris()[::3])
        self.n = 50
        self.common = ["--sigma", 1.5, "--components", 2]

    def scores(self, *arguments):
        """Columns of scores, and the report."""
        self.run_well(self.x, *self.common, *arguments, path="")
        return list(zip(*read_npy(self.out / "scores.npy"))), self.report()

    def assert_columns(self, found, expected, delta):
        for a, b in zip(found, expected):
            self.assertLessEqual(max(abs(x - y) for x, y in zip(a, b)), delta)

    def test_square_loss_is_kernel_pca(self):
        exact, _ = self.scores("--solver", "exact")
        for precision, delta in [("double", 1e-6), ("single", 1e-4)]:
            found, report = self.scores("--solver", "dual", "--tolerance", 1e-8,
                                        "--precision", precision)
            self.assert_columns(found, exact, delta)
            expected = {"solver": "dual", "solver_description": "dual", "loss": "square",
                        "status": "converged", "tolerance": 1e-8}
            self.assertEqual({key: report[key] for key in expected}, expected)
            self.assertNotIn("zero_rows", report)  # of another loss
            self.assertLess(report["duality_gap"], 1e-10)
            self.assertAlmostEqual(-2 * report["dual_objective"], sum(report["eigenvalues"]),
                                   delta=1e-6)
        for loss in [["huber-l2", "--kappa", 10], ["huber-l1", "--kappa", 10],
                     ["huber-linf", "--kappa", 20],
                     ["eps-l2", "--epsilon", 0], ["eps-linf", "--epsilon", 0],
                     ["eps-l1", "--epsilon", 0]]:
            found, report = self.scores("--solver", "dual", "--loss", *loss)
            # Those of entries come in axes of their own; their sum is that of eigenvalues.
            self.assertAlmostEqual(sum(dot(c, c) for c in found), sum(dot(c, c) for c in exact),
                                   delta=1e-6)
            if loss[0] in ["huber-l2", "eps-l2"]:
                self.assert_columns(found, exact, 1e-5)
            self.assertEqual((report["solver"], report["loss"]), ("dual", loss[0]))
            self.assertTrue(report["solver_description"].startswith(f"dca ({loss[0]}("))

    def test_robust_and_sparse(self):
        shares = {}
        for loss, option in [("huber-l2", "--kappa"), ("huber-l1", "--kappa"),
                             ("eps-l2", "--epsilon"), ("eps-linf", "--epsilon"),
                             ("eps-l1", "--epsilon")]:
            with self.subTest(loss=loss):
                found, report = self.scores("--solver", "dual", "--loss", loss, option, 0.4,
                                            "--no-center", "--starts", 2, "--project", self.x)
                self.assertEqual(report[option[2:]], 0.4)
                self.assertEqual(report["starts"], 2)
                self.assertLess(report["duality_gap"], 1e-6)
                self.assert_columns(zip(*read_npy(self.out / "projected.npy")), found, 1e-12)
                shares[loss] = report["zero_rows"], report["zero_entries"]
                # What is left of the samples carries the components.
                support = round(self.n * (1 - report["zero_rows"]))
                self.assertEqual(report["landmarks"], support if support < self.n else None)
        self.assertEqual(shares["huber-l2"], (0, 0))
        self.assertGreater(shares["eps-l2"][0], 0)
        self.assertGreater(shares["eps-linf"][1], shares["eps-linf"][0])

    def test_not_converged(self):
        self.assert_not_converged([self.x, "--solver", "dual", "--loss", "eps-l2", "--epsilon", 2],
                                  "--epsilon", "smaller")
        self.assertEqual(self.report()["zero_rows"], 1)
        self.assertIn("all rows", self.report()["reason"])
        self.assert_not_converged([self.x, "--solver", "dual", "--loss", "huber-l2", "--kappa", 0.3,
                                   "--iterations", 2], "--iterations")
        self.assert_not_converged([self.x, "--solver", "dual", "--iterations", 2], "mu_1")

    def test_mistakes(self):
        for arguments, parts in [
                (["--loss", "huber"], ["--loss", "huber-l2"]),
                (["--loss", "huber-l2"], ["--kappa", "huber-l2", "needs"]),
                (["--loss", "eps-l1", "--kappa", 1], ["--kappa", "eps-l1", "epsilon"]),
                (["--loss", "huber-l1", "--epsilon", 1], ["--epsilon", "huber-l1", "kappa"]),
                (["--kappa", 1], ["--kappa", "square"]),
                (["--starts", 3], ["--starts", "square"]),
                (["--loss", "huber-l1", "--kappa", 0], ["--kappa", "0"]),
                (["--loss", "eps-l2", "--epsilon", -1], ["--epsilon", "-1"]),
                (["--components", 0.9], ["--components", "dual", "whole number"]),
                (["--kernel", "sigmoid", "--gamma", 1, "--coef0", -100, "--no-center"],
                 ["positive semidefinite"])]:
            self.assert_mistake([self.x, "--solver", "dual", *arguments], *parts)
        self.assert_mistake([self.x, "--solver", "exact", "--loss", "square"], "--loss", "exact")


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

    def test_files_of_an_earlier_run(self):
        def names():
            return {path.name for path in self.out.iterdir()}

        iris_file, model = DATA / "iris.csv", self.dir / "model.mercer"
        self.run_well(iris_file, "--project", iris_file, "--format", "csv", "--variables",
                      "--pictures", "none", path="")  # without gnuplot
        kept = {"scores.npy", "eigenvalues.npy", "report.json"}
        self.assertEqual(names(), {"scores.csv", "eigenvalues.csv", "projected.csv",
                                   "variables.csv", "report.json"})
        # Files of the user's own stay, and a picture that the run did not draw.
        (self.out / "loadings.csv").write_text("my own")
        (self.out / "scores.svg").write_text("my own")
        own = {"loadings.csv", "scores.svg"}
        self.run_well(iris_file, "--pictures", "none", "--save", model)
        self.assertEqual(names(), kept | own)
        self.assertEqual(self.report()["files"],
                         ["scores.npy", "eigenvalues.npy", "report.json"])
        # So do the files of a fit beside those of its model, what a run reads, and all of them if
        # there is no result.
        self.assertEqual(self.run_kpca("none.csv").returncode, 2)
        self.run_well("--load", model, "--project", iris_file)
        self.assertEqual(names(), kept | own | {"projected.npy"})
        self.run_well(self.out / "projected.npy", "--pictures", "none")
        self.assertEqual(names(), kept | own | {"projected.npy"})
        # A model that is loaded does not hide what the fit before it wrote.
        self.run_well(iris_file, "--pictures", "none", "--format", "csv", "--save", model)
        self.run_well("--load", model, "--project", iris_file)
        self.run_well(iris_file, "--pictures", "none")
        self.assertEqual(names(), kept | own)
        # Projected samples are those of the last model that was loaded, in one format.
        self.run_well("--load", model, "--project", iris_file)
        self.run_well("--load", model, "--project", iris_file, "--format", "csv")
        self.assertEqual(names(), kept | own | {"projected.csv"})
        self.assertEqual(self.report()["files"], ["scores.npy", "eigenvalues.npy", "report.json",
                                                  "projected.csv"])

    def test_files_that_a_report_may_name(self):
        # Anybody may have written the report: no file goes that the programs do not write.
        ours = {"eigenvalues.csv", "projected.npy", "pairs.svg", "iterate_20_vectors.npy",
                "scores_x.npy", "expectations_2.npy"}
        own = {"notes.csv", "x.npy", "iterate_x_values.npy", "iterate_20_vectors.csv", "iterate_2"}
        for version, rest in [({}, ours), ({"mercer_version": "0.1.0"}, set())]:
            self.out.mkdir(exist_ok=True)
            for name in ours | own:
                (self.out / name).write_text("some")
            (self.out / "report.json").write_text(json.dumps({**version, "files": [*ours, *own]}))
            self.run_well(DATA / "iris.csv", "--pictures", "none")
            names = {path.name for path in self.out.iterdir()}
            self.assertEqual(names - {"scores.npy", "eigenvalues.npy", "report.json"}, rest | own)

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full")
    def test_standard_output_that_is_full(self):
        message = "kpca: standard output: cannot write: No space left on device\n"
        fit = [DATA / "iris.csv", "--components", 2, "--pictures", "none", "--out", self.out]
        for words, code in [(fit, 2), (["--help"], 2), (["--help-all"], 2),
                            ([*fit, "--solver", "kernel-hebbian", "--epochs", 1], 3)]:
            with self.subTest(words=words), open("/dev/full", "wb") as full:
                done = subprocess.run([KPCA, *map(str, words)], stdout=full, stderr=subprocess.PIPE,
                                      text=True)
                self.assertEqual(done.returncode, code)
                self.assertIn(message, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1 if code == 2 else 2)
            if words is fit:
                self.assertEqual(len(read_npy(self.out / "scores.npy")), 150)
                self.assertEqual(self.report()["components"], 2)

    def test_readers_that_have_seen_enough(self):
        # As in kpca ... | head -1, also where the signal of a closed pipe is ignored.
        fit = [DATA / "iris.csv", "--components", 2, "--pictures", "none", "--out", self.out]
        for words in [fit, ["--help"], ["--help-all"]]:
            for action, code in [(signal.SIG_DFL, -signal.SIGPIPE), (signal.SIG_IGN, 0)]:
                end, begin = os.pipe()
                os.close(end)
                done = subprocess.run([KPCA, *map(str, words)], stdout=begin, stderr=subprocess.PIPE,
                                      text=True,
                                      preexec_fn=lambda: signal.signal(signal.SIGPIPE, action))
                os.close(begin)
                self.assertEqual((done.returncode, done.stderr), (code, ""), words)

    def test_limit_of_the_size_of_files(self):
        def limited(size):
            return {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))}
        x = DATA / "iris.csv"
        self.assert_mistake([x, "--solver", "nystrom", "--components", 50], "scores.npy: cannot write: ",
                            "File too large", **limited(10240))
        self.assertEqual(list(self.out.iterdir()), [])
        if shutil.which("gnuplot"):
            self.run_well(x, "--components", 1)
            whole = {path.name: path.stat().st_size for path in self.out.iterdir()}
            limit = whole["scores.svg"] - 100  # which gnuplot does not tell of
            self.assertLess(max(size for name, size in whole.items() if name != "scores.svg"), limit)
            shutil.rmtree(self.out)
            done = self.run_well(x, "--components", 1, **limited(limit))
            self.assertEqual(done.stderr, "kpca: scores.svg was not drawn: gnuplot failed\n")
            self.assertEqual(sorted(path.name for path in self.out.iterdir()),
                             sorted(set(whole) - {"scores.svg"}))

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
        self.picture(DATA / "iris.csv", "--components", 2, "--sigma", "cv", "--cv-grid", "0.1,1,10")
        errors = (self.out / "bandwidth.svg").read_text()
        for word in ["sigma", "share missed of held-out samples", "chosen", "feature-space"]:
            self.assertIn(word, errors)
        self.picture(DATA / "iris.csv", "--components", "cv", "--cv-components", "1,2", "--sigma", 2,
                     "--cv-criterion", "preimages")
        errors = (self.out / "components.svg").read_text()
        for word in ["components", "share missed of held-out samples", "chosen", "preimages"]:
            self.assertIn(word, errors)
        self.picture(DATA / "iris.csv", "--components", "cv", "--cv-components", "1,2", "--sigma", "cv",
                     "--cv-grid", "1,2", "--cv-criterion", "preimages")
        errors = (self.out / "bandwidth.svg").read_text()
        for word in ["sigma", "1 component", "2 components", "chosen"]:
            self.assertIn(word, errors)
        # Whatever means something to gnuplot, and bytes that are no UTF-8.
        names = ["'", '"', "'a'", "`date`", "\\", "100 %", "#"]
        odd = self.dir / "odd.txt"
        quoted = ['"' + name.replace('"', '""') + '"' for name in names]
        odd.write_bytes("".join(quoted[i % len(names)] + "\n" for i in range(149)).encode() +
                        b"caf\xe9\n")
        drawn = xml.dom.minidom.parseString(self.picture(DATA / "iris.csv", "--labels", odd).encode())
        texts = {"".join(part.data for part in text.childNodes
                         if part.nodeType == part.TEXT_NODE).strip()
                 for text in drawn.getElementsByTagName("text")}
        for name in [*names, "caf\\xe9"]:
            self.assertIn(name, texts)

    def test_csv(self):
        self.run_well(DATA / "iris.csv", "--components", 2, "--project", DATA / "iris.csv", path="")
        expected = {name: read_npy(self.out / f"{name}.npy") for name in ["scores", "projected"]}
        values = read_npy(self.out / "eigenvalues.npy")
        shutil.rmtree(self.out)
        done = self.run_well(DATA / "iris.csv", "--components", 2, "--project", DATA / "iris.csv",
                             "--format", "csv", path="")
        self.assertIn("scores.csv eigenvalues.csv projected.csv", done.stdout)
        self.assertEqual(list(self.out.glob("*.npy")), [])
        for name, rows in expected.items():
            header, *lines = (self.out / f"{name}.csv").read_text().splitlines()
            self.assertEqual(header, "component_1,component_2")
            self.assertEqual([[float(v) for v in line.split(",")] for line in lines], rows)
        lines = (self.out / "eigenvalues.csv").read_text().splitlines()
        self.assertEqual([float(v) for v in lines[1:]], values)
        # Of a stream the same.
        x = write_npy(self.dir / "x.npy", iris())
        stream = [x, "--solver", "features", "--components", 2]
        self.run_well(*stream, path="")
        rows = read_npy(self.out / "scores.npy")
        self.run_well(*stream, "--format", "csv", path="")
        lines = (self.out / "scores.csv").read_text().splitlines()[1:]
        self.assertEqual([[float(v) for v in line.split(",")] for line in lines], rows)

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_more_pictures(self):
        done = self.run_well(DATA / "iris.csv", "--labels", DATA / "iris_species.csv", "--pictures",
                             "scores,scree,pairs", "--project", DATA / "iris.csv")
        self.assertEqual(done.stderr, "")
        parts = {"scores": ["setosa", "projected"], "scree": ["explained", "% of variance"],
                 "pairs": ["component 5", "component 1", "virginica"]}
        for name, words in parts.items():
            text = (self.out / f"{name}.svg").read_text()
            xml.dom.minidom.parseString(text)
            for word in words:
                self.assertIn(word, text)
            self.assertIn(f"{name}.svg", done.stdout)
        numbers = self.dir / "numbers.txt"
        numbers.write_text("".join(f"{i % 3}\n" for i in range(150)))
        for kind, scale in [("auto", False), ("classes", False), ("scale", True)]:
            text = self.picture(DATA / "iris.csv", "--labels", numbers, "--label-kind", kind)
            self.assertEqual(">label<" in re.sub(r"\s", "", text), scale, kind)
        self.run_well(DATA / "iris.csv", "--components", 2, "--pictures", "pairs")
        self.run_well(DATA / "iris.csv", "--components", 1, "--pictures", "pairs,scree")
        shutil.rmtree(self.out)
        done = self.run_well(DATA / "iris.csv", "--pictures", "none")
        self.assertEqual(list(self.out.glob("*.svg")), [])
        self.assertNotIn("svg", done.stdout)

    def test_variables(self):
        # Only the second column matters: the first is noise of a tenth of its size.
        draw = random.Random(2)
        rows = [[draw.gauss(0, 0.01), draw.gauss(0, 1)] for _ in range(60)]
        path = self.dir / "x.csv"
        path.write_text("noise,\"a, b\"\n" + "".join(f"{a!r},{b!r}\n" for a, b in rows))
        done = self.run_well(path, "--kernel", "linear", "--components", 2, "--variables", path="")
        lines = (self.out / "variables.csv").read_text().splitlines()
        self.assertEqual(lines[0], "variable,deviation,component_1,component_2")
        noise, matters = lines[1].split(","), lines[2].replace('"a, b"', "name").split(",")
        self.assertEqual(noise[0], "noise")
        # The components of a linear kernel are rotated columns, so gradients are entries of the
        # rotation.
        for i in [2, 3]:
            self.assertAlmostEqual(float(noise[i]) ** 2 + float(matters[i]) ** 2, 1, delta=1e-12)
        self.assertGreater(float(matters[2]), 0.999)
        self.assertLess(done.stdout.index("\na, b "), done.stdout.index("\nnoise "))
        for kernel in ["gaussian", "poly", "matern", "rq", "sigmoid", "exponential-dot", "cauchy",
                       "cosine", "arc-cosine"]:
            for precision in ["double", "single"]:
                self.run_well(path, "-k", kernel, "--precision", precision, "--variables", path="")
                self.assertEqual(len((self.out / "variables.csv").read_text().splitlines()), 3)
        if shutil.which("gnuplot"):
            self.run_well(path, "--variables")
            text = (self.out / "variables.svg").read_text()
            for word in ["noise", "a, b", "component 2"]:
                self.assertIn(word, text)
        shutil.rmtree(self.out)
        self.assert_mistake([path, "--variables", "-k", "laplacian"], "--variables", "laplacian")
        self.assert_mistake([path, "--variables", "-k", "matern", "--nu", "0.5"], "--variables")
        self.assert_mistake([path, "--variables", "-k", "arc-cosine", "--order", "0"], "--variables")
        self.assert_mistake([path, "--variables", "-s", "features"], "--variables", "features")
        sparse = write_svm(self.dir / "x.svm", rows)
        self.assert_mistake([sparse, "--variables"], "x.svm: --variables: the samples are sparse")
        self.assertFalse(self.out.exists())  # it was refused before the fit

    def test_the_picture_is_not_drawn_through_a_link(self):
        self.out.mkdir()
        precious = self.dir / "precious"
        precious.write_text("as it was")
        for name in ["scores.svg", "scores.svg.part"]:
            (self.out / name).symlink_to(precious)
        self.run_kpca(DATA / "iris.csv")
        self.assertEqual(precious.read_text(), "as it was")
        self.assertEqual(sorted(path.name for path in self.out.glob("*.part*")), ["scores.svg.part"])

    def test_names_that_are_no_utf8(self):
        folder = os.fsencode(self.dir)
        odd = os.fsdecode(folder + b"/caf\xe9 \xc3\xa9.npy")
        labels = os.fsdecode(folder + b"/\xff.txt")
        shutil.copyfile(write_npy(self.dir / "x.npy", iris()), odd)
        shutil.copyfile(DATA / "iris_species.csv", labels)
        self.run_well(odd, "--project", odd, "--labels", labels)
        report = json.loads((self.out / "report.json").read_bytes().decode("utf-8"))
        for key in ["input", "project"]:
            self.assertEqual(report[key], f"{self.dir}/caf\\xe9 \u00e9.npy")
        self.assertEqual(report["labels"], f"{self.dir}/\\xff.txt")
        # Other names are as they are, backslashes too.
        plain = self.dir / "caf\u00e9 \\xE9.npy"
        shutil.copyfile(self.dir / "x.npy", plain)
        self.run_well(plain)
        self.assertEqual(json.loads((self.out / "report.json").read_bytes().decode("utf-8"))["input"],
                         str(plain))


class Inputs(Runs):
    """Formats, columns, and what is said of odd ones."""

    def scores_of(self, *arguments, **settings):
        done = self.run_well(*arguments, "--components", 2, "--pictures", "none", **settings)
        return read_npy(self.out / "scores.npy"), done

    def test_formats(self):
        rows = iris()
        expected, _ = self.scores_of(write_npy(self.dir / "x.npy", rows))
        text = "# by hand\n" + "".join(" ".join(f"{v:.18e}" for v in row) + "\n" for row in rows)
        (self.dir / "x.txt").write_text(text)
        market = "%%MatrixMarket matrix array real general\n150 4\n" + "".join(
            f"{row[j]!r}\n" for j in range(4) for row in rows)
        (self.dir / "x.mtx").write_text(market)
        with zipfile.ZipFile(self.dir / "x.npz", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.write(write_npy(self.dir / "other.npy", rows[:3]), "other.npy")
            archive.write(self.dir / "x.npy", "wanted.npy")
        for name in ["x.txt", "x.mtx", "x.npz:wanted"]:
            self.assertEqual(self.scores_of(self.dir / name)[0], expected, name)
        shutil.rmtree(self.out)
        self.assert_mistake([self.dir / "x.npz:wantd"], "x.npz", "did you mean wanted?")

    def test_hdf5(self):
        rows = [[1, 2, 3], [4, 5, 7], [8, 2, 9], [1, 0, 3], [6, 6, 2], [3, 9, 4], [7, 1, 5], [2, 8, 8]]
        path = self.dir / "x.h5"
        path.write_bytes(zlib.decompress(base64.b64decode(ROWS_IN_HDF5)))
        if "not switched on" in self.run_kpca(path).stderr:
            self.skipTest("kpca was built without HDF5")
        expected, _ = self.scores_of(write_npy(self.dir / "x.npy", rows))
        for name in [path, f"{path}:samples"]:
            self.assertEqual(self.scores_of(name)[0], expected, name)
        shutil.rmtree(self.out)
        self.assert_mistake([f"{path}:sample"], "x.h5", "no dataset 'sample'", "did you mean samples?")

    def test_standard_input(self):
        expected, _ = self.scores_of(DATA / "iris.csv")
        write_npy(self.dir / "x.npy", iris())
        for path in [DATA / "iris.csv", self.dir / "x.npy"]:
            with open(path, "rb") as stream:
                self.assertEqual(self.scores_of("-", stdin=stream)[0], expected)
        self.assertEqual(self.report()["input"], "-")
        shutil.rmtree(self.out)
        self.assert_mistake(["-", "--project", "-"], "--project -", "standard input")
        self.assert_mistake(["-"], "-: is empty", stdin=subprocess.DEVNULL)

    def test_columns(self):
        path, species = self.iris_with_words()
        expected, _ = self.scores_of(DATA / "iris.csv")
        for choice in [["--drop", "id", "--label-column", "species"], ["--columns", "2-5"],
                       ["--columns", "1-5", "--drop", "1"]]:
            self.assertEqual(self.scores_of(path, *choice)[0], expected)
        # Of new samples the same columns are taken; they need have no labels.
        choice = ["--drop", "id", "--label-column", "species", "--components", 2]
        fresh = self.dir / "fresh.csv"
        fresh.write_text((DATA / "iris.csv").read_text())
        self.run_well(path, *choice, "--project", fresh, "--save", self.dir / "model", path="")
        for row, other in zip(read_npy(self.out / "projected.npy"), expected):
            self.assertAlmostEqual(row[0], other[0], delta=1e-12)
        (self.out / "projected.npy").unlink()
        self.run_well("--load", self.dir / "model", "--project", path, "--drop", "id,species")
        for row, other in zip(read_npy(self.out / "projected.npy"), expected):
            self.assertAlmostEqual(row[0], other[0], delta=1e-12)
        for arguments, parts in [
                ([path], ["not a number", "--drop", "--label-column"]),
                ([DATA / "iris.csv", "--project", path],
                 ["words.csv", "not a number", "--columns takes some of the columns, of both files"]),
                ([path, "--drop", "kind"], ["words.csv", "no column 'kind'"]),
                ([path, "--label-column", "specis"], ["did you mean species?"]),
                ([path, "--label-column", "species", "--labels", path], ["--label", "--labels"]),
                ([path, "--columns", "9"], ["no column '9'", "6 columns"])]:
            shutil.rmtree(self.out, ignore_errors=True)
            self.assert_mistake(arguments, *parts)

    def test_columns_that_are_chosen_twice(self):
        path, species = self.iris_with_words()
        names = path.read_text().splitlines()[0].split(",")
        for arguments, parts in [
                (["--columns", f"{names[1]},{names[2]}", "--label-column", names[1]],
                 [f"column '{names[1]}' cannot hold labels and be chosen for the samples"]),
                (["--columns", "2,3", "--weight-column", "3"], ["cannot hold weights"]),
                (["--columns", "2-4,3"], [f"column '{names[2]}' is chosen twice"]),
                (["--columns", '"id'], ["--columns", "unclosed quote"])]:
            self.assert_mistake([path, *arguments], *parts)

    def test_names_with_commas(self):
        rows = iris()
        text = "\n".join(f"{a},{b},{c}" for a, b, c, _ in rows)
        (self.dir / "x.csv").write_text('"x, first",y,"z, last"\n' + text + "\n")
        found, _ = self.scores_of("x.csv", "--columns", '"x, first",y')
        self.assertEqual(found, self.scores_of("x.csv", "--columns", "1-2")[0])
        self.assertEqual(found, self.scores_of("x.csv", "--drop", '"z, last"')[0])

    def test_dialects(self):
        for text, said in [("a;b\n0,5;1\n", "not a number at line 2.*a comma inside a number"),
                           ("a,b\n1,NA\n", "not a number at line 2.*missing value"),
                           ("a,b\n1,\n", "empty field at line 2.*missing value"),
                           ("a,b\n1,nan\n", "not a finite number at line 2.*missing value"),
                           ("a|b\n1|2\n", "not a number at line 2.*'|' separates nothing"),
                           ("a b\nx 1 2\n", r"expected 2 fields, found 3.*row\.names = FALSE")]:
            (self.dir / "x.csv").write_text(text)
            self.assert_mistake(["x.csv"], "x.csv: ")
            told = self.run_kpca("x.csv").stderr
            self.assertRegex(told, said)
            self.assertNotIn("--label-column", told)
        (self.dir / "x.csv").write_bytes("a,b\n1,2\n".encode("utf-16"))
        self.assert_mistake(["x.csv"], "x.csv: ", "UTF-16")
        write_npy(self.dir / "x.npy", iris()).rename(self.dir / "y.csv")
        self.assert_mistake(["y.csv"], "y.csv: is no text, but a NumPy array; its name must end in .npy")
        # As Excel and R write them.
        rows = iris()
        expected, _ = self.scores_of(DATA / "iris.csv")
        (self.dir / "excel.csv").write_text(
            "sep=;\n\na;b;c;d\n" + "".join(";".join(map(repr, row)) + "\n" for row in rows))
        (self.dir / "r.txt").write_text(
            '"a" "b" "c of c" "d"\n' + "".join(f'"no. {i}" ' + " ".join(map(repr, row)) + "\n"
                                              for i, row in enumerate(rows)))
        for name in ["excel.csv", "r.txt"]:
            self.assertEqual(self.scores_of(name)[0], expected)
        # Columns apart by blanks and a tab.
        lines = [f"  {a}   {b}\t{c} \n" for a, b, c, _ in iris()]
        (self.dir / "x.txt").write_text("".join(lines))
        (self.dir / "y.txt").write_text("".join(lines).replace("\t", " "))
        self.assertEqual(*(self.scores_of(f"{name}.txt")[0] for name in "xy"))

    def test_indices_from_zero(self):
        rows = [[0.0] + row for row in iris()[:50]] + [[1.5] + row for row in iris()[50:]]
        expected, _ = self.scores_of(write_npy(self.dir / "x.npy", rows), "--sigma", 2,
                                     "--project", self.dir / "x.npy")
        projected = read_npy(self.out / "projected.npy")
        def write(name, rows, first, query=""):  # as dump_svmlight_file
            lines = (" ".join(f"{first + j}:{v!r}" for j, v in enumerate(row) if v) for row in rows)
            (self.dir / name).write_text("# by hand\n" + "".join(f"0{query} {line}\n" for line in lines))
        for name, first, query in [("zero.svm", 0, ""), ("one.svm", 1, ""), ("query", 1, " qid:7")]:
            write(name, rows, first, query)
            found, _ = self.scores_of(name, "--sigma", 2)
            self.assertEqual(self.report()["d"], 5)
            for row, other in zip(found, expected):
                self.assertAlmostEqual(row[0], other[0], delta=1e-9)
        # New samples without an entry in the first column are counted as the others are.
        write("fresh.svm", rows[:50], 0)
        self.scores_of("zero.svm", "--sigma", 2, "--project", "fresh.svm")
        for row, other in zip(read_npy(self.out / "projected.npy"), projected):
            self.assertAlmostEqual(row[0], other[0], delta=1e-9)
        shutil.rmtree(self.out)
        write("gap.svm", rows[:50], 0)
        write("zero.svm", [row[:4] for row in rows], 0)
        self.assert_mistake(["gap.svm", "--project", "zero.svm"], "zero.svm: an index is 0", "gap.svm",
                            "zero_based=False")
        (self.dir / "many.svm").write_text("1,2 3:4\n")
        self.assert_mistake(["many.svm"], "many.svm: several labels", "'1,2'")

    def test_content_tells_the_format(self):
        expected, _ = self.scores_of(DATA / "iris.csv")
        words = [line.split(",") for line in (DATA / "iris_species.csv").read_text().split()[1:]]
        text = "".join(",".join([*map(repr, row), *word]) + "\n" for row, word in zip(iris(), words))
        (self.dir / "iris.data").write_text(text + "\n\n")
        (self.dir / "iris").write_text(text)
        (self.dir / "iris.data.gz").write_bytes(gzip.compress(text.encode()))
        (self.dir / "packed").write_bytes(gzip.compress(text.encode()))
        for name in ["iris.data", "iris", "iris.data.gz", "packed"]:
            self.assertEqual(self.scores_of(name, "--drop", 5)[0], expected)
        write_npy(self.dir / "x.npy", iris()).rename(self.dir / "x.bin")
        self.assertEqual(self.scores_of("x.bin")[0], expected)
        (self.dir / "species.data").write_text("".join(word[0] + "\n" for word in words))
        self.scores_of("x.bin", "--labels", "species.data")
        # An array of labels in an archive.
        header = b"{'descr': '|u1', 'fortran_order': False, 'shape': (150,), }"
        with zipfile.ZipFile(self.dir / "named.npz", "w") as archive:
            archive.writestr("labels.npy", b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header +
                             bytes(i % 3 for i in range(150)))
            archive.writestr("other.npy", b"")
        self.scores_of("x.bin", "--labels", "named.npz:labels")
        shutil.rmtree(self.out)
        self.assert_mistake(["x.bin", "--labels", "named.npz:label"], "named.npz", "did you mean labels?")
        for name, content, parts in [
                ("x.parquet", b"PAR1\x15\4", ["Parquet", "python3 -c", "read_parquet"]),
                ("x.feather", b"ARROW1\0\0", ["Feather", "read_feather"]),
                ("x.zzz", b"\0\1\2", ["x.zzz: is no text", "known are .npy"])]:
            (self.dir / name).write_bytes(content)
            self.assert_mistake([name], *parts)
            self.assert_mistake(["x.bin", "--labels", name], *parts)

    def test_labels_of_libsvm(self):
        write_svm(self.dir / "x.svm", iris())
        (self.dir / "y.svm").write_text("".join(f"{i % 3} 1:1\n" for i in range(150)))
        self.run_well("x.svm", "--labels", "y.svm", path="")
        self.assertEqual(self.report()["labels"], "y.svm")

    def test_names_of_new_columns(self):
        def write(name, header):
            rows = [[i, *row] for i, row in enumerate(iris()[:30])]
            lines = [",".join(str(v) for v in row[:1 + header.count(",")]) for row in rows]
            (self.dir / name).write_text("\n".join([header, *lines]) + "\n")
            return name

        train, new = write("train.csv", "id,height,weight"), write("new.csv", "id,weight,height")
        for choice in [["--columns", "height,weight"], ["--drop", "1"]]:
            self.assert_mistake([train, *choice, "--project", new],
                                "kpca: new.csv: has the columns of train.csv in another order: "
                                "'weight', 'height'; there: 'height', 'weight'\n")
        self.assert_mistake([train, "--drop", "id", "--project", write("new.csv", "id,height,mass")],
                            "new.csv: has other columns than train.csv: "
                            "'height', 'mass'; there: 'height', 'weight'\n")
        # Of many, those from the first on that differs.
        write_csv(self.dir / "wide.csv", [[float(i * j % 7) for j in range(9)] for i in range(8)])
        numbers = (self.dir / "wide.csv").read_text()
        (self.dir / "wide.csv").write_text("a,b,c,d,e,f,g,h,i\n" + numbers)
        (self.dir / "new.csv").write_text("a,x,c,d,e,f,g,h,i\n" + numbers)
        self.assert_mistake(["wide.csv", "--project", "new.csv"],
                            ": ... 'x', 'c', 'd', 'e', 'f', 'g' ...; there: ... 'b', 'c', ")
        # What is not chosen may be called anything, and columns need have no names.
        self.run_well(train, "--columns", "height", "--project", write("new.csv", "height,other"))
        (self.dir / "new.csv").write_text("1,2\n")
        self.run_well(train, "--drop", "id", "--project", "new.csv")

    def test_first_line_with_a_word_among_numbers(self):
        rows = "".join(f"{row[0]},{row[1]},{row[2]}\n" for row in iris())
        (self.dir / "bad.csv").write_text("1.0,2.0,x3\n" + rows)
        (self.dir / "good.csv").write_text("a,b,x3\n" + rows)
        told = "kpca: bad.csv: first line taken as names: '1.0', '2.0', 'x3'\n"
        self.assertEqual(self.scores_of("bad.csv")[1].stderr, told)
        self.assertEqual(self.scores_of("good.csv")[1].stderr, "")
        (self.dir / "plain.csv").write_text(rows)
        save = [] if "built without" in self.run_kpca("--load", "x", "--project", "x").stderr else [
            "--save", "m"]
        done = self.scores_of("plain.csv", "--project", "bad.csv", *save)[1]
        self.assertEqual(done.stderr, told)
        if save:
            self.assertEqual(self.run_well("--load", "m", "--project", "bad.csv").stderr, told)

    def test_first_line_of_labels(self):
        species = (DATA / "iris_species.csv").read_text().splitlines()[-150:]
        for first, told in [("setosa", "kpca: labels.csv: first line taken as a name, though "
                                       "'setosa' is a label too\n"), ("species", "")]:
            (self.dir / "labels.csv").write_text("\n".join([first, *species]) + "\n")
            done = self.scores_of(DATA / "iris.csv", "--labels", "labels.csv")[1]
            self.assertEqual(done.stderr, told)

    def test_weights(self):
        # A row with the weight 2 counts like two rows; one with the weight 0 does not count.
        rows = iris()
        weights = [(7 * i) % 3 for i in range(len(rows))]
        copies = [row for row, weight in zip(rows, weights) for _ in range(weight)]
        x = write_npy(self.dir / "x.npy", rows)
        settings = ["--sigma", 2]
        (self.dir / "w.csv").write_text("weight\n" + "\n".join(map(str, weights)) + "\n")
        write_npy(self.dir / "w.npy", [[weight] for weight in weights])
        (self.dir / "x.csv").write_text("".join(",".join(map(str, [weight, *row])) + "\n"
                                                for row, weight in zip(rows, weights)))
        for solver, digits in [(["auto"], 1e-9), (["auto", "--standardize"], 1e-9),
                               (["features", "--features", 50], 1e-9),
                               (["features", "--features", 50, "--standardize"], 1e-9),
                               # All samples that have weight as landmarks: nothing is left out.
                               (["nystrom", "--landmarks", 150, "--sampling", "uniform"], 1e-6)]:
            self.scores_of(write_npy(self.dir / "copies.npy", copies), "--project", x, *settings,
                           "--solver", *solver)
            expected = read_npy(self.out / "projected.npy")
            ratios = self.report()["explained_variance_ratio"]
            for arguments in [[x, "--weights", self.dir / "w.csv"],
                              [x, "--weights", self.dir / "w.npy"],
                              [self.dir / "x.csv", "--weight-column", 1]]:
                scores, _ = self.scores_of(*arguments, *settings, "--solver", *solver)
                self.assertEqual(len(scores), len(rows))
                self.assertTrue(self.report()["weights"])
                for row, other in zip(scores, expected):
                    for one, two in zip(row, other):
                        self.assertAlmostEqual(one, two, delta=digits)
                for one, two in zip(self.report()["explained_variance_ratio"], ratios):
                    self.assertAlmostEqual(one, two, delta=digits)

    def test_rows_without_weight_choose_nothing(self):
        # Neither the median distance nor what is told of the variables.
        weights = [int(i % 3 == 1) for i in range(len(iris()))]
        write_npy(self.dir / "w.npy", [[weight] for weight in weights])
        x = write_npy(self.dir / "x.npy", iris())
        kept = write_npy(self.dir / "kept.npy", [row for row, w in zip(iris(), weights) if w])
        found = []
        for arguments in [[x, "--weights", self.dir / "w.npy"], [kept]]:
            self.run_well(*arguments, "--components", 2, "--variables", path="")
            lines = (self.out / "variables.csv").read_text().splitlines()
            found.append([self.report()["kernel"]] + [float(word) for line in lines[1:]
                                                       for word in line.split(",")[1:]])
        self.assertEqual(found[0][0], found[1][0])
        for one, two in zip(found[0][1:], found[1][1:]):
            self.assertAlmostEqual(one, two, delta=1e-9)

    def test_wrong_weights(self):
        x = write_npy(self.dir / "x.npy", iris())
        shutil.rmtree(self.out, ignore_errors=True)
        weights = self.dir / "w.csv"
        for text, parts in [("1\n2\n", ["w.csv", "2 weights for 150"]),
                            ("1\n" * 149 + "x\n", ["w.csv: not a number at row 150: 'x'"]),
                            ("1\n" * 149 + "-2\n", ["w.csv", "got -2 at sample 150"]),
                            ("0\n" * 150, ["at least one weight must be positive"])]:
            weights.write_text(text)
            self.assert_mistake([x, "--weights", weights], *parts)
            shutil.rmtree(self.out, ignore_errors=True)
        weights.write_text("1\n" * 149 + "2\n")
        for arguments, parts in [
                (["--solver", "kernel-hebbian"], ["--weights: the solver kernel-hebbian takes none; "]),
                (["--solver", "dual", "--loss", "huber-l2", "--kappa", 1],
                 ["--weights: the solver dual takes none with --loss huber-l2; ",
                  "dual with the loss square"]),
                (["--sigma", "cv"], ["--sigma cv", "without weights"]),
                (["--weight-column", 1], ["--weight-column", "--weights"]),
                (["--solver", "nystrom", "--partial-out", self.dir / "p"], ["--weights"])]:
            self.assert_mistake([x, "--weights", weights, *arguments], *parts)
            shutil.rmtree(self.out, ignore_errors=True)

    def test_solvers_with_weights(self):
        # The help names them, and the others refuse, before there is a directory.
        x = write_npy(self.dir / "x.npy", [[i % 3, *row] for i, row in enumerate(iris()[::3])])
        known = re.search("known: (.*)\n", self.run_kpca(x, "--solver", "none").stderr)[1].split(", ")
        self.assertIn("doubly-stochastic", known)
        text = " ".join(self.run_well("--help", "--weights").stdout.split()).split("For --solver ")[1]
        for solver in known:
            arguments = [x, "--weight-column", 1, "--solver", solver, "--components", 2]
            with self.subTest(solver=solver):
                if solver in re.findall("[a-z-]+", text):
                    self.run_well(*arguments)
                    shutil.rmtree(self.out)
                else:
                    self.assert_mistake(arguments,
                                        f"--weight-column: the solver {solver} takes none; {text} do")
                    self.assertFalse(self.out.exists())

    def test_labels_of_a_column_choose_the_width(self):
        path, _ = self.iris_with_words()
        self.run_well(path, "--drop", "id", "--label-column", "species", "--sigma", "cv",
                      "--cv-criterion", "labels", "--components", 2, path="")
        self.assertEqual(self.report()["cross_validation"]["criterion"], "labels")

    def test_odd_columns(self):
        path, _ = self.iris_with_words()
        done = self.scores_of(path, "--drop", "species")[1]
        self.assertIn("words.csv: id looks like an identifier", done.stderr)
        self.assertEqual(self.scores_of(path, "--drop", "species,id")[1].stderr, "")
        text = path.read_text()
        path.write_text(text[text.index(","):])  # no name
        done = self.scores_of(path, "--drop", "species")[1]
        self.assertIn("words.csv: column 1 (without a name) looks like an identifier", done.stderr)
        # Numbers of rows show in a few of them; other whole numbers do not.
        for rows, told in [(range(1, 6), True), (range(5), True), (range(1, 5), False),
                           ([1, 2, 3, 5, 4], False), (range(2, 7), False)]:
            few = write_npy(self.dir / "few.npy", [[float(i), 0.5 * i * i] for i in rows])
            done = self.run_well(few, "--components", 1, "--pictures", "none")
            self.assertEqual("few.npy: column 1 looks like an identifier: its values are the numbers of "
                             "the rows; --drop leaves it out" in done.stderr, told, done.stderr)
        # There are no other numbers of that size.
        large = [[row[0] + i, 1e16 * (i + 1)] for i, row in enumerate(iris())]
        done = self.scores_of(write_npy(self.dir / "large.npy", large), "--standardize")[1]
        self.assertEqual(done.stderr, "")
        rows = [[row[0], 1000 * row[1]] for row in iris()]
        far = write_npy(self.dir / "far.npy", rows)
        done = self.scores_of(far)[1]
        self.assertRegex(done.stderr, r"far.npy: column 2 varies 5\.\de\+02 times as much as column 1")
        self.assertIn("--standardize", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertEqual(self.scores_of(far, "--standardize")[1].stderr, "")


class Interrupted(Runs):
    """Ctrl-C, which must not come too late."""

    def interrupt(self, *arguments):
        words = [KPCA, *map(str, arguments), "--out", str(self.out)]
        environment = {**os.environ, "PATH": "", "OMP_NUM_THREADS": "1"}
        run = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               cwd=self.dir, env=environment)
        # When the directory is there, Ctrl-C is for the fit.
        while not self.out.exists() and run.poll() is None:
            time.sleep(0.01)
        time.sleep(0.3)
        run.send_signal(signal.SIGINT)
        try:
            out, err = run.communicate(timeout=100)
        finally:
            run.kill()
        return run.returncode, out, err

    def samples(self, n):
        draw = random.Random(1)
        return write_npy(self.dir / "x.npy", [[draw.gauss(0, 1) for _ in range(3)] for _ in range(n)])

    def test_what_there_is_is_written(self):
        code, out, err = self.interrupt(self.samples(500), "--solver", "kernel-hebbian", "--epochs",
                                        100000000, "--components", 3, "--step", "1e-9")
        self.assertEqual(code, 130, err)
        self.assertRegex(err, r"kpca: interrupted; the \d+ components so far are written\n")
        self.assertEqual(self.report()["status"], "cancelled")
        self.assertEqual(len(read_npy(self.out / "scores.npy")), 500)
        self.assertEqual(read_npy(self.out / "eigenvalues.npy"), self.report()["eigenvalues"])
        self.assertIn("cancelled", out)

    def test_a_saved_model_stays(self):
        model = self.dir / "model"
        done = self.run_kpca(DATA / "iris.csv", "--save", model)
        if "built without" in done.stderr:
            self.skipTest("kpca was built without cereal")
        before = model.read_bytes()
        shutil.rmtree(self.out)
        samples = self.samples(500)
        code, out, err = self.interrupt(samples, "--solver", "kernel-hebbian", "--epochs", 100000000,
                                        "--components", 3, "--step", "1e-9", "--save", model)
        self.assertEqual(code, 130, err)
        self.assertEqual(model.read_bytes(), before)
        self.assertIn(f"the model so far is in {model}.partial\n", out)
        self.assertEqual(self.report()["model"], f"{model}.partial")
        done = self.run_well("--load", f"{model}.partial", "--project", samples)
        self.assertEqual(done.stderr, f"kpca: {model}.partial: the fit of this model ended with the "
                                      "status 'cancelled'\n")
        self.assertEqual(self.run_well("--load", model, "--project", DATA / "iris.csv").stderr, "")

    def test_before_there_is_a_component(self):
        # All eigenvalues are found in one step, which takes longer than the signal.
        code, _, err = self.interrupt(self.samples(3500), "--solver", "exact", "--components", 0.999)
        self.assertEqual(code, 130, err)
        self.assertEqual(err, "kpca: interrupted before there was a component; nothing is "
                              "written\n")
        self.assertEqual(list(self.out.iterdir()), [])


class States(Runs):
    """Fits that are interrupted and go on from a file."""

    def setUp(self):
        super().setUp()
        if "built without" in self.run_kpca("x", "--solver", "doubly-stochastic", "--state", "s").stderr:
            self.skipTest("kpca was built without cereal")
        draw = random.Random(3)
        self.x = write_npy(self.dir / "x.npy",
                           [[draw.gauss(0, 1) for _ in range(3)] for _ in range(1000)])
        self.arguments = [self.x, "--solver", "doubly-stochastic", "--components", 3, "--features", 512,
                          "--feature-batch", 32, "--data-batch", 64]
        self.state = self.dir / "run.state"

    def scores(self):
        return (self.out / "scores.npy").read_bytes(), (self.out / "eigenvalues.npy").read_bytes()

    def test_killed_and_resumed(self):
        self.run_well(*self.arguments, path="")
        whole = self.scores()
        words = [KPCA, *map(str, self.arguments), "--out", str(self.out), "--state", str(self.state),
                 "--state-every", "3"]
        with subprocess.Popen(words, cwd=self.dir, stdout=subprocess.DEVNULL) as run:
            while run.poll() is None and not self.state.exists():
                time.sleep(0.01)
            run.kill()
        self.run_well(*self.arguments, "--state", self.state, path="")
        self.assertEqual(self.scores(), whole)
        self.assertGreaterEqual(self.report()["resumed_from_step"], 3)
        self.assertIn(f"; {self.report()['resumed_from_step']} steps were there already",
                      self.report()["reason"])

    def kill_at_first_block(self, folder, *arguments):
        words = [KPCA, *map(str, arguments), "--out", str(self.out), "--state", str(folder)]
        with subprocess.Popen(words, cwd=self.dir, stdout=subprocess.DEVNULL) as run:
            while run.poll() is None and not any(folder.glob("*.npy")):
                time.sleep(0.001)
            run.kill()

    def test_products_killed_and_resumed(self):
        # So many steps that there is time to be killed between the first product and the last one.
        for solver in (["--solver", "lanczos", "--tolerance", 1e-10], ["--solver", "block-krylov"],
                       ["--solver", "auto"], ["--solver", "dual", "--loss", "huber-l2", "--kappa", 0.5]):
            with self.subTest(solver=solver):
                arguments = [self.x, "--components", 3, "--sigma", 1, "--memory-budget", "100M", *solver]
                folder = self.dir / solver[1]
                self.run_well(*arguments, path="")
                whole = self.scores()
                self.kill_at_first_block(folder, *arguments)
                self.run_well(*arguments, "--state", folder, path="")
                self.assertEqual(self.scores(), whole)
                self.assertRegex(self.report()["reason"], r"; [1-9]\d* products were there already")
                out, self.out = self.out, self.dir / "another"
                self.assert_mistake([self.x, *arguments[1:4], 2, *arguments[5:], "--state", folder],
                                    f"{folder}: is of another fit: kernel: gaussian(sigma=1)")
                self.out = out

    def test_iterates_killed_and_resumed(self):
        for estimator in (["--features", 20], ["--estimator", "columns"]):
            with self.subTest(estimator=estimator):
                arguments = [self.x, "--components", 3, "--sigma", 1, "--solver", "spgd", "--iterations", 400,
                             *estimator]
                folder = self.dir / f"run-{estimator[1]}"
                self.run_well(*arguments, path="")
                whole = self.scores()
                self.kill_at_first_block(folder, *arguments, "--state-every", 3)
                self.run_well(*arguments, "--state", folder, path="")
                self.assertEqual(self.scores(), whole)
                self.assertRegex(self.report()["reason"], r"; the iterate of step [1-9]\d* was there already")
                self.assertEqual(len(list(folder.glob("*.npy"))), 1)
                out, self.out = self.out, self.dir / "another"
                self.assert_mistake([*arguments, "--state", folder, "--checkpoints", 5], "--checkpoints", "--state")
                self.out = out

    def test_with_another_map(self):
        arguments = [*self.arguments, "--map", "orthogonal-fourier"]
        self.run_well(*arguments, "--state", self.state, "--state-every", 100, path="")
        whole = self.scores()
        self.run_well(*arguments, "--state", self.state, path="")
        self.assertGreaterEqual(self.report()["resumed_from_step"], 100)
        self.assertLess(self.report()["resumed_from_step"], self.report()["iterations"])
        self.assertEqual(self.scores(), whole)

    def test_of_other_samples(self):
        self.run_well(*self.arguments, "--sigma", 1, "--state", self.state, path="")
        whole = self.scores()
        rows = read_npy(self.x)
        self.out = self.dir / "another"
        for changed in [[[10 * value for value in row] for row in rows],  # other data
                        rows[:500] + [[rows[500][0], rows[500][1], 0.0]] + rows[501:],  # one value
                        rows[:-1]]:
            write_npy(self.x, changed)
            self.assert_mistake([*self.arguments, "--sigma", 1, "--state", self.state], "x.npy",
                                f"--state {self.state}: is of another fit: the ", "samples")
        write_npy(self.x, rows)
        self.run_well(*self.arguments, "--sigma", 1, "--state", self.state, path="")
        self.assertEqual(self.scores(), whole)

    def test_of_something_else(self):
        self.run_well(*self.arguments, "--state", self.state, path="")
        self.out = self.dir / "another"
        for options, parts in [
                (["--map", "fastfood"], ["--map was random-fourier", "now fastfood"]),
                (["--seed", 2], ["--seed was 0, now 2"]),
                (["--step", 4], ["--step was found from the first samples, now 4"]),
                (["--rule", "gha"], ["--rule was oja, now gha"]),
                (["--epochs", 7], ["--epochs was 1, now 7"]),
                (["--data-batch", 32], ["--data-batch was 64, now 32"]),
                (["--feature-batch", 64], ["--feature-batch was 32, now 64"]),
                (["--features", 256], ["(--features) was 16, now 8"]),
                (["--components", 2], ["--components was 3, now 2"]),
                (["--sigma", 1], ["--kernel was gaussian(sigma=", "now gaussian(sigma=1)"]),
                (["--precision", "single"], ["--precision was double, now single"]),
                (["--no-center"], ["(--no-center) was by means, now none"]),
        ]:
            arguments = [*self.arguments, "--state", self.state]
            if options[0] in arguments:  # no option may be given twice
                at = arguments.index(options[0])
                del arguments[at:at + 2]
            self.assert_mistake([*arguments, *options], "x.npy",
                                f"--state {self.state}: is of another fit: ", *parts)
        self.state.write_bytes(self.state.read_bytes()[:-1])
        self.assert_mistake([*self.arguments, "--state", self.state], "run.state", "truncated")
        self.assert_mistake([self.x, "--state", self.state], f"--state {self.state}: is no folder; auto keeps")
        # Told before the fit, not at the first checkpoint.
        for place, part in ((self.dir / "no" / "where", f"--state: {self.dir / 'no' / 'where'}: cannot create"),
                            (self.dir, f"--state {self.dir}: is a folder")):
            self.assert_mistake([*self.arguments, "--state", place, "--state-every", 10**9], part)
        self.assert_mistake([self.x, "--solver", "doubly-stochastic", "--state-every", 5],
                            "--state-every", "--state")


class Models(Runs):
    """Models saved by one run and loaded by another."""

    def setUp(self):
        super().setUp()
        if "built without" in self.run_kpca("--load", "x", "--project", "x").stderr:
            self.skipTest("kpca was built without cereal")

    def save(self, *arguments):
        """Fits, saves, projects; returns the report."""
        self.run_well(*arguments, "--save", self.dir / "saved.model", path="")
        return self.report()

    def assert_same_projections(self, report, fresh):
        """A run of its own projects with the saved model to the same bytes."""
        projected = (self.out / "projected.npy").read_bytes()
        done = self.run_well("--load", self.dir / "saved.model", "--project", fresh,
                             "--out", self.dir / "again")
        self.assertEqual({path.name for path in (self.dir / "again").iterdir()},
                         {"projected.npy", "report.json"})
        self.assertEqual((self.dir / "again" / "projected.npy").read_bytes(), projected)
        again = json.loads((self.dir / "again" / "report.json").read_text())
        for key in ["n", "d", "components", "components_requested", "centered", "eigenvalues",
                    "explained_variance_ratio", "kernel", "kernel_description", "solver", "status",
                    "reason", "residuals", "trace", "landmarks", "precision", "fit_seconds",
                    "projected_rows"]:
            self.assertEqual(again[key], report[key], key)
        self.assertEqual(again["model"], str(self.dir / "saved.model"))
        self.assertEqual(report["model"], str(self.dir / "saved.model"))
        self.assertIn(report["kernel_description"], done.stdout)
        self.assertIn("again: projected.npy report.json\n", done.stdout)

    def test_all_kernels(self):
        training, new = iris()[::5], iris()[1::15]
        files = [(write_npy(self.dir / "x.npy", training), write_csv(self.dir / "new.csv", new)),
                 (write_svm(self.dir / "x.svm", training), write_svm(self.dir / "new.svm", new))]
        for name, (options, _, sparse) in KERNELS.items():
            for precision in ["double", "single"]:
                # Each form of samples in one of the precisions.
                x, fresh = files[sparse and (precision == "single") != name.startswith("p")]
                with self.subTest(kernel=name, precision=precision, file=x.name):
                    report = self.save(x, "--project", fresh, "--components", 5, "--precision",
                                       precision, "--kernel", *options.split())
                    self.assert_same_projections(report, fresh)

    def test_all_maps(self):
        files = [write_npy(self.dir / "x.npy", iris()[::5]), write_csv(self.dir / "x.csv", iris()[::5])]
        fresh = write_csv(self.dir / "new.csv", iris()[1::15])
        for i, (name, (kernel, archived, _)) in enumerate(MAPS.items()):
            with self.subTest(map=name):
                report = self.save(files[i % 2], "--project", fresh, "--components", 3,
                                   "--precision", ["double", "single"][i % 3 == 0], "--solver",
                                   ["features", "doubly-stochastic"][i % 4 == 1], "--features", 24,
                                   "--map", name, "--kernel", *KERNELS[kernel][0].split())
                self.assertEqual(report["map"], name)
                self.assertIn(archived.encode(), (self.dir / "saved.model").read_bytes()[:200])
                self.assert_same_projections(report, fresh)
                again = json.loads((self.dir / "again" / "report.json").read_text())
                self.assertEqual(again["features"], report["features"])

    def test_precomputed_landmarks_and_no_centring(self):
        rows = iris()[::5]
        gram = [[KERNELS["gaussian"][1](x, y) for y in rows] for x in rows]
        values = write_npy(self.dir / "gram.npy", gram)
        self.assert_same_projections(
            self.save(values, "--kernel", "precomputed", "--project", values), values)
        x = DATA / "iris.csv"
        report = self.save(x, "--solver", "nystrom", "--landmarks", 20, "--project", x)
        self.assertEqual(report["landmarks"], 20)
        self.assert_same_projections(report, x)
        report = self.save(x, "--no-center", "--project", x)
        self.assertFalse(report["centered"])
        self.assert_same_projections(report, x)

    def test_standardized(self):
        x, new = write_npy(self.dir / "x.npy", iris()), write_csv(self.dir / "new.csv", iris()[3:9])
        for options in [["--standardize"], ["--scale-only", "--precision", "single"],
                        ["--standardize", "--solver", "features", "--features", 20],
                        ["--standardize", "--solver", "nystrom", "--landmarks", 30]]:
            with self.subTest(options=options):
                report = self.save(x, "--project", new, "--components", 3, *options)
                self.assert_same_projections(report, new)
                again = json.loads((self.dir / "again" / "report.json").read_text())
                self.assertEqual(again["standardized"], report["standardized"])

    def test_samples_in_the_other_form(self):
        rows = iris()
        dense = write_npy(self.dir / "x.npy", rows)
        sparse = write_svm(self.dir / "x.svm", rows)
        self.save(dense, "--kernel", "linear", "--project", sparse)
        expected = read_npy(self.out / "projected.npy")
        self.run_well("--load", self.dir / "saved.model", "--project", sparse)
        self.assertEqual(read_npy(self.out / "projected.npy"), expected)

    def test_memory_of_sparse_samples(self):
        """New samples that would take 480 MB if all of them were dense."""
        def write(name, rows):
            path = self.dir / name
            path.write_text("".join(f"0 {1 + i % 1999}:1 2000:{i % 5}\n" for i in range(rows)))
            return path

        self.save(write("x.svm", 60), "--solver", "features", "--features", 8, "--components", 2,
                  "--sigma", 2)
        memory = self.memory_of("--load", self.dir / "saved.model", "--project",
                                write("new.svm", 30000))
        self.assertLess(memory, 240)
        self.assertEqual(len(read_npy(self.out / "projected.npy")), 30000)

    def test_saved_though_not_converged(self):
        x = DATA / "iris.csv"
        self.assert_not_converged([x, "--sigma", 0.1, "--components", 0.999, "--solver", "nystrom",
                                   "--landmarks", 20, "--save", "saved.model"], "20 landmarks")
        done = self.run_well("--load", self.dir / "saved.model", "--project", x)
        self.assertEqual(self.report()["status"], "not converged")
        self.assertIn("saved.model: the fit of this model ended with the status 'not converged'\n",
                      done.stderr)

    def test_mistakes(self):
        x = DATA / "iris.csv"
        model = self.dir / "saved.model"
        self.run_well(x, "--save", model, "--out", self.dir / "first")
        load, words = ["--load", model, "--project", x], self.iris_with_words()[0]
        for arguments, parts in [
                (["--load", model], ["--load", "--project"]),
                ([x, *load], ["--load", "INPUT"]),
                ([*load, "--save", "other.model"], ["--load", "--save"]),
                ([*load, "--sigma", "1"], ["--load", "--sigma"]),
                ([*load, "--kernel", "linear"], ["--load", "--kernel"]),
                ([*load, "--solver", "exact"], ["--load", "--solver"]),
                ([*load, "--components", "2"], ["--load", "--components"]),
                ([*load, "--precision", "single"], ["--load", "--precision"]),
                ([*load, "--no-center"], ["--load", "--no-center"]),
                ([*load, "--labels", DATA / "iris_species.csv"], ["--load", "--labels"]),
                (["--load", "missing.model", "--project", x], ["missing.model", "cannot open"]),
                (["--load", x, "--project", x], ["iris.csv", "is not an archive"]),
                (["--load", model, "--project", "missing.csv"], ["missing.csv", "cannot open"]),
                (["--load", model, "--project", words],
                 ["words.csv", "not a number", "--drop", "--label-column"]),
                ([x, "--save", "no/such/directory"], ["--save", "no/such/directory"]),
                ([x, "--save", self.dir], ["--save", str(self.dir)]),
        ]:
            self.assert_mistake(arguments, *parts)
        (self.dir / "three.csv").write_text("1,2,3\n")
        self.assert_mistake(["--load", model, "--project", "three.csv"], "three.csv", "3", "4")
        whole = model.read_bytes()
        damaged = self.dir / "damaged.model"
        middle = len(whole) // 2
        for content, part in [(b"", "is not an archive"), (whole[:-1], "truncated"),
                              (whole[:20], "truncated"), (whole + b"x", "too long"),
                              (whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1:],
                               "checksum"),
                              (whole[:9] + b"\2" + whole[10:], "version 2")]:
            damaged.write_bytes(content)
            self.assert_mistake(["--load", damaged, "--project", x], "damaged.model", part)

    def test_options_of_load(self):
        x, words = DATA / "iris.csv", self.iris_with_words()[0]
        self.run_well(x, "--save", "saved.model", "--out", self.dir / "first")
        # The help names those that are taken.
        text = " ".join(self.run_well("--help-all", path="").stdout.split())
        named = re.search(r"Needs --project, and takes (.*?--.*?) and (--[a-z]+)", text)
        values = {"--columns": "2-5", "--drop": "id", "--label-column": "species",
                  "--weight-column": "id", "--format": "csv", "--out": self.dir / "again",
                  "--max-input": "1M", "--threads": "1"}
        self.assertEqual([*named[1].split(", "), named[2]], list(values))
        for option, value in values.items():
            path = words if option in ["--columns", "--drop", "--label-column"] else x
            more = {"--drop": ["--label-column", "species"], "--label-column": ["--drop", "id"]}
            self.run_well("--load", "saved.model", "--project", path, option, value,
                          *more.get(option, []))

    def test_samples_outside_of_the_domain(self):
        self.run_well(DATA / "iris.csv", "--kernel", "chi-square", "--save", "saved.model",
                      "--out", self.dir / "first")
        (self.dir / "negative.csv").write_text("1,2,3,4\n1,-2,3,4\n")
        self.assert_mistake(["--load", "saved.model", "--project", "negative.csv"],
                            "negative.csv", "row 2", "column 2", "-2")

    def test_nothing_is_saved_without_components(self):
        write_npy(self.dir / "constant.npy", [[1.0, 2.0]] * 5)
        self.assert_mistake(["constant.npy", "--sigma", 1, "--save", self.dir / "saved.model"],
                            "no component")
        self.assertFalse((self.dir / "saved.model").exists())
        done = self.run_kpca(DATA / "iris.csv", "--solver", "spgd", "--lambda", 1e6, "--iterations",
                             1, "--save", self.dir / "saved.model")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertNotIn("saved.model", done.stdout)
        self.assertNotIn("model", self.report())
        self.assertFalse((self.dir / "saved.model").exists())


class Parts(Runs):
    """Fits by parts of the rows."""

    def setUp(self):
        super().setUp()
        if "built without" in self.run_kpca("merge", "x").stderr:
            self.skipTest("kpca was built without cereal")
        draw = random.Random(5)
        self.rows = [[draw.gauss(0, 1) for _ in range(3)] for _ in range(2500)]
        self.x = write_npy(self.dir / "x.npy", self.rows)

    def part(self, name, rows, *arguments, suffix=".npy"):
        """The file of the sums over these rows, which are in a file of their own."""
        write = {".npy": write_npy, ".csv": write_csv, ".svm": write_svm}[suffix]
        path, file = self.dir / f"{name}.part", write(self.dir / (name + suffix), rows)
        done = self.run_well(file, *arguments, "--partial-out", path)
        self.assertIn(f"{file}: {len(rows)} rows of dimension {len(rows[0])}\n", done.stdout)
        self.assertIn(f"the sums are in {path}\n", done.stdout)
        return path

    def assert_near(self, found, expected, relative=1e-10):
        """Rounding errors of sums of 2500 products, relative to the largest value."""
        self.assertEqual(len(found), len(expected))
        for a, b in zip(found, expected):
            self.assertAlmostEqual(a, b, delta=relative * max(map(abs, expected)))

    def test_features_as_one_fit(self):
        for precision, relative in [("double", 1e-10), ("single", 1e-4)]:
            fit = ["--solver", "features", "--features", 60, "--sigma", 1.5, "--seed", 3,
                   "--precision", precision]
            self.run_well(self.x, *fit, "--components", 4, "--save", "one.model", path="")
            one = self.report()
            parts = [self.part("a", self.rows[:1], *fit), self.part("b", self.rows[1:1001], *fit),
                     self.part("c", self.rows[1001:], *fit)]
            done = self.run_well("merge", parts[2], parts[0], parts[1], "--components", 4,
                                 "--save", "all.model")
            report = self.report()
            self.assertEqual(read_npy(self.out / "eigenvalues.npy"), report["eigenvalues"])
            self.assert_near(report["eigenvalues"], one["eigenvalues"], relative)
            for key in ["status", "solver", "solver_description", "kernel", "n", "d", "components",
                        "features", "centered", "precision"]:
                self.assertEqual(report[key], one[key], key)
            self.assertEqual(report["parts"], [str(parts[i]) for i in (2, 0, 1)])
            self.assertIn("3 parts: 2500 samples of dimension 3\n", done.stdout)
            # Of the first part on, all is in the file.
            alike = [parts[0], *(self.dir / f"{name}.like" for name in "bc")]
            for name, path in zip("bc", alike[1:]):
                self.run_well(self.dir / f"{name}.npy", "--partial-like", parts[0],
                              "--partial-out", path)
            self.run_well("merge", alike[2], alike[0], alike[1], "--components", 4)
            self.assertEqual(self.report()["eigenvalues"], report["eigenvalues"])
            # Both models project new samples alike.
            projected = []
            for model in ["one.model", "all.model"]:
                self.run_well("--load", model, "--project", self.dir / "b.npy")
                projected.append([abs(v) for row in read_npy(self.out / "projected.npy")
                                  for v in row])
            self.assert_near(projected[1], projected[0], 10 * relative)

    def test_landmarks_as_one_fit(self):
        # All samples as landmarks: the merged model is the exact one.
        rows = self.rows[:120]
        few = write_csv(self.dir / "few.csv", rows)
        kernel = ["--kernel", "matern", "--nu", 0.5, "--length", 1]
        self.run_well(few, *kernel, "--solver", "exact", "--components", 5, path="")
        one = self.report()
        fit = [*kernel, "--solver", "nystrom", "--landmarks-from", few]
        for suffix in [".npy", ".csv", ".svm"]:
            parts = [self.part("a", rows[:50], *fit, suffix=suffix),
                     self.part("b", rows[50:51], *fit, suffix=suffix),
                     self.part("c", rows[51:], *fit, suffix=suffix)]
            self.run_well("merge", *parts, "--components", 5, "--format", "csv")
            report = self.report()
            self.assert_near(report["eigenvalues"], one["eigenvalues"])
            self.assertEqual(report["landmarks"], 120)
            self.assertLessEqual(report["trace_error"], 1e-10 * report["trace"])
            lines = (self.out / "eigenvalues.csv").read_text().split()
            self.assertEqual(lines[0], "eigenvalue")
            self.assertEqual([float(v) for v in lines[1:]], report["eigenvalues"])

    def test_landmarks_of_low_rank(self):
        # No more than d landmarks are independent; they hold all components.
        for d in (1, 3):
            rows = [row[:d] for row in self.rows[:50]]
            fit = ["--kernel", "linear", "--solver", "nystrom", "--landmarks", 10]
            part = self.part(f"rank{d}", rows, *fit)
            self.run_well(self.dir / f"rank{d}.npy", *fit, "--components", d, path="")
            one = self.report()["eigenvalues"]
            for words in ([], ["--components", d]):
                self.run_well("merge", part, *words)
                self.assert_near(self.report()["eigenvalues"], one)
        self.out = self.dir / "nothing"
        same = self.part("same", [[1, 2, 3]] * 5, "--kernel", "linear", "--solver", "nystrom")
        for words in ([], ["--components", 2]):
            self.assert_mistake(["merge", same, *words], "no component of the 5 rows has variance")

    def test_landmarks_with_other_columns(self):
        numbers = "".join(f"{a!r},{b!r}\n" for a, b, _ in self.rows[:20])
        for name, header in [("x.csv", "a,b\n"), ("few.csv", "b,a\n")]:
            (self.dir / name).write_text(header + numbers)
        self.assert_mistake(["x.csv", "--solver", "nystrom", "--landmarks-from", "few.csv",
                             "--partial-out", "p"],
                            "few.csv: has the columns of x.csv in another order: 'b', 'a'")

    def test_choices_of_the_first_part(self):
        # The median of distances, the landmarks and --no-center are those of the first part.
        first = self.part("a", self.rows[:500], "--solver", "nystrom", "--landmarks", 40,
                          "--no-center", "--precision", "single")
        other = self.part("b", self.rows[500:], "--partial-like", first)
        self.run_well("merge", other, first)
        report = self.report()
        self.assertEqual((report["n"], report["landmarks"], report["components"]), (2500, 40, 10))
        self.assertFalse(report["centered"])
        self.assertEqual(report["precision"], "single")

    def test_merged_parts_are_a_part(self):
        fit = ["--solver", "features", "--features", 20, "--sigma", 1]
        parts = [self.part(str(i), self.rows[i::4], *fit) for i in range(4)]
        left, right = self.dir / "left.part", self.dir / "right.part"
        self.run_well("merge", *parts[:2], "--partial-out", left)
        done = self.run_well("merge", *parts[2:], "--partial-out", right)
        self.assertIn("2 parts: 1250 rows\n", done.stdout)
        self.run_well("merge", left, right)
        tree = self.report()["eigenvalues"]
        self.run_well("merge", *parts)
        self.assert_near(tree, self.report()["eigenvalues"])

    def test_parts_that_do_not_belong_together(self):
        fit = ["--solver", "features", "--features", 20, "--sigma", 1]
        a = self.part("a", self.rows[:9], *fit)
        b = self.part("b", self.rows[9:20], "--solver", "features", "--features", 20, "--sigma", 2)
        self.assert_mistake(["merge", a, b], a, b, "kernel gaussian(sigma=2) and gaussian(sigma=1)",
                            "--partial-like")
        for name, options, part in [
                ("c", ["--seed", 1], "seed 1 and 0"), ("d", ["--no-center"], "centering none"),
                ("e", ["--map", "fastfood"], "map"), ("f", ["--precision", "single"], "single")]:
            other = self.part(name, self.rows[9:20], *fit, *options)
            self.assert_mistake(["merge", a, other], a, other, part)
        # What draws nothing has no seed.
        exact = ["--solver", "features", "--kernel", "linear", "--map", "exact"]
        fixed = ["--solver", "features", "--kernel", "intersection", "--map", "homogeneous"]
        rows = [[abs(v) for v in row] for row in self.rows[:20]]
        for kind in [exact, fixed]:
            s, t = (self.part(name, part, *kind, "--seed", seed) for name, part, seed in
                    [("s", rows[:9], 3), ("t", rows[9:], 4)])
            self.run_well("merge", s, t)
        (self.out / "report.json").unlink()
        narrow = self.part("g", [row[:2] for row in self.rows[:9]], *fit)
        self.assert_mistake(["merge", a, narrow], a, narrow, "columns 2 and 3")
        n = self.part("n", self.rows[:30], "--solver", "nystrom", "--landmarks", 5, "--sigma", 1)
        m = self.part("m", self.rows[30:60], "--solver", "nystrom", "--landmarks", 5, "--sigma", 1)
        self.assert_mistake(["merge", n, m], n, m, "landmarks 5 with checksum")
        self.assert_mistake(["merge", a, n], a, n, "feature-pca-moments")
        self.assert_mistake(["merge", a, a], a, "given twice")
        (self.dir / "link.part").symlink_to(a)
        self.assert_mistake(["merge", a, "link.part"], "given twice", "link.part")
        os.link(a, self.dir / "hard.part")
        self.assert_mistake(["merge", a, "hard.part"], "given twice", "hard.part")
        copy = self.dir / "copy.part"
        copy.write_bytes(a.read_bytes())
        done = self.run_well("merge", a, self.part("other", self.rows[9:20], *fit), copy)
        self.assertEqual(done.stderr, f"kpca: {copy} has the same contents as {a}; if it is a "
                                      "copy, its rows count twice\n")
        self.assertEqual(self.report()["n"], 29)
        (self.out / "report.json").unlink()
        damaged = self.dir / "damaged.part"
        damaged.write_bytes(a.read_bytes()[:-3])
        self.assert_mistake(["merge", a, damaged], damaged, "truncated")
        self.assert_mistake(["merge", "nowhere.part"], "nowhere.part", "cannot open")
        self.run_well(self.x, *fit, "--components", 2, "--save", "m.model", path="")
        (self.out / "report.json").unlink()
        self.assert_mistake(["merge", "m.model"], "m.model", "holds no part", "--partial-out")
        self.assert_mistake(["--load", a, "--project", self.x], a, "holds no model")
        # Sums over three columns, rows of two.
        self.assert_mistake([self.dir / "g.npy", "--partial-like", a, "--partial-out", "x.part"],
                            "g.npy", "2 columns", "3")
        self.assertFalse((self.dir / "x.part").exists())

    def test_options_that_do_not_fit(self):
        a = self.part("a", self.rows[:9], "--solver", "features", "--features", 20, "--sigma", 1)
        before = a.read_bytes()
        out = ["--partial-out", "x.part"]
        for arguments, *parts in [
                ([self.x, *out], "--partial-out", "features", "nystrom", "auto"),
                ([self.x, *out, "--solver", "exact"], "--partial-out", "exact"),
                ([self.x, *out, "--solver", "features", "--components", 3], "--components"),
                ([self.x, *out, "--solver", "features", "--standardize"], "--standardize"),
                ([self.x, *out, "--solver", "features", "--save", "m"], "--save"),
                ([self.x, *out, "--solver", "features", "--sigma", "cv"], "--sigma cv"),
                ([self.x, *out, "--solver", "features", "--landmarks-from", self.x],
                 "--landmarks-from", "features"),
                ([self.x, *out, "--solver", "nystrom", "--landmarks-from", self.x, "--landmarks", 5],
                 "--landmarks"),
                ([self.x, *out, "--solver", "nystrom", "--landmarks", 2501], "--landmarks", "x.npy"),
                ([self.x, *out, "--solver", "nystrom", "--sampling", "uniform"], "--sampling"),
                ([self.iris_with_words()[0], *out, "--solver", "features"], "words.csv", "--drop"),
                ([self.x, "--partial-like", a], "--partial-like"),
                ([self.x, *out, "--partial-like", a, "--sigma", 1], "--sigma", "--partial-like"),
                ([self.x, "--partial-like", a, "--partial-out", a], "overwrite", "--partial-like"),
                ([self.x, "--solver", "features", "--partial-out", self.x], "overwrite", "INPUT"),
                ([self.x, "--solver", "features", "--partial-out", "no/where"], "--partial-out"),
                (["merge", a, "--partial-out", a], "overwrite", "PARTS"),
                (["merge", a, "--save", a], "overwrite", "PARTS"),
                (["merge", a, "--components", 3, *out], "--components"),
                (["merge", a, "--out", "there", *out], "--partial-out", "--out"),
                (["merge", a, "--format", "csv", *out], "--partial-out", "--format"),
                (["merge", a, "--components", 10], "--components", "10"),
                (["merge", a, "--components", "many"], "--components", "many"),
                (["merge", a, "--kernel", "linear"], "--kernel", "no such option"),
                (["merge"], "PARTS"),
                ([self.x, "merge"], "merge")]:
            self.assert_mistake(arguments, *parts)
            self.assertFalse((self.dir / "x.part").exists())
        self.assertEqual(a.read_bytes(), before)
        one = self.part("one", self.rows[:1], "--partial-like", a)
        self.assert_mistake(["merge", one], "no component", "1 rows")

    @unittest.skipUnless(pathlib.Path("/proc/self/status").exists(), "there is no /proc")
    def test_interrupted(self):
        # Some 200 batches of a tenth of a second each.
        many = write_npy(self.dir / "many.npy", self.rows * 160)
        words = [KPCA, str(many), "--solver", "features", "--features", "1500", "--sigma", "1",
                 "--partial-out", "x.part"]
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        with subprocess.Popen(words, cwd=self.dir, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as run:
            def catches_interrupts():
                status = pathlib.Path(f"/proc/{run.pid}/status").read_text()
                return int(re.search(r"SigCgt:\s*(\w+)", status)[1], 16) >> (signal.SIGINT - 1) & 1
            while run.poll() is None and not catches_interrupts():
                time.sleep(0.01)
            run.send_signal(signal.SIGINT)
            out, err = run.communicate(timeout=100)
        self.assertEqual((run.returncode, out), (130, ""), err)
        self.assertEqual(err, "kpca: interrupted; nothing is written\n")
        self.assertEqual(list(self.dir.glob("x.part*")), [])

    def test_help(self):
        text = self.run_well("merge", "--help").stdout
        for word in ["PARTS", "--components", "--save", "--partial-out", "--format"]:
            self.assertIn(word, text)
        self.assertNotIn("--kernel", text)
        self.assertIn("Usage: kpca merge [OPTIONS] PARTS", text)
        self.assertEqual(self.run_well("--help", "merge").stdout, text)
        self.assertIn("kpca merge", self.run_well("--help").stdout)
        self.assertIn(".SH kpca merge", self.run_well("--print", "man").stdout)
        for shell in ["bash", "zsh", "fish"]:
            self.assertIn("merge", self.run_well("--print", f"{shell}-completion").stdout)
        # A file may have the name of the method where a file is meant.
        self.run_well(DATA / "iris.csv", "--components", 2, "--out", "merge", path="")
        self.assertTrue((self.dir / "merge" / "report.json").exists())


class Mistakes(Runs):
    def test_options(self):
        x = DATA / "iris.csv"
        bomb = self.dir / "bomb.csv.gz"
        bomb.write_bytes(gzip.compress(b"1,2\n" * 2**20))
        for arguments, parts in [
                ([], ["INPUT"]),
                ([x, "--nonsense"], ["--nonsense: there is no such option\n"]),
                ([x, "--component", "3"], ["--component: ", "did you mean --components?"]),
                (["--component=3", x], ["--component: ", "did you mean --components?"]),
                (["-components", "3", x], ["-components: ", "did you mean --components?"]),
                ([x, "--standardise"], ["--standardise", "did you mean --standardize?"]),
                ([x, "-x"], ["-x: there is no such option"]),
                ([x, "--estimater", "columns"], ["did you mean --estimator?"]),
                ([x, x], ["iris.csv"]),
                ([x, "--kernel", "gauss"], ["--kernel", "gauss", "precomputed",
                                            "did you mean gaussian?"]),
                ([x, "--solver", "lanczoss"], ["--solver", "lanczoss", "exact",
                                               "did you mean lanczos?"]),
                ([x, "--solver", "nystrom", "--sampling", "kmean"], ["did you mean kmeans?"]),
                ([x, "--precision", "Single"], ["did you mean single?"]),
                ([x, "--format", "cvs"], ["--format", "did you mean csv?"]),
                ([x, "--pictures", "scores,pair"], ["--pictures", "did you mean pairs?"]),
                ([x, "--pictures", "none,scree"], ["--pictures: none goes with no other picture"]),
                ([x, "--sigma", "1", "--sigma", "2"], ["kpca: --sigma: is given twice\n"]),
                ([x, "-n", "1", "-n", "2", "-n", "1"], ["kpca: --components: is given 3 times\n"]),
                ([x, "--labels", DATA / "iris_species.csv", "--label-kind", "scale"],
                 ["--label-kind scale", "setosa"]),
                ([x, "--label-kind", "scale"], ["--label-kind: there are no labels", "--labels"]),
                ([x, "--label-kind", "auto"], ["--label-kind: there are no labels"]),
                ([x, "--solver", "auto", "--landmarks", "50"], ["--landmarks", "auto", "--tolerance"]),
                ([x, "--sampling", "greedy"], ["--sampling", "auto", "--tolerance"]),
                ([x, "--solver", "features", "--rule", "gha"], ["--rule", "features", "--map"]),
                ([x, "--solver", "features", "--kernel", "sigmoid"], ["--map", "sigmoid", "take nystrom"]),
                ([x, "--solver", "features", "--map", "random-maclaurin"],
                 ["--map random-maclaurin", "gaussian", "random-fourier", "fastfood or nystrom"]),
                ([x, "--solver", "doubly-stochastic", "--kernel", "laplacian", "--map", "fastfood"],
                 ["--map fastfood", "laplacian", "take random-fourier, random-fourier-phase, "
                  "quasi-random-fourier or nystrom"]),
                ([x, "--solver", "features", "--kernel", "additive-chi-square", "--map",
                  "additive-threshold"], ["additive-threshold", "additive, homogeneous or nystrom"]),
                ([x, "--solver", "features", "--map", "fourier"],
                 ["--map", "fourier", "random-fourier", "nystrom"]),
                ([x, "--solver", "features", "--map", "nystrom", "--features", "151"],
                 ["--features", "151", "150", "iris.csv"]),
                ([x, "--solver", "features", "--map", "nystrom", "--kernel", "sigmoid", "--coef0", "-1"],
                 ["iris.csv", "sigmoid", "positive semidefinite"]),
                ([x, "--solver", "features", "--kernel", "linear", "--components", 5],
                 ["iris.csv", "5 components", "4"]),
                ([x, "--solver", "doubly-stochastic", "--kernel", "linear", "--feature-batch", "4"],
                 ["--feature-batch", "map exact"]),
                ([x, "--solver", "doubly-stochastic", "--components", 0.5],
                 ["--components", "doubly-stochastic", "fraction"]),
                ([x, "--solver", "doubly-stochastic", "--kernel", "precomputed"],
                 ["doubly-stochastic", "precomputed"]),
                ([x, "--solver", "exact", "--tolerance", "1e-3"], ["--tolerance", "exact"]),
                ([x, "--solver", "exact", "--trace-tolerance", "0.1"],
                 ["--trace-tolerance", "exact"]),
                ([x, "--solver", "lanczos", "--landmarks", "50"], ["--landmarks", "lanczos"]),
                ([x, "--solver", "block-krylov", "--sampling", "uniform"],
                 ["--sampling", "block-krylov", "--tolerance"]),
                ([x, "--solver", "nystrom", "--tolerance", "1e-3"],
                 ["--tolerance", "nystrom", "--landmarks", "--sampling", "--trace-tolerance"]),
                ([x, "--solver", "nystrom", "--sampling", "random"],
                 ["--sampling", "random", "rp-cholesky"]),
                ([x, "--tolerance", "0"], ["--tolerance", "0"]),
                ([x, "--tolerance", "-1e-6"], ["--tolerance", "-1e-6"]),
                ([x, "--tolerance", "nan"], ["--tolerance", "nan"]),
                ([x, "--solver", "nystrom", "--trace-tolerance", "1"], ["--trace-tolerance", "1"]),
                ([x, "--solver", "nystrom", "--landmarks", "0"], ["--landmarks", "0"]),
                ([x, "--solver", "nystrom", "--landmarks", "2.5"], ["--landmarks", "2.5"]),
                ([x, "--solver", "nystrom", "--landmarks", "151"],
                 ["--landmarks", "151", "150", "iris.csv"]),
                ([x, "--solver", "nystrom", "--landmarks", "10"], ["--landmarks", "10 components"]),
                ([x, "--solver", "exact", "--lambda", "1"], ["--lambda", "exact"]),
                ([x, "--solver", "features", "--tolerance", "1e-3"], ["--tolerance", "features"]),
                ([x, "--solver", "spgd", "--lambda", "-1"], ["--lambda", "-1"]),
                ([x, "--solver", "spgd", "--lambda", "inf"], ["--lambda", "inf"]),
                ([x, "--solver", "spgd", "--iterations", "0"], ["--iterations", "0"]),
                ([x, "--solver", "spgd", "--features", "0"], ["--features", "0"]),
                ([x, "--solver", "spgd", "--max-rank", "0"], ["--max-rank", "0"]),
                ([x, "--solver", "spgd", "--start", "random"], ["--start", "random", "nystrom"]),
                ([x, "--solver", "spgd", "--step-offset", "-1"], ["--step-offset", "-1"]),
                ([x, "--solver", "spgd", "--start", "nystrom", "--step-offset", "0.5"],
                 ["--solver spgd", "step_offset", "0.5"]),
                ([x, "--solver", "spgd", "--landmarks", "50"], ["--landmarks", "start nystrom"]),
                ([x, "--solver", "spgd", "--start", "nystrom", "--landmarks", "151"],
                 ["--landmarks", "151", "150", "iris.csv"]),
                ([x, "--solver", "spgd", "--estimator", "features"],
                 ["--estimator", "features", "random-fourier", "symmetric-columns"]),
                ([x, "--solver", "spgd", "--estimator", "random-maclaurin"],
                 ["--estimator random-maclaurin", "gaussian", "random-fourier"]),
                ([x, "--solver", "spgd", "--kernel", "linear", "--estimator", "random-fourier"],
                 ["--estimator random-fourier", "linear", "random-maclaurin"]),
                ([x, "--solver", "spgd", "--kernel", "cosine", "--estimator", "random-maclaurin"],
                 ["--estimator random-maclaurin", "cosine", "take symmetric-columns"]),
                ([x, "--solver", "spgd", "--estimator", "columns", "--features", "151"],
                 ["--features", "151", "150"]),
                ([x, "--solver", "spgd", "--checkpoints", "3,x"], ["--checkpoints", "x"]),
                ([x, "--solver", "spgd", "--checkpoints", "0"], ["--checkpoints", "0"]),
                ([x, "--solver", "spgd", "--checkpoints", "5,101"], ["--checkpoints", "101", "100"]),
                ([x, "--solver", "kernel-hebbian", "--features", "5"],
                 ["--features", "kernel-hebbian", "--gain"]),
                ([x, "--solver", "kernel-hebbian", "--gain", "fast"], ["--gain", "fast", "et-star"]),
                ([x, "--solver", "kernel-hebbian", "--step", "0"], ["--step", "0"]),
                ([x, "--solver", "kernel-hebbian", "--epochs", "0"], ["--epochs", "0"]),
                ([x, "--solver", "kernel-hebbian", "--components", "0.9"],
                 ["--components", "kernel-hebbian", "fraction"]),
                ([x, "--memory-budget", "0"], ["--memory-budget", "0"]),
                ([x, "--max-input", "0"], ["--max-input", "0"]),
                ([bomb, "--max-input", "2M"], [bomb.name, "2097152 bytes", "limit"]),
                ([x, "--memory-budget", "-4G"], ["--memory-budget", "-4G"]),
                ([x, "--memory-budget", "lots"], ["--memory-budget", "lots"]),
                ([x, "--memory-budget", "4X"], ["--memory-budget", "4X"]),
                ([x, "--memory-budget", "4i"], ["--memory-budget", "4i"]),
                ([x, "--memory-budget", "B"], ["--memory-budget", "'B'"]),
                ([x, "--memory-budget", "1"], ["--memory-budget", "'1' counts bytes", "1G?"]),
                ([x, "--memory-budget", "1K", "--solver", "exact"],
                 ["--memory-budget", "exact", "150", "block-krylov"]),
                ([x, "--memory-budget", "1K", "--solver", "block-krylov"],
                 ["--memory-budget: 1K is too small", "give more"]),
                ([x, "--memory-budget", "1K"], ["--memory-budget: 1K is too small", "give more"]),
                ([x, "--precision", "half"], ["--precision", "half", "single"]),
                ([x, "--sigma", "-1"], ["--sigma", "-1"]),
                ([x, "--sigma", "0"], ["--sigma", "0"]),
                ([x, "--sigma", "nan"], ["--sigma", "nan"]),
                ([x, "--sigma", "1x"], ["--sigma", "1x"]),
                ([x, "--sigma", "p101"], ["--sigma", "p101"]),
                ([x, "--sigma", "mean"], ["--sigma", "mean", "median", "cv"]),
                ([x, "--cv-grid", "1,2"], ["--cv-grid", "--sigma cv"]),
                ([x, "--cv-criterion", "labels"], ["--cv-criterion", "--sigma cv"]),
                ([x, "--sigma", "cv", "--cv-criterion", "error"], ["--cv-criterion", "preimages"]),
                ([x, "--sigma", "cv", "--cv-criterion", "labels"], ["--cv-criterion", "--labels"]),
                ([x, "--kernel", "matern", "--length", "cv", "--cv-criterion", "preimages"],
                 ["--cv-criterion", "gaussian", "matern"]),
                ([x, "--components", "cv"], ["--components cv", "--cv-criterion", "preimages", "labels"]),
                ([x, "--select", "sigma", "--sigma", "2"], ["--select sigma: --sigma is given too"]),
                ([x, "--select", "sigma", "--gamma", "2"], ["--select sigma: --gamma is given too"]),
                ([x, "--select", "components", "-n", "3"],
                 ["--select components: --components is given too"]),
                ([x, "--select", "sigma", "--kernel", "linear"], ["--select sigma: the kernel linear has no"]),
                ([x, "--select", "sigma", "--kernel", "matern"], ["has no --sigma; take --length cv"]),
                ([x, "--select", "components", "--kernel", "linear"],
                 ["--select components: ", "gaussian", "linear", "--cv-criterion labels"]),
                ([x, "--select", "components", "--cv-criterion", "feature-space"],
                 ["--components cv: needs --cv-criterion preimages, or labels"]),
                ([x, "--select", "sigmas"], ["--select", "unknown value 'sigmas'", "did you mean sigma?"]),
                ([x, "--select", "sigma", "--partial-out", "p"], ["--select"]),
                ([x, "--cv-components", "1,2"], ["--cv-components", "--components cv"]),
                ([x, "--components", "cv", "--cv-criterion", "preimages", "--cv-components", "8",
                  "--solver", "features", "--features", "5"],
                 ["8 components need as many features"]),
                ([x, "--components", "cv", "--cv-criterion", "preimages", "--cv-components", "0"],
                 ["--cv-components", "0"]),
                ([x, "--components", "cv", "--cv-criterion", "preimages", "--cv-components", "1,150"],
                 ["--components cv", "120", "150"]),
                ([x, "--components", "cv", "--cv-criterion", "preimages", "--cv-grid", "1"],
                 ["--cv-grid", "--sigma cv"]),
                ([x, "--components", "cv", "--cv-criterion", "preimages", "--kernel", "linear"],
                 ["--cv-criterion", "gaussian", "linear"]),
                ([x, "--components", "CV"], ["--components", "CV"]),
                ([x, "--sigma", "cv", "--cv-grid", "1,-2"], ["--cv-grid", "-2"]),
                ([x, "--sigma", "cv", "--cv-grid", "inf"], ["--cv-grid", "inf"]),
                ([x, "--sigma", "cv", "--components", "0.9"], ["--sigma cv", "--components"]),
                ([x, "--sigma", "cv", "--components", "121"], ["iris.csv", "--sigma cv", "120", "121"]),
                ([x, "--standardize", "--scale-only"], ["--standardize", "--scale-only"]),
                ([x, "--kernel", "precomputed", "--standardize"], ["--standardize", "kernel values"]),
                ([x, "--kernel", "chi-square", "--standardize"], ["iris.csv: chi-square(", "non-negative"]),
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
        with zipfile.ZipFile(self.dir / "samples.xlsx", "w") as workbook:
            workbook.writestr("[Content_Types].xml", "<Types/>")
        (self.dir / "binary.dta").write_bytes(bytes(range(32)))
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
                "order.svm": ["line 2"], "plain.csv.gz": ["gzip"], "samples.xlsx": ["Excel", "save it as CSV"],
                "binary.dta": ["is no text", ".npy"],
                "complex.npy": ["c16"], "none.npy": ["0 x 4"],
                "nan.npy": ["nan", "row 8, column 3\n"], "inf.npy": ["-inf", "row 8, column 3\n"],
        }.items():
            self.assert_mistake([name], name, *parts)
            if name != "none.npy":
                self.assert_mistake([DATA / "iris.csv", "--project", name], name, *parts)
        self.assert_mistake([DATA / "iris.csv", "--labels", "missing.txt"], "missing.txt")

    def test_files_that_do_not_belong_together(self):
        x = DATA / "iris.csv"
        (self.dir / "labels.txt").write_text("a\n" * 149)
        self.assert_mistake([x, "--labels", "labels.txt"], "labels.txt", "149", "150")
        (self.dir / "bare.svm").write_text("1\n-1\n")
        self.assert_mistake(["bare.svm"], "bare.svm: has no columns: the matrix is 2 x 0")
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
            self.assert_mistake(["negative.npy", "--kernel", kernel], "negative.npy",
                                "got -4 at row 2, column 2\n")
        self.assert_mistake(["positive.npy", "--kernel", "chi-square", "--project", "negative.npy"],
                            "negative.npy", "got -4 at row 2, column 2\n")
        self.assert_mistake(["positive.npy", "--kernel", "inverse-dot", "--gamma", 0.1],
                            "positive.npy", "at row 2\n")
        (self.dir / "weights.txt").write_text("1\n-1\n")
        self.assert_mistake(["positive.npy", "--weights", "weights.txt"], "at sample 2\n")
        write_svm(self.dir / "sparse.svm", [[1.0, 2.0], [3.0, 4.0]])
        for kernel in ["laplacian", "cauchy", "chi-square"]:
            self.assert_mistake(["sparse.svm", "--kernel", kernel], "sparse.svm", "sparse", kernel)

    def test_sparse_samples_of_any_format(self):
        text = "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n1 2 2\n2 2 4\n"
        (self.dir / "sparse.mtx").write_text(text)
        self.assert_mistake(["sparse.mtx", "--kernel", "laplacian"],
                            "sparse.mtx: the samples are sparse, and the kernel")
        self.assert_mistake(["sparse.mtx", "--standardize"],
                            "sparse.mtx: --standardize: sparse samples lose their zeros")

    def test_samples_without_variance(self):
        constant = write_npy(self.dir / "constant.npy", [[1.0, 2.0]] * 5)
        self.assert_mistake([constant], "constant.npy", "coincide")
        for solver in ["auto", "spgd", "kernel-hebbian"]:
            self.assert_mistake([constant, "--sigma", 1, "--solver", solver], "constant.npy",
                                "no component")
        one = write_npy(self.dir / "one.npy", [[1.0, 2.0]])
        self.assert_mistake([one, "--sigma", 1], "one.npy", "one sample")
        self.assert_mistake([one], "one.npy")

    def test_precomputed(self):
        write_npy(self.dir / "oblong.npy", [[1.0, 0.5, 0.0], [0.5, 1.0, 0.0]])
        self.assert_mistake(["oblong.npy", "--kernel", "precomputed"], "oblong.npy", "2 x 3")
        write_npy(self.dir / "skew.npy", [[1.0, 0.5], [0.4, 1.0]])
        self.assert_mistake(["skew.npy", "--kernel", "precomputed"], "skew.npy", "0.4", "0.5")
        write_npy(self.dir / "gram.npy", [[1.0, 0.5], [0.5, 1.0]])
        # A sparse file of kernel values is as good.
        head = "%%MatrixMarket matrix coordinate real general\n"
        (self.dir / "gram.mtx").write_text(head + "2 2 4\n1 1 1\n1 2 .5\n2 1 .5\n2 2 1\n")
        scores = []
        for name in ["gram.npy", "gram.mtx"]:
            self.run_well(name, "--kernel", "precomputed", "--project", name, path="")
            scores.append([read_npy(self.out / f"{f}.npy") for f in ["scores", "projected"]])
        self.assertEqual(*scores)
        shutil.rmtree(self.out)
        for solver in ["nystrom", "spgd", "kernel-hebbian"]:
            self.assert_mistake(["gram.npy", "--kernel", "precomputed", "--solver", solver],
                                f"--solver {solver}", "precomputed", "block-krylov")

    def test_landmarks_of_an_indefinite_kernel(self):
        for sampling in Solvers.SAMPLINGS:
            self.assert_mistake([DATA / "iris.csv", "--kernel", "sigmoid", "--gamma", 0.01,
                                 "--coef0", -1, "--solver", "nystrom", "--sampling", sampling],
                                "iris.csv", "sigmoid", "indefinite", "Exact")

    def test_output_directory(self):
        x = DATA / "iris.csv"
        (self.dir / "file").write_text("")
        for out in ["file", "file/below", "/proc/nowhere", ""]:
            self.assert_mistake([x, "--out", out], "--out", out)
        (self.dir / "taken" / "scores.npy").mkdir(parents=True)
        self.assert_mistake([x, "--out", "taken"], "--out", "taken/scores.npy")
        # Before the cross-validation, which takes long, and cannot split these two samples.
        two = write_npy(self.dir / "two.npy", iris()[:2])
        for option in ["--sigma", "--components"]:
            self.assert_mistake([two, option, "cv", "--cv-criterion", "preimages", "--out", "file"],
                                "--out file")

    def test_inputs_are_not_overwritten(self):
        a = write_npy(self.dir / "a.npy", iris())
        before = a.read_bytes()
        for name in ["scores.npy", "projected.npy", "eigenvalues.npy", "labels.txt",
                     "iterate_1_values.npy"]:
            shutil.copyfile(a, self.dir / name)
        (self.dir / "report.json").write_bytes((DATA / "iris_species.csv").read_bytes())
        os.link(a, self.dir / "hard.npy")
        (self.dir / "soft.npy").symlink_to("a.npy")
        (self.dir / "folder").symlink_to(".")
        with zipfile.ZipFile(self.dir / "data.npz", "w") as archive:
            archive.write(a, "a.npy")
        (self.dir / "data.h5").write_bytes(before)
        arrays = (self.dir / "data.npz").read_bytes()
        here = ["--out", "."]
        for arguments, parts in [
                (["a.npy", "--save", "a.npy"], ["--save a.npy", "INPUT a.npy"]),
                (["a.npy", "--save", "folder/./a.npy"], ["--save folder/./a.npy", "INPUT a.npy"]),
                (["a.npy", "--save", "hard.npy"], ["--save hard.npy", "INPUT a.npy"]),
                (["soft.npy", "--save", a], [f"--save {a}", "INPUT soft.npy"]),
                (["a.npy", "--save", "soft.npy"], ["--save soft.npy", "INPUT a.npy"]),
                (["data.npz:a", "--save", "data.npz"], ["--save data.npz", "INPUT data.npz:a"]),
                (["data.h5:a", "--save", "folder/data.h5"],
                 ["--save folder/data.h5", "INPUT data.h5:a"]),
                (["a.npy", "--project", "data.npz:a", "--save", "data.npz"],
                 ["--save data.npz", "--project data.npz:a"]),
                (["a.npy", "--solver", "doubly-stochastic", "--state", "hard.npy"],
                 ["--state hard.npy", "INPUT a.npy"]),
                (["a.npy", "--project", "scores.npy", "--save", "scores.npy"],
                 ["--save scores.npy", "--project scores.npy"]),
                (["scores.npy", *here], ["--out .", "INPUT scores.npy"]),
                (["eigenvalues.npy", *here], ["--out .", "INPUT eigenvalues.npy"]),
                (["a.npy", "--project", "projected.npy", "--out", "folder"],
                 ["--out folder", "--project projected.npy"]),
                (["a.npy", "--labels", "report.json", *here], ["--out .", "--labels report.json"]),
                (["iterate_1_values.npy", "--solver", "spgd", "--iterations", 1, "--checkpoints", 1,
                  *here], ["--out .", "INPUT iterate_1_values.npy"]),
                (["--load", "a.npy", "--project", "projected.npy", *here],
                 ["--out .", "--project projected.npy"]),
                # Outputs that are one another.
                (["a.npy", "--save", "out/scores.npy"], ["--save out/scores.npy", "out/scores.npy"]),
                (["a.npy", "--solver", "doubly-stochastic", "--save", "s", "--state", "./s"],
                 ["--save s", "--state ./s"]),
                (["a.npy", "--solver", "doubly-stochastic", "--state", "folder/out/scores.svg"],
                 ["--state folder/out/scores.svg", "scores.svg"]),
        ]:
            words = [KPCA, *map(str, arguments)]
            words += [] if "--out" in words else ["--out", "out"]
            names = sorted(path.name for path in self.dir.iterdir())
            done = subprocess.run(words, capture_output=True, text=True, cwd=self.dir)
            with self.subTest(arguments=arguments):
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                for part in parts:
                    self.assertIn(part, done.stderr)
                self.assertEqual(sorted(path.name for path in self.dir.iterdir()), names)
        for name in ["a.npy", "scores.npy", "projected.npy", "eigenvalues.npy", "labels.txt",
                     "iterate_1_values.npy", "data.h5"]:
            self.assertEqual((self.dir / name).read_bytes(), before, name)
        self.assertEqual((self.dir / "data.npz").read_bytes(), arrays)

    def test_samples_that_are_too_large(self):
        # Whose squares overflow, in every solver: the sentence does not speak of equal samples.
        large = write_npy(self.dir / "large.npy", [[1e200 * v for v in row] for row in iris()])
        for arguments in [["exact"], ["nystrom"], ["spgd"], ["kernel-hebbian"], ["features"],
                          ["features", "--map", "random-maclaurin"],
                          ["doubly-stochastic", "--map", "random-maclaurin", "--features", 64]]:
            done = self.run_kpca(large, "--kernel", "linear", "--solver", *arguments)
            with self.subTest(arguments=arguments):
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                self.assertRegex(done.stderr, r"^kpca: [^\n]*large\.npy: [^\n]*(overflow| inf )[^\n]*\n$")

    def test_samples_that_are_too_small(self):
        # Whose squares are zero: the kernel is, and nothing crashes.
        for scale in [1e-170, 1e-300, 5e-324]:
            small = write_npy(self.dir / "small.npy", [[scale * v for v in row] for row in iris()])
            for arguments in [["exact"], ["spgd"], ["features", "--map", "random-maclaurin"],
                              ["doubly-stochastic", "--map", "random-maclaurin", "--features", 64]]:
                self.assert_mistake([small, "--kernel", "linear", "--components", 2, "--solver",
                                     *arguments], "small.npy", "no component")

    def test_mistakes_before_the_fit_leave_no_directory(self):
        for arguments, part in [(["--components", 151], "--components"),
                                (["--solver", "spgd", "--estimator", "random-maclaurin"],
                                 "--estimator")]:
            self.assert_mistake([DATA / "iris.csv", *arguments], part)
            self.assertFalse(self.out.exists())

    def test_not_enough_memory(self):
        many = write_npy(self.dir / "many.npy", [[float(i % 97)] for i in range(60000)])
        limit = 6 << 30
        slow = ["--kernel", "matern", "--nu", 1.3, "--length", 1]  # worth storing
        for arguments, parts in [
                (["--solver", "exact"], ["26.8 GiB", "block-krylov"]),
                (["--memory-budget", "100G"], ["auto", "--memory-budget", "nystrom"])]:
            self.assert_mistake(
                [many, "--threads", 1, *slow, *arguments], "many.npy", "memory", "60000",
                *parts, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))


if __name__ == "__main__":
    KPCA, DATA = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
