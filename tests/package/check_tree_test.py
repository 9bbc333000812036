#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Plants faults in a small tree and expects check_tree to name each."""

import pathlib
import tempfile
import unittest

import check_tree

LINES = "// SPDX-License-Identifier: MIT\n// Copyright (c) 2026 The mercer authors\n"


def header(guard, *includes):
    lines = "".join(f"#include <mercer/{name}>\n" for name in includes)
    return f"{LINES}/// \\file\n#ifndef {guard}\n#define {guard}\n{lines}#endif\n"


GOOD = {
    "include/mercer/version.hpp": header("MERCER_VERSION_HPP")
    + "#define MERCER_VERSION_MAJOR 1\n#define MERCER_VERSION_MINOR 2\n"
    + '#define MERCER_VERSION_PATCH 3\n#define MERCER_VERSION_STRING "1.2.3"\n',
    "include/mercer/core/a.hpp": header("MERCER_CORE_A_HPP"),
    "include/mercer/kernels/b.hpp": header("MERCER_KERNELS_B_HPP", "core/a.hpp"),
    "include/mercer/models/c.hpp": header("MERCER_MODELS_C_HPP", "kernels/b.hpp"),
    "tests/support/d.hpp": header("MERCER_TESTS_SUPPORT_D_HPP"),
    "CHANGELOG.md": "# Changelog\n\n## [1.2.3] - Unreleased\n\n## [1.2.2] - 2026-01-01\n",
}


class PlantedFaults(unittest.TestCase):
    def faults(self, changes):
        with tempfile.TemporaryDirectory() as directory:
            root = pathlib.Path(directory)
            for name, text in {**GOOD, **changes}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            return "\n".join(check_tree.check(root, "1.2.3"))

    def expect(self, sentence, changes):
        self.assertIn(sentence, self.faults(changes))

    def test_good_tree(self):
        self.assertEqual("", self.faults({}))

    def test_folders_of_builds_are_skipped_and_files_of_that_name_are_not(self):
        self.assertEqual("", self.faults({"build-1/a.py": "", "tests/build/b.py": ""}))
        self.expect("cmake/build_progress.sh: no SPDX line", {"cmake/build_progress.sh": "true\n"})

    def test_arrow_that_runs_back(self):
        self.expect("core/a.hpp: core must not include mercer/kernels/b.hpp",
                    {"include/mercer/core/a.hpp": header("MERCER_CORE_A_HPP", "kernels/b.hpp")})

    def test_cycle_of_headers(self):
        self.expect("a cycle of includes: mercer/core/a.hpp -> mercer/core/e.hpp",
                    {"include/mercer/core/a.hpp": header("MERCER_CORE_A_HPP", "core/e.hpp"),
                     "include/mercer/core/e.hpp": header("MERCER_CORE_E_HPP", "core/a.hpp")})

    def test_cycle_of_modules(self):
        self.expect("a cycle of includes: io -> metrics -> io",
                    {"include/mercer/io/e.hpp": header("MERCER_IO_E_HPP", "metrics/f.hpp"),
                     "include/mercer/io/g.hpp": header("MERCER_IO_G_HPP"),
                     "include/mercer/metrics/f.hpp": header("MERCER_METRICS_F_HPP", "io/g.hpp")})

    def test_unknown_module(self):
        self.expect("the module odd has no place",
                    {"include/mercer/odd/e.hpp": header("MERCER_ODD_E_HPP")})

    def test_missing_header(self):
        self.expect("includes mercer/core/gone.hpp, which does not exist",
                    {"include/mercer/core/a.hpp": header("MERCER_CORE_A_HPP", "core/gone.hpp")})

    def test_guard(self):
        self.expect("include/mercer/core/a.hpp: the guard is not MERCER_CORE_A_HPP",
                    {"include/mercer/core/a.hpp": header("MERCER_CORE_B_HPP")})

    def test_licence_and_file_lines(self):
        bare = "#ifndef MERCER_CORE_A_HPP\n#define MERCER_CORE_A_HPP\n#endif\n"
        for sentence in ("no SPDX line", "no copyright line", "no \\file line"):
            self.expect(f"include/mercer/core/a.hpp: {sentence}",
                        {"include/mercer/core/a.hpp": bare})

    def test_names_that_left_eigen(self):
        for name in ("Eigen::all", "Eigen::last", "Eigen::placeholders::lastN",
                     "Eigen::MappedSparseMatrix", "EIGEN_HAS_CXX11", "<Eigen/src/Core/Ref.h>"):
            self.expect(f"tests/e.cpp:4: {name} is not in both", {"tests/e.cpp": f"{LINES}\n{name};\n"})
        kept = "EIGEN_NO_DEBUG; Eigen::allocator"
        self.assertEqual("", self.faults({"tests/e.cpp": f"{LINES}{kept}\n"}))

    def test_indexed_views(self):
        for name in ("Eigen::indexing::all", "Eigen::seq", "Eigen::seqN"):
            self.expect(f"tests/e.cpp:4: {name.removesuffix('::all')}: take_rows and its like",
                        {"tests/e.cpp": f"{LINES}\n{name};\n"})

    def test_versions(self):
        self.expect("CHANGELOG.md: the newest entry is not [1.2.3]",
                    {"CHANGELOG.md": "## [1.3.0]\n\n## [1.2.3]\n"})
        version = GOOD["include/mercer/version.hpp"]
        self.expect("version.hpp: the numbers are 1.2.4",
                    {"include/mercer/version.hpp": version.replace("PATCH 3", "PATCH 4")})
        self.expect("version.hpp: the string is not",
                    {"include/mercer/version.hpp": version.replace('"1.2.3"', '"1.2.4"')})


if __name__ == "__main__":
    unittest.main()
