# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Builds the module with CMake, for the machine at hand. See README.md.

A source distribution (`python3 -m build --sdist`) holds a copy of what the build needs of mercer, in
its folder mercer_source.

Environment: CMAKE_ARGS, more arguments for CMake; MERCER_PYTHON_BUILD, a build folder of mercer
whose target mercer_python is taken, in place of a build of its own.
"""

import os
import pathlib
import re
import shlex
import shutil
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

HERE = pathlib.Path(__file__).resolve().parent
COPY = "mercer_source"
ROOT = HERE / COPY if (HERE / COPY).exists() else HERE.parent.parent
SOURCES = ["CMakeLists.txt", "LICENSE", "cmake/*.*", "cmake/compiled/**/*.*", "include/**/*.hpp",
           "examples/kpca/code.cmake", "examples/kpca/kernel_code.*", "examples/kpca/solver_code*.*",
           "examples/python/CMakeLists.txt", "examples/python/src/*.*"]
SHARED = os.environ.get("MERCER_PYTHON_BUILD")
BUILD = pathlib.Path(SHARED) if SHARED else ROOT / "build" / "python"
PACKAGE = BUILD / "python_package"  # nothing is written into the folder of the sources


class BuildWithCMake(build_ext):
    def build_extension(self, extension):
        if not SHARED:
            ninja = ["-G", "Ninja"] if shutil.which("ninja") else []
            self.spawn(["cmake", "-S", str(ROOT / "examples" / "python"), "-B", str(BUILD), *ninja,
                        "-DCMAKE_BUILD_TYPE=Release", f"-DMERCER_PYTHON={sys.executable}",
                        "-DCMAKE_CXX_FLAGS_RELEASE=-O3 -march=native -DNDEBUG",
                        *shlex.split(os.environ.get("CMAKE_ARGS", ""))])
        jobs = str(self.parallel or os.cpu_count() or 1)
        self.spawn(["cmake", "--build", str(BUILD), "--target", "mercer_python", "-j", jobs])
        target = pathlib.Path(self.get_ext_fullpath(extension.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        module = BUILD / "python_module" / target.name
        if not module.exists():
            raise RuntimeError(f"{BUILD} builds the module for another Python than {sys.executable}")
        shutil.copy2(module, target)
        # The licence asks to go with all copies, and the file lies outside of this folder, where
        # setuptools does not look for it.
        shutil.copy2(ROOT / "LICENSE", target.parent / "LICENSE")


class WithSources(sdist):
    """The archive has to hold what lies outside of this folder, too."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        shutil.copy2(HERE / "mercer_build.py", base_dir)
        for pattern in SOURCES:
            for path in sorted(ROOT.glob(pattern)):
                target = pathlib.Path(base_dir) / COPY / path.relative_to(ROOT)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, target)


VERSION = re.search(r'MERCER_VERSION_STRING "([^"]+)"',
                    (ROOT / "include/mercer/version.hpp").read_text()).group(1)
PACKAGE.mkdir(parents=True, exist_ok=True)
setup(
    version=VERSION,
    packages=["mercer"],
    package_dir={"": "package"},
    package_data={"mercer": ["py.typed"]},
    ext_modules=[Extension("mercer._mercer", sources=[])],
    cmdclass={"build_ext": BuildWithCMake, "sdist": WithSources},
    options={"egg_info": {"egg_base": str(PACKAGE)}, "build": {"build_base": str(PACKAGE)}},
)
