// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Blocks of inner products and of sums over coordinates: the inner loops of every kernel.

#ifndef MERCER_KERNELS_BLOCKS_HPP
#define MERCER_KERNELS_BLOCKS_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <mercer/core/compiled.hpp>
#include <mercer/core/errors.hpp>
#include <mercer/core/machine/instruction_sets.hpp>
#include <mercer/core/math/chunks.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel.hpp>

namespace mercer::detail {

/// One contiguous column of a Gram block, for transformation in place.
template <Real S>
using Values = Eigen::Map<Eigen::Array<S, Eigen::Dynamic, 1>>;

template <Real S>
[[nodiscard]] Values<S> column_values(GramOut<S>& block, Index j) {
  return {block.data() + j * block.outerStride(), block.rows()};
}

/// What remains of |x|^2 + |y|^2 in a squared distance of which 7 leading bits cancelled.
template <Real S>
inline constexpr S kept_share = S(1) / 128;

/// out = X Y^T.
template <Real S>
void multiply_transposed(const Points<S>& x, const Points<S>& y, GramOut<S> out) {
  const auto* loops = inner_loops<S>();
  if (loops && loops->multiply_transposed && is_matrix_product(x.rows(), y.rows(), x.cols()))
    loops->multiply_transposed(plain_block<S>(x), plain_block<S>(y), plain_block<S>(out));
  else
    out.noalias() = x * y.transpose();
}

/// out(i, j) = x_i . y_j by one matrix product.
template <DenseSamples X, DenseSamples Y>
void inner_products(const X& x, const Y& y, GramOut<typename X::Scalar> out) {
  multiply_transposed<typename X::Scalar>(x, y, out);
}

/// out(i, j) = x_i . y_j for sparse rows. The rows of y are turned into columns once. So each
/// nonzero of x meets only the rows of y that share its coordinate.
/// Cost: O(nnz(x) + nnz(y) + d + number of pairs of nonzeros that meet).
template <SparseSamples X, SparseSamples Y>
void inner_products(const X& x, const Y& y, GramOut<typename X::Scalar> out) {
  using S = typename X::Scalar;
  const Eigen::SparseMatrix<S, Eigen::ColMajor> by_coordinate(y);
  RowMajorMatrix<S> products = RowMajorMatrix<S>::Zero(x.rows(), y.rows());
  for (Index i = 0; i < x.rows(); ++i) {
    S* row = products.data() + i * y.rows();
    for (typename X::InnerIterator a(x, i); a; ++a)
      for (typename Eigen::SparseMatrix<S>::InnerIterator b(by_coordinate, a.col()); b; ++b)
        row[b.row()] += a.value() * b.value();
  }
  out = products;
}

template <DenseSamples X>
[[nodiscard]] Vector<typename X::Scalar> squared_norms(const X& x) {
  return x.rowwise().squaredNorm();
}

template <SparseSamples X>
[[nodiscard]] Vector<typename X::Scalar> squared_norms(const X& x) {
  Vector<typename X::Scalar> norms(x.rows());
  for (Index i = 0; i < x.rows(); ++i) norms(i) = x.row(i).squaredNorm();
  return norms;
}

/// The entries of row i: all of a dense one, those that are stored of a sparse one.
template <DenseSamples X, Real S = typename X::Scalar>
[[nodiscard]] Vector<S> row_entries(const X& x, Index i) {
  return x.row(i).transpose();
}

template <SparseSamples X, Real S = typename X::Scalar>
[[nodiscard]] Vector<S> row_entries(const X& x, Index i) {
  Vector<S> entries(x.innerVector(i).nonZeros());
  Index count = 0;
  for (typename X::InnerIterator entry(x, i); entry; ++entry) entries(count++) = entry.value();
  return entries;
}

/// out(i, j) = reduction over the coordinates c by step(accumulator, x_ic, y_jc). It starts from
/// \p start. A chunk of samples of x, one per vector lane, is combined with four samples of y at a
/// time. All accumulators stay in registers.
/// Cost: n m d steps.
/// Memory: one transposed copy of y.
template <Real S, class Step>
void reduce_coordinates(const Points<S>& x, const Points<S>& y, S start, const Step& step,
                        GramOut<S> out) {
  constexpr Index lanes = 128 / Index{sizeof(S)};
  constexpr Index width = 4;
  using Chunk = Eigen::Array<S, lanes, 1>;
  const Index d = x.cols(), n = x.rows(), m = y.rows();
  if (d == 0) {
    out.setConstant(start);
    return;
  }
  const Matrix<S> y_by_sample = y.transpose();
  Matrix<S> x_chunk(lanes, d);
  for (Index i = 0; i < n; i += lanes) {
    const Index used = (std::min)(lanes, n - i);
    x_chunk.topRows(used) = x.middleRows(i, used);
    if (used < lanes) x_chunk.bottomRows(lanes - used).rowwise() = x.row(i);
    for (Index j = 0; j < m; j += width) {
      std::array<const S*, width> y_rows;
      for (Index q = 0; q < width; ++q)
        y_rows[static_cast<std::size_t>(q)] = y_by_sample.data() + (std::min)(j + q, m - 1) * d;
      Chunk a0 = Chunk::Constant(start), a1 = a0, a2 = a0, a3 = a0;
      for (Index c = 0; c < d; ++c) {
        const Chunk xc = Eigen::Map<const Chunk>(x_chunk.data() + c * lanes);
        step(a0, xc, y_rows[0][c]);
        step(a1, xc, y_rows[1][c]);
        step(a2, xc, y_rows[2][c]);
        step(a3, xc, y_rows[3][c]);
      }
      const std::array<const Chunk*, width> sums{&a0, &a1, &a2, &a3};
      for (Index q = 0; q < (std::min)(width, m - j); ++q)
        out.col(j + q).segment(i, used) = sums[static_cast<std::size_t>(q)]->head(used).matrix();
    }
  }
}

/// out(i, j) = |x_i - y_j|^2, by differences.
template <Real S>
void sum_squared_differences(const Points<S>& x, const Points<S>& y, GramOut<S> out) {
  if (const auto* loops = inner_loops<S>())
    return loops->sum_squared_differences(plain_block<S>(x), plain_block<S>(y),
                                          plain_block<S>(out));
  reduce_coordinates<S>(
      x, y, S(0), [](auto& sum, const auto& a, S b) { sum += (a - b).square(); }, out);
}

/// Turns inner products with one sample into squared distances: norms(i) + norm - twice
/// products(i). Returns false if more than 7 leading bits of one of them cancelled. All numbers
/// must be finite, and there must be one; else the answer means nothing.
template <Real S>
[[nodiscard]] bool distances_to_one(const S* norms, S norm, S twice, Values<S> products) {
  if (const auto* loops = inner_loops<S>())
    return loops->distances_to_one(norms, norm, twice, products.data(), products.size());
  const Eigen::Map<const Eigen::Array<S, Eigen::Dynamic, 1>> all_norms(norms, products.size());
  products = (all_norms + norm) - twice * products;
  return (products - kept_share<S> * (all_norms + norm)).minCoeff() > 0;
}

/// The logarithms of the smallest normal and of the largest number. Between them, Eigen's
/// exponential of many numbers is that of the standard library, to rounding.
template <Real S>
inline constexpr S least_exponent = sizeof(S) == 4 ? S(-87.33654475) : S(-708.39641853226408);
template <Real S>
inline constexpr S largest_exponent = sizeof(S) == 4 ? S(88.72283905) : S(709.78271289338397);

/// values(i) = exp(factor values(i)), with bits that do not depend on the place of a value. Below
/// the smallest normal number it is 0, and above the largest one it is infinite.
template <Real S>
void exponentials(S factor, Values<S> values) {
  if (const auto* loops = inner_loops<S>())
    return loops->exponentials(factor, values.data(), values.size());
  apply_in_chunks(values.data(), values.size(), [factor]<class Chunk>(const Chunk& v) -> Chunk {
    const Chunk t = factor * v;
    Chunk e = t.exp();
    if (t.minCoeff() < least_exponent<S> || t.maxCoeff() > largest_exponent<S>)
      for (Index i = 0; i < e.size(); ++i) {
        if (t(i) < least_exponent<S>) e(i) = 0;
        if (t(i) > largest_exponent<S>) e(i) = std::numeric_limits<S>::infinity();
      }
    return e;
  });
}

/// Throws InvalidArgument unless every entry is at least zero. The message names row, column (from
///   0) and value.
template <class X>
void require_non_negative(std::string_view who, const X& x) {
  for (Index outer = 0; outer < x.outerSize(); ++outer)
    for (typename X::InnerIterator entry(x, outer); entry; ++entry)
      if (!(entry.value() >= 0))
        fail("mercer::", who, ": samples must be non-negative, got ", entry.value(), " at row ",
             entry.row(), ", column ", entry.col(), " (counted from 0)");
}

#define MERCER_BLOCKS(S)                                                               \
  MERCER_INSTANTIATE_KERNELS(                                                          \
      void multiply_transposed<S>(const Points<S>&, const Points<S>&, GramOut<S>))     \
  MERCER_INSTANTIATE_KERNELS(                                                          \
      void sum_squared_differences<S>(const Points<S>&, const Points<S>&, GramOut<S>)) \
  MERCER_INSTANTIATE_KERNELS(bool distances_to_one<S>(const S*, S, S, Values<S>))      \
  MERCER_INSTANTIATE_KERNELS(void exponentials<S>(S, Values<S>))
MERCER_FOR_TILE_SCALARS(MERCER_BLOCKS)
#undef MERCER_BLOCKS

}  // namespace mercer::detail

#endif  // MERCER_KERNELS_BLOCKS_HPP
