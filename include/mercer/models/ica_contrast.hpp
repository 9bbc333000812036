// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// How dependent variables are: the contrasts of kernel ICA.

#ifndef MERCER_MODELS_ICA_CONTRAST_HPP
#define MERCER_MODELS_ICA_CONTRAST_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <Eigen/Cholesky>

#include <mercer/core/compiled.hpp>
#include <mercer/core/errors.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/solvers/nystrom/detail/partial_cholesky.hpp>
#include <mercer/solvers/nystrom/greedy_cholesky.hpp>

namespace mercer {

/// Two measures of dependence. Both are 0 or above, and small for independent variables.
enum class IcaContrast {
  Kgv,  ///< kernel generalised variance, which takes all canonical correlations into account
  Kcca  ///< the first canonical correlation only
};

[[nodiscard]] constexpr std::string_view to_string(IcaContrast contrast) {
  return contrast == IcaContrast::Kgv ? "kgv" : "kcca";
}

struct IcaContrastParams {
  IcaContrast contrast = IcaContrast::Kgv;  ///< which measure
  /// Width of the Gaussian kernel on each variable. If not set, for variables of unit variance: 1
  /// below 1000 samples, else 1/2.
  std::optional<double> sigma = {};
  /// c: the ridge n c on the eigenvalues of each centred Gram matrix. If not set, 0.02 below 1000
  /// samples, else 0.002. This is half of kappa in K^2 + n kappa K + (n kappa / 2)^2.
  std::optional<double> regularization = {};
  /// eta: each Gram matrix is factorised up to a trace of n eta. If not set, c / 100, and
  /// at most 0.01.
  std::optional<double> tolerance = {};
};

namespace detail {

/// The parameters of a contrast with all defaults filled in.
struct IcaSettings {
  /// Throws InvalidArgument for parameters that are not positive (tolerance: negative) or not
  ///   finite.
  IcaSettings(std::string_view who, const IcaContrastParams& params, Index samples)
      : contrast(params.contrast),
        sigma(require_positive(who, "sigma", params.sigma.value_or(samples < 1000 ? 1 : 0.5))),
        regularization(require_positive(
            who, "regularization", params.regularization.value_or(samples < 1000 ? 2e-2 : 2e-3))),
        tolerance(params.tolerance.value_or((std::min)(regularization / 100, 0.01))) {
    require_not_negative(who, "tolerance", tolerance);
  }

  IcaContrast contrast;
  double sigma, regularization, tolerance;
};

/// Contrasts from factors of centred Gram matrices.
template <Real S>
struct IcaMeasure {
  /// U D of one variable, whose samples are the rows of \p x: for the eigenpairs mu and u of its
  /// centred Gram matrix, the columns u mu / (mu + n c). Variables of more than one dimension are
  /// taken, too.
  /// Cost: O(n r^2) for a factor of r columns, 10 to 25 for the default tolerance.
  static Matrix<S> regularized_basis(const Matrix<S>& x, const IcaSettings& settings);

  /// The contrast of variables with these bases Q_a, from the matrix R with identities on the
  /// diagonal and Q_a^T Q_b elsewhere: - log(det R) / 2, or - log(lambda_min(R)) / 2.
  /// Cost: O(n r^2 + r^3) for r columns together.
  static S of_bases(const std::vector<Matrix<S>>& bases, IcaContrast contrast);

  /// The contrast of the columns of \p x.
  static S of_columns(const Matrix<S>& x, const IcaSettings& settings);

 private:
  static Matrix<S> cholesky_factor(const Matrix<S>& x, const IcaSettings& settings);
};

/// By the greedy pivots of the library's Cholesky factorisation. Its rule to stop is a share of the
/// trace, which is n for this kernel, and so n eta here.
template <Real S>
Matrix<S> IcaMeasure<S>::cholesky_factor(const Matrix<S>& x, const IcaSettings& settings) {
  const Gaussian kernel(settings.sigma);
  const KernelView<Matrix<S>> view(kernel);
  const Index n = x.rows();
  const double rest = static_cast<double>(n) * settings.tolerance;
  // A factor has room for a given number of columns. More than the first guess is rare.
  for (Index most = (std::min)(n, Index{40});; most = (std::min)(n, 4 * most)) {
    PartialCholesky<Matrix<S>> factor(view, x, most, "IcaContrast");
    double left = factor.residual().sum();
    while (left > rest && factor.size() < most) {
      GreedyCholesky::extend(factor);
      left = factor.residual().sum();
    }
    if (left <= rest || most == n) return factor.factor();
  }
}

template <Real S>
Matrix<S> IcaMeasure<S>::regularized_basis(const Matrix<S>& x, const IcaSettings& settings) {
  const double n = static_cast<double>(x.rows());
  Matrix<S> factor = cholesky_factor(x, settings);
  centre_columns(factor);
  const EigenSystem<S> system = symmetric_eigensystem(inner(factor));
  const auto zero = static_cast<S>(n * settings.tolerance);
  // A large ridge leaves no column; then the basis is empty, as that of a constant variable.
  const Index kept =
      (std::min)(system.values.size(),
                 (std::max)(Index{1}, static_cast<Index>((system.values.array() > zero).count())));
  // u = G v / mu^(1/2), so no eigenvalue divides alone: constant variables have an empty basis.
  const Vector<S> mu = system.values.head(kept).cwiseMax(S(0));
  const auto ridge = static_cast<S>(n * settings.regularization);
  const Vector<S> scale = mu.array().sqrt() / (mu.array() + ridge);
  return multiply(factor, (system.vectors.leftCols(kept) * scale.asDiagonal()).eval());
}

template <Real S>
S IcaMeasure<S>::of_bases(const std::vector<Matrix<S>>& bases, IcaContrast contrast) {
  std::vector<Index> begin{0};
  for (const Matrix<S>& basis : bases) begin.push_back(begin.back() + basis.cols());
  if (begin.back() == 0) return 0;  // all variables are constant to the tolerance
  Matrix<S> r = Matrix<S>::Identity(begin.back(), begin.back());
  for (std::size_t a = 1; a < bases.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      r.block(begin[a], begin[b], bases[a].cols(), bases[b].cols()) = inner(bases[a], bases[b]);
  S value = 0;
  if (contrast == IcaContrast::Kgv) {
    const SingleThread one;
    const Eigen::LLT<Matrix<S>> factor(r);  // reads the lower triangle
    if (factor.info() != Eigen::Success) return std::numeric_limits<S>::infinity();
    value = -factor.matrixLLT().diagonal().array().log().sum();
  } else {
    const Vector<S> values = symmetric_eigenvalues(r);
    const S least = values(values.size() - 1);
    if (!(least > 0)) return std::numeric_limits<S>::infinity();
    value = -std::log(least) / 2;
  }
  return (std::max)(value, S(0));
}

template <Real S>
S IcaMeasure<S>::of_columns(const Matrix<S>& x, const IcaSettings& settings) {
  std::vector<Matrix<S>> bases;
  for (Index j = 0; j < x.cols(); ++j) bases.push_back(regularized_basis(x.col(j), settings));
  return of_bases(bases, settings.contrast);
}

#define MERCER_ICA_MEASURE(S) MERCER_INSTANTIATE_VIEWS(struct IcaMeasure<S>)
MERCER_ICA_MEASURE(double)
#undef MERCER_ICA_MEASURE

}  // namespace detail

/// The contrast of kernel ICA: how dependent the columns of \p x are, n x m, one sample per row. It
/// is 0 or above, and depends neither on the order nor on the signs of the columns. Columns should
/// have unit variance, which the default width is meant for.
///   Kgv: J = -(1/2) log det R, and Kcca: J = -(1/2) log lambda_min(R),
/// where R has the identity for each column on its diagonal, and D_a U_a^T U_b D_b for columns a
/// and b: U are the eigenvectors of their centred Gram matrices, and D = mu / (mu + n c). For two
/// columns with regularised canonical correlations rho_j, lambda_min = 1 - rho_1 and det R =
/// product of 1 - rho_j^2.
///
/// Cost: O(n m^2 r^2) for Gram matrices of rank r, 10 to 25 for the default tolerance.
/// Accuracy: with the default tolerance, within about 1 % of the contrast of full Gram matrices.
/// Throws InvalidArgument for less than two rows or columns, for values that are not finite, and
///   for parameters out of range.
/// Source: Bach, Jordan, Kernel independent component analysis, 2002.
template <class X>
[[nodiscard]] double ica_contrast(const Eigen::MatrixBase<X>& x,
                                  const IcaContrastParams& params = {}) {
  if (x.rows() < 2 || x.cols() < 2)
    detail::fail("mercer::ica_contrast: needs at least two rows and two columns, got ", x.rows(),
                 " x ", x.cols());
  const detail::IcaSettings settings("ica_contrast", params, x.rows());
  const Matrix<double> columns = x.template cast<double>();
  detail::require_finite_samples("ica_contrast", columns);
  return detail::IcaMeasure<double>::of_columns(columns, settings);
}

}  // namespace mercer

#endif  // MERCER_MODELS_ICA_CONTRAST_HPP
