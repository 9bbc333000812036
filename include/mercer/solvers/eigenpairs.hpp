// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What a Gram solver is asked for and what it returns, and the GramSolver concept.

#ifndef MERCER_SOLVERS_EIGENPAIRS_HPP
#define MERCER_SOLVERS_EIGENPAIRS_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <string_view>

#include <mercer/core/compiled.hpp>
#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/rows/row_products.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/types.hpp>
#include <mercer/operators/symmetric_operator.hpp>

namespace mercer {

/// How many components: a number (`.components = 20`), the fraction of the variance that they must
/// explain together (`.components = 0.95`, in (0, 1]), or all that a solver has.
class Components {
 public:
  template <std::integral T>
  constexpr Components(T count)  // NOLINT: implicit, so that `.components = 20` reads as it should
      : count_(static_cast<Index>(count)) {}
  template <std::floating_point T>
  constexpr Components(T fraction)  // NOLINT: implicit, as above
      : fraction_(static_cast<double>(fraction)), is_fraction_(true) {}

  /// Every component that does not count as zero, of the Gram matrix or of the approximation that
  /// the solver makes of it. Elsewhere the same as all of the variance, a fraction of 1.
  [[nodiscard]] static constexpr Components all() {
    Components every(1.0);
    every.is_all_ = true;
    return every;
  }

  /// Whether it is all().
  [[nodiscard]] constexpr bool is_all() const { return is_all_; }
  /// Whether it is a fraction of the variance.
  [[nodiscard]] constexpr bool is_fraction() const { return is_fraction_; }
  /// The number, if it is one.
  [[nodiscard]] constexpr Index count() const { return count_; }
  /// The fraction, if it is one.
  [[nodiscard]] constexpr double fraction() const { return fraction_; }

  /// Throws InvalidArgument unless 1 <= count <= samples, or 0 < fraction <= 1.
  void validate(Index samples) const {
    if (is_fraction_ && !(fraction_ > 0 && fraction_ <= 1))
      detail::fail("mercer: components as a fraction of variance must be in (0, 1], got ",
                   fraction_);
    if (!is_fraction_ && (count_ < 1 || count_ > samples))
      detail::fail("mercer: components must be between 1 and the number of samples, ", samples,
                   ", got ", count_);
  }

 private:
  Index count_ = 0;
  double fraction_ = 0;
  bool is_fraction_ = false;
  bool is_all_ = false;
};

namespace detail {

/// Throws InvalidArgument, with the names of \p others that take one, if the components that
/// \p who is asked for are a fraction of variance.
inline void require_number(std::string_view who, const Components& components,
                           std::string_view others = "Exact and BlockKrylov take fractions") {
  if (components.is_fraction())
    fail("mercer::", who, ": needs components as a number, got the fraction ",
         components.fraction(), " of variance; ", others);
}

}  // namespace detail

/// What a caller wants of a Gram solver.
struct EigenRequest {
  Components components = 2;
  double zero_threshold = 1e-12;  ///< eigenvalues <= zero_threshold * (largest one) count as zero
  /// Sum of |K_ii| before centring, or more. Rounding errors are proportional to it.
  double noise_scale = 0;
  /// Relative rounding error of the operator's entries; 0: machine epsilon of its scalar.
  double epsilon = 0;
};

/// Eigenpairs of a symmetric operator: eigenvalues descending, eigenvectors orthonormal, n x k.
template <Real S>
struct EigenSolution {
  Vector<S> eigenvalues;   ///< k, descending
  Matrix<S> eigenvectors;  ///< n x k
  /// K U, n x k, as the solver computed it. The certificate compares it with exact rows of K to
  /// measure the rounding errors. Empty if the solver did not keep it.
  Matrix<S> products;
  Report report;
};

namespace detail {

/// Rounding errors of the entries, of their centring and of products, as a multiple of epsilon
/// times the sum of |K_ii|. Kernel values have a few ulp, and errors that all entries share add up
/// to n times that of one.
inline constexpr double noise_ulps = 8;

/// Bound of what rounding errors in products with the operator can add to a residual.
template <Real S>
[[nodiscard]] double rounding_noise(const EigenRequest& request) {
  return noise_ulps * double{std::numeric_limits<S>::epsilon()} * request.noise_scale;
}

/// The same with the errors of sums of \p n products, for a matrix whose norm is \p norm. Where the
/// terms of a sum are alike, so are their errors, and few of them cancel.
template <Real S>
[[nodiscard]] double rounding_bound(const EigenRequest& request, Index n, double norm) {
  constexpr double epsilon{std::numeric_limits<S>::epsilon()};
  return rounding_noise<S>(request) + 2 * std::sqrt(static_cast<double>(n)) * epsilon * norm;
}

/// Eigenvalues up to this value count as zero. It is the largest of three bounds: the relative
/// threshold of the request; the rounding error of the largest eigenvalue, which matters in single
/// precision and for very large n; and the rounding error of the entries before centring. Without
/// the last one, constant data would have components.
template <Real S>
[[nodiscard]] double zero_floor(double largest, Index n, const EigenRequest& request) {
  const double eps = (std::max)(double{std::numeric_limits<S>::epsilon()}, request.epsilon);
  const double relative =
      (std::max)(request.zero_threshold, 4 * std::sqrt(static_cast<double>(n)) * eps);
  return (std::max)(relative * largest, noise_ulps * eps * request.noise_scale);
}

/// The number of leading values that explain so much of the trace together; all if they do not.
template <Real S>
[[nodiscard]] Index count_explaining(const Vector<S>& values, double fraction, double trace) {
  // For a fraction of 1: rounding errors in the trace must not ask for one more component.
  const double target = fraction * trace * (1 - std::numeric_limits<S>::epsilon());
  Index count = 0;
  for (double sum = 0; count < values.size() && sum < target; ++count)
    sum += static_cast<double>(values(count));
  return count;
}

/// The number of leading pairs to keep of \p eigenvalues (descending) for this request. The report
/// gets the number of zero and of negative eigenvalues that are dropped. Its trace must be set
/// before.
template <Real S>
[[nodiscard]] Index select_components(const Vector<S>& eigenvalues, Index n,
                                      const EigenRequest& request, Report& report) {
  const Index available = eigenvalues.size();
  if (available == 0) return 0;
  const double floor = zero_floor<S>(static_cast<double>(eigenvalues(0)), n, request);
  Index positive = 0;
  while (positive<available&& static_cast<double>(eigenvalues(positive))> floor) ++positive;
  const double magnitude = static_cast<double>(eigenvalues.cwiseAbs().maxCoeff());
  const double negative_floor = zero_floor<S>(magnitude, n, request);
  for (Index i = positive; i < available; ++i)
    if (static_cast<double>(eigenvalues(i)) < -negative_floor) ++report.negative_eigenvalues;
  if (report.negative_eigenvalues > 0)
    report.most_negative_eigenvalue = static_cast<double>(eigenvalues.minCoeff());

  Index wanted = 0;
  if (request.components.is_all()) {
    wanted = positive;
  } else if (request.components.is_fraction()) {
    const Vector<S> kept = eigenvalues.head(positive);
    wanted = count_explaining(kept, request.components.fraction(), report.trace);
  } else {
    wanted = (std::min)(request.components.count(), positive);
    report.components_requested = request.components.count();
    report.zero_eigenvalues = request.components.count() - wanted;
  }
  report.components = wanted;
  return wanted;
}

/// The trace of an operator; NaN if the operator has no diagonal.
/// Throws InvalidArgument if there is no diagonal and a fraction of variance is asked for.
template <SymmetricOperator A>
[[nodiscard]] double trace(const A& a, const EigenRequest& request) {
  if constexpr (HasDiagonalEntries<A>) {
    return static_cast<double>(block_sums<typename A::Scalar>(row_space_of(a), a.diagonal())(0));
  } else {
    if (request.components.is_fraction())
      fail("mercer: components as a fraction of variance need an operator with a diagonal, got ",
           request.components.fraction());
    return std::numeric_limits<double>::quiet_NaN();
  }
}

/// The sign rule: in each column, the entry of largest absolute value is made positive. If several
/// entries are within relative 1e-12 of it (single precision: 1e-5), the first of them decides.
/// Returns the factors, 1 or -1.
/// Rows in several processes: \p vectors has the rows of this process. Collective.
template <Real S>
Vector<S> fix_signs(const RowSpace& rows, Matrix<S>& vectors) {
  constexpr S tie = sizeof(S) == 4 ? S(1e-5) : S(1e-12);
  const Index k = vectors.cols();
  Vector<double> largest = Vector<double>::Zero(k);
  if (vectors.rows() > 0)
    largest = vectors.cwiseAbs().colwise().maxCoeff().transpose().template cast<double>();
  if (rows.is_spread()) rows.processes().maximum({largest.data(), static_cast<std::size_t>(k)});
  // The first of the large entries: how many rows follow it, and whether it is negative.
  Vector<double> first = Vector<double>::Constant(k, -1);
  for (Index j = 0; j < k; ++j) {
    const S bound = static_cast<S>(largest(j)) * (S(1) - tie);
    Index i = 0;
    while (i < vectors.rows() && std::abs(vectors(i, j)) < bound) ++i;
    if (i == vectors.rows()) continue;
    const auto following = static_cast<double>(rows.total() - rows.first() - i);
    first(j) = 2 * following + (vectors(i, j) < 0 ? 1 : 0);
  }
  if (rows.is_spread()) rows.processes().maximum({first.data(), static_cast<std::size_t>(k)});
  Vector<S> signs = Vector<S>::Ones(k);
  for (Index j = 0; j < k; ++j)
    if (first(j) >= 0 && std::fmod(first(j), 2.0) == 1) {
      signs(j) = S(-1);
      vectors.col(j) *= S(-1);
    }
  return signs;
}
template <Real S>
Vector<S> fix_signs(Matrix<S>& vectors) {
  return fix_signs(RowSpace::whole(vectors.rows()), vectors);
}
/// The same, where rows without weight do not decide. Collective.
/// \param weights  of the rows of this process
template <Real S>
Vector<S> fix_signs(const RowSpace& rows, const Vector<double>& weights, Matrix<S>& vectors) {
  Matrix<S> deciding = vectors;
  for (Index i = 0; i < weights.size(); ++i)
    if (weights(i) == 0) deciding.row(i).setZero();
  const Vector<S> signs = fix_signs(rows, deciding);
  vectors = (vectors * signs.asDiagonal()).eval();
  return signs;
}
/// The same for all rows in one process. Without weights, all rows decide.
template <Real S>
Vector<S> fix_signs(const Vector<double>& weights, Matrix<S>& vectors) {
  if (weights.size() == 0) return fix_signs(vectors);
  return fix_signs(RowSpace::whole(vectors.rows()), weights, vectors);
}

#define MERCER_FIX_SIGNS(S) \
  MERCER_INSTANTIATE_DENSE(Vector<S> fix_signs<S>(const RowSpace&, Matrix<S>&))
MERCER_FOR_SCALARS(MERCER_FIX_SIGNS)
#undef MERCER_FIX_SIGNS

/// Stands for any operator in the checks of a solver's interface. Declared only, never defined.
template <Real S>
struct OperatorArchetype {
  using Scalar = S;
  [[nodiscard]] Index rows() const;
  void apply(Points<S> v, GramOut<S> out) const;
};

}  // namespace detail

/// What a solver must say about its needs, so that the caller can choose the form of the operator.
///
/// - `tolerance()`: the residuals that the solver accepts, relative to mu_1. 0 if it computes to
///   rounding error.
/// - `bytes(n, k)`: the memory of a run on n rows for k components, without the operator. k = 0 if
///   the number of components is not known because a fraction of variance was asked for.
/// - `wants_dense`: true if the solver takes the whole matrix by std::move(operator).dense();
///   false if it uses products with the operator.
template <class T>
concept TellsItsNeeds = requires(const T& solver, Index n) {
  { solver.tolerance() } -> std::same_as<double>;
  { solver.bytes(n, n) } -> std::same_as<std::size_t>;
  { T::wants_dense } -> std::convertible_to<bool>;
};

/// Finds leading eigenpairs of any symmetric operator.
///
/// Syntax:
/// - copyable;
/// - `solve(operator, request, observer) const` for float and double operators, which returns an
///   EigenSolution of the same scalar;
/// - TellsItsNeeds.
///
/// Semantics:
/// - Returns the pairs that detail::select_components keeps: largest eigenvalues first, positive
///   ones only, orthonormal eigenvectors.
/// - Fills the report, with |K u - mu u| for each component. A report begins as NotConverged: sets
///   Converged if these residuals meet the tolerance. A solver of your own leaves
///   SolverId::Other, and may put its name into solver_form.
/// - A numerical failure is a Status, not an exception.
/// - A solver has settings only and no state of a run, so several threads may share one solver.
template <class T>
concept GramSolver = std::copy_constructible<T> && TellsItsNeeds<T> &&
    requires(const T& solver, const detail::OperatorArchetype<double>& a, EigenRequest request,
             Observer observer) {
  { solver.solve(a, request, observer) } -> std::same_as<EigenSolution<double>>;
};

}  // namespace mercer

#endif  // MERCER_SOLVERS_EIGENPAIRS_HPP
