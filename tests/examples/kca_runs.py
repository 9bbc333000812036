# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""What the tests of the program kca share: samples, runs and comparisons."""

import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest
import xml.dom.minidom

from kpca_test import dot, is_question, squares, write_csv, write_npy

DATA = pathlib.Path(__file__).resolve().parents[2] / "examples" / "data"

# Five pairs, with results worked out by another program.
X5 = [[0, 0], [1, 0], [0, 2], [1.5, 1], [2, 2]]
Y5 = [[0.3], [-0.6], [1.1], [0.4], [1.9]]
ALPHA = [-.100210367905, -1.178431487702, .604631233899, -.656524642059, 1.330535263768]
BETA = [-1.149046824541, -1.006692480592, .918625902744, .376259818636, .860853583755]


def gaussian(sigma):
    return lambda x, y: math.exp(-squares(x, y) / (2 * sigma ** 2))


def gram(kernel, rows):
    return [[kernel(x, y) for y in rows] for x in rows]


def column(rows, j=0):
    return [row[j] for row in rows]


def pearson(a, b):
    mean_a, mean_b = math.fsum(a) / len(a), math.fsum(b) / len(b)
    a, b = [v - mean_a for v in a], [v - mean_b for v in b]
    return dot(a, b) / math.sqrt(dot(a, a) * dot(b, b))


def ring_pairs(n, seed=1):
    """Views that share an angle, and have a coordinate of noise each."""
    draw = random.Random(seed)
    x, y = [], []
    for _ in range(n):
        angle = draw.uniform(0, 2 * math.pi)
        x.append([math.cos(angle) + draw.gauss(0, .2), math.sin(angle) + draw.gauss(0, .2),
                  draw.gauss(0, 1)])
        y.append([math.sin(2 * angle) + draw.gauss(0, .2), draw.gauss(0, 1)])
    return x, y


def column_file(directory, csv):
    """The first column of a file."""
    path = directory / "column.csv"
    path.write_text("".join(line.split(",")[0] + "\n" for line in csv.read_text().splitlines()))
    return path


needs_gnuplot = unittest.skipUnless(
    any((pathlib.Path(p) / "gnuplot").exists() for p in os.environ["PATH"].split(":")),
    "gnuplot is not installed")


class Runs(unittest.TestCase):
    program = ""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = pathlib.Path(directory.name)
        self.out = self.dir / "out"
        self.x = write_npy(self.dir / "x.npy", [[float(v) for v in row] for row in X5])
        self.y = write_npy(self.dir / "y.npy", Y5)

    def run_kca(self, *arguments, path=""):
        """Without gnuplot unless a path is given."""
        words = [Runs.program, *map(str, arguments)]
        if not is_question(words) and "--out" not in words and len(words) > 1:
            words += ["--out", str(self.out)]
        environment = {**os.environ, "PATH": path, "OMP_NUM_THREADS": "1"}
        return subprocess.run(words, capture_output=True, text=True, cwd=self.dir, env=environment)

    def run_well(self, *arguments, **settings):
        done = self.run_kca(*arguments, **settings)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def assert_mistake(self, arguments, *parts):
        """Exit code 2, one line on standard error with all parts, no results."""
        done = self.run_kca(*arguments)
        with self.subTest(arguments=[str(a) for a in arguments]):
            self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
            self.assertEqual(done.stdout, "")
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertTrue(done.stderr.startswith("kca: "), done.stderr)
            for part in parts:
                self.assertIn(str(part), done.stderr)
            self.assertFalse((self.out / "report.json").exists())

    def assert_pictures(self, done, *names):
        """They are there, and named; and gone afterwards."""
        for name in names:
            text = (self.out / name).read_text()
            self.assertTrue(text.rstrip().endswith("</svg>"))
            xml.dom.minidom.parseString(text)
            self.assertIn(name, done.stdout)
            (self.out / name).unlink()

    def report(self):
        return json.loads((self.out / "report.json").read_text())

    def assert_close(self, values, expected, delta=1e-10):
        self.assertEqual(len(values), len(expected))
        for value, other in zip(values, expected):
            self.assertAlmostEqual(value, other, delta=delta)

    def ring(self, n=160):
        x, y = ring_pairs(n)
        return write_npy(self.dir / "ring_x.npy", x), write_csv(self.dir / "ring_y.csv", y), x, y


def main():
    Runs.program = str(pathlib.Path(sys.argv[1]).resolve())
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
