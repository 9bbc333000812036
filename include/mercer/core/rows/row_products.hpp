// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Inner products, means and norms of blocks of n rows and few columns.
///
/// Rows are processed in fixed blocks, and the contributions of the blocks are added in order. So
/// results have the same bits for any number of threads. Functions with a RowSpace take the rows of
/// this process, and are collective: all processes get the result for all rows.

#ifndef MERCER_CORE_ROWS_ROW_PRODUCTS_HPP
#define MERCER_CORE_ROWS_ROW_PRODUCTS_HPP

#include <algorithm>
#include <cmath>

#include <mercer/core/compiled.hpp>
#include <mercer/core/errors.hpp>
#include <mercer/core/rows/row_blocks.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/rows/row_sums.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

namespace detail {

// The bodies of the functions below. They are compiled once for all forms that a block may have.

template <Real S>
[[nodiscard]] Matrix<S> block_inner(const RowSpace& rows, const Points<S>& a, const Points<S>& b) {
  if (a.rows() != b.rows()) fail("mercer::inner: blocks of ", a.rows(), " and ", b.rows(), " rows");
  return sum_over_rows<S>(
      rows, a.cols(), b.cols(),
      [&](Index first, Index size) -> Matrix<S> {
        Matrix<S> products = Matrix<S>::Zero(a.cols(), b.cols());
        add_inner_products<S>(a.middleRows(first, size), b.middleRows(first, size), products);
        return products;
      },
      [&] {
        return product_bounds(rows.total(), column_exponents<S>(rows, a),
                              column_exponents<S>(rows, b));
      });
}

/// A^T A of some rows, computed above the diagonal and copied below it.
template <Real S>
[[nodiscard]] Matrix<S> inner_with_itself(const Points<S>& a) {
  constexpr Index least_width = 64;  // of a panel of columns: narrower products are slow
  const Index cols = a.cols(), panels = (std::max)(Index{1}, cols / least_width);
  Matrix<S> products = Matrix<S>::Zero(cols, cols);
  for (Index p = 0; p < panels; ++p) {
    const Index begin = p * cols / panels, end = (p + 1) * cols / panels;
    add_inner_products<S>(a.leftCols(end), a.middleCols(begin, end - begin),
                          products.block(0, begin, end, end - begin));
  }
  products.template triangularView<Eigen::StrictlyLower>() = products.transpose();
  return products;
}

template <Real S>
[[nodiscard]] Matrix<S> block_inner(const RowSpace& rows, const Points<S>& a) {
  return sum_over_rows<S>(
      rows, a.cols(), a.cols(),
      [&](Index first, Index size) { return inner_with_itself<S>(a.middleRows(first, size)); },
      [&] {
        const Eigen::VectorXi exponents = column_exponents<S>(rows, a);
        return product_bounds(rows.total(), exponents, exponents);
      });
}

template <Real S>
void add_block_product(const RowSpace& rows, S factor, const Points<S>& a, const Matrix<S>& w,
                       GramOut<S> out) {
  if (a.cols() != w.rows() || out.rows() != a.rows() || out.cols() != w.cols())
    fail("mercer::add_product: ", a.rows(), " x ", a.cols(), " times ", w.rows(), " x ", w.cols(),
         " into ", out.rows(), " x ", out.cols());
  if (w.size() == 0) return;
  const Matrix<S> scaled = factor * w;  // exact for the factors 1 and -1
  for_local_blocks(rows, [&](Index first, Index size) {
    multiply_add<S>(a.middleRows(first, size), scaled, out.middleRows(first, size));
  });
}

template <Real S>
[[nodiscard]] Vector<S> block_sums(const RowSpace& rows, const Points<S>& a) {
  return sum_over_rows<S>(
      rows, a.cols(), 1,
      [&](Index first, Index size) -> Matrix<S> {
        // A copy: the order of Eigen's sum depends on the address of the first row.
        const Matrix<S> block = a.middleRows(first, size);
        return block.colwise().sum().transpose();
      },
      [&]() -> Eigen::MatrixXi {
        return column_exponents<S>(rows, a).array() + exponent_of_count(rows.total());
      });
}

template <Real S>
[[nodiscard]] Vector<S> block_column_products(const RowSpace& rows, const Points<S>& a,
                                              const Points<S>& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols())
    fail("mercer::column_products: blocks of ", a.rows(), " x ", a.cols(), " and ", b.rows(), " x ",
         b.cols());
  return sum_over_rows<S>(
      rows, a.cols(), 1,
      [&](Index first, Index size) -> Matrix<S> {
        const Matrix<S> products =
            a.middleRows(first, size).cwiseProduct(b.middleRows(first, size));
        return products.colwise().sum().transpose();
      },
      [&]() -> Eigen::MatrixXi {
        return (column_exponents<S>(rows, a) + column_exponents<S>(rows, b)).array() +
               exponent_of_count(rows.total());
      });
}

/// Norms of columns, also if their squares overflow or underflow.
template <Real S>
[[nodiscard]] Vector<S> column_norms(const RowSpace& rows, const Points<S>& a) {
  Vector<S> norms(a.cols());
  if (!rows.is_spread()) {
    const auto norm = [&](Index j) { norms(j) = a.rows() > 0 ? a.col(j).stableNorm() : S(0); };
    if (a.rows() > row_block) {
      parallel_for(a.cols(), norm);
    } else {
      for (Index j = 0; j < a.cols(); ++j) norm(j);
    }
    return norms;
  }
  const Eigen::VectorXi exponents = column_exponents<S>(rows, a);
  Matrix<S> scaled = a;
  for (Index j = 0; j < a.cols(); ++j)
    if (exponents(j) > Exponent::zero && exponents(j) < Exponent::infinite)
      scaled.col(j) = a.col(j).unaryExpr([&](S x) { return std::ldexp(x, -exponents(j)); });
  norms = block_column_products<S>(rows, scaled, scaled).cwiseSqrt();
  for (Index j = 0; j < a.cols(); ++j)
    if (exponents(j) > Exponent::zero && exponents(j) < Exponent::infinite)
      norms(j) = std::ldexp(norms(j), exponents(j));
  return norms;
}

template <Real S>
[[nodiscard]] Vector<S> column_norms(const Matrix<S>& a) {
  return column_norms<S>(RowSpace::whole(a.rows()), a);
}

}  // namespace detail

/// A^T B, over all rows.
/// Shapes: n x k and n x l to k x l.
/// Cost: O(n k l) time.
/// Memory: O(k l).
template <class A, class B>
[[nodiscard]] Matrix<typename A::Scalar> inner(const RowSpace& rows, const Eigen::MatrixBase<A>& a,
                                               const Eigen::MatrixBase<B>& b) {
  return detail::block_inner<typename A::Scalar>(rows, a.derived(), b.derived());
}
/// The same for all rows in one process.
template <class A, class B>
[[nodiscard]] Matrix<typename A::Scalar> inner(const Eigen::MatrixBase<A>& a,
                                               const Eigen::MatrixBase<B>& b) {
  return inner(RowSpace::whole(a.rows()), a, b);
}

/// A^T A, over all rows: symmetric to the last bit.
/// Shapes: n x k to k x k.
/// Cost: O(n k^2) time, about half that of inner(rows, a, a) for many columns.
/// Memory: O(k^2).
template <class A>
[[nodiscard]] Matrix<typename A::Scalar> inner(const RowSpace& rows,
                                               const Eigen::MatrixBase<A>& a) {
  return detail::block_inner<typename A::Scalar>(rows, a.derived());
}
/// The same for all rows in one process.
template <class A>
[[nodiscard]] Matrix<typename A::Scalar> inner(const Eigen::MatrixBase<A>& a) {
  return inner(RowSpace::whole(a.rows()), a);
}

/// out += factor A W, for a small W. \p out must not be part of \p a.
/// Shapes: n x k and k x l to n x l.
/// Cost: O(n k l) time.
/// Memory: none.
template <class A, Real S>
void add_product(const RowSpace& rows, S factor, const Eigen::MatrixBase<A>& a, const Matrix<S>& w,
                 Matrix<S>& out) {
  detail::add_block_product<S>(rows, factor, a.derived(), w, out);
}
/// The same for all rows in one process.
template <class A, Real S>
void add_product(S factor, const Eigen::MatrixBase<A>& a, const Matrix<S>& w, Matrix<S>& out) {
  add_product(RowSpace::whole(a.rows()), factor, a, w, out);
}

/// A W, for a small W; see add_product.
template <class A>
[[nodiscard]] Matrix<typename A::Scalar> multiply(const RowSpace& rows,
                                                  const Eigen::MatrixBase<A>& a,
                                                  const Matrix<typename A::Scalar>& w) {
  using S = typename A::Scalar;
  Matrix<S> out = Matrix<S>::Zero(a.rows(), w.cols());
  add_product(rows, S(1), a, w, out);
  return out;
}
/// The same for all rows in one process.
template <class A>
[[nodiscard]] Matrix<typename A::Scalar> multiply(const Eigen::MatrixBase<A>& a,
                                                  const Matrix<typename A::Scalar>& w) {
  return multiply(RowSpace::whole(a.rows()), a, w);
}

/// The mean of every column over all rows; zero if there are no rows.
template <class A>
[[nodiscard]] Vector<typename A::Scalar> column_means(const RowSpace& rows,
                                                      const Eigen::MatrixBase<A>& a) {
  using S = typename A::Scalar;
  return detail::block_sums<S>(rows, a.derived()) /
         static_cast<S>((std::max)(rows.total(), Index{1}));
}
/// The same for all rows in one process.
template <class A>
[[nodiscard]] Vector<typename A::Scalar> column_means(const Eigen::MatrixBase<A>& a) {
  return column_means(RowSpace::whole(a.rows()), a);
}

/// The mean of every column with the weights of the rows, a^T p.
/// \param weights  p of the rows of this process, with the sum 1 over all rows; null, on all
///   processes: 1/n each
template <class A>
[[nodiscard]] Vector<typename A::Scalar> column_means(const RowSpace& rows,
                                                      const Vector<typename A::Scalar>* weights,
                                                      const Eigen::MatrixBase<A>& a) {
  if (weights == nullptr) return column_means(rows, a);
  return inner(rows, a, *weights);
}

/// The inner product of every column of \p a with the same column of \p b.
template <class A, class B>
[[nodiscard]] Vector<typename A::Scalar> column_products(const Eigen::MatrixBase<A>& a,
                                                         const Eigen::MatrixBase<B>& b) {
  return detail::block_column_products<typename A::Scalar>(RowSpace::whole(a.rows()), a.derived(),
                                                           b.derived());
}

/// Subtracts the column means over all rows in place (a <- J a, J = I - 1 p^T) and returns them.
/// \param weights  p of the rows of this process, with the sum 1 over all rows; null, on all
///   processes: 1/n each
template <Real S>
Vector<S> centre_columns(const RowSpace& rows, const Vector<S>* weights, GramOut<S> a) {
  Vector<S> means = column_means(rows, weights, a);
  if (a.size() == 0) return means;
  detail::for_row_blocks(a.rows(), [&](Index, Index first, Index size) {
    a.middleRows(first, size).rowwise() -= means.transpose();
  });
  return means;
}
/// The same for rows without weights.
template <Real S>
Vector<S> centre_columns(const RowSpace& rows, GramOut<S> a) {
  return centre_columns<S>(rows, nullptr, a);
}
/// The same for all rows in one process.
template <Real S>
Vector<S> centre_columns(Matrix<S>& a) {
  return centre_columns<S>(RowSpace::whole(a.rows()), a);
}

#define MERCER_ROW_PRODUCTS(S)                                                                    \
  MERCER_INSTANTIATE_CORE(Vector<S> detail::block_sums<S>(const RowSpace&, const Points<S>&))     \
  MERCER_INSTANTIATE_CORE(Vector<S> detail::column_norms<S>(const RowSpace&, const Points<S>&))   \
  MERCER_INSTANTIATE_CORE(                                                                        \
      Matrix<S> detail::block_inner<S>(const RowSpace&, const Points<S>&, const Points<S>&))      \
  MERCER_INSTANTIATE_CORE(Matrix<S> detail::block_inner<S>(const RowSpace&, const Points<S>&))    \
  MERCER_INSTANTIATE_CORE(Vector<S> detail::block_column_products<S>(                             \
      const RowSpace&, const Points<S>&, const Points<S>&))                                       \
  MERCER_INSTANTIATE_CORE(void detail::add_block_product<S>(const RowSpace&, S, const Points<S>&, \
                                                            const Matrix<S>&, GramOut<S>))
MERCER_FOR_SCALARS(MERCER_ROW_PRODUCTS)
#undef MERCER_ROW_PRODUCTS

}  // namespace mercer

#endif  // MERCER_CORE_ROWS_ROW_PRODUCTS_HPP
