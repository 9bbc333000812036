#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Draws the pictures of docs/ anew, by running the examples.

    make_pictures.py DOCS PROGRAM...

DOCS is the folder of the pages; each PROGRAM draws a picture of its own name. The target gallery
builds the programs and calls this. A picture of gnuplot is made smaller before it is kept: each point
names a symbol that is defined once with its size and colour. What is seen does not change. Pictures
stay below 100 kB, and files whose picture is the same are not written.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

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
    docs, *programs = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        for program in programs:
            name = f"{program.stem}.svg"
            subprocess.run([program], cwd=folder, check=True)
            drawn = pathlib.Path(folder) / name
            if not drawn.exists():
                sys.exit(f"{program.stem} drew no {name}; gnuplot draws the pictures")
            picture = smaller(drawn.read_text(encoding="utf-8"))
            if len(picture) >= LARGEST:
                sys.exit(f"{name} has {len(picture)} bytes, {LARGEST} are too many")
            kept = docs / name
            same = kept.exists() and kept.read_text(encoding="utf-8") == picture
            if not same:
                kept.write_text(picture, encoding="utf-8")
            print(f"{kept}: {'the same as before' if same else 'drawn'}")


if __name__ == "__main__":
    main()
