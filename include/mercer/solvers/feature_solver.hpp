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
#include <mercer/core/streams/sample_stream.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/kernel_solver.hpp>

namespace mercer {

/// k functions of a sample: f_i(x) = sum_b Z_b(x) C_b,i - offset_i, where b runs over the first
/// `blocks` blocks of random features. The kernel, the map, the bounds and the seed determine these
/// features.
template <Real S>
struct FeatureExpansion {
  Matrix<S> coefficients;  ///< the C_b, one below the other, (blocks * columns of a block) x k
  Vector<S> offset;        ///< k: means of the uncentred values; 0 if they are not centred
  Index blocks = 0;        ///< the number of blocks
  SampleBounds bounds;     ///< what the map was told of the samples
  std::uint64_t seed = 0;
};

/// Components as such functions. Together with the kernel and the map, it is the whole model.
template <Real S>
struct FeatureSolution : FeatureExpansion<S> {
  Vector<S> eigenvalues;  ///< mu_i, k, descending
  Report report;
};

/// Finds components from a kernel and a stream of samples.
///
/// Syntax:
/// - copyable;
/// - `map() const`, the FeatureMap;
/// - `solve(kernel, stream, request, observer) const`, which returns a FeatureSolution of the
///   stream's scalar.
///
/// Semantics:
/// - Settings only, as for GramSolver.
/// - Reads the stream from its beginning if it can seek, else from its current position.
/// - Fills the report, and sets its status, as GramSolver. A numerical failure is a Status, not an
///   exception.
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

/// Throws InvalidArgument unless the components are a fraction in (0, 1] or a number in
///   [1, features].
inline void require_enough_features(std::string_view who, const Components& components,
                                    Index features) {
  if (!components.is_fraction() && components.count() > features)
    fail("mercer::", who, ": ", components.count(),
         " components need as many features, but there "
         "are ",
         features);
  components.validate(features);
}

/// Throws InvalidArgument unless sums of squares of features are finite.
template <class Derived>
void require_finite_squares(std::string_view who, const Eigen::MatrixBase<Derived>& squares) {
  if (!squares.allFinite())
    fail("mercer::", who,
         ": the squares of the features overflow, as do the values of the kernel; scale the "
         "samples or the kernel down");
}

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_SOLVERS_FEATURE_SOLVER_HPP
