#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Checks that check_headers.py finds headers that do not compile by themselves.

    check_headers_test.py COMPILER
"""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

import check_headers

TYPES = check_headers.TYPES
ROW = 7
compiler = []


def header(number, body, *includes):
    lines = ["#pragma once", *(f"#include <{name}>" for name in includes), body]
    return f"mercer/h{number}.hpp", "\n".join(lines) + "\n"


def good_headers():
    """A type, a row of headers that each include the one before, and headers that include some of them."""
    files = {TYPES: "#pragma once\nstruct T0 {};\n"}
    for i in range(1, ROW + 1):
        files.update([header(i, f"struct T{i} {{ T{i - 1} before; }};", TYPES if i == 1 else f"mercer/h{i - 1}.hpp")])
    for i in range(1, ROW + 1, 3):
        files.update([header(100 + i, f"struct T{100 + i} {{ T{i} one; T0 other; }};", f"mercer/h{i}.hpp", TYPES)])
    return files


def check(files):
    """The exit status and the output for these headers, of which three are kept in compiled form."""
    output = io.StringIO()
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        arguments = ["check_headers.py", folder, *compiler, "-std=c++20", "-Wall", "-Werror"]
        with mock.patch.object(sys, "argv", arguments), mock.patch.object(check_headers, "KEPT", 3), \
             contextlib.redirect_stdout(output):
            try:
                check_headers.main()
            except SystemExit as end:
                return end.code, output.getvalue()


class CheckHeaders(unittest.TestCase):
    def test_good_headers_pass(self):
        files = good_headers()
        status, output = check(files)
        self.assertEqual(status, 0, output)
        self.assertIn(f"{len(files)} headers in", output)
        self.assertIn(", 0 failed", output)

    def test_missing_includes_are_found(self):
        files = good_headers()
        # With an include of headers that compile before it, or after which it compiles, and without any.
        faulty = {200: [TYPES], 201: ["mercer/h5.hpp"], 202: [f"mercer/h{ROW - 1}.hpp"], 203: []}
        for number, includes in faulty.items():
            files.update([header(number, f"struct Late {{ T{ROW} last; }};", *includes)])
        status, output = check(files)
        self.assertEqual(status, 1, output)
        self.assertIn(f", {len(faulty)} failed", output)
        for number, includes in faulty.items():
            self.assertIn(f"h{number}.hpp:{len(includes) + 2}", output)

    def test_missing_includes_in_the_row_are_found(self):
        files = good_headers()
        for number in (3, 6):
            files.update([header(number, f"struct T{number} {{ T{number - 1} before; }};", TYPES)])
        status, output = check(files)
        self.assertEqual(status, 1, output)
        for number in (3, 6):
            self.assertIn(f"h{number}.hpp:3", output)

    def test_a_warning_is_a_fault(self):
        files = good_headers()
        files.update([header(210, "inline int f() { int unused = 1; return 2; }", "mercer/h2.hpp")])
        status, output = check(files)
        self.assertEqual(status, 1, output)
        self.assertIn("unused", output)

    def test_no_headers(self):
        self.assertIn("no headers", check({})[0])


if __name__ == "__main__":
    compiler = [sys.argv.pop(1)]
    unittest.main()
