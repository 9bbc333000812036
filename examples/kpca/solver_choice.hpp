// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// From the options to a solver.

#ifndef MERCER_EXAMPLES_KPCA_SOLVER_CHOICE_HPP
#define MERCER_EXAMPLES_KPCA_SOLVER_CHOICE_HPP

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <mercer/core/report.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/types.hpp>
#include <mercer/estimators/column_sampling.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/features/random_maclaurin.hpp>
#include <mercer/solvers/auto.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>
#include <mercer/solvers/dual/dca.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/feature_solver.hpp>
#include <mercer/solvers/hebbian/kernel_hebbian.hpp>
#include <mercer/solvers/krylov/block_krylov.hpp>
#include <mercer/solvers/krylov/lanczos.hpp>
#include <mercer/solvers/nystrom/greedy_cholesky.hpp>
#include <mercer/solvers/nystrom/kmeans_landmarks.hpp>
#include <mercer/solvers/nystrom/landmarks.hpp>
#if defined(MERCER_HAS_LBFGSPP)  // by the CMake target mercer::dual
#include <mercer/solvers/dual/dual.hpp>
#endif
#include <mercer/solvers/nystrom/nystrom.hpp>
#include <mercer/solvers/nystrom/rp_cholesky.hpp>
#include <mercer/solvers/spgd/spgd.hpp>

#include <examples/kpca/any_kernel.hpp>
#include <examples/kpca/any_loss.hpp>
#include <examples/kpca/map_choice.hpp>
#include <examples/kpca/options.hpp>

namespace kpca {

using AnySolver =
    std::variant<mercer::Auto, mercer::Exact, mercer::BlockKrylov, mercer::Lanczos,
#if defined(MERCER_HAS_LBFGSPP)
                 mercer::Dual,
#endif
                 mercer::Dca<RowLoss>, mercer::Dca<EntryLoss>, mercer::Nystrom<mercer::RpCholesky>,
                 mercer::Nystrom<mercer::GreedyCholesky>, mercer::Nystrom<mercer::KMeansLandmarks>,
                 mercer::Nystrom<mercer::Uniform>, mercer::Spgd<mercer::RandomFourier>,
                 mercer::Spgd<mercer::RandomMaclaurin>, mercer::Spgd<mercer::ColumnSampling>,
                 mercer::Spgd<mercer::SymmetricColumnSampling>, mercer::KernelHebbian,
                 mercer::FeaturePca<AnyMap>, mercer::DoublyStochastic<AnyMap>>;

/// Whether a solver works with kernels of this type: spgd evaluates columns, or needs features.
template <class Solver, class Kernel>
inline constexpr bool takes_kernel = true;
template <mercer::FeatureMap F, class Kernel>
inline constexpr bool takes_kernel<mercer::Spgd<F>, Kernel> = mercer::FeatureMapFor<F, Kernel>;
template <class Kernel>
inline constexpr bool takes_kernel<mercer::Spgd<mercer::ColumnSampling>, Kernel> =
    mercer::Kernel<Kernel>;
template <class Kernel>
inline constexpr bool takes_kernel<mercer::Spgd<mercer::SymmetricColumnSampling>, Kernel> =
    mercer::Kernel<Kernel>;

/// The solver, and the values that its settings took, by name.
struct SolverChoice {
  AnySolver solver;
  std::vector<std::pair<std::string, std::variant<double, mercer::Index, std::string>>> settings;
  /// The most components that there can be, where the samples are not the only bound.
  std::optional<mercer::Index> most_components = {};
};

/// What a solver is made for.
struct SolverTask {
  const AnyKernel& kernel;
  std::string kernel_name;
  mercer::Components components;
  mercer::Index samples;
  mercer::Index dimension;
  std::uint64_t seed;  ///< of landmarks, features, and the vectors that iterations start from
  /// Chooses so many of the samples to stand for the others.
  std::function<mercer::Matrix<double>(mercer::Index count)> landmarks;
  /// Gets the iterates of --checkpoints.
  std::function<void(mercer::Index, const mercer::EigenSystem<double>&)> visit;
};

/// Throws mercer::InvalidArgument for dual where it was not compiled in, and for
/// settings that do not fit the kernel or the number of samples.
[[nodiscard]] SolverChoice make_solver(const SolverOptions& options, const SolverTask& task);

/// The tolerance of residuals, for solvers that have one.
[[nodiscard]] std::optional<double> tolerance(const AnySolver& solver);

/// The option's name of the solver that ran, "block-krylov" for example.
[[nodiscard]] std::string solver_name(const mercer::Report& report);

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_SOLVER_CHOICE_HPP
