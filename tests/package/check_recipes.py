#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Checks the recipes of cmake/packaging against the sources that they package.

    check_recipes.py ROOT [PREFIX]

- Every recipe and CITATION.cff has the version of version.hpp.
- Every recipe that says which CMake it needs says what CMakeLists.txt says.
- The Debian recipe names the packages of all components, and builds the programs with those there are.
- The recipes that build the programs on macOS take fast_float, without which libc++ reads no numbers.
- Recipes in Python, JSON and shell can be read by Python, JSON's parser and sh.
- Every file installed below PREFIX is in one Debian package.

Prints one line for each fault; exit status 1 if there are any.
"""

import ast
import fnmatch
import json
import pathlib
import re
import subprocess
import sys

PACKAGING = "cmake/packaging"

# Where a recipe writes the version of mercer. The others read version.hpp.
VERSIONS = {
    "CITATION.cff": r"^version: (.*)$",
    f"{PACKAGING}/conda/meta.yaml": r'^{% set version = "(.*)" %}$',
    f"{PACKAGING}/spack/mercer/package.py": r'^    version\("(.*)"\)$',
    f"{PACKAGING}/vcpkg/mercer/vcpkg.json": r'^  "version": "(.*)",$',
    f"{PACKAGING}/vcpkg/test/vcpkg.json": r'^  "version": "(.*)",$',
}
CMAKES = {
    f"{PACKAGING}/conda/meta.yaml": r"^    - cmake >=(.*)$",
    f"{PACKAGING}/debian/control": r"^ cmake \(>= (.*)\),$",
    f"{PACKAGING}/spack/mercer/package.py": r'depends_on\("cmake@(.*):", type="build"\)',
}
# What the programs need where the standard library is an older libc++.
FAST_FLOAT = {
    f"{PACKAGING}/conda/meta.yaml": r"^    - fast_float +# \[osx\]$",
    f"{PACKAGING}/spack/mercer/package.py":
        r'depends_on\("fast-float", when="\+programs platform=darwin"\)',
}
# Components that the programs use where they are there, and packages that they always need.
PROGRAM_COMPONENTS = ("archive", "blas", "dual", "hdf5", "zlib")


def check_pattern(root, patterns, expected, what):
    for name, pattern in patterns.items():
        found = re.search(pattern, (root / name).read_text(), re.M)
        if not found:
            yield f"{name}: no {what} where one is expected"
        elif found.group(1) != expected:
            yield f"{name}: the {what} is {found.group(1)}, not {expected}"


def check_versions(root):
    text = (root / "include/mercer/version.hpp").read_text()
    version = re.search(r'#define MERCER_VERSION_STRING "(.*)"', text).group(1)
    yield from check_pattern(root, VERSIONS, version, "version")
    text = (root / "CMakeLists.txt").read_text()
    cmake = re.search(r"cmake_minimum_required\(VERSION ([\d.]+?)(?:\.\.\.[\d.]+)?\)", text).group(1)
    yield from check_pattern(root, CMAKES, cmake, "version of CMake")


def check_programs_on_macos(root):
    name = f"{PACKAGING}/vcpkg/mercer/vcpkg.json"
    try:
        tools = json.loads((root / name).read_text())["features"]["tools"]["dependencies"]
    except ValueError:
        return  # check_syntax says so
    missing = [name] if {"name": "fast-float", "platform": "osx"} not in tools else []
    missing += [recipe for recipe, pattern in FAST_FLOAT.items()
                if not re.search(pattern, (root / recipe).read_text(), re.M)]
    for recipe in missing:
        yield f"{recipe}: the programs need fast_float on macOS"


def debian_packages(root):
    """The Debian packages of each component, as mercerComponents.cmake names them."""
    text = (root / "cmake/mercerComponents.cmake").read_text()
    described = re.findall(r"^mercer_describe_component\((\w+) DEBIAN ([^)A-Z]*)", text, re.M)
    return {name: packages.split() for name, packages in described}


def check_debian_control(root):
    name = f"{PACKAGING}/debian/control"
    fields = {}
    for paragraph in (root / name).read_text().split("\n\n"):
        owner = re.match(r"(?:Source|Package): (\S+)", paragraph).group(1)
        for field, value in re.findall(r"^([\w-]+):((?:.*\n?)(?:[ ].*\n?)*)", paragraph, re.M):
            fields[owner, field] = set(re.findall(r"^ ([\w.+-]+)[^,\n]*,$", value, re.M))
    components = debian_packages(root)
    examples = (root / "examples/CMakeLists.txt").read_text()
    needed = re.findall(r"=([\w.+-]+-dev)\b", examples)
    for component in PROGRAM_COMPONENTS:
        needed += components[component]
    for package in sorted(set(needed) - fields["mercer", "Build-Depends"]):
        yield f"{name}: kpca and kca use {package}, which is not among Build-Depends"
    offered = fields["libmercer-dev", "Suggests"]
    for component, packages in components.items():
        for package in sorted(set(packages) - offered):
            yield f"{name}: libmercer-dev does not suggest {package}, which {component} needs"


def check_syntax(root):
    for path in sorted((root / PACKAGING).rglob("*")):
        name = path.relative_to(root).as_posix()
        if not path.is_file() or "/build/" in name:
            continue
        text = path.read_text()
        try:
            if path.suffix == ".py":
                ast.parse(text)
            elif path.suffix == ".json":
                json.loads(text)
            elif text.startswith(("#!/bin/sh", "#!/usr/bin/env bash")):
                shell = "sh" if text.startswith("#!/bin/sh") else "bash"
                subprocess.run([shell, "-n", path], check=True, capture_output=True, text=True)
        except (SyntaxError, ValueError) as error:
            yield f"{name}: {error}"
        except subprocess.CalledProcessError as error:
            yield f"{name}: {error.stderr.strip()}"


def check_installed(root, prefix):
    patterns = []
    for path in sorted((root / PACKAGING / "debian").glob("*.install")):
        patterns += [line.split()[0] for line in path.read_text().splitlines() if line]
    for path in sorted(prefix.rglob("*")):
        name = f"usr/{path.relative_to(prefix).as_posix()}"
        owners = [pattern for pattern in patterns
                  if fnmatch.fnmatch(name, pattern) or fnmatch.fnmatch(name, f"{pattern}/*")]
        if path.is_file() and len(owners) != 1:
            yield f"{name} is installed, and in {len(owners)} Debian packages"


def check(root, prefix=None):
    faults = [*check_versions(root), *check_debian_control(root),
              *check_programs_on_macos(root), *check_syntax(root)]
    if prefix:
        faults += check_installed(root, prefix)
    return faults


if __name__ == "__main__":
    faults = check(*map(pathlib.Path, sys.argv[1:]))
    print("\n".join(faults) or "no faults")
    sys.exit(1 if faults else 0)
