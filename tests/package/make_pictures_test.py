#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Tests of make_pictures.py, with programs that write given pictures.

    make_pictures_test.py MAKE_PICTURES
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

MAKE_PICTURES = sys.argv[1]
POINT = "<use xlink:href='#gpPt6' transform='translate({x},20.5) scale(3.00)' color='rgb(0, 0, 0)'/>\n"


class Pictures(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.docs = pathlib.Path(self.temporary.name, "docs")
        self.docs.mkdir()

    def draw(self, script):
        program = pathlib.Path(self.temporary.name, "rings")
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        return subprocess.run([sys.executable, MAKE_PICTURES, self.docs, program],
                              capture_output=True, text=True)

    def test_points_share_their_symbol(self):
        points = "".join(POINT.format(x=x) for x in (1, 2, 3))
        result = self.draw(f'cat >rings.svg <<"END"\n<svg><defs>\n</defs>\n{points}</svg>\nEND')
        self.assertEqual(result.returncode, 0, result.stderr)
        picture = (self.docs / "rings.svg").read_text()
        self.assertEqual(picture.count("gpPt6"), 1)
        self.assertEqual([f"<use xlink:href='#s0' x='{x}' y='20.5'/>" in picture for x in (1, 2, 3)],
                         [True] * 3)

    def test_the_same_picture_is_not_written(self):
        script = "echo '<svg></svg>' >rings.svg"
        self.assertIn("drawn", self.draw(script).stdout)
        kept = self.docs / "rings.svg"
        os.utime(kept, (1, 1))
        self.assertIn("the same as before", self.draw(script).stdout)
        self.assertEqual(kept.stat().st_mtime, 1)
        self.assertIn("drawn", self.draw("echo '<svg>other</svg>' >rings.svg").stdout)
        self.assertEqual(kept.read_text(), "<svg>other</svg>\n")

    def test_faults_keep_the_old_picture(self):
        kept = self.docs / "rings.svg"
        kept.write_text("old")
        for script, message in (("exit 3", "exit status 3"), ("true", "drew no rings.svg"),
                                ("head -c 100000 /dev/zero | tr '\\0' x >rings.svg", "too many")):
            with self.subTest(message):
                result = self.draw(script)
                self.assertNotEqual(result.returncode, 0)
                self.assertIn(message, result.stderr)
                self.assertEqual(kept.read_text(), "old")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
