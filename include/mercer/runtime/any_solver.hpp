// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A solver that is chosen at run time.

#ifndef MERCER_RUNTIME_ANY_SOLVER_HPP
#define MERCER_RUNTIME_ANY_SOLVER_HPP

#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/streams/sample_stream.hpp>
#include <mercer/core/types.hpp>
#include <mercer/estimators/column_sampling.hpp>
#include <mercer/estimators/entry_sampling.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/features/random_maclaurin.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel.hpp>
#include <mercer/runtime/any_features.hpp>
#include <mercer/runtime/any_loss.hpp>
#include <mercer/runtime/detail/alternative.hpp>
#include <mercer/solvers/auto.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>
#include <mercer/solvers/doubly_stochastic/kernel_oja.hpp>
#include <mercer/solvers/dual/dca.hpp>
#include <mercer/solvers/feature_solver.hpp>
#include <mercer/solvers/hebbian/kernel_hebbian.hpp>
#include <mercer/solvers/hebbian/online_hebbian.hpp>
#include <mercer/solvers/kernel_solver.hpp>
#include <mercer/solvers/krylov/block_krylov.hpp>
#include <mercer/solvers/krylov/lanczos.hpp>
#include <mercer/solvers/nystrom/greedy_cholesky.hpp>
#include <mercer/solvers/nystrom/kmeans_landmarks.hpp>
#include <mercer/solvers/nystrom/landmarks.hpp>
#include <mercer/solvers/nystrom/nystrom.hpp>
#include <mercer/solvers/nystrom/rp_cholesky.hpp>
#include <mercer/solvers/nystrom/sequential_greedy.hpp>
#include <mercer/solvers/nystrom/weighted_landmarks.hpp>
#include <mercer/solvers/on_gram.hpp>
#include <mercer/solvers/sparse/sparse_likelihood.hpp>
#include <mercer/solvers/spgd/spgd.hpp>
#if defined(MERCER_HAS_LBFGSPP)  // by the CMake target mercer::dual
#include <mercer/solvers/dual/dual.hpp>
#endif

namespace mercer {

namespace detail {

/// Whether a solver can be compiled for this kernel: Spgd over features needs features of it.
template <class T, class K, class X>
inline constexpr bool compiles_for = solves_for<T, K, X>;
template <FeatureMap F, class K, class X>
inline constexpr bool compiles_for<Spgd<F>, K, X> = FeatureMapFor<F, K>;

/// The tolerance in the parameters of the solver, if it has one that is positive.
template <class Choice>
[[nodiscard]] std::optional<double> tolerance_of(const Choice& choice) {
  return std::visit(
      [](const auto& solver) -> std::optional<double> {
        if constexpr (requires { solver.params().tolerance; })
          if (solver.params().tolerance > 0) return solver.params().tolerance;
        return std::nullopt;
      },
      choice);
}

}  // namespace detail

/// One of the solvers that need samples in memory, chosen at run time: models KernelSolver. It has
/// Dual if the target mercer::dual is linked. All files of a program must agree on that.
class AnyKernelSolver {
 public:
  using Choice =
      std::variant<Auto, Exact, BlockKrylov, Lanczos,
#if defined(MERCER_HAS_LBFGSPP)
                   Dual,
#endif
                   Dca<AnyLoss>, Nystrom<RpCholesky>, Nystrom<GreedyCholesky>,
                   Nystrom<KMeansLandmarks>, Nystrom<Uniform>, Spgd<RandomFourier>,
                   Spgd<RandomMaclaurin>, Spgd<ColumnSampling>, Spgd<SymmetricColumnSampling>,
                   KernelHebbian, Nystrom<SequentialGreedy>, Nystrom<DiagonalSampling>,
                   Nystrom<ColumnNormSampling>, Spgd<EntrySampling>, OnlineHebbian,
                   SparseLikelihood, KernelOja>;

  template <detail::AlternativeOf<Choice> T>
  AnyKernelSolver(T solver)  // NOLINT: implicit, as for std::variant
      : choice_(std::move(solver)) {}

  [[nodiscard]] const Choice& choice() const {
    return choice_;
  }

  /// The tolerance that the fit is judged by, if there is one.
  [[nodiscard]] std::optional<double> tolerance() const {
    return detail::tolerance_of(choice_);
  }

  /// Whether it follows the weights of samples.
  [[nodiscard]] bool takes_weights() const {
    return std::visit([](const auto& one) { return mercer::takes_weights(as_kernel_solver(one)); },
                      choice_);
  }

  /// Whether it keeps what it has computed in a FitRecord.
  [[nodiscard]] bool keeps_record() const {
    return std::visit([](const auto& one) { return mercer::keeps_record(as_kernel_solver(one)); },
                      choice_);
  }

  /// Throws InvalidArgument for a kernel that the solver cannot take, and what the solver throws.
  template <KernelOrPrecomputed K, OwnedSamples X>
  [[nodiscard]] KernelSolution<X> solve(const K& kernel, const X& samples,
                                        const KernelRequest& request,
                                        const Observer& observer = {}) const;

 private:
  Choice choice_;
};

template <KernelOrPrecomputed K, OwnedSamples X>
KernelSolution<X> AnyKernelSolver::solve(const K& kernel, const X& samples,
                                         const KernelRequest& request,
                                         const Observer& observer) const {
  return std::visit(
      [&](const auto& one) -> KernelSolution<X> {
        decltype(auto) solver = as_kernel_solver(one);
        if constexpr (detail::compiles_for<std::remove_cvref_t<decltype(solver)>, K, X>)
          return solver.solve(kernel, samples, request, observer);
        else
          detail::fail("mercer::AnyKernelSolver: the solver asks more of a kernel than ",
                       detail::describe(kernel), " has");
      },
      choice_);
}

/// One of the solvers that draw features and read streams, chosen at run time: models
/// FeatureSolver.
class AnyFeatureSolver {
 public:
  using Choice = std::variant<FeaturePca<AnyFeatures>, DoublyStochastic<AnyFeatures>>;

  template <detail::AlternativeOf<Choice> T>
  AnyFeatureSolver(T solver)  // NOLINT: implicit, as for std::variant
      : choice_(std::move(solver)) {}

  [[nodiscard]] const Choice& choice() const { return choice_; }
  [[nodiscard]] const AnyFeatures& map() const {
    return std::visit([](const auto& solver) -> const AnyFeatures& { return solver.map(); },
                      choice_);
  }

  /// The tolerance that the fit is judged by, if there is one.
  [[nodiscard]] std::optional<double> tolerance() const { return detail::tolerance_of(choice_); }

  /// Whether it follows the weights of samples.
  [[nodiscard]] bool takes_weights() const {
    return std::visit([](const auto& one) { return mercer::takes_weights(one); }, choice_);
  }

  /// Throws what the solver throws.
  template <Kernel K, Real S>
  [[nodiscard]] FeatureSolution<S> solve(const K& kernel, SampleStreamView<S> stream,
                                         const KernelRequest& request,
                                         const Observer& observer = {}) const;

 private:
  Choice choice_;
};

template <Kernel K, Real S>
FeatureSolution<S> AnyFeatureSolver::solve(const K& kernel, SampleStreamView<S> stream,
                                           const KernelRequest& request,
                                           const Observer& observer) const {
  return std::visit(
      [&](const auto& solver) { return solver.solve(kernel, stream, request, observer); }, choice_);
}

/// Any solver of mercer. There are two kinds, because their models differ in type.
/// \code
///   std::visit([&](const auto& one) { use(KernelPca{kernel, one, params}.fit(X)); }, solver);
/// \endcode
using AnySolver = std::variant<AnyKernelSolver, AnyFeatureSolver>;

}  // namespace mercer

#endif  // MERCER_RUNTIME_ANY_SOLVER_HPP
