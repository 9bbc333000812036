// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Functions on the input space, expanded over kernel values with points.

#ifndef MERCER_MODELS_KERNEL_FUNCTIONS_HPP
#define MERCER_MODELS_KERNEL_FUNCTIONS_HPP

#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/product.hpp>

namespace mercer {

namespace detail {

/// Throws InvalidArgument for samples at which a function of this kernel has no value.
template <KernelOrPrecomputed K, class Q>
void require_new_samples(std::string_view who, const K& kernel, const Q& q) {
  require_finite_samples(who, q);
  check_domain(kernel, q);
}

/// K(Q, P) W for new samples Q, dense or sparse, and the points P.
/// Throws InvalidArgument for another dimension, for non-finite samples, and for samples outside
///   the kernel's domain.
template <KernelOrPrecomputed K, OwnedSamples X, class Q>
[[nodiscard]] Matrix<typename X::Scalar> expand(std::string_view who, const K& kernel,
                                                const X& points, const Q& q,
                                                const Matrix<typename X::Scalar>& weights) {
  using S = typename X::Scalar;
  static_assert(std::same_as<typename Q::Scalar, S>,
                "mercer: new samples must have the scalar of the training samples");
  if (q.cols() != points.cols())
    fail("mercer::", who, ": new samples have ", q.cols(), " columns, the training samples ",
         points.cols());
  Matrix<S> out(q.rows(), weights.cols());
  if constexpr (SparseSamples<Q>) {
    const SparseMatrix<S> rows = q;
    require_new_samples(who, kernel, rows);
    kernel_product(kernel, rows, points, weights, out);
  } else {
    require_new_samples(who, kernel, q);
    kernel_product(kernel, q, points, weights, out);
  }
  return out;
}

}  // namespace detail

/// k functions of a sample: f_i(x) = sum_j A_ji k(x, p_j) - offset_i, over m points p_j. For
/// Precomputed, a sample is its row of kernel values with the points. Immutable.
/// Lifetime: owns its points; copies share them.
/// Threads: const members may run concurrently.
template <KernelOrPrecomputed K, OwnedSamples X>
class KernelFunctions {
 public:
  using Scalar = typename X::Scalar;

  /// \param points        p_j, m x d
  /// \param coefficients  A, m x k
  /// \param offset        k values
  /// Throws InvalidArgument for parts whose shapes do not fit together, values that are not finite,
  ///   and points outside the kernel's domain.
  KernelFunctions(K kernel, std::shared_ptr<const X> points, Matrix<Scalar> coefficients,
                  Vector<Scalar> offset)
      : kernel_(std::move(kernel)),
        points_(std::move(points)),
        coefficients_(std::move(coefficients)),
        offset_(std::move(offset)) {
    constexpr std::string_view who = "KernelFunctions";
    if (!points_) detail::fail("mercer::", who, ": there are no points");
    detail::require_matrix(who, "coefficients", coefficients_, points_->rows(), size());
    detail::require_matrix(who, "offset", offset_, size(), 1);
    detail::require_new_samples(who, kernel_, *points_);
  }

  /// The number of functions, k.
  [[nodiscard]] Index size() const { return offset_.size(); }
  /// The dimension d of the samples.
  [[nodiscard]] Index dimension() const { return points_->cols(); }

  [[nodiscard]] const K& kernel() const { return kernel_; }
  [[nodiscard]] const X& points() const { return *points_; }
  [[nodiscard]] const Matrix<Scalar>& coefficients() const { return coefficients_; }
  [[nodiscard]] const Vector<Scalar>& offset() const { return offset_; }

  /// The functions at the rows of \p q, dense or sparse: q x k values.
  /// Cost: O(q m (d + k)).
  /// Memory: a few tiles per thread beside the result, for any number of rows.
  /// Throws InvalidArgument for another dimension, for non-finite samples, and for samples outside
  ///   the kernel's domain.
  template <class Q>
  [[nodiscard]] Matrix<Scalar> transform(const Q& q) const {
    Matrix<Scalar> values =
        detail::expand("KernelFunctions::transform", kernel_, *points_, q, coefficients_);
    values.rowwise() -= offset_.transpose();
    return values;
  }

 private:
  K kernel_;
  std::shared_ptr<const X> points_;
  Matrix<Scalar> coefficients_;
  Vector<Scalar> offset_;
};

}  // namespace mercer

#endif  // MERCER_MODELS_KERNEL_FUNCTIONS_HPP
