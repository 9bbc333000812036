#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Runs kca ica and kca mixture, and checks numbers, files, pictures, messages and exit codes.

    kca_latent_test.py KCA [CLASS]

KCA is the program, CLASS one of the classes below. Only Python's standard library is used.
"""

import math
import os
import random

from kca_runs import Runs, column, main, needs_gnuplot, pearson
from kpca_test import read_npy, squares, write_csv, write_npy


def product(a, b):
    return [[math.fsum(x * y for x, y in zip(row, column(b, j))) for j in range(len(b[0]))]
            for row in a]


def amari_error(p):
    """0 if each row and each column of p has one entry that is not 0; at most 1."""
    m, rows = len(p), [[abs(v) for v in row] for row in p]
    lines = rows + [list(line) for line in zip(*rows)]
    return math.fsum(math.fsum(line) / max(line) - 1 for line in lines) / (2 * m * (m - 1))


def mixed_sources(n, mixing, seed=1):
    """Sources: uniform, and with two tails; and their mixtures, about other means."""
    draw = random.Random(seed)
    sources = [[draw.uniform(-1, 1), draw.choice([-1, 1]) * draw.expovariate(1)] for _ in range(n)]
    return [[math.fsum(a * s for a, s in zip(line, row)) + 3 for line in mixing] for row in sources]


def triples(n, laws, weights, seed=1):
    """Samples with three views: laws[view][component] draws one number."""
    draw = random.Random(seed)
    rows = []
    for _ in range(n):
        h = draw.choices(range(len(weights)), weights)[0]
        rows.append([law[h](draw) for law in laws])
    return rows


def normal(mean, deviation):
    return lambda draw: draw.gauss(mean, deviation)


def normal_density(x, mean, deviation):
    return math.exp(-((x - mean) / deviation) ** 2 / 2) / (math.sqrt(2 * math.pi) * deviation)


SAME = [[normal(-2, .6), normal(1, .8)]] * 3
OTHERS = [[normal(-2, .6), normal(1, .8)], [normal(3, 1), normal(0, .5)],
          [normal(10, 2), normal(20, 2)]]
WEIGHTS = [.35, .65]


class Ica(Runs):
    mixing = [[.6, 1], [1, .5]]

    def setUp(self):
        super().setUp()
        self.rows = mixed_sources(800, self.mixing)
        self.mixed = write_csv(self.dir / "mixed.csv", self.rows)

    def test_sources(self):
        for contrast in ["kgv", "kcca"]:
            with self.subTest(contrast=contrast):
                done = self.run_well("ica", self.mixed, "--contrast", contrast)
                report = self.report()
                self.assertEqual([report["method"], report["status"], report["contrast"]],
                                 ["kernel-ica", "converged", contrast])
                self.assertEqual([report["n"], report["components"]], [800, 2])
                # Defaults for less than 1000 samples.
                self.assertEqual([report["sigma"], report["regularization"]], [1, 0.02])
                unmixing = read_npy(self.out / "unmixing.npy")
                # As found on other samples of these laws: .02 to .06 on average.
                self.assertLess(amari_error(product(unmixing, self.mixing)), 0.15)
                self.assertLess(report["contrast_of_sources"], 0.2 * report["contrast_of_columns"])
                self.assertIn(f"{report['contrast_of_sources']:.4g}", done.stdout)
                identity = product(read_npy(self.out / "mixing.npy"), unmixing)
                for i in range(2):
                    self.assert_close(identity[i], [float(i == j) for j in range(2)])
                self.assert_close([math.fsum(report["variance_shares"])], [1])
                # What the help says of the sources of more samples.
                centred = [[v - m for v, m in zip(row, report["mean"])] for row in self.rows]
                expected = product(centred, [list(line) for line in zip(*unmixing)])
                sources = read_npy(self.out / "sources.npy")
                for found, row in zip(sources[:50], expected):
                    self.assert_close(found, row)
                for j in range(2):
                    values = column(sources, j)
                    self.assertAlmostEqual(math.fsum(values) / 800, 0, delta=1e-10)
                    self.assertAlmostEqual(math.fsum(v * v for v in values) / 800, 1, delta=1e-10)
                self.assertAlmostEqual(pearson(column(sources), column(sources, 1)), 0, delta=1e-10)

    def test_parameters(self):
        self.run_well("ica", self.mixed, "--sigma", 0.7, "--regularization", 0.01)
        self.assertEqual([self.report()[key] for key in ["sigma", "regularization"]], [0.7, 0.01])
        first = (self.out / "sources.npy").read_bytes()
        self.run_well("ica", self.mixed, "--sigma", 0.7, "--regularization", 0.01, "--threads", 1)
        self.assertEqual((self.out / "sources.npy").read_bytes(), first)

    def test_files(self):
        done = self.run_well("ica", self.mixed)
        names = {"report.json", "sources.npy", "unmixing.npy", "mixing.npy"}
        self.assertEqual({path.name for path in self.out.iterdir()}, names)
        for name in names:
            self.assertIn(name, done.stdout)
        self.assertEqual(done.stderr, "kca: the pictures were not drawn: gnuplot is not installed\n")

    @needs_gnuplot
    def test_pictures(self):
        draw = random.Random(3)
        eight = write_npy(self.dir / "eight.npy",
                          [[draw.uniform(-1, 1) for _ in range(8)] for _ in range(60)])
        for path in [self.mixed, eight]:
            done = self.run_kca("ica", path, path=os.environ["PATH"])
            self.assertIn(done.returncode, [0, 3], done.stderr)
            self.assert_pictures(done, "sources.svg")


class Mixture(Runs):
    def views(self, laws, n=1500):
        """Files of the views, and one of all of them."""
        self.rows = triples(n, laws, WEIGHTS)
        self.all = write_csv(self.dir / "all.csv", self.rows)
        return [write_csv(self.dir / f"view{v + 1}.csv", [[row[v]] for row in self.rows])
                for v in range(3)]

    def densities(self, view=None):
        lines = [line.split(",") for line in (self.out / "densities.csv").read_text().split()]
        rows = [line for line in lines[1:] if view is None or line[0] == str(view)]
        return [[float(v) for v in (row if view is None else row[1:])] for row in rows]

    def assert_densities(self, rows, laws, smoothing):
        """Components in the order of their weights, as (mean, deviation), smoothed."""
        step = rows[1][0] - rows[0][0]
        for h, (mean, deviation) in enumerate(laws):
            wide = math.sqrt(deviation ** 2 + smoothing ** 2)
            error = step * math.fsum(abs(row[h + 1] - normal_density(row[0], mean, wide))
                                     for row in rows)
            # 20000 samples give .01 to .02; errors grow like the root of their number.
            self.assertLess(error, 0.2, (mean, deviation))

    def test_exchangeable(self):
        files = self.views(SAME)
        done = self.run_well("mixture", *files, "--exchangeable", "--sigma", 0.3)
        report = self.report()
        self.assertEqual([report["method"], report["status"], report["exchangeable"]],
                         ["latent-mixture", "converged", True])
        self.assertEqual([report["n"], report["components"], report["components_requested"]],
                         [1500, 2, None])
        weights = read_npy(self.out / "weights.npy")
        self.assertEqual(report["weights"], weights)
        # The standard deviation of the share of 1500 samples is .012.
        self.assert_close(weights, [.65, .35], delta=0.04)
        self.assert_close([report["weight_sum"]], [math.fsum(weights)])
        self.assertLess(report["defect"], 0.1)
        self.assertGreater(report["gap"], 5)
        self.assert_close([report["gap"]],
                          [report["singular_values"][1] / report["singular_values"][2]])
        means = read_npy(self.out / "expectations.npy")
        self.assert_close(column(means), [1, -2], delta=0.12)
        self.assertEqual(report["smoothing"], [0.3])
        self.assert_densities(self.densities(), [(1, .8), (-2, .6)], 0.3)
        self.assertEqual([view["kernel"] for view in report["views"]], ["gaussian"] * 3)
        self.assertEqual({path.name for path in self.out.iterdir()},
                         {"report.json", "weights.npy", "expectations.npy", "densities.csv"})
        self.assertIn("2 components, before the largest gap", done.stdout)
        # The same from the columns of one file.
        self.run_well("mixture", self.all, "--exchangeable", "--sigma", 0.3)
        self.assertEqual(read_npy(self.out / "weights.npy"), weights)
        self.assertEqual(read_npy(self.out / "expectations.npy"), means)

    def test_different_views(self):
        files = self.views(OTHERS)
        done = self.run_well("mixture", *files)
        report = self.report()
        self.assertEqual([report["components"], report["exchangeable"]], [2, False])
        self.assert_close(report["weights"], [.65, .35], delta=0.05)
        for v, means in enumerate([[1, -2], [0, 3], [20, 10]]):
            found = column(read_npy(self.out / f"expectations_{v + 1}.npy"))
            self.assert_close(found, means, delta=0.06 * abs(means[1] - means[0]))
        # Bandwidths are the 10th percentiles of the views' distances.
        sigmas = [view["parameters"]["sigma"] for view in report["views"]]
        self.assertEqual(report["smoothing"], sigmas)
        for v, laws in enumerate([[(1, .8), (-2, .6)], [(0, .5), (3, 1)], [(20, 2), (10, 2)]]):
            values = column(self.rows, v)
            distances = sorted(abs(a - b) for i, a in enumerate(values) for b in values[:i])
            self.assertAlmostEqual(sigmas[v], distances[len(distances) // 10],
                                   delta=0.01 * distances[-1])
            self.assert_densities(self.densities(v + 1), laws, sigmas[v])
        self.assertIn("three different views", done.stdout)
        self.run_well("mixture", *files, "--sigma", 0.5, "--sigma-3", 2)
        self.assertEqual([view["parameters"]["sigma"] for view in self.report()["views"]],
                         [0.5, 0.5, 2])
        self.run_well("mixture", *files, "--kernel-2", "laplacian", "--components", 2)
        self.assertEqual([view["kernel"] for view in self.report()["views"]],
                         ["gaussian", "laplacian", "gaussian"])
        self.assertEqual(self.report()["components_requested"], 2)

    def test_solvers(self):
        files = self.views(SAME, 300)
        common = ["mixture", *files, "--exchangeable", "--sigma", 0.5, "--components", 2]
        self.run_well(*common, "--solver", "exact")
        exact = self.report()["weights"]
        for solver in [["nystrom", "--landmarks", 80], ["nystrom"], ["block-krylov", "--rank", 20],
                       ["features", "--features", 400]]:
            with self.subTest(solver=solver):
                self.run_well(*common, "--solver", *solver)
                delta = 0.05 if solver[0] == "features" else 1e-6
                self.assert_close(self.report()["weights"], exact, delta=delta)
                self.assertEqual(self.report()["views"][2]["solver"], solver[0])
        self.run_well(*common, "--threads", 1)
        first = (self.out / "densities.csv").read_bytes()
        self.run_well(*common, "--threads", 2)
        self.assertEqual((self.out / "densities.csv").read_bytes(), first)

    def test_planes(self):
        # Views of two coordinates, of which the second is noise.
        draw = random.Random(5)
        rows = triples(1000, SAME, WEIGHTS)
        files = [write_npy(self.dir / f"plane{v}.npy", [[row[v], draw.gauss(0, 1)] for row in rows])
                 for v in range(3)]
        self.run_well("mixture", *files, "--exchangeable")
        self.assertEqual(self.report()["components"], 2)
        means = read_npy(self.out / "expectations.npy")
        self.assertLess(max(math.sqrt(squares(a, b)) for a, b in zip(means, [[1, 0], [-2, 0]])), 0.25)
        smoothing = self.report()["smoothing"][0]
        self.assert_densities(self.densities(), [(1, .8), (-2, .6)], smoothing)

    @needs_gnuplot
    def test_pictures(self):
        files = self.views(OTHERS, 200)
        for arguments in [[*files], [self.all, "--exchangeable", "--components", 2]]:
            done = self.run_well("mixture", *arguments, path=os.environ["PATH"])
            self.assertEqual(done.stderr, "")
            self.assert_pictures(done, "densities.svg")


class LatentMistakes(Runs):
    def test_ica(self):
        rows = mixed_sources(40, [[1, 0], [1, 1]])
        x = write_npy(self.dir / "mixed.npy", rows)
        rows[3][1] = math.nan
        write_npy(self.dir / "nan.npy", rows)
        write_npy(self.dir / "one.npy", [row[:1] for row in rows])
        write_npy(self.dir / "wide.npy", [[1., 2., 3.], [2., 1., 5.]])
        write_npy(self.dir / "still.npy", [[row[0], 1.] for row in rows])
        write_npy(self.dir / "twice.npy", [[row[0], 2 * row[0]] for row in rows])
        (self.dir / "sources.npy").write_bytes(x.read_bytes())
        for arguments, parts in [
                ([], ["X"]),
                ([x, x], ["mixed.npy"]),
                ([x, "--contrast", "ace"], ["--contrast", "ace", "kgv"]),
                ([x, "--sigma", 0], ["--sigma", "0"]),
                ([x, "--sigma", "median"], ["--sigma", "median"]),
                ([x, "--regularization", -1], ["--regularization", "-1"]),
                ([x, "--regularization", "auto"], ["--regularization", "auto"]),
                ([x, "--components", 1], ["--components"]),
                ([x, "--seed", 1], ["--seed"]),
                (["missing.npy"], ["missing.npy"]),
                (["nan.npy"], ["nan.npy", "nan", "row 4, column 2"]),
                (["one.npy"], ["one.npy", "two columns"]),
                (["wide.npy"], ["wide.npy", "2 x 3"]),
                (["still.npy"], ["still.npy", "variable 2 is constant"]),
                (["twice.npy"], ["twice.npy", "singular"]),
                (["sources.npy", "--out", "."], ["--out .", "X sources.npy"]),
        ]:
            self.assert_mistake(["ica", *arguments], *parts)
        self.assertEqual((self.dir / "sources.npy").read_bytes(), x.read_bytes())

    def test_mixture(self):
        rows = triples(40, SAME, WEIGHTS)
        files = [write_npy(self.dir / f"x{v}.npy", [[row[v]] for row in rows]) for v in range(3)]
        x0, x1, x2 = files
        write_npy(self.dir / "short.npy", [[row[0]] for row in rows[:39]])
        write_npy(self.dir / "plane.npy", [row[:2] for row in rows])
        broken = [[row[1]] for row in rows]
        broken[5][0] = math.inf
        write_npy(self.dir / "inf.npy", broken)
        write_npy(self.dir / "still.npy", [[1., 1., 1.]] * 40)
        os.link(x0, self.dir / "again.npy")
        (self.dir / "weights.npy").write_bytes(x0.read_bytes())
        for arguments, parts in [
                ([], ["X"]),
                ([x0, x1], ["three views", "x0.npy", "x1.npy"]),
                ([x0, x1, x2, x0], ["x0.npy"]),
                ([x0, x1, "short.npy"], ["x0.npy has 40", "short.npy has 39"]),
                ([x0, "inf.npy", x2], ["inf.npy", "inf", "row 6, column 1"]),
                ([x0, "missing.csv", x2], ["missing.csv"]),
                (["plane.npy"], ["plane.npy", "three views", "2"]),
                ([x0, x1, "again.npy"], ["X3 again.npy", "X1"]),
                ([x0, x1, "plane.npy", "--exchangeable"],
                 ["--exchangeable", "x0.npy has 1", "plane.npy has 2"]),
                (["still.npy", "--exchangeable", "--sigma", 1, "--components", 2],
                 ["still.npy", "2 components", "which has 1"]),
                (["still.npy", "--exchangeable"], ["still.npy", "--sigma"]),
                ([*files, "--components", 41], ["--components", "41", "40", "x0.npy"]),
                ([*files, "--components", 0], ["--components", "0"]),
                ([*files, "--components", 3, "--rank", 2], ["--components", "3", "--rank", "2"]),
                ([*files, "--kernel", "linear", "--components", 2], ["x0.npy", "2 components"]),
                ([*files, "--kernel", "precomputed"], ["--kernel precomputed", "samples"]),
                ([*files, "--kernel-3", "precomputed"], ["--kernel-3 precomputed", "samples"]),
                ([*files, "--kernel", "chi-square"], ["x0.npy", "row"]),
                ([*files, "--sigma-2", -1], ["--sigma-2", "-1"]),
                ([*files, "--exchangeable", "--sigma-2", 1], ["--exchangeable", "-2"]),
                ([*files, "--kernel-3", "linear", "--exchangeable"], ["--exchangeable", "-3"]),
                ([*files, "--solver", "block-krylov"], ["--rank", "block-krylov"]),
                ([*files, "--solver", "spgd"], ["--solver", "spgd"]),
                ([*files, "--solver", "features", "--map", "nystrom"], ["--map nystrom"]),
                ([*files, "--landmarks", 41], ["--landmarks", "41", "40"]),
                ([*files, "--solver", "exact", "--memory-budget", "10B"], ["--memory-budget", "exact"]),
                ([*files, "--holdout", 0.2], ["--holdout"]),
                (["weights.npy", x1, x2, "--out", "."], ["--out .", "X1 weights.npy"]),
        ]:
            self.assert_mistake(["mixture", *arguments], *parts)
        self.assertEqual((self.dir / "weights.npy").read_bytes(), x0.read_bytes())


if __name__ == "__main__":
    main()
