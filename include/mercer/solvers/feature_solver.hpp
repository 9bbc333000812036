// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The FeatureSolver concept: solvers that read samples from a stream and expand components over
/// random features.

#ifndef MERCER_SOLVERS_FEATURE_SOLVER_HPP
#define MERCER_SOLVERS_FEATURE_SOLVER_HPP

#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/sample_stream.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/kernel_solver.hpp>

namespace mercer {

/// Components as functions of a sample: score_i(x) = sum_b Z_b(x) C_b,i - offset_i over the first
/// blocks of the features that the map has for the kernel, these bounds and this seed. A plain
/// aggregate: with the kernel and the map, it is all of a model.
template <Real S>
struct FeatureSolution {
  Vector<S> eigenvalues;   ///< mu_i, k, descending
  Matrix<S> coefficients;  ///< C_b below each other, (blocks columns) x k
  Vector<S> offset;        ///< means of the scores before they are centred; 0 if they are not, k
  Index blocks = 0;
  SampleBounds bounds;
  std::uint64_t seed = 0;
  Report report;
};

/// Finds components from a kernel and a stream of samples.
///
/// Syntax: (1) copyable; (2) `map() const`, the FeatureMap; (3) `solve(kernel, stream, request,
/// observer) const`, returning FeatureSolution of the stream's scalar. Semantics: (4) settings
/// only, as for GramSolver; (5) reads the stream from its beginning if it can seek, else from where
/// it stands; (6) fills the report; a numerical failure is a Status, not an exception.
template <class T>
concept FeatureSolver = std::copy_constructible<T> &&
    requires(const T& solver, const Linear& kernel, SampleStreamView<double> stream,
             const KernelRequest& request, const Observer& observer) {
  requires FeatureMap<std::remove_cvref_t<decltype(solver.map())>>;
  { solver.solve(kernel, stream, request, observer) } -> std::same_as<FeatureSolution<double>>;
};

/// The feature map of a solver.
template <FeatureSolver T>
using FeatureMapOf = std::remove_cvref_t<decltype(std::declval<const T&>().map())>;

namespace detail {

/// Throws InvalidArgument for components outside (0, 1] or [1, features].
inline void require_enough_features(std::string_view who, const Components& components,
                                    Index features) {
  if (!components.is_fraction() && components.count() > features)
    fail("mercer::", who, ": ", components.count(),
         " components need as many features, but there "
         "are ",
         features);
  components.validate(features);
}

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_SOLVERS_FEATURE_SOLVER_HPP
