// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The normalised form of a similarity matrix, D^(-1/2) K D^(-1/2), without forming it.

#ifndef MERCER_OPERATORS_NORMALIZED_HPP
#define MERCER_OPERATORS_NORMALIZED_HPP

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/types.hpp>
#include <mercer/operators/diagonally_scaled.hpp>
#include <mercer/operators/symmetric_operator.hpp>

namespace mercer {

struct NormalizedParams {
  /// alpha: the similarities are divided by (q_i q_j)^alpha first, with q the row sums of K. 0
  /// keeps them. 1 takes out the density of the samples.
  double density_exponent = 0;
  /// Take the trivial eigenpair out: its eigenvalue becomes 0.
  bool deflated = false;

  /// Throws InvalidArgument for an exponent that is not finite.
  void validate() const {
    detail::require_finite("Normalized", "density_exponent", density_exponent);
  }
};

/// \f$ D^{-1/2} K^{(\alpha)} D^{-1/2} = S K S \f$, where \f$ K^{(\alpha)}_{ij} = K_{ij} / (q_i
/// q_j)^\alpha \f$ with the row sums q of K, D has the row sums of \f$ K^{(\alpha)} \f$, and S is
/// the diagonal matrix with entries \f$ s_i = q_i^{-\alpha} D_{ii}^{-1/2} \f$.
///
/// It is similar to the random walk \f$ P = D^{-1} K^{(\alpha)} \f$ on the samples: if u is an
/// eigenvector here, \f$ D^{-1/2} u \f$ is one of P. Eigenvalues are in [-1, 1] for values of K
/// that are not negative, and in [0, 1] if K is also positive semidefinite. The trivial eigenpair
/// is 1 and \f$ u_0 = D^{1/2} 1 / |D^{1/2} 1| \f$. If the samples fall into c groups without
/// similarities between them, 1 has c eigenvectors; with `deflated`, those orthogonal to u_0
/// remain. I minus this operator is the symmetric normalised Laplacian.
/// \tparam A  a SymmetricOperator with row sums above 0, for example Gram
/// Cost: the constructor makes one product with a vector, two if alpha is not 0. apply() costs
///   O(n b) more than that of A.
/// Threads: const members may run concurrently.
/// Source: Ng, Jordan, Weiss, On spectral clustering: analysis and an algorithm, 2001; Coifman,
///   Lafon, Diffusion maps, 2006, section 3 (alpha).
template <SymmetricOperator A>
class Normalized {
 public:
  using Scalar = typename A::Scalar;
  using Params = NormalizedParams;

  /// Throws InvalidArgument for a row sum that is not positive and finite: the message names the
  ///   row. Also for an operator whose rows are in several processes.
  explicit Normalized(A base, NormalizedParams params = {}) : params_(params) {
    params.validate();
    detail::require_one_process("Normalized", base);
    const Index n = base.rows();
    weights_ = Vector<Scalar>::Ones(n);
    if (params.density_exponent != 0) {
      const Vector<Scalar> density = apply_to_vector(base, weights_);
      require_positive_sums(density);
      weights_ = density.array().pow(static_cast<Scalar>(-params.density_exponent));
    }
    degrees_ = weights_.cwiseProduct(apply_to_vector(base, weights_));
    require_positive_sums(degrees_);
    trivial_ = degrees_.cwiseSqrt() / std::sqrt(degrees_.sum());
    scaled_.emplace(std::move(base), weights_.cwiseQuotient(degrees_.cwiseSqrt()));
  }

  [[nodiscard]] Index rows() const { return scaled_->rows(); }

  /// out = S K S v, n x b.
  void apply(const Points<Scalar>& v, GramOut<Scalar> out) const {
    if (v.cols() == 0) return;
    scaled_->apply(v, out);
    if (params_.deflated) out -= trivial_ * (trivial_.transpose() * v).eval();
  }

  [[nodiscard]] Vector<Scalar> diagonal() const requires HasDiagonalEntries<A> {
    Vector<Scalar> out = scaled_->diagonal();
    if (params_.deflated) out -= trivial_.cwiseAbs2();
    return out;
  }

  [[nodiscard]] Matrix<Scalar> dense() const& { return deflated(to_dense(*scaled_)); }
  [[nodiscard]] Matrix<Scalar> dense() && { return deflated(to_dense(std::move(*scaled_))); }

  /// The principal submatrix of these rows.
  [[nodiscard]] Matrix<Scalar> sample_block(const std::vector<Index>& indices) const requires
      HasSamples<A> {
    Matrix<Scalar> block = scaled_->sample_block(indices);
    const Vector<Scalar> u = detail::take_entries(trivial_, indices);
    if (params_.deflated) block -= u * u.transpose();
    return block;
  }

  /// The product of these columns with m x b weights.
  [[nodiscard]] Matrix<Scalar> sample_product(const std::vector<Index>& indices,
                                              const Matrix<Scalar>& weights) const requires
      HasSamples<A> {
    Matrix<Scalar> product = scaled_->sample_product(indices, weights);
    const Vector<Scalar> u = detail::take_entries(trivial_, indices);
    if (params_.deflated) product -= trivial_ * (u.transpose() * weights).eval();
    return product;
  }

  /// D: the row sums of the similarities, after the division by densities.
  [[nodiscard]] const Vector<Scalar>& degrees() const { return degrees_; }
  /// q^(-alpha): what a similarity with this sample is multiplied with.
  [[nodiscard]] const Vector<Scalar>& weights() const { return weights_; }
  /// u_0, of norm 1.
  [[nodiscard]] const Vector<Scalar>& trivial_eigenvector() const { return trivial_; }

 private:
  static void require_positive_sums(const Vector<Scalar>& sums) {
    for (Index i = 0; i < sums.size(); ++i)
      if (!(sums(i) > 0) || !std::isfinite(sums(i)))
        detail::fail("mercer::Normalized: row sums of the similarities must be positive, got ",
                     sums(i), " at row ", i, " (counted from 0)");
  }

  [[nodiscard]] Matrix<Scalar> deflated(Matrix<Scalar> dense) const {
    if (params_.deflated)
      for (Index j = 0; j < dense.cols(); ++j) dense.col(j) -= trivial_ * trivial_(j);
    return dense;
  }

  std::optional<DiagonallyScaled<A>> scaled_;  // S K S; set by the constructor
  NormalizedParams params_;
  Vector<Scalar> weights_, degrees_, trivial_;
};

}  // namespace mercer

#endif  // MERCER_OPERATORS_NORMALIZED_HPP
