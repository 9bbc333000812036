#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Tests of make_site.py: a small tree without faults, and the same with each fault planted.

    make_site_test.py MAKE_SITE DOXYGEN
"""

import html
import pathlib
import subprocess
import sys
import tempfile
import unittest

MAKE_SITE, DOXYGEN = sys.argv[1:3]
HEADER = """\
/// \\file
/// A header.
namespace mercer {

/// A class.
class Thing {
 public:
  using Scalar = double;
  /// A number. See [the guide](guide.html).
  /// Cost: none.
  int number() const;
OTHER
};

}  // namespace mercer
"""
PAGES = ("guide", "how-to", "reference", "gallery", "scaling", "benchmarks", "methods", "index")


class Site(unittest.TestCase):
    def make(self, member="", page="", mathjax="none"):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder) / "tree"
            files = {"README.md": "# mercer\n", "docs/groups.dox": "/** \\defgroup kernels Kernels */\n",
                     "include/mercer/version.hpp": "/// \\file\n/// Version.\n"
                     "/// As text.\n#define MERCER_VERSION_STRING \"1.2.3\"\n",
                     "include/mercer/kernels/thing.hpp": HEADER.replace("OTHER", member)}
            for name in PAGES:
                files[f"docs/{name}.md"] = f"# The page {name}\n\nSee [guide](guide.md) and $x^2$.\n"
            files["docs/guide.md"] += "\n## A part\n\nText.\n" + page
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text, encoding="utf-8")
            done = subprocess.run([sys.executable, MAKE_SITE, root, root / "out", "--doxygen", DOXYGEN,
                                   "--mathjax", root / mathjax], capture_output=True, text=True)
            guide = (root / "out/html/guide.html").read_text(encoding="utf-8")
            return done.returncode, done.stdout + done.stderr, guide

    def test_no_faults(self):
        status, said, guide = self.make(page="\n[a part](guide.md#a-part)\n")
        self.assertEqual(status, 0, said)
        self.assertIn("no MathJax", said)
        self.assertIn("in TeX", guide)
        self.assertIn("x^2", guide)

    def test_code(self):
        status, said, guide = self.make(page="""
Begin `FLAGS="-D'a b'"` and `it's`, *then* `--one 'a'
--two 'b'`, **bold** and `plain`.

| `it's` | a |
|---|---|
| `K` | `'` |
""")
        self.assertEqual(status, 0, said)
        for code in ["FLAGS=\"-D'a b'\"", "it's", "--one 'a' --two 'b'", "plain", "'"]:
            self.assertIn(f"<code>{code}</code>", " ".join(html.unescape(guide).split()))
        for text in ["<em>then</em>", "<b>bold</b>"]:
            self.assertIn(text, guide.replace("strong>", "b>"))

    def test_faults(self):
        for member, page, expected in [
                ("", "\nA `quote and **bold***.\n", "guide.html: not understood as Markdown"),
                ("  int other() const;", "", "other() const"),
                ("  /// \\nonsense\n  int other() const;", "", "nonsense"),
                ("", "[x](nowhere.md)\n", "the link to nowhere.md leads nowhere"),
                ("", "[x](index.md#nowhere)\n", "has no place"),
                ("", "![x](nowhere.svg)\n", "nowhere.svg leads nowhere")]:
            with self.subTest(expected):
                status, said, _ = self.make(member, page)
                self.assertEqual(status, 1, said)
                self.assertIn(expected, said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
