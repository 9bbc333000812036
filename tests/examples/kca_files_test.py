#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Runs the program kca and checks its files, pictures, messages and exit codes.

    kca_files_test.py KCA [CLASS]

KCA is the program, CLASS one of the classes below. Only Python's standard library is used.
"""

import math
import os

from kca_runs import DATA, X5, Y5, Runs, column_file, main, needs_gnuplot
from kpca_test import write_csv, write_npy


class Files(Runs):
    def test_files(self):
        done = self.run_well("cca", self.x, self.y, "--components", 2)
        names = {"report.json", "scores_x.npy", "scores_y.npy", "correlations.csv"}
        self.assertEqual({path.name for path in self.out.iterdir()}, names)
        self.assertEqual(done.stderr, "kca: the pictures were not drawn: gnuplot is not installed\n")
        for name in names:
            self.assertIn(name, done.stdout)
        report = self.report()
        lines = (self.out / "correlations.csv").read_text().splitlines()
        self.assertEqual(lines[0],
                         "component,correlation,error_bound,training_correlation,holdout_correlation")
        for i, line in enumerate(lines[1:]):
            fields = line.split(",")
            self.assertEqual([fields[0], fields[4]], [str(i + 1), ""])
            self.assertEqual(float(fields[1]), report["correlations"][i])
            self.assertEqual(float(fields[3]), report["training_correlations"][i])

    def test_same_results_again(self):
        x, y, _, _ = self.ring()
        kept = []
        for threads in [1, 1, 2]:
            self.run_well("cca", x, y, "--solver", "nystrom", "--landmarks", 50, "--threads", threads,
                          "--holdout", 0.2)
            kept.append((self.out / "scores_x.npy").read_bytes())
        self.assertEqual(kept[0], kept[1])
        self.assertEqual(kept[0], kept[2])

    @needs_gnuplot
    def test_pictures(self):
        x, y, _, _ = self.ring(60)
        for arguments in [["cca", x, y, "--holdout", 0.2, "--permutations", 3], ["svd", x, y],
                          ["sir", DATA / "iris.csv", DATA / "iris_species.csv"],
                          ["sir", x, column_file(self.dir, y), "--components", 1],
                          ["sir", x, y, "--components", 1]]:
            with self.subTest(arguments=arguments):
                done = self.run_well(*arguments, path=os.environ["PATH"])
                self.assertEqual(done.stderr, "")
                self.assert_pictures(done, "scores.svg", "correlations.svg")

    def test_help(self):
        for words, parts in [(["--help"], ["cca", "svd", "sir", "ica", "mixture", "Exit status"]),
                             (["cca", "--help"],
                              ["Usage: kca cca [OPTIONS] X Y", "--sigma-y", "--holdout", "auto"]),
                             (["svd", "--help"], ["--no-center"]),
                             (["sir", "--help"], ["--slices", "--target", "--holdout", "ridge-cholesky"]),
                             (["ica", "--help"], ["--contrast", "kcca", "--sigma"]),
                             (["mixture", "--help"], ["--exchangeable", "--sigma-3", "p10"])]:
            done = self.run_kca(*words)
            self.assertEqual(done.returncode, 0, done.stderr)
            for part in parts:
                self.assertIn(part, done.stdout)
        self.assertEqual(self.run_kca("--version").returncode, 0)

    def test_questions(self):
        for words, parts in [
                (["--help-all"], ["--exchangeable", "--target", "--rank", "Examples:"]),
                (["cca", "--help", "poly"], ["kernel polynomial (or poly)", "--degree N"]),
                (["mixture", "--help", "rbf"], ["Default: p10"]),
                (["--help", "nystrom"], ["solver nystrom", "--landmarks N "]),
                (["--print", "man"], [".TH KCA 1", ".SH kca cca", ".SH kca mixture", "kpca (1)"]),
                (["--print", "bash-completion"], ["complete -F _kca kca", "mixture)", "--slices"]),
                (["--print", "zsh-completion"], ["#compdef kca", "sir)", "--slices"]),
                (["--print", "fish-completion"],
                 ["__fish_seen_subcommand_from sir' -l slices", "-a mixture"])]:
            done = self.run_kca(*words)
            self.assertEqual(done.returncode, 0, done.stderr)
            for part in parts:
                self.assertIn(part, done.stdout)


class Mistakes(Runs):
    def test_options(self):
        x, y = self.x, self.y
        for arguments, parts in [
                ([], ["cca, svd, sir, ica and mixture"]),
                (["pca", x, y], ["pca"]),
                (["cca"], ["X"]),
                (["cca", x], ["Y"]),
                (["cca", x, y, "--speed", "9"], ["--speed"]),
                (["cca", x, y, "--hold-out", "0.2"], ["--hold-out", "did you mean --holdout?"]),
                (["cca", x, y, "--kernel-y", "gauss"], ["--kernel-y", "did you mean gaussian?"]),
                (["cca", x, y, "--components", 6], ["--components", "6", "5", "x.npy"]),
                (["cca", x, y, "--components", 0], ["--components", "0"]),
                (["cca", x, y, "--components", 0.5], ["--components", "0.5"]),
                (["cca", x, y, "--components", 3, "--rank", 2], ["--components", "3", "--rank", "2"]),
                (["cca", x, y, "--rank", 0], ["--rank", "0"]),
                (["cca", x, y, "--regularization", -1], ["--regularization", "-1"]),
                (["cca", x, y, "--regularization", "nan"], ["--regularization", "nan"]),
                (["cca", x, y, "--regularization", "some"], ["--regularization", "some", "auto"]),
                (["cca", x, y, "--sigma", 1, "--regularization", 0],
                 ["x.npy", "y.npy", "without a ridge", "regularization"]),
                (["cca", x, y, "--sigma", 1, "--regularization", "auto"], ["folds", "5"]),
                (["cca", x, y, "--holdout", 1], ["--holdout", "1"]),
                (["cca", x, y, "--holdout", -0.1], ["--holdout", "-0.1"]),
                (["cca", x, y, "--holdout", 0.2], ["--holdout", "1 of 5"]),
                (["cca", x, y, "--permutations", 0], ["--permutations", "0"]),
                (["cca", x, y, "--no-center"], ["--no-center"]),
                (["svd", x, y, "--regularization", 1], ["--regularization"]),
                (["svd", x, y, "--permutations", 3], ["--permutations"]),
                (["sir", x, y, "--sigma-y", 1], ["--sigma-y"]),
                (["sir", x, y, "--regularization", "auto"], ["--regularization", "auto"]),
                (["sir", x, y, "--slices", 1], ["--slices", "1"]),
                (["sir", x, y, "--target", "words"], ["--target", "words"]),
                (["sir", x, y, "--holdout", 0.9], ["--holdout", "5 of 5"]),
                (["cca", x, y, "--kernel", "cubic"], ["--kernel", "cubic"]),
                (["cca", x, y, "--kernel-y", "cubic"], ["--kernel-y", "cubic"]),
                (["cca", x, y, "--sigma-y", -1], ["--sigma-y", "-1"]),
                (["cca", x, y, "--sigma-y", 1, "--gamma-y", 1], ["--sigma-y", "--gamma-y"]),
                (["cca", x, y, "--kernel-y", "linear", "--sigma-y", 1], ["--sigma-y", "linear"]),
                (["cca", x, y, "--solver", "spgd"], ["--solver", "spgd"]),
                (["cca", x, y, "--solver", "block-krylov"], ["--rank", "block-krylov"]),
                (["cca", x, y, "--landmarks", 3], ["--landmarks", "exact"]),
                (["cca", x, y, "--solver", "nystrom", "--landmarks", 6], ["--landmarks", "6", "5"]),
                (["cca", x, y, "--solver", "features", "--kernel", "linear", "--map", "fastfood"],
                 ["--map", "fastfood"]),
                (["cca", x, y, "--memory-budget", "10B"], ["--memory-budget", "exact"]),
                (["cca", x, y, "--threads", 0], ["--threads", "0"]),
                (["cca", x, y, "--solver", "ridge-cholesky"], ["--solver", "ridge-cholesky"]),
                (["sir", x, y, "--solver", "ridge-cholesky", "--rank", 3],
                 ["--rank", "ridge-cholesky"]),
                (["sir", x, y, "--solver", "ridge-cholesky", "--regularization", 0],
                 ["x.npy", "regularization", "positive", "0"]),
                (["sir", x, y, "--solver", "ridge-cholesky", "--memory-budget", "10B"],
                 ["--memory-budget", "ridge-cholesky"]),
        ]:
            self.assert_mistake(arguments, *parts)

    def test_files(self):
        x, y = self.x, self.y
        write_npy(self.dir / "four.npy", Y5[:4])
        rows = [list(map(float, row)) for row in X5]
        rows[3][1] = math.nan
        write_npy(self.dir / "nan.npy", rows)
        (self.dir / "empty.csv").write_text("")
        (self.dir / "empty.npy").write_bytes(b"")
        write_npy(self.dir / "none.npy", [])
        write_npy(self.dir / "one.npy", [[1.0]])
        (self.dir / "words.csv").write_text("a\nb\na\nb\nb\n")
        (self.dir / "same.csv").write_text("a\na\na\na\na\n")
        write_csv(self.dir / "two.csv", [[1.0, 2.0]] * 5)
        for arguments, parts in [
                (["cca", x, "four.npy"], ["x.npy has 5", "four.npy has 4"]),
                (["sir", x, "four.npy"], ["x.npy has 5", "four.npy has 4"]),
                (["svd", "nan.npy", y], ["nan.npy", "nan", "row 4, column 2"]),
                (["svd", y, "nan.npy"], ["nan.npy", "nan", "row 4, column 2"]),
                (["sir", x, "nan.npy"], ["nan.npy", "nan", "row 4, column 2"]),
                (["cca", "missing.npy", y], ["missing.npy"]),
                (["cca", x, "missing.csv"], ["missing.csv"]),
                (["sir", x, "missing.csv"], ["missing.csv"]),
                (["cca", "empty.csv", y], ["empty.csv", "empty"]),
                (["cca", x, "empty.npy"], ["empty.npy"]),
                (["sir", x, "empty.csv"], ["empty.csv", "empty"]),
                (["cca", "none.npy", y], ["none.npy", "0 x 4"]),
                (["cca", "one.npy", "one.npy"], ["one.npy", "one row"]),
                (["cca", x, "words.csv"], ["words.csv"]),
                (["sir", x, "words.csv", "--target", "slices"], ["words.csv", "'a'", "row 1"]),
                (["sir", x, "same.csv"], ["same.csv", "one class"]),
                (["sir", x, "two.csv", "--target", "classes"], ["--target", "two.csv", "2"]),
                (["cca", x, y, "--kernel", "chi-square"], ["y.npy", "row 2", "-0.6"]),
                (["cca", x, y, "--kernel", "precomputed"], ["x.npy", "5 x 2"]),
                (["cca", x, "two.csv", "--sigma", 1], ["no component", "two.csv"]),
                (["cca", x, "two.csv"], ["two.csv", "--sigma-y"]),
        ]:
            self.assert_mistake(arguments, *parts)

    def test_inputs_are_not_overwritten(self):
        for name in ["scores_x.npy", "scores_y.npy"]:
            (self.dir / name).write_bytes(self.x.read_bytes())
        os.link(self.dir / "scores_y.npy", self.dir / "hard.npy")
        before = self.x.read_bytes()
        self.assert_mistake(["cca", "scores_x.npy", self.y, "--out", "."], "--out .", "X scores_x.npy")
        self.assert_mistake(["cca", self.x, "hard.npy", "--out", "."], "--out .", "Y hard.npy")
        for name in ["scores_x.npy", "scores_y.npy"]:
            self.assertEqual((self.dir / name).read_bytes(), before)
        (self.dir / "file").write_text("")
        self.assert_mistake(["cca", self.x, self.y, "--out", "file"], "--out", "file")


if __name__ == "__main__":
    main()
