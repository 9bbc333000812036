#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Runs the program kca and checks its numbers.

    kca_test.py KCA [CLASS]

KCA is the program, CLASS one of the classes below. Only Python's standard library is used.
"""

import math
import os
import random
import re

from kca_runs import (ALPHA, BETA, DATA, X5, Y5, Runs, column, column_file, gaussian, gram, main,
                      needs_gnuplot, pearson)
from kpca_test import centred, dot, read_npy, squares, write_csv, write_npy, write_svm


class Results(Runs):
    def test_cca_of_worked_pairs(self):
        done = self.run_well("cca", self.x, self.y, "--sigma", 1, "--regularization", 0.1)
        report = self.report()
        rho = [.819491008252, .614026801532, .400535359042, .028653201035]
        self.assert_close(report["correlations"], rho)
        kappas = [.059807735442, .036912837279]
        self.assert_close([view["kappa"] for view in report["views"]], kappas)
        self.assert_close(report["training_correlations"][:2], [.996787744761, .958547530481])
        for view, rows, weights, name in zip(report["views"], [X5, Y5], [ALPHA, BETA],
                                             ["scores_x.npy", "scores_y.npy"]):
            values = gram(gaussian(1), rows)
            scores = [dot(row, weights) for row in centred(values, values)]
            self.assert_close(column(read_npy(self.out / name)), scores)
            self.assertEqual(view["rank"], 4)
            self.assertEqual(view["solver"], "exact")
            self.assertEqual(view["kernel"], "gaussian")
            self.assertEqual(view["parameters"], {"sigma": 1})
            self.assertLess(max(view["residuals"]), 1e-10)
            self.assertLess(view["trace_error"], 1e-10)
            self.assertLess(view["effective_dimension"], 4)
        expected = {"status": "converged", "method": "kernel-cca", "n": 5, "components": 4,
                    "components_requested": 5, "regularization": 0.1, "holdout_samples": 0,
                    "holdout_correlations": [], "seed": 0, "centered": True}
        self.assertEqual({key: report[key] for key in expected}, expected)
        self.assertLess(report["truncation_bound"], 1e-10)
        self.assertEqual(len(report["error_bounds"]), 4)
        for key in ["seconds", "phases", "bytes", "threads", "instructions", "mercer_version"]:
            self.assertIn(key, report)
        for key in ["permutation_null", "regularization_table", "singular_values", "dependence"]:
            self.assertNotIn(key, report)
        for part in ["0.819491", "0.9968", "--holdout"]:
            self.assertIn(part, done.stdout)

    def test_ridge_by_default(self):
        self.run_well("cca", self.x, self.y, "--sigma", 1)
        expected = self.report()["correlations"]
        self.assertEqual(self.report()["regularization"], 0.2)
        self.run_well("cca", self.x, self.y, "--sigma", 1, "--regularization", 0.2)
        self.assertEqual(self.report()["correlations"], expected)

    def test_svd_of_worked_pairs(self):
        self.run_well("svd", self.x, self.y, "--sigma", 1)
        report = self.report()
        sigma = [.231155236632, .092191121973, .036059451219, .002441701110]
        self.assert_close(report["singular_values"], sigma)
        self.assertAlmostEqual(report["dependence"], math.fsum(s * s for s in sigma), delta=1e-10)
        self.assertAlmostEqual(math.fsum(report["explained_dependence_ratio"]), 1, delta=1e-10)
        self.assertEqual(report["method"], "kernel-svd")
        self.assertIsNone(report["views"][0]["kappa"])
        self.assertNotIn("regularization", report)
        self.run_well("svd", self.x, self.y, "--sigma", 1, "--no-center")
        self.assert_close(self.report()["singular_values"],
                          [.508999161524, .225476390860, .083721333153, .035710877025, .002288108198])
        self.assertFalse(self.report()["centered"])

    def test_linear_cca(self):
        # Of one column each, with eps: rho = |r| / (1 + eps).
        x = write_csv(self.dir / "a.csv", [[float(row[0])] for row in X5])
        self.run_well("cca", x, self.y, "--kernel", "linear", "--regularization", 0.25)
        r = abs(pearson(column(X5), column(Y5)))
        self.assert_close(self.report()["correlations"], [r / 1.25])
        self.assert_close(self.report()["training_correlations"], [r])

    def test_sir(self):
        # Linear kernel, one column: eigenvalue = variance between the slices / (1 + eps).
        values = [0.5, 3.0, 1.0, 4.5, 2.0, 0.0]
        x = write_csv(self.dir / "s.csv", [[v] for v in values])
        common = ["--kernel", "linear", "--regularization", 0.5]

        def share(groups):
            mean = math.fsum(values) / 6
            total = math.fsum((v - mean) ** 2 for v in values)
            parts = [[values[i] for i in group] for group in groups]
            return math.fsum(len(p) * (math.fsum(p) / len(p) - mean) ** 2 for p in parts) / total

        (self.dir / "words.csv").write_text("kind\na\nb\na\nb\nc\na\n")
        self.run_well("sir", x, "words.csv", *common)
        report = self.report()
        self.assert_close(report["eigenvalues"], [share([[0, 2, 5], [1, 3], [4]]) / 1.5])
        self.assertEqual([report["target"], report["classes"], report["method"]],
                         ["classes", 3, "kernel-sir"])
        self.assertEqual(len(report["views"]), 1)
        self.assertEqual(len(read_npy(self.out / "scores_x.npy")), 6)
        self.assertFalse((self.out / "scores_y.npy").exists())

        numbers = [0.1, 7.5, 0.3, 9.0, 2.0, 0.2]
        (self.dir / "numbers.csv").write_text("".join(f"{v}\n" for v in numbers))
        self.run_well("sir", x, "numbers.csv", "--slices", 2, *common)
        self.assert_close(self.report()["eigenvalues"], [share([[0, 2, 5], [1, 3, 4]]) / 1.5])
        self.assertEqual([self.report()["target"], self.report()["slices"]], ["slices", 2])

        whole = write_npy(self.dir / "whole.npy", [[1.0], [2.0], [1.0], [2.0], [3.0], [1.0]])
        self.run_well("sir", x, whole, *common)
        self.assert_close(self.report()["eigenvalues"], [share([[0, 2, 5], [1, 3], [4]]) / 1.5])
        self.run_well("sir", x, whole, "--target", "slices", "--slices", 3, *common)
        self.assertEqual(self.report()["target"], "slices")

        self.run_well("sir", x, "numbers.csv", "--target", "outputs", *common)
        self.assert_close(self.report()["eigenvalues"], [pearson(values, numbers) ** 2 / 1.5])
        write_csv(self.dir / "two.csv", [[v, 2 * v + 1] for v in numbers])
        self.run_well("sir", x, "two.csv", *common)
        self.assert_close(self.report()["eigenvalues"], [pearson(values, numbers) ** 2 / 1.5])
        self.assertEqual([self.report()["target"], self.report()["outputs"]], ["outputs", 2])
        # As savetxt writes them: several numbers in a row are columns, several words are one class.
        for header in ["", "# by hand\n", "a b\n"]:
            (self.dir / "two.txt").write_text(header + "".join(f"{v} {2 * v + 1}\n" for v in numbers))
            self.run_well("sir", x, "two.txt", *common)
            self.assert_close(self.report()["eigenvalues"], [pearson(values, numbers) ** 2 / 1.5])
            self.assertEqual([self.report()["target"], self.report()["outputs"]], ["outputs", 2])
        (self.dir / "names.txt").write_text("kind a\nkind b\nkind a\nkind b\nkind c\nkind a\n")
        self.run_well("sir", x, "names.txt", *common)
        self.assertEqual([self.report()["target"], self.report()["classes"]], ["classes", 3])

    def six(self, *lines):
        """Six samples of one column, and a file of their responses."""
        x = write_csv(self.dir / "six.csv", [[v] for v in [0.5, 3.0, 1.0, 4.5, 2.0, 0.0]])
        (self.dir / "responses.csv").write_text("".join(f"{line}\n" for line in lines))
        return ["sir", x, "responses.csv", "--sigma", 1]

    def test_words_among_numbers(self):
        # A missing value is no class of its own; words beside whole numbers are names.
        numbers = ["0.5", "1", "0.5", "NA", "2.5", "0.5"]
        self.assert_mistake(self.six(*numbers), "responses.csv", "'NA'", "row 4",
                            "--target classes")
        self.assert_mistake(self.six("y", *numbers), "responses.csv", "'NA'", "row 4")
        self.assert_mistake(self.six("0", "1", "nan", "0", "1", "0"), "'nan'", "row 3")
        for lines, options, classes in [(numbers, ["--target", "classes"], 4),
                                        (["1", "2", "unknown", "1", "2", "1"], [], 3)]:
            self.run_well(*self.six(*lines), *options)
            self.assertEqual([self.report()["target"], self.report()["classes"]],
                             ["classes", classes])

    def test_numbers_have_several_spellings(self):
        for lines, classes in [(["1", "1.0", "+1", "2", "2.", "1e0"], 2),
                               (["1", "1.0", "none", "2", "2.00", "none"], 3),
                               # One double, but two numbers.
                               (["9007199254740993", "9007199254740992"] * 3, 2)]:
            self.run_well(*self.six(*lines))
            self.assertEqual([self.report()["target"], self.report()["classes"]],
                             ["classes", classes])

    def test_names_of_files_with_words(self):
        words = "kind\na\nb\na\nb\nc\na\n"
        sir, x, _, *options = self.six()
        for name in ["words.csv", "words.dat", "WORDS.CSV", "words.Txt"]:
            (self.dir / name).write_text(words)
            self.run_well(sir, x, name, *options)
            self.assertEqual([self.report()["target"], self.report()["classes"]], ["classes", 3])
        (self.dir / "words.csv").write_text("# a, b and c\n" + words)
        self.run_well(sir, x, "words.csv", *options)
        self.assertEqual([self.report()["target"], self.report()["classes"]], ["classes", 3])

    def test_slices_made(self):
        # Of two values, two slices.
        done = self.run_well(*self.six("0.5", "1", "0.5", "1", "1", "0.5"))
        self.assertEqual(self.report()["slices"], 2)
        self.assertEqual(len(self.report()["eigenvalues"]), 1)
        self.assertIn("responses.csv: 2 slices\n", done.stdout)
        self.run_well(*self.six(*[f"0.{i}" for i in range(1, 7)]), "--slices", 3)
        self.assertEqual(self.report()["slices"], 3)

    def test_iris(self):
        self.run_well("sir", DATA / "iris.csv", DATA / "iris_species.csv", "--components", 2)
        report = self.report()
        self.assertEqual([report["n"], report["classes"], report["components"]], [150, 3, 2])
        self.assertGreater(report["eigenvalues"][0], 0.9)

    def test_columns(self):
        lines = [(DATA / name).read_text().splitlines() for name in ("iris.csv", "iris_species.csv")]
        both = self.dir / "both.csv"
        both.write_text("".join(",".join(row) + "\n" for row in zip(*lines)))
        self.run_well("sir", DATA / "iris.csv", DATA / "iris_species.csv", "--components", 2)
        expected = (self.out / "scores_x.npy").read_bytes()
        self.run_well("sir", both, both, "--drop", "species", "--label-column", "species", "--components", 2)
        self.assertEqual((self.out / "scores_x.npy").read_bytes(), expected)
        self.assertEqual(self.report()["classes"], 3)
        # Two views in one file, and each in a file of its own.
        rows = [line.split(",") for line in lines[0]]
        for name, part in (("one", slice(0, 2)), ("two", slice(2, 4))):
            (self.dir / f"{name}.csv").write_text("".join(",".join(row[part]) + "\n" for row in rows))
        self.run_well("cca", self.dir / "one.csv", self.dir / "two.csv", "--components", 1)
        expected = (self.out / "scores_y.npy").read_bytes()
        self.run_well("cca", both, both, "--columns", "1-2", "--columns-y", "petal_length,petal_width",
                      "--components", 1)
        self.assertEqual((self.out / "scores_y.npy").read_bytes(), expected)
        self.run_well("ica", both, "--columns", "1,2")
        self.run_well("mixture", both, "--drop", "species,petal_width", "--components", 2)
        for report in self.out.glob("report.json"):
            report.unlink()
        self.assert_mistake(["cca", both, DATA / "iris.csv"], "both.csv", "'setosa'; --drop leaves columns out")
        self.assert_mistake(["cca", DATA / "iris.csv", both], "both.csv", "'setosa'; --drop-y leaves columns out")


class Choices(Runs):
    def test_slices_of_classes(self):
        words, whole = DATA / "iris_species.csv", self.dir / "whole.csv"
        names = words.read_text().split()[1:]
        whole.write_text("".join(f"{len(name)}\n" for name in names))
        for y, options, parts in [
                (words, [], ["iris_species.csv are classes", "not cut"]),
                (whole, [], ["whole.csv are classes; take --target slices"]),
                (whole, ["--target", "classes"], ["whole.csv are classes"]),
                (whole, ["--target", "outputs"], ["whole.csv are outputs; take --target slices"]),
                (DATA / "iris.csv", [], ["iris.csv are outputs", "not cut"])]:
            self.assert_mistake(["sir", DATA / "iris.csv", y, "--slices", 7, *options], "--slices",
                                *parts)
        self.run_well("sir", DATA / "iris.csv", whole, "--slices", 7, "--target", "slices")
        self.assertEqual(self.report()["target"], "slices")

    def test_faults_of_responses(self):
        equal = "the responses are all equal\n"
        for responses, options, part in [
                ([3.5] * 5, [], equal),
                ([3.5] * 5, ["--target", "outputs"], equal),
                ([0.1, 0.2, 0.2, 0.2, 0.2], ["--slices", 2], "all 5 responses fall into one of 2"),
                ("abcde", [], "the response spans all 4 dimensions")]:
            (self.dir / "y.csv").write_text("".join(f"{v}\n" for v in responses))
            self.assert_mistake(["sir", self.x, "y.csv", "--sigma", 1, *options],
                                "kca: y.csv: " + part)
        # Those of the fit are, not those held out.
        x = write_csv(self.dir / "ten.csv", [[float(v)] for v in range(10)])
        (self.dir / "y.csv").write_text("0.5\n" * 9 + "1.5\n")
        found = {self.run_kca("sir", x, "y.csv", "--sigma", 1, "--holdout", 0.5, "--seed",
                              seed).stderr for seed in range(8)}
        self.assertIn("kca: y.csv: the responses of the rows to fit to are all equal\n", found)

    def test_advice_without_a_factor(self):
        done = self.run_kca("sir", DATA / "iris.csv", DATA / "iris_species.csv", "--solver",
                            "ridge-cholesky", "--regularization", 1e-300)
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertEqual(done.stderr.count("--solver exact"), 1)
        for part in ["--rank", "basis", "asked for", "Exact"]:
            self.assertNotIn(part, done.stderr)
        self.assertIn("--regularization", done.stderr)

    def test_words_of_help(self):
        help = {method: " ".join(self.run_kca(method, "--help").stdout.split())
                for method in ["cca", "svd", "sir", "mixture"]}
        for method in ["svd", "sir"]:
            self.assertIn("of the rows held out, landmarks and features", help[method])
            self.assertNotIn("permutations", help[method])
        self.assertIn("folds, permutations", help["cca"])
        for suffix in ["-2", "-3"]:
            self.assertIn("Kernel, options ending in " + suffix, help["mixture"])

    def out_names(self):
        return {path.name for path in self.out.iterdir()}

    def test_files_of_an_earlier_run(self):
        x, y, rows_x, _ = self.ring(60)
        self.run_well("cca", x, y, "--holdout", 0.2)
        before = {"report.json", "scores_x.npy", "scores_y.npy", "correlations.csv",
                  "holdout_rows.txt"}
        self.assertEqual(self.out_names(), before)
        self.assertTrue(before < set(self.report()["files"]))  # and the pictures
        # Files of the user's own stay, whatever they are called; a picture is of an earlier run.
        (self.out / "sources.npy").write_text("my own")
        (self.out / "scores.svg").write_text("of an earlier run")
        self.run_well("cca", x, y)
        kept = before - {"holdout_rows.txt"} | {"sources.npy"}
        self.assertEqual(self.out_names(), kept)
        self.run_well("sir", x, column_file(self.dir, y))
        self.assertEqual(self.out_names(), kept - {"scores_y.npy"})
        # So do the files that a run reads, and all of them if there is no result.
        self.run_well("svd", x, y)
        self.assertEqual(self.run_kca("sir", x, "none.csv").returncode, 2)
        self.assertEqual(self.out_names(), kept)
        self.run_well("sir", self.out / "scores_y.npy", column_file(self.dir, y))
        self.assertEqual(self.out_names(), kept)
        views = write_npy(self.dir / "views.npy", [row[:1] * 3 for row in rows_x])
        common = ["--components", 1, "--solver", "exact"]
        self.run_well("mixture", views, *common)
        self.assertIn("expectations_3.npy", self.out_names())
        self.run_well("mixture", views, "--exchangeable", *common)
        self.assertEqual(self.out_names(), {"report.json", "weights.npy", "expectations.npy",
                                            "densities.csv", "sources.npy", "scores_y.npy"})

    def test_a_report_of_another_program(self):
        self.out.mkdir()
        (self.dir / "kept").write_text("")
        (self.out / "kept").write_text("")
        for text in ["", "[1]", "{}", '{"files": 3}', '{"files": ["../kept", "..", ".", ""]}']:
            (self.out / "report.json").write_text(text)
            self.run_well("cca", self.x, self.y)
            self.assertTrue((self.dir / "kept").exists() and (self.out / "kept").exists())

    def ticks(self):
        """The numbers in correlations.svg, and its other words."""
        svg = (self.out / "correlations.svg").read_text()
        texts = [text.strip() for text in re.findall("<text>(.*)</text>", svg)]
        is_number = re.compile(r"-?[\d.]+").fullmatch
        return ([float(text) for text in texts if is_number(text)],
                [text for text in texts if not is_number(text)])

    @needs_gnuplot
    def test_picture_of_singular_values(self):
        # Large singular values and correlations have axes of their own.
        x, y, rows_x, rows_y = self.ring(60)
        large = [write_npy(self.dir / f"large_{i}.npy", [[100 * v for v in row] for row in rows])
                 for i, rows in enumerate([rows_x, rows_y])]
        self.run_well("svd", *large, "--kernel", "linear", path=os.environ["PATH"])
        numbers, words = self.ticks()
        self.assertGreater(max(numbers), 100)
        self.assertTrue(any(0 < v < 1 for v in numbers), numbers)
        self.assertIn("singular value", words)
        self.assertIn("correlation", words)
        # Without centring, a correlation may be negative.
        x = write_csv(self.dir / "up.csv", [[1.0 + i] for i in range(6)])
        y = write_csv(self.dir / "down.csv", [[6.5 - i - i % 2] for i in range(6)])
        self.run_well("svd", x, y, "--kernel", "linear", "--no-center", path=os.environ["PATH"])
        self.assertLess(self.report()["training_correlations"][0], -0.5)
        self.assertLess(min(self.ticks()[0]), -0.5)
        for arguments, label in [(["cca", x, y], "correlation"),
                                 (["sir", x, column_file(self.dir, y)], "eigenvalue")]:
            self.run_well(*arguments, path=os.environ["PATH"])
            self.assertIn(label, self.ticks()[1])

    def test_holdout_of_sir(self):
        # Linear kernel, one column: least squares on the function is that on x.
        draw = random.Random(2)
        values = [draw.gauss(0, 1) for _ in range(60)]
        y = [2 * v + draw.gauss(0, .5) for v in values]
        x = write_csv(self.dir / "s.csv", [[v] for v in values])
        (self.dir / "y.csv").write_text("".join(f"{v!r}\n" for v in y))
        common = ["--kernel", "linear", "--components", 1]
        done = self.run_well("sir", x, "y.csv", "--holdout", 0.25, *common)
        report = self.report()
        self.assertEqual([report["n"], report["holdout_samples"]], [45, 15])
        held = [int(v) for v in (self.out / "holdout_rows.txt").read_text().split()]
        fitted = [i for i in range(60) if i not in held]

        def mean(values):
            return math.fsum(values) / len(values)
        mx, my = mean([values[i] for i in fitted]), mean([y[i] for i in fitted])
        slope = (math.fsum((values[i] - mx) * (y[i] - my) for i in fitted) /
                 math.fsum((values[i] - mx) ** 2 for i in fitted))
        for rows, name in [(fitted, "training"), (held, "holdout")]:
            error = mean([(y[i] - my - slope * (values[i] - mx)) ** 2 for i in rows])
            spread = mean([(y[i] - mean([y[k] for k in rows])) ** 2 for i in rows])
            self.assert_close([report[name + "_mean_squared_error"],
                               report[name + "_explained_variance"]], [error, 1 - error / spread])
        self.assertIn(f"hold-out {report['holdout_explained_variance']:.4g}", done.stdout)
        self.assertEqual(len(read_npy(self.out / "scores_x.npy")), 60)
        # The fit has not seen the rows.
        self.run_well("sir", write_csv(self.dir / "fx.csv", [[values[i]] for i in fitted]),
                      write_csv(self.dir / "fy.csv", [[y[i]] for i in fitted]), *common)
        self.assert_close(self.report()["eigenvalues"], report["eigenvalues"])
        self.assertNotIn("holdout_mean_squared_error", self.report())
        self.assert_close([self.report()["training_mean_squared_error"]],
                          [report["training_mean_squared_error"]])

    def test_holdout_of_classes(self):
        done = self.run_well("sir", DATA / "iris.csv", DATA / "iris_species.csv", "--holdout", 0.3,
                             "--components", 2)
        report = self.report()
        functions = read_npy(self.out / "scores_x.npy")
        names = (DATA / "iris_species.csv").read_text().split()[1:]
        held = {int(v) for v in (self.out / "holdout_rows.txt").read_text().split()}
        fitted = [i for i in range(150) if i not in held]
        means = {}
        for name in set(names):
            rows = [functions[i] for i in fitted if names[i] == name]
            means[name] = [math.fsum(column(rows, j)) / len(rows) for j in range(2)]
        right = [min(means, key=lambda name: squares(functions[i], means[name])) == names[i]
                 for i in range(150)]
        self.assertEqual(report["training_accuracy"], sum(right[i] for i in fitted) / len(fitted))
        self.assertEqual(report["holdout_accuracy"], sum(right[i] for i in held) / len(held))
        self.assertGreater(report["holdout_accuracy"], 0.85)
        self.assertIn("accuracy of the nearest class mean", done.stdout)
        # A class of which no row is left to fit to is never right.
        x = write_npy(self.dir / "six.npy", [[float(v)] for v in [0, 1, 2, 10, 11, 12, 13, 14, 99, 98]])
        (self.dir / "kinds.csv").write_text("a\na\na\nb\nb\nb\nb\nb\nc\ne\n")
        for seed in range(20):
            self.run_well("sir", x, "kinds.csv", "--kernel", "linear", "--holdout", 0.2, "--seed",
                          seed, "--components", 1)
            rows = {int(v) for v in (self.out / "holdout_rows.txt").read_text().split()}
            if rows & {8, 9}:
                self.assertLessEqual(self.report()["holdout_accuracy"], 0.5)
                return
        self.fail("no seed holds out a class")

    def test_holdout(self):
        x, y, rows_x, rows_y = self.ring()
        common = ["--sigma", 1.5, "--sigma-y", 1.2, "--regularization", 0.01, "--components", 3]
        done = self.run_well("cca", x, y, "--holdout", 0.25, "--seed", 5, *common)
        report = self.report()
        self.assertEqual([report["n"], report["holdout_samples"]], [120, 40])
        held = [int(v) for v in (self.out / "holdout_rows.txt").read_text().split()]
        self.assertEqual(len(set(held)), 40)
        u, v = read_npy(self.out / "scores_x.npy"), read_npy(self.out / "scores_y.npy")
        self.assertEqual([len(u), len(v)], [160, 160])
        fitted = [i for i in range(160) if i not in held]
        for rows, key in [(held, "holdout_correlations"), (fitted, "training_correlations")]:
            expected = [pearson([u[i][j] for i in rows], [v[i][j] for i in rows]) for j in range(3)]
            self.assert_close(report[key], expected)
        self.assertGreater(report["holdout_correlations"][0], 0.5)
        self.assertIn("the numbers to quote", done.stdout)
        self.assertIn(f"{report['holdout_correlations'][0]:.4f}", done.stdout)
        # The fit has not seen them.
        self.run_well("cca", write_npy(self.dir / "fx.npy", [rows_x[i] for i in fitted]),
                      write_npy(self.dir / "fy.npy", [rows_y[i] for i in fitted]), *common)
        self.assert_close(self.report()["correlations"], report["correlations"])
        self.run_well("svd", x, y, "--holdout", 0.25, "--components", 2)
        self.assertEqual(len(self.report()["holdout_correlations"]), 2)

    def test_regularization_auto(self):
        x, y, _, _ = self.ring()
        done = self.run_well("cca", x, y, "--regularization", "auto", "--components", 1,
                             "--holdout", 0.2)
        report = self.report()
        table = report["regularization_table"]
        self.assertEqual([line["regularization"] for line in table],
                         [10.0 ** e for e in range(-8, 1)])
        best = max(table, key=lambda line: (line["score"], line["regularization"]))
        self.assertEqual(report["regularization"], best["regularization"])
        self.assertTrue(1e-6 < report["regularization"] < 1)
        self.assertIn(f"{best['score']:.4f}  taken\n", done.stdout)
        # A fold has 8 of 10 pairs to fit to, fewer than the components.
        few = [write_csv(self.dir / f"few_{side}.csv", rows[:10])
               for side, rows in zip("xy", self.ring()[2:])]
        self.run_well("cca", *few, "--regularization", "auto")
        self.assertEqual(self.report()["components_requested"], 10)
        done = self.run_kca("cca", *few, "--regularization", "auto", "--components", 11)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--components: 11 is more than the 10 pairs", done.stderr)

    def test_permutations(self):
        x, y, _, _ = self.ring()
        done = self.run_well("cca", x, y, "--regularization", 0.01, "--permutations", 6,
                             "--components", 3)
        null = self.report()["permutation_null"]
        self.assertEqual(len(null), 6)
        rho = self.report()["correlations"]
        self.assertGreater(rho[0], max(null) + 0.1)
        self.assertLess(rho[2], max(null))
        self.assertIn(f"{max(null):.4f}, the largest of 6 random pairings", done.stdout)

    def test_kernels(self):
        x, y, rows_x, rows_y = self.ring(60)

        def views(*arguments):
            self.run_well("cca", x, y, "--regularization", 0.01, *arguments)
            return [(view["kernel"], view["parameters"]) for view in self.report()["views"]]

        def median(rows):
            distances = sorted(math.sqrt(squares(a, b)) for i, a in enumerate(rows) for b in rows[:i])
            middle = (len(distances) - 1) // 2
            return (distances[middle] + distances[len(distances) // 2]) / 2

        (_, first), (_, second) = views()
        self.assertAlmostEqual(first["sigma"], median(rows_x), delta=1e-12)
        self.assertAlmostEqual(second["sigma"], median(rows_y), delta=1e-12)
        self.assertEqual(views("--sigma", 2), [("gaussian", {"sigma": 2})] * 2)
        self.assertEqual(views("--sigma", 2, "--sigma-y", 3),
                         [("gaussian", {"sigma": 2}), ("gaussian", {"sigma": 3})])
        self.assertEqual(views("--sigma", 2, "--gamma-y", 3),
                         [("gaussian", {"sigma": 2}), ("gaussian", {"gamma": 3})])
        self.assertEqual(views("--kernel", "matern", "--nu", 0.5, "--length", 1, "--length-y", 2),
                         [("matern", {"nu": 0.5, "length": 1}), ("matern", {"nu": 0.5, "length": 2})])
        self.assertEqual(views("--kernel", "linear", "--kernel-y", "polynomial", "--degree-y", 2)[1][1]
                         ["degree"], 2)
        # The views change places.
        views("--sigma", 2, "--sigma-y", 3)
        expected = self.report()["correlations"]
        self.run_well("cca", y, x, "--regularization", 0.01, "--sigma", 3, "--sigma-y", 2)
        self.assert_close(self.report()["correlations"], expected)

    def test_precomputed(self):
        x, y, rows_x, rows_y = self.ring(60)
        common = ["--regularization", 0.01, "--holdout", 0.2]
        self.run_well("cca", x, y, "--sigma", 2, "--sigma-y", 1, *common)
        expected = self.report()
        gram_x = write_npy(self.dir / "gram.npy", gram(gaussian(2), rows_x))
        self.run_well("cca", gram_x, y, "--kernel", "precomputed", "--kernel-y", "gaussian",
                      "--sigma-y", 1, *common)
        for key in ["correlations", "holdout_correlations"]:
            self.assert_close(self.report()[key], expected[key], delta=1e-8)

    def test_solvers(self):
        x, y, _, _ = self.ring(120)
        common = [x, y, "--sigma", 1.5, "--regularization", 0.01, "--components", 3, "--holdout", 0.2]
        self.run_well("cca", *common)
        exact = self.report()["correlations"]
        self.run_well("cca", *common, "--solver", "nystrom", "--landmarks", 96)
        self.assert_close(self.report()["correlations"], exact, delta=1e-8)
        for arguments in [["nystrom", "--landmarks", 40, "--sampling", "uniform"],
                          ["nystrom", "--landmarks", 40], ["block-krylov", "--rank", 30],
                          ["lanczos", "--rank", 30], ["exact", "--rank", 0.99]]:
            with self.subTest(arguments=arguments):
                self.run_well("cca", *common, "--solver", *arguments)
                report = self.report()
                self.assertEqual([view["solver"] for view in report["views"]], [arguments[0]] * 2)
                for rho, full in zip(report["correlations"], exact):
                    self.assertLessEqual(rho, full + 1e-9)
                    self.assertLessEqual(full ** 2 - rho ** 2, report["truncation_bound"] + 1e-9)
        self.run_well("cca", *common, "--solver", "features", "--features", 400)
        report = self.report()
        self.assertEqual(report["views"][0]["map"], "random-fourier")
        self.assertIsNone(report["truncation_bound"])
        self.assert_close(report["correlations"][:1], exact[:1], delta=0.1)
        for method in [["svd", x, y], ["sir", x, column_file(self.dir, y)]]:
            for solver in [["nystrom", "--landmarks", 30], ["features", "--features", 64]]:
                self.run_well(*method, "--components", 2, "--solver", *solver)
                self.assertEqual(self.report()["components"], 2)

    def test_ridge_cholesky(self):
        draw = random.Random(3)
        rows = [[draw.gauss(0, 1) for _ in range(3)] for _ in range(90)]
        x = write_npy(self.dir / "cx.npy", rows)
        two = write_csv(self.dir / "cy.csv", [[a * b, math.sin(2 * c)] for a, b, c in rows])
        one = column_file(self.dir, two)
        square = write_npy(self.dir / "cg.npy", gram(gaussian(2), rows))
        for y, options in [(one, ["--sigma", 2]), (two, ["--sigma", 2]),
                           (one, ["--target", "slices", "--slices", 4, "--kernel", "laplacian"])]:
            for holdout in [0, 0.2]:
                common = ["sir", x, y, "--components", 2, "--holdout", holdout, *options]
                self.run_well(*common)
                expected, scores = self.report(), read_npy(self.out / "scores_x.npy")
                self.run_well(*common, "--solver", "ridge-cholesky")
                report = self.report()
                self.assertEqual(report["views"][0]["solver"], "ridge-cholesky")
                self.assert_close(report["eigenvalues"], expected["eigenvalues"])
                for j in range(2):
                    self.assert_close(column(read_npy(self.out / "scores_x.npy"), j),
                                      column(scores, j), delta=1e-7)
        self.run_well("sir", x, two, "--sigma", 2, "--components", 2)
        expected = self.report()["eigenvalues"]
        self.run_well("sir", square, two, "--kernel", "precomputed", "--components", 2, "--solver",
                      "cholesky")
        self.assert_close(self.report()["eigenvalues"], expected)
        self.assertGreater(self.report()["bytes"], 90 * 90 * 8)
        # A Gram matrix with negative eigenvalues has no Cholesky factor.
        values = gram(gaussian(2), rows)
        for i, row in enumerate(values):
            row[i] -= 0.2
        square = write_npy(self.dir / "indefinite.npy", values)
        done = self.run_kca("sir", square, two, "--kernel", "precomputed", "--solver",
                            "ridge-cholesky", "--regularization", 1e-6)
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertIn("not positive definite", done.stderr)

    def test_sparse_samples(self):
        x, y, rows_x, _ = self.ring(60)
        self.run_well("svd", x, y, "--sigma", 1)
        expected = self.report()["singular_values"]
        self.run_well("svd", write_svm(self.dir / "x.svm", rows_x), y, "--sigma", 1)
        self.assert_close(self.report()["singular_values"], expected)

    def test_not_converged(self):
        x, y, _, _ = self.ring(60)
        done = self.run_kca("cca", x, y, "--sigma", 0.1, "--solver", "nystrom", "--rank", 0.999,
                            "--components", 2, "--landmarks", 20)
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        lines = [line for line in done.stderr.splitlines() if "pictures" not in line]
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertIn("kca: not converged: the basis of ", lines[0])
        self.assertEqual(self.report()["status"], "not converged")
        self.assertEqual(len(read_npy(self.out / "scores_x.npy")), 60)


if __name__ == "__main__":
    main()
