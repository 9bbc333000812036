// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The Gaussian kernel on normal samples. Its eigenfunctions are known, so it serves as a test case
/// for solvers.

#ifndef MERCER_TESTING_HERMITE_SYSTEM_HPP
#define MERCER_TESTING_HERMITE_SYSTEM_HPP

#include <cmath>

#include <mercer/core/errors.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/metrics/principal_angles.hpp>

namespace mercer::testing {

/// A quadrature rule: sum_q weights(q) f(nodes(q)) approximates E f(x).
struct Quadrature {
  Vector<double> nodes;    ///< where the function is evaluated
  Vector<double> weights;  ///< add up to 1
};

/// The Gauss-Hermite rule for x ~ N(0, spread^2), exact for polynomials of degree up to 2 size - 1.
/// Source: Golub, Welsch, Calculation of Gauss quadrature rules, 1969.
[[nodiscard]] inline Quadrature normal_quadrature(Index size, double spread = 1) {
  detail::require_at_least("testing::normal_quadrature", "size", size, Index{1});
  Matrix<double> jacobi = Matrix<double>::Zero(size, size);
  for (Index i = 1; i < size; ++i) jacobi(i, i - 1) = std::sqrt(static_cast<double>(i));
  const EigenSystem<double> eigen = symmetric_eigensystem(jacobi);
  return {spread * eigen.values, eigen.vectors.row(0).transpose().array().square()};
}

/// Eigenvalues and eigenfunctions of (A f)(y) = E_x[k(x, y) f(x)] for x ~ N(0, spread^2) on the
/// line and k = Gaussian(width), not centred:
///   a = 1/(4 spread^2), b = 1/(2 width^2), c = (a^2 + 2ab)^(1/2), A = a + b + c,
///   ell_j = (2a/A)^(1/2) (b/A)^j,
///   psi_j(x) = (c/a)^(1/4) (2^j j!)^(-1/2) exp(-(c - a) x^2) H_j((2c)^(1/2) x),
/// with E[psi_i psi_j] = delta_ij and the physicists' Hermite polynomials H_j.
/// Source: Zhu, Williams, Rohwer, Morciniec, Gaussian regression and optimal finite dimensional
///   linear models, 1998; Rasmussen, Williams, Gaussian processes for machine learning, 4.3.1.
class HermiteSystem {
 public:
  /// Throws InvalidArgument for values that are not positive.
  explicit HermiteSystem(double spread = 1, double width = 1)
      : width_(width),
        a_(1 /
           (4 * std::pow(detail::require_positive("testing::HermiteSystem", "spread", spread), 2))),
        b_(1 /
           (2 * std::pow(detail::require_positive("testing::HermiteSystem", "width", width), 2))),
        c_(std::sqrt(a_ * a_ + 2 * a_ * b_)) {}

  /// The kernel whose eigenfunctions these are.
  [[nodiscard]] Gaussian kernel() const { return Gaussian(width_); }

  /// ell_0 > ... > ell_{k-1}; all of them add up to 1.
  [[nodiscard]] Vector<double> eigenvalues(Index k) const {
    const double sum = a_ + b_ + c_;
    Vector<double> ell(k);
    for (Index j = 0; j < k; ++j)
      ell(j) = std::sqrt(2 * a_ / sum) * std::pow(b_ / sum, static_cast<double>(j));
    return ell;
  }

  /// psi_0, ..., psi_{k-1} at points x, one column each.
  [[nodiscard]] Matrix<double> eigenfunctions(const Vector<double>& x, Index k) const {
    // The functions h_j = psi_j are normalised, so neither powers of 2 nor factorials overflow.
    // They obey h_j = (2/j)^(1/2) t h_{j-1} - ((j-1)/j)^(1/2) h_{j-2}.
    const Vector<double> t = std::sqrt(2 * c_) * x;
    Matrix<double> psi(x.size(), k);
    for (Index j = 0; j < k; ++j) {
      const auto order = static_cast<double>(j);
      if (j == 0)
        psi.col(0) = std::pow(c_ / a_, 0.25) * (-(c_ - a_) * x.array().square()).exp();
      else
        psi.col(j) = std::sqrt(2 / order) * t.cwiseProduct(psi.col(j - 1));
      if (j > 1) psi.col(j) -= std::sqrt((order - 1) / order) * psi.col(j - 2);
    }
    return psi;
  }

 private:
  double width_, a_, b_, c_;
};

/// The squared sine of the largest principal angle in L^2 between the spans of two sets of
/// functions: the potential of a solver's functions. Functions are given by their values at the
/// nodes of a quadrature.
[[nodiscard]] inline double potential(const Matrix<double>& functions, const Matrix<double>& truth,
                                      const Quadrature& rule) {
  const Vector<double> roots = rule.weights.cwiseSqrt();
  const PrincipalAngles angles =
      principal_angles(roots.asDiagonal() * functions, roots.asDiagonal() * truth);
  // If functions are linearly dependent, a direction of the truth is orthogonal to all of them.
  return angles.left_dimension < angles.right_dimension ? 1 : angles.largest_squared_sine();
}

}  // namespace mercer::testing

#endif  // MERCER_TESTING_HERMITE_SYSTEM_HPP
