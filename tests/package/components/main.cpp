// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Each component brings its macro, its headers and its library.

#include <cmath>
#include <iostream>

#include <Eigen/Eigenvalues>

#include <omp.h>
#include <zlib.h>

#include <mercer/core/threads.hpp>
#include <mercer/io/archive.hpp>
#include <mercer/operators/precomputed_gram.hpp>
#include <mercer/solvers/dual/dual.hpp>
#include <mercer/solvers/krylov/block_krylov.hpp>

#if !defined(EIGEN_USE_BLAS) || !defined(EIGEN_USE_LAPACKE)
#error "mercer::blas does not switch Eigen to BLAS and LAPACKE"
#endif
#if !defined(MERCER_HAS_CEREAL)
#error "mercer::archive does not define MERCER_HAS_CEREAL"
#endif
#if !defined(MERCER_HAS_LBFGSPP)
#error "mercer::dual does not define MERCER_HAS_LBFGSPP"
#endif
#if !defined(_OPENMP)
#error "mercer::openmp does not switch OpenMP on"
#endif
#if !defined(MERCER_HAS_ZLIB)
#error "mercer::zlib does not define MERCER_HAS_ZLIB"
#endif

int main() {
  const Eigen::Matrix2d a = (Eigen::Matrix2d() << 2, 1, 1, 2).finished();
  const Eigen::MatrixXd product = Eigen::MatrixXd(a) * Eigen::MatrixXd(a);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver{Eigen::MatrixXd(a)};
  std::cout << "threads " << mercer::thread_count() << ", zlib " << zlibVersion() << '\n';
  const bool right =
      product(0, 0) == 5 && (solver.eigenvalues() - Eigen::Vector2d(1, 3)).norm() < 1e-14;
  const mercer::PrecomputedGram<double> gram{Eigen::MatrixXd(a)};
  const auto pairs = mercer::BlockKrylov{}.solve(gram, {.components = 1});
  const auto rough = mercer::Dual{}.solve(gram, {.components = 1});
  mercer::io::write_archive("kernel.mercer", mercer::Gaussian(0.5));
  const auto kernel = mercer::io::read_archive<mercer::Gaussian>("kernel.mercer");
  return right && std::abs(pairs.eigenvalues(0) - 3) < 1e-14 &&
                 std::abs(rough.eigenvalues(0) - 3) < 1e-5 && kernel.sigma() == 0.5
             ? 0
             : 1;
}
