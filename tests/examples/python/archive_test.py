#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Makes a source distribution of the Python module, and a wheel of it in another place.

    archive_test.py CMAKE GENERATOR PYTHON SOURCE BUILD SCRATCH

SOURCE is examples/python, PYTHON one that has NumPy, BUILD a build folder of mercer whose target
mercer_python goes into the wheel: to compile the sources of the archive takes minutes. That they are
complete is seen from their includes, and from CMake. Exit status 1 if something is missing.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

NEEDED = {"pip": "python3-pip", "setuptools": "python3-setuptools", "wheel": "python3-wheel"}


def missing_files(source):
    """What the code of a copy of the sources includes and the copy has not."""
    files = [path for path in source.rglob("*") if path.suffix in (".hpp", ".cpp")]
    named = {name for path in files
             for name in re.findall(r"^#\s*include <((?:examples|mercer)/.*)>", path.read_text(), re.M)}
    return sorted(name for name in named
                  if not any((source / folder / name).exists() for folder in ("", "include")))


def main():
    cmake, generator, python, *paths = sys.argv[1:]
    source, build, scratch = (pathlib.Path(path).resolve() for path in paths)
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    for module, package in NEEDED.items():
        if subprocess.run([python, "-c", f"import {module}"], stderr=subprocess.DEVNULL).returncode:
            print(f"{module} for {python} (Debian package: {package}) is not installed")
            return 0

    def run(*command, **more):
        print("+", *command, flush=True)
        subprocess.run([str(part) for part in command], check=True, **more,
                       env={**os.environ, "MERCER_PYTHON_BUILD": str(build), "PIP_NO_INDEX": "1"})

    # As `python3 -m build --sdist` calls it.
    run(python, "-c", f"import setuptools.build_meta as meta; meta.build_sdist({str(scratch)!r})", cwd=source)
    archive, = scratch.glob("mercer-*.tar.gz")
    with tarfile.open(archive) as files:
        files.extractall(scratch)
    unpacked = scratch / archive.name[:-len(".tar.gz")] / "mercer_source"
    run(cmake, "-S", unpacked / "examples" / "python", "-B", scratch / "build", "-G", generator,
        f"-DMERCER_PYTHON={python}")
    missing = missing_files(unpacked)
    run(python, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-cache-dir", "-w",
        scratch, archive)
    wheel, = scratch.glob("mercer-*.whl")
    held = zipfile.ZipFile(wheel).namelist()
    package = [path.name for path in (source / "package" / "mercer").glob("*.py*") if path.is_file()]
    missing += [name for name in (*package, "LICENSE") if f"mercer/{name}" not in held]
    if not any(name.startswith("mercer/_mercer.") for name in held):
        missing.append("the module")
    print("missing:", ", ".join(missing) or "nothing")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
