// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The Gram matrix of a problem in long double, by formulas that are written here anew, and what is
/// true of eigenpairs of it.

#ifndef MERCER_BENCHMARKS_CERTIFICATES_TRUTH_HPP
#define MERCER_BENCHMARKS_CERTIFICATES_TRUTH_HPP

#include <benchmarks/certificates/problem.hpp>
#include <mercer/core/types.hpp>

namespace certificates {

class Truth {
 public:
  /// Takes n^2 long doubles. The eigenvalues are computed for up to \p most_eigenvalues samples.
  Truth(const Problem& problem, bool centered, Index most_eigenvalues);

  /// |K u - mu u| for the columns of \p u.
  [[nodiscard]] mercer::Vector<double> residuals(const Matrix<double>& u,
                                                 const mercer::Vector<double>& mu) const;
  /// All eigenvalues, descending, to rounding errors of double; empty for large problems.
  [[nodiscard]] const mercer::Vector<double>& eigenvalues() const { return eigenvalues_; }
  /// What rounding moves the entries of K by, before centring, in units of the machine epsilon and
  /// to first order: the trace or the Frobenius norm of the errors, whichever is larger. Written
  /// here anew, from the derivative of each kernel.
  [[nodiscard]] double noise_scale() const { return noise_scale_; }
  /// |K|, or the Frobenius norm where there are no eigenvalues.
  [[nodiscard]] double norm() const { return norm_; }
  [[nodiscard]] bool finite() const { return gram_.allFinite(); }

 private:
  Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic> gram_;
  mercer::Vector<double> eigenvalues_;
  double noise_scale_ = 0;
  double norm_ = 0;
};

}  // namespace certificates

#endif  // MERCER_BENCHMARKS_CERTIFICATES_TRUTH_HPP
