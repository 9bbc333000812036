// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Norms of rows of scores, with the projections on their balls, of which losses are made.

#ifndef MERCER_LOSSES_NORMS_HPP
#define MERCER_LOSSES_NORMS_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <string_view>
#include <type_traits>

#include <mercer/core/types.hpp>

namespace mercer {

struct LInf;

/// The sum of the absolute values of a row.
struct L1 {
  static constexpr const char* name = "l1";          ///< sum of absolute values
  static constexpr bool rotation_invariant = false;  ///< see RowNorm
  using Dual = LInf;                                 ///< the largest absolute value

  /// |y|_1 of each row.
  template <class Rows>
  [[nodiscard]] static Vector<double> norms(const Eigen::MatrixBase<Rows>& y) {
    return y.template cast<double>().cwiseAbs().rowwise().sum();
  }

  /// Replaces each row by the nearest point of the ball |y|_1 <= radius.
  /// Cost: O(s log s) for each row.
  /// Source: Held, Wolfe, Crowder, Validation of subgradient optimization, 1974.
  template <Real S>
  static void project(Matrix<S>& y, double radius) {
    for (Index i = 0; i < y.rows(); ++i) project_row(y.row(i), radius);
  }

  /// k^(1/2).
  [[nodiscard]] static double largest(Index components) {
    return std::sqrt(static_cast<double>(components));
  }

 private:
  template <class Row>
  static void project_row(Row&& y, double radius) {
    using S = typename std::decay_t<Row>::Scalar;
    const Vector<double> sizes = y.transpose().template cast<double>().cwiseAbs();
    if (sizes.sum() <= radius) return;
    // Entry j becomes t - gap_j, where it is positive, and these add up to the radius. In terms of
    // the gaps nothing cancels, however far outside the row is.
    const Vector<double> gaps = sizes.maxCoeff() - sizes.array();
    Vector<double> sorted = gaps;
    std::sort(sorted.begin(), sorted.end());
    double sum = radius, t = radius;
    for (Index j = 1; j < sorted.size() && sorted(j) <= t; ++j) {
      sum += sorted(j);
      t = sum / static_cast<double>(j + 1);
    }
    for (Index j = 0; j < y.size(); ++j)
      y(j) = static_cast<S>(std::copysign((std::max)(t - gaps(j), 0.0), y(j)));
  }
};

/// The Euclidean norm of a row.
struct L2 {
  static constexpr const char* name = "l2";         ///< Euclidean
  static constexpr bool rotation_invariant = true;  ///< see RowNorm
  using Dual = L2;                                  ///< the same

  /// |y|_2 of each row.
  template <class Rows>
  [[nodiscard]] static Vector<double> norms(const Eigen::MatrixBase<Rows>& y) {
    return y.template cast<double>().rowwise().stableNorm();
  }

  /// Shortens rows of norms above the radius. Squares may be outside the range of S.
  template <Real S>
  static void project(Matrix<S>& y, double radius) {
    const S length = static_cast<S>(radius);
    for (Index i = 0; i < y.rows(); ++i) {
      const S size = y.row(i).template lpNorm<Eigen::Infinity>();
      if (!(size > 0)) continue;
      const Vector<S> scaled = y.row(i).transpose() / size;
      const S norm = scaled.norm();
      if (size * norm > length) y.row(i) = (length / norm) * scaled.transpose();
    }
  }

  /// 1.
  [[nodiscard]] static double largest(Index) { return 1; }
};

/// The largest absolute value in a row.
struct LInf {
  static constexpr const char* name = "linf";        ///< largest absolute value
  static constexpr bool rotation_invariant = false;  ///< see RowNorm
  using Dual = L1;                                   ///< the sum of absolute values

  /// |y|_inf of each row.
  template <class Rows>
  [[nodiscard]] static Vector<double> norms(const Eigen::MatrixBase<Rows>& y) {
    if (y.cols() == 0) return Vector<double>::Zero(y.rows());
    return y.template cast<double>().cwiseAbs().rowwise().maxCoeff();
  }

  /// Cuts each entry to [-radius, radius].
  template <Real S>
  static void project(Matrix<S>& y, double radius) {
    const S largest = static_cast<S>(radius);
    y = y.cwiseMax(-largest).cwiseMin(largest);
  }

  /// 1.
  [[nodiscard]] static double largest(Index) { return 1; }
};

/// A norm of rows of which Huber and EpsilonInsensitive make losses: ours or a user's, for example
/// of groups of components.
///
/// \code
/// struct MyNorm {
///   static constexpr const char* name = "mine";        // in reports
///   static constexpr bool rotation_invariant = false;  // |y R| = |y|, R orthogonal
///   using Dual = MyDualNorm;                           // max of <y, z> over |z| <= 1
///   template <class Rows>
///   static mercer::Vector<double> norms(const Eigen::MatrixBase<Rows>& y);  // of each row
///   template <class S>
///   static void project(mercer::Matrix<S>& y, double radius);  // rows, on the ball |y| <= radius
/// };
/// \endcode
/// Semantics: norms() are norms, and project() gives the nearest points in the Euclidean distance.
/// Where `largest(k)`, the largest norm of a row of k entries with |y|_2 = 1, is there too,
/// kappa_max() and epsilon_max() serve the norm.
template <class N>
concept RowNorm = requires(const Matrix<double>& y, Matrix<double>& z) {
  { N::name } -> std::convertible_to<std::string_view>;
  { N::rotation_invariant } -> std::convertible_to<bool>;
  { N::norms(y) } -> std::convertible_to<Vector<double>>;
  { N::project(z, 1.0) } -> std::same_as<void>;
  { N::Dual::norms(y) } -> std::convertible_to<Vector<double>>;
  { N::Dual::project(z, 1.0) } -> std::same_as<void>;
};

}  // namespace mercer

#endif  // MERCER_LOSSES_NORMS_HPP
