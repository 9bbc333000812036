#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Checks that each header compiles by itself, with warnings as errors.

    check_headers.py [--without=FOLDER]... INCLUDE COMPILER [FLAG...]

The compiler checks chains of headers without making code. Each header of a chain includes the one
before it, itself or by others, so it sees nothing before its own first line that it does not include.
The headers of ours that save most of the reading are kept in compiled form: a chain whose first
header includes one of them finds it compiled already.
Headers in a folder that is left out need a library that is not there.
Prints the messages of the chains that fail; exit status 1 if there are any.
"""

import concurrent.futures
import dataclasses
import graphlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

INCLUDE_OF_OURS = re.compile(r"^#include <(mercer/[^>]+)>", re.M)
KEPT = 16
TYPES = "mercer/core/types.hpp"  # it brings in little of ours, but Eigen


@dataclasses.dataclass(eq=False)
class Chain:
    """Headers that are compiled one after the other; base is kept in compiled form, or None."""
    base: str
    headers: list


def find_chains(include, headers):
    """The chains of all headers, and the headers that are kept; a chain that ends with one keeps it."""
    texts = {h.relative_to(include).as_posix(): h.read_text() for h in headers}
    includes = {name: [i for i in INCLUDE_OF_OURS.findall(text) if i in texts]
                for name, text in texts.items()}
    reached = {}
    for name in graphlib.TopologicalSorter(includes).static_order():
        reached[name] = {name}.union(*(reached[i] for i in includes[name]))
    saved = dict.fromkeys(reached, 0)
    for names in includes.values():
        for i in names:
            saved[i] += len(reached[i])
    kept = {*sorted(saved, key=saved.get)[-KEPT:], TYPES} & saved.keys()

    def best(name, among):
        """The header that name includes and that saves most."""
        return max((i for i in among if i != name and i in reached[name]), default=None,
                   key=lambda i: len(reached[i]))

    chains = []
    open_ends = {}
    for name in sorted(reached, key=lambda name: len(reached[name])):
        # clang++ 14 crashes on compiled forms that need more than one other.
        base = best(name, {TYPES} if name in kept else kept)
        ends = {end: chain for end, chain in open_ends.items() if chain.base == base}
        before = best(name, ends)
        if before:
            chain = open_ends.pop(before)
        else:
            chain = Chain(base, [])
            chains.append(chain)
        chain.headers.append(name)
        if name not in kept:
            open_ends[name] = chain
    return chains, kept


def check(chain, kept, command, folder):
    """Whether the compiler takes the chain, and its messages."""
    if chain.base:
        command = [*command, "-include", pathlib.Path(folder, chain.base)]
    unit = pathlib.Path(folder, chain.headers[-1])
    unit.parent.mkdir(parents=True, exist_ok=True)
    unit.write_text("".join(f"#include <{name}>\n" for name in chain.headers))
    if chain.headers[-1] in kept:
        command = [*command, "-x", "c++-header", unit, "-o", f"{unit}.gch"]
    else:
        command = [*command, "-x", "c++", "-fsyntax-only", unit]
    result = subprocess.run(command, capture_output=True, text=True)
    return result.returncode == 0, result.stderr


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
    chains, kept = find_chains(include, headers)
    # What others need comes first.
    chains.sort(key=lambda c: (c.headers[-1] != TYPES, c.headers[-1] not in kept))
    kept_by = {chain.headers[-1]: chain for chain in chains}
    results = {}
    with tempfile.TemporaryDirectory() as folder, \
         concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        def check_after_base(chain):
            if chain.base:
                results[kept_by[chain.base]].result()
            return check(chain, kept, command, folder)
        for chain in chains:
            results[chain] = pool.submit(check_after_base, chain)
    failed = 0
    for chain in chains:
        passed, messages = results[chain].result()
        if not passed:
            failed += 1
            print(f"== {', '.join(chain.headers)}\n{messages}")
    print(f"{len(headers)} headers in {len(chains)} chains, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
