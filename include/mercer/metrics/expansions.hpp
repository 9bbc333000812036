// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Expansions sum_j a_j phi(x_j) in feature space: inner products and orthonormal bases. The kernel
/// matrix is computed in tiles, and everything is in double precision.

#ifndef MERCER_METRICS_EXPANSIONS_HPP
#define MERCER_METRICS_EXPANSIONS_HPP

#include <cmath>
#include <concepts>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel.hpp>
#include <mercer/kernels/precomputed.hpp>
#include <mercer/kernels/product.hpp>

namespace mercer {

namespace detail {

/// Samples as the metrics use them: double precision, stored as mercer stores them.
template <class X>
using DoubleSamples = std::conditional_t<SparseSamples<X>, SparseMatrix<double>, Matrix<double>>;

/// The samples themselves if they already have that form, otherwise a copy.
template <class X>
[[nodiscard]] decltype(auto) in_double(const X& x) {
  if constexpr (std::same_as<X, DoubleSamples<X>>)
    return (x);
  else
    return DoubleSamples<X>(x.template cast<double>());
}

/// K(x, y) B.
template <class K, OwnedSamples X>
[[nodiscard]] Matrix<double> kernel_times(const K& kernel, const X& x, const X& y,
                                          const Matrix<double>& b) {
  Matrix<double> out(x.rows(), b.cols());
  if (b.cols() > 0) kernel_product(kernel, x, y, b, out);
  return out;
}

/// in_double() of samples on which the kernel can be evaluated. A given matrix is checked in its
/// own precision, which is what its rounding errors are of.
/// Throws InvalidArgument unless the kernel can be evaluated on the samples.
template <class K, class X>
[[nodiscard]] decltype(auto) evaluable_in_double(std::string_view who, const K& kernel,
                                                 const X& x) {
  if constexpr (std::same_as<K, Precomputed>) {
    const OwnedSamplesOf<X>& given = x;
    Precomputed::check_gram(given, who);
    return in_double(x);
  } else {
    decltype(auto) samples = in_double(x);
    require_finite_samples(who, samples);
    check_domain(kernel, samples);
    return samples;
  }
}

/// The coefficients in double precision.
/// Throws InvalidArgument unless there is one row per sample and all values are finite.
template <class A>
[[nodiscard]] Matrix<double> checked_coefficients(std::string_view who, Index samples,
                                                  const Eigen::MatrixBase<A>& a) {
  if (a.rows() != samples)
    fail("mercer::", who, ": coefficients are ", a.rows(), " x ", a.cols(), " for ", samples,
         " samples");
  Matrix<double> coefficients = a.template cast<double>();
  require_finite_entries(who, coefficients);
  return coefficients;
}

template <class X, class Y>
void require_same_dimension(std::string_view who, const X& x, const Y& y) {
  if (x.cols() != y.cols())
    fail("mercer::", who, ": samples have dimensions ", x.cols(), " and ", y.cols());
}

/// Functions sum_j C_js phi(x_j) with C^T K C = I, and their values K C at the samples.
struct OrthonormalExpansion {
  Matrix<double> coefficients;
  Matrix<double> values;
};

// The following functions are templates, though only double is used: programs that do not call them
// need not compile the decompositions.

/// W with W^T G W = I, from the eigenvectors of a symmetric G with eigenvalues above \p cut.
template <Real S>
[[nodiscard]] Matrix<S> whitening(const Matrix<S>& g, S cut) {
  const EigenSystem<S> eigen = symmetric_eigensystem<S>((g + g.transpose()) / 2);
  const Index rank = (eigen.values.array() > cut).count();
  return eigen.vectors.leftCols(rank) *
         eigen.values.head(rank).cwiseSqrt().cwiseInverse().asDiagonal();
}

/// Scales the functions to norm 1. Functions of norm 0 become 0.
template <std::same_as<OrthonormalExpansion> F>
void normalize_functions(F& f) {
  const Vector<double> squares = f.coefficients.cwiseProduct(f.values).colwise().sum();
  for (Index j = 0; j < squares.size(); ++j) {
    const double factor = squares(j) > 0 ? 1 / std::sqrt(squares(j)) : 0;
    f.coefficients.col(j) *= factor;
    f.values.col(j) *= factor;
  }
}

/// Orthonormal bases in feature space for several blocks of expansions over the same samples, one
/// basis for the span of each block.
///
/// There are two rounds of whitening. Each makes one pass over K for all blocks together. The
/// second round removes the rounding errors of the first, as in Cholesky QR. The first round may
/// keep a direction that is only rounding error. In the second round its length is far below 1, and
/// it is cut off. So the bases have the numerical rank.
template <class K, OwnedSamples X>
[[nodiscard]] std::vector<OrthonormalExpansion> orthonormal_expansions(
    const K& kernel, const X& x, std::vector<Matrix<double>> blocks) {
  std::vector<OrthonormalExpansion> bases(blocks.size());
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    static_cast<void>(equilibrate_columns<double>(RowSpace::whole(blocks[b].rows()), blocks[b]));
    bases[b].coefficients = std::move(blocks[b]);
  }
  const double noise = rounding_level<double>(x.rows());
  for (const bool first : {true, false}) {
    Index columns = 0;
    for (const auto& f : bases) columns += f.coefficients.cols();
    Matrix<double> all(x.rows(), columns);
    columns = 0;
    for (const auto& f : bases) {
      all.middleCols(columns, f.coefficients.cols()) = f.coefficients;
      columns += f.coefficients.cols();
    }
    all = kernel_times(kernel, x, x, all);
    columns = 0;
    for (auto& f : bases) {
      f.values = all.middleCols(columns, f.coefficients.cols());
      columns += f.coefficients.cols();
      if (first) normalize_functions(f);
      const Matrix<double> w = whitening(inner(f.coefficients, f.values), first ? noise : 0.5);
      f.coefficients = multiply(f.coefficients, w);
      f.values = multiply(f.values, w);
    }
  }
  return bases;
}

}  // namespace detail

/// Inner products in feature space of two blocks of expansions over different samples,
/// \f$ A^T K(x, y) B \f$. Entry (s, t) is the inner product of sum_j A_js phi(x_j) and sum_j B_jt
/// phi(y_j).
/// Shapes: A is n x s, B is m x t.
/// Cost: O(n m (d + t)) time.
/// Memory: no n x m matrix is formed.
/// Throws InvalidArgument for shapes that do not fit and for values that are not finite.
template <Kernel K, class X, class A, class Y, class B>
[[nodiscard]] Matrix<double> rkhs_inner(const K& kernel, const X& x, const Eigen::MatrixBase<A>& a,
                                        const Y& y, const Eigen::MatrixBase<B>& b) {
  constexpr std::string_view who = "rkhs_inner";
  detail::require_same_dimension(who, x, y);
  const auto& left = detail::evaluable_in_double(who, kernel, x);
  const auto& right = detail::evaluable_in_double(who, kernel, y);
  const Matrix<double> a_checked = detail::checked_coefficients(who, left.rows(), a);
  return inner(a_checked, detail::kernel_times(kernel, left, right,
                                               detail::checked_coefficients(who, right.rows(), b)));
}

/// The same for expansions over one set of samples: \f$ A^T K B \f$. The squared norm of an
/// expansion is rkhs_inner(kernel, x, a, a). For the squared distance of two expansions, use a - b
/// in place of a. With Precomputed, x is the Gram matrix.
template <KernelOrPrecomputed K, class X, class A, class B>
[[nodiscard]] Matrix<double> rkhs_inner(const K& kernel, const X& x, const Eigen::MatrixBase<A>& a,
                                        const Eigen::MatrixBase<B>& b) {
  constexpr std::string_view who = "rkhs_inner";
  const auto& samples = detail::evaluable_in_double(who, kernel, x);
  const Matrix<double> a_checked = detail::checked_coefficients(who, samples.rows(), a);
  return inner(a_checked,
               detail::kernel_times(kernel, samples, samples,
                                    detail::checked_coefficients(who, samples.rows(), b)));
}

}  // namespace mercer

#endif  // MERCER_METRICS_EXPANSIONS_HPP
