// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The inner loops that mercer::compiled has for several instruction sets, as pointers to
/// functions.

#ifndef MERCER_CORE_MACHINE_INNER_LOOPS_HPP
#define MERCER_CORE_MACHINE_INNER_LOOPS_HPP

#include <cstddef>

/// What passes between loops that were compiled for different instruction sets: pointers and
/// numbers. Eigen's types differ between them, so Eigen and mercer have other names there; this
/// namespace keeps its name.
namespace mercer_inner_loops {

/// A block of a matrix stored by columns.
template <class S>
struct Block {
  S* data;
  std::ptrdiff_t rows, cols, stride;
};

/// A matrix stored in any order: entry (i, j) is data[i * row_stride + j * column_stride].
template <class S>
struct Strided {
  const S* data;
  std::ptrdiff_t rows, cols, row_stride, column_stride;
};

/// The loops for one scalar. Each does what the function of that name in mercer::detail does.
template <class S>
struct Loops {
  using In = Block<const S>;
  using Out = Block<S>;

  // These three are null if products are left to BLAS, which chooses its own instructions.
  void (*multiply_add)(In a, In b, Out out);
  void (*add_inner_products)(In a, In b, Out out);
  void (*multiply_transposed)(In x, In y, Out out);
  void (*add_tile_product)(Strided<S> tile, const S* v, std::ptrdiff_t w, S* out);
  bool (*distances_to_one)(const S* norms, S norm, S twice, S* products, std::ptrdiff_t count);
  void (*sum_squared_differences)(In x, In y, Out out);
  void (*exponentials)(S factor, S* values, std::ptrdiff_t count);
  void (*sines_and_cosines)(const S* angles, S* sines, S* cosines, std::ptrdiff_t count);
};

}  // namespace mercer_inner_loops

#endif  // MERCER_CORE_MACHINE_INNER_LOOPS_HPP
