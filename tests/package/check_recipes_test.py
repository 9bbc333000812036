#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Plants faults in the recipes, and expects check_recipes to name each; runs release.sh in a copy.

    check_recipes_test.py ROOT
"""

import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

import check_recipes

ROOT = pathlib.Path(sys.argv.pop(1)) if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]
VERSION = "include/mercer/version.hpp"
COPIED = ("CITATION.cff", "CHANGELOG.md", "CMakeLists.txt", VERSION, "examples/CMakeLists.txt",
          "cmake/mercerComponents.cmake", "cmake/packaging", "tests/package/check_tree.py",
          "tests/package/check_recipes.py")


class Copy(unittest.TestCase):
    """Each test has a copy of what it reads."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name in COPIED:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, self.root / name,
                                ignore=shutil.ignore_patterns("build", "__pycache__"))
            else:
                shutil.copy(ROOT / name, self.root / name)
        lines = (ROOT / VERSION).read_text().splitlines()
        self.version = next(line.split('"')[1] for line in lines if "VERSION_STRING" in line)

    def replace(self, name, old, new):
        text = (self.root / name).read_text()
        self.assertIn(old, text)
        (self.root / name).write_text(text.replace(old, new))


class PlantedFaults(Copy):
    def expect(self, sentence, prefix=None):
        self.assertIn(sentence, "\n".join(check_recipes.check(self.root, prefix)))

    def test_good_recipes(self):
        self.assertEqual([], check_recipes.check(self.root))

    def test_versions(self):
        for name in check_recipes.VERSIONS:
            self.replace(name, self.version, "99.0.1")
            self.expect(f"{name}: the version is 99.0.1, not {self.version}")

    def test_cmake(self):
        self.replace("CMakeLists.txt", "cmake_minimum_required(VERSION 3.", "cmake_minimum_required(VERSION 2.")
        for name in check_recipes.CMAKES:
            self.expect(f"{name}: the version of CMake is 3.")

    def test_new_component(self):
        with (self.root / "cmake/mercerComponents.cmake").open("a") as file:
            file.write("mercer_describe_component(odd DEBIAN libodd-dev FIND Odd LINK Odd::Odd)\n")
        self.expect("libmercer-dev does not suggest libodd-dev, which odd needs")

    def test_build_dependency(self):
        self.replace("cmake/packaging/debian/control", " libcli11-dev,\n", "")
        self.expect("kpca and kca use libcli11-dev, which is not among Build-Depends")

    def test_programs_on_macos(self):
        self.replace("cmake/packaging/vcpkg/mercer/vcpkg.json", '"platform": "osx"', '"platform": "linux"')
        self.replace("cmake/packaging/spack/mercer/package.py", "platform=darwin", "platform=linux")
        self.replace("cmake/packaging/conda/meta.yaml", "    - fast_float  # [osx]\n", "")
        for name in ("vcpkg/mercer/vcpkg.json", "spack/mercer/package.py", "conda/meta.yaml"):
            self.expect(f"cmake/packaging/{name}: the programs need fast_float on macOS")

    def test_syntax(self):
        self.replace("cmake/packaging/conan/conanfile.py", "import os", "import")
        self.replace("cmake/packaging/vcpkg/mercer/vcpkg.json", '"license"', "license")
        self.replace("cmake/packaging/debian/tests/programs", "set -eu", "if")
        for name in ("conan/conanfile.py: invalid syntax", "vcpkg/mercer/vcpkg.json: Expecting",
                     "debian/tests/programs: "):
            self.expect(f"cmake/packaging/{name}")

    def test_file_of_no_package(self):
        prefix = self.root / "prefix"
        (prefix / "share/odd").mkdir(parents=True)
        (prefix / "share/odd/file").touch()
        self.expect("usr/share/odd/file is installed, and in 0 Debian packages", prefix)


@unittest.skipUnless(shutil.which("cmake") and shutil.which("cpack"), "CMake is not installed")
class SourcePackage(unittest.TestCase):
    def test_in_a_folder_named_as_one_that_is_left_out(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder) / "builds/out/.git+(a)/mercer"
            for name in ("LICENSE", "tests/build_names.txt", ".gitignore", "build-1/a", "tests/build/b", "out/c",
                         "layout/d"):
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).touch()
            shutil.copy(ROOT / "cmake/packaging/cpack.cmake", root)
            (root / "CMakeLists.txt").write_text(
                "cmake_minimum_required(VERSION 3.18)\n"
                'project(mercer VERSION 1.2 DESCRIPTION "a test" LANGUAGES NONE)\ninclude(cpack.cmake)\n')
            for command in (["cmake", "-S", root, "-B", root / "build"],
                            ["cpack", "--config", root / "build/CPackSourceConfig.cmake", "-B", folder]):
                subprocess.run(command, check=True, capture_output=True, cwd=root)
            with tarfile.open(pathlib.Path(folder) / "mercer-1.2.tar.gz") as package:
                files = sorted(member.name for member in package if member.isfile())
            self.assertEqual([f"mercer-1.2/{name}" for name in
                              ("CMakeLists.txt", "LICENSE", "cpack.cmake", "layout/d", "tests/build_names.txt")],
                             files)


@unittest.skipUnless(shutil.which("git"), "git is not installed")
class Release(Copy):
    def git(self, *words):
        command = ["git", "-c", "user.name=mercer", "-c", "user.email=mercer@mercer.invalid", *words]
        return subprocess.run(command, cwd=self.root, check=True, capture_output=True, text=True).stdout

    def commit(self):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message=a commit")

    def release(self, *options):
        """The exit status, and what was said."""
        run = subprocess.run(["bash", "cmake/packaging/release.sh", *options], cwd=self.root, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return run.returncode, run.stdout

    def refuse(self, sentence):
        status, said = self.release()
        self.assertIn(sentence, said)
        self.assertEqual(1, status)

    def setUp(self):
        super().setUp()
        changes = f"# Changelog\n\n## [{self.version}] - 2026-02-03\n\n### Added\n\n- `This`.\n\n## [0.0.1] - x\n"
        (self.root / "CHANGELOG.md").write_text(changes)
        citation = [line for line in (self.root / "CITATION.cff").read_text().splitlines()
                    if not line.startswith("date-released:")]
        (self.root / "CITATION.cff").write_text("\n".join([*citation, "date-released: 2026-02-03\n"]))
        # What the recipes do not name is not checked here.
        (self.root / "tests/package/check_tree.py").write_text("")
        self.git("init", "--quiet")
        self.git("config", "user.name", "mercer")
        self.git("config", "user.email", "mercer@mercer.invalid")
        self.commit()

    def test_tag_has_the_notes(self):
        self.assertEqual((0, f"no faults\nv{self.version} can be released.\n"), self.release("--check"))
        self.assertEqual("", self.git("tag"))
        self.assertEqual(0, self.release()[0])
        notes = self.git("tag", "--list", "--format=%(contents)", f"v{self.version}")
        self.assertEqual(f"mercer {self.version}\n\n### Added\n\n- `This`.", notes.strip())
        self.assertEqual(0, self.release("--check")[0])
        self.refuse(f"the tag v{self.version} is there already")
        (self.root / "new").touch()
        self.commit()
        self.refuse(f"the tag v{self.version} is of another commit")

    def test_notes(self):
        self.assertEqual((0, "### Added\n\n- `This`.\n"), self.release("--notes"))

    def test_uncommitted(self):
        (self.root / "new").touch()
        self.refuse("there are changes that are not committed")

    def test_no_date(self):
        self.replace("CHANGELOG.md", "2026-02-03", "Unreleased")
        self.commit()
        self.refuse("the newest entry has no date")

    def test_other_date(self):
        self.replace("CITATION.cff", "2026-02-03", "2026-02-04")
        self.commit()
        self.refuse("CITATION.cff has no line: date-released: 2026-02-03")

    def test_other_version(self):
        self.replace("CHANGELOG.md", f"[{self.version}]", "[99.0.0]")
        self.commit()
        self.refuse(f"the newest entry is of 99.0.0, version.hpp says {self.version}")

    def test_recipe_of_other_version(self):
        self.replace("cmake/packaging/conda/meta.yaml", self.version, "99.0.0")
        self.commit()
        self.refuse("the recipes do not fit")

    def test_other_tag(self):
        self.git("tag", "v99.0.0")
        self.refuse(f"this commit has the tag v99.0.0, version.hpp says {self.version}")

    def test_usage(self):
        self.assertEqual(2, self.release("--push")[0])


if __name__ == "__main__":
    unittest.main()
