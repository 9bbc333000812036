#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Installs the Python module as its README says and runs its tests.

    run.py SOURCE BUILD SCRATCH

SOURCE is examples/python, BUILD a build folder of mercer whose target mercer_python is taken,
SCRATCH a folder for a virtual environment. Run with a Python that has scikit-learn.
"""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys

NEEDED = {"numpy": "python3-numpy", "scipy": "python3-scipy", "sklearn": "python3-sklearn",
          "pytest": "python3-pytest", "setuptools": "python3-setuptools", "wheel": "python3-wheel",
          "ensurepip": "python3-venv"}


def main():
    source, build, scratch = (pathlib.Path(path).resolve() for path in sys.argv[1:])
    for module, package in NEEDED.items():
        if importlib.util.find_spec(module) is None:
            print(f"{module} for {sys.executable} (Debian package: {package}) is not installed")
            return 0
    environment = scratch / "environment"
    shutil.rmtree(environment, ignore_errors=True)

    def run(*command, **more):
        print("+", *command, flush=True)
        subprocess.run([str(part) for part in command], check=True, **more)

    run(sys.executable, "-m", "venv", "--system-site-packages", environment)
    run(environment / "bin/pip", "install", source,
        env={**os.environ, "MERCER_PYTHON_BUILD": str(build), "PIP_NO_INDEX": "1"})
    here = pathlib.Path(__file__).resolve().parent
    for test in ("sklearn_test.py", "module_test.py"):
        run(environment / "bin/python", here / test, cwd=scratch)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        print(error)
        sys.exit(1)
