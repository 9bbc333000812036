#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Configures the Python module twice in one build folder, as `pip install` does.

    second_install.py CMAKE GENERATOR PYTHON SOURCE SCRATCH

pip brings pybind11 in an environment that is gone at the next build. SOURCE is examples/python,
PYTHON one that has NumPy, SCRATCH a folder. Exit status 1 if the second build has the first path.
"""

import os
import pathlib
import shutil
import subprocess
import sys


def main():
    cmake, generator, python, source, scratch = sys.argv[1:]
    scratch = pathlib.Path(scratch).resolve()
    shutil.rmtree(scratch, ignore_errors=True)
    for name in ("first", "second"):
        environment = scratch / name
        header = environment / "include" / "pybind11" / "pybind11.h"
        module = environment / "pybind11" / "__init__.py"
        for file, text in ((header, ""), (module, f"def get_include(): return {str(environment / 'include')!r}\n")):
            file.parent.mkdir(parents=True)
            file.write_text(text)
        subprocess.run([cmake, "-S", source, "-B", scratch / "build", "-G", generator, f"-DMERCER_PYTHON={python}"],
                       check=True, env=dict(os.environ, PYTHONPATH=str(environment)))
        shutil.rmtree(scratch / "first", ignore_errors=True)
    cache = (scratch / "build" / "CMakeCache.txt").read_text()
    found = [line for line in cache.splitlines() if line.startswith("MERCER_PYBIND11_INCLUDE:")]
    print(*found)
    return 0 if found[0].endswith(f"={scratch / 'second' / 'include'}") else 1


if __name__ == "__main__":
    sys.exit(main())
