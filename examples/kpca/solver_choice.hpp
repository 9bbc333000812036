// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// From the options to a solver.

#ifndef MERCER_EXAMPLES_KPCA_SOLVER_CHOICE_HPP
#define MERCER_EXAMPLES_KPCA_SOLVER_CHOICE_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include <mercer/core/report.hpp>
#include <mercer/solvers/auto.hpp>
#include <mercer/solvers/block_krylov.hpp>
#include <mercer/solvers/exact.hpp>
#include <mercer/solvers/greedy_cholesky.hpp>
#include <mercer/solvers/kmeans_landmarks.hpp>
#include <mercer/solvers/landmarks.hpp>
#if defined(MERCER_HAS_SPECTRA)  // by the CMake target mercer::lanczos
#include <mercer/solvers/lanczos.hpp>
#endif
#include <mercer/solvers/nystrom.hpp>
#include <mercer/solvers/rp_cholesky.hpp>

#include <examples/kpca/options.hpp>

namespace kpca {

using AnySolver =
    std::variant<mercer::Auto, mercer::Exact, mercer::BlockKrylov,
#if defined(MERCER_HAS_SPECTRA)
                 mercer::Lanczos,
#endif
                 mercer::Nystrom<mercer::RpCholesky>, mercer::Nystrom<mercer::GreedyCholesky>,
                 mercer::Nystrom<mercer::KMeansLandmarks>, mercer::Nystrom<mercer::Uniform>>;

/// \p seed chooses landmarks and the vectors that iterations start from. Throws
/// mercer::InvalidArgument for lanczos where it was not compiled in.
[[nodiscard]] AnySolver make_solver(const SolverOptions& options, std::uint64_t seed);

/// The tolerance of residuals, for solvers that have one.
[[nodiscard]] std::optional<double> tolerance(const AnySolver& solver);

/// The option's name of the solver that ran, "block-krylov" for example.
[[nodiscard]] std::string solver_name(const mercer::Report& report);

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_SOLVER_CHOICE_HPP
