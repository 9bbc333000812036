#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Checks that each header compiles by itself, with warnings as errors.

    check_headers.py [--without=FOLDER]... INCLUDE COMPILER [FLAG...]

Each header is the only include of a translation unit that the compiler checks without making code.
Those that include <mercer/core/types.hpp>, and Eigen with it, find it compiled already.
Headers in a folder that is left out need a library that is not there.
Prints the messages of those that fail; exit status 1 if there are any.
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

TYPES = "#include <mercer/core/types.hpp>\n"


def precompile(folder, command):
    """What makes the compiler read core/types.hpp in compiled form."""
    header = pathlib.Path(folder, "types.hpp")
    header.write_text(TYPES)
    subprocess.run([*command, "-x", "c++-header", header, "-o", f"{header}.gch"], check=True)
    return ["-include", header]


def check(include, header, command, types):
    name = header.relative_to(include).as_posix()
    if TYPES in header.read_text():
        command = [*command, *types]
    result = subprocess.run([*command, "-fsyntax-only", "-x", "c++", "-"], input=f"#include <{name}>\n",
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
    failed = 0
    command.append(f"-I{include}")
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        types = precompile(folder, command)
        for name, status, messages in pool.map(lambda h: check(include, h, command, types), headers):
            if status != 0:
                failed += 1
                print(f"== {name}\n{messages}")
    print(f"{len(headers)} headers, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
