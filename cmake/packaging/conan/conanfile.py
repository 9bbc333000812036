# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Conan 2 recipe of mercer, for the clone that it lies in: conan create cmake/packaging/conan

With options, for example -o "mercer/*:zlib=True", its components find what they need. A recipe for a registry gets the sources from the archive of the tag, in source(), and needs no
export_sources().
"""

import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load

required_conan_version = ">=2.0"

# What each component needs. The components blas and dual need LAPACKE and LBFGS++, which
# ConanCenter does not have.
COMPONENTS = {
    "archive": "cereal/[>=1.3 <2]",
    "boost_math": "boost/[>=1.74 <2]",
    "fast_float": "fast_float/[>=3 <9]",
    "hdf5": "hdf5/[>=1.10 <2]",
    "zlib": "zlib/[>=1.2.11 <2]",
}


class MercerConan(ConanFile):
    name = "mercer"
    description = "Kernel PCA and nonlinear component analysis, header-only C++20"
    license = "MIT"
    topics = ("kernel-pca", "machine-learning", "eigenvalues", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {name: [True, False] for name in COMPONENTS}
    default_options = {name: False for name in COMPONENTS}

    def _root(self):
        return os.path.join(self.recipe_folder, os.pardir, os.pardir, os.pardir)

    def set_version(self):
        text = load(self, os.path.join(self._root(), "include", "mercer", "version.hpp"))
        self.version = re.search(r'MERCER_VERSION_STRING "([^"]+)"', text).group(1)

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "README.md", "include/*", "cmake/*"):
            copy(self, pattern, src=self._root(), dst=self.export_sources_folder,
                 excludes="cmake/packaging/conan/*")

    def layout(self):
        cmake_layout(self, src_folder=".")

    def requirements(self):
        self.requires("eigen/[>=3.4 <6]", transitive_headers=True)
        for name, requirement in COMPONENTS.items():
            if self.options.get_safe(name):
                self.requires(requirement, transitive_headers=True, transitive_libs=True)

    def package_id(self):
        self.info.clear()

    def validate(self):
        if self.settings.get_safe("compiler.cppstd"):
            check_min_cppstd(self, 20)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        for name in ("TESTS", "EXAMPLES"):
            toolchain.cache_variables[f"MERCER_BUILD_{name}"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        # mercer's own CMake package makes its components; CMakeDeps would know none of them.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("share", "cmake", "mercer")]
        self.cpp_info.set_property("pkg_config_name", "none")
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
