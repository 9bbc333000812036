// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Errors of several sets of eigenpairs for one matrix, whose norm is computed once.

#ifndef MERCER_METRICS_APPROXIMATION_ERRORS_HPP
#define MERCER_METRICS_APPROXIMATION_ERRORS_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <functional>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/metrics/expansions.hpp>
#include <mercer/metrics/gram_error.hpp>
#include <mercer/operators/centered.hpp>
#include <mercer/operators/gram.hpp>
#include <mercer/operators/symmetric_operator.hpp>

namespace mercer {

/// \f$ |K^{(k)} - K|_F / n \f$ for \f$ K^{(k)} = \sum_{i \le k} \mu_i u_i u_i^T \f$, computed as
/// \f$ |K|_F^2 - 2 \sum_i \mu_i u_i^T K u_i + \sum_{ij} \mu_i \mu_j (u_i^T u_j)^2 \f$. The norm of
/// K is computed once; then each set of eigenpairs costs one product.
///
/// \code
///   const ApproximationErrors errors(kernel, X, {.centered = true});
///   errors.of(vectors, eigenvalues);          // of any method's pairs; u need not be orthonormal
///   errors.lower_bound(exact_eigenvalues);    // the least error of any k pairs
/// \endcode
/// Accuracy: the squares cancel, so errors below about 1e-8 |K|_F / n are noise. For a kernel,
///   gram_error() resolves such errors, also in one pass.
/// Threads: const members may run concurrently. The result does not depend on the number of
///   threads.
/// Source: Zhang et al., Stochastic optimization for kernel PCA, AAAI 2016, experiments.
class ApproximationErrors {
 public:
  /// K is the Gram matrix of the samples, centred if \p params says so.
  /// @param x  n x d samples; the Gram matrix for Precomputed
  /// Cost: one pass over K, two if centred; O(n^2 d) time.
  /// Memory: tiles, and a copy of x.
  /// Throws InvalidArgument for no samples, and for samples or kernel values that are not finite.
  template <KernelOrPrecomputed K, class X>
    requires DenseSamples<X> || SparseSamples<X> ApproximationErrors(const K& kernel, const X& x,
                                                                     GramErrorParams params = {}) {
      require_rows(x.rows());
      using Samples = detail::DoubleSamples<X>;
      const auto samples = std::make_shared<const Samples>(
          detail::evaluable_in_double("ApproximationErrors", kernel, x));
      // The operator refers to the kernel, and the product outlives the caller's.
      const auto owned = std::make_shared<const K>(kernel);
      const auto gram = Gram<Samples>::unchecked(KernelView<Samples>(*owned), samples);
      Vector<double> row_means = Vector<double>::Zero(rows_);
      if (params.centered) {
        const Centered centered(gram);
        row_means = centered.row_means();
        multiply_by(centered, owned);
      } else {
        multiply_by(gram, owned);
      }
      const detail::Eigenpairs none{Matrix<double>(rows_, 0), Vector<double>(0)};
      norm_ = detail::gram_difference_norm(kernel, *samples, none, row_means);
    }

  /// K is any symmetric operator, used without centring.
  /// Cost: n products with one vector each.
  /// Memory: O(n) and a copy of the operator.
  /// Throws InvalidArgument for no rows, and for an operator whose rows are in several processes.
  template <SymmetricOperator A>
  explicit ApproximationErrors(A a) {
    detail::require_one_process("ApproximationErrors", a);
    require_rows(a.rows());
    multiply_by(std::move(a));
    constexpr Index block = 64;
    Matrix<double> columns(rows_, block), products(rows_, block);
    for (Index first = 0; first < rows_; first += block) {
      const Index count = (std::min)(block, rows_ - first);
      columns.leftCols(count).setZero();
      columns.block(first, 0, count, count).setIdentity();
      product_(columns.leftCols(count), products.leftCols(count));
      norm_ = std::hypot(norm_, detail::frobenius_norm<double>(products.leftCols(count)));
    }
  }

  /// |K|_F.
  [[nodiscard]] double norm() const { return norm_; }

  /// |U diag(mu) U^T - K|_F / n.
  /// @param vectors  U, n x k, orthonormal or not
  /// @param values   mu, k
  /// Cost: one product of K with k vectors; O(n^2 (d + k)) time for a kernel.
  /// Memory: O(n k).
  /// Throws InvalidArgument for shapes that do not fit and for values that are not finite.
  template <class U, class Mu>
  [[nodiscard]] double of(const Eigen::MatrixBase<U>& vectors,
                          const Eigen::MatrixBase<Mu>& values) const {
    detail::Eigenpairs pairs =
        detail::checked_eigenpairs("ApproximationErrors::of", rows_, vectors, values);
    return of_pairs<double>(std::move(pairs.vectors), std::move(pairs.values));
  }

  /// The least error that any k pairs can have: (|K|_F^2 - sum_i mu_i^2)^(1/2) / n for the k
  /// eigenvalues mu_i of K that are largest in magnitude.
  /// Throws InvalidArgument for values that are not finite.
  template <class Mu>
  [[nodiscard]] double lower_bound(const Eigen::MatrixBase<Mu>& eigenvalues) const {
    const Matrix<double> mu = eigenvalues.template cast<double>();
    detail::require_finite_entries<double>("ApproximationErrors::lower_bound", mu);
    if (norm_ == 0) return 0;
    return root(1 - (mu / norm_).squaredNorm(), norm_);
  }

 private:
  using Product = std::function<void(const Points<double>&, GramOut<double>)>;

  void require_rows(Index rows) {
    if (rows == 0) detail::fail("mercer::ApproximationErrors: no samples");
    rows_ = rows;
  }

  /// \param owned  what the operator refers to
  template <SymmetricOperator A>
  void multiply_by(A a, std::shared_ptr<const void> owned = nullptr) {
    using S = typename A::Scalar;
    product_ = [a = std::move(a), owned = std::move(owned)](const Points<double>& v,
                                                            GramOut<double> out) {
      if constexpr (std::is_same_v<S, double>) {
        a.apply(v, out);
      } else {
        Matrix<S> product(v.rows(), v.cols());
        a.apply(v.cast<S>(), product);
        out = product.template cast<double>();
      }
    };
  }

  /// Scales the columns to norm 1 and the matrices by the larger of their norms, so that no square
  /// overflows.
  template <std::same_as<double> S>  // a template for the reason given in expansions.hpp
  [[nodiscard]] S of_pairs(Matrix<S> u, Vector<S> mu) const {
    const Vector<S> scales = detail::equilibrate_columns<S>(RowSpace::whole(u.rows()), u);
    mu = mu.cwiseProduct(scales).cwiseProduct(scales);
    const S unit = mu.size() > 0 ? (std::max)(norm_, mu.cwiseAbs().maxCoeff()) : norm_;
    if (unit == 0) return 0;
    mu /= unit;
    Matrix<S> product(u.rows(), u.cols());
    if (u.cols() > 0) product_(u, product);
    const Vector<S> quadratic = column_products(u, product) / unit;
    const Vector<S> squares = inner(u).cwiseAbs2() * mu;
    return root((norm_ / unit) * (norm_ / unit) - 2 * mu.dot(quadratic) + mu.dot(squares), unit);
  }

  [[nodiscard]] double root(double square, double unit) const {
    return unit * std::sqrt((std::max)(square, 0.0)) / static_cast<double>(rows_);
  }

  Index rows_ = 0;
  Product product_;
  double norm_ = 0;
};

}  // namespace mercer

#endif  // MERCER_METRICS_APPROXIMATION_ERRORS_HPP
