#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Checks that object files with loops for newer processors have no function that others use.

    check_inner_loops.py NM OBJECT...

An inline function or a template of one name is in a program once. If that one came from a file
compiled for AVX, the program would stop on processors without it. So names that other files see must
end, or be in a namespace that ends, with the name of the instructions.
"""

import re
import subprocess
import sys

OURS = re.compile(r"_avx(2|512)\b")
# Calls std::terminate, and has no loop.
HARMLESS = {"DW.ref.__gxx_personality_v0", "__clang_call_terminate"}


def main():
    nm, *objects = sys.argv[1:]
    objects = [o for o in objects if re.search(r"avx\d+\.cpp", o)]
    if not objects:
        sys.exit("no object files of inner loops")
    failed = 0
    for name in objects:
        table = subprocess.run([nm, "-C", "--defined-only", name], check=True, capture_output=True,
                               text=True).stdout
        if not re.search(r"mercer_float_loops_avx", table):
            sys.exit(f"{name}: no loops in it; was it compiled for a linker that optimises?")
        for line in table.splitlines():
            kind, symbol = line.split(maxsplit=2)[1:]
            # Small letters are local names, but u and v are not.
            if (kind.isupper() or kind in "uv") and not OURS.search(symbol) and symbol not in HARMLESS:
                print(f"{name}: {symbol}")
                failed += 1
    print(f"{len(objects)} files, {failed} names that others could use")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
