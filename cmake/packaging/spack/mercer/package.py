# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors

from spack.package import *


class Mercer(CMakePackage):
    """mercer is a header-only C++20 library, on Eigen, for kernel PCA at any scale: dense and
    iterative solvers, landmarks, random features and streams, with a report of the accuracy that
    was reached. The programs kpca and kca do the same from the command line."""

    # The sources are those of a clone (`spack dev-build`). A package for Spack's own repository
    # has the url here, and below the sha256 of the archive of the tag.
    license("MIT")

    version("0.1.0")

    variant("archive", default=False, description="Models in files")
    variant("blas", default=False, description="BLAS and LAPACK behind Eigen")
    variant(
        "boost_math", default=False, description="Matern kernels of any order with libc++"
    )
    variant("dual", default=False, description="The solver Dual, by L-BFGS")
    variant("fast_float", default=False, description="Readers of numbers with libc++ before 20")
    variant("hdf5", default=False, description="Samples from HDF5 files")
    variant("mpi", default=False, description="Rows over processes")
    variant("openmp", default=True, description="Threads")
    variant("programs", default=True, description="The programs kpca and kca")
    variant("zlib", default=False, description="Files compressed by gzip")

    depends_on("cxx", type="build")
    depends_on("cmake@3.18:", type="build")
    depends_on("eigen@3.4:")
    depends_on("cli11", type="build", when="+programs")
    depends_on("nlohmann-json", type="build", when="+programs")
    depends_on("cereal", when="+archive")
    depends_on("netlib-lapack+lapacke", when="+blas")
    depends_on("boost+math", when="+boost_math")
    depends_on("lbfgspp", when="+dual")
    depends_on("fast-float", when="+fast_float")
    depends_on("fast-float", when="+programs platform=darwin")
    depends_on("hdf5~mpi", when="+hdf5")
    depends_on("mpi", when="+mpi")
    depends_on("llvm-openmp", when="+openmp %apple-clang")
    depends_on("zlib-api", when="+zlib")

    conflicts("%gcc@:10", msg="mercer needs C++20 of g++ 11 or later")
    conflicts("%clang@:12", msg="mercer needs C++20 of clang++ 13 or later")

    def cmake_args(self):
        components = ["compiled"]
        for name in (
            "archive", "blas", "boost_math", "dual", "fast_float", "hdf5", "mpi", "openmp", "zlib"
        ):
            if self.spec.satisfies("+" + name):
                components.append(name)
        return [
            self.define("MERCER_BUILD_TESTS", False),
            self.define("MERCER_BUILD_EXAMPLES", False),
            self.define_from_variant("MERCER_INSTALL_PROGRAMS", "programs"),
            self.define("MERCER_COMPONENTS", components),
        ]
