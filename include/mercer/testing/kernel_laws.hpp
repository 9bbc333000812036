// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Tests on given samples whether a kernel satisfies the laws that the Kernel concept cannot check.

#ifndef MERCER_TESTING_KERNEL_LAWS_HPP
#define MERCER_TESTING_KERNEL_LAWS_HPP

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <Eigen/Eigenvalues>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel.hpp>

namespace mercer::testing {

/// What is required of a kernel.
struct KernelLawParams {
  /// The largest difference or negative eigenvalue that passes, relative to the largest
  /// |k(x_i, x_j)| or to the largest eigenvalue. 0 means 1e-10 for double and 1e-3 for float.
  double tolerance = 0;
  /// Set to false for symmetric kernels that may be indefinite. The eigenvalues are measured in any
  /// case.
  bool positive_semidefinite = true;
};

/// What was measured. Differences are relative to the largest |k(x_i, x_j)|.
struct KernelLaws {
  Index non_finite = 0;                 ///< number of values that are NaN or infinite
  double asymmetry = 0;                 ///< largest |k(x_i, x_j) - k(x_j, x_i)|
  double block_difference = 0;          ///< largest difference of values alone and in the block
  double diagonal_difference = 0;       ///< largest difference of diagonal() and gram()
  double repeat_difference = 0;         ///< largest change when the block is evaluated again
  double smallest_eigenvalue = 0;       ///< of the Gram matrix; NaN if it is not finite
  double largest_eigenvalue = 0;        ///< likewise
  std::vector<std::string> violations;  ///< one sentence for each law that is broken

  /// Whether no law is broken.
  [[nodiscard]] bool hold() const { return violations.empty(); }
};

namespace detail {

using mercer::detail::to_text;

/// The largest |a - b| / scale. If it exceeds the tolerance, a violation with both values and the
/// pair is recorded.
template <Real S>
[[nodiscard]] double compare(const Matrix<S>& a, const Matrix<S>& b, double scale, double tolerance,
                             const std::string& law, std::vector<std::string>& violations) {
  Index i = 0, j = 0;
  const double worst = static_cast<double>((a - b).cwiseAbs().maxCoeff(&i, &j)) / scale;
  if (!(worst <= tolerance))
    violations.push_back(law + ": " + to_text(a(i, j)) + " and " + to_text(b(i, j)) +
                         " for samples " + to_text(i) + " and " + to_text(j) + " (counted from 0)");
  return worst;
}

/// k(x_i, x_j) for every pair, each in a block of its own.
template <Kernel K, OwnedSamples X, Real S = typename X::Scalar>
[[nodiscard]] Matrix<S> one_by_one(const K& kernel, const X& x) {
  Matrix<S> out(x.rows(), x.rows());
  for (Index j = 0; j < x.rows(); ++j)
    for (Index i = 0; i < x.rows(); ++i)
      mercer::detail::fill_tile(kernel, x, {i, 1}, x, {j, 1}, out.block(i, j, 1, 1));
  return out;
}

template <Real S>
void measure_eigenvalues(const Matrix<S>& block, double tolerance, bool required,
                         KernelLaws& laws) {
  const Matrix<double> gram = 0.5 * (block + block.transpose()).template cast<double>();
  const Eigen::SelfAdjointEigenSolver<Matrix<double>> solver(gram, Eigen::EigenvaluesOnly);
  laws.smallest_eigenvalue = solver.eigenvalues()(0);
  laws.largest_eigenvalue = solver.eigenvalues()(gram.rows() - 1);
  if (required && !(laws.smallest_eigenvalue >= -tolerance * laws.largest_eigenvalue))
    laws.violations.push_back(
        "not positive semidefinite: the eigenvalues of the Gram matrix go from " +
        to_text(laws.smallest_eigenvalue) + " to " + to_text(laws.largest_eigenvalue));
}

/// Counts the values of a Gram matrix that are not finite, and records the first.
template <Real S>
void note_non_finite(const Matrix<S>& block, KernelLaws& laws) {
  for (Index j = 0; j < block.cols(); ++j)
    for (Index i = 0; i < block.rows(); ++i)
      if (!std::isfinite(block(i, j)) && ++laws.non_finite == 1)
        laws.violations.push_back("not finite: " + to_text(block(i, j)) + " for samples " +
                                  to_text(i) + " and " + to_text(j) + " (counted from 0)");
  laws.smallest_eigenvalue = laws.largest_eigenvalue = std::numeric_limits<double>::quiet_NaN();
}

}  // namespace detail

/// Evaluates the kernel on the samples in the rows of \p samples (n x d, dense or sparse). Tests
/// that
/// - all values are finite;
/// - the kernel is symmetric;
/// - a pair has the same value alone and in a block;
/// - diagonal() and gram() agree;
/// - a second call gives the same values;
/// - the Gram matrix is positive semidefinite.
///
/// \code
/// const auto laws = mercer::testing::kernel_laws(MyKernel{}, X);
/// for (const std::string& violation : laws.violations) std::cerr << violation << '\n';
/// \endcode
/// A kernel that passes satisfies the laws on these samples only. So use dozens of samples, with
/// some that are near or equal. If a value is not finite, nothing else is measured.
/// Cost: n^2 calls of the kernel for single values, and O(n^3) operations.
/// Throws InvalidArgument for samples that are not finite or outside the kernel's domain, and if
///   there are no samples.
template <Kernel K, class X>
  requires evaluates<K, OwnedSamplesOf<X>>
[[nodiscard]] KernelLaws kernel_laws(const K& kernel, const X& samples,
                                     KernelLawParams params = {}) {
  using S = typename X::Scalar;
  const OwnedSamplesOf<X> x = samples;
  const Index n = x.rows();
  if (n == 0) mercer::detail::fail("mercer::testing::kernel_laws: need at least one sample");
  mercer::detail::require_finite_samples("testing::kernel_laws", x);
  mercer::detail::check_domain(kernel, x);
  const double tolerance =
      params.tolerance > 0 ? params.tolerance : (sizeof(S) == 4 ? 1e-3 : 1e-10);

  KernelLaws laws;
  Matrix<S> block(n, n), again(n, n);
  mercer::detail::fill_tile(kernel, x, {0, n}, x, {0, n}, block);
  if (!block.allFinite()) {
    detail::note_non_finite(block, laws);
    return laws;
  }
  mercer::detail::fill_tile(kernel, x, {0, n}, x, {0, n}, again);
  Matrix<S> with_diagonal = block;
  with_diagonal.diagonal() = mercer::diagonal(kernel, x);
  const double largest = static_cast<double>(block.cwiseAbs().maxCoeff());
  const double scale = largest > 0 ? largest : 1;

  const auto compare = [&](const Matrix<S>& a, const Matrix<S>& b, double bound, const char* law) {
    return detail::compare(a, b, scale, bound, law, laws.violations);
  };
  laws.repeat_difference = compare(block, again, 0, "not pure, two calls give two values");
  laws.asymmetry = compare(block, block.transpose(), tolerance, "not symmetric");
  laws.block_difference = compare(block, detail::one_by_one(kernel, x), tolerance,
                                  "the value in a block differs from the value alone");
  laws.diagonal_difference =
      compare(with_diagonal, block, tolerance, "diagonal() differs from gram()");
  detail::measure_eigenvalues(block, tolerance, params.positive_semidefinite, laws);
  return laws;
}

}  // namespace mercer::testing

#endif  // MERCER_TESTING_KERNEL_LAWS_HPP
