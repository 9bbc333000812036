#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Checks one program that must not compile.

    check.py FILE COMPILER FLAGS...

The first comment of FILE that reads `// expect: <regex>` says what the compiler must print: FILE must
fail with that message when MERCER_MUST_NOT_COMPILE is defined. Another test compiles all files as they
stand: so the difference between the two is the fault under test and nothing else.
"""

import re
import subprocess
import sys


def main(file, *command):
    with open(file, encoding="utf-8") as text:
        source = text.read()
    expected = re.search(r"^// expect: (.+)$", source, re.MULTILINE)
    if not expected:
        return f"{file}: no line '// expect: <regex>'"
    if "MERCER_MUST_NOT_COMPILE" not in source:
        return f"{file}: put the fault between #ifdef MERCER_MUST_NOT_COMPILE and #endif"

    run = subprocess.run([*command, "-DMERCER_MUST_NOT_COMPILE", file], capture_output=True, text=True,
                         check=False)
    output = run.stdout + run.stderr
    if run.returncode == 0:
        return f"{file} compiles with MERCER_MUST_NOT_COMPILE"
    if not re.search(expected.group(1).strip(), output):
        return f"{file}: the compiler does not say '{expected.group(1)}', but:\n{output}"
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
