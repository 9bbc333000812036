#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Checks the rules that the source tree keeps.

    check_tree.py ROOT VERSION

- Includes point one way through the modules and form no cycle.
- Guards are named after files; SPDX and copyright lines are there; so is the \\file line of headers.
- No names of Eigen that are not both in 3.4 and in 5.
- VERSION (CMake's), version.hpp and CHANGELOG.md agree.

Prints one line for each fault; exit status 1 if there are any.
"""

import pathlib
import re
import sys

# A header may include headers of its own level and of those above it in this list.
LEVELS = [
    {"version.hpp"},
    {"core"},
    {"kernels"},
    {"operators", "features", "estimators", "losses"},
    {"solvers"},
    {"models", "metrics", "io"},
    {"runtime"},
    {"testing", "mpi"},
    {"slepc"},
    {"mercer.hpp"},
]
LEVEL = {module: level for level, modules in enumerate(LEVELS) for module in modules}

CODE = {".hpp", ".cpp", ".py", ".sh", ".cmake", ".txt"}
SKIPPED = {".git", "build", "out", "data"}


def files_of(root):
    for path in sorted(root.rglob("*")):
        folders = path.relative_to(root).parts[:-1]
        hidden = any(part in SKIPPED or part.startswith("build") for part in folders)
        if path.is_file() and not hidden:
            yield path


def includes_of(header):
    return re.findall(r"^\s*#\s*include\s*[<\"](mercer/[^>\"]+)[>\"]", header.read_text(), re.M)


def find_cycle(graph):
    """A list of nodes that leads back to its first, or None."""
    done, path = set(), []

    def visit(node):
        if node in path:
            return path[path.index(node):] + [node]
        if node in done:
            return None
        path.append(node)
        for successor in sorted(graph.get(node, ())):
            if cycle := visit(successor):
                return cycle
        path.pop()
        done.add(node)
        return None

    for node in sorted(graph):
        if cycle := visit(node):
            return cycle
    return None


def check_includes(root):
    include = root / "include"
    modules, headers = {}, {}
    for header in sorted(include.rglob("*.hpp")):
        name = header.relative_to(include).as_posix()
        module = name.split("/")[1]
        if module not in LEVEL:
            yield f"{name}: the module {module} has no place in the order of includes"
            continue
        headers[name] = includes_of(header)
        for included in headers[name]:
            other = included.split("/")[1]
            if not (include / included).is_file():
                yield f"{name}: includes {included}, which does not exist"
            elif other in LEVEL and LEVEL[other] > LEVEL[module]:
                yield f"{name}: {module} must not include {included}"
            elif other != module:
                modules.setdefault(module, set()).add(other)
    for graph in (headers, modules):
        if cycle := find_cycle(graph):
            yield "a cycle of includes: " + " -> ".join(cycle)


def check_forms(root):
    for path in files_of(root):
        name = path.relative_to(root).as_posix()
        if path.suffix not in CODE or name.startswith("LICENSE"):
            continue
        text = path.read_text(encoding="utf-8")
        head = "\n".join(text.splitlines()[:4])
        if "SPDX-License-Identifier: MIT" not in head:
            yield f"{name}: no SPDX line at the top"
        if "The mercer authors" not in head:
            yield f"{name}: no copyright line at the top"
        if path.suffix == ".hpp":
            guard = re.sub(r"^include/", "", name)
            guard = re.sub(r"^mercer/", "mercer_", guard) if guard != name else "mercer_" + name
            guard = re.sub(r"[/.]", "_", guard).upper()
            if not re.search(rf"^#ifndef {guard}\n#define {guard}$", text, re.M):
                yield f"{name}: the guard is not {guard}"
            if "/// \\file" not in text:
                yield f"{name}: no \\file line"


# What Eigen 3.4 has and Eigen 5 does not.
GONE_FROM_EIGEN = re.compile(
    r"Eigen::(?:placeholders::)?(?:all|last|lastp1|lastN)\b"
    r"|Eigen::placeholders::end\b"
    r"|\b(?:Eigen::)?(?:MappedSparseMatrix|DynamicSparseMatrix)\b"
    r"|\bEIGEN_(?:HAS_(?:CXX1[14]\w*|CONSTEXPR|RVALUE_REFERENCES|VARIADIC_TEMPLATES|ALIGNAS"
    r"|TYPE_TRAITS|STD_RESULT_OF)|NOEXCEPT(?:_IF)?|NO_THROW|EXCEPTION_SPEC|MPL2_ONLY"
    r"|SIZE_(?:MAX|MIN_PREFER_\w+)|GNUC_AT(?:_LEAST|_MOST)?)\b"
    r"|<(?:unsupported/)?Eigen/src/[^>]*>")

# The library has functions of its own for these, core/samples.hpp.
INDEXED_VIEWS = re.compile(r"\bEigen::(?:indexing\b|seqN?\b)")


def check_eigen(root):
    for path in files_of(root):
        if path.suffix not in {".hpp", ".cpp"}:
            continue
        name = path.relative_to(root).as_posix()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if gone := GONE_FROM_EIGEN.search(line):
                yield f"{name}:{number}: {gone.group()} is not in both Eigen 3.4 and Eigen 5"
            if view := INDEXED_VIEWS.search(line):
                yield f"{name}:{number}: {view.group()}: take_rows and its like stand for indexed views"


def check_versions(root, version):
    text = (root / "include/mercer/version.hpp").read_text()
    numbers = re.findall(r"#define MERCER_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", text)
    if ".".join(numbers) != version:
        yield f"version.hpp: the numbers are {'.'.join(numbers)}, CMake's version is {version}"
    if f'#define MERCER_VERSION_STRING "{version}"' not in text:
        yield f"version.hpp: the string is not CMake's version {version}"
    newest = re.search(r"^## \[(\d[^\]]*)\]", (root / "CHANGELOG.md").read_text(), re.M)
    if not newest or newest.group(1) != version:
        yield f"CHANGELOG.md: the newest entry is not [{version}]"


def check(root, version):
    return [*check_includes(root), *check_forms(root), *check_eigen(root), *check_versions(root, version)]


if __name__ == "__main__":
    faults = check(pathlib.Path(sys.argv[1]), sys.argv[2])
    print("\n".join(faults) or "no faults")
    sys.exit(1 if faults else 0)
