#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Checks programs that must not compile.

    check.py FILE... -- COMPILER FLAGS...

The first comment of a FILE that reads `// expect: <regex>` says what the compiler must print about it where
MERCER_MUST_NOT_COMPILE is defined. Another test compiles all files as they stand: so the difference between
the two is the fault under test and nothing else. All files are compiled as one, as most of the time goes to
what they include. Exit status 1 if a message is missing.
"""

import collections
import re
import subprocess
import sys


def expectation(file):
    """What the compiler must say about this file."""
    with open(file, encoding="utf-8") as text:
        source = text.read()
    if "MERCER_MUST_NOT_COMPILE" not in source:
        sys.exit(f"{file}: put the fault between #ifdef MERCER_MUST_NOT_COMPILE and #endif")
    expected = re.search(r"^// expect: (.+)$", source, re.MULTILINE)
    return expected.group(1).strip() if expected else sys.exit(f"{file}: no line '// expect: <regex>'")


def main(arguments):
    end = arguments.index("--")
    files, command = arguments[:end], arguments[end + 1:]
    if "clang" in command[0]:
        command.append("-ferror-limit=0")
    for file in files:
        command += ["-include", file]
    run = subprocess.run([*command, "-DMERCER_MUST_NOT_COMPILE", "-x", "c++", "/dev/null"], capture_output=True,
                         text=True, check=False)
    output = run.stdout + run.stderr
    errors = re.findall(r"^.*(?<!\w)error: .*$", output, re.MULTILINE)
    # Files that expect the same are told apart by their number.
    expected = collections.Counter(map(expectation, files))
    missing = {words: count for words, count in expected.items()
               if sum(bool(re.search(words, error)) for error in errors) < count}
    if missing:
        print(output)
    for words, count in missing.items():
        print(f"FAULT: the compiler does not say '{words}', {count} times")
    print(f"{len(files)} programs, {len(errors)} errors")
    return 1 if missing or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
