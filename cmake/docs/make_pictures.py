#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Draws the pictures of docs/ anew, by running the examples.

    make_pictures.py EXAMPLES DOCS

EXAMPLES is the folder of the built examples, DOCS that of the pages. A picture of gnuplot is made
smaller before it is kept: each point names a symbol that is defined once with its size and colour.
What is seen does not change. Pictures stay below 100 kB.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

PROGRAMS = ["denoise", "digits", "iris_kpca", "mixture_density", "robust_kpca", "two_circles"]
LARGEST = 100_000

POINT = re.compile(r"\s*<use xlink:href='#(gpPt\d+)' transform='translate\(([-\d.]+),([-\d.]+)\) "
                   r"scale\(([\d.]+)\)' color='([^']*)'/>")


def smaller(svg):
    symbols = {}

    def point(match):
        kind, x, y, scale, colour = match.groups()
        name = symbols.setdefault((kind, scale, colour), f"s{len(symbols)}")
        return f"\n<use xlink:href='#{name}' x='{x}' y='{y}'/>"

    svg = POINT.sub(point, svg)
    definitions = "".join(
        f"<g id='{name}'><use xlink:href='#{kind}' transform='scale({scale})' color='{colour}'/></g>\n"
        for (kind, scale, colour), name in symbols.items())
    svg = svg.replace("</defs>", definitions + "</defs>", 1)
    return re.sub(r"[ \t]*\n\s*", "\n", svg)


def main():
    programs, docs = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        for program in PROGRAMS:
            if not (programs / program).exists():
                print(f"{program}: not built, its picture stays as it is")
                continue
            subprocess.run([programs / program], cwd=folder, check=True)
            picture = smaller((pathlib.Path(folder) / f"{program}.svg").read_text(encoding="utf-8"))
            if len(picture) >= LARGEST:
                sys.exit(f"{program}.svg has {len(picture)} bytes, {LARGEST} are too many")
            (docs / f"{program}.svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
