# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""What pip calls to build this package: setuptools, without the network where that can be.

pip builds in an environment of its own, with what an index gives it. Where the Python that it installs
for can import all that the build needs already, as with Debian's packages, that is taken. Otherwise
pip is asked for all of it, so that the two are never mixed.

https://peps.python.org/pep-0517/ has the names and arguments of the functions.
"""

import os
import subprocess
import sys

REQUIREMENTS = ["setuptools>=64", "wheel", "numpy", "pybind11"]

# Fails if something is not there. Of pybind11, headers without the Python package are enough: CMake
# finds them.
PROBE = """
import os, sys
import numpy, setuptools, wheel
if int(setuptools.__version__.split(".")[0]) < 64:
    sys.exit(1)
try:
    import pybind11
except ImportError:
    if not any(os.path.exists(os.path.join(prefix, "include/pybind11/pybind11.h"))
               for prefix in (sys.base_prefix, "/usr/local", "/usr")):
        sys.exit(1)
print(*sys.path, sep="\\n")
"""


def folders_of_packages():
    """Where this Python has the packages that the build needs; None if it lacks one.

    pip hides them by variables and a sitecustomize.py, which -I ignores."""
    probe = subprocess.run([sys.executable, "-I", "-c", PROBE], capture_output=True, text=True)
    return probe.stdout.splitlines() if probe.returncode == 0 else None


def requirements(config_settings=None):
    return REQUIREMENTS if folders_of_packages() is None else []


def build_meta():
    """setuptools' own backend, in an environment that has the packages of this Python if all are there."""
    hidden = [folder for folder in folders_of_packages() or [] if folder not in sys.path]
    if hidden:
        sys.path += hidden
        # The Python that CMake asks has to see them, too: here is what hides them from it.
        os.environ.pop("PYTHONPATH", None)
    from setuptools import build_meta as setuptools_backend
    return setuptools_backend


get_requires_for_build_sdist = requirements
get_requires_for_build_wheel = requirements
get_requires_for_build_editable = requirements


def prepare_metadata_for_build_wheel(*arguments):
    return build_meta().prepare_metadata_for_build_wheel(*arguments)


def prepare_metadata_for_build_editable(*arguments):
    return build_meta().prepare_metadata_for_build_editable(*arguments)


def build_sdist(*arguments):
    return build_meta().build_sdist(*arguments)


def build_wheel(*arguments):
    return build_meta().build_wheel(*arguments)


def build_editable(*arguments):
    return build_meta().build_editable(*arguments)
