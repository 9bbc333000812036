#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Compiles the C++ of README.md and docs/*.md, as one program that is only read, not made.

    snippets.py [--without=FOLDER] ROOT WORK COMPILER [FLAG...]

A block that begins with ```cpp is a snippet. Those of a page follow each other in one function; each
sees the names of those before it on its page, and may define them again. Its lines `#include` go to
the top of the program; `struct` at the start of a line begins a type outside of the function, up to the
static_assert behind it. What the pages talk of is defined in PRELUDE. A snippet with `int main` is a
function of its own. Snippets that include headers in the folder that is left out are not read: these need a
library that is not there.
"""

import pathlib
import re
import subprocess
import sys

PRELUDE = """\
#include <algorithm>
#include <iostream>
#include <mercer/mercer.hpp>

/// What pages have: samples, a second view, a response, new samples, and a use for results.
struct Page {
  Eigen::MatrixXd X = Eigen::MatrixXd::Random(20, 3), Y = X, X_new = X, Y_new = X;
  Eigen::VectorXd y = X.col(0), labels = y;
  template <class T>
  void use(const T&) {}
};
"""


def snippets_of(path):
    """Pairs of a line number and the code of a snippet."""
    text = path.read_text(encoding="utf-8")
    for match in re.finditer(r"^```cpp\n(.*?)^```", text, re.M | re.S):
        yield text[: match.start()].count("\n") + 2, match[1]


def program_of(root, without):
    includes, types, pages = [], [], []
    files = [root / "README.md", *sorted((root / "docs").glob("*.md"))]
    for number, path in enumerate(files):
        name, blocks = path.relative_to(root).as_posix(), []
        for line, code in snippets_of(path):
            if without and f"<mercer/{without}/" in code:
                continue
            mark = f'#line {line} "{name}"\n'
            lines = code.split("\n")
            for at, text in enumerate(lines):
                if text.startswith("#include"):
                    includes.append(text)
                    lines[at] = ""
            code = "\n".join(lines)
            if "int main(" in code:
                types.append(mark + code.replace("int main(", f"int main_{number}_{line}("))
            elif re.match(r"\s*struct ", code):
                types.append(mark + code)
            else:
                blocks.append(mark + code)
        if blocks:
            pages.append(f"struct Page_{number} : Page {{\n  void run() {{\n" +
                         "{\n".join(["", *blocks]) + "}" * len(blocks) + "\n  }\n};\n")
    return PRELUDE + "\n".join(dict.fromkeys(includes)) + "\n" + "\n".join(types + pages)


def main():
    arguments = sys.argv[1:]
    without = arguments.pop(0).partition("=")[2] if arguments[0].startswith("--without=") else None
    root, work, compiler, *flags = arguments
    source = pathlib.Path(work) / "snippets.cpp"
    source.write_text(program_of(pathlib.Path(root), without), encoding="utf-8")
    if not source.read_text(encoding="utf-8").count("#line"):
        sys.exit("no snippets found")
    sys.exit(subprocess.run([compiler, *flags, str(source)]).returncode)


if __name__ == "__main__":
    main()
