// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The inner loops for one instruction set. The file that includes this one is compiled with the
/// flags of that set, and says how its functions are called: MERCER_INSTRUCTIONS(name).
///
/// Programs with these loops also run on processors without the instructions. So no function that
/// is compiled here may take the place of one of the same name in another file, as inline functions
/// and templates can. Therefore mercer and Eigen have other names here. Of the standard library,
/// nothing is used that would remain in the object file; a test looks for it.

#ifndef MERCER_CMAKE_COMPILED_INSTRUCTION_SETS_INNER_LOOPS_HPP
#define MERCER_CMAKE_COMPILED_INSTRUCTION_SETS_INNER_LOOPS_HPP

#include <cstddef>

#include <mercer/core/machine/inner_loops.hpp>

#if defined(EIGEN_USE_BLAS)
#define MERCER_PRODUCTS_BY_BLAS
#endif
#undef EIGEN_USE_BLAS
#undef EIGEN_USE_LAPACKE
#undef MERCER_COMPILED
#undef MERCER_INSTRUCTION_SETS

#define Eigen MERCER_INSTRUCTIONS(Eigen)
#define mercer MERCER_INSTRUCTIONS(mercer)

#include <mercer/core/math/sine_cosine.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/kernels/blocks.hpp>
#include <mercer/operators/tile_product.hpp>

namespace {

using mercer_inner_loops::Block;

template <class S>
Eigen::Map<const mercer::Matrix<S>, 0, Eigen::OuterStride<>> matrix(Block<const S> b) {
  return {b.data, b.rows, b.cols, Eigen::OuterStride<>(b.stride)};
}
template <class S>
Eigen::Map<mercer::Matrix<S>, 0, Eigen::OuterStride<>> matrix(Block<S> b) {
  return {b.data, b.rows, b.cols, Eigen::OuterStride<>(b.stride)};
}

template <class S>
constexpr mercer_inner_loops::Loops<S> loops() {
  using In = Block<const S>;
  using Out = Block<S>;
  using Count = std::ptrdiff_t;
  mercer_inner_loops::Loops<S> all{};
#if !defined(MERCER_PRODUCTS_BY_BLAS)
  all.multiply_add = [](In a, In b, Out out) {
    mercer::detail::multiply_add<S>(matrix(a), matrix(b), matrix(out));
  };
  all.add_inner_products = [](In a, In b, Out out) {
    mercer::detail::add_inner_products<S>(matrix(a), matrix(b), matrix(out));
  };
  all.multiply_transposed = [](In x, In y, Out out) {
    mercer::detail::multiply_transposed<S>(matrix(x), matrix(y), matrix(out));
  };
#endif
  all.add_tile_product = [](mercer_inner_loops::Strided<S> tile, const S* v, Count w, S* out) {
    mercer::detail::add_tile_product<S>(
        {tile.data, tile.rows, tile.cols, tile.row_stride, tile.column_stride}, v, w, out);
  };
  all.distances_to_one = [](const S* norms, S norm, S twice, S* products, Count count) {
    return mercer::detail::distances_to_one<S>(norms, norm, twice, {products, count});
  };
  all.sum_squared_differences = [](In x, In y, Out out) {
    mercer::detail::sum_squared_differences<S>(matrix(x), matrix(y), matrix(out));
  };
  all.exponentials = [](S factor, S* values, Count count) {
    mercer::detail::exponentials<S>(factor, {values, count});
  };
  all.sines_and_cosines = [](const S* angles, S* sines, S* cosines, Count count) {
    mercer::detail::sines_and_cosines(angles, sines, cosines, count);
  };
  return all;
}

}  // namespace

#undef Eigen
#undef mercer

extern const mercer_inner_loops::Loops<double> MERCER_INSTRUCTIONS(mercer_double_loops);
extern const mercer_inner_loops::Loops<float> MERCER_INSTRUCTIONS(mercer_float_loops);
constinit const mercer_inner_loops::Loops<double> MERCER_INSTRUCTIONS(mercer_double_loops) =
    loops<double>();
constinit const mercer_inner_loops::Loops<float> MERCER_INSTRUCTIONS(mercer_float_loops) =
    loops<float>();

#endif  // MERCER_CMAKE_COMPILED_INSTRUCTION_SETS_INNER_LOOPS_HPP
