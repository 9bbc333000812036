#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Makes a source distribution of the Python module, and a wheel of it in another place.

    archive_test.py CMAKE PYTHON SOURCE BUILD SCRATCH

SOURCE is examples/python, PYTHON one that has NumPy, BUILD a folder for what the archive is made of.
pip makes the wheel without the network, from the packages that PYTHON has. To compile the sources of the
archive takes minutes: a stand-in for CMake configures them, and makes a module that is empty. That
they are complete is seen from their includes, and from CMake. Exit status 1 if something is missing.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

STAND_IN = """\
#!/bin/sh
case $1 in
  --build) mkdir -p "$2/python_module" && : >"$2/python_module/{module}" ;;
  *) exec "{cmake}" "$@" ;;
esac
"""
NEEDED = {"pip": "python3-pip", "setuptools": "python3-setuptools", "wheel": "python3-wheel"}


def missing_files(source):
    """What the code of a copy of the sources includes and the copy has not."""
    files = [path for path in source.rglob("*") if path.suffix in (".hpp", ".cpp")]
    named = {name for path in files
             for name in re.findall(r"^#\s*include <((?:examples|mercer)/.*)>", path.read_text(), re.M)}
    return sorted(name for name in named
                  if not any((source / folder / name).exists() for folder in ("", "include")))


def main():
    cmake, python, *paths = sys.argv[1:]
    source, build, scratch = (pathlib.Path(path).resolve() for path in paths)
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    for module, package in NEEDED.items():
        if subprocess.run([python, "-c", f"import {module}"], stderr=subprocess.DEVNULL).returncode:
            print(f"{module} for {python} (Debian package: {package}) is not installed")
            return 0

    def run(*command, environment, **more):
        print("+", *command, flush=True)
        subprocess.run([str(part) for part in command], check=True, **more,
                       env={**os.environ, "PIP_NO_INDEX": "1", **environment})

    # As `python3 -m build --sdist` calls it.
    run(python, "-c", f"import mercer_build; mercer_build.build_sdist({str(scratch)!r})", cwd=source,
        environment={"MERCER_PYTHON_BUILD": str(build)})
    archive, = scratch.glob("mercer-*.tar.gz")
    with tarfile.open(archive) as files:
        files.extractall(scratch)
    unpacked = scratch / archive.name[:-len(".tar.gz")] / "mercer_source"

    suffix = subprocess.run([python, "-c", "import sysconfig; print(sysconfig.get_config_var('EXT_SUFFIX'))"],
                            check=True, capture_output=True, text=True).stdout.strip()
    stand_in = scratch / "bin" / "cmake"
    stand_in.parent.mkdir()
    stand_in.write_text(STAND_IN.format(cmake=shutil.which(cmake), module=f"_mercer{suffix}"))
    stand_in.chmod(0o755)
    run(python, "-m", "pip", "wheel", "--no-deps", "--no-cache-dir", "-w", scratch, archive,
        environment={"PATH": os.pathsep.join([str(stand_in.parent), os.environ["PATH"]])})
    missing = missing_files(unpacked)
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
