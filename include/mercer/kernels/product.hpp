// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The product of a kernel matrix with a block of vectors, without the kernel matrix.

#ifndef MERCER_KERNELS_PRODUCT_HPP
#define MERCER_KERNELS_PRODUCT_HPP

#include <cmath>
#include <string>
#include <string_view>

#include <mercer/core/compiled.hpp>
#include <mercer/core/errors.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel_view.hpp>

namespace mercer {

namespace detail {

/// A block of samples in the stored form To, from a dense or sparse expression.
template <OwnedSamples To, class From>
[[nodiscard]] To to_owned(const From& from) {
  if constexpr (SparseSamples<To> && !SparseSamples<From>)
    return from.sparseView();
  else
    return To(from);
}

/// What is said of a kernel that order-free sums cannot take.
[[noreturn]] inline void fail_above_diagonal(std::string_view who, const std::string& kernel) {
  fail("mercer::", who, ": the kernel ", kernel,
       " has values above the largest k(x, x), which bounds order-free sums; ask for plain sums");
}

/// Throws InvalidArgument for kernel values above the bound of order-free sums.
/// \param largest  exponent of the largest k(x, x)
template <OwnedSamples X, class Derived>
void require_bounded(std::string_view who, const KernelView<X>& kernel,
                     const Eigen::MatrixBase<Derived>& values, int largest) {
  if (values.size() > 0 &&
      !(static_cast<double>(values.cwiseAbs().maxCoeff()) <= std::ldexp(1.0, largest)))
    fail_above_diagonal(who, kernel.describe());
}

/// In a class, as BlockDistances.
template <OwnedSamples X>
struct KernelProduct {
  using S = typename X::Scalar;

  /// sum += K(Q, X) V for a few rows of Q in stored form, on the calling thread.
  static void add(const KernelView<X>& kernel, const X& q, const PreparedSamples<X>& x,
                  const Points<S>& v, GramOut<S> sum);
};

template <OwnedSamples X>
void KernelProduct<X>::add(const KernelView<X>& kernel, const X& q, const PreparedSamples<X>& x,
                           const Points<S>& v, GramOut<S> sum) {
  const Index n = x.samples->rows();
  const PreparedSamples<X> rows = kernel.prepare(q, x);
  Matrix<S> tile(q.rows(), tile_size);
  for (Index j = 0; j < tile_count(n); ++j) {
    const auto cols = Range::tile(j, n);
    kernel.fill(rows, {0, q.rows()}, x, cols, tile.leftCols(cols.size));
    multiply_add<S>(tile.leftCols(cols.size), v.middleRows(cols.begin, cols.size), sum);
  }
}

}  // namespace detail

/// out = K(Q, X) V, where K(Q, X)(i, j) = k(q_i, x_j). Each tile of K is evaluated, multiplied and
/// discarded.
/// Shapes: q is rows x d, in any dense or (row-major) sparse form; x is n x d, v is n x b, out is
///   rows x b.
/// Cost: O(rows n (d + b)) time.
/// Memory: beyond the arguments, a few tiles per thread for any number of rows.
/// Threads: over blocks of rows of q. Tiles are summed in the order of x, so the result does not
///   depend on the number of threads.
template <class Q, OwnedSamples X>
void kernel_product(const std::type_identity_t<KernelView<X>>& kernel, const Q& q, const X& x,
                    const Points<typename X::Scalar>& v, GramOut<typename X::Scalar> out) {
  if (v.cols() == 0) return;
  const PreparedSamples<X> prepared = kernel.prepare(x);
  parallel_for(detail::tile_count(q.rows()), [&](Index task) {
    const auto rows = detail::Range::tile(task, q.rows());
    const Index begin = q.cols() == 0 ? 0 : rows.begin;  // as in rows_of
    const X block = detail::to_owned<X>(q.middleRows(begin, rows.size));
    Matrix<typename X::Scalar> sum = Matrix<typename X::Scalar>::Zero(rows.size, v.cols());
    detail::KernelProduct<X>::add(kernel, block, prepared, v, sum);
    out.middleRows(rows.begin, rows.size) = sum;
  });
}

#define MERCER_PRODUCT(X) MERCER_INSTANTIATE_OPERATORS(struct detail::KernelProduct<X>)
MERCER_FOR_SAMPLES(MERCER_PRODUCT)
#undef MERCER_PRODUCT

}  // namespace mercer

#endif  // MERCER_KERNELS_PRODUCT_HPP
