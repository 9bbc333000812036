#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Checks that each header compiles by itself, with warnings as errors.

    check_headers.py [--without=FOLDER]... INCLUDE COMPILER [FLAG...]

Each header is the only include of a translation unit that the compiler checks without making code.
The headers of ours that save most of the reading are compiled first. A header that includes one of
them, or a header that does, finds it compiled already; the rest it has to include itself.
Headers in a folder that is left out need a library that is not there.
Prints the messages of those that fail; exit status 1 if there are any.
"""

import concurrent.futures
import graphlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

INCLUDE_OF_OURS = re.compile(r"^#include <(mercer/[^>]+)>", re.M)
COMPILED_FIRST = 16
TYPES = "mercer/core/types.hpp"  # it brings in little of ours, but Eigen


def rank_includes(include, headers):
    """Which headers are compiled first, and for each header the best of those that it includes."""
    texts = {h.relative_to(include).as_posix(): h.read_text() for h in headers}
    includes = {name: [i for i in INCLUDE_OF_OURS.findall(text) if i in texts]
                for name, text in texts.items()}
    reached = {}
    for name in graphlib.TopologicalSorter(includes).static_order():
        reached[name] = {name}.union(*(reached[i] for i in includes[name]))
    saved = dict.fromkeys(texts, 0)
    for names in includes.values():
        for i in names:
            saved[i] += len(reached[i])
    first = {*sorted(saved, key=saved.get)[-COMPILED_FIRST:], TYPES} & saved.keys()
    best = {name: max((i for i in reached[name] - {name} if i in first), default=None,
                      key=lambda i: len(reached[i])) for name in texts}
    return first, best


def check(name, command, folder, base):
    """The status and the messages of a header; base is in compiled form."""
    if base:
        command = [*command, "-include", pathlib.Path(folder, base)]
    result = subprocess.run([*command, "-fsyntax-only", "-x", "c++", "-"], input=f"#include <{name}>\n",
                            capture_output=True, text=True)
    return name, result.returncode, result.stderr


def precompile(name, command, folder):
    """Makes the compiler read this header in compiled form; what it says if it cannot."""
    header = pathlib.Path(folder, name)
    header.parent.mkdir(parents=True, exist_ok=True)
    header.write_text(f"#include <{name}>\n")
    result = subprocess.run([*command, "-x", "c++-header", header, "-o", f"{header}.gch"],
                            capture_output=True, text=True)
    return name, result.returncode, result.stderr


def main():
    arguments = sys.argv[1:]
    without = set()
    while arguments[0].startswith("--without="):
        without.add(arguments.pop(0).partition("=")[2])
    include, command = pathlib.Path(arguments[0]), arguments[1:]
    headers = sorted(h for h in include.rglob("*.hpp") if h.parent.name not in without)
    if not headers:
        sys.exit(f"no headers in {include}")
    command.append(f"-I{include}")
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        first, best = rank_includes(include, headers)
        results = [*pool.map(lambda name: precompile(name, command, folder), first),
                   *pool.map(lambda name: check(name, command, folder, best[name]), best.keys() - first)]
    failed = [(name, messages) for name, status, messages in results if status != 0]
    for name, messages in failed:
        print(f"== {name}\n{messages}")
    print(f"{len(headers)} headers, {len(failed)} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
