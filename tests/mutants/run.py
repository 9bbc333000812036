#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Changes the library in one place at a time, and lists the changes that no test notices.

    run.py [HEADER...] [--count N] [--seed S] [--jobs J] [--out FILE]

HEADER: paths below include/mercer, or folders of them; default: core, features and solvers.

A change flips a sign, a comparison, a boolean or a minimum, or changes a constant. For each one, the
test files that belong to the header are compiled, header-only, and run: tests/<path>_test.cpp, or
where there is none, the tests that include the header. A change is noticed if they do not compile,
fail, or run ten times as long. The working tree is not touched: headers are changed in a copy.

Takes about a minute for each change and core. Prints a line for each survivor, and the counts. A
survivor is a missing test, or a change that makes no difference (a bound that is not sharp, a limit
of memory): only a reader can tell.
"""

import argparse
import concurrent.futures
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include" / "mercer"
COMPILER = ["g++", "-std=c++20", "-O1", "-fopenmp", "-DMERCER_HAS_CEREAL", "-DMERCER_HAS_LBFGSPP",
            "-DMERCER_HAS_ZLIB", "-isystem", "/usr/include/eigen3"]
LIBRARIES = ["-lrapidcheck", "-lz"]

# What is replaced, and by what. Operators have blanks around them, so that references, pointers and
# template arguments are left alone.
SWAPS = [
    (r" \+ ", " - "), (r" - ", " + "), (r" \* ", " / "), (r" / ", " * "),
    (r" \+= ", " -= "), (r" -= ", " += "), (r" \*= ", " /= "), (r" /= ", " *= "),
    (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "),
    (r" == ", " != "), (r" != ", " == "), (r" && ", " || "), (r" \|\| ", " && "),
    (r"\(std::min\)", "(std::max)"), (r"\(std::max\)", "(std::min)"),
    (r"\btrue\b", "false"), (r"\bfalse\b", "true"),
    (r"(?<=[ (\[{,])-(?=[a-z(])", ""),
]
NUMBER = re.compile(r"(?<![\w.])(\d+\.\d*|\.\d+|\d+)(?![\w.])")
# Lines without arithmetic of their own: types, includes, messages, assertions.
SKIPPED = re.compile(
    r"^\s*(#|//|template|requires|using|static_assert|concept|MERCER_|namespace|friend|\[\[nodiscard\]\])"
    r"|fail\(|\"|concept |operator")


def sites(header):
    """(line number, line, changed line) for each change of a header."""
    for number, line in enumerate(header.read_text().splitlines()):
        code = line.split("//")[0].rstrip()
        if not code or SKIPPED.search(code):
            continue
        for pattern, replacement in SWAPS:
            for match in re.finditer(pattern, code):
                yield number, line, code[:match.start()] + replacement + code[match.end():]
        for match in NUMBER.finditer(code):
            old = match.group()
            new = str(int(old) + 1) if old.isdigit() else str(2 * float(old))
            yield number, line, code[:match.start()] + new + code[match.end():]


def tests_of(header):
    """The test files that belong to a header."""
    name = header.relative_to(INCLUDE).as_posix()
    mirror = ROOT / "tests" / name.replace(".hpp", "_test.cpp")
    if mirror.exists():
        return [mirror]
    wanted = f"#include <mercer/{name}>"
    return [p for p in sorted((ROOT / "tests").rglob("*_test.cpp")) if wanted in p.read_text()]


class Bench:
    """Compiles and runs tests with a copy of the headers."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.main = self.folder / "main.o"
        self.usual = {}
        self.call(COMPILER + [f"-I{ROOT}", f"-I{ROOT / 'include'}", "-c",
                              str(ROOT / "tests/support/main.cpp"), "-o", str(self.main)], 600)

    @staticmethod
    def call(command, limit):
        try:
            return subprocess.run(command, capture_output=True, timeout=limit).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    def passes(self, test, include, limit):
        """Whether the test compiles and passes with these headers."""
        program = include.parent / (test.stem + ".out")
        built = self.call(COMPILER + [f"-I{ROOT}", f"-I{include}", str(test), str(self.main), "-o",
                                      str(program)] + LIBRARIES, 600)
        return built and self.call([str(program)], limit)

    def measure(self, test):
        """Sets the usual time of a test; False if it fails without any change."""
        if test not in self.usual:
            begin = time.monotonic()
            good = self.passes(test, self.copy("usual"), 600)
            self.usual[test] = max(5.0, time.monotonic() - begin) if good else None
        return self.usual[test] is not None

    def copy(self, name):
        target = self.folder / name / "include"
        if not target.exists():
            shutil.copytree(ROOT / "include", target)
        return target

    def survives(self, index, header, site, tests):
        number, _, changed = site
        include = self.copy(f"mutant{index}")
        target = include / "mercer" / header.relative_to(INCLUDE)
        lines = target.read_text().splitlines()
        lines[number] = changed
        target.write_text("\n".join(lines) + "\n")
        alive = all(self.passes(test, include, 10 * self.usual[test]) for test in tests)
        shutil.rmtree(include.parent)
        return alive


def headers_of(arguments):
    for argument in arguments:
        path = INCLUDE / argument
        if path.is_dir():
            yield from sorted(path.rglob("*.hpp"))
        elif path.is_file():
            yield path
        else:
            sys.exit(f"run.py: {argument}: no such header or folder below include/mercer")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("headers", nargs="*", default=["core", "features", "solvers"])
    parser.add_argument("--count", type=int, default=100, help="changes, drawn at random")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", help="write the survivors to this file too")
    options = parser.parse_args()

    candidates = [(h, site) for h in headers_of(options.headers) for site in sites(h) if tests_of(h)]
    chosen = random.Random(options.seed).sample(candidates, min(options.count, len(candidates)))
    print(f"{len(chosen)} of {len(candidates)} changes", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(folder)
        tests = {h: [t for t in tests_of(h) if bench.measure(t)] for h in {h for h, _ in chosen}}
        survivors = []
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            runs = {pool.submit(bench.survives, i, h, site, tests[h]): (h, site)
                    for i, (h, site) in enumerate(chosen) if tests[h]}
            for run in concurrent.futures.as_completed(runs):
                header, (number, old, new) = runs[run]
                if not run.result():
                    continue
                name = header.relative_to(ROOT).as_posix()
                survivors.append(f"{name}:{number + 1}:\n  - {old.strip()}\n  + {new.strip()}")
                print(survivors[-1], flush=True)
    print(f"{len(runs) - len(survivors)} of {len(runs)} changes noticed")
    if options.out:
        pathlib.Path(options.out).write_text("\n".join(survivors) + "\n")


if __name__ == "__main__":
    main()
